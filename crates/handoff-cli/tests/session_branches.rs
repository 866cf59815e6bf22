//! Sessions that branch off from others and are merged again.
#![expect(clippy::needless_pass_by_value, reason = "`json!(…)` at the call needs no reference before it")]

use handoff_testkit::{TestProject, list_in, project, text_in};
use serde_json::{Value, json};

/// A session that is under way, with something in each list.
fn started(project: &TestProject) -> Value {
    let request = json!({
        "summary": "Auth handlers drafted", "title": "Auth", "session_status": "active",
        "decisions": [
            {"decision": "Server sessions", "reason": "simple"},
            {"decision": "Argon2 for passwords", "paths": ["src/auth/"], "confidence": "estimated"},
        ],
        "handoff_notes": [{"note": "the test database runs on port 5433", "category": "caution"}],
        "next": ["Fix refresh test matrix"], "checklist": ["verify on staging"],
        "references": ["https://example.com/issues/31"], "context_pointers": ["src/auth.rs:3-7"],
        "environment": {"node": "20"}, "tags": ["auth"], "timeline": "auth",
    });
    project.write("src/auth.rs", "one\ntwo\nthree\n");
    project.call("save --json").request(&request).run().succeeded().json()
}

fn ask(project: &TestProject, command: &str, request: Value) -> Value {
    project.call(command).word("--json").request(&request).run().succeeded().json()
}

/// The decisions in force, as a context shows them.
fn in_force(project: &TestProject) -> Vec<String> {
    let context = project.json("resume --budget 20000");
    let line = |it: &Value| format!("{} {}", text_in(it, "id"), text_in(it, "decision"));
    list_in(&context, "decisions").iter().map(line).collect()
}

/// The beginning of a session's id that names it beside the other sessions of these tests.
fn short(name: &str) -> &str {
    &name.rsplit('-').next().expect("a full name has an id at its end")[..3]
}

fn texts(session: &Value, list: &str, field: &str) -> Vec<String> {
    list_in(session, list).iter().map(|item| text_in(item, field).to_owned()).collect()
}

#[test]
fn a_fork_knows_what_the_other_knows_and_leaves_it_as_it_is() {
    let project = project!();
    let source = started(&project);
    let name = text_in(&source, "name");
    let before = project.file(&format!(".handoff/sessions/{name}.toml"));
    let decided = in_force(&project);
    insta::assert_snapshot!(
        project.handoff(&format!("session fork {name} --summary 'Try opaque tokens' --label opaque")),
        @"✓ forked 2026-11-15-c15c0289 as session 2026-11-15-ed8f01db; to fetch it: handoff resume ed8f01db"
    );
    let fork = project.json("session show opaque");
    assert_eq!(
        (&fork["forked_from"], &fork["status"], &fork["timeline"]),
        (&json!(name), &json!("active"), &json!("auth"))
    );
    assert!(text_in(&fork, "name").starts_with("2026-11-15-"), "it is named by the day it began: {fork:#}");
    assert!(fork["started_at"].as_str() > source["started_at"].as_str(), "{fork:#}");
    assert_eq!(texts(&fork, "decisions", "decision"), ["Server sessions", "Argon2 for passwords"]);
    assert_eq!(fork["decisions"][1]["same_as"], json!([format!("{name}#d2")]));
    assert_eq!(texts(&fork, "notes", "note"), ["the test database runs on port 5433"]);
    assert_eq!((list_in(&fork, "pointers").len(), list_in(&fork, "references").len()), (1, 1));
    assert_eq!(fork["environment"]["node"], "20");
    for left in ["next", "checklist", "tags"] {
        assert_eq!(list_in(&fork, left).len(), 0, "what is to do stays with the other: {fork:#}");
    }
    assert_eq!(project.file(&format!(".handoff/sessions/{name}.toml")), before);
    assert_eq!(in_force(&project), decided, "a decision that is taken over stays one");
}

