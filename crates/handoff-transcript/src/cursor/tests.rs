use std::ffi::OsString;
use std::path::{Path, PathBuf};

use handoff_model::agent::{Digest, FileChange, Host, TodoStatus, Usage};
use rusqlite::Connection;

use crate::{Mark, Source, find_session, locate, read, read_on, recognise};

const SESSION: &str = "0b8f3a52-6c1e-4f6e-9a51-3d2b7f0c9e11";

fn source(path: &Path) -> Source {
    Source { host: Host::Cursor, path: path.to_owned(), session: None }
}

fn prompts(digest: &Digest) -> Vec<&str> {
    digest.prompts.iter().map(|prompt| prompt.text.as_str()).collect()
}

fn files(digest: &Digest) -> Vec<(&str, u32, Option<FileChange>)> {
    digest.files.iter().map(|file| (file.path.as_str(), file.looks, file.change.clone())).collect()
}

/// Reads a source in pieces of a limit, and joins them in their order.
fn joined(source: &Source, limit: u64) -> Digest {
    let mut pieces = Vec::new();
    let mut mark = Mark::default();
    loop {
        let piece = read_on(source, &mark, limit).unwrap();
        mark = serde_json::from_str(&serde_json::to_string(&piece.mark).unwrap()).unwrap();
        let is_over = piece.digest == Digest::default() && !piece.is_behind;
        pieces.push((piece.from, piece.digest));
        if is_over {
            break;
        }
    }
    pieces.sort_by_key(|(from, _)| *from);
    let mut joined = Digest::default();
    for (_, digest) in pieces {
        joined.join(digest);
    }
    joined
}

const LINES: [&str; 7] = [
    r#"{"role":"user","message":{"content":[{"type":"text","text":"<user_info>linux</user_info>\n<user_query>\nFix the refresh test.\n</user_query>"}]}}"#,
    r#"{"role":"assistant","message":{"content":[{"type":"text","text":"Looking."},{"type":"tool_use","name":"Read","input":{"path":"/home/dev/my-app/src/token.txt"}},{"type":"tool_use","name":"StrReplace","input":{"path":"/home/dev/my-app/src/token.txt","old_string":"a","new_string":"b"}}]}}"#,
    r#"{"role":"assistant","message":{"content":[{"type":"tool_use","id":"s1","name":"Shell","input":{"command":"sh tests/refresh.sh"}}]}}"#,
    r#"{"role":"user","message":{"content":[{"type":"tool_result","tool_use_id":"s1","content":"1 failed\nExit code: 1"}]}}"#,
    r#"{"role":"assistant","message":{"content":[{"type":"tool_use","name":"TodoWrite","input":{"todos":[{"id":"1","content":"Add the race test","status":"pending"}]}}]}}"#,
    r#"{"role":"assistant","message":{"content":[{"type":"text","text":"It fails."}]}}"#,
    r#"{"type":"turn_ended","status":"completed"}"#,
];

fn transcript(home: &Path) -> PathBuf {
    let directory = home.join(".cursor/projects/home-dev-my-app/agent-transcripts").join(SESSION);
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join(format!("{SESSION}.jsonl"));
    std::fs::write(&path, LINES.join("\n") + "\n").unwrap();
    path
}

#[test]
fn lines_of_an_agent_are_read() {
    let home = tempfile::tempdir().unwrap();
    let path = transcript(home.path());
    assert_eq!(recognise(&path), Some(Host::Cursor));
    let digest = read(&source(&path)).unwrap().digest;
    assert_eq!(prompts(&digest), ["Fix the refresh test."]);
    assert_eq!(files(&digest), [("/home/dev/my-app/src/token.txt", 1, Some(FileChange::Updated))]);
    let ran = &digest.commands[0];
    assert_eq!((ran.command.as_str(), ran.exit, ran.is_failure), ("sh tests/refresh.sh", Some(1), true));
    assert_eq!(digest.todos[0].text, "Add the race test");
    assert_eq!(digest.answer.as_ref().unwrap().text, "It fails.");
    assert_eq!((digest.turns, digest.is_unfinished), (1, false));
    assert_eq!(digest.about.session.as_deref(), Some(SESSION));
    assert_eq!(digest.commands[0].line, Some(3));
    assert_eq!(joined(&source(&path), 300).commands, digest.commands);
}

