//! A run that stopped at a step, or whose files were damaged, and what becomes of it.
//!
//! Runs are stopped by an export into a place that is none: a file lies where a directory is to be. Put anywhere into the
//! list, it stops a run at every boundary.

use handoff_testkit::{Answer, TestProject, list_in, project, text_in};
use serde_json::{Value, json};

const STEPS: [&str; 5] =
    ["kind = \"collect\"", "kind = \"close\"", "kind = \"note\"", "kind = \"pack\"", "kind = \"state\""];
const EXPORT: &str = "kind = \"export\"\nall = true\noutput = \"out/bundle.json\"";

/// The usual steps with the export before the one at this place.
fn steps_stopping_at(place: usize) -> Vec<&'static str> {
    let mut steps = STEPS.to_vec();
    steps.insert(place, EXPORT);
    steps
}

/// A project whose runs stop before `place`.
fn stopping_at(place: usize) -> TestProject {
    let project = project!();
    project.declare(&steps_stopping_at(place));
    project.write("out", "in the way");
    project.make_directory("src");
    project
}

/// Everything can be exported from now on.
fn clear(project: &TestProject) {
    project.remove("out");
}

fn stopped(project: &TestProject, line: &str) -> Answer {
    let answer = project.call(line).run();
    assert_eq!(answer.code, 1, "{answer}");
    answer.says("stopped at `export`");
    assert_eq!(checked(project), 1, "it is noticed");
    answer
}

/// What `handoff check` says by its exit code.
fn checked(project: &TestProject) -> i32 {
    project.call("check").run().code
}

fn sessions(project: &TestProject) -> Vec<Value> {
    list_in(&project.json("session list --archived"), "sessions").to_vec()
}

fn titles(project: &TestProject) -> Vec<String> {
    let mut found: Vec<String> = sessions(project).iter().map(|session| text_in(session, "title").to_owned()).collect();
    found.sort();
    found
}

/// The steps of a run and how far each has come.
fn progress(answer: &Value) -> Vec<String> {
    let steps = list_in(answer, "steps");
    steps.iter().map(|step| format!("{} {}", text_in(step, "id"), text_in(step, "state"))).collect()
}

#[test]
fn stopped_before_any_step_a_run_ends_as_it_would_have_ended_at_once() {
    for place in 0..=STEPS.len() {
        let undisturbed = stopping_at(place);
        let project = stopping_at(place);
        for project in [&undisturbed, &project] {
            project.call("task create Alpha --status in_progress").run().succeeded();
            project.call("session start 'Under way' --task 1").run().succeeded();
        }
        clear(&undisturbed);
        undisturbed.call("run 'The parser is done.' --next 'Write tests'").run().succeeded();

        stopped(&project, "run 'The parser is done.' --next 'Write tests'");
        let inputs = project.checkpoint()["inputs"].clone();
        clear(&project);
        // Another person with another tool, elsewhere and later.
        let resumed = project.call("run --json").within("src").env("USER", "bob").env("HANDOFF_CLIENT", "codex");
        let answer = resumed.env("HANDOFF_CLOCK", "2026-12-24T18:00:00Z").run().succeeded().json();
        assert_eq!(answer["resumed"], true, "{answer}");
        assert_eq!(answer["status"], "completed", "{answer}");
        assert_eq!(project.checkpoint()["inputs"], inputs, "what it was given stays");
        assert_eq!(checked(&project), 2, "it is over");
        project.records().assert_same(&undisturbed.records(), &format!("stopped before step {place}"));
    }
}

#[test]
fn a_note_that_comes_meanwhile_waits_and_becomes_a_run_of_its_own() {
    let project = stopping_at(3);
    stopped(&project, "run 'First.'");
    let answer = stopped(&project, "run 'Second.' --json");
    assert!(answer.to_string().contains("\"waiting\":1"), "{answer}");
    assert_eq!(project.queued_runs().len(), 1);
    assert_eq!(titles(&project), ["First."]);
    clear(&project);
    let answer = project.json("run");
    assert_eq!(list_in(&answer, "also_finished").len(), 1, "{answer}");
    assert_eq!(titles(&project), ["First.", "Second."]);
    assert_eq!(project.queued_runs(), Vec::<String>::new());
    // The second was asked for a second after the first, whenever it was driven.
    let mut starts: Vec<String> =
        sessions(&project).iter().map(|session| text_in(session, "ended_at").to_owned()).collect();
    starts.sort();
    starts.dedup();
    assert_eq!(starts.len(), 2, "each has a time of its own: {starts:?}");
}

