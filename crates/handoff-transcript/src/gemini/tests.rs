use std::ffi::OsString;
use std::path::{Path, PathBuf};

use handoff_model::agent::{Digest, FileChange, Host, TodoStatus, Usage};

use crate::{Mark, Source, find_session, locate, read, read_on, recognise};

const SESSION: &str = "fc277221-89d9-4181-b89d-b4c31b76fc76";

fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/transcripts/gemini-cli")
}

fn recorded() -> PathBuf {
    home().join("tmp/my-app/chats/session-2026-11-15T20-08-fc277221.jsonl")
}

fn source(path: &Path) -> Source {
    Source { host: Host::Gemini, path: path.to_owned(), session: None }
}

fn prompts(digest: &Digest) -> Vec<&str> {
    digest.prompts.iter().map(|prompt| prompt.text.as_str()).collect()
}

#[test]
fn the_recorded_session_is_read_once_though_it_is_written_four_times() {
    let transcript = read(&source(&recorded())).unwrap();
    let digest = transcript.digest;
    assert_eq!((transcript.lines, transcript.unreadable), (90, 0));
    assert_eq!(
        prompts(&digest),
        ["Fix the refresh test, then plan the race test.", "Which file may race?", "close the session"]
    );
    let ran: Vec<_> = digest.commands.iter().map(|ran| (ran.command.as_str(), ran.exit, ran.is_failure)).collect();
    assert_eq!(ran.len(), 4);
    assert_eq!(ran[0], ("sh tests/refresh.sh", Some(1), true));
    assert_eq!(ran[1], ("sh tests/refresh.sh", Some(0), false));
    assert_eq!(ran[3], ("ls src", Some(0), false));
    assert_eq!(digest.commands[0].tail.as_deref(), Some("1 failed: token is expired"));
    let files: Vec<_> =
        digest.files.iter().map(|file| (file.path.as_str(), file.looks, file.changes, file.change.clone())).collect();
    assert_eq!(
        files,
        [
            ("src/token.txt", 1, 0, None),
            ("/home/dev/my-app/src/token.txt", 0, 1, Some(FileChange::Updated)),
            ("/home/dev/my-app/src/clock.txt", 0, 1, Some(FileChange::Added)),
        ]
    );
    let todos: Vec<_> = digest.todos.iter().map(|todo| (todo.text.as_str(), todo.status)).collect();
    assert_eq!(todos, [("Fix the refresh test", TodoStatus::Completed), ("Add the race test", TodoStatus::Pending)]);
    assert_eq!(digest.failures.len(), 1);
    assert!(digest.failures[0].what.contains("Task not found: 'zzzz'"), "{:?}", digest.failures);
    assert_eq!(digest.answer.as_ref().map(|said| said.text.as_str()), Some("Saved."));
    assert_eq!((digest.asked, digest.turns, digest.compactions, digest.is_unfinished), (3, 3, 1, false));
    assert_eq!(digest.tokens.spent(), Usage { input: 1_259_785, cached: 0, output: 350 });
    assert_eq!(digest.fill.map(|fill| fill.used), Some(34_796));
    let tools: Vec<_> = digest.handoff_calls.iter().map(|(tool, _)| tool.as_str()).collect();
    assert_eq!(tools, ["handoff_init", "handoff_load_context", "handoff_update_task", "handoff_save_context"]);
    assert_eq!(digest.about.session.as_deref(), Some(SESSION));
    assert_eq!(digest.about.cwd.as_deref(), Some("/home/dev/my-app"));
    assert_eq!(digest.about.model.as_deref(), Some("gemini-2.5-pro"));
    assert!(!digest.about.is_subagent);
    assert_eq!(digest.started_at.unwrap().to_string(), "2026-11-15T20:08:56.841Z");
}

