//! Bad input in arguments and requests: refused with a reason, and nothing is changed, inside or outside.

use handoff_testkit::{TestProject, project, sample_project};
use serde_json::{Value, json};

/// Runs a command that must be refused as wrong usage or as naming nothing, and checks that nothing happened.
struct Guard {
    project: TestProject,
    inside: handoff_testkit::Tree,
    outside: handoff_testkit::Tree,
}

impl Guard {
    fn new() -> Guard {
        let project = sample_project!();
        let (inside, outside) = (project.records(), project.outside());
        Guard { project, inside, outside }
    }

    fn refuses(&self, operation: &str, request: &Value, reason: &str) {
        let answer = self.project.call(operation).request(request).run();
        assert!([2, 3].contains(&answer.code), "{operation} {request}\n{answer}");
        answer.failed(answer.code).says(reason);
        assert!(answer.stderr.len() < 5_000, "an error fits on a screen: {} bytes", answer.stderr.len());
        self.nothing_changed();
    }

    fn nothing_changed(&self) {
        self.project.records().assert_same(&self.inside, "it changed");
        self.project.assert_untouched(&self.outside);
    }
}

/// Every text a request can hold: operation, request without it, and where it goes.
const TEXTS: &[(&str, &str, &str)] = &[
    ("task create", r#"{"title": "§"}"#, "title"),
    ("task create", r#"{"title": "a", "labels": ["§"]}"#, "labels"),
    ("task create", r#"{"title": "a", "description": "§"}"#, "description"),
    ("task create", r#"{"title": "a", "assignee": "§"}"#, "assignee"),
    ("task create", r#"{"title": "a", "milestone": "§"}"#, "milestone"),
    ("task create", r#"{"title": "a", "criteria": ["§"]}"#, "criteria"),
    ("task create", r#"{"title": "a", "done_criteria": [{"item": "§"}]}"#, "done_criteria"),
    ("task create", r#"{"title": "a", "links": [{"target": "§"}]}"#, "links"),
    ("task create", r#"{"title": "a", "links": [{"target": "a", "label": "§"}]}"#, "links"),
    ("task update", r#"{"id": "k7f3q2ma", "title": "§"}"#, "title"),
    ("task update", r#"{"id": "k7f3q2ma", "description": "§"}"#, "description"),
    ("task update", r#"{"id": "k7f3q2ma", "assignee": "§"}"#, "assignee"),
    ("task update", r#"{"id": "k7f3q2ma", "milestone": "§"}"#, "milestone"),
    ("task update", r#"{"id": "k7f3q2ma", "labels": ["§"]}"#, "labels"),
    ("task update", r#"{"id": "k7f3q2ma", "add_labels": ["§"]}"#, "add_labels"),
    ("task update", r#"{"id": "k7f3q2ma", "add_criteria": ["§"]}"#, "add_criteria"),
    ("task update", r#"{"id": "k7f3q2ma", "done_criteria": [{"item": "§"}]}"#, "done_criteria"),
    ("task update", r#"{"id": "k7f3q2ma", "links": [{"target": "§"}]}"#, "links"),
    ("task note", r#"{"id": "k7f3q2ma", "text": "§"}"#, "text"),
    ("task link", r#"{"id": "k7f3q2ma", "target": "§"}"#, "target"),
    ("task link", r#"{"id": "k7f3q2ma", "target": "a", "label": "§"}"#, "label"),
    ("init", r#"{"name": "§"}"#, "name"),
    ("init", r#"{"description": "§"}"#, "description"),
];

fn filled(template: &str, text: &str) -> Value {
    let quoted = Value::from(text).to_string();
    serde_json::from_str(&template.replace("\"§\"", &quoted)).expect("the templates are JSON")
}

#[test]
fn characters_that_act_on_a_terminal_or_disguise_text_are_refused_in_every_field() {
    let guard = Guard::new();
    for (operation, template, field) in TEXTS {
        for bad in ["a\u{0}b", "a\u{1b}]8;;http://x\u{7}b", "a\u{9b}2Jb", "a\u{202e}b", "a\u{2066}b", "a\u{e0041}b"] {
            guard.refuses(operation, &filled(template, bad), field);
        }
    }
}

#[test]
fn texts_without_content_or_of_ten_megabytes_are_refused_in_every_field() {
    let guard = Guard::new();
    let huge = "x".repeat(10_000_000);
    for (operation, template, field) in TEXTS {
        guard.refuses(operation, &filled(template, " \t "), field);
    }
    for (operation, template, field) in [TEXTS[0], TEXTS[2], TEXTS[18], TEXTS[19]] {
        guard.refuses(operation, &filled(template, &huge), field);
    }
}

#[test]
fn references_that_are_paths_or_nonsense_are_refused_in_every_field() {
    let guard = Guard::new();
    for bad in
        ["../../outside", "/etc/passwd", "..", ".", "", "k7f3q2ma/../x", "a\u{0}b", "\u{1b}[2J", "C:\\x", "~", "$HOME"]
    {
        for (operation, request) in [
            ("task show", json!({"id": bad})),
            ("task update", json!({"id": bad, "status": "done"})),
            ("task update", json!({"id": "k7f3q2ma", "dependencies": [bad]})),
            ("task update", json!({"id": "k7f3q2ma", "add_dependencies": [bad]})),
            ("task update", json!({"id": "k7f3q2ma", "remove_dependencies": [bad]})),
            ("task update", json!({"id": "k7f3q2ma", "if_rev": bad})),
            ("task create", json!({"title": "x", "parent": bad})),
            ("task create", json!({"title": "x", "dependencies": [bad]})),
            ("task move", json!({"id": "k7f3q2ma", "to": bad})),
            ("task move", json!({"id": bad, "to": "root"})),
            ("task reorder", json!({"id": "k7f3q2ma", "before": bad})),
            ("task delete", json!({"id": bad})),
            ("task restore", json!({"id": bad})),
            ("task restore", json!({"id": "r5e8t1ed", "to": bad})),
            ("task list", json!({"cursor": bad})),
            ("task list", json!({"under": bad})),
            ("task note", json!({"id": bad, "text": "x"})),
            ("task check", json!({"id": bad, "criterion": "1"})),
            ("task link", json!({"id": bad, "target": "x"})),
            ("task link", json!({"id": "k7f3q2ma", "target": bad, "type": "task"})),
            ("project forget", json!({"project": bad})),
        ] {
            if operation == "project forget" && ["", ".", ".."].contains(&bad) {
                continue;
            }
            guard.refuses(operation, &request, "");
        }
    }
}

#[test]
fn a_title_that_looks_like_a_path_is_only_a_title() {
    let project = project!();
    let before = project.outside();
    for title in [
        "../../../outside/x",
        "/etc/passwd",
        "..",
        ".",
        "CON",
        "a/b\\c:d*e?f",
        "~root",
        "$(touch x)",
        "`id`",
        "a;b|c&d",
        "'\"",
        "…",
    ] {
        let task = project.call("task create --json --").word(title).run().succeeded().json();
        assert_eq!(task["title"], title);
        let file = task["file"].as_str().expect("a task has a file");
        assert!(project.exists(file) && !file.contains(".."), "{file}");
    }
    assert_eq!(project.json("task list")["matches"], 12);
    project.call("share").run().succeeded();
    project.call("unshare").run().succeeded();
    assert_eq!(project.json("task list")["matches"], 12);
    project.assert_untouched(&before);
}

#[test]
fn numbers_and_dates_that_cannot_be_are_refused() {
    let guard = Guard::new();
    for hours in [
        json!(-1),
        json!(-0.001),
        json!(100_001),
        json!(1e300),
        json!("5"),
        json!(true),
        json!([1]),
        json!("NaN"),
        json!("inf"),
    ] {
        for field in ["estimate_hours", "remaining_hours"] {
            guard.refuses("task update", &json!({"id": "k7f3q2ma", field: hours}), field);
        }
        guard.refuses("task create", &json!({"title": "x", "estimate_hours": hours}), "estimate_hours");
    }
    for day in [
        "2026-02-30",
        "2026-13-01",
        "0000-00-00",
        "2026-1-1",
        "tomorrow",
        "",
        "2026-11-15T09:00:00Z",
        "99999-01-01",
        "-0001-01-01",
    ] {
        guard.refuses("task update", &json!({"id": "k7f3q2ma", "due_date": day}), "due_date");
        guard.refuses("task create", &json!({"title": "x", "start_date": day}), "start_date");
    }
    for order in [json!(1.5), json!("1"), json!(1e30)] {
        guard.refuses("task update", &json!({"id": "k7f3q2ma", "order": order}), "order");
    }
    for line in [
        "--estimate -1",
        "--estimate nan",
        "--estimate inf",
        "--estimate ''",
        "--due 2026-02-30",
        "--order x",
        "--pinned maybe",
    ] {
        guard.project.call(&format!("task update k7f3q2ma {line}")).run().failed(2);
    }
    guard.nothing_changed();
}

#[test]
fn a_wrong_type_is_named_with_its_field_and_shown_how_it_is_right() {
    let guard = Guard::new();
    for (operation, request, field) in [
        ("task create", json!({"title": 5}), "title"),
        ("task create", json!({"title": ["a"]}), "title"),
        ("task create", json!({"title": null}), "title"),
        ("task create", json!({}), "title"),
        ("task create", json!({"title": "a", "labels": "x"}), "labels"),
        ("task create", json!({"title": "a", "labels": [1]}), "labels[0]"),
        (
            "task create",
            json!({"title": "a", "done_criteria": [{"item": "x", "checked": "yes"}]}),
            "done_criteria[0].checked",
        ),
        ("task create", json!({"title": "a", "done_criteria": [{"text": "x"}]}), "done_criteria[0]"),
        ("task update", json!({"id": 1}), "id"),
        ("task update", json!({"id": "k7f3q2ma", "status": "finished"}), "status"),
        ("task update", json!({"id": "k7f3q2ma", "priority": 1}), "priority"),
        ("task update", json!({"id": "k7f3q2ma", "pinned": "true"}), "pinned"),
        ("task check", json!({"id": "k7f3q2ma", "criterion": true}), "criterion"),
        ("task list", json!({"limit": -1}), "limit"),
        ("task list", json!({"status": "todo"}), "status"),
    ] {
        guard.refuses(operation, &request, field);
        guard.refuses(operation, &request, "a request that works looks like {");
    }
}

#[test]
fn no_error_speaks_of_the_program_instead_of_the_request() {
    let guard = Guard::new();
    for (operation, request) in [
        ("task check", json!({"id": "k7f3q2ma", "criterion": true})),
        ("task create", json!({"title": "a", "links": [5]})),
        ("task create", json!({"title": "a", "order": "x"})),
        ("task update", json!({"id": "k7f3q2ma", "estimate_hours": "x"})),
    ] {
        let answer = guard.project.call(operation).request(&request).run();
        for word in ["untagged", "enum", "struct"] {
            answer.failed(2).hides(word);
        }
    }
}

#[test]
fn what_is_not_json_or_not_an_object_is_refused() {
    let guard = Guard::new();
    let deep = "[".repeat(100_000);
    for stdin in [
        "",
        "{",
        "null",
        "[]",
        "5",
        "\"x\"",
        "{\"title\": \"a\"} {}",
        "{title: 'a'}",
        &deep,
        "{\"title\": \"\\ud800\"}",
    ] {
        guard.project.call("task create --request -").stdin(stdin).run().failed(2);
    }
    for stdin in [&b"{\"title\": \"\xff\"}"[..], b"\xff\xfe{\x00", b"\x00"] {
        guard.project.call("task create --request -").stdin(stdin).run().failed(2);
    }
    guard.project.call("task create --request nowhere.json").run().failed(3);
    guard.project.call("task create --request .").run().failed(1);
    guard.nothing_changed();
}

#[test]
fn the_name_of_who_acts_is_text_like_any_other() {
    let guard = Guard::new();
    let long = "x".repeat(100_000);
    for name in ["a\u{1b}[31mb", "a\nb", "a\u{202e}b", "a\u{e0041}b", &long] {
        guard.project.call("task note k7f3q2ma hello --as").word(name).run().failed(2);
        let by_variable = guard.project.call("task note k7f3q2ma hello").env("HANDOFF_ACTOR", name).run();
        assert!(by_variable.code != 0, "{name:?}");
    }
    guard.nothing_changed();
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_utf8_are_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let guard = Guard::new();
    let bad = OsStr::from_bytes(b"caf\xe9");
    for line in [
        "task create",
        "task show",
        "task note k7f3q2ma",
        "init",
        "task update k7f3q2ma --title",
        "task list --as",
        "task",
    ] {
        guard.project.call(line).word(bad).run().failed(2);
    }
    guard.project.call("task list --project-dir").word(bad).run().failed(3);
    guard.project.call("task create --request").word(bad).run().failed(3);
    for variable in
        ["HANDOFF_PROJECT_DIR", "HANDOFF_ACTOR", "HANDOFF_HOME", "USER", "COLUMNS", "HANDOFF_CLOCK", "NO_COLOR"]
    {
        guard.project.call("task list").env(variable, bad).run();
    }
    guard.nothing_changed();
}

#[test]
fn a_text_in_any_script_is_kept_as_it_is() {
    let project = project!();
    for title in [
        "שלום עולם",
        "مرحبا",
        "👩‍👩‍👧 family",
        "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} flag",
        "日本語",
        "naïve",
        "Ⅻ ﬁ",
    ] {
        let task = project.call("task create --json").word(title).run_unchecked().json();
        assert_eq!(task["title"], title);
        assert!(project.file(task["file"].as_str().unwrap()).contains(title));
    }
}