/// A session of the command line: messages in JSON, among them notes that are none.
fn store(home: &Path) -> PathBuf {
    let directory = home.join(".cursor/chats/9f86d081884c7d65/").join(SESSION);
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join("store.db");
    let owner = Connection::open(&path).unwrap();
    owner.pragma_update(None, "journal_mode", "wal").unwrap();
    owner
        .execute_batch(
            "CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB); CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)",
        )
        .unwrap();
    let record = format!(
        r#"{{"agentId":"{SESSION}","name":"New Agent","createdAt":1794772800000,"workspacePath":"/home/dev/my-app","lastUsedModel":"composer-2"}}"#
    );
    owner.execute("INSERT INTO meta VALUES ('0', lower(hex(?1)))", [record]).unwrap();
    let blobs: [&[u8]; 7] = [
        br#"{"role":"system","content":"You are"}"#,
        b"\x0a\x20\xff\xfe",
        br#"{"role":"user","content":[{"type":"text","text":"<user_query>Fix the refresh test.</user_query>"}],"createdAt":1794772801000}"#,
        br#"{"role":"assistant","content":[{"type":"text","text":"Looking."},{"type":"tool-call","toolCallId":"c1","toolName":"Shell","args":{"command":"sh tests/refresh.sh"}},{"type":"tool-call","toolCallId":"c2","toolName":"Write","args":{"path":"src/clock.txt","contents":"tick"}},{"type":"tool-call","toolCallId":"c3","toolName":"Delete","args":{"path":"src/none.txt"}}],"createdAt":1794772802000,"providerOptions":{"cursor":{"modelName":"composer-2.5"}}}"#,
        br#"{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"Shell","result":"1 failed\nCommand exited with code 1"},{"type":"tool-result","toolCallId":"c2","toolName":"Write","result":"ok"},{"type":"tool-result","toolCallId":"c3","toolName":"Delete","result":"no such file","isError":true}]}"#,
        b"\x12\x01{",
        br#"{"role":"assistant","content":[{"type":"text","text":"It fails."}],"createdAt":1794772803000}"#,
    ];
    for (index, data) in blobs.iter().enumerate() {
        owner.execute("INSERT INTO blobs VALUES (?1, ?2)", rusqlite::params![index.to_string(), data]).unwrap();
    }
    std::fs::write(
        directory.join("meta.json"),
        r#"{"schemaVersion":1,"title":"Refresh test","createdAtMs":1794772800000}"#,
    )
    .unwrap();
    path
}

#[test]
fn a_database_of_the_command_line_is_read() {
    let home = tempfile::tempdir().unwrap();
    let path = store(home.path());
    assert_eq!(recognise(&path), Some(Host::Cursor));
    let transcript = read(&source(&path)).unwrap();
    let digest = transcript.digest;
    assert_eq!(transcript.unreadable, 0);
    assert_eq!(prompts(&digest), ["Fix the refresh test."]);
    let ran = &digest.commands[0];
    assert_eq!((ran.command.as_str(), ran.exit, ran.is_failure), ("sh tests/refresh.sh", Some(1), true));
    assert_eq!(files(&digest), [("src/clock.txt", 0, Some(FileChange::Added))]);
    assert_eq!(digest.failures.len(), 1);
    assert_eq!(digest.about.cwd.as_deref(), Some("/home/dev/my-app"));
    assert_eq!(digest.about.title.as_deref(), Some("Refresh test"));
    assert_eq!(digest.about.model.as_deref(), Some("composer-2.5"));
    assert_eq!((digest.turns, digest.is_unfinished), (1, false));
    for limit in [1, 700, 900] {
        let pieces = joined(&source(&path), limit);
        assert_eq!(pieces.commands, digest.commands, "limit {limit}");
        assert_eq!(pieces.files, digest.files, "limit {limit}");
        assert_eq!(pieces.turns, digest.turns, "limit {limit}");
    }
}