#[test]
fn a_run_that_is_given_up_leaves_what_its_steps_wrote_and_the_next_begins_anew() {
    let project = stopping_at(3);
    stopped(&project, "run 'First.'");
    project.call("run --abandon").run().succeeded().says("is given up at step `export`");
    assert_eq!(project.checkpoint()["status"], "abandoned");
    assert_eq!(titles(&project), ["First."]);
    project.call("run --abandon").run().succeeded().says("nothing to give up");
    clear(&project);
    let answer = project.json("run 'Second.'");
    assert_eq!(answer["resumed"], false, "{answer}");
    assert_eq!(titles(&project), ["First.", "Second."]);
}

#[test]
fn giving_up_and_a_new_note_are_one_command() {
    let project = stopping_at(2);
    project.call("save 'Before.'").run().succeeded();
    stopped(&project, "run 'Never mind.'");
    clear(&project);
    project.call("run --abandon 'Something else.'").run().succeeded();
    assert_eq!(titles(&project), ["Before.", "Something else."]);
}

#[test]
fn only_the_steps_that_are_asked_for_are_performed() {
    let project = stopping_at(3);
    let answer = project.json("run 'Noted.' --only note");
    assert_eq!(
        progress(&answer),
        ["collect skipped", "close skipped", "note done", "export skipped", "pack skipped", "state skipped"]
    );
    assert_eq!(titles(&project), ["Noted."]);
    for flag in ["--only", "--from", "--skip"] {
        let answer = project.call(&format!("run 'Noted.' {flag} publsh")).run();
        answer.failed(2).says("there is no step `publsh`").says("`export`");
    }
    assert_eq!(titles(&project), ["Noted."], "a step that is not there stops everything");
    project.call("run 'Noted.' --only note --from pack").run().failed(2);
}

#[test]
fn steps_can_be_chosen_for_a_request_that_still_waits() {
    let project = stopping_at(3);
    stopped(&project, "run 'First.'");
    stopped(&project, "run 'Second.'");
    project.call("run --abandon").run().succeeded();
    let answer = project.json("run --only note");
    assert!(progress(&answer).contains(&"export skipped".to_owned()), "{answer}");
    assert_eq!(titles(&project), ["First.", "Second."]);
}

#[test]
fn the_step_that_stands_in_the_way_can_be_passed_over() {
    let project = stopping_at(3);
    stopped(&project, "run 'First.'");
    let answer = project.json("run --skip export");
    assert_eq!(answer["status"], "completed", "{answer}");
    assert!(progress(&answer).contains(&"export skipped".to_owned()), "{answer}");
    assert_eq!(titles(&project), ["First."]);
}

#[test]
fn begun_again_from_an_earlier_step_nothing_is_there_twice() {
    let project = stopping_at(5);
    project.call("session start 'Under way'").run().succeeded();
    stopped(&project, "run 'First.'");
    clear(&project);
    let answer = project.json("run --from collect");
    assert_eq!(answer["status"], "completed", "{answer}");
    assert_eq!(titles(&project), ["First."]);
}