#[test]
fn what_a_fork_takes_over_can_be_chosen_and_wrong_words_are_told() {
    let project = project!();
    let name = text_in(&started(&project), "name").to_owned();
    let fork = project.json(&format!("session fork {name} --inherit next,checklist,tags --timeline opaque"));
    assert_eq!((list_in(&fork, "decisions").len(), list_in(&fork, "notes").len()), (0, 0));
    assert_eq!((&fork["next"], &fork["tags"]), (&json!(["Fix refresh test matrix"]), &json!(["auth"])));
    assert_eq!(
        (&fork["title"], &fork["timeline"]),
        (&json!("Auth"), &json!("opaque")),
        "what it is about is taken over"
    );
    let wrong = project.call(&format!("session fork {name} --inherit decision")).run();
    wrong.failed(2).says("`decision` is not a part of a session: use one of decisions, pointers");
    let before = project.records();
    project.call(&format!("session fork {name}")).word("--inherit").word("").run().failed(2).says("nothing is named");
    project.call(&format!("session fork {name} --inherit none,tags")).run().failed(2).says("`none` stands alone");
    project.records().assert_same(&before, "nothing was begun");
    project.call("session fork 0000").run().failed(3);
}

#[test]
fn a_closed_and_an_archived_session_can_be_forked_and_the_fork_is_the_newest() {
    let project = project!();
    project.handoff("config set settings.history_limit 1");
    let closed = ask(&project, "save", json!({"summary": "First", "decisions": ["JWT"], "body": "All of it\n"}));
    let name = text_in(&closed, "name").to_owned();
    project.handoff("save --summary Second");
    project.handoff("save --summary Third");
    assert!(!project.exists(&format!(".handoff/sessions/{name}.toml")), "it is archived");
    let fork = project.json(&format!("session fork {name} --inherit all"));
    assert_eq!(fork["forked_from"], json!(name));
    let list = project.json("session list");
    assert_eq!(list["sessions"][0]["name"], fork["name"]);
    let shown = project.json(&format!("session show {}", text_in(&fork, "id")));
    assert_eq!(shown["body"], "All of it\n");
    project.handoff("save --summary 'Tried' --session latest");
    let sessions = project.tree(".handoff/sessions");
    assert!(
        sessions.files().iter().any(|file| file.starts_with(text_in(&fork, "name"))),
        "not archived at once: {sessions}"
    );
}

