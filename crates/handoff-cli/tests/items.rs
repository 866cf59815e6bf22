//! Settling open items: what may be settled, how items are named, and what the lists say of them.

use handoff_testkit::{TestProject, project};
use serde_json::json;

/// A project whose last handoff left one item of each kind.
fn with_items() -> TestProject {
    let project = project!();
    let request = json!({
        "summary": "Token parser extracted, refresh tests fail",
        "next": ["Enable TLS", "Disable TLS on staging", "Write the changelog"],
        "blockers": ["CI is down"],
        "questions": ["Which region?"],
        "handoff_notes": [{"note": "never run terraform here", "category": "caution"}],
    });
    project.call("save").request(&request).run().succeeded();
    project
}

fn refused(project: &TestProject, line: &str) -> String {
    let answer = project.handoff(line);
    assert!(answer.contains("[exit 4]"), "`{line}`: {answer}");
    answer
}

#[test]
fn only_a_question_is_answered() {
    let project = with_items();
    for (id, noun) in [("n1", "next step"), ("b1", "blocker")] {
        let answer = refused(&project, &format!("answer {id} foo"));
        assert!(answer.contains(&format!("{id} is a {noun}, not a question")), "{answer}");
        assert!(answer.contains(&format!("handoff done {id}")), "{answer}");
    }
    assert!(project.handoff("answer q1 eu").contains("(answered: eu)"));
}

#[test]
fn a_caution_is_dropped_and_never_done() {
    let project = with_items();
    let answer = refused(&project, "done w1");
    assert!(answer.contains("handoff drop w1 --because"), "{answer}");
    assert!(project.handoff("open --all").contains("never run terraform here"));
    assert!(project.handoff("drop w1 --because moved").contains("(dropped: moved)"));
}

#[test]
fn two_telling_words_settle_the_only_item_that_has_them() {
    let project = with_items();
    let answer = refused(&project, "done TLS");
    assert!(answer.contains("n1 Enable TLS") && answer.contains("n2 Disable TLS on staging"), "{answer}");
    // One word says too little, even where a single item has it.
    for line in ["done changelog", "done the changelog"] {
        let answer = refused(&project, line);
        assert!(answer.contains("n3 Write the changelog") && answer.contains("use its id"), "{answer}");
    }
    assert!(project.handoff("done 'tls on staging'").contains("n2 Disable TLS on staging (done)"));
    assert!(project.handoff("done 'Write the changelog'").contains("n3 Write the changelog (done)"));
    let answer = project.handoff("done n 1");
    assert!(answer.contains("`n 1` is not an item: write `n1`"), "{answer}");
    // Without quotes, the words are still one item.
    assert!(project.handoff("done enable tls").contains("n1 Enable TLS (done)"));
    let answer = project.handoff("done nothing-like-it");
    assert!(answer.contains("there is no item") && answer.contains("[exit 3]"), "{answer}");
}

#[test]
fn a_reason_that_comes_too_late_is_refused() {
    let project = with_items();
    project.call("drop n2").run().succeeded();
    assert!(refused(&project, "drop n2 --because 'not needed'").contains("n2 was settled before"));
    project.call("drop n2").run().succeeded();
    project.call("drop n3 --because old").run().succeeded();
    project.call("drop n3 --because old").run().succeeded();
}

#[test]
fn a_skipped_task_drops_its_item_and_a_done_one_settles_it() {
    let project = with_items();
    let id = |line: &str| project.json(line)["id"].as_str().expect("a task has an id").to_owned();
    let (skipped, done) = (id("task create CI --from b1"), id("task create TLS --from n1"));
    project.call(&format!("task update {skipped} --status skipped")).run().succeeded();
    project.call(&format!("task update {done} --status done")).run().succeeded();
    let all = project.handoff("open --all");
    assert!(all.contains("CI is down (dropped: task 01 was skipped)"), "{all}");
    assert!(all.contains("Enable TLS (done with task 02)"), "{all}");
}