#[test]
fn pieces_of_any_size_come_to_the_whole() {
    let whole = read(&source(&recorded())).unwrap().digest;
    for limit in [2_300, 5_000, 26_000, 60_000] {
        let mut pieces = Vec::new();
        let mut mark = Mark::default();
        loop {
            let piece = read_on(&source(&recorded()), &mark, limit).unwrap();
            mark = serde_json::from_str(&serde_json::to_string(&piece.mark).unwrap()).unwrap();
            let is_behind = piece.is_behind;
            pieces.push((piece.from, piece.digest));
            if !is_behind {
                break;
            }
        }
        pieces.sort_by_key(|(from, _)| *from);
        let mut joined = Digest::default();
        for (_, digest) in pieces {
            joined.join(digest);
        }
        assert_eq!(prompts(&joined), prompts(&whole), "limit {limit}");
        assert_eq!(joined.commands.len(), whole.commands.len(), "limit {limit}");
        assert_eq!(joined.tokens, whole.tokens, "limit {limit}");
        assert_eq!((joined.turns, joined.is_unfinished), (whole.turns, whole.is_unfinished), "limit {limit}");
        let changed = |digest: &Digest| digest.files.iter().map(|file| file.changes).sum::<u32>();
        assert_eq!(changed(&joined), changed(&whole), "limit {limit}");
    }
}

#[test]
fn a_session_killed_after_a_word_and_a_call_is_unfinished() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("session-killed.jsonl");
    let text = std::fs::read_to_string(recorded()).unwrap();
    let upto = |count: usize| text.lines().take(count).flat_map(|line| [line, "\n"]).collect::<String>();
    std::fs::write(&path, upto(25)).unwrap();
    assert!(!read(&source(&path)).unwrap().digest.is_unfinished);
    std::fs::write(&path, upto(27)).unwrap();
    let digest = read(&source(&path)).unwrap().digest;
    assert!(digest.is_unfinished, "the last answer called a tool");
    assert_eq!(digest.turns, 1);
}

/// The recorded files at a place where they are looked for.
fn env_of(directory: &Path) -> impl Fn(&str) -> Option<OsString> {
    let home = directory.to_owned();
    move |name| (name == "GEMINI_CLI_HOME").then(|| home.clone().into_os_string())
}

fn install(directory: &Path) -> PathBuf {
    let chats = directory.join(".gemini/tmp/my-app/chats");
    std::fs::create_dir_all(&chats).unwrap();
    for file in crate::places::entries(&home().join("tmp/my-app/chats")) {
        std::fs::copy(&file, chats.join(file.file_name().unwrap())).unwrap();
    }
    std::fs::copy(home().join("projects.json"), directory.join(".gemini/projects.json")).unwrap();
    chats
}

#[test]
fn the_file_a_session_goes_on_in_is_found_not_the_empty_one_a_resume_left() {
    let directory = tempfile::tempdir().unwrap();
    let chats = install(directory.path());
    let older = chats.join(recorded().file_name().unwrap());
    let env = env_of(directory.path());
    let found = locate(Host::Gemini, &env, Path::new("/home/dev/my-app"));
    assert_eq!(found.iter().map(|found| found.path.as_path()).collect::<Vec<_>>(), [older.as_path()]);
    assert_eq!(found[0].session.as_deref(), Some(SESSION));
    assert!(locate(Host::Gemini, &env, Path::new("/home/dev/my-app-two")).is_empty());
    assert_eq!(find_session(Host::Gemini, &env, SESSION), Some(older));
    assert_eq!(find_session(Host::Gemini, &env, "other"), None);
}

#[test]
fn a_project_of_an_older_version_is_known_by_the_hash_of_its_path() {
    let directory = tempfile::tempdir().unwrap();
    let hash = super::home::hash(Path::new("/home/dev/my-app"));
    let chats = directory.path().join(".gemini/tmp").join(hash).join("chats");
    std::fs::create_dir_all(&chats).unwrap();
    let path = chats.join("session-2025-10-01T10-00-aaaaaaaa.json");
    std::fs::write(&path, DOCUMENT).unwrap();
    let env = env_of(directory.path());
    let found = locate(Host::Gemini, &env, Path::new("/home/dev/my-app"));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].session.as_deref(), Some("aaaaaaaa-1"));
}

