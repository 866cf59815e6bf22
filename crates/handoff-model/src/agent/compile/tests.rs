use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::agent::{About, Event, FileChange, Todo, TodoStatus, Usage, What};
use crate::id::SessionId;
use crate::session::{Pointer, Session, SessionKind, SessionNote};

const ROOT: &str = "/home/dev/my-app";

fn at(minute: u64) -> Moment {
    format!("2026-11-15T09:{:02}:00Z", minute % 60).parse().unwrap()
}

/// Events at one line and minute each.
fn digest(events: impl IntoIterator<Item = What>) -> Digest {
    let numbered = events.into_iter().zip(1..);
    Digest::of(numbered.map(|(what, line)| Event { at: Some(at(line)), line: Some(line), what }))
}

fn about() -> What {
    What::About(About {
        session: Some("e01eb16d".to_owned()),
        cwd: Some(ROOT.to_owned()),
        model: Some("opus".to_owned()),
        version: Some("2.1".to_owned()),
        ..About::default()
    })
}

fn prompt(text: &str) -> What {
    What::Prompt(text.to_owned())
}

fn answer(text: &str) -> What {
    What::Answer(text.to_owned())
}

fn ended() -> What {
    What::TurnEnded { seconds: Some(30) }
}

fn changed(path: &str) -> What {
    What::Changed { path: path.to_owned(), change: FileChange::Updated }
}

fn ran(id: &str, command: &str, exit: i32, output: &str) -> [What; 2] {
    let (id, output) = (id.to_owned(), output.to_owned());
    [
        What::Command { id: id.clone(), command: command.to_owned() },
        What::Outcome { id, exit: Some(exit), is_failure: exit != 0, output },
    ]
}

fn todo(text: &str, status: TodoStatus) -> Todo {
    Todo { id: None, text: text.to_owned(), status, line: None }
}

fn compiled(events: impl IntoIterator<Item = What>) -> Compiled {
    compile(&digest(events), Host::ClaudeCode, &[ROOT])
}

fn steps(compiled: &Compiled) -> Vec<&str> {
    compiled.texts(ItemKind::Next).collect()
}

fn session() -> Session {
    Session::new(SessionId::from_random([0xa3, 0xf9, 0xc1, 0x2e]), SessionKind::Session, at(0))
}

fn a_mornings_work() -> Vec<What> {
    let mut events = vec![
        about(),
        prompt("Fix the refresh test, then plan the race test. Take care of the clock."),
        What::Looked { path: "src/clock.txt".to_owned() },
    ];
    events.extend(ran("1", "cd /home/dev/my-app && sh tests/refresh.sh 2>&1", 1, "running\nexpected 3600, got 60\n"));
    events.extend([changed("/home/dev/my-app/src/token.txt"), changed("src/clock.txt"), changed("src/token.txt")]);
    events.extend(ran("2", "sh tests/refresh.sh", 0, "ok"));
    events.push(What::Todos(vec![
        todo("Fix the refresh test", TodoStatus::Completed),
        todo("Plan the race test", TodoStatus::Pending),
        todo("Write it down", TodoStatus::InProgress),
        todo("Leave a handoff", TodoStatus::Pending),
    ]));
    events.push(What::Spent(Usage { input: 1200, cached: 1000, output: 80 }));
    events.extend([answer("The refresh test passes now. The clock was read in minutes.\n\nMore later."), ended()]);
    events.extend([prompt("continue"), answer("Which race do you mean?"), ended()]);
    events
}

