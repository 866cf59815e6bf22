use std::io;

use serde_json::{Value, json};

use super::*;
use crate::sample::CATALOGUE;

const TERMINAL: Screen = Screen { is_terminal: true, width: Some(40) };

fn invocation<S: Into<OsString>>(args: impl IntoIterator<Item = S>) -> Invocation {
    Invocation {
        args: std::iter::once("handoff".into()).chain(args.into_iter().map(Into::into)).collect(),
        env: Environment::new([("USER", "alice")]),
        cwd: Some(PathBuf::from("/")),
        stdin: Box::new(io::empty()),
        can_ask: false,
        executable: None,
        stdout: Screen::PIPE,
        stderr: Screen::PIPE,
    }
}

fn answer_to(invocation: Invocation) -> Answer {
    match run_in(CATALOGUE, invocation) {
        Course::Answer(answer) => answer,
        Course::Serve(_) => panic!("a server was started"),
    }
}

fn handoff(line: &str) -> Answer {
    answer_to(invocation(line.split_whitespace()))
}

fn with_stdin(line: &str, stdin: &'static str) -> Answer {
    answer_to(Invocation { stdin: Box::new(stdin.as_bytes()), ..invocation(line.split_whitespace()) })
}

/// Everything a person sees.
fn transcript(line: &str) -> String {
    let answer = handoff(line);
    let shown = format!("{}{}[exit {}]\n", answer.stdout, answer.stderr, answer.code);
    shown.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_outcome_is_a_page() {
    insta::assert_snapshot!(transcript("plant water fern --litres 7 --note=-x"), @"
    plant  by
    fern   alice
    note: -x
    warning: it splashed
    [exit 0]
    ");
}

#[test]
fn an_outcome_is_json_when_asked_for() {
    let answer = handoff("--json plant water fern --litres 7");
    assert_eq!(answer.stderr, "", "warnings are part of the object");
    assert_eq!(
        serde_json::from_str::<Value>(&answer.stdout).unwrap(),
        json!({"plant": "fern", "by": "alice", "note": null, "warnings": ["it splashed"]})
    );
    assert_eq!(answer.stdout.lines().count(), 1);
}

#[test]
fn json_on_a_terminal_is_indented() {
    let args = ["plant", "water", "fern", "--json"];
    let answer = answer_to(Invocation { stdout: TERMINAL, ..invocation(args) });
    assert!(answer.stdout.starts_with("{\n  \"plant\": \"fern\""), "{}", answer.stdout);
}

#[test]
fn an_error_says_what_to_do_next() {
    insta::assert_snapshot!(transcript("plant water fern --litres 10"), @"
    error: `fern` would drown: the pot is small
      9 litres are the most
    hint: run `handoff plant water fern --litres 9`
    [exit 4]
    ");
}

#[test]
fn an_error_in_json_leaves_stdout_empty() {
    let answer = handoff("plant water fern --litres 10 --json");
    assert_eq!((answer.stdout.as_str(), answer.code), ("", 4));
    let error: Value = serde_json::from_str(&answer.stderr).unwrap();
    assert_eq!(error["error"]["kind"], "refused");
    assert_eq!(error["error"]["causes"], json!(["the pot is small"]));
    assert_eq!(error["error"]["hints"][0]["operation"], "plant.water");
}

#[test]
fn arguments_echoed_in_an_error_are_made_safe() {
    for args in [
        vec!["plant", "water", "a\u{1b}[2J\u{202e}", "--litres", "10"],
        vec!["plant", "water", "fern", "--l\u{9b}2J\u{1b}[31m\u{202e}", "10"],
        vec!["pl\u{1b}[31mant\u{9b}\u{202e}"],
        vec!["plant", "water", "fern", "--litres", "\u{1b}]0;x\u{7}\u{9b}\u{202e}"],
    ] {
        let answer = answer_to(Invocation { stderr: TERMINAL, ..invocation(args) });
        let allowed = answer.stderr.replace("\x1b[31m", "").replace("\x1b[36m", "").replace("\x1b[0m", "");
        assert!(!allowed.chars().any(handoff_ops::is_hidden), "{allowed:?}");
        assert_ne!(answer.code, 0);
    }
}

#[test]
fn a_slip_in_a_command_is_recognised() {
    insta::assert_snapshot!(transcript("plnat water"), @"
    error: unrecognized subcommand 'plnat'
      Usage: handoff [OPTIONS] [COMMAND]
    hint: a similar subcommand exists: 'plant'
    hint: run `handoff --help`
    [exit 2]
    ");
    insta::assert_snapshot!(transcript("plant watr fern"), @"
    error: unrecognized subcommand 'watr'
      Usage: handoff plant [OPTIONS] <COMMAND>
    hint: a similar subcommand exists: 'water'
    hint: run `handoff plant --help`
    [exit 2]
    ");
}

#[test]
fn a_slip_in_a_flag_is_recognised() {
    insta::assert_snapshot!(transcript("plant water fern --litre 2"), @"
    error: unexpected argument '--litre' found
      Usage: handoff plant water --litres <LITRES> <PLANT>
    hint: a similar argument exists: '--litres'
    hint: run `handoff plant water --help`
    [exit 2]
    ");
}

#[test]
fn a_verb_without_its_noun_is_recognised() {
    insta::assert_snapshot!(transcript("water fern"), @"
    error: unrecognized subcommand 'water'
      Usage: handoff [OPTIONS] [COMMAND]
    hint: there is `handoff plant water`
    hint: run `handoff --help`
    [exit 2]
    ");
}

#[test]
fn a_missing_argument_is_named() {
    insta::assert_snapshot!(transcript("plant water"), @"
    error: the following required arguments were not provided
      <PLANT>
      Usage: handoff plant water <PLANT>
    hint: run `handoff plant water --help`
    [exit 2]
    ");
}

#[test]
fn wrong_usage_is_json_too() {
    let answer = handoff("plant watr --json");
    assert_eq!((answer.stdout.as_str(), answer.code), ("", 2));
    let error: Value = serde_json::from_str(&answer.stderr).unwrap();
    assert_eq!(error["error"]["kind"], "usage");
}

#[test]
fn a_noun_alone_shows_its_commands() {
    insta::assert_snapshot!(transcript("plant"), @"
    Care for plants

    Usage: handoff plant [OPTIONS] <COMMAND>

    Commands:
      water  Give a plant water
      help   Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help

    Global options:
          --json               Answer in JSON
          --request <FILE>     Read the request as JSON from a file, or from standard input with `-`, in
                               place of arguments
          --project-dir <DIR>  Work in the project of this directory
          --color <WHEN>       Use colour: on a terminal, always or never [possible values: auto,
                               always, never]
          --as <NAME>          Who is acting, as written into history and notes
          --set <KEY=VALUE>    Use another value of a setting for this command; may be given several
                               times
    [exit 2]
    ");
}

#[test]
fn a_noun_that_does_something_alone_takes_the_arguments_of_that() {
    assert_eq!(transcript("garden roses --slowly"), transcript("garden tour roses --slowly"));
    assert_eq!(transcript("garden roses herbs"), "saw roses, herbs\n########\n[exit 0]");
    assert_eq!(transcript("garden"), "saw\n########\n[exit 0]");
    assert_eq!(transcript("garden plan"), "saw next year\n########\n[exit 0]");
    assert_eq!(handoff("--json garden --slowly").stdout, "{\"beds\":[],\"slowly\":true}\n");
    let asked = with_stdin("garden --request -", r#"{"beds": ["tulips"]}"#);
    assert_eq!((asked.stdout.as_str(), asked.code), ("saw tulips\n########\n", 0));
    insta::assert_snapshot!(transcript("garden rosse"), @r"
    error: invalid value 'rosse' for '[BEDS]...'
      [possible values: roses, herbs]
    hint: a similar value exists: 'roses'
    hint: run `handoff garden --help`
    [exit 2]
    ");
    insta::assert_snapshot!(transcript("garden plan rosse"), @r"
    error: unexpected argument 'rosse' found
      Usage: handoff garden plan [OPTIONS]
    hint: run `handoff garden plan --help`
    [exit 2]
    ");
    let help = transcript("garden --help");
    assert!(help.contains("Alone it does what `garden tour` does") && help.contains("  plan  Draw"), "{help}");
    assert_eq!(help.trim_end_matches("[exit 0]"), transcript("help garden").trim_end_matches("[exit 0]"));
}

#[test]
fn rows_for_a_spreadsheet_come_from_commands_that_have_them() {
    for line in ["garden roses --slowly --csv", "garden tour roses --slowly --csv"] {
        assert_eq!(handoff(line).stdout, "bed,slowly\nroses,true\n", "{line}");
    }
    assert_eq!(handoff("garden --csv --json").code, 2);
    assert_eq!(handoff("plant water fern --csv").code, 2);
    assert_eq!(handoff("garden plan --csv").code, 2);
}

#[test]
fn the_program_alone_shows_the_first_steps() {
    insta::assert_snapshot!(transcript(""), @"
    handoff carries what matters from one AI coding session to the next

    First steps:
      handoff seal              Close the greenhouse
      handoff plant water fern  Give a plant water

    All commands: `handoff help`; one of them: `handoff help COMMAND`
    [exit 0]
    ");
}

#[test]
fn help_explains_a_command() {
    insta::assert_snapshot!(transcript("plant water --help"), @"
    Give a plant water

    Too much is refused.

    Usage: handoff plant water [OPTIONS] <PLANT>

    Arguments:
      <PLANT>
              Plant to water

    Options:
          --litres <LITRES>
              How much

              [default: 1]

          --note <NOTE>
              What to remember

      -h, --help
              Print help (see a summary with '-h')

    Global options:
          --json
              Answer in JSON

          --request <FILE>
              Read the request as JSON from a file, or from standard input with `-`, in place of
              arguments

          --project-dir <DIR>
              Work in the project of this directory

          --color <WHEN>
              Use colour: on a terminal, always or never

              [possible values: auto, always, never]

          --as <NAME>
              Who is acting, as written into history and notes

          --set <KEY=VALUE>
              Use another value of a setting for this command; may be given several times
    [exit 0]
    ");
}

#[test]
fn help_is_coloured_on_a_terminal_only() {
    let colored = answer_to(Invocation { stdout: TERMINAL, ..invocation(["plant", "water", "--help"]) });
    assert!(colored.stdout.contains("\x1b["));
    assert!(!handoff("plant water --help").stdout.contains('\x1b'));
    assert!(handoff("plant water --help --color always").stdout.contains('\x1b'));
}

#[test]
fn the_version_is_told() {
    assert_eq!(handoff("--version").stdout, format!("handoff {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn completions_exist_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let answer = handoff(&format!("completion {shell}"));
        assert!(answer.code == 0 && answer.stdout.contains("litres"), "{shell}");
    }
    assert_eq!(handoff("completion tcsh").code, 2);
}

#[test]
fn a_request_stands_in_for_arguments() {
    let answer = with_stdin("plant water --request - --json", r#"{"plant": "fern", "note": "x"}"#);
    assert_eq!((answer.stderr.as_str(), answer.code), ("", 0));
    assert_eq!(serde_json::from_str::<Value>(&answer.stdout).unwrap()["note"], "x");
}

#[test]
fn a_request_with_arguments_beside_it_is_refused() {
    let answer = with_stdin("plant water fern --request -", r#"{"plant": "fern"}"#);
    assert_eq!(answer.code, 2);
    assert_eq!(answer.stderr, "error: `--request` says it all, so `<PLANT>` cannot be given beside it\n");
}

#[test]
fn a_wrong_request_names_the_field() {
    let answer = with_stdin("plant water --request -", r#"{"plan": "fern"}"#);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.starts_with("error: unknown field `plan`: did you mean `plant`?\n"), "{}", answer.stderr);
}

#[test]
fn a_value_that_reads_like_a_flag_is_still_a_value() {
    let answer = handoff("plant water fern --note --json");
    assert_eq!(answer.stdout, "plant  by\nfern   alice\nnote: --json\n");
    let answer = handoff("plant water --note --request");
    assert_eq!(answer.code, 2, "the plant is still required");
    assert!(answer.stderr.contains("<PLANT>"), "{}", answer.stderr);
}

#[test]
fn values_may_start_with_a_dash() {
    let answer = handoff("plant water -- -fern");
    assert!(answer.stdout.contains("-fern"), "{answer:?}");
}

#[test]
fn the_actor_is_told_or_found() {
    let by = |line: &str, env: &[(&str, &str)]| {
        let env = Environment::new(env.iter().copied());
        let answer = answer_to(Invocation { env, ..invocation(line.split_whitespace()) });
        serde_json::from_str::<Value>(&answer.stdout).unwrap()["by"].clone()
    };
    let env = [("HANDOFF_ACTOR", "codex"), ("USER", "alice")];
    assert_eq!(by("seal --json --as bob", &env), "bob");
    assert_eq!(by("seal --json", &env), "codex");
    assert_eq!(by("seal --json", &env[1..]), "alice");
    assert_eq!(handoff("seal --as=").code, 2);
}

#[test]
fn a_table_fits_the_terminal() {
    let args = ["plant", "water", "a plant with a name that is far too long for it"];
    let answer = answer_to(Invocation { stdout: TERMINAL, ..invocation(args) });
    assert!(answer.stdout.contains("…"), "{}", answer.stdout);
    assert!(!answer_to(invocation(args)).stdout.contains('…'), "data in a pipe is never cut");
}

#[test]
fn a_panic_is_reported_as_a_bug() {
    let answer = handoff("plant water triffid");
    assert_eq!((answer.stdout.as_str(), answer.code), ("", 1));
    assert!(answer.stderr.starts_with("error: internal error in `plant.water`\n  triffids are not plants\n"));
    assert!(answer.stderr.contains("please report it"));
}

#[test]
fn a_working_directory_that_is_gone_is_an_error_unless_another_is_named() {
    let gone = |line: &str| answer_to(Invocation { cwd: None, ..invocation(line.split_whitespace()) });
    assert_eq!(gone("seal").stderr, "error: the working directory does not exist any more\n");
    assert_eq!(gone("seal --project-dir /srv").code, 0);
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_utf8_are_wrong_usage() {
    use std::os::unix::ffi::OsStringExt;

    let bad = || OsString::from_vec(b"f\xffrn".to_vec());
    for args in [
        vec!["plant".into(), "water".into(), bad()],
        vec![bad()],
        vec!["plant".into(), bad()],
        vec!["plant".into(), "water".into(), "fern".into(), "--note".into(), bad()],
        vec!["plant".into(), "water".into(), "fern".into(), OsString::from_vec(b"--n\xff".to_vec())],
    ] {
        let answer = answer_to(invocation(args.clone()));
        assert_eq!((answer.stdout.as_str(), answer.code), ("", 2), "{args:?}");
        assert!(answer.stderr.starts_with("error: "), "{}", answer.stderr);
    }
}
