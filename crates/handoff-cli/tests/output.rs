//! What every answer keeps to: JSON, exit codes, colour, streams.

use std::process::Stdio;

use handoff_ops::{Door, registry};
use handoff_testkit::{empty_directory, project, sample_project};
use serde_json::Value;

#[test]
fn every_error_in_json_has_a_kind_that_matches_its_exit_code() {
    let project = sample_project!();
    let cases = [
        ("task list --bogus", 2, "usage"),
        ("bogus", 2, "usage"),
        ("task", 2, "usage"),
        ("task bogus", 2, "usage"),
        ("task create", 2, "usage"),
        ("task show zzzz", 3, "not_found"),
        ("task list --project-dir ../nowhere", 3, "not_found"),
        ("task update k7f3q2ma --status done", 4, "refused"),
        ("init", 4, "refused"),
    ];
    for (line, code, kind) in cases {
        let answer = project.call(line).word("--json").run();
        let error = answer.failed(code).json_error();
        assert_eq!(error["error"]["kind"], kind, "{line}: {error:#}");
        assert!(error["error"]["message"].as_str().is_some_and(|message| !message.is_empty()), "{line}: {error:#}");
    }
    project.write(".handoff/PAUSE", "");
    assert_eq!(project.call("task create X --json").run().failed(5).json_error()["error"]["kind"], "paused");
    project.remove(".handoff/PAUSE");
    project.write(&project.task_file("q4w8e2rt"), "title = broken");
    assert_eq!(project.call("task show 2 --json").run().failed(6).json_error()["error"]["kind"], "damaged");
}

#[test]
fn warnings_stand_inside_the_json_and_not_on_standard_error() {
    let project = sample_project!();
    project.write(".handoff/tasks/05-todo--bad/task.toml", "title = broken");
    let list = project.json("task list");
    assert_eq!(list["problems"][0]["path"], "tasks/05-todo--bad/task.toml");
    assert_eq!(list["problems"][0]["line"], 1);
    assert_eq!(list["warnings"].as_array().map(Vec::len), Some(1));
    let people = project.call("task list").run();
    assert!(people.stderr.starts_with("warning: ") && !people.stdout.contains("warning"), "{people}");
}

#[test]
fn errors_for_people_are_in_lower_case_with_a_way_out() {
    let project = sample_project!();
    for line in
        ["task show zzzz", "task update k7f3q2ma --status done", "tsak list", "task shwo 1", "init", "task create"]
    {
        let answer = project.call(line).run();
        assert!(answer.stderr.starts_with("error: ") && answer.stderr.contains("\nhint: "), "{line}\n{answer}");
        let message = answer.stderr.lines().next().unwrap_or_default();
        assert!(!message.ends_with('.'), "{message}");
    }
}

#[test]
fn a_slip_of_the_fingers_is_answered_with_what_was_meant() {
    let project = project!();
    project.call("tsak list").run().failed(2).says("'task'");
    project.call("task lsit").run().failed(2).says("'list'");
    project.call("create X").run().failed(2).says("handoff task create");
    project.call("task create X --priorty high").run().failed(2).says("--priority");
    let answer = project.call("task create").request(&serde_json::json!({"title": "X", "priorty": "high"})).run();
    answer.failed(2).says("did you mean `priority`?");
    project.call("task update 1 --status dnoe").run().failed(2).says("todo, in_progress, review, done");
}

#[test]
fn colour_is_used_only_where_it_is_wanted() {
    let project = sample_project!();
    let colored = |answer: &handoff_testkit::Answer| answer.stdout.contains('\u{1b}');
    let without = |call: handoff_testkit::Call<'_>| call.without("NO_COLOR").run();
    assert!(!colored(&without(project.call("task list"))), "a pipe gets none");
    assert!(colored(&without(project.call("task list --color always"))));
    assert!(colored(&project.call("task list --color=always").run()), "the flag beats NO_COLOR");
    assert!(colored(&without(project.call("task list").env("CLICOLOR_FORCE", "1"))));
    assert!(!colored(&project.call("task list").env("CLICOLOR_FORCE", "1").run()), "NO_COLOR beats the force");
    assert!(!colored(&without(project.call("task list --color never").env("CLICOLOR_FORCE", "1"))));
    project.call("task list --color sometimes").run().failed(2);
    let json = project.call("task list --json --color always").run();
    json.json();
    assert!(!colored(&json), "JSON is never painted");
}

#[test]
fn colour_and_columns_change_nothing_but_the_looks() {
    let project = sample_project!();
    let plain = project.handoff("task list");
    let painted = project.call("task list --color always").run().stdout;
    let mut stripped = String::new();
    let mut escape = false;
    for c in painted.chars() {
        match c {
            '\u{1b}' => escape = true,
            'm' if escape => escape = false,
            c if !escape => stripped.push(c),
            _ => {}
        }
    }
    assert_eq!(stripped, plain);
    assert_eq!(project.call("task list").env("COLUMNS", "20").run().stdout, plain, "data for programs is never cut");
}

