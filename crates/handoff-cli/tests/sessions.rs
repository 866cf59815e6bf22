//! A session from its beginning to its end: started, added to, put aside, closed, continued, shown, listed, compared.
#![expect(clippy::needless_pass_by_value, reason = "`json!(…)` at the call needs no reference before it")]

use handoff_testkit::{Answer, TestProject, list_in, project, sample_project, text_in};
use serde_json::{Value, json};

fn started(project: &TestProject, summary: &str) -> String {
    id(&project.call("session start --json").word(summary).run().json())
}

fn id(session: &Value) -> String {
    session["id"].as_str().unwrap_or_else(|| panic!("no id in {session:#}")).to_owned()
}

fn shown(project: &TestProject, session: &str) -> Value {
    project.json(&format!("session show {session}"))
}

fn listed(project: &TestProject, filters: &str) -> Vec<String> {
    let list = project.json(&format!("session list {filters}"));
    list_in(&list, "sessions").iter().map(id).collect()
}

fn asked(project: &TestProject, line: &str, request: Value) -> Answer {
    project.call(line).request(&request).run()
}

#[test]
fn a_session_is_added_to_in_place_and_closed() {
    let project = project!().task("k7f3q2ma", |task| task.title("Implement auth"));
    let session = started(&project, "Write the parser");
    let line = "session update --title 'The parser' --decision 'By hand' --note 'Slow machine' --pointer src/main.rs:4-9 \
                --next 'Write tests' --blocker 'No fixtures' --checklist 'Ask for review' --reference https://example.com/1 \
                --task 1 --tag parser";
    project.call(line).run().succeeded();
    project
        .call("session update --next 'Write docs' --check 1 --resolved 'No fixtures' --done-next 1")
        .run()
        .succeeded();
    let now = shown(&project, &session);
    assert_eq!((&now["status"], &now["title"]), (&json!("active"), &json!("The parser")));
    assert_eq!(now["next"], json!(["Write docs"]));
    assert_eq!(now["blockers"], Value::Null);
    assert_eq!(now["checklist"], json!([{"item": "Ask for review", "checked": true}]));
    assert_eq!(now["decisions"][0]["decision"], "By hand");
    assert_eq!(now["notes"][0]["note"], "Slow machine");
    assert_eq!((&now["pointers"][0]["path"], &now["pointers"][0]["lines"]), (&json!("src/main.rs"), &json!("4-9")));
    assert_eq!(now["references"][0]["uri"], "https://example.com/1");
    assert_eq!((&now["tasks"], &now["tags"]), (&json!(["k7f3q2ma"]), &json!(["parser"])));
    let closed = project.json("session close --summary 'Parser written' --next 'Celebrate'");
    assert_eq!((&closed["status"], &closed["summary"]), (&json!("closed"), &json!("Parser written")));
    assert_eq!(closed["next"], json!(["Write docs", "Celebrate"]));
    assert!(closed["ended_at"].is_string(), "{closed:#}");
    project.call("session close").run().failed(3).says("no session is active");
}

#[test]
fn a_closed_session_is_immutable() {
    let project = project!();
    let session = started(&project, "Write the parser");
    project.handoff("session close");
    let before = project.records();
    for line in [
        format!("session update {session} --next More"),
        format!("session pause {session}"),
        format!("session close {session}"),
        format!("save --session {session} --summary More"),
        format!("save --close {session} --summary More"),
        format!("save --pause {session} --summary More"),
    ] {
        let answer = project.call(&line).run();
        answer.failed(4).says("is closed and stays as it is").says(&format!("handoff session reopen {session}"));
    }
    project.records().assert_same(&before, "all were refused");
}