#[test]
fn a_list_that_was_changed_meanwhile_is_told_and_nothing_is_done_twice() {
    let export = "id = \"copy\"\nkind = \"export\"\nall = true\noutput = \"elsewhere/bundle.json\"";
    let named = "id = \"minutes\"\nkind = \"note\"";
    let changed = "kind = \"export\"\nall = true\noutput = \"elsewhere/bundle.json\"";
    let tidier = "kind = \"pack\"\nolder_than_days = 3";
    let cases: [(&str, Vec<&str>, &str); 6] = [
        ("added", [&STEPS[..], &[export]].concat(), "step `copy` is new"),
        ("removed", STEPS.to_vec(), "step `export` is gone"),
        ("renamed", vec![STEPS[0], STEPS[1], named, STEPS[3], STEPS[4]], "step `note` is called `minutes` now"),
        ("reordered", vec![STEPS[4], STEPS[3], STEPS[2], STEPS[1], STEPS[0]], "the steps come in another order"),
        ("changed", vec![STEPS[0], STEPS[1], STEPS[2], changed, STEPS[3], STEPS[4]], "step `export` was changed and"),
        ("changed after", vec![STEPS[0], STEPS[1], STEPS[2], tidier, STEPS[4]], "step `pack` was changed"),
    ];
    for (what, steps, told) in cases {
        let project = stopping_at(4);
        stopped(&project, "run 'First.'");
        project.declare(&steps);
        let dry = project.json("run --dry-run");
        assert!(dry["changes"].to_string().contains(told), "{what}, asked what would be done: {dry}");
        let answer = project.json("run");
        assert!(answer["changes"].to_string().contains(told), "{what}: {answer}");
        assert_eq!(answer["status"], "completed", "{what}: {answer}");
        assert_eq!(titles(&project), ["First."], "{what}");
    }
}

#[test]
fn a_list_that_cannot_be_read_any_more_stops_the_run_and_loses_nothing() {
    let project = stopping_at(3);
    stopped(&project, "run 'First.'");
    let before = project.checkpoint();
    for text in
        ["[[step]]\nkind = \"nte\"\n", "[[step", "", "\u{0}", "[[step]]\nkind = \"note\"\n[[step]]\nkind = \"note\"\n"]
    {
        project.write(".handoff/handover.toml", text);
        let answer = project.call("run").run();
        assert_ne!(answer.code, 0, "{text:?}: {answer}");
        answer.says("handover.toml");
        assert_eq!(project.checkpoint(), before, "{text:?}");
    }
    clear(&project);
    project.declare(&steps_stopping_at(3));
    project.call("run").run().succeeded();
    assert_eq!(titles(&project), ["First."]);
}

#[test]
fn a_run_goes_on_with_the_list_it_was_started_with() {
    let project = stopping_at(3);
    project.declare_in("src/other.toml", &["kind = \"note\"", EXPORT]);
    let answer = project.call("run 'First.' --config other.toml").within("src").run();
    assert_eq!(answer.code, 1, "{answer}");
    project.declare_in("third.toml", &["kind = \"state\""]);
    let answer = project.call("run --config third.toml").run();
    assert_eq!(answer.code, 1, "{answer}");
    answer.says("not with `third.toml`");
    // A list that is gone is taken as it was.
    project.remove("src/other.toml");
    assert_eq!(project.call("run").run().code, 1);
    clear(&project);
    let answer = project.json("run");
    assert_eq!(progress(&answer), ["note done", "export done"]);
    assert_eq!(list_in(&answer, "changes").len(), 0, "{answer}");
    assert_eq!(titles(&project), ["First."]);
}

/// The checkpoint is damaged: that is told with a way out, and after it everything goes on.
fn refuses_damage(text: &[u8], says: &str) {
    const CHECKPOINT: &str = ".handoff/local/state/checkpoint.json";
    let project = stopping_at(3);
    stopped(&project, "run 'First.'");
    project.write(CHECKPOINT, text);
    assert_eq!(checked(&project), 6, "it is noticed");
    let before = project.records();
    for line in ["run", "run 'Second.'", "run --dry-run"] {
        project.call(line).run().failed(6).says(says).says("--abandon");
        project.records().assert_same(&before, "a damaged checkpoint stops everything");
    }
    let aside = project.call("run --abandon").run();
    aside.succeeded().says("checkpoint-damaged-1.json");
    assert_eq!(
        std::fs::read(project.path(".handoff/local/state/checkpoint-damaged-1.json")).expect("it is kept"),
        text
    );
    clear(&project);
    project.call("run 'Third.'").run().succeeded();
    let found = titles(&project);
    assert!(found.contains(&"First.".to_owned()) && found.contains(&"Third.".to_owned()), "{found:?}");
}

