use std::ffi::OsString;
use std::path::{Path, PathBuf};

use handoff_model::agent::{Digest, FileChange, Host, TodoStatus, Usage};

use crate::{Mark, Source, find_session, locate, read, read_on, recognise};

const TASK: &str = "1763200000000";

fn source(path: &Path) -> Source {
    Source { host: Host::Cline, path: path.to_owned(), session: None }
}

fn prompts(digest: &Digest) -> Vec<&str> {
    digest.prompts.iter().map(|prompt| prompt.text.as_str()).collect()
}

fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// What the extension shows in a task, entry by entry.
const ENTRIES: [&str; 16] = [
    r#"{"ts":1763200000001,"type":"say","say":"task","text":"Fix the refresh test, then plan the race test."}"#,
    r#"{"ts":1763200000002,"type":"say","say":"api_req_started","text":"{\"request\":\"…\",\"tokensIn\":1000,\"tokensOut\":50,\"cacheWrites\":200,\"cacheReads\":300,\"cost\":0.01}"}"#,
    r#"{"ts":1763200000003,"type":"say","say":"text","text":"The test first."}"#,
    r#"{"ts":1763200000004,"type":"ask","ask":"command","text":"sh tests/refresh.sh"}"#,
    r#"{"ts":1763200000005,"type":"say","say":"command_output","text":"1 failed: token is expired"}"#,
    r#"{"ts":1763200000006,"type":"say","say":"command_output","text":"Command failed with exit code 1."}"#,
    r#"{"ts":1763200000007,"type":"say","say":"tool","text":"{\"tool\":\"readFile\",\"path\":\"src/token.txt\"}"}"#,
    r#"{"ts":1763200000008,"type":"say","say":"tool","text":"{\"tool\":\"editedExistingFile\",\"path\":\"src/token.txt\",\"diff\":\"…\"}"}"#,
    r#"{"ts":1763200000009,"type":"say","say":"tool","text":"{\"tool\":\"newFileCreated\",\"path\":\"src/clock.txt\",\"content\":\"tick\"}"}"#,
    r#"{"ts":1763200000010,"type":"say","say":"task_progress","text":"- [x] Fix the refresh test\n- [ ] Add the race test"}"#,
    r#"{"ts":1763200000011,"type":"say","say":"use_mcp_server","text":"{\"serverName\":\"handoff\",\"type\":\"use_mcp_tool\",\"toolName\":\"handoff_update_task\"}"}"#,
    r#"{"ts":1763200000012,"type":"say","say":"mcp_server_response","text":"Error: Task not found: 'zzzz'"}"#,
    r#"{"ts":1763200000013,"type":"say","say":"use_mcp_server","text":"{\"serverName\":\"handoff\",\"type\":\"use_mcp_tool\",\"toolName\":\"handoff_save_context\"}"}"#,
    r#"{"ts":1763200000014,"type":"say","say":"mcp_server_response","text":"Saved"}"#,
    r#"{"ts":1763200000015,"type":"say","say":"completion_result","text":"The refresh test passes.HAS_CHANGES"}"#,
    r#"{"ts":1763200000016,"type":"say","say":"user_feedback","text":"Which file may race?"}"#,
];

fn list(entries: &[&str]) -> String {
    format!("[{}]", entries.join(","))
}

/// A task of the extension, with the notes beside it.
fn task(home: &Path, extension: &str) -> PathBuf {
    let storage = home.join(".config/Code/User/globalStorage").join(extension);
    let directory = storage.join("tasks").join(TASK);
    put(&directory.join("ui_messages.json"), &list(&ENTRIES));
    put(
        &directory.join("api_conversation_history.json"),
        r#"[{"role":"user","content":[{"type":"text","text":"<task>\nFix\n</task>"},{"type":"text","text":"<environment_details>\n# Current Working Directory (/home/dev/my-app) Files\n</environment_details>"}]}]"#,
    );
    put(
        &directory.join("task_metadata.json"),
        r#"{"files_in_context":[],"model_usage":[{"ts":1,"model_id":"claude-sonnet","model_provider_id":"anthropic","mode":"act"}],"environment_history":[{"cline_version":"3.40.0"}]}"#,
    );
    directory
}