#[test]
fn reopening_a_closed_session_continues_it_in_a_new_one() {
    let project = project!();
    let request = json!({
        "summary": "Parser half done", "title": "The parser", "next": ["Strings"], "blockers": ["No fixtures"],
        "decisions": ["By hand"], "checklist": ["Open item", {"item": "Done item", "checked": true}],
        "handoff_notes": ["Mind the lexer"], "context_pointers": ["src/main.rs"], "tags": ["parser"],
        "references": ["https://example.com/1"], "environment": {"rust": "1.95"}, "timeline": "parsing",
    });
    let old = asked(&project, "save --json", request).json();
    let name = old["name"].as_str().unwrap();
    let file = project.file(&project.session_file(&id(&old)));
    let new = project.json(&format!("session reopen {name}"));
    assert_eq!(project.file(&project.session_file(&id(&old))), file, "the old one is as it was");
    assert_ne!(new["id"], old["id"]);
    assert_eq!((&new["continues"], &new["status"]), (&json!(name), &json!("active")));
    for field in ["title", "summary", "next", "blockers", "notes", "tags", "references", "environment", "timeline"] {
        assert_eq!(new[field], old[field], "`{field}` comes along");
    }
    assert_eq!(new["checklist"], json!([{"item": "Open item", "checked": false}]), "what is ticked stays behind");
    let context = project.json("resume");
    assert_eq!(context["session"]["id"], new["id"]);
    assert_eq!(context["last_handoff"]["id"], old["id"]);
    assert_eq!(context["decisions"].as_array().unwrap().len(), 1, "a decision is in force once: {context:#}");
    assert_eq!(context["next"], json!(["Strings"]), "nothing is said twice");
}

#[test]
fn an_archived_session_can_be_continued() {
    let project = sample_project!();
    let new = project.json("session reopen 0b5e11d2");
    assert_eq!(new["continues"], "2026-10-02-0b5e11d2");
    assert_eq!(shown(&project, "0b5e11d2")["archived"], true);
}

#[test]
fn a_paused_session_goes_on_as_it_is() {
    let project = project!();
    let session = started(&project, "Write the parser");
    let paused = project.json("session pause");
    assert_eq!((&paused["id"], &paused["status"]), (&json!(session), &json!("paused")));
    project.call(&format!("session update {session} --next 'A late thought'")).run().succeeded();
    assert_eq!(shown(&project, &session)["status"], "paused", "adding to it does not wake it");
    project.call("session update --next Lost").run().failed(3);
    let reopened = project.json(&format!("session reopen {session}"));
    assert_eq!((&reopened["id"], &reopened["status"]), (&json!(session), &json!("active")));
    assert_eq!(reopened["continues"], Value::Null);
    assert_eq!(project.json("save --summary Done")["id"], json!(session));
}

#[test]
fn items_are_ticked_by_place_or_text_and_unknown_ones_are_refused() {
    let project = project!();
    let session = started(&project, "Work");
    asked(
        &project,
        "session update",
        json!({"add_checklist": ["Write tests", {"item": "Deploy", "owner": "user"}, "2"]}),
    );
    project.call("session update --check 'Write tests' --check 2").run().succeeded().says("checklist 2/3");
    let ticked = |session: &Value| -> Vec<bool> {
        session["checklist"].as_array().unwrap().iter().map(|item| item["checked"].as_bool().unwrap()).collect()
    };
    assert_eq!(ticked(&shown(&project, &session)), [true, false, true], "a text comes before a place");
    project.call("session update --uncheck 1").run().succeeded();
    assert_eq!(ticked(&shown(&project, &session)), [false, false, true]);
    let before = project.records();
    project.call("session update --check 'Write test' --next Lost").run().failed(3).says("Write tests");
    project.call("session update --check 7").run().failed(3).says("1 to 3");
    project.call("session update --done-next 1").run().failed(3).says("empty");
    project.records().assert_same(&before, "all were refused");
    asked(&project, "session update", json!({"checklist_index": 1, "checklist_checked": true})).succeeded();
    assert_eq!(ticked(&shown(&project, &session)), [false, true, true], "published: counted from 0");
}

#[test]
fn an_update_that_changes_nothing_says_so_and_writes_nothing() {
    let project = project!();
    started(&project, "Work");
    project.handoff("session update --next 'Write tests'");
    let before = project.tree(".handoff/sessions");
    project.call("session update --next 'Write tests'").run().succeeded().says("nothing to change");
    project.tree(".handoff/sessions").assert_same(&before, "it was said before");
}

