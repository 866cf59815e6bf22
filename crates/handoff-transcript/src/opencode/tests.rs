use std::path::{Path, PathBuf};

use handoff_model::agent::{Digest, FileChange, Host, TodoStatus, Usage};
use rusqlite::Connection;

use super::*;

const SESSION: &str = "ses_e1f2dd6d4ffek8LnhzDl7hReUF";

fn recorded() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/transcripts/opencode/opencode.sql");
    // The recorded part has no table for what it points to elsewhere.
    format!("PRAGMA foreign_keys = OFF;\n{}", std::fs::read_to_string(file).unwrap())
}

/// The recorded database, with its owner still at work in it.
fn database(directory: &Path) -> (PathBuf, Connection) {
    let path = directory.join("opencode.db");
    let owner = Connection::open(&path).unwrap();
    owner.pragma_update(None, "journal_mode", "wal").unwrap();
    owner.execute_batch(&recorded()).unwrap();
    (path, owner)
}

fn all(path: &Path) -> Digest {
    read_on(path, None, &Place::default(), u64::MAX).unwrap().digest
}

#[test]
fn the_recorded_session_is_read_as_it_happened() {
    let directory = tempfile::tempdir().unwrap();
    let (path, _owner) = database(directory.path());
    let digest = all(&path);

    let prompts: Vec<_> = digest.prompts.iter().map(|prompt| prompt.text.as_str()).collect();
    assert_eq!(
        prompts,
        ["Fix the refresh test, then plan the race test.", "Which file may race?", "close the session"]
    );
    let ran: Vec<_> = digest.commands.iter().map(|ran| (ran.command.as_str(), ran.exit, ran.is_failure)).collect();
    assert_eq!(
        ran,
        [
            ("sh tests/refresh.sh", Some(1), true),
            ("sh tests/refresh.sh", Some(0), false),
            (
                "git add -A && git -c user.name=dev -c user.email=dev@example.com commit -qm 'Fix the refresh test'",
                Some(0),
                false
            ),
            ("ls src", Some(0), false),
        ]
    );
    assert_eq!(digest.commands[0].tail.as_deref(), Some("1 failed: token is expired"));
    let files: Vec<_> =
        digest.files.iter().map(|file| (file.path.as_str(), file.looks, file.changes, file.change.clone())).collect();
    assert_eq!(
        files,
        [
            ("/home/dev/my-app/src/token.txt", 1, 1, Some(FileChange::Updated)),
            ("/home/dev/my-app/src/clock.txt", 0, 1, Some(FileChange::Added)),
        ]
    );
    let todos: Vec<_> = digest.todos.iter().map(|todo| (todo.text.as_str(), todo.status)).collect();
    assert_eq!(todos, [("Fix the refresh test", TodoStatus::Completed), ("Add the race test", TodoStatus::Pending)]);
    assert_eq!(digest.failures.len(), 1);
    assert!(digest.failures[0].what.starts_with("handoff_update_task: Error: Task not found: 'zzzz'."));
    assert_eq!(digest.answer.as_ref().map(|said| said.text.as_str()), Some("Saved."));
    assert_eq!((digest.asked, digest.turns, digest.is_unfinished), (3, 3, false));
    assert_eq!(digest.tokens.spent(), Usage { input: 596_121, cached: 0, output: 340 });
    assert_eq!(digest.fill.map(|fill| fill.used), Some(35_862));
    let tools: Vec<_> = digest.handoff_calls.iter().map(|(tool, _)| tool.as_str()).collect();
    assert!(tools.contains(&"handoff_save_context") && tools.contains(&"handoff_init"), "{tools:?}");
    assert_eq!(digest.about.session.as_deref(), Some(SESSION));
    assert_eq!(digest.about.cwd.as_deref(), Some("/home/dev/my-app"));
    assert_eq!(digest.about.version.as_deref(), Some("1.18.33"));
    assert_eq!(digest.about.model.as_deref(), Some("scripted"));
    assert_eq!(digest.about.title.as_deref(), Some("Scripted title"));
    assert_eq!(digest.started_at.unwrap().to_string(), "2026-11-15T20:07:11.915Z");
}