#[test]
fn a_task_of_the_extension_is_read_from_what_was_shown() {
    let home = tempfile::tempdir().unwrap();
    let directory = task(home.path(), "saoudrizwan.claude-dev");
    let path = directory.join("ui_messages.json");
    assert_eq!(recognise(&path), Some(Host::Cline));
    assert_eq!(recognise(&directory), Some(Host::Cline));
    let digest = read(&source(&path)).unwrap().digest;
    assert_eq!(prompts(&digest), ["Fix the refresh test, then plan the race test.", "Which file may race?"]);
    let ran: Vec<_> = digest.commands.iter().map(|ran| (ran.command.as_str(), ran.exit, ran.is_failure)).collect();
    assert_eq!(ran, [("sh tests/refresh.sh", Some(1), true)]);
    assert!(digest.commands[0].tail.as_ref().unwrap().contains("token is expired"));
    let files: Vec<_> = digest.files.iter().map(|file| (file.path.as_str(), file.looks, file.change.clone())).collect();
    assert_eq!(files, [("src/token.txt", 1, Some(FileChange::Updated)), ("src/clock.txt", 0, Some(FileChange::Added))]);
    let todos: Vec<_> = digest.todos.iter().map(|todo| (todo.text.as_str(), todo.status)).collect();
    assert_eq!(todos, [("Fix the refresh test", TodoStatus::Completed), ("Add the race test", TodoStatus::Pending)]);
    assert_eq!(digest.failures.len(), 1);
    assert_eq!(
        digest.handoff_calls.iter().map(|(tool, _)| tool.as_str()).collect::<Vec<_>>(),
        ["handoff_save_context"]
    );
    assert_eq!(digest.answer.as_ref().unwrap().text, "The refresh test passes.");
    assert_eq!(digest.tokens.spent(), Usage { input: 1_500, cached: 300, output: 50 });
    assert_eq!((digest.turns, digest.is_unfinished), (1, true));
    assert_eq!(digest.about.session.as_deref(), Some(TASK));
    assert_eq!(digest.about.cwd.as_deref(), Some("/home/dev/my-app"));
    assert_eq!(digest.about.model.as_deref(), Some("claude-sonnet"));
    assert_eq!(digest.about.version.as_deref(), Some("3.40.0"));
    assert_eq!(digest.started_at.unwrap().to_string(), "2025-11-15T09:46:40.001Z");
}

#[test]
fn a_task_that_grows_comes_to_the_same_and_a_request_is_priced_when_it_is_over() {
    let home = tempfile::tempdir().unwrap();
    let path = task(home.path(), "kilocode.kilo-code").join("ui_messages.json");
    let whole = read(&source(&path)).unwrap().digest;
    let mut mark = Mark::default();
    let mut joined = Digest::default();
    let mut from = None;
    for count in 1..=ENTRIES.len() {
        let mut entries = ENTRIES[..count].to_vec();
        let unpriced = r#"{"ts":1763200000002,"type":"say","say":"api_req_started","text":"{\"request\":\"…\"}"}"#;
        if (2..6).contains(&count) {
            entries[1] = unpriced;
        }
        let partial = entries[count - 1].replacen('{', "{\"partial\":true,", 1);
        let last = entries.pop().unwrap();
        put(&path, &list(&[entries.as_slice(), &[&partial]].concat()));
        let piece = read_on(&source(&path), &mark, 1 << 20).unwrap();
        joined.join(piece.digest);
        entries.push(last);
        put(&path, &list(&entries));
        let piece = read_on(&source(&path), &piece.mark, 1 << 20).unwrap();
        if piece.digest != Digest::default() {
            assert!(from < Some(piece.from), "{count}");
            from = Some(piece.from);
        }
        joined.join(piece.digest);
        mark = serde_json::from_str(&serde_json::to_string(&piece.mark).unwrap()).unwrap();
    }
    assert_eq!(joined, whole);
}

#[test]
fn the_list_that_a_person_edited_wins_over_the_last_one_shown() {
    let home = tempfile::tempdir().unwrap();
    let directory = task(home.path(), "saoudrizwan.claude-dev");
    put(
        &directory.join(format!("focus_chain_taskid_{TASK}.md")),
        "# Focus Chain List\n\n- [x] Fix the refresh test\n- [x] Add the race test\n- [ ] Tell Ann\n",
    );
    let digest = read(&source(&directory)).unwrap().digest;
    assert_eq!(digest.todos.len(), 3);
    assert_eq!(digest.todos[2].text, "Tell Ann");
}

const MANIFEST: &str = r#"{
  "version": 1, "session_id": "1763200000000_ab-C1", "source": "cli", "pid": 7, "started_at": "2026-11-15T20:00:00.000Z",
  "status": "running", "interactive": false, "provider": "anthropic", "model": "claude-sonnet", "cwd": "/home/dev/my-app",
  "workspace_root": "/home/dev/my-app", "metadata": {"title": "Refresh test"}
}"#;