const HEAD: &str =
    r#"{"type":"head","name":"Refresh test","workspaceIdentifier":{"uri":{"fsPath":"/home/dev/my-app"}}}"#;

fn state(status: &str, bubbles: &[&str]) -> String {
    let heads: Vec<_> = bubbles.iter().map(|id| format!(r#"{{"bubbleId":"{id}","type":1}}"#)).collect();
    format!(
        r#"{{"_v":17,"composerId":"{SESSION}","status":"{status}","createdAt":1794772800000,"createdOnBranch":"main","fullConversationHeadersOnly":[{}],"modelConfig":{{"modelName":"default"}},"contextTokensUsed":41000,"contextTokenLimit":200000,"todos":[{{"id":"1","content":"Add the race test","status":"pending"}}]}}"#,
        heads.join(",")
    )
}

const BUBBLES: [(&str, &str); 5] = [
    ("b1", r#"{"_v":3,"type":1,"text":"Fix the refresh test.","createdAt":"2026-11-15T20:00:01.000Z"}"#),
    (
        "b2",
        r#"{"_v":3,"type":2,"text":"Looking.","modelInfo":{"modelName":"composer-2.5"},"tokenCount":{"inputTokens":20,"outputTokens":5}}"#,
    ),
    (
        "b3",
        r#"{"_v":3,"type":2,"text":"","toolFormerData":{"name":"run_terminal_command_v2","toolCallId":"t1","params":"{\"command\":\"sh tests/refresh.sh\"}","status":"completed","result":"{\"output\":\"1 failed\",\"exitCode\":1}"}}"#,
    ),
    (
        "b4",
        r#"{"_v":3,"type":2,"text":"","toolFormerData":{"name":"edit_file_v2","toolCallId":"t2","params":"{\"relativeWorkspacePath\":\"src/token.txt\"}","status":"completed","result":"{}"}}"#,
    ),
    ("b5", r#"{"_v":3,"type":2,"text":"It fails.","tokenCount":{"inputTokens":30,"outputTokens":7}}"#),
];

fn editor(home: &Path) -> (PathBuf, Connection) {
    let directory = home.join(".config/Cursor/User/globalStorage");
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join("state.vscdb");
    let owner = Connection::open(&path).unwrap();
    owner
        .execute_batch(
            "CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
             CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
             CREATE TABLE composerHeaders (composerId TEXT PRIMARY KEY, workspaceId TEXT, createdAt INTEGER, lastUpdatedAt INTEGER, isSubagent INTEGER, value TEXT)",
        )
        .unwrap();
    owner
        .execute("INSERT INTO composerHeaders VALUES (?1, 'w', 1794772800000, 1794772900000, 0, ?2)", [SESSION, HEAD])
        .unwrap();
    (path, owner)
}

fn set(owner: &Connection, key: &str, value: &str) {
    owner.execute("INSERT INTO cursorDiskKV VALUES (?1, ?2)", [key, value]).unwrap();
}

fn set_all(owner: &Connection) {
    for (id, bubble) in BUBBLES {
        set(owner, &format!("bubbleId:{SESSION}:{id}"), bubble);
    }
    set(owner, &format!("composerData:{SESSION}"), &state("completed", &BUBBLES.map(|(id, _)| id)));
}

#[test]
fn a_session_of_the_editor_is_read_by_its_keys() {
    let home = tempfile::tempdir().unwrap();
    let (path, owner) = editor(home.path());
    set_all(&owner);
    assert_eq!(recognise(&path), Some(Host::Cursor));
    let digest = read(&source(&path)).unwrap().digest;
    assert_eq!(prompts(&digest), ["Fix the refresh test."]);
    let ran = &digest.commands[0];
    assert_eq!(
        (ran.command.as_str(), ran.exit, ran.tail.as_deref()),
        ("sh tests/refresh.sh", Some(1), Some("1 failed"))
    );
    assert_eq!(files(&digest), [("src/token.txt", 0, Some(FileChange::Updated))]);
    assert_eq!(digest.tokens.spent(), Usage { input: 50, cached: 0, output: 12 });
    assert_eq!(digest.fill.map(|fill| (fill.used, fill.window)), Some((41_000, Some(200_000))));
    assert_eq!(digest.todos[0].status, TodoStatus::Pending);
    assert_eq!(digest.about.branch.as_deref(), Some("main"));
    assert_eq!(digest.about.cwd.as_deref(), Some("/home/dev/my-app"));
    assert_eq!(digest.about.title.as_deref(), Some("Refresh test"));
    assert_eq!(digest.about.model.as_deref(), Some("composer-2.5"));
    assert_eq!((digest.turns, digest.is_unfinished), (1, false));
    let pieces = joined(&source(&path), 300);
    assert_eq!((&pieces.commands, &pieces.files, pieces.asked), (&digest.commands, &digest.files, digest.asked));
}

#[test]
fn a_session_of_the_editor_that_grows_comes_to_the_same() {
    let home = tempfile::tempdir().unwrap();
    let (path, owner) = editor(home.path());
    let mut mark = Mark::default();
    let mut grown = Digest::default();
    let mut read_more = |mark: &mut Mark| {
        let piece = read_on(&source(&path), mark, 1 << 20).unwrap();
        *mark = piece.mark;
        grown.join(piece.digest);
    };
    for count in 1..=BUBBLES.len() {
        let (id, bubble) = BUBBLES[count - 1];
        let ids: Vec<_> = BUBBLES[..count].iter().map(|(id, _)| *id).collect();
        let half = bubble.replace("\"status\":\"completed\"", "\"status\":\"started\"").replace("It fails.", "It");
        set(&owner, &format!("bubbleId:{SESSION}:{id}"), &half);
        set(&owner, &format!("composerData:{SESSION}"), &state("generating", &ids));
        read_more(&mut mark);
        set(&owner, &format!("bubbleId:{SESSION}:{id}"), bubble);
        read_more(&mut mark);
    }
    set_all(&owner);
    read_more(&mut mark);
    let whole = read(&source(&path)).unwrap().digest;
    assert_eq!(grown.commands, whole.commands);
    assert_eq!(files(&grown), files(&whole));
    assert_eq!((grown.asked, grown.turns, grown.is_unfinished), (whole.asked, whole.turns, whole.is_unfinished));
    assert_eq!(grown.tokens, whole.tokens);
    assert_eq!(grown.answer, whole.answer);
}

#[test]
fn all_three_places_are_searched_for_a_directory() {
    let home = tempfile::tempdir().unwrap();
    let lines = transcript(home.path());
    let store = store(home.path());
    let (editor, owner) = editor(home.path());
    set_all(&owner);
    let root = home.path().to_owned();
    let env = move |name: &str| (name == "HOME").then(|| OsString::from(root.clone()));
    let mut found: Vec<_> =
        locate(Host::Cursor, &env, Path::new("/home/dev/my-app")).into_iter().map(|found| found.path).collect();
    found.sort();
    let mut expected = vec![lines.clone(), store, editor.clone()];
    expected.sort();
    assert_eq!(found, expected);
    assert!(locate(Host::Cursor, &env, Path::new("/home/dev/other")).is_empty());
    assert_eq!(find_session(Host::Cursor, &env, SESSION), Some(lines));
    assert_eq!(find_session(Host::Cursor, &env, "other"), None);
}
