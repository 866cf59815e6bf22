//! When agents were at work, as recorded conversations tell.

mod common;

use common::transcript;
use handoff_model::agent::Host;
use jiff::SignedDuration;

#[test]
fn stretches_go_from_the_first_to_the_last_thing_that_happened() {
    let recorded = [
        (Host::ClaudeCode, "claude-code/projects/-home-dev-my-app/e01eb16d-743e-4733-ab5c-2d3ced54786e.jsonl"),
        (Host::Codex, "codex/classic.jsonl"),
        (Host::Gemini, "gemini-cli/tmp/my-app/chats/session-2026-11-15T20-09-fc277221.jsonl"),
    ];
    for (host, name) in recorded {
        let read = transcript(host, name);
        let stretches = read.activity.stretches(SignedDuration::from_mins(10));
        let (first, last) = (stretches[0].0, stretches[stretches.len() - 1].1);
        assert_eq!((Some(first), Some(last)), (read.digest.started_at, read.digest.ended_at), "{host}");
        assert!(stretches.windows(2).all(|pair| pair[0].1 < pair[1].0), "{host}: {stretches:?}");
        let whole = read.activity.stretches(SignedDuration::from_hours(24 * 365));
        assert_eq!(whole, [(first, last)], "{host}");
    }
}