#[test]
fn an_item_whose_task_is_archived_or_deleted_says_which() {
    let project = with_items();
    project.call("config set settings.archive_after_days 0").run().succeeded();
    let id = |line: &str| project.json(line)["id"].as_str().expect("a task has an id").to_owned();
    let (done, skipped) = (id("task create TLS --from n1"), id("task create Staging --from n2"));
    let deleted = id("task create Changelog --from n3");
    project.call(&format!("task update {done} --status done")).run().succeeded();
    project.call(&format!("task update {skipped} --status skipped")).run().succeeded();
    project.call("gc").run().succeeded();
    project.call(&format!("task delete {deleted}")).run().succeeded();
    let all = project.handoff("open --all");
    assert!(all.contains(&format!("Enable TLS (done with task {done})")), "{all}");
    assert!(all.contains(&format!("Disable TLS on staging (dropped: task {skipped} was skipped)")), "{all}");
    let words = format!("Write the changelog (dropped: its task was deleted; task {deleted})");
    assert!(all.contains(&words), "{all}");
    // A task in a damaged archive may have been finished or not.
    let archive = project.tree(".handoff/archive").files().iter().map(|name| format!(".handoff/archive/{name}")).next();
    project.write(&archive.expect("finished tasks are archived"), "");
    assert!(project.handoff("open --all").contains(&format!("(task by alice; task {done})")));
}

#[test]
fn a_list_says_which_filter_found_nothing_and_cuts_long_items() {
    let project = with_items();
    assert!(project.handoff("open zzzz").contains("no open item matches \"zzzz\""));
    let long = "word ".repeat(1_000);
    project.call("ask").word(&long).run().succeeded();
    assert!(project.handoff("open").len() < 1_500);
    assert!(project.handoff("open q2").len() > 4_900, "an item that is named is shown whole");
}

#[test]
fn ledgers_are_listed_and_found_only_when_asked_for() {
    let project = with_items();
    project.call("done n1").run().succeeded();
    let listed = |line: &str| project.json(line)["sessions"].as_array().expect("a list").len();
    assert_eq!([listed("session list"), listed("session list --all"), listed("session list --kind ledger")], [1, 2, 1]);
    let found = |line: &str| project.json(line)["results"].to_string().contains("done n1");
    assert!(!found("search TLS"));
    assert!(found("search TLS --kind session"));
}

#[test]
fn a_save_names_each_item_once_and_asks_for_no_step_where_some_are_open() {
    let project = with_items();
    let answer = project.handoff("save 'Parser tested with odd tokens' --next 'Write the docs' --next 'write docs.'");
    assert_eq!(answer.matches("n4").count(), 1, "{answer}");
    let answer = project.handoff("save 'Parser tested with more tokens'");
    assert!(answer.contains("still open and not mentioned") && !answer.contains("no next step"), "{answer}");
}

#[test]
fn without_a_login_name_git_names_the_author() {
    let project = project!();
    project.write("../../home/.gitconfig", "[user]\n\tname = Ann Git\n");
    project.call("save 'Token parser extracted' --next 'Write docs'").without("USER").run().succeeded();
    assert_eq!(project.json("session list")["sessions"][0]["author"], "Ann Git");
}

#[test]
fn resume_is_another_word_for_reopening_a_session() {
    let project = project!();
    project.call("session start 'Documenting the parser'").run().succeeded();
    project.call("session update --add-next 'Write docs' --add-blocker 'CI is down'").run().succeeded();
    project.call("session pause").run().succeeded();
    project.call("session resume latest").run().succeeded();
}

#[test]
fn every_door_counts_the_items_that_open_lists() {
    let project = with_items();
    project.init_git();
    project.write("a.txt", "a");
    project.commit_all_at("Enable TLS (closes n1)", "2026-11-16T09:00:00Z");
    let count = |line: &str| {
        let answer = project.call(line).env("HANDOFF_CLOCK", "2026-11-16T10:00:00Z").word("--json").run().json();
        let listed = project.call("open").env("HANDOFF_CLOCK", "2026-11-16T10:00:00Z").word("--json").run().json();
        assert_eq!(answer["still_open"], listed["matches"], "{line}: {listed:#}");
        answer["still_open"].as_u64()
    };
    // The step that the commit settles is none of them, and a question that is asked twice is one.
    assert_eq!(count("ask 'Which port?'"), Some(5));
    assert_eq!(count("ask 'which port'"), Some(5));
    assert_eq!(count("done n2"), Some(4));
    assert_eq!(count("answer q1 eu"), Some(3));
    assert_eq!(count("drop b1"), Some(2));
}

