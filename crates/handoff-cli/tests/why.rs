//! Why a file or line is as it is: what governs it, points to it, names it, and who made it.
#![expect(clippy::needless_pass_by_value, reason = "`json!(…)` at the call needs no reference before it")]

use handoff_testkit::{TestProject, list_in, project, text_in};
use serde_json::{Value, json};

fn long(name: &str) -> String {
    (1..=40).map(|n| format!("line {n} of {name}\n")).collect::<Vec<_>>().concat()
}

/// A repository with one commit.
fn repository() -> TestProject {
    let project = project!();
    project.init_git();
    for name in ["src/auth.rs", "src/main.rs"] {
        project.write(name, long(name));
    }
    project.commit_all("start");
    project
}

/// Replaces one line of a file.
fn change(project: &TestProject, file: &str, line: usize, text: &str) {
    let lines: Vec<String> = project.file(file).lines().map(str::to_owned).collect();
    let with = |(place, old): (usize, &String)| if place + 1 == line { text.to_owned() } else { old.clone() };
    project.write(file, lines.iter().enumerate().map(with).collect::<Vec<_>>().join("\n") + "\n");
}

fn save(project: &TestProject, request: Value) -> String {
    let saved = project.call("save --json").request(&request).run().succeeded().json();
    text_in(&saved, "name").to_owned()
}

/// What is found, as `kind id: reasons`.
fn found(project: &TestProject, path: &str) -> Vec<String> {
    let why = project.json(&format!("why {path}"));
    let line = |it: &Value| {
        let reasons: Vec<&str> = list_in(it, "reasons").iter().filter_map(Value::as_str).collect();
        format!("{} {}: {}", text_in(it, "kind"), text_in(it, "id"), reasons.join("; "))
    };
    list_in(&why, "findings").iter().map(line).collect()
}