#[test]
fn sessions_are_listed_by_every_filter() {
    let project = project!()
        .session(
            "2026-11-10-aaaaaaaa",
            "status = \"closed\"\ntitle = \"Parser\"\nauthor = \"alice\"\ntool = \"codex\"\ntags = [\"api\", \"auth\"]\ntimeline = \"one\"\n\
             started_at = 2026-11-10T09:00:00Z\nended_at = 2026-11-12T10:00:00Z\nnext = [\"Needle in a haystack\"]\n",
        )
        .session(
            "2026-11-13-bbbbbbbb",
            "status = \"paused\"\ntitle = \"Lexer\"\nauthor = \"bob\"\ntool = \"cursor\"\ntags = [\"api\"]\ntimeline = \"two\"\n\
             started_at = 2026-11-13T09:00:00Z\n",
        )
        .session("2026-11-14-cccccccc", "status = \"active\"\nsummary = \"Linker\"\nauthor = \"alice\"\nstarted_at = 2026-11-14T09:00:00Z\n");
    project.edit(".handoff/sessions/2026-11-14-cccccccc.toml", "kind = \"session\"", "kind = \"record\"");
    project.write(".handoff/sessions/2026-11-13-bbbbbbbb.md", "A thimble in the body\n");
    let (a, b, c) = ("aaaaaaaa", "bbbbbbbb", "cccccccc");
    for (filters, expected) in [
        ("", vec![c, b, a]),
        ("--status closed", vec![a]),
        ("--status active --status paused", vec![c, b]),
        ("--kind record", vec![c]),
        ("--author alice", vec![c, a]),
        ("--tool cursor", vec![b]),
        ("--tag api", vec![b, a]),
        ("--tag api --tag auth", vec![a]),
        ("--timeline two", vec![b]),
        ("--text NEEDLE", vec![a]),
        ("--text thimble", vec![b]),
        ("--text nothing-like-it", vec![]),
        ("--since 2026-11-13", vec![c, b]),
        ("--until 2026-11-12", vec![a]),
        ("--since 2026-11-11 --until 2026-11-11", vec![a]),
        ("--limit 2", vec![c, b]),
        ("--author alice --status closed", vec![a]),
    ] {
        assert_eq!(listed(&project, filters), expected, "session list {filters}");
    }
    project.call("session list --limit 2").run().says("1 more");
    project.call("session list --limit 0").run().failed(2);
    project.call("session list --status over").run().failed(2).says("closed");
    project.call("session list --since yesterday").run().failed(2);
    insta::assert_snapshot!(project.handoff("session list"), @"
    name                 status  by      line  title
    2026-11-14-cccccccc  active  alice         Linker
    2026-11-13-bbbbbbbb  paused  cursor  two   Lexer
    2026-11-10-aaaaaaaa  closed  codex   one   Parser
    ");
}

#[test]
fn a_session_is_found_by_whatever_names_it_and_nothing_else() {
    let project = sample_project!();
    for reference in ["77c01b9d", "77c", "2026-11-14-77c01b9d", "2026-11-14"] {
        assert_eq!(shown(&project, reference)["id"], "77c01b9d", "{reference}");
    }
    assert_eq!(shown(&project, "latest")["id"], "a3f9c12e");
    assert_eq!(shown(&project, "0b5e")["archived"], true, "archived ones are found too");
    project.put_session("2026-11-14-77c0ffee", "status = \"closed\"\nsummary = \"The other\"\n");
    for reference in ["77c0", "2026-11-14", "2026-11"] {
        project.call("session show").word(reference).run().failed(4).says("77c01b9d").says("77c0ffee");
    }
    insta::assert_snapshot!(project.handoff("session show 77c01b9e"), @"
    error: no session `77c01b9e` in this project
      close: 2026-11-14-77c01b9d closed: Schema drafted
      close: 2026-11-14-77c0ffee closed: The other
    hint: run `handoff session list`
    [exit 3]
    ");
    project.call("session show ../../outside").run().failed(2);
}

#[test]
fn two_sessions_are_compared_field_by_field() {
    let project = sample_project!();
    insta::assert_snapshot!(project.handoff("session diff 77c01b9d a3f9c12e"), @"
    2026-11-14-77c01b9d and 2026-11-15-a3f9c12e

    status
    - − closed
    - + active

    title
    - + Refactor auth middleware

    summary
    - − Schema drafted
    - + Token parser is being extracted

    continues
    - + 2026-11-14-77c01b9d

    next
    - + Fix refresh test matrix

    questions
    - + Does staging need a key of its own?

    tasks
    - + k7f3q2ma

    checklist
    - + verify on staging (checked: false; owner: user)

    decisions
    - − JWT over server sessions (reason: stateless API; confidence: confirmed; paths: src/auth/)
    ");
    let same = project.json("session diff a3f9c12e a3f9c12e");
    assert_eq!((&same["fields"], &same["lists"]), (&json!([]), &json!([])));
    let archived = project.json("session diff 0b5e11d2 latest");
    assert_eq!(
        (&archived["before"], &archived["after"]),
        (&json!("2026-10-02-0b5e11d2"), &json!("2026-11-15-a3f9c12e"))
    );
    // What only links an item to others, and when it was, is for programs.
    let fork = project.json("session fork 77c01b9d");
    project
        .call(&format!("session update {} --summary", text_in(&fork, "id")))
        .word("Schema drafted\n\nReviewed")
        .run();
    insta::assert_snapshot!(project.handoff(&format!("session diff {}", text_in(&fork, "id"))), @"
    2026-11-14-77c01b9d and 2026-11-15-ca8a33e2

    status
    - − closed
    - + active

    summary
    - + Reviewed

    project
    - + my-app

    forked_from
    - + 2026-11-14-77c01b9d
    ");
    assert_ne!(project.json(&format!("session diff {}", text_in(&fork, "id")))["lists"], json!([]));
}

#[test]
fn a_damaged_session_is_named_and_hides_no_other() {
    let project = sample_project!();
    project.write(".handoff/sessions/2026-11-14-77c01b9d.toml", "id = \"77c01b9d\"\nstatus = [\n");
    project.call("session list").run().succeeded().says("a3f9c12e").says("2026-11-14-77c01b9d.toml");
    project.call("resume").run().succeeded().says("Refactor auth middleware").says("2026-11-14-77c01b9d.toml");
    project.call("session show 77c01b9d").run().failed(6).says("2026-11-14-77c01b9d.toml");
    project.call("save --summary 'Still works'").run().succeeded();
}

#[test]
fn what_nobody_here_wrote_in_a_session_file_survives_a_change() {
    let project = sample_project!();
    let file = ".handoff/sessions/2026-11-15-a3f9c12e.toml";
    project.edit(file, "author = \"alice\"", "author = \"alice\" # that is me\nmood = \"good\"");
    project.call("session update a3f9c12e --next 'Run race tests' --check 1").run().succeeded();
    let text = project.file(file);
    assert!(text.contains("author = \"alice\" # that is me\nmood = \"good\"\n"), "{text}");
    assert!(text.contains("Run race tests") && text.contains("checked = true"), "{text}");
}

#[test]
fn a_session_of_a_newer_format_is_refused_and_left_alone() {
    let project = sample_project!();
    let file = ".handoff/sessions/2026-11-15-a3f9c12e.toml";
    project.edit(file, "format = 1", "format = 99");
    let before = project.file(file);
    let answer = project.call("session update a3f9c12e --next More").run();
    assert_ne!(answer.code, 0);
    answer.says("99");
    assert_eq!(project.file(file), before);
}

#[test]
fn a_reference_without_a_label_and_a_merge_of_one_title_say_each_thing_once() {
    let project = project!();
    let request = json!({"summary": "base", "references": ["https://x.y/z"]});
    let saved = |_| project.call("save --json").request(&request).run().succeeded().json();
    let names: Vec<String> = (0..3).map(saved).map(|saved| text_in(&saved, "name").to_owned()).collect();
    let shown = project.handoff(&format!("session show {}", names[0]));
    assert_eq!(shown.matches("https://x.y/z").count(), 1, "{shown}");
    let merged = project.json(&format!("session merge {}", names.join(" ")));
    let merged = project.json(&format!("session show {}", text_in(&merged, "id")));
    let ids: Vec<&str> = names.iter().filter_map(|name| name.rsplit('-').next()).collect();
    let title = format!("Merge of base ({}), base ({}) and base ({})", ids[0], ids[1], ids[2]);
    assert_eq!(text_in(&merged, "title"), title);
}