#[test]
fn settling_an_item_names_the_task_that_it_became_and_that_is_still_open() {
    let project = with_items();
    let task = |line: &str| project.json(line)["id"].as_str().expect("a task has an id").to_owned();
    let (first, second) = (task("task create TLS --from n1"), task("task create Staging --from n2"));
    let answer = project.handoff("done n1");
    assert!(answer.contains("task 01 of n1 is still todo"), "{answer}");
    assert!(answer.contains("handoff task update 01 --status done"), "{answer}");
    let answer = project.handoff("drop n2 --because 'not ours'");
    assert!(answer.contains("task 02 of n2 is still todo"), "{answer}");
    assert!(answer.contains("handoff task update 02 --status skipped"), "{answer}");
    for id in [first, second] {
        assert_eq!(project.json(&format!("task show {id}"))["status"], "todo");
    }
    assert!(!project.handoff("done n3").contains("still todo"));
}

#[test]
fn an_item_that_is_an_open_task_becomes_no_second_one() {
    let project = with_items();
    let running: Vec<_> = (0..4).map(|_| project.call("task create --from n1").word("--json").start()).collect();
    let answers: Vec<_> = running.into_iter().map(handoff_testkit::Running::end).collect();
    let made = answers.iter().filter(|answer| answer.code == 0).count();
    let refusals: Vec<_> = answers.iter().filter(|answer| answer.code == 4).collect();
    assert_eq!((made, refusals.len()), (1, 3), "{answers:?}");
    for answer in refusals {
        assert_eq!(answer.json_error()["error"]["kind"], "refused", "{answer}");
    }
    // One of several that is a task already refuses them all.
    let answer = refused(&project, "task create Both --from n2 --from n1");
    assert!(answer.contains("n1 is task 01 already, which is todo"), "{answer}");
    assert!(answer.contains("handoff task show 01"), "{answer}");
    assert_eq!(project.json("task list")["tasks"].as_array().map(Vec::len), Some(1));
    // After it was finished, only a task with a title of its own follows from the item.
    project.call("task update 1 --status done").run().succeeded();
    assert!(refused(&project, "task create --from n1").contains("n1 was settled before"));
}

#[test]
fn the_advice_of_a_list_can_be_followed() {
    let project = with_items();
    project.call("task create TLS --from n1").run().succeeded();
    let advice = |line: &str| {
        let text = project.handoff(line);
        text.lines().rfind(|line| line.starts_with("to settle one")).map(str::to_owned).unwrap_or(text)
    };
    assert!(advice("open").contains("handoff done n2"), "{}", advice("open"));
    assert!(advice("open n1").contains("handoff task update"), "{}", advice("open n1"));
    assert!(project.handoff("open n1").contains("task 01)"));
    for item in ["n1", "n2", "n3", "b1", "q1"] {
        project.call(&format!("done {item}")).run().succeeded();
    }
    let text = advice("open --all");
    assert!(text.contains("handoff drop w1 --because"), "{text}");
    let (_, command) = text.split_once("`handoff ").expect("a command is quoted");
    project.call(command.trim_end().trim_end_matches('`')).run().succeeded();
}

#[test]
fn a_next_step_is_done_whichever_list_settles_it() {
    let project = with_items();
    let mut client = project.mcp().connect();
    client.text("handoff_update_session", json!({"resolved": ["n2", "b1"]}));
    let all = project.handoff("open --all");
    assert!(all.contains("n2 Disable TLS on staging (done"), "{all}");
    assert!(all.contains("b1 CI is down (resolved"), "{all}");
}
