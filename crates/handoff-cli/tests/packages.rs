//! Named packages: stored from standard input, fetched byte for byte, hidden and put away by their lifetime.

use handoff_testkit::{Answer, TestProject, project};
use serde_json::Value;

/// Long after everything that the tests store.
const LATER: &str = "2026-12-15T09:00:00Z";

fn store(project: &TestProject, line: &str, body: impl AsRef<[u8]>) -> String {
    let answer = project.call(&format!("store {line}")).stdin(body).run();
    let id = answer.succeeded().stdout.strip_suffix('\n').expect("one line").to_owned();
    assert!(id.len() == 8 && id.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)), "{answer}");
    id
}

fn fetched(project: &TestProject, line: &str) -> String {
    let answer = project.call(&format!("retrieve {line}")).run_unchecked();
    answer.succeeded().stdout.clone()
}

fn at(project: &TestProject, clock: &str, line: &str) -> Answer {
    project.call(line).env("HANDOFF_CLOCK", clock).run_unchecked()
}

fn ids(list: &Value) -> Vec<&str> {
    list["handoffs"].as_array().expect("a list").iter().map(|one| one["id"].as_str().expect("an id")).collect()
}

#[test]
fn a_body_comes_back_byte_for_byte() {
    let project = project!();
    let bodies = [
        "# Plan\r\nfirst\r\n",
        "no newline at the end",
        "\u{feff}with a mark\n",
        "tab\t\u{1b}[31m nul \0 ключ 🔑\n\n\n",
    ];
    for body in bodies {
        let id = store(&project, "--name plan", body);
        assert_eq!(fetched(&project, &id), body);
        assert_eq!(fetched(&project, &id[..6]), body, "the beginning of an id is enough");
        assert_eq!(fetched(&project, "--name plan"), body, "the newest of a name");
        assert_eq!(fetched(&project, &format!("{id} --name other")), body, "an id counts before a name");
    }
}