const MESSAGES: &str = r#"{
  "version": 1,
  "updated_at": "2026-11-15T20:01:00.000Z",
  "messages": [
    {"role": "user", "ts": 1794772800000, "content": [{"type": "text", "text": "<user_input mode=\"act\">Fix the refresh test</user_input>"}]},
    {"role": "assistant", "content": [{"type": "thinking", "thinking": "…"},
      {"type": "tool_use", "id": "t1", "name": "run_commands", "input": {"commands": ["sh tests/refresh.sh", {"command": "ls", "args": ["src"]}]}},
      {"type": "tool_use", "id": "t2", "name": "read_files", "input": {"files": [{"path": "src/token.txt"}]}},
      {"type": "tool_use", "id": "t3", "name": "editor", "input": {"path": "src/token.txt", "old_text": "a", "new_text": "b"}},
      {"type": "tool_use", "id": "t4", "name": "apply_patch", "input": {"input": "*** Begin Patch\n*** Add File: src/clock.txt\n+tick\n*** Delete File: old.txt\n*** End Patch"}},
      {"type": "tool_use", "id": "t5", "name": "editor", "input": {"path": "src/none.txt", "old_text": "a", "new_text": "b"}}],
     "modelInfo": {"id": "claude-sonnet", "provider": "anthropic"},
     "metrics": {"inputTokens": 15, "outputTokens": 6, "cacheReadTokens": 2, "cacheWriteTokens": 1, "cost": 0.07}},
    {"role": "user", "content": [
      {"type": "tool_result", "tool_use_id": "t1", "content": "Command failed with exit code 1\n1 failed", "is_error": true},
      {"type": "tool_result", "tool_use_id": "t2", "content": [{"type": "text", "text": "expired"}]},
      {"type": "tool_result", "tool_use_id": "t3", "content": "ok"},
      {"type": "tool_result", "tool_use_id": "t4", "content": "ok", "is_error": false},
      {"type": "tool_result", "tool_use_id": "t5", "content": "no such text", "is_error": true}]},
    {"role": "assistant", "content": [{"type": "text", "text": "It passes now."}], "modelInfo": {"id": "claude-sonnet"}}
  ]
}"#;

#[test]
fn a_session_of_the_command_line_is_read_with_its_manifest() {
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().join(".cline/data/sessions/1763200000000_ab-C1");
    let manifest = directory.join("1763200000000_ab-C1.json");
    let messages = directory.join("1763200000000_ab-C1.messages.json");
    put(&manifest, MANIFEST);
    put(&messages, MESSAGES);
    assert_eq!(recognise(&messages), Some(Host::Cline));
    assert_eq!(recognise(&manifest), Some(Host::Cline));
    let digest = read(&source(&messages)).unwrap().digest;
    assert_eq!(read(&source(&manifest)).unwrap().digest, digest);
    assert_eq!(prompts(&digest), ["Fix the refresh test"]);
    let ran = &digest.commands[0];
    assert_eq!((ran.command.as_str(), ran.exit, ran.is_failure), ("sh tests/refresh.sh; ls src", Some(1), true));
    let files: Vec<_> = digest.files.iter().map(|file| (file.path.as_str(), file.looks, file.change.clone())).collect();
    assert_eq!(
        files,
        [
            ("src/token.txt", 1, Some(FileChange::Updated)),
            ("src/clock.txt", 0, Some(FileChange::Added)),
            ("old.txt", 0, Some(FileChange::Deleted)),
        ]
    );
    assert_eq!(digest.failures.len(), 1);
    assert_eq!(digest.answer.as_ref().unwrap().text, "It passes now.");
    assert_eq!((digest.turns, digest.is_unfinished), (1, false));
    assert_eq!(digest.tokens.spent(), Usage { input: 18, cached: 2, output: 6 });
    assert_eq!(digest.about.cwd.as_deref(), Some("/home/dev/my-app"));
    assert_eq!(digest.about.title.as_deref(), Some("Refresh test"));
}

#[test]
fn tasks_and_sessions_of_a_directory_are_found() {
    let home = tempfile::tempdir().unwrap();
    task(home.path(), "saoudrizwan.claude-dev");
    let directory = home.path().join(".cline/data/sessions/s1");
    put(&directory.join("s1.json"), &MANIFEST.replace("1763200000000_ab-C1", "s1"));
    put(&directory.join("s1.messages.json"), MESSAGES);
    let root = home.path().to_owned();
    let env = move |name: &str| (name == "HOME").then(|| OsString::from(root.clone()));
    let mut found: Vec<_> = locate(Host::Cline, &env, Path::new("/home/dev/my-app"))
        .into_iter()
        .filter_map(|found| found.session)
        .collect();
    found.sort();
    assert_eq!(found, [TASK, "s1"]);
    assert!(locate(Host::Cline, &env, Path::new("/home/dev/other")).is_empty());
    assert_eq!(find_session(Host::Cline, &env, "s1"), Some(directory.join("s1.messages.json")));
    assert!(find_session(Host::Cline, &env, TASK).unwrap().ends_with("ui_messages.json"));
}

#[test]
fn a_list_larger_than_the_limit_is_left_alone() {
    let home = tempfile::tempdir().unwrap();
    let path = task(home.path(), "roo-code.roo-cline").join("ui_messages.json");
    let piece = read_on(&source(&path), &Mark::default(), 100).unwrap();
    assert_eq!(piece.digest, Digest::default());
    assert_eq!(piece.mark.carried::<super::Place>(), super::Place::default());
}
