//! Old sessions: archived whole, still readable, searchable and in force, and brought back byte for byte.

use handoff_testkit::{TestProject, list_in, project, shared_project, text_in};
use serde_json::{Value, json};

/// The request of the session with this number: something to find in every field.
fn request(number: usize) -> Value {
    json!({
        "summary": format!("summary-{number}-word\nsecond line \"\"\" with ''' quotes"),
        "title": format!("title-{number}-word"),
        "next": [format!("next-{number}-word")],
        "blockers": [format!("blocker-{number}-word")],
        "decisions": [{"decision": format!("decision-{number}-word"), "reason": format!("reason-{number}-word")}],
        "checklist": [format!("item-{number}-word")],
        "handoff_notes": [format!("note-{number}-word")],
        "references": [{"label": format!("label-{number}-word"), "uri": format!("https://example.com/{number}-word")}],
        "context_pointers": [{"path": format!("src/path-{number}-word.rs"), "reason": "here"}],
        "environment": {"key": format!("environment-{number}-word")},
        "timeline": format!("timeline-{number}-word"),
        "label": format!("mark-{number}-word"),
        "name": format!("name-{number}-word"),
        "tags": if number.is_multiple_of(2) { json!(["api", "auth"]) } else { json!(["docs"]) },
        "body": format!("# Body {number}\r\n````toml\nbody-{number}-word\n````\nno newline at the end"),
    })
}

/// Saves that many records with `history_limit = 5`. Their full names, oldest first, with the bytes of both files.
fn filled(count: usize) -> (TestProject, Vec<(String, String, String)>) {
    let project = project!();
    project.handoff("config set settings.history_limit 5");
    let saved = (1..=count).map(|number| {
        let saved = project.call("save --json").request(&request(number)).run().json();
        let name = text_in(&saved, "name").to_owned();
        let toml = project.file(&format!(".handoff/sessions/{name}.toml"));
        let body = project.file(&format!(".handoff/sessions/{name}.md"));
        (name, toml, body)
    });
    let saved = saved.collect();
    (project, saved)
}

fn names(list: &Value) -> Vec<&str> {
    list_in(list, "sessions").iter().map(|session| text_in(session, "name")).collect()
}

