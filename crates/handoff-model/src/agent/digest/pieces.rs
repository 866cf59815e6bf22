//! The invariant of digests: pieces that are joined come to the same as the whole.

use proptest::prelude::*;

use super::*;
use crate::agent::{Touch, What};

fn words() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[a-zü ]{1,12}", Just("long ü ".repeat(400))]
}

fn id() -> impl Strategy<Value = String> {
    "[a-e]"
}

fn change() -> impl Strategy<Value = FileChange> {
    prop_oneof![
        Just(FileChange::Added),
        Just(FileChange::Updated),
        Just(FileChange::Deleted),
        "[m-p]".prop_map(|to| FileChange::Moved { to }),
    ]
}

fn status() -> impl Strategy<Value = TodoStatus> {
    prop_oneof![Just(TodoStatus::Pending), Just(TodoStatus::InProgress), Just(TodoStatus::Completed)]
}

fn usage() -> impl Strategy<Value = Usage> {
    (0..99_u64, 0..9_u64, 0..99_u64).prop_map(|(input, cached, output)| Usage { input, cached, output })
}

fn todo() -> impl Strategy<Value = Todo> {
    (proptest::option::of(id()), words(), status()).prop_map(|(id, text, status)| Todo { id, text, status, line: None })
}

fn what() -> impl Strategy<Value = What> {
    let touch = ("[f-k]", proptest::option::of(change())).prop_map(|(path, change)| Touch { path, change });
    prop_oneof![
        words().prop_map(|title| What::About(About { title: Some(title), ..About::default() })),
        words().prop_map(What::Prompt),
        words().prop_map(What::Prompt),
        words().prop_map(What::Answer),
        "(Next|Done|Blocked): [a-c]{1,3}\\.".prop_map(What::Answer),
        words().prop_map(What::Plan),
        words().prop_map(What::Failed),
        ("[f-k]", change()).prop_map(|(path, change)| What::Changed { path, change }),
        "[f-k]".prop_map(|path| What::Looked { path }),
        (id(), words()).prop_map(|(id, command)| What::Command { id, command }),
        (id(), proptest::option::of(prop_oneof![words(), "handoff_[xy]"]), proptest::collection::vec(touch, 0..3))
            .prop_map(|(id, name, touches)| What::Call { id, name, touches }),
        (id(), "handoff_[xy]").prop_map(|(id, tool)| What::Handoff { id, tool }),
        (id(), any::<bool>(), words()).prop_map(|(id, is_failure, output)| What::Outcome {
            id,
            exit: Some(i32::from(is_failure)),
            is_failure,
            output
        }),
        (id(), any::<bool>(), words()).prop_map(|(id, is_failure, output)| What::Outcome {
            id,
            exit: None,
            is_failure,
            output
        }),
        proptest::collection::vec(todo(), 0..4).prop_map(What::Todos),
        (id(), proptest::option::of(words()), proptest::option::of(status()))
            .prop_map(|(id, text, status)| What::Todo { id, text, status }),
        usage().prop_map(What::Spent),
        usage().prop_map(What::SpentInAll),
        (0..9_u64).prop_map(|used| What::Context(Fill { used, window: None })),
        Just(What::Compacted),
        (0..3_u32).prop_map(|prompts| What::Withdrawn { prompts }),
        proptest::option::of(0..9_u64).prop_map(|seconds| What::TurnEnded { seconds }),
        proptest::option::of(0..9_u64).prop_map(|seconds| What::TurnStopped { seconds }),
    ]
}

fn events(at_most: usize) -> impl Strategy<Value = Vec<Event>> {
    proptest::collection::vec(what(), 0..at_most).prop_map(|whats| {
        let moment = |line: usize| format!("2026-11-15T10:{:02}:{:02}Z", line / 60 % 60, line % 60).parse().ok();
        let numbered = whats.into_iter().enumerate();
        numbered.map(|(line, what)| Event { at: moment(line), line: Some(line as u64), what }).collect()
    })
}

fn joined(events: &[Event], cuts: &[usize]) -> Digest {
    let mut all = Digest::default();
    let mut start = 0;
    let mut ends: Vec<usize> = cuts.iter().map(|cut| cut % (events.len() + 1)).collect();
    ends.push(events.len());
    ends.sort_unstable();
    for end in ends {
        let piece = Digest::of(events[start..end].iter().cloned());
        // As it comes back from a record of the piece.
        let kept: Digest = serde_json::from_str(&serde_json::to_string(&piece).unwrap()).unwrap();
        all.join(kept);
        start = end;
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn pieces_joined_come_to_the_same_as_the_whole(
        events in events(10),
        cuts in proptest::collection::vec(0..1_000_usize, 0..6),
    ) {
        prop_assert_eq!(joined(&events, &cuts), Digest::of(events));
    }

    #[test]
    fn what_is_counted_is_the_same_however_much_there_is(
        events in events(60),
        cuts in proptest::collection::vec(0..1_000_usize, 0..6),
    ) {
        let (pieces, whole) = (joined(&events, &cuts), Digest::of(events));
        prop_assert_eq!(pieces.tokens, whole.tokens);
        prop_assert_eq!(pieces.turns, whole.turns);
        prop_assert_eq!(pieces.seconds, whole.seconds);
        prop_assert_eq!(pieces.compactions, whole.compactions);
        prop_assert_eq!(pieces.asked, whole.asked);
        prop_assert_eq!(pieces.is_unfinished, whole.is_unfinished);
        prop_assert_eq!((pieces.answer, pieces.plan, pieces.fill), (whole.answer, whole.plan, whole.fill));
        prop_assert_eq!((pieces.started_at, pieces.ended_at), (whole.started_at, whole.ended_at));
    }
}

#[test]
fn a_digest_stays_small_whatever_happens() {
    let mut digest = Digest::default();
    let long = |number: u64| format!("{number} {}", "ü".repeat(5_000));
    for number in 0..2_000_u64 {
        let mut add = |what| digest.add(Event { at: "2026-11-15T10:00:00Z".parse().ok(), line: Some(number), what });
        add(What::Prompt(long(number)));
        add(What::Answer(long(number)));
        add(What::Plan(long(number)));
        add(What::Failed(long(number)));
        add(What::Changed { path: format!("{}/{number}", "d".repeat(80)), change: FileChange::Updated });
        add(What::Command { id: format!("c{number}"), command: long(number) });
        add(What::Outcome { id: format!("c{number}"), exit: Some(1), is_failure: true, output: long(number) });
        add(What::Outcome { id: format!("lost{number}"), exit: Some(1), is_failure: true, output: long(number) });
        add(What::Todo { id: number.to_string(), text: Some(long(number)), status: None });
        add(What::Call { id: format!("open{number}"), name: Some("Edit".into()), touches: Vec::new() });
    }
    let bytes = serde_json::to_string(&digest).unwrap().len();
    assert!(bytes < 80 * 1024, "{bytes}");
    assert_eq!(digest.asked, 2_000);
    assert_eq!(digest.prompts.len(), 15);
    assert!(digest.prompts[0].text.starts_with("0 "));
    assert!(digest.prompts[14].text.starts_with("1999 "));
}