#[test]
fn a_fork_that_is_merged_back_doubles_nothing() {
    let project = project!();
    let name = text_in(&started(&project), "name").to_owned();
    let fork = project.json(&format!("session fork {name} --inherit all --label opaque"));
    let fork = text_in(&fork, "name").to_owned();
    let update = json!({
        "session_id": fork, "check": ["verify on staging"], "add_next": ["Measure lookups"],
        "add_decisions": [
            {"decision": "Opaque tokens", "reason": "JWTs cannot be revoked", "supersedes": "d1"},
            {"decision": "Argon2 for passwords", "confidence": "confirmed"},
        ],
        "add_notes": ["tokens live in redis"],
    });
    ask(&project, "session update", update);
    let decided = [format!("{}#d3 Opaque tokens", short(&fork)), format!("{}#d2 Argon2 for passwords", short(&name))];
    assert_eq!(in_force(&project), decided);
    let before = project.records();
    let dry = project.handoff(&format!("session merge opaque --into {name} --dry-run"));
    insta::assert_snapshot!(dry, @r"
    would merge 2026-11-15-ce56971c into 2026-11-15-c15c0289; nothing was changed
    - decisions: 1 added, 2 the same
    - next: 1 added, 1 the same
    - checklist: 0 added, 1 the same
    - notes: 1 added, 1 the same
    - references: 0 added, 1 the same
    - pointers: 0 added, 1 the same
    - tags: 0 added, 1 the same
    - environment: 0 added, 1 the same
    - would be closed: 2026-11-15-ce56971c

    Said differently
    - confidence: Argon2 for passwords: estimated in 2026-11-15-c15c0289; confirmed in 2026-11-15-ce56971c (now: confirmed)
    - checklist: verify on staging: open in 2026-11-15-c15c0289; checked in 2026-11-15-ce56971c (now: open)
    ");
    project.records().assert_same(&before, "nothing was written");

    insta::assert_snapshot!(project.handoff(&format!("session merge opaque --into {name}")), @"
    ✓ merged 2026-11-15-ce56971c into 2026-11-15-c15c0289; to fetch it: handoff resume c15c0289
    - decisions: 1 added, 2 the same
    - next: 1 added, 1 the same
    - checklist: 0 added, 1 the same
    - notes: 1 added, 1 the same
    - references: 0 added, 1 the same
    - pointers: 0 added, 1 the same
    - tags: 0 added, 1 the same
    - environment: 0 added, 1 the same
    - closed: 2026-11-15-ce56971c

    Said differently
    - confidence: Argon2 for passwords: estimated in 2026-11-15-c15c0289; confirmed in 2026-11-15-ce56971c (now: confirmed)
    - checklist: verify on staging: open in 2026-11-15-c15c0289; checked in 2026-11-15-ce56971c (now: open)
    ");
    let merged = project.json(&format!("session show {name}"));
    assert_eq!(texts(&merged, "decisions", "decision"), ["Server sessions", "Argon2 for passwords", "Opaque tokens"]);
    assert_eq!(merged["decisions"][1]["confidence"], "confirmed", "what was changed in the fork comes back");
    assert_eq!(texts(&merged, "notes", "note"), ["the test database runs on port 5433", "tokens live in redis"]);
    assert_eq!(merged["next"], json!(["Fix refresh test matrix", "Measure lookups"]));
    assert_eq!(merged["checklist"][0]["checked"], false, "open where one says so");
    assert_eq!((&merged["status"], &merged["merged_from"]), (&json!("active"), &json!([fork])));
    let source = project.json(&format!("session show {fork}"));
    assert_eq!((&source["status"], &source["merged_into"]), (&json!("closed"), &json!(name)));
    assert_eq!(in_force(&project), decided);

    let records = project.records();
    let again = project.json(&format!("session merge {fork} --into {name}"));
    assert!(list_in(&again, "lists").iter().all(|list| list["added"] == 0), "{again:#}");
    assert!(text_in(&again, "message").ends_with("nothing to change"), "{again:#}");
    project.records().assert_same(&records, "once is enough");
}

#[test]
fn two_closed_sessions_become_a_new_one_and_stay_as_they_are() {
    let project = project!();
    let one = ask(
        &project,
        "save",
        json!({"summary": "Parser", "decisions": [{"decision": "JWT", "reason": "stateless"}],
        "next": ["Docs"], "handoff_notes": ["port 5433"]}),
    );
    let other = ask(
        &project,
        "save",
        json!({"summary": "Schema", "decisions": [{"decision": "JWT", "reason": "fewer lookups"},
        "Postgres"], "next": ["Docs", "Index"]}),
    );
    let names = [text_in(&one, "name"), text_in(&other, "name")];
    let files = names.map(|name| project.file(&format!(".handoff/sessions/{name}.toml")));
    let merged = ask(&project, "session merge", json!({"source_session_ids": names}));
    assert_eq!((&merged["merged_from"], &merged["closed"]), (&json!(names), &json!([])));
    let contradictions = list_in(&merged, "contradictions");
    assert_eq!((contradictions.len(), &contradictions[0]["about"]), (1, &json!("reason")), "{merged:#}");
    let new = project.json(&format!("session show {}", text_in(&merged, "id")));
    assert_eq!((text_in(&new, "title"), text_in(&new, "summary")), ("Merge of Parser and Schema", "Parser\n\nSchema"));
    assert_eq!((&new["next"], &new["status"]), (&json!(["Docs", "Index"]), &json!("active")));
    assert_eq!(names.map(|name| project.file(&format!(".handoff/sessions/{name}.toml"))), files);
    let decided = in_force(&project);
    assert_eq!(decided.len(), 2, "both said the same: {decided:?}");
}

#[test]
fn merging_into_a_closed_session_continues_it() {
    let project = project!();
    let closed = ask(&project, "save", json!({"summary": "Parser", "decisions": ["JWT"], "next": ["Docs"]}));
    let other = ask(&project, "save", json!({"summary": "Schema", "decisions": ["JWT"], "next": ["Index"]}));
    let (target, source) = (text_in(&closed, "name"), text_in(&other, "name"));
    let text = project.file(&format!(".handoff/sessions/{target}.toml"));
    let merged = project.json(&format!("session merge {source} --into {target}"));
    assert_eq!(merged["continues"], json!(target));
    let new = project.json(&format!("session show {}", text_in(&merged, "id")));
    assert_eq!((&new["continues"], &new["merged_from"]), (&json!(target), &json!([source])));
    assert_eq!(new["next"], json!(["Docs", "Index"]));
    assert_eq!(project.file(&format!(".handoff/sessions/{target}.toml")), text, "it stays as it is");
    assert_eq!(in_force(&project).len(), 1);
}

#[test]
fn sources_can_be_left_open_and_those_of_others_are_never_closed() {
    let project = project!();
    let mine = project.json("session start 'My part'");
    let theirs = project.call("session start 'Their part' --json").env("HANDOFF_ACTOR", "bob").run().succeeded().json();
    let (mine, theirs) = (text_in(&mine, "name"), text_in(&theirs, "name"));
    let before = project.records();
    let refused = project.call(&format!("session merge {theirs} --into {mine}")).run();
    refused.failed(4).says("somebody else is at work in what would be closed").says("by bob").says("--keep-sources");
    project.records().assert_same(&before, "nothing was done");
    let merged = project.json(&format!("session merge {theirs} --into {mine} --keep-sources"));
    assert_eq!(merged["closed"], json!([]));
    let left = project.json(&format!("session show {theirs}"));
    assert_eq!((&left["status"], &left["merged_into"]), (&json!("active"), &Value::Null));
}

#[test]
fn merging_the_same_sessions_again_changes_nothing_more() {
    let project = project!();
    for title in ["One", "Two"] {
        project.handoff(&format!("save {title} --decision JWT --next Test"));
    }
    let names: Vec<String> = project.json("session list")["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|session| session["name"].as_str().unwrap().to_owned())
        .collect();
    let merge = format!("session merge {}", names.join(" "));
    let first = project.json(&merge);
    let before = project.records();
    let second = project.json(&merge);
    assert_eq!(first["name"], second["name"]);
    project.records().assert_same(&before, "it was merged twice");
    let other = project.json(&format!("{merge} --into new"));
    assert_ne!(first["name"], other["name"]);
}

#[test]
fn wrong_merges_are_refused_with_what_would_be_right() {
    let project = project!();
    let name = text_in(&started(&project), "name").to_owned();
    let alone = project.call(&format!("session merge {name}")).run();
    alone.failed(2).says("merged from two others or more").hides("{").says("OTHER`").says("--into OTHER");
    let itself = project.call(&format!("session merge {name} --into {name}")).run();
    itself.failed(2).says("cannot be merged into itself");
    project.call(&format!("session merge {name} 0000 --into new")).run().failed(3);
    project.call("session merge").run().failed(2);
}

#[test]
fn a_session_is_fetched_by_the_name_or_label_it_was_given() {
    let project = project!();
    let first = ask(&project, "save", json!({"summary": "First", "name": "project-state"}));
    let last = ask(&project, "save", json!({"summary": "Last", "name": "project-state"}));
    assert_eq!(project.json("session show project-state")["name"], last["name"], "of several the last is meant");
    let labelled = ask(&project, "save", json!({"summary": "Labelled", "label": "cafe"}));
    assert_eq!(
        project.json("session show cafe")["name"],
        labelled["name"],
        "though it could be the beginning of an id"
    );
    assert_eq!(project.json(&format!("session show {}", text_in(&first, "id")))["summary"], "First");
    project.call("resume project-state").run().succeeded().says("Last");
    let missing = project.call("session show project-stat").run();
    missing.failed(3).says("no session `project-stat`").says("closed: Last");
}

/// A line of work with a fork that was merged back, and another line beside it.
fn branched(project: &TestProject) -> [String; 5] {
    let first = ask(project, "save", json!({"summary": "Sketch", "timeline": "auth", "next": ["Handlers"]}));
    let first = text_in(&first, "name").to_owned();
    let second = project.json(&format!("session reopen {first}"));
    let fork =
        project.json(&format!("session fork {first} --summary 'Opaque tokens' --label opaque --timeline tokens"));
    let (second, fork) = (text_in(&second, "name").to_owned(), text_in(&fork, "name").to_owned());
    ask(project, "session update", json!({"session_id": second, "summary": "Handlers"}));
    let beside =
        text_in(&ask(project, "save", json!({"summary": "Docs", "session_status": "active"})), "name").to_owned();
    project.handoff(&format!("session close {beside} --next 'More docs'"));
    project.handoff(&format!("session merge {fork} --into {second}"));
    let last = project.json(&format!("session close {second} --next 'Ship it'"));
    [first, second, fork, beside, text_in(&last, "name").to_owned()]
}

#[test]
fn a_tree_shows_what_continues_what_branched_off_and_what_was_merged() {
    let project = project!();
    let [first, second, fork, beside, _] = branched(&project);
    insta::assert_snapshot!(project.handoff("session list --tree"), @r"
    name                   status  by     line    title                   comes from
    2026-11-15-c15c0289    closed  alice  auth    Sketch
      2026-11-15-ed8f01db  closed  alice  tokens  [opaque] Opaque tokens  fork of c15c0289; merged into ce56971c
    2026-11-15-ce56971c    closed  alice  auth    Handlers                continues c15c0289; merges ed8f01db
    2026-11-15-5ac389a3    closed  alice          Docs
    ");
    let tree = project.json("session list --tree");
    let placed: Vec<(String, u64)> = list_in(&tree, "sessions")
        .iter()
        .map(|it| (text_in(it, "name").to_owned(), it["depth"].as_u64().unwrap()))
        .collect();
    assert_eq!(placed, [(first, 0), (fork.clone(), 1), (second, 0), (beside, 0)]);
    let line = project.json("session list --timeline tokens");
    assert_eq!((list_in(&line, "sessions").len(), &line["sessions"][0]["name"]), (1, &json!(fork)));
    let mut client = project.mcp().connect();
    let text = client.text("handoff_list_sessions", json!({"tree": true}));
    assert!(text.contains(&format!("  - `{fork}`")) && text.contains("fork of"), "{text}");
    client.close();
}

#[test]
fn resuming_keeps_to_the_line_of_work() {
    let project = project!();
    ask(&project, "save", json!({"summary": "On auth", "timeline": "auth", "next": ["Handlers"]}));
    ask(&project, "save", json!({"summary": "On docs", "timeline": "docs", "next": ["Guide"]}));
    ask(&project, "save", json!({"summary": "On nothing", "next": ["Rest"]}));
    let last = |command: &str| text_in(&project.json(command)["last_handoff"], "title").to_owned();
    assert_eq!(last("resume"), "On nothing", "without a session of one's own it is the last of all");
    assert_eq!(last("resume --timeline auth"), "On auth");
    project.call("resume --timeline web").run().failed(3).says("there are `auth`, `docs`");
    project.call("resume --timeline auth latest").run().failed(2);
    ask(&project, "save", json!({"summary": "Going on", "session_status": "active", "timeline": "docs"}));
    assert_eq!(last("resume"), "On docs", "the line that the own session belongs to");
    ask(&project, "save", json!({"summary": "Alone", "session_status": "active", "timeline": "web"}));
    let begun = project.json("resume --timeline web");
    assert_eq!(text_in(&begun["session"], "title"), "Alone", "nobody handed over on it yet");
}

#[test]
fn resuming_on_another_branch_says_so() {
    let project = project!();
    project.init_git();
    project.write("a.rs", "one\n");
    project.commit_all("start");
    project.handoff("save --summary Work --next 'Go on'");
    project.call("resume").run().hides("on branch");
    project.git("switch -q -c other");
    project.call("resume").run().says("on branch other, and the handoff was saved on main");
}

#[test]
fn a_session_alone_is_compared_with_what_it_comes_from() {
    let project = project!();
    project.init_git();
    project.write("src/auth.rs", "one\n");
    project.commit_all("start");
    let first = ask(
        &project,
        "save",
        json!({"summary": "First", "next": ["Parser", "Tests"],
        "context_pointers": ["src/auth.rs"], "decisions": [{"decision": "Plain", "paths": ["docs/"]}]}),
    );
    project.write("src/auth.rs", "two\n");
    project.write("docs/guide.md", "new\n");
    project.write("other.txt", "new\n");
    project.commit_all("work on it");
    ask(&project, "save", json!({"summary": "Second", "next": ["Tests", "Docs"], "context_pointers": ["src/auth.rs"]}));
    insta::assert_snapshot!(project.handoff("session diff latest"), @"
    2026-11-15-c15c0289 and 2026-11-15-ce56971c

    summary
    - − First
    - + Second

    next
    - − Parser
    - + Docs

    decisions
    - − Plain (confidence: unverified; paths: docs/)

    files
    1 commit from 4d4d727 to 90d03a4
    - 90d03a4 work on it
    - A docs/guide.md (Plain)
    - M src/auth.rs (pointer)
    - A other.txt
    ");
    let alone = project.json("session diff latest");
    assert_eq!(alone["before"], first["name"], "the handoff before it");
    assert_eq!(alone["git"]["file_count"], 3);
    let fork = project.json(&format!("session fork {} --inherit none", text_in(&first, "id")));
    let diff = project.json(&format!("session diff {}", text_in(&fork, "id")));
    assert_eq!((&diff["before"], &diff["after"]), (&first["name"], &fork["name"]), "what it branched off from");
    let reopened = project.json(&format!("session reopen {}", text_in(&first, "id")));
    let diff = project.json(&format!("session diff {}", text_in(&reopened, "id")));
    assert_eq!(diff["before"], first["name"], "what it continues");
    let none = project.call(&format!("session diff {}", text_in(&first, "id"))).run();
    none.failed(3).says("no handoff was left before");
}

#[test]
fn an_inherited_decision_that_is_changed_says_so_and_one_that_is_replaced_stays_in_force() {
    let project = project!();
    let name = text_in(&started(&project), "name").to_owned();
    let fork = project.json(&format!("session fork {name}"));
    let fork = text_in(&fork, "name").to_owned();
    let request =
        json!({"session_id": fork, "add_decisions": [{"decision": "Argon2 for passwords", "reason": "OWASP"}]});
    let updated = ask(&project, "session update", request);
    assert_eq!(updated["decisions"][1]["revised"], true);
    let context = project.json("resume --budget 20000");
    let argon = list_in(&context, "decisions").iter().find(|it| it["decision"] == "Argon2 for passwords").unwrap();
    assert_eq!((&argon["id"], &argon["reason"]), (&json!(format!("{}#d2", short(&name))), &json!("OWASP")));
    let request = json!({"session_id": fork, "add_decisions": [{"id": "d2", "decision": "Scrypt"}]});
    let updated = ask(&project, "session update", request);
    let warnings = updated["warnings"].to_string();
    assert!(warnings.contains("stays in force unless this supersedes it"), "{warnings}");
    assert_eq!(in_force(&project).len(), 3);
}

#[test]
fn the_published_tools_take_their_published_arguments() {
    let project = project!();
    let name = text_in(&started(&project), "name").to_owned();
    let mut client = project.mcp().connect();
    let forked = client.facts("handoff_fork_session", json!({
        "source_session_id": name, "summary": "Try it", "label": "try", "timeline": "tokens",
        "inherit": ["decisions", "context_pointers", "references", "handoff_notes", "environment", "blockers", "checklist"],
    }));
    let fork = text_in(&forked, "id").to_owned();
    let merged = client.facts(
        "handoff_merge_sessions",
        json!({
            "source_session_ids": [fork, name], "target_session_id": name, "close_sources": false,
        }),
    );
    let message = text_in(&merged, "message");
    assert!(message.contains("decisions: 0 added, 2 the same"), "{message}");
    assert_eq!(
        project.json(&format!("session show {fork}"))["status"],
        "active",
        "sources are kept when that is asked for"
    );
    let wrong = client.failure("handoff_merge_sessions", json!({"source_session_ids": [fork]}));
    assert!(wrong.contains("two others or more"), "{wrong}");
    client.close();
}

#[test]
fn another_agents_session_is_not_closed_by_a_merge() {
    let project = project!();
    let mut one = project.mcp().connect();
    let mut other = project.mcp().connect();
    let theirs = one.facts("handoff_save_context", json!({"summary": "Theirs", "session_status": "active"}));
    let mine = other.facts("handoff_save_context", json!({"summary": "Mine", "session_status": "active"}));
    let request = json!({"source_session_ids": [theirs["id"]], "target_session_id": mine["id"]});
    let refused = other.failure("handoff_merge_sessions", request.clone());
    assert!(refused.contains("somebody else is at work"), "{refused}");
    let own = json!({"source_session_ids": [mine["id"]], "target_session_id": theirs["id"]});
    other.facts("handoff_merge_sessions", own);
    assert_eq!(project.json(&format!("session show {}", text_in(&mine, "id")))["status"], "closed");
    let again = json!({"summary": "Mine again", "session_status": "active"});
    let mine = other.facts("handoff_save_context", again);
    one.close();
    let request = json!({"source_session_ids": [theirs["id"]], "target_session_id": mine["id"]});
    other.facts("handoff_merge_sessions", request);
    other.close();
}

#[test]
fn a_line_of_work_and_a_label_are_given_changed_and_taken_away() {
    let project = project!();
    let started = project.json("session start Work --timeline auth --label first");
    assert_eq!((&started["timeline"], &started["label"]), (&json!("auth"), &json!("first")));
    let updated = project.json("session update first --timeline docs --label none");
    assert_eq!((&updated["timeline"], &updated["label"]), (&json!("docs"), &Value::Null));
    assert_eq!(list_in(&project.json("session list --timeline docs"), "sessions").len(), 1);
}