#[test]
fn thirty_closes_leave_five_files_and_two_archives() {
    let (project, saved) = filled(30);
    let kept: Vec<String> =
        saved[25..].iter().flat_map(|(name, ..)| [format!("{name}.md"), format!("{name}.toml")]).collect();
    let mut kept: Vec<&str> = kept.iter().map(String::as_str).collect();
    kept.sort_unstable();
    assert_eq!(project.tree(".handoff/sessions").files(), kept);
    insta::assert_snapshot!(project.tree(".handoff/archive").to_string(), @r"
    2026-11-api-archive.md
    2026-11-docs-archive.md
    ");
    let list = project.json("session list --archived");
    assert_eq!(list["matches"], 30);
    assert_eq!(names(&list), saved.iter().rev().map(|(name, ..)| name.as_str()).collect::<Vec<_>>());
    assert_eq!(project.json("session list")["matches"], 5);
}

#[test]
fn every_field_of_an_archived_session_can_be_read_and_found() {
    let (project, saved) = filled(9);
    let (name, ..) = &saved[1];
    let shown = project.json(&format!("session show {name}"));
    assert_eq!(shown["archived"], true);
    let given = request(2);
    for field in ["summary", "title", "next", "blockers", "environment", "timeline", "label", "tags", "body"] {
        assert_eq!(shown[field], given[field], "{field}");
    }
    for word in [
        "summary",
        "title",
        "next",
        "blocker",
        "decision",
        "reason",
        "item",
        "note",
        "label",
        "environment",
        "timeline",
        "mark",
        "name",
        "body",
    ] {
        let list = project.json(&format!("session list --archived --text {word}-2-word"));
        assert_eq!(names(&list), [name], "searching for {word}");
        assert_eq!(project.json(&format!("session list --text {word}-2-word"))["matches"], 0, "it is archived");
    }
    for word in ["https://example.com/2-word", "src/path-2-word.rs"] {
        assert_eq!(names(&project.json(&format!("session list --archived --text {word}"))), [name]);
    }
    assert_eq!(project.json("session list --archived --tag auth")["matches"], 4);
    project.call(&format!("session show {name}")).run().succeeded().says("archived").says("decision-2-word");
    let archive = project.file(".handoff/archive/2026-11-api-archive.md");
    for (word, (_, toml, body)) in ["summary-2-word", "summary-4-word"].into_iter().zip([&saved[1], &saved[3]]) {
        assert!(archive.contains(word) && archive.contains(toml.as_str()) && archive.contains(body.as_str()));
    }
}

#[test]
fn an_archived_session_comes_back_byte_for_byte() {
    let (project, saved) = filled(9);
    let archives = project.tree(".handoff/archive");
    for (name, toml, body) in &saved[..4] {
        project.call(&format!("session restore {name}")).run().succeeded().says("brought back");
        assert_eq!(project.file(&format!(".handoff/sessions/{name}.toml")), *toml);
        assert_eq!(project.file(&format!(".handoff/sessions/{name}.md")), *body);
        assert_eq!(project.json(&format!("session show {name}"))["archived"], false);
    }
    assert_eq!(project.json("session list --archived")["matches"], 9, "none is there twice");
    project.handoff("save --summary 'One more'");
    let all: Vec<&str> = saved[..4].iter().map(|(name, ..)| name.as_str()).collect();
    for name in &all {
        assert!(!project.exists(&format!(".handoff/sessions/{name}.toml")), "the limit holds again");
    }
    for path in archives.files() {
        let text = project.file(&format!(".handoff/archive/{path}"));
        for (name, toml, _) in &saved[..4] {
            assert!(text.matches(&format!("## {name}")).count() <= 1 && text.matches(toml.as_str()).count() <= 1);
        }
    }
    project.call("session restore latest").run().succeeded().says("not archived");
}

#[test]
fn decisions_stay_in_force_from_the_archive() {
    let (project, _) = filled(9);
    let context = project.call("resume --budget 8000 --json").run().json();
    let decisions: Vec<&str> = context["decisions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|decision| decision["decision"].as_str().unwrap())
        .collect();
    for number in 1..=9 {
        assert!(decisions.contains(&format!("decision-{number}-word").as_str()), "{number}: {decisions:?}");
    }
}

#[test]
fn months_have_archives_of_their_own() {
    let project = project!();
    project.handoff("config set settings.history_limit 1");
    for (month, id) in [("08", "aaaaaaaa"), ("09", "bbbbbbbb"), ("10", "cccccccc")] {
        project.put_session(
            &format!("2026-{month}-03-{id}"),
            &format!("status = \"closed\"\nsummary = \"Month {month}\"\nended_at = 2026-{month}-03T10:00:00Z\n"),
        );
    }
    project.handoff("save --summary 'This month'");
    insta::assert_snapshot!(project.tree(".handoff/archive").to_string(), @r"
    2026-08-general-archive.md
    2026-09-general-archive.md
    2026-10-general-archive.md
    ");
    assert_eq!(project.json("session list --archived --since 2026-09-01 --until 2026-09-30")["matches"], 1);
}

#[test]
fn active_and_paused_sessions_are_never_archived() {
    let project = project!()
        .session("2026-01-03-aaaaaaaa", "status = \"active\"\nsummary = \"Long\"\nstarted_at = 2026-01-03T10:00:00Z\n")
        .session(
            "2026-01-04-bbbbbbbb",
            "status = \"paused\"\nsummary = \"Aside\"\nstarted_at = 2026-01-04T10:00:00Z\n",
        );
    project.handoff("config set settings.history_limit 1");
    for number in 1..=3 {
        project.call("save").request(&json!({"summary": format!("Round {number}")})).run().succeeded();
    }
    assert!(project.exists(".handoff/sessions/2026-01-03-aaaaaaaa.toml"));
    assert!(project.exists(".handoff/sessions/2026-01-04-bbbbbbbb.toml"));
    assert_eq!(project.json("session list --status closed")["matches"], 1);
}

#[test]
fn a_huge_session_loses_nothing_when_its_turn_comes() {
    let project = project!();
    project.handoff("config set settings.history_limit 1");
    // Too large for an archive to stay readable.
    let (summary, body) = ("word ".repeat(250_000), "a line of text, and one more\n".repeat(70_000));
    let huge = project.call("save --json").request(&json!({"summary": summary, "body": body})).run().json();
    let name = huge["name"].as_str().unwrap().to_owned();
    for number in 1..=2 {
        project.handoff(&format!("save --summary 'Round {number}'"));
    }
    let shown = project.json(&format!("session show {name}"));
    assert_eq!(shown["summary"].as_str().map(str::trim), Some(summary.trim()));
    assert_eq!(shown["body"].as_str(), Some(body.as_str()));
    project.call("resume").run().succeeded().says("Round 2");
}

#[test]
fn text_a_person_wrote_into_an_archive_stays() {
    let (project, _) = filled(7);
    let path = ".handoff/archive/2026-11-docs-archive.md";
    project.write(path, project.file(path) + "\nWritten by hand.\n");
    for number in 8..=12 {
        project.call("save").request(&request(number)).run().succeeded();
    }
    assert!(project.file(path).contains("\nWritten by hand.\n"));
    assert_eq!(project.json("session list --archived")["matches"], 12);
}

#[test]
fn the_current_state_is_rebuilt_on_each_save_and_can_be_deleted() {
    let project = project!();
    project.handoff("save --summary 'First stop' --next 'Go on'");
    let state = project.file(".handoff/current-state.md");
    assert!(state.contains("First stop") && state.contains("Go on"), "{state}");
    project.write(".handoff/current-state.md", "scribbled over");
    project.handoff("save --summary 'Second stop'");
    let state = project.file(".handoff/current-state.md");
    assert!(state.contains("Second stop") && !state.contains("scribbled"), "{state}");
    project.remove(".handoff/current-state.md");
    project.handoff("session start Work");
    assert!(project.file(".handoff/current-state.md").contains("Second stop"));
    let before = project.file(".handoff/current-state.md");
    project.handoff("session update --next 'A new step'");
    assert_ne!(project.file(".handoff/current-state.md"), before);
}

#[test]
fn the_current_state_leads_with_a_paused_session() {
    let project = project!();
    project.call("save 'Older handoff' --next 'Write the docs'").run().succeeded();
    project.call("session start 'Newer work'").run().succeeded();
    project.call("session pause").run().succeeded();
    let state = project.file(".handoff/current-state.md");
    let (paused, older) = (state.find("Newer work"), state.find("Older handoff"));
    assert!(paused.is_some() && paused < older && !state.contains("Other sessions"), "{state}");
}

#[test]
fn git_sees_sessions_of_a_shared_project_and_not_its_current_state() {
    let project = shared_project!();
    project.init_git();
    let saved = project.json("save --summary 'First stop'");
    let seen = project.git("status --short -uall");
    assert!(seen.contains(&format!("sessions/{}.toml", saved["name"].as_str().unwrap())), "{seen}");
    assert!(project.exists(".handoff/current-state.md") && !seen.contains("current-state"), "{seen}");
    assert!(!seen.contains("local/"), "{seen}");
}

#[test]
fn archived_handoffs_count_for_the_age_of_an_item_and_their_notes_are_counted() {
    let project = project!();
    project.handoff("config set settings.history_limit=2");
    project.handoff("save -m first --next 'Write beta docs'");
    for number in 1..=8 {
        project.call(&format!("save -m 'piece {number}' --note 'remark {number} zebra'")).run().succeeded();
    }
    project.call("open").run().succeeded().says("carried over 8 sessions");
    let context = project.json("resume --budget 300");
    let shown = context["notes"].as_array().map_or(0, Vec::len) as u64;
    assert_eq!(shown + context["left_out"]["notes"].as_u64().unwrap_or(0), 8, "{context:#}");
}

#[test]
fn what_no_budget_shows_is_left_to_the_search() {
    let project = project!();
    for number in 1..=14 {
        project.call(&format!("save -m 'piece {number}' --note 'remark {number} zebra'")).run().succeeded();
    }
    let resumed = project.call("resume --budget 100000").run();
    resumed.succeeded().says(" notes; for more run `handoff search`").hides("--budget");
}
