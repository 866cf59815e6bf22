//! Whatever happens to the bytes of a transcript, reading it ends with an answer.
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests prepare files as an agent would")]

use std::path::{Path, PathBuf};

use handoff_model::agent::Host;
use handoff_transcript::{Mark, Source, read, read_on, recognise};
use proptest::prelude::*;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/transcripts")
}

/// The recorded database of OpenCode, as bytes.
fn database() -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("opencode.db");
    let sql = std::fs::read_to_string(fixtures().join("opencode/opencode.sql")).unwrap();
    let owner = rusqlite::Connection::open(&path).unwrap();
    owner.execute_batch(&format!("PRAGMA foreign_keys = OFF; BEGIN; {sql}; COMMIT")).unwrap();
    drop(owner);
    std::fs::read(&path).unwrap()
}

fn cline() -> Vec<u8> {
    let entry =
        |ts: u64, kind: &str, text: &str| serde_json::json!({"ts": ts, "type": "say", "say": kind, "text": text});
    let list = [
        entry(1, "task", "Fix the test"),
        entry(2, "api_req_started", r#"{"tokensIn":1,"tokensOut":2}"#),
        entry(3, "command", "sh tests/refresh.sh"),
        entry(4, "command_output", "exit code 1"),
        entry(5, "tool", r#"{"tool":"editedExistingFile","path":"a"}"#),
        entry(6, "task_progress", "- [ ] one"),
        entry(7, "completion_result", "Done"),
    ];
    serde_json::to_vec(&list).unwrap()
}

#[derive(Clone, Debug)]
enum Mutation {
    Set(usize, u8),
    Cut(usize, usize),
    Repeat(usize, usize),
    Truncate(usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    prop_oneof![
        (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Mutation::Set(at, byte)),
        (any::<usize>(), prop::sample::select(b"\"{}[]:,\\\n0-".to_vec()))
            .prop_map(|(at, byte)| Mutation::Set(at, byte)),
        (any::<usize>(), 1..200_usize).prop_map(|(at, length)| Mutation::Cut(at, length)),
        (any::<usize>(), 1..2_000_usize).prop_map(|(at, length)| Mutation::Repeat(at, length)),
        any::<usize>().prop_map(Mutation::Truncate),
    ]
}

fn mutate(bytes: &mut Vec<u8>, mutation: &Mutation) {
    if bytes.is_empty() {
        return;
    }
    let place = |at: usize| at % bytes.len();
    match *mutation {
        Mutation::Set(at, byte) => {
            let at = place(at);
            bytes[at] = byte;
        }
        Mutation::Cut(at, length) => {
            let at = place(at);
            bytes.drain(at..(at + length).min(bytes.len()));
        }
        Mutation::Repeat(at, length) => {
            let at = place(at);
            let again = bytes[at..(at + length).min(bytes.len())].to_vec();
            bytes.splice(at..at, again);
        }
        Mutation::Truncate(at) => bytes.truncate(place(at)),
    }
}

fn survives(host: Host, name: &str, mut bytes: Vec<u8>, mutations: &[Mutation], limit: u64) {
    for mutation in mutations {
        mutate(&mut bytes, mutation);
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, &bytes).unwrap();
    let _ = recognise(&path);
    let source = Source { host, path, session: None };
    let _ = read(&source);
    let mut mark = Mark::default();
    for _ in 0..20 {
        let Ok(piece) = read_on(&source, &mark, limit) else { break };
        mark = piece.mark;
        if !piece.is_behind {
            break;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn gemini_survives_any_bytes(mutations in prop::collection::vec(mutation(), 1..30), limit in 1..80_000_u64) {
        let path = fixtures().join("gemini-cli/tmp/my-app/chats/session-2026-11-15T20-08-fc277221.jsonl");
        survives(Host::Gemini, "session-x.jsonl", std::fs::read(path).unwrap(), &mutations, limit);
    }

    #[test]
    fn opencode_survives_any_bytes(mutations in prop::collection::vec(mutation(), 1..30), limit in 1..80_000_u64) {
        survives(Host::OpenCode, "opencode.db", database(), &mutations, limit);
    }

    #[test]
    fn cline_survives_any_bytes(mutations in prop::collection::vec(mutation(), 1..10), limit in 1..80_000_u64) {
        survives(Host::Cline, "ui_messages.json", cline(), &mutations, limit);
        survives(Host::Cline, "api_conversation_history.json", cline(), &mutations, limit);
    }

    #[test]
    fn cursor_survives_any_bytes(mutations in prop::collection::vec(mutation(), 1..30), limit in 1..80_000_u64) {
        // Another agent's lines have roles, contents and calls in other places than expected.
        let path = fixtures().join("claude-code/projects/-home-dev-my-app/e01eb16d-743e-4733-ab5c-2d3ced54786e.jsonl");
        survives(Host::Cursor, "x.jsonl", std::fs::read(path).unwrap(), &mutations, limit);
        survives(Host::Cursor, "store.db", database(), &mutations, limit);
    }
}
