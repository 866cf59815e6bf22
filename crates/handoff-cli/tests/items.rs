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
fn some_words_settle_the_only_item_that_has_them() {
    let project = with_items();
    let answer = refused(&project, "done TLS");
    assert!(answer.contains("n1 Enable TLS") && answer.contains("n2 Disable TLS on staging"), "{answer}");
    assert!(project.handoff("done changelog").contains("n3 Write the changelog (done)"));
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
