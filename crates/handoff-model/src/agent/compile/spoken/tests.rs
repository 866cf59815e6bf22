use crate::agent::{Compiled, Digest, Event, Host, Todo, TodoStatus, What, compile};
use crate::session::ItemKind;

/// A conversation of prompts and answers, one of each a turn.
fn events(turns: &[(&str, &str)]) -> Vec<Event> {
    let whats = turns.iter().flat_map(|(asked, said)| {
        [What::Prompt((*asked).to_owned()), What::Answer((*said).to_owned()), What::TurnEnded { seconds: None }]
    });
    let at = |line: u64| format!("2026-11-15T09:{line:02}:00Z").parse().ok();
    whats.zip(1..).map(|(what, line)| Event { at: at(line), line: Some(line), what }).collect()
}

fn compiled(turns: &[(&str, &str)]) -> Compiled {
    compile(&Digest::of(events(turns)), Host::ClaudeCode, &["/app"])
}

fn open(turns: &[(&str, &str)]) -> Vec<String> {
    let letter = |kind: ItemKind| kind.letter();
    compiled(turns).items.iter().map(|item| format!("{} {}", letter(item.kind), item.text)).collect()
}

const IMPORTER: (&str, &str) = (
    "Build the importer",
    "Built the importer.\n\nNext steps:\n1. Handle duplicate rows in `src/imp.rs`\n\nBlocked: the staging database \
     password is missing",
);
const ROWS: &str = "n Handle duplicate rows in `src/imp.rs`";
const PASSWORD: &str = "b the staging database password is missing";

#[test]
fn a_later_turn_that_does_not_mention_an_item_leaves_it_open() {
    for later in ["You are welcome.", "You're welcome, happy to help any time!", "Fixed the typo in the readme.", "OK."]
    {
        assert_eq!(open(&[IMPORTER, ("thanks!", later)]), [ROWS, PASSWORD], "{later}");
    }
    // Within a turn, only what is said at its end counts.
    let mut within = events(&[IMPORTER]);
    within.insert(2, Event { at: None, line: Some(2), what: What::Answer("Built it.".to_owned()) });
    assert!(compile(&Digest::of(within), Host::ClaudeCode, &["/app"]).items.is_empty());
}

#[test]
fn a_later_list_adds_to_an_earlier_one() {
    let later = "Split it.\n\nNext steps:\n- Measure the page\n- handle duplicate rows in src/imp.rs.";
    assert_eq!(open(&[IMPORTER, ("split it", later)]), ["n Measure the page", ROWS, PASSWORD]);
    let last = open(&[IMPORTER, ("split it", later), ("go on", "Next: Write the docs")]);
    assert_eq!(last, ["n Write the docs", "n Measure the page", ROWS, PASSWORD]);
}

#[test]
fn words_of_a_later_turn_settle_an_item() {
    for later in [
        "Handled duplicate rows in `src/imp.rs`.",
        "I've handled the duplicate rows in `src/imp.rs`, and all tests pass.",
        "Done:\n- Handle duplicate rows in `src/imp.rs`",
        "- [x] Handle duplicate rows in src/imp.rs",
        "✅ Handle duplicate rows in src/imp.rs",
    ] {
        assert_eq!(open(&[IMPORTER, ("go on", later)]), [PASSWORD], "{later}");
    }
    for later in [
        "Started to handle duplicate rows in `src/imp.rs`.",
        "Handled some duplicate rows in `src/imp.rs`.",
        "Handled duplicate rows in `src/exp.rs`.",
        "I tried to handle duplicate rows in `src/imp.rs`.",
        "Next: nothing left to do.",
    ] {
        assert_eq!(open(&[IMPORTER, ("go on", later)]), [ROWS, PASSWORD], "{later}");
    }
    let again = ("and now?", "It fails again.\n\nNext: Handle duplicate rows in `src/imp.rs`");
    let done = ("go on", "Handled duplicate rows in `src/imp.rs`.");
    assert_eq!(open(&[IMPORTER, done, again]), [ROWS, PASSWORD], "it is open again");
}