#[test]
fn a_checkpoint_that_is_cut_off_anywhere_is_told_and_never_taken_for_none() {
    let project = stopping_at(3);
    stopped(&project, "run 'First.'");
    let path = ".handoff/local/state/checkpoint.json";
    let whole = project.file(path);
    let whole = whole.trim_end();
    let records = project.records();
    let places = (0..whole.len()).step_by(whole.len() / 24).chain([1, whole.len() - 1]);
    for length in places.filter(|length| whole.is_char_boundary(*length)) {
        project.write(path, &whole[..length]);
        project.call("run").run().failed(6).says("--abandon");
        project.records().assert_same(&records, "nothing is done");
    }
    refuses_damage(&whole.as_bytes()[..whole.len() / 2], "cannot be read");
}

#[test]
fn a_checkpoint_of_another_version_or_of_nobody_is_told() {
    refuses_damage(br#"{"format": 99, "run": "k7f3q2ma"}"#, "not written by handoff on this machine");
    refuses_damage(b"\x00\xff\xfe garbage", "cannot be read");
    refuses_damage(b"[]", "cannot be read");
    refuses_damage(br#"{"format": 1, "status": "in_progress"}"#, "cannot be read");
}

#[test]
fn a_request_that_cannot_be_read_is_told_and_holds_nobody_up() {
    let project = project!();
    project.declare(&STEPS);
    let damaged = ".handoff/local/state/queue/00000000000001-aaaaaaaa.json";
    for text in ["", "{", "{\"request\": 7}", "\u{1b}[31m"] {
        project.write(damaged, text);
        let answer = project.call("run 'Goes on.'").run();
        assert_eq!(answer.code, 6, "{answer}");
        answer.says("handed over as").says("00000000000001-aaaaaaaa.json");
        assert_eq!(project.file(damaged), text, "it is left to a person");
    }
    assert_eq!(titles(&project), vec!["Goes on."; 4]);
}

#[test]
fn a_request_that_cannot_be_driven_now_waits_and_holds_nobody_up() {
    let project = stopping_at(3);
    project.declare_in("other.toml", &["kind = \"note\""]);
    stopped(&project, "run 'First.'");
    stopped(&project, "run 'Second.' --config other.toml");
    project.write("other.toml", "no list");
    clear(&project);
    project.call("run 'Third.'").run().succeeded().says("other.toml");
    assert_eq!(titles(&project), ["First.", "Third."]);
    assert_eq!(checked(&project), 1, "one still waits");
    project.call("run").run().failed(6).says("other.toml");
    project.remove("other.toml");
    project.call("run").run().succeeded();
    assert_eq!(titles(&project), ["First.", "Second.", "Third."]);
    assert_eq!(checked(&project), 2);
}

#[test]
fn an_agent_finishes_over_mcp_what_a_person_began() {
    let project = stopping_at(3);
    project.call("session start 'Under way'").run().succeeded();
    stopped(&project, "run 'First.'");
    clear(&project);
    let mut client = project.mcp().word("--tools").word("all").connect();
    let answer = client.call("handoff_run", json!({}));
    assert_eq!(answer["isError"], false, "{answer}");
    assert!(answer.to_string().contains("finished what was cut short"), "{answer}");
    client.close();
    let sessions = sessions(&project);
    assert_eq!(sessions.len(), 1, "{sessions:?}");
    assert_eq!(sessions[0]["author"], "alice", "{sessions:?}");
    assert_eq!(sessions[0]["title"], "First.", "{sessions:?}");
}

#[test]
fn a_run_is_paused_before_its_next_step_and_goes_on_afterwards() {
    let project = stopping_at(3);
    stopped(&project, "run 'First.'");
    clear(&project);
    project.write(".handoff/PAUSE", "");
    assert_eq!(checked(&project), 5);
    let before = project.records();
    for line in ["run", "run 'Second.'", "run --abandon"] {
        project.call(line).run().failed(5);
        project.records().assert_same(&before, "nothing is done while it is paused");
    }
    project.remove(".handoff/PAUSE");
    project.call("run").run().succeeded();
    assert_eq!(titles(&project), ["First."], "what was refused is not there");
}