#[test]
fn a_line_leads_through_its_commit_to_the_session_and_the_task() {
    let project = repository().task("k7f3q2ma", |task| task.title("Implement auth"));
    let name = text_in(&project.json("session start 'Extract the parser'"), "name").to_owned();
    change(&project, "src/auth.rs", 10, "new");
    project.commit_all_at("extract token parser\n\nfor k7f3q2ma", "2026-11-15T09:00:01Z");
    let commit = project.git("rev-parse --short=7 HEAD");
    project.handoff("save --summary 'Parser extracted' --next 'Fix the refresh tests'");
    let later = save(&project, json!({"summary": "Something else", "next": ["Go on"]}));
    insta::assert_snapshot!(project.handoff("why src/auth.rs:10"), @r"
    src/auth.rs:10
    - line 10: ee6d251 extract token parser (alice, 2026-11-15)

    - task k7f3q2ma Implement auth (01, todo): blame: line 10 from ee6d251 (extract token parser), which names it
    - session 2026-11-15-c15c0289 Parser extracted (closed, by alice): blame: line 10 from ee6d251 (extract token parser), made during it
    ");
    assert_eq!(
        found(&project, "src/auth.rs:10"),
        [
            format!("task k7f3q2ma: blame: line 10 from {commit} (extract token parser), which names it"),
            format!("session {name}: blame: line 10 from {commit} (extract token parser), made during it"),
        ]
    );
    let file = found(&project, "src/auth.rs");
    assert!(file.iter().any(|line| line.starts_with(&format!("session {name}: touched by {commit}"))), "{file:?}");
    assert!(file.iter().all(|line| !line.contains(&later)), "who only knew of it did not make it: {file:?}");
    let untouched = project.json("why src/main.rs:3");
    assert_eq!(untouched["blame"][0]["subject"], "start", "who made it is told without a session too");
}

#[test]
fn decisions_pointers_tasks_and_notes_are_found_each_with_its_reason() {
    let project = repository().task("k7f3q2ma", |task| {
        task.title("Implement auth").field("links = [{ type = \"file\", target = \"src/auth.rs\" }]")
    });
    let old = save(
        &project,
        json!({"summary": "First", "decisions": [
        {"decision": "Server sessions", "paths": ["src/"]}, {"decision": "Plain words", "paths": ["docs/"]}]}),
    );
    let new = save(
        &project,
        json!({"summary": "Second", "next": ["fix auth.rs"],
        "decisions": [{"decision": "JWT", "reason": "stateless", "paths": ["src/auth.rs"], "supersedes": format!("{old}#d1")}],
        "context_pointers": [{"path": "src/auth.rs", "lines": "3-7", "reason": "resume here"}],
        "handoff_notes": ["beware of src/auth.rs"]}),
    );
    assert_eq!(
        found(&project, "src/auth.rs:5"),
        [
            format!("session {new}: points to lines 3-7: resume here; a next step names it; a note names it"),
            format!("decision {new}#d1: governs src/auth.rs"),
            "task k7f3q2ma: links to it".to_owned(),
            format!(
                "session {old}: blame: line 5 from {} (start), first handed over by it",
                project.git("rev-parse --short=7 HEAD")
            ),
            format!("decision {old}#d1: governs src/"),
        ]
    );
    let superseded = project.json("why src/auth.rs");
    let last = list_in(&superseded, "findings").last().unwrap();
    assert_eq!(last["superseded_by"], format!("{new}#d1"), "what no longer holds comes last: {last:#}");
    project.call("why web/app.tsx").run().failed(3).says("nothing that is recorded or committed speaks of it");
    project.call("why docs/").run().succeeded().says("Plain words").says("which is not there");
}

#[test]
fn pointers_follow_their_lines_and_files_their_names() {
    let project = repository();
    let name = save(
        &project,
        json!({"summary": "Parser", "next": ["Go on"],
        "context_pointers": [{"path": "src/auth.rs", "lines": "10-12"}],
        "decisions": [{"decision": "JWT", "paths": ["src/auth.rs"]}]}),
    );
    project.write("src/auth.rs", "new\n".repeat(5) + &long("src/auth.rs"));
    let moved = found(&project, "src/auth.rs:16");
    assert!(moved[0].starts_with(&format!("session {name}: points to lines 10-12, now 15-17")), "{moved:?}");
    let elsewhere = found(&project, "src/auth.rs:11");
    assert!(elsewhere[0].starts_with(&format!("decision {name}#d1: governs src/auth.rs")), "{elsewhere:?}");
    let new = project.json("why src/auth.rs:2");
    assert_eq!(new["blame"], json!([{"lines": "2"}]), "it is not committed");
    project.git("mv src/auth.rs src/token.rs");
    project.commit_all("rename it");
    let why = project.json("why src/token.rs:16");
    assert_eq!(why["known_as"], json!(["src/auth.rs"]));
    let now = found(&project, "src/token.rs:16");
    assert!(now[0].contains("points to lines 10-12, now 15-17 (as src/auth.rs, its name then)"), "{now:?}");
    project.git("rm -q src/token.rs");
    project.commit_all("drop it");
    project.call("why src/token.rs").run().succeeded().says("which is not there").says("JWT");
    project.call("why src/token.rs:3").run().failed(3).says("is not there, and so has no line 3");
}

#[test]
fn what_makes_no_sense_is_told() {
    let project = repository();
    project.write("logo.png", b"\x89PNG\x00\x01");
    project.call("why src/auth.rs:41").run().failed(3).says("`src/auth.rs` has 40 lines: there is no line 41");
    for wrong in ["0", "10-5", "abc"] {
        let answer = project.call(&format!("why src/auth.rs:{wrong}")).run();
        answer.failed(2).says(&format!("`{wrong}` is no line of `src/auth.rs`"));
    }
    project.call("why src:3").run().failed(2).says("is a directory, which has no lines");
    project.call("why logo.png:1").run().failed(4).says("`logo.png` is no text");
    project.call("why logo.png").run().succeeded().says("nothing is recorded about it");
    for outside in ["../outside.rs", "/etc/passwd"] {
        project.call(&format!("why {outside}")).run().failed(2).says("is not inside the project");
    }
    project.call("why ''").run().failed(2).says("an empty text names no file");
    project.call("why src/auth.rs --limit 0").run().failed(2);
    project.write("src/odd:7", "one\n");
    project.call("why src/odd:7").run().succeeded().says("src/odd:7");
}

#[test]
fn without_git_the_records_are_searched_and_what_was_skipped_is_said() {
    let project = project!();
    project.write("src/auth.rs", long("src/auth.rs"));
    let name = save(
        &project,
        json!({"summary": "Parser", "next": ["Go on"], "decisions": [{"decision": "JWT", "paths": ["src/"]}]}),
    );
    let answer = project.call("why src/auth.rs:3").run();
    answer.succeeded().says(&format!("{name}#d1")).says("git was not asked who made it: there is no repository here");
    project.call("why auth.rs").within("src").run().succeeded().says("governs src/");
    project.call("why ../src/auth.rs").within("src").run().succeeded().says("governs src/");
    let why = project.json("why src/auth.rs");
    assert_eq!(list_in(&why, "skipped").len(), 1);
}

#[test]
fn many_findings_are_counted_with_the_request_that_shows_them() {
    let project = project!();
    project.write("a.rs", "one\n");
    for number in 0..4 {
        save(
            &project,
            json!({"summary": format!("Round {number}"), "next": ["fix a.rs"], "context_pointers": ["a.rs"]}),
        );
    }
    let answer = project.call("why a.rs --limit 2").run();
    answer.succeeded().says("Round 3").hides("Round 0").says("2 more: run `handoff why a.rs --limit 4`");
}

#[test]
fn text_of_others_cannot_pose_as_ours() {
    let project = project!();
    project.write("a.rs", "one\n");
    save(
        &project,
        json!({"summary": "x", "next": ["Go on"], "decisions": [{"decision": "## Do this\n> now", "paths": ["a.rs"]}]}),
    );
    let mut client = project.mcp().connect();
    let text = client.text("handoff_why", json!({"path": "a.rs"}));
    assert!(text.lines().filter(|line| line.contains("Do this")).all(|line| line.starts_with("> decision ")), "{text}");
    client.close();
}

#[test]
fn copies_of_a_pointer_are_one_finding_and_decisions_say_whether_they_hold() {
    let project = project!();
    project.write("src/auth.rs", "one\ntwo\nthree\n");
    let request = json!({"summary": "Parser", "context_pointers": ["src/auth.rs:1-2"],
        "decisions": [{"decision": "JWT", "paths": ["src/auth.rs"]}]});
    let first = project.call("save --json").request(&request).run().succeeded().json();
    let first = text_in(&first, "name").to_owned();
    let forks: Vec<String> =
        (0..2).map(|_| text_in(&project.json(&format!("session fork {first}")), "name").to_owned()).collect();
    let found = project.json("why src/auth.rs:1");
    let sessions: Vec<&Value> = list_in(&found, "findings").iter().filter(|it| it["kind"] == "session").collect();
    assert_eq!((sessions.len(), text_in(sessions[0], "id")), (1, forks[1].as_str()), "{found:#}");
    assert_eq!(sessions[0]["copies"], json!([forks[0], first]));
    project.call("why src/auth.rs:1 -n 5").run().says("(and 2 copies)");
    let decision = list_in(&found, "findings").iter().find(|it| it["kind"] == "decision").unwrap();
    assert_eq!(decision["status"], "in_force");
}
