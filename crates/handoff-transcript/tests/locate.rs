//! Finding transcripts and telling whose they are.

mod common;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use common::{fixture, put};
use handoff_model::agent::Host;
use handoff_transcript::{checked_against, find_session, locate, recognise};

const SESSION: &str = "e01eb16d-743e-4733-ab5c-2d3ced54786e";
const THREAD: &str = "01a1e0c9-ef34-74a3-9059-d4a865f3dbcf";

fn set<'a>(name: &'a str, value: &'a Path) -> impl Fn(&str) -> Option<OsString> + 'a {
    move |asked| (asked == name).then(|| value.as_os_str().to_owned())
}

fn sessions(found: &[handoff_transcript::Located]) -> Vec<&str> {
    found.iter().filter_map(|located| located.session.as_deref()).collect()
}

#[test]
fn sessions_of_claude_code_are_found_by_the_directory_in_their_records() {
    let root = fixture("claude-code");
    let env = set("CLAUDE_CONFIG_DIR", &root);
    let found = locate(Host::ClaudeCode, &env, Path::new("/home/dev/my-app"));
    assert_eq!(found.len(), 4, "the sub-agent's file is none of them: {found:?}");
    assert!(sessions(&found).contains(&SESSION));
    assert_eq!(locate(Host::ClaudeCode, &env, Path::new("/home/dev")).len(), 4, "below it too");
    assert_eq!(locate(Host::ClaudeCode, &env, Path::new("/home/dev/my-app/src")), []);
    assert_eq!(locate(Host::ClaudeCode, &env, Path::new("/home/dev/my")), []);

    let path = find_session(Host::ClaudeCode, &env, SESSION).unwrap();
    assert!(path.ends_with(format!("projects/-home-dev-my-app/{SESSION}.jsonl")));
    assert_eq!(find_session(Host::ClaudeCode, &env, "../-home-dev-my-app/x"), None);
    assert_eq!(find_session(Host::ClaudeCode, &env, ""), None);
}

#[test]
fn the_newest_session_comes_first() {
    let home = tempfile::tempdir().unwrap();
    let line = |session: &str| format!("{{\"type\":\"user\",\"sessionId\":\"{session}\",\"cwd\":\"/p\"}}\n");
    let now = std::time::SystemTime::now();
    for (age, session) in [(30, "old"), (10, "new"), (20, "middle")] {
        let path = home.path().join(format!(".claude/projects/any/{session}.jsonl"));
        put(&path, line(session));
        let file = std::fs::File::options().append(true).open(&path).unwrap();
        file.set_modified(now - std::time::Duration::from_secs(age)).unwrap();
    }
    let env = set("HOME", home.path());
    assert_eq!(sessions(&locate(Host::ClaudeCode, &env, Path::new("/p"))), ["new", "middle", "old"]);
}

#[test]
fn a_thread_of_codex_is_found_where_it_was_moved_to() {
    let home = tempfile::tempdir().unwrap();
    let env = set("CODEX_HOME", home.path());
    let plain = std::fs::read(fixture("codex/classic.jsonl")).unwrap();
    let packed = ruzstd::encoding::compress_to_vec(&plain[..], ruzstd::encoding::CompressionLevel::Fastest);
    let name = format!("rollout-2026-11-15T19-58-12-{THREAD}.jsonl");
    let places: [(PathBuf, &[u8]); 3] = [
        (home.path().join(format!("archived_sessions/{name}.zst")), &packed),
        (home.path().join(format!("archived_sessions/{name}")), &plain),
        (home.path().join(format!("sessions/2026/11/15/{name}")), &plain),
    ];
    assert_eq!(find_session(Host::Codex, &env, THREAD), None);
    for (path, bytes) in &places {
        put(path, bytes);
        let found = locate(Host::Codex, &env, Path::new("/home/dev/my-app"));
        assert!(found.iter().any(|located| located.path == *path), "{found:?}");
        assert!(sessions(&found).iter().all(|session| *session == THREAD));
    }
    let found = find_session(Host::Codex, &env, THREAD).unwrap();
    assert!(found.extension().is_some_and(|end| end == "jsonl"), "one that can be read on is preferred");

    let subagent = std::fs::read(fixture("codex/subagent.jsonl")).unwrap();
    let agent = "01a1e0ca-5ed5-74d2-8665-8811bd86b129";
    put(&home.path().join(format!("sessions/2026/11/15/rollout-2026-11-15T19-58-41-{agent}.jsonl")), subagent);
    assert_eq!(locate(Host::Codex, &env, Path::new("/home/dev/my-app")).len(), 3);
    assert!(find_session(Host::Codex, &env, agent).is_some());
}

#[test]
fn a_transcript_is_recognised_by_its_content() {
    let folder = tempfile::tempdir().unwrap();
    let renamed = |name: &str| {
        let path = folder.path().join("renamed.txt");
        put(&path, std::fs::read(fixture(name)).unwrap());
        recognise(&path)
    };
    let session = format!("claude-code/projects/-home-dev-my-app/{SESSION}.jsonl");
    for name in [session.as_str(), "claude-code/older.jsonl"] {
        assert_eq!(renamed(name), Some(Host::ClaudeCode), "{name}");
    }
    for name in ["classic", "older-events", "older-items", "oldest"] {
        assert_eq!(renamed(&format!("codex/{name}.jsonl")), Some(Host::Codex), "{name}");
    }
    assert_eq!(recognise(&folder.path().join("none")), None);
    put(&folder.path().join("other"), "# A page\n{\"name\": \"package\"}\n");
    assert_eq!(recognise(&folder.path().join("other")), None);
}

#[test]
fn a_packed_thread_is_recognised_too() {
    let folder = tempfile::tempdir().unwrap();
    let plain = std::fs::read(fixture("codex/killed.jsonl")).unwrap();
    let path = folder.path().join("x");
    put(&path, ruzstd::encoding::compress_to_vec(&plain[..], ruzstd::encoding::CompressionLevel::Fastest));
    assert_eq!(recognise(&path), Some(Host::Codex));
}

#[test]
fn each_reader_says_what_it_was_checked_against() {
    assert_eq!(checked_against(Host::ClaudeCode), Some("Claude Code 2.1.325, 2026-11-15"));
    assert!(checked_against(Host::Codex).unwrap().starts_with("Codex CLI 0.166.0"));
    assert_eq!(checked_against(Host::VsCode), None);
}