#[test]
fn the_agents_list_tells_how_an_item_of_an_earlier_turn_stands() {
    let listed = |status| {
        let mut all = events(&[IMPORTER]);
        let at = "2026-11-15T10:00:00Z".parse().ok();
        let todo = Todo { id: None, text: "Handle the duplicate rows in src/imp.rs".to_owned(), status, line: None };
        let ended = What::TurnEnded { seconds: None };
        let more = [What::Prompt("go on".to_owned()), What::Todos(vec![todo]), What::Answer("OK.".to_owned()), ended];
        all.extend(more.into_iter().zip(10..).map(|(what, line)| Event { at, line: Some(line), what }));
        let compiled = compile(&Digest::of(all), Host::ClaudeCode, &["/app"]);
        compiled.texts(ItemKind::Next).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(listed(TodoStatus::Completed), [] as [&str; 0]);
    assert_eq!(listed(TodoStatus::Pending), ["Handle the duplicate rows in src/imp.rs"]);
}

#[test]
fn a_check_that_passes_later_settles_what_names_it() {
    let mut all = events(&[("Build it", "It is built.\n\nNext: Fix `cargo test -p auth`")]);
    let call = |what| Event { at: "2026-11-15T10:00:00Z".parse().ok(), line: Some(10), what };
    all.push(call(What::Prompt("go on".to_owned())));
    all.push(call(What::Command { id: "1".to_owned(), command: "cargo test".to_owned() }));
    let before = compile(&Digest::of(all.clone()), Host::ClaudeCode, &["/app"]);
    assert!(
        before.texts(ItemKind::Next).any(|text| text == "Fix cargo test -p auth" || text == "Fix `cargo test -p auth`")
    );
    all.push(call(What::Outcome { id: "1".to_owned(), exit: Some(0), is_failure: false, output: String::new() }));
    all.extend([call(What::Answer("It passes.".to_owned())), call(What::TurnEnded { seconds: None })]);
    let after = compile(&Digest::of(all), Host::ClaudeCode, &["/app"]);
    assert_eq!(after.texts(ItemKind::Next).collect::<Vec<_>>(), [] as [&str; 0]);
}

#[test]
fn title_and_summary_come_from_the_last_turn_that_says_what_was_done() {
    let compiled = compiled(&[IMPORTER, ("thanks!", "You are welcome.")]);
    assert_eq!(compiled.title.as_deref(), Some("Built the importer"));
    assert!(compiled.summary.ends_with("Ended: Built the importer."), "{}", compiled.summary);
    for (said, title) in [
        ("Done: moved the parser to its own crate. Next: nothing left to do.", "moved the parser to its own crate"),
        ("Implemented paging. All tests pass.", "Implemented paging"),
        ("Terminei o módulo.", "Terminei o módulo"),
        ("## Summary\n\n- Added paging to the list\n- Removed the old one", "Added paging to the list"),
        ("Fixed it.", "Look at the list"),
        ("Thanks for the kind words about it!", "Look at the list"),
    ] {
        let compiled = self::compiled(&[("Look at the list", said)]);
        assert_eq!(compiled.title.as_deref(), Some(title), "{said}");
        assert_eq!(compiled.texts(ItemKind::Next).count(), 0, "{said}");
        let has_end = compiled.summary.contains(&format!("Ended: {title}"));
        assert!(has_end || title == "Look at the list", "{}", compiled.summary);
    }
}

#[test]
fn a_conversation_that_goes_on_after_its_handoff_names_no_earlier_item_again() {
    let digest = Digest::of(events(&[IMPORTER, ("Now the exporter", "Built the exporter too.")]));
    let rest = digest.since("2026-11-15T09:03:00Z".parse().unwrap()).unwrap();
    assert!(compile(&rest, Host::ClaudeCode, &["/app"]).items.is_empty());
}

#[test]
fn items_of_a_turn_that_is_taken_back_are_gone() {
    let mut all = events(&[("Look at it", "Looked at it."), IMPORTER]);
    all.push(Event { at: None, line: Some(7), what: What::Withdrawn { prompts: 1 } });
    all.push(Event { at: None, line: Some(8), what: What::Prompt("Build the exporter".to_owned()) });
    all.push(Event { at: None, line: Some(9), what: What::Answer("Built the exporter.".to_owned()) });
    assert!(Digest::of(all).answers().all(|said| !said.text.contains("importer")));
}