/// Plays the session row by row, as its owner wrote it.
fn grown_in_pieces(limit: u64) -> (Digest, Digest) {
    let directory = tempfile::tempdir().unwrap();
    let (path, owner) = database(directory.path());
    let whole = all(&path);
    owner
        .execute_batch(
            "ALTER TABLE part RENAME TO later; CREATE TABLE part AS SELECT * FROM later WHERE 0; DELETE FROM message;",
        )
        .unwrap();
    let rest = rusqlite::Connection::open_in_memory().unwrap();
    rest.execute_batch(&recorded()).unwrap();
    let messages: Vec<(String, String)> = rows(&rest, "SELECT id, data FROM message ORDER BY time_created, id");

    let mut place = Place::default();
    let mut joined = Digest::default();
    let mut read = |place: &mut Place| {
        loop {
            // What goes into a record comes back from it.
            *place = serde_json::from_str(&serde_json::to_string(place).unwrap()).unwrap();
            let step = read_on(&path, Some(SESSION), place, limit).unwrap();
            let is_over = step.digest == Digest::default();
            joined.join(step.digest);
            *place = step.mark;
            if is_over {
                break;
            }
        }
    };
    for (id, data) in messages {
        let unfinished = data.replace("\"completed\"", "\"later\"").replace("\"finish\"", "\"later\"");
        owner
            .execute(
                "INSERT INTO message SELECT id, session_id, time_created, time_updated, ?2 FROM (SELECT ?1 AS id, ?3 AS session_id, \
                 (SELECT min(time_created) FROM later WHERE message_id = ?1) AS time_created, 0 AS time_updated)",
                rusqlite::params![id, unfinished, SESSION],
            )
            .unwrap();
        read(&mut place);
        let parts: Vec<(String, String)> =
            rows(&owner, &format!("SELECT id, data FROM later WHERE message_id = '{id}' ORDER BY id"));
        for (part, text) in parts {
            let running =
                text.replace("\"status\":\"completed\"", "\"status\":\"running\"").replace("\"end\"", "\"later\"");
            owner
                .execute(
                    "INSERT INTO part SELECT id, message_id, session_id, time_created, time_updated, ?2 FROM later WHERE id = ?1",
                    [&part, &running],
                )
                .unwrap();
            read(&mut place);
            owner.execute("UPDATE part SET data = ?2 WHERE id = ?1", [&part, &text]).unwrap();
            read(&mut place);
        }
        owner.execute("UPDATE message SET data = ?2 WHERE id = ?1", [&id, &data]).unwrap();
        read(&mut place);
    }
    (joined, whole)
}

fn rows(connection: &Connection, query: &str) -> Vec<(String, String)> {
    let mut found = connection.prepare(query).unwrap();
    found.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
}

#[test]
fn a_session_read_while_it_is_written_comes_to_the_same() {
    let (joined, whole) = grown_in_pieces(u64::MAX);
    assert_same(&joined, &whole);
}

/// The same up to rows and times, which a copy of the tables does not keep.
fn assert_same(joined: &Digest, whole: &Digest) {
    let commands = |digest: &Digest| -> Vec<_> {
        digest.commands.iter().map(|ran| (ran.command.clone(), ran.exit, ran.is_failure, ran.id.clone())).collect()
    };
    let files = |digest: &Digest| -> Vec<_> {
        digest.files.iter().map(|file| (file.path.clone(), file.changes, file.looks, file.change.clone())).collect()
    };
    let prompts = |digest: &Digest| -> Vec<_> { digest.prompts.iter().map(|prompt| prompt.text.clone()).collect() };
    assert_eq!(commands(joined), commands(whole));
    assert_eq!(files(joined), files(whole));
    assert_eq!(prompts(joined), prompts(whole));
    assert_eq!((joined.asked, joined.turns, joined.is_unfinished), (whole.asked, whole.turns, whole.is_unfinished));
    assert_eq!(joined.failures.len(), whole.failures.len());
    assert_eq!(joined.todos, whole.todos);
    assert_eq!(joined.tokens, whole.tokens);
    assert_eq!(joined.handoff_calls.len(), whole.handoff_calls.len());
}

#[test]
fn a_long_session_is_read_from_its_end_and_the_rest_later() {
    let directory = tempfile::tempdir().unwrap();
    let (path, _owner) = database(directory.path());
    let whole = all(&path);

    let mut pieces = Vec::new();
    let mut place = Place::default();
    loop {
        let step = read_on(&path, None, &place, 6_000).unwrap();
        if pieces.is_empty() {
            assert!(step.is_behind);
            assert_eq!(step.digest.answer.as_ref().unwrap().text, "Saved.");
        }
        place = step.mark;
        if step.digest == Digest::default() {
            assert!(!step.is_behind);
            break;
        }
        pieces.push((step.from, step.digest));
    }
    assert!(pieces.len() > 3, "{} pieces", pieces.len());
    pieces.sort_by_key(|(from, _)| *from);
    let mut joined = Digest::default();
    for (_, digest) in pieces {
        joined.join(digest);
    }
    assert_same(&joined, &whole);
}

#[test]
fn an_interrupted_command_is_known_without_an_outcome() {
    let directory = tempfile::tempdir().unwrap();
    let (path, owner) = database(directory.path());
    owner
        .execute_batch(
            "UPDATE part SET data = replace(data, '\"status\":\"completed\"', '\"status\":\"running\"') WHERE id = 'prt_1e0d25834001LxdVf8ykGoSZBM';
             DELETE FROM message WHERE time_created > 1794773242472;
             UPDATE message SET data = replace(data, '\"completed\"', '\"later\"') WHERE time_created = 1794773242472;",
        )
        .unwrap();
    let digest = all(&path);
    let last = digest.commands.last().unwrap();
    assert_eq!((last.command.as_str(), last.exit, last.id.is_some()), ("ls src", None, true));
    assert!(digest.is_unfinished);
}