const DOCUMENT: &str = r#"{
  "sessionId": "aaaaaaaa-1",
  "projectHash": "5dd0f2972144dc3a6106ab8990c1a42b5e449533110b45eadbc7a04c3b03fedf",
  "startTime": "2025-10-01T10:00:00.000Z",
  "lastUpdated": "2025-10-01T10:01:00.000Z",
  "messages": [
    {"id": "m1", "timestamp": "2025-10-01T10:00:01.000Z", "type": "user", "content": "Fix the clock"},
    {"id": "m2", "timestamp": "2025-10-01T10:00:05.000Z", "type": "gemini", "content": "Done.",
     "toolCalls": [{"id": "c1", "name": "replace", "args": {"file_path": "src/clock.rs"}, "status": "success",
       "result": [{"functionResponse": {"response": {"output": "Successfully modified file"}}}]}]}
  ]
}"#;

#[test]
fn an_older_document_is_read_and_read_on() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("session-old.json");
    std::fs::write(&path, DOCUMENT).unwrap();
    assert_eq!(recognise(&path), Some(Host::Gemini));
    let piece = read_on(&source(&path), &Mark::default(), 1 << 20).unwrap();
    assert_eq!(prompts(&piece.digest), ["Fix the clock"]);
    assert_eq!(piece.digest.files[0].changes, 1);
    let more =
        DOCUMENT.replace("\n  ]\n}", ",\n{\"id\": \"m3\", \"type\": \"user\", \"content\": \"And the test\"}\n  ]\n}");
    std::fs::write(&path, more).unwrap();
    let later = read_on(&source(&path), &piece.mark, 1 << 20).unwrap();
    assert_eq!(prompts(&later.digest), ["And the test"]);
    assert!(later.from > piece.from);
    let nothing = read_on(&source(&path), &later.mark, 1 << 20).unwrap();
    assert_eq!(nothing.digest, Digest::default());
}

#[test]
fn a_conversation_put_in_at_once_at_the_beginning_is_taken() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("session-moved.jsonl");
    let lines = [
        r#"{"sessionId":"s1","projectHash":"h","startTime":"2026-01-01T00:00:00Z","kind":"main"}"#,
        r#"{"$set":{"messages":[{"id":"u1","type":"user","content":[{"text":"First"}]},{"id":"g1","type":"gemini","content":"Said"}]}}"#,
        r#"{"$set":{"messages":[{"id":"u1","type":"user","content":[{"text":"First"}]},{"id":"g1","type":"gemini","content":"Said"}]}}"#,
        r#"{"id":"u2","type":"user","content":[{"text":"Second"}]}"#,
        r#"{"id":"u3","type":"user","content":[{"text":"Third"}]}"#,
        r#"{"$rewindTo":"u3"}"#,
        "not JSON",
    ];
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    let transcript = read(&source(&path)).unwrap();
    assert_eq!(prompts(&transcript.digest), ["First", "Second"]);
    assert_eq!(transcript.unreadable, 1);
}

#[test]
fn a_sub_agent_is_known_by_the_folder_of_the_session_that_started_it() {
    let directory = tempfile::tempdir().unwrap();
    let chats = install(directory.path());
    let path = chats.join(SESSION).join("a1.jsonl");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let line = r#"{"sessionId":"a1","projectHash":"h","startTime":"2026-01-01T00:00:00Z","kind":"subagent"}"#;
    std::fs::write(&path, format!("{line}\n")).unwrap();
    let about = read(&source(&path)).unwrap().digest.about;
    assert_eq!((about.is_subagent, about.parent.as_deref()), (true, Some(SESSION)));
    assert_eq!(about.cwd.as_deref(), Some("/home/dev/my-app"));
    assert_eq!(locate(Host::Gemini, &env_of(directory.path()), Path::new("/home/dev/my-app")).len(), 1);
}
