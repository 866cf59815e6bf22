//! Every operation's example, asked for in every way the command line knows: the same answer, the same files.

use clap::{ArgAction, Command};
use handoff_ops::{Door, Entry, ErrorKind, ExitCodes, registry};
use handoff_testkit::{Answer, Call, TestProject, Tree, sample_project};
use serde_json::Value;

/// The operations a command can ask for.
fn offered() -> impl Iterator<Item = &'static Entry> {
    registry::ALL.iter().filter(|entry| entry.offered_at(Door::Cli))
}

fn command_words(entry: &Entry) -> String {
    entry.name.replace('.', " ")
}

/// A request as the words of a command line; `None` where a field has no flag.
fn typed(entry: &Entry, request: &Value) -> Option<Vec<String>> {
    let command = entry.command();
    let mut words = Vec::new();
    for (field, value) in request.as_object().expect("an example is an object") {
        words.extend(typed_field(&command, field, value)?);
    }
    Some(words)
}

fn typed_field(command: &Command, field: &str, value: &Value) -> Option<Vec<String>> {
    let mut arguments = command.get_arguments();
    let argument = arguments.find(|argument| argument.get_id() == field || argument.get_long() == Some(field))?;
    let text = |value: &Value| match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let values: Vec<String> = match value {
        Value::Array(items) => items.iter().map(text).collect(),
        other => vec![text(other)],
    };
    Some(match (argument.get_long(), argument.get_action()) {
        (None, _) => values,
        (Some(long), ArgAction::SetTrue) => vec![format!("--{long}"); usize::from(*value == Value::Bool(true))],
        (Some(long), _) => values.into_iter().map(|value| format!("--{long}={value}")).collect(),
    })
}

/// `init` needs a place that is no project yet; everything else runs where the sample is.
fn place(entry: &Entry) -> &'static str {
    if entry.name == "init" { "../new-app" } else { "." }
}

/// Runs one way of asking in a sample of its own. The answer, and every file afterwards.
fn outcome(entry: &Entry, ask: impl FnOnce(&TestProject) -> Answer) -> (Answer, Tree) {
    let project = sample_project!();
    let answer = ask(&project);
    assert_eq!(answer.code, 0, "{}: {answer}", entry.name);
    // Where a store was written from, and by which process, may differ.
    let machine = ["my-app/.handoff/local", "new-app/.handoff/local", "old-app/.handoff/local"];
    (answer, project.tree("..").without(&machine))
}

#[test]
fn every_example_succeeds_in_the_sample_project_and_all_ways_of_asking_agree() {
    // A new key is another one each time.
    for entry in offered().filter(|entry| entry.name != "keys.new") {
        let (words, example) = (command_words(entry), entry.example());
        let by_stdin =
            outcome(entry, |project| project.call(&words).within(place(entry)).word("--json").request(&example).run());
        let by_file = outcome(entry, |project| {
            project.write("../request.json", example.to_string());
            let call =
                project.call(&words).within(place(entry)).word("--json").word("--request").word("../request.json");
            let answer = call.run();
            project.remove("../request.json");
            answer
        });
        assert_eq!(by_stdin, by_file, "{}", entry.name);
        by_stdin.0.json();
        if let Some(arguments) = typed(entry, &example) {
            let by_flags = outcome(entry, |project| {
                let call = project.call(&words).within(place(entry)).word("--json");
                arguments.iter().fold(call, Call::word).run()
            });
            assert_eq!(by_stdin, by_flags, "{}: {arguments:?}", entry.name);
        }
    }
}

#[test]
fn every_example_can_be_typed_unless_it_is_nested() {
    let untyped: Vec<&str> =
        offered().filter(|entry| typed(entry, &entry.example()).is_none()).map(|entry| entry.name).collect();
    assert_eq!(untyped, ["store", "config.set", "secrets.scan", "task.bulk"]);
}

#[test]
fn every_example_reads_well_for_people_too() {
    for entry in offered() {
        let (answer, _) = outcome(entry, |project| {
            project.call(&command_words(entry)).within(place(entry)).request(&entry.example()).run()
        });
        assert!(!answer.stdout.trim().is_empty(), "{} says nothing", entry.name);
        assert!(answer.stdout.ends_with('\n') && !answer.stdout.ends_with("\n\n"), "{}: {answer}", entry.name);
    }
}

#[test]
fn an_unknown_field_is_refused_by_every_operation_and_nothing_is_done() {
    for entry in offered() {
        let project = sample_project!();
        let before = project.tree("..");
        let mut request = entry.example();
        request["no_such_field"] = Value::Bool(true);
        let answer = project.call(&command_words(entry)).within(place(entry)).request(&request).run();
        answer.failed(entry.codes.of(ErrorKind::Usage).into()).says("unknown field `no_such_field`");
        project.tree("..").assert_same(&before, entry.name);
    }
}

#[test]
fn a_request_beside_arguments_is_refused() {
    let project = sample_project!();
    let answer = project.call("task update k7f3q2ma --status done --request -").stdin("{}").run();
    answer.failed(2).says("`--request` says it all");
    let answer = project.call("task list --ready --request -").stdin("{}").run();
    answer.failed(2).says("`--request` says it all, so `--ready` cannot be given beside it");
    let answer = project.call("task show --request - 1").stdin(r#"{"id": "1"}"#).run();
    answer.failed(2);
}

#[test]
fn an_operation_that_only_reads_changes_no_file_at_all() {
    for entry in offered().filter(|entry| entry.effect.as_str() == "read") {
        let project = sample_project!();
        let before = project.tree("../..");
        project.call(&command_words(entry)).request(&entry.example()).run().succeeded();
        project.tree("../..").assert_same(&before, entry.name);
    }
}

#[test]
fn while_paused_everything_that_writes_is_refused_and_everything_else_works() {
    for entry in offered().filter(|entry| entry.effect.as_str() != "brake") {
        let project = sample_project!();
        project.write(".handoff/PAUSE", "release in progress\nask bob\n");
        let before = project.records();
        let mut request = entry.example();
        let ask = |request: &Value| project.call(&command_words(entry)).within(place(entry)).request(request).run();
        // What only tells what would be done is answered; the deed is not done.
        if request["dry_run"] == true {
            ask(&request).succeeded();
            request["dry_run"] = Value::Bool(false);
        }
        let answer = ask(&request);
        if ["write", "amend", "steps"].contains(&entry.effect.as_str()) {
            answer.failed(5).says("writing is paused: release in progress").says("remove `.handoff/PAUSE`");
        } else if entry.codes == ExitCodes::OfCheck {
            assert_eq!(answer.code, 5, "{answer}");
        } else {
            answer.succeeded();
        }
        project.records().assert_same(&before, entry.name);
    }
}