/// The same session as older versions kept it: one small file for each row.
fn tree(directory: &Path) -> PathBuf {
    let memory = Connection::open_in_memory().unwrap();
    memory.execute_batch(&recorded()).unwrap();
    let put = |path: PathBuf, text: &str| {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let storage = directory.join("storage");
    let info = storage.join(format!("session/p1/{SESSION}.json"));
    put(
        info.clone(),
        r#"{"id":"SESSION","projectID":"p1","version":"0.9.0","directory":"/home/dev/my-app","title":"Scripted title","time":{"created":1794773231915,"updated":1794773250254}}"#
            .replace("SESSION", SESSION)
            .as_str(),
    );
    for (id, data) in rows(&memory, "SELECT id, data FROM message") {
        put(storage.join(format!("message/{SESSION}/{id}.json")), &data);
    }
    for (key, data) in rows(&memory, "SELECT message_id || '/' || id, data FROM part") {
        put(storage.join(format!("part/{key}.json")), &data);
    }
    put(
        storage.join(format!("todo/{SESSION}.json")),
        r#"[{"content":"Fix the refresh test","status":"completed"},{"content":"Add the race test","status":"pending"}]"#,
    );
    info
}

#[test]
fn the_older_tree_of_files_tells_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let (path, _owner) = database(directory.path());
    let older = tree(directory.path());
    let mut digest = read_on(&older, Some(SESSION), &Place::default(), u64::MAX).unwrap().digest;
    assert_eq!(digest.tokens.spent(), Usage { input: 596_121, cached: 0, output: 340 });
    let whole = all(&path);
    digest.tokens = whole.tokens;
    assert_same(&digest, &whole);
    assert!(read_on(&older, Some("../../x"), &Place::default(), u64::MAX).unwrap().digest == Digest::default());
}

#[test]
fn sessions_of_a_directory_are_found_in_every_store() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("opencode");
    std::fs::create_dir_all(&data).unwrap();
    let (path, owner) = database(&data);
    owner
        .execute_batch(
            "INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, time_created, time_updated)
             SELECT 'ses_child', project_id, id, slug, directory, title, version, 1, 1 FROM session",
        )
        .unwrap();
    let older = tree(&data);
    let root = home.path().to_owned();
    let env = move |name: &str| (name == "XDG_DATA_HOME").then(|| root.clone().into_os_string());
    let found = crate::locate(Host::OpenCode, &env, Path::new("/home/dev/my-app"));
    let told: Vec<_> = found.iter().map(|found| (found.path.as_path(), found.session.as_deref())).collect();
    assert_eq!(told, [(path.as_path(), Some(SESSION)), (data.join("storage").as_path(), Some(SESSION))]);
    assert!(crate::locate(Host::OpenCode, &env, Path::new("/home/dev/my")).is_empty());
    assert_eq!(crate::find_session(Host::OpenCode, &env, "ses_child"), Some(path.clone()));
    assert_eq!(crate::find_session(Host::OpenCode, &env, "ses_none"), None);
    assert_eq!(crate::recognise(&path), Some(Host::OpenCode));
    assert_eq!(crate::recognise(&older), Some(Host::OpenCode));

    let child = read_on(&path, Some("ses_child"), &Place::default(), u64::MAX).unwrap();
    assert_eq!(child.digest, Digest::default(), "nothing was said in it");
    assert_eq!(all(&path).about.session.as_deref(), Some(SESSION));
}

#[test]
fn another_session_that_became_the_newest_is_read_from_its_beginning() {
    let directory = tempfile::tempdir().unwrap();
    let (path, owner) = database(directory.path());
    let first = read_on(&path, None, &Place::default(), u64::MAX).unwrap();
    assert!(!first.is_restarted);
    owner
        .execute_batch(
            "INSERT INTO session (id, project_id, slug, directory, title, version, time_created, time_updated)
             SELECT 'ses_next', project_id, slug, directory, 'Next', version, 1, time_updated + 1 FROM session;
             INSERT INTO message SELECT 'msg_next', 'ses_next', 1, 1, '{\"role\":\"user\"}' FROM session LIMIT 1;
             INSERT INTO part SELECT 'prt_next', 'msg_next', 'ses_next', 1, 1, '{\"type\":\"text\",\"text\":\"Go on\"}' FROM session LIMIT 1;",
        )
        .unwrap();
    let next = read_on(&path, None, &first.mark, u64::MAX).unwrap();
    assert!(next.is_restarted);
    assert_eq!(next.digest.prompts[0].text, "Go on");
    let same = read_on(&path, Some(SESSION), &first.mark, u64::MAX).unwrap();
    assert!(!same.is_restarted && same.digest == Digest::default());
}
