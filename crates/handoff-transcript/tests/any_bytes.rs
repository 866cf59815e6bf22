//! No bytes bring a reader down, and none make it read more than the file has.

mod common;

use common::{fixture, put};
use handoff_model::agent::Host;
use handoff_transcript::{Mark, Source, read, read_on, recognise};
use proptest::prelude::*;

const FILES: [(Host, &str); 6] = [
    (Host::ClaudeCode, "claude-code/older.jsonl"),
    (Host::ClaudeCode, "claude-code/projects/-home-dev-my-app/518c918d-1803-4f6c-bc81-a96adc5e66a5.jsonl"),
    (Host::Codex, "codex/classic.jsonl"),
    (Host::Codex, "codex/older-events.jsonl"),
    (Host::Codex, "codex/oldest.jsonl"),
    (Host::Codex, "codex/code-mode.jsonl"),
];

/// What may happen to a file: a byte set, a stretch taken out, a stretch put in twice.
#[derive(Clone, Debug)]
enum Damage {
    Set(prop::sample::Index, u8),
    Remove(prop::sample::Index, usize),
    Repeat(prop::sample::Index, usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let byte = prop_oneof![any::<u8>(), prop::sample::select(b"{}[]\",:\\\n0-tnf ".to_vec())];
    prop_oneof![
        4 => (any::<prop::sample::Index>(), byte).prop_map(|(at, byte)| Damage::Set(at, byte)),
        1 => (any::<prop::sample::Index>(), 0..400_usize).prop_map(|(at, length)| Damage::Remove(at, length)),
        1 => (any::<prop::sample::Index>(), 0..400_usize).prop_map(|(at, length)| Damage::Repeat(at, length)),
    ]
}

fn damaged(mut bytes: Vec<u8>, all: &[Damage]) -> Vec<u8> {
    for damage in all {
        let stretch = |at: &prop::sample::Index, length: &usize, total: usize| {
            let from = at.index(total);
            from..total.min(from + length)
        };
        match damage {
            Damage::Set(at, byte) => {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            Damage::Remove(at, length) => drop(bytes.drain(stretch(at, length, bytes.len() - 1))),
            Damage::Repeat(at, length) => {
                let again = bytes[stretch(at, length, bytes.len())].to_vec();
                let at = at.index(bytes.len());
                bytes.splice(at..at, again);
            }
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_transcript_gives_what_is_left_of_it(
        which in 0..FILES.len(),
        damages in prop::collection::vec(damage(), 1..40),
        limit in 200..200_000_u64,
    ) {
        let (host, name) = FILES[which];
        let bytes = damaged(std::fs::read(fixture(name)).unwrap(), &damages);
        let folder = tempfile::tempdir().unwrap();
        let source = Source { host, path: folder.path().join("damaged.jsonl"), session: None };
        put(&source.path, &bytes);
        let _ = recognise(&source.path);

        let whole = read(&source).unwrap();
        let lines = bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        prop_assert!(whole.lines == lines || whole.lines == lines + 1);
        prop_assert!(whole.unreadable <= whole.lines);

        let (mut mark, mut read, mut is_behind) = (Mark::default(), 0, true);
        for _ in 0..5_000 {
            let piece = read_on(&source, &mark, limit).unwrap();
            read += piece.lines;
            mark = piece.mark;
            is_behind = piece.is_behind;
            if !is_behind {
                break;
            }
        }
        prop_assert!(!is_behind, "reading on comes to an end");
        prop_assert_eq!(read, lines);
    }
}