#[test]
fn a_handoff_says_what_was_asked_changed_checked_and_how_it_ended() {
    let compiled = compiled(a_mornings_work());
    assert_eq!(compiled.title.as_deref(), Some("Fix the refresh test, then plan the race test"));
    insta::assert_snapshot!(compiled.summary, @r#"
    Asked: "Fix the refresh test, then plan the race test. Take care of the clock."
    Changed: src/token.txt, src/clock.txt
    Checks: `sh tests/refresh.sh` failed, then passed
    Ended: Which race do you mean?
    "#);
    assert_eq!(steps(&compiled), ["Write it down", "Plan the race test"]);
    let places: Vec<_> = compiled.pointers.iter().map(|place| (place.path.as_str(), place.reason.as_str())).collect();
    assert_eq!(places, [("src/token.txt", "changed twice"), ("src/clock.txt", "changed")]);
    assert!(compiled.notes.is_empty());
    assert_eq!(
        json!(compiled.facts),
        json!({
            "host": "claude-code", "version": "2.1", "model": "opus", "agent_session": "e01eb16d", "requests": 2,
            "turns": 2, "input_tokens": 1200, "output_tokens": 80, "seconds": 60
        })
    );
}

#[test]
fn every_piece_says_which_line_it_was_taken_from() {
    let compiled = compiled(a_mornings_work());
    let line = |field: &str, part: &str| {
        let taken = compiled.taken.iter().find(|taken| taken.field == field && taken.text.contains(part));
        taken.unwrap_or_else(|| panic!("no {field} with {part} in {:#?}", compiled.taken)).line
    };
    assert_eq!(line("title", "Fix the refresh test"), Some(2));
    assert_eq!(line("summary", "failed, then passed"), Some(9));
    assert_eq!(line("pointer", "src/token.txt"), Some(8));
    assert_eq!(line("summary", "Which race"), Some(16));
}

#[test]
fn what_was_broken_off_is_the_first_next_step() {
    let mut events = vec![about(), prompt("Add retries to the uploader"), answer("Looking."), ended()];
    events.extend([prompt("Now the same for the downloader, with a limit of 3"), changed("src/down.rs")]);
    let cut = compiled(events.clone());
    assert_eq!(steps(&cut), ["Finish: Now the same for the downloader, with a limit of 3"]);
    assert!(
        cut.summary.ends_with("Broken off in the middle of the last request; said before: Looking."),
        "{}",
        cut.summary
    );
    events.push(What::Failed("API error 529: overloaded".to_owned()));
    assert!(compiled(events.clone()).summary.ends_with("Broken off: API error 529: overloaded"));
    events.extend([prompt("continue")]);
    assert_eq!(steps(&compiled(events.clone())), steps(&cut), "to go on means what was asked before");
    events.extend([prompt("close the session")]);
    assert!(steps(&compiled(events)).is_empty(), "a handoff that was broken off is no work");
}

#[test]
fn a_check_that_fails_at_the_end_is_to_be_mended_and_warned_of() {
    let mut events = vec![about(), prompt("Make it build")];
    events.extend(ran("1", "cargo test", 101, "error: 2 tests failed\n"));
    events.extend(ran("2", "grep -rn secret src && git commit -m 'make the tests pass'", 1, ""));
    events.extend(ran("3", "cargo test 2>&1 | tail -20", 101, "test a ... FAILED\nerror: test failed\n\n---\n"));
    events.extend([answer("It still fails."), ended()]);
    let compiled = compiled(events);
    assert_eq!(steps(&compiled), ["Fix `cargo test` (exit 101): error: test failed"]);
    assert_eq!(compiled.items[0].check.as_deref(), Some("cargo test"));
    assert_eq!(
        compiled.notes,
        [(NoteCategory::Context, "`cargo test` failed 2 times and did not pass: error: test failed".to_owned())]
    );
}

#[test]
fn a_check_is_open_only_until_it_or_a_wider_one_passes() {
    let open = |runs: &[(&str, i32)]| {
        let mut events = vec![about(), prompt("Make it build")];
        for (number, (command, exit)) in runs.iter().enumerate() {
            events.extend(ran(&number.to_string(), command, *exit, ""));
        }
        events.push(ended());
        steps(&compiled(events)).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    for settled in [
        &[("cargo test -p auth --quiet", 101), ("cargo test -p auth", 0)][..],
        &[("cd api && npm test", 1), ("npm run test", 0)],
        &[("pytest tests/a.py::test_x -q", 1), ("pytest tests/a.py", 0)],
        &[("uv run pytest", 1), ("timeout 60 python -m pytest", 0)],
        &[("cargo fmt --check && cargo test", 1), ("cargo fmt --check", 0), ("cargo test", 0)],
        &[("make test", 130)],
        &[("grep -rn test src", 1)],
        &[("ls tests/nofile", 2)],
        &[("python serve.py", 1), ("cat serve.py", 0)],
    ] {
        assert_eq!(open(settled), Vec::<String>::new(), "{settled:?}");
    }
    assert_eq!(open(&[("pytest tests/a.py", 1), ("pytest tests/b.py", 0)]), ["Fix `pytest tests/a.py` (exit 1)"]);
    assert_eq!(open(&[("make test", 1), ("make test | tail", 0)]), ["Fix `make test` (exit 1)"]);
    assert_eq!(open(&[("make test", 2), ("cd x && make test -j 4", 1)]), ["Fix `make test -j 4` (exit 1)"], "one item");
}

#[test]
fn the_last_words_become_items_that_say_that_they_are_compiled() {
    let report = "Split the token parser into two modules.\n\n## Next steps\n1. Extend the matrix\n2. Run it\n\n\
                  **Blocked:** the staging key is missing\n\n## Questions\n- Should tokens expire?";
    let mut events = vec![about(), prompt("Continue with the parser"), changed("src/token.txt")];
    events.push(What::Todos(vec![todo("extend matrix", TodoStatus::Pending)]));
    events.extend([answer(report), ended()]);
    let compiled = compiled(events);
    assert_eq!(compiled.title.as_deref(), Some("Split the token parser into two modules"));
    assert!(compiled.summary.ends_with("Ended: Split the token parser into two modules."), "{}", compiled.summary);
    let mut session = session();
    session.next = vec!["run it".to_owned()];
    compiled.put_into(&mut session);
    assert_eq!(session.next, ["Extend the matrix", "run it"]);
    assert_eq!(session.blockers, ["the staging key is missing"]);
    assert_eq!(session.questions, ["Should tokens expire?"]);
    let is_compiled = |kind, text| session.item_record(kind, text).is_some_and(|record| record.compiled);
    assert!(is_compiled(ItemKind::Next, "Extend the matrix") && !is_compiled(ItemKind::Next, "run it"));
    assert!(is_compiled(ItemKind::Blocker, "the staging key is missing"));
    let mut again = session.clone();
    compiled.put_into(&mut again);
    assert_eq!(again, session);
}

#[test]
fn titles_say_what_was_done() {
    let title = |asked: &str, said: &str| {
        compiled([about(), prompt(asked), changed("src/a.rs"), answer(said), ended()]).title.unwrap_or_default()
    };
    assert_eq!(
        title("Please go on", "Done! The parser reads both forms now. More."),
        "The parser reads both forms now"
    );
    assert_eq!(title("Read both forms", "Let me look at the parser first."), "Read both forms");
    assert_eq!(title("Read both forms", "Which of the two do you mean?"), "Read both forms");
    assert_eq!(title("Read both forms", "Next: everything that is left to do"), "Read both forms");
    assert_eq!(title("/clear", "OK."), "Work on src/a.rs");
}

#[test]
fn that_a_command_passed_is_not_said_where_another_one_got_its_output() {
    let mut events = vec![about(), prompt("Make it build")];
    events.extend(ran("1", "cargo test | tail -5", 0, ""));
    assert!(!compiled(events).summary.contains("passed"));
}

#[test]
fn files_elsewhere_gone_or_of_the_agent_are_left_out() {
    let events = [
        about(),
        prompt("Move things"),
        changed("/home/dev/other/a.rs"),
        changed("/tmp/x"),
        changed(".handoff/config.toml"),
        changed(".claude/plans/p.md"),
        What::Changed { path: "old.rs".to_owned(), change: FileChange::Deleted },
        What::Changed { path: "b.rs".to_owned(), change: FileChange::Moved { to: "src/../src/b.rs".to_owned() } },
        What::Changed { path: "new.rs".to_owned(), change: FileChange::Added },
    ];
    let compiled = compiled(events);
    let places: Vec<_> = compiled.pointers.iter().map(|place| format!("{} {}", place.path, place.reason)).collect();
    assert_eq!(places, ["new.rs added", "src/b.rs changed"]);
}

#[test]
fn the_files_worked_on_most_and_last_come_first_and_few_are_kept() {
    let mut events = vec![about(), prompt("Rename it everywhere")];
    events.extend((0..40).map(|number| changed(&format!("src/{number}.rs"))));
    events.extend((0..6).map(|_| changed("src/main.rs")));
    events.extend((30..40).map(|number| changed(&format!("src/{number}.rs"))));
    let compiled = compiled(events);
    assert_eq!(compiled.pointers.len(), 12);
    let first: Vec<&str> = compiled.pointers[..3].iter().map(|place| place.path.as_str()).collect();
    assert_eq!(first, ["src/main.rs", "src/39.rs", "src/38.rs"]);
    assert!(compiled.summary.contains(" more"), "{}", compiled.summary);
}

#[test]
fn files_are_counted_beyond_those_that_are_kept() {
    let mut events = vec![about(), prompt("Rename it everywhere")];
    events.extend((0..300).map(|number| changed(&format!("src/f{number}.rs"))));
    // Again, and none of them twice.
    events.extend((0..20).map(|number| changed(&format!("src/f{number}.rs"))));
    let (first, second) = events.split_at(250);
    let mut joined = digest(first.to_vec());
    joined.join(digest(second.to_vec()));
    for digest in [joined, digest(events)] {
        let mut compiled = compile(&digest, Host::ClaudeCode, &[ROOT]);
        let more =
            compiled.summary.split_once(" and about ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
        assert!(matches!(more, Some(289..=299)), "{}", compiled.summary);
        assert_eq!(compiled.keep_pointers(|_| false), 200, "all that are known");
    }
}

#[test]
fn a_file_that_is_gone_makes_room_for_the_next() {
    let mut events = vec![about(), prompt("Rename it everywhere")];
    events.extend((0..40).map(|number| changed(&format!("src/{number}.rs"))));
    let mut compiled = compiled(events);
    let is_there = |path: &str| !path.starts_with("src/3");
    assert_eq!(compiled.keep_pointers(is_there), 11);
    let paths: Vec<&str> = compiled.pointers.iter().map(|place| place.path.as_str()).collect();
    assert_eq!((paths.len(), paths[0], paths[11]), (12, "src/29.rs", "src/18.rs"));
    let told: Vec<&str> =
        compiled.taken.iter().filter(|taken| taken.field == "pointer").map(|taken| taken.text.as_str()).collect();
    assert_eq!(told, paths);
}

#[test]
fn files_that_were_only_looked_at_count_where_none_was_changed() {
    let look = |path: &str| What::Looked { path: path.to_owned() };
    let events = [about(), prompt("How does it work?"), look("a.rs"), look("b.rs"), look("a.rs")];
    let compiled = compiled(events);
    assert_eq!(compiled.pointers, [Place { path: "a.rs".to_owned(), reason: "looked at twice".to_owned() }]);
    assert!(!compiled.summary.contains("Changed"));
}

#[test]
fn an_open_plan_gives_the_next_steps_and_one_that_was_begun_does_not() {
    let plan = "# Plan\n1. Split the parser\n   - keep the API\n2. Add tests\n- [x] Read the code\n";
    let mut events = vec![about(), prompt("Plan it"), What::Plan(plan.to_owned()), ended()];
    assert_eq!(steps(&compiled(events.clone())), ["Split the parser", "Add tests"]);
    events.push(changed("src/parser.rs"));
    assert!(steps(&compiled(events)).is_empty());
}

#[test]
fn prompts_about_the_session_make_no_title() {
    for noise in [
        "continue",
        "ok, go on please",
        "/clear",
        "/compact keep the tests",
        "close the session",
        "Continue where I left off!",
        "do a handoff",
        "I want to continue where I left off",
        "please close the session now",
        "thanks",
        "ja, weiter",
    ] {
        let compiled =
            compiled([about(), prompt(noise), answer("Fine."), ended(), prompt("Sort the list by name."), ended()]);
        assert_eq!(compiled.title.as_deref(), Some("Sort the list by name"), "{noise}");
    }
    for work in [
        "/src/main.rs does not compile",
        "Fix the login test, then leave a handoff",
        "Close the file handle in the session cache",
        "go to the parser",
    ] {
        assert!(!words::is_noise(work), "{work}");
    }
}

#[test]
fn the_agents_own_title_is_taken_unless_it_is_one_for_all() {
    let titled = |title: &str| {
        let own = What::About(About { title: Some(title.to_owned()), ..About::default() });
        compiled([about(), prompt("Sort it"), own]).title
    };
    assert_eq!(titled("Sorting the list").as_deref(), Some("Sorting the list"));
    assert_eq!(titled("New session - 2026-11-15T09:00:00Z").as_deref(), Some("Sort it"));
}

#[test]
fn no_work_gives_nothing() {
    assert!(compiled([]).is_empty());
    assert!(compiled([about(), prompt("continue"), answer("With what?"), ended()]).is_empty());
    let mut session = session();
    let before = session.clone();
    compiled([about()]).put_into(&mut session);
    assert_eq!(session, before);
}

#[test]
fn colors_of_a_terminal_are_left_out() {
    let mut events = vec![about(), prompt("Make it \x1b[1mbuild\x1b[0m")];
    events.extend(ran(
        "1",
        "cargo test",
        101,
        "\x1b[0m\x1b[1;31merror\x1b[0m: 2 tests \x1b]8;;http://x\x07failed\x1b]8;;\x07\n",
    ));
    events.extend([answer("It \x1b[31mfails\x1b[m."), ended()]);
    let compiled = compiled(events);
    assert_eq!(steps(&compiled), ["Fix `cargo test` (exit 101): error: 2 tests failed"]);
    insta::assert_snapshot!(compiled.summary, @r#"
    Asked: "Make it build"
    Checks: `cargo test` fails (exit 101)
    Ended: It fails.
    "#);
}

#[test]
fn a_long_list_is_kept_whole_and_a_longer_one_says_how_many_more() {
    let list = |count: u32| {
        let todos = (1..=count).map(|number| todo(&format!("Migrate table {number}"), TodoStatus::Pending));
        compiled([about(), prompt("Migrate"), What::Todos(todos.collect()), ended()])
    };
    assert_eq!(steps(&list(40)).len(), 40);
    assert_eq!(steps(&list(45))[38..], ["Migrate table 39", "and 6 more in the agent's list"]);
    assert_eq!(steps(&list(90)).last(), Some(&"and at least 11 more in the agent's list"));
}

#[test]
fn a_finished_list_is_work_even_where_nothing_else_tells_of_it() {
    let done = What::Todos(vec![todo("Extend the matrix", TodoStatus::Completed)]);
    let compiled = compiled([about(), prompt("continue"), done, ended()]);
    assert_eq!(compiled.summary, "Completed: Extend the matrix");
    let done: Vec<&SaidDone> = compiled.ends.iter().map(|end| &end.done).collect();
    assert_eq!(done, [&SaidDone::Entry("Extend the matrix".to_owned())]);
}

#[test]
fn secrets_do_not_come_through() {
    let key = format!("{}{}", "ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4");
    let mut events = vec![about(), prompt(&format!("Use {key} to push. password=hunter2"))];
    events.extend(ran("1", &format!("GH_TOKEN={key} make test"), 1, &format!("bad token {key}")));
    events.extend(ran("2", &format!("GH_TOKEN={key} make test"), 1, &format!("bad token {key}")));
    events.extend([
        changed(&format!("{key}.txt")),
        What::Todos(vec![todo(&format!("Rotate {key}"), TodoStatus::Pending)]),
    ]);
    events.extend([What::Plan(key.clone()), What::Failed(key.clone()), answer(&format!("Pushed with {key}."))]);
    let mut session = session();
    compiled(events).put_into(&mut session);
    let file = session.print();
    assert!(!file.contains(&key) && !file.contains("hunter2"), "{file}");
    assert!(file.contains("Rotate [redacted: "), "{file}");
}

#[test]
fn what_an_agent_wrote_stays_and_the_compiled_summary_becomes_a_note() {
    let mut session = session();
    session.title = Some("Refresh".to_owned());
    session.summary = "Refresh works; the race is open".to_owned();
    session.next = vec!["plan the race test.".to_owned(), "Ask Ann".to_owned()];
    session.pointers = vec![Pointer {
        path: "src/token.txt".to_owned(),
        lines: Some("4-9".to_owned()),
        reason: Some("the unit".to_owned()),
        blob: None,
    }];
    let before = session.clone();
    compiled(a_mornings_work()).put_into(&mut session);
    assert_eq!((&session.title, &session.summary), (&before.title, &before.summary));
    assert_eq!(session.next, ["plan the race test.", "Ask Ann", "Write it down"]);
    assert_eq!(session.pointers[0], before.pointers[0]);
    assert_eq!(
        session.pointers.iter().map(|pointer| pointer.path.as_str()).collect::<Vec<_>>(),
        ["src/token.txt", "src/clock.txt"]
    );
    assert_eq!(session.notes[0].category, NoteCategory::Context);
    assert!(session.notes[0].note.starts_with("From the transcript:\nAsked: \"Fix the refresh test"));
}

#[test]
fn compiling_again_replaces_what_was_compiled_before() {
    let mut session = session();
    let work = a_mornings_work();
    compiled(work.clone()).put_into(&mut session);
    let once = session.clone();
    compiled(work.clone()).put_into(&mut session);
    assert_eq!(session, once);
    let mut more = work;
    more.extend([prompt("Now the race test"), changed("src/token.txt"), changed("tests/race.sh")]);
    more.push(What::Todos(vec![todo("Write it down", TodoStatus::Pending)]));
    more.extend([answer("The race test is there."), ended()]);
    compiled(more).put_into(&mut session);
    assert_eq!(session.next, ["Write it down"]);
    assert!(session.summary.ends_with("Ended: The race test is there."), "{}", session.summary);
    assert_eq!(session.pointers.len(), 3);
    assert!(session.notes.is_empty());
}

#[test]
fn what_somebody_took_out_or_rewrote_does_not_come_back() {
    let mut session = session();
    let work = a_mornings_work();
    compiled(work.clone()).put_into(&mut session);
    session.next.retain(|step| step != "Plan the race test");
    session.pointers.retain(|pointer| pointer.path != "src/clock.txt");
    session.pointers[0].reason = Some("begin here".to_owned());
    session.summary = "All said by hand".to_owned();
    session.notes.push(SessionNote { note: "Mine".to_owned(), category: NoteCategory::Caution });
    compiled(work.clone()).put_into(&mut session);
    compiled(work).put_into(&mut session);
    assert_eq!(session.next, ["Write it down"]);
    assert_eq!(session.pointers.len(), 1);
    assert_eq!(session.pointers[0].reason.as_deref(), Some("begin here"));
    assert_eq!(session.summary, "All said by hand");
    assert_eq!(session.notes.iter().map(|note| note.note.as_str()).filter(|note| *note == "Mine").count(), 1);
    assert_eq!(session.notes.len(), 2);
}

#[test]
fn another_conversation_adds_to_what_one_left() {
    let mut session = session();
    compiled(a_mornings_work()).put_into(&mut session);
    let other =
        What::About(About { session: Some("other".to_owned()), cwd: Some(ROOT.to_owned()), ..About::default() });
    compiled([other, prompt("Something else"), changed("src/b.rs"), answer("Done."), ended()]).put_into(&mut session);
    assert!(session.summary.contains("Fix the refresh test"));
    assert_eq!(session.next, ["Write it down", "Plan the race test"]);
    assert_eq!(compiled_from(&session), Some(("claude-code", "other")));
}

#[test]
fn what_was_put_in_survives_the_file() {
    let mut session = session();
    compiled(a_mornings_work()).put_into(&mut session);
    let read = Session::read(&session.print()).unwrap();
    assert_eq!(read, session);
}

#[test]
fn only_what_came_after_a_handoff_counts() {
    let whole = digest(a_mornings_work());
    assert_eq!(whole.since(at(50)), None);
    assert_eq!(whole.since(at(13)), None, "`continue` alone asks for nothing");
    let mut events = a_mornings_work();
    let told = u64::try_from(events.len()).unwrap();
    events.extend([prompt("Now the race test"), changed("tests/race.sh"), answer("There."), ended()]);
    let rest = digest(events).since(at(told)).unwrap();
    let compiled = compile(&rest, Host::ClaudeCode, &[ROOT]);
    assert_eq!(compiled.title.as_deref(), Some("Now the race test"));
    assert_eq!(compiled.pointers.iter().map(|place| place.path.as_str()).collect::<Vec<_>>(), ["tests/race.sh"]);
    assert!(!compiled.summary.contains("refresh"), "{}", compiled.summary);
    // Tokens are told of the whole conversation, and that is said.
    assert_eq!(compiled.facts["with_earlier"], true);
    assert!(!compile(&digest(a_mornings_work()), Host::ClaudeCode, &[ROOT]).facts.contains_key("with_earlier"));
}

fn any_event() -> impl Strategy<Value = What> {
    let text =
        prop_oneof!["\\PC{0,80}", any::<String>(), "(password=|token: |ghp_)[a-zA-Z0-9]{0,40}", "[a-z /.|&;]{0,40}"];
    let path = prop_oneof!["[a-z./~]{0,20}", any::<String>(), Just(format!("{ROOT}/src/a.rs"))];
    let change = prop_oneof![
        Just(FileChange::Added),
        Just(FileChange::Updated),
        Just(FileChange::Deleted),
        path.clone().prop_map(|to| FileChange::Moved { to })
    ];
    let status = prop_oneof![Just(TodoStatus::Pending), Just(TodoStatus::InProgress), Just(TodoStatus::Completed)];
    prop_oneof![
        text.clone().prop_map(What::Prompt),
        text.clone().prop_map(What::Answer),
        text.clone().prop_map(What::Plan),
        text.clone().prop_map(What::Failed),
        (path.clone(), change).prop_map(|(path, change)| What::Changed { path, change }),
        path.prop_map(|path| What::Looked { path }),
        ("[0-3]", text.clone()).prop_map(|(id, command)| What::Command { id, command }),
        ("[0-3]", any::<Option<i32>>(), any::<bool>(), text.clone())
            .prop_map(|(id, exit, is_failure, output)| What::Outcome { id, exit, is_failure, output }),
        proptest::collection::vec((text, status).prop_map(|(text, status)| todo(&text, status)), 0..20)
            .prop_map(What::Todos),
        Just(What::TurnEnded { seconds: None }),
        Just(about()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_digest_compiles_within_bounds_and_into_a_file_without_secrets(
        events in proptest::collection::vec(any_event(), 0..60)
    ) {
        let digest = digest(events);
        let compiled = compile(&digest, Host::Codex, &[ROOT]);
        prop_assert!(compiled.summary.len() <= 1_100, "{} bytes", compiled.summary.len());
        prop_assert!(compiled.title.as_ref().is_none_or(|title| title.len() <= title::MAX_TITLE_BYTES));
        prop_assert!(compiled.items.len() <= 124 && compiled.notes.len() <= 5 && compiled.pointers.len() <= 12);
        prop_assert!(compiled.items.iter().all(|item| item.text.len() <= 500));
        let mut session = session();
        compiled.put_into(&mut session);
        let once = session.clone();
        compiled.put_into(&mut session);
        prop_assert_eq!(&session, &once);
        let text = session.print();
        prop_assert_eq!(Session::read(&text).unwrap(), session.clone());
        for text in session.next.iter().chain([&session.summary]).chain(&session.title) {
            prop_assert!(crate::secret::find(text).is_empty(), "{}", text);
            prop_assert!(text.is_empty() || text.parse::<crate::text::Prose>().is_ok(), "{:?}", text);
        }
    }
}
