//! No bytes bring a reader down, and none make it read more than the file has.
#![expect(clippy::unwrap_used, reason = "a test fails where it must")]

mod common;

use common::{fixture, put};
use handoff_model::agent::Host;
use handoff_transcript::{Mark, Source, read, read_on, recognise};
use proptest::prelude::*;

const FILES: [(Host, &str); 8] = [
    (Host::ClaudeCode, "claude-code/older.jsonl"),
    (Host::ClaudeCode, "claude-code/projects/-home-dev-my-app/518c918d-1803-4f6c-bc81-a96adc5e66a5.jsonl"),
    (Host::Codex, "codex/classic.jsonl"),
    (Host::Codex, "codex/older-events.jsonl"),
    (Host::Codex, "codex/oldest.jsonl"),
    (Host::Codex, "codex/code-mode.jsonl"),
    (Host::Gemini, "gemini-cli/tmp/my-app/chats/session-2026-11-15T20-08-fc277221.jsonl"),
    // Lines of another agent have the same things in other places.
    (Host::Cursor, "claude-code/projects/-home-dev-my-app/518c918d-1803-4f6c-bc81-a96adc5e66a5.jsonl"),
];

/// Documents and databases, by the names they are known by.
const OTHERS: [(Host, &str); 6] = [
    (Host::OpenCode, "opencode.db"),
    (Host::Cursor, "store.db"),
    (Host::Cline, "ui_messages.json"),
    (Host::Cline, "api_conversation_history.json"),
    (Host::Cline, "s1.messages.json"),
    (Host::Gemini, "session-1.json"),
];

/// What such a file may hold.
fn other(name: &str) -> Vec<u8> {
    match name.rsplit_once('.') {
        Some((_, "db")) => database(),
        _ if name.starts_with("session") => [&b"{\"sessionId\":\"s\",\"messages\":"[..], &document(), b"}"].concat(),
        _ => document(),
    }
}

/// The recorded database of OpenCode.
fn database() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("opencode.db");
    let tables = std::fs::read_to_string(fixture("opencode/opencode.sql")).unwrap();
    let owner = rusqlite::Connection::open(&path).unwrap();
    owner.execute_batch(&format!("PRAGMA foreign_keys = OFF; BEGIN; {tables}; COMMIT")).unwrap();
    drop(owner);
    std::fs::read(&path).unwrap()
}

/// A document with something in it for each of its readers.
fn document() -> Vec<u8> {
    let shown =
        |ts: u64, kind: &str, text: &str| serde_json::json!({"ts": ts, "type": "say", "say": kind, "text": text});
    let call = serde_json::json!({"type": "tool_use", "id": "c", "name": "editor", "input": {"path": "a"}});
    let result =
        serde_json::json!({"type": "tool_result", "tool_use_id": "c", "content": "exit code 1", "is_error": true});
    let list = serde_json::json!([
        shown(1, "task", "Fix the test"),
        shown(2, "api_req_started", r#"{"tokensIn":1,"tokensOut":2}"#),
        shown(3, "command", "sh tests/refresh.sh"),
        shown(4, "command_output", "exit code 1"),
        shown(5, "tool", r#"{"tool":"editedExistingFile","path":"a"}"#),
        shown(6, "task_progress", "- [ ] one"),
        {"role": "user", "content": "<task>Fix</task>", "type": "user", "id": "u"},
        {"role": "assistant", "content": [call], "type": "gemini", "id": "g", "toolCalls": [{"id": "c", "name": "replace"}]},
        {"role": "user", "content": [result]},
        shown(7, "completion_result", "Done"),
    ]);
    serde_json::to_vec(&list).unwrap()
}

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
        let lines = memchr::memchr_iter(b'\n', &bytes).count() as u64;
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
    #[test]
    fn a_damaged_database_or_document_gives_an_answer(
        which in 0..OTHERS.len(),
        damages in prop::collection::vec(damage(), 0..40),
        limit in 1..80_000_u64,
    ) {
        let (host, name) = OTHERS[which];
        let folder = tempfile::tempdir().unwrap();
        let source = Source { host, path: folder.path().join(name), session: None };
        put(&source.path, damaged(other(name), &damages));
        let _ = recognise(&source.path);
        let _ = read(&source);
        let (mut mark, mut is_behind) = (Mark::default(), true);
        for _ in 0..500 {
            let Ok(piece) = read_on(&source, &mark, limit) else { return Ok(()) };
            mark = piece.mark;
            is_behind = piece.is_behind;
            if !is_behind {
                break;
            }
        }
        prop_assert!(!is_behind, "reading on comes to an end");
    }
}