#[test]
fn every_command_has_help_on_standard_output() {
    let project = empty_directory!();
    let commands =
        registry::ALL.iter().filter(|entry| entry.offered_at(Door::Cli)).map(|entry| entry.name.replace('.', " "));
    for command in commands.chain([String::new(), "task".into(), "project".into(), "completion".into()]) {
        for line in [format!("{command} --help"), format!("{command} -h"), format!("help {command}")] {
            let answer = project.call(&line).run();
            answer.succeeded().says("Usage: handoff").says("--json");
            assert!(answer.stderr.is_empty(), "{line}");
        }
    }
    project.call("--version").run().succeeded().says("handoff 0.");
    assert!(!project.exists("../../home/data"), "help leaves no traces");
}

#[test]
fn completion_is_written_for_five_shells() {
    let project = empty_directory!();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let answer = project.call(&format!("completion {shell}")).run_unchecked();
        answer.succeeded().says("handoff").says("reorder").says("project-dir");
    }
    project.call("completion tcsh").run().failed(2).says("bash");
    project.call("completion").run().failed(2);
}

#[test]
fn the_same_question_gives_the_same_bytes() {
    let project = sample_project!();
    for line in ["task list", "task list --json", "task show k7f3q2ma", "task trash", "project list"] {
        assert_eq!(project.handoff(line), project.handoff(line), "{line}");
    }
}

#[test]
fn flags_that_every_command_takes_may_stand_anywhere() {
    let project = sample_project!();
    let expected = project.json("task list");
    for line in ["--json task list", "task --json list", "task list --json", "--color never task list --json --as bob"]
    {
        assert_eq!(project.call(line).run().succeeded().json(), expected, "{line}");
    }
    project.call("task create -- --json").run().succeeded().says("--json");
    project.call("task note m2x9a4te -- --request").run().succeeded();
    let notes = project.json("task show m2x9a4te")["notes"].clone();
    assert_eq!(notes[0]["text"], "--request", "a text may look like a flag");
}

#[cfg(unix)]
mod on_unix {
    use std::fs::OpenOptions;
    use std::io::Read as _;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_reader_that_has_seen_enough_is_no_error() {
        let project = sample_project!();
        let program = env!("CARGO_BIN_EXE_handoff");
        let mut child = Command::new(program)
            .args(["completion", "bash"])
            .current_dir(project.path("."))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
    }

    #[test]
    fn on_a_terminal_tables_fit_its_width_and_have_colour() {
        let project = sample_project!();
        project.call("task create").word("A long title that needs room ".repeat(6)).run().succeeded();
        let shown = |columns: &str, environment: &str| {
            let program = env!("CARGO_BIN_EXE_handoff");
            let line = format!("stty rows 24 cols {columns} && {environment} {program} task list");
            let output =
                Command::new("script").args(["-qec", &line, "/dev/null"]).current_dir(project.path(".")).output();
            let output = output.ok().filter(|output| output.status.success())?;
            Some(String::from_utf8_lossy(&output.stdout).replace('\r', ""))
        };
        let Some(narrow) = shown("60", "NO_COLOR=1") else {
            eprintln!("skipped: no terminal to be had");
            return;
        };
        assert!(narrow.contains("A long title") && narrow.contains('…'), "{narrow}");
        let widest = narrow.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(60), "{widest:?}\n{narrow}");
        let colored = shown("60", "env -u NO_COLOR TERM=xterm").unwrap_or_default();
        assert!(colored.contains("\u{1b}["), "{colored}");
    }

    #[test]
    fn an_answer_that_cannot_be_written_is_told_and_the_change_stays() {
        let project = project!();
        let full = || OpenOptions::new().write(true).open("/dev/full").unwrap();
        let answer = project.call("task create A").stdout(full()).run();
        assert_eq!(answer.code, 1);
        answer.says("the command ran, but its answer could not be written");
        project.call("task list").run().says("01 A");
        assert_eq!(project.call("task list --json").stdout(full()).run().code, 1);
        assert_eq!(project.call("completion bash").stdout(full()).run().code, 1);
        assert_eq!(project.call("help").stdout(full()).run().code, 1);
    }

    #[test]
    fn closed_streams_are_survived() {
        let project = project!();
        let program = env!("CARGO_BIN_EXE_handoff");
        for redirection in [">&-", "2>&-", "<&-", ">&- 2>&- <&-"] {
            let script = format!("{program} task create A {redirection}");
            let status = Command::new("sh")
                .arg("-c")
                .arg(script)
                .current_dir(project.path("."))
                .env("HOME", project.home())
                .output()
                .map(|output| output.status);
            assert!(status.unwrap().code().is_some_and(|code| code <= 1), "{redirection}");
        }
        assert_eq!(project.json("task list")["matches"], Value::from(4));
        project.call("task list").run().hides("warning");
    }
}