#[test]
fn utf_16_from_a_pipe_becomes_utf_8() {
    let project = project!();
    let text = "Größe\r\n";
    let wide: Vec<u8> = [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let id = store(&project, "--name wide", wide);
    assert_eq!(fetched(&project, &id), text);
}

#[test]
fn what_cannot_be_stored_is_refused_and_nothing_is_kept() {
    let project = project!();
    let refused = |line: &str, body: &[u8], said: &str| {
        project.call(line).stdin(body).run().failed(2).says(said);
    };
    refused("store", b"x", "a package needs a name");
    refused("store --ttl 7x", b"x", "a package needs a name");
    refused("store --name ''", b"x", "the name must not be empty");
    refused("store --name a --ttl 7.5d", b"", "is not a lifetime");
    refused("store --name a --ttl 106752000d", b"x", "is not a lifetime");
    refused("store --name a", b"", "it is empty");
    refused("store --name a", b" \r\n\t\n", "nothing but blanks");
    refused("store --name a", b"abc\xff", "the byte 0xff at offset 3 is wrong");
    assert_eq!(project.json("list")["matches"], 0);
    assert!(!project.exists(".handoff/sessions/x") && project.tree(".handoff/sessions").files().is_empty());
}

#[test]
fn what_is_said_about_a_package_stands_in_the_list() {
    let project = project!();
    let id = store(&project, "--name plan --summary 'What to do' --ttl 2h --project my-api --tags 'a, b,,a'", "x");
    let list = project.json("list");
    let one = &list["handoffs"][0];
    assert_eq!(one["id"], id.as_str());
    assert_eq!(
        (&one["name"], &one["summary"], &one["project"]),
        (&"plan".into(), &"What to do".into(), &"my-api".into())
    );
    assert_eq!(one["tags"], serde_json::json!(["a", "b"]));
    assert_eq!(one["kind"], "package");
    let shown = project.handoff("list");
    for text in [id.as_str(), "plan", "my-api", "a,b", "2026-11-15 11:00", "What to do"] {
        assert!(shown.contains(text), "{text} is missing:\n{shown}");
    }
    let stored = project.call("store --name more --json").stdin("y").run().succeeded().json();
    assert_eq!((stored["name"].as_str(), stored["bytes"].as_u64()), (Some("more"), Some(1)));
    assert!(stored["expires_at"].as_str().is_some_and(|at| at.starts_with("2026-11-22")), "7 days are usual: {stored}");
}

#[test]
fn names_are_not_unique_and_the_older_ones_are_fetched_by_their_place() {
    let project = project!();
    for body in ["one\n", "two\n", "three\n"] {
        store(&project, "--name plan", body);
    }
    assert_eq!(fetched(&project, "--name plan --nth 1"), "three\n");
    assert_eq!(fetched(&project, "--name plan --nth 3"), "one\n");
    let all = fetched(&project, "--name plan --all");
    let places: Vec<_> = ["three\n", "two\n", "one\n"].map(|body| all.find(body).expect("every body")).into();
    assert!(places.is_sorted(), "the newest first:\n{all}");
    project.call("retrieve --name plan --nth 4").run().failed(3).says("only 3");
    project.call("retrieve --name plan --nth 0").run().failed(2).says("1 is the newest");
    project.call("retrieve").run().failed(2).says("say which one");
}

#[test]
fn what_is_not_there_is_answered_with_what_is_close() {
    let project = project!();
    store(&project, "--name project-state", "x");
    project.call("retrieve --name project-stat").run().failed(3).says("project-state");
    project.call("retrieve 00000000").run().failed(3).says("nothing has the id");
    project.call("save 'Only a summary'").run().succeeded();
    let id = project.json("list --kind record")["handoffs"][0]["id"].as_str().unwrap().to_owned();
    project.call(&format!("retrieve {id}")).run().failed(4).says("session show");
}

#[test]
fn a_package_that_expired_is_hidden_and_can_be_shown_again() {
    let project = project!();
    let id = store(&project, "--name plan --ttl 1h", "body\n");
    at(&project, LATER, "list").succeeded().hides(&id).says("--expired");
    assert!(at(&project, LATER, "list --expired").stdout.contains(&id));
    at(&project, LATER, "retrieve --name plan").failed(3).says("expired at 2026-11-15T10:00");
    at(&project, LATER, &format!("retrieve {id}")).failed(3).says(&format!("handoff extend {id} 7d"));
    assert_eq!(at(&project, LATER, &format!("retrieve {id} --expired")).stdout, "body\n");
    at(&project, LATER, &format!("extend {id} 7d")).succeeded().says("2026-12-22");
    assert_eq!(at(&project, LATER, "retrieve --name plan").stdout, "body\n");
    at(&project, LATER, "pin --name plan").succeeded().says("for good");
    assert_eq!(at(&project, "2099-01-01T00:00:00Z", "retrieve --name plan").stdout, "body\n");
    at(&project, LATER, &format!("extend {id} 7y")).failed(2).says("is not a lifetime");
}

#[test]
fn gc_puts_away_what_expired_and_a_clock_that_was_ahead_destroys_nothing() {
    let project = project!();
    let (short, long) = (store(&project, "--name short --ttl 1h", "short\n"), store(&project, "--name long", "long\n"));
    let kept = store(&project, "--name kept --ttl never", "kept\n");
    at(&project, LATER, "gc --dry-run").succeeded().says("would remove 2 expired packages").says(&short);
    assert_eq!(project.json("list --expired")["matches"], 3);
    at(&project, LATER, "gc").succeeded().says("removed 2 expired packages").says(&short).says(&long).hides(&kept);
    at(&project, LATER, "gc").succeeded().says("removed 0 expired packages");
    // By the right clock one of them is not over at all.
    let now = "2026-11-15T12:00:00Z";
    assert_eq!(at(&project, now, "retrieve --name long").stdout, "long\n");
    assert!(at(&project, now, "list").stdout.contains(&long));
    at(&project, now, "gc").succeeded().says("brought 1 back");
    assert_eq!(at(&project, now, &format!("retrieve {long}")).stdout, "long\n");
    at(&project, now, &format!("retrieve {short}")).failed(3).says("trash");
    at(&project, now, &format!("extend {short} 7d")).succeeded().says("back from the trash");
    assert_eq!(at(&project, now, &format!("retrieve {short}")).stdout, "short\n");
}

#[test]
fn storing_and_cleaning_up_can_be_taken_back() {
    let project = project!();
    let id = store(&project, "--name plan --ttl 1h", "body\n");
    let before = project.records();
    at(&project, LATER, "gc").succeeded();
    project.call("undo").run().succeeded();
    project.records().assert_same(&before, "what was put away is back");
    project.call("undo").run().succeeded();
    assert_eq!(project.json("list --expired")["matches"], 0);
    assert!(project.tree(".handoff/sessions").files().is_empty(), "the body went with it");
    project.call("redo").run().succeeded();
    assert_eq!(fetched(&project, &id), "body\n");
}

#[test]
fn what_is_purged_is_gone_for_good() {
    let project = project!();
    let id = store(&project, "--name plan --ttl 1h", "body\n");
    at(&project, LATER, "gc").succeeded();
    at(&project, LATER, "gc --purge --dry-run").succeeded().says("would delete 1 for good");
    at(&project, LATER, "gc --purge").succeeded().says("deleted 1 for good");
    at(&project, LATER, &format!("extend {id} 7d")).failed(3);
}

#[test]
fn a_large_body_is_kept_and_put_away_and_brought_back() {
    let project = project!();
    let body = "0123456789abcdef\n".repeat(400_000);
    let id = store(&project, "--name large --ttl 1h", &body);
    assert!(fetched(&project, &id) == body, "a body of 6.8 MB");
    project.call("doctor").run().succeeded();
    at(&project, LATER, "gc").succeeded().says("removed 1 expired package");
    project.call("undo").run().succeeded();
    assert!(fetched(&project, &id) == body);
}

#[test]
fn a_body_that_is_too_large_is_refused() {
    let project = project!();
    let body = vec![b'x'; 64 * 1024 * 1024 + 1];
    project.call("store --name large").stdin(body).run().failed(2).says("more than 64 MB");
}

#[test]
fn packages_are_no_handoffs_to_go_on_from() {
    let project = project!();
    project.call("save 'The last handoff'").run().succeeded();
    store(&project, "--name plan", "not a handoff");
    project.call("resume").run().succeeded().says("The last handoff").hides("not a handoff");
    project.call("save 'For an hour' --ttl 1h").run().succeeded();
    at(&project, LATER, "resume").succeeded().says("The last handoff").hides("For an hour");
    at(&project, LATER, "session list").succeeded().hides("For an hour");
    at(&project, LATER, "session list --expired").succeeded().says("For an hour");
}

#[test]
fn outside_a_project_packages_go_to_the_user_store() {
    let project = TestProject::empty(env!("CARGO_BIN_EXE_handoff"));
    project.call("list").run().succeeded().says("nothing is saved here yet");
    let answer = project.call("store --name plan --project my-app").stdin("x\n").run();
    let id = answer.succeeded().stdout.trim_end().to_owned();
    assert_eq!(id.len(), 8, "only the id goes to standard output:\n{answer}");
    assert_eq!(fetched(&project, "--name plan"), "x\n");
    assert_eq!(ids(&project.json("list --project my-app")), [id.as_str()]);
    assert_eq!(project.json("list --project other")["matches"], 0);
}

#[test]
fn four_hundred_stores_at_once_all_succeed() {
    let project = project!();
    for round in 0..50 {
        let line = |place: i32| format!("store --name n{round}-{place}");
        let running: Vec<_> =
            (0..8).map(|place| project.call(&line(place)).stdin(format!("{round}-{place}")).start()).collect();
        for call in running {
            call.end().succeeded();
        }
    }
    let list = project.json("list --kind package");
    let mut found = ids(&list);
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), 400);
    assert_eq!(fetched(&project, "--name n49-7"), "49-7");
}
