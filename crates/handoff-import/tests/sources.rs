//! Every source of the fixtures, read to what it should come to.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests prepare files as other programs would")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use base64ct::{Base64, Encoding as _};
use handoff_import::{Reading, System, Taken, Unreadable, is_handoff_mcp, read};
use handoff_model::memory::MemoryKind;
use handoff_model::session::{Session, SessionKind, SessionStatus};
use handoff_model::task::{Status, Task};
use handoff_model::when::Moment;
use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/import").join(name)
}

fn now() -> Moment {
    "2026-11-16T00:00:00Z".parse().unwrap()
}

fn take(system: System, path: &Path) -> Result<Taken, Unreadable> {
    let scratch = tempfile::tempdir().unwrap();
    let taken = read(system, Reading { path, scratch: scratch.path(), now: now() });
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0, "no copy is left");
    taken
}

fn sessions(taken: &Taken) -> Vec<(Session, Option<Vec<u8>>)> {
    let read = |carried: &handoff_bundle::CarriedSession| {
        let session = Session::read(&carried.text).unwrap();
        assert_eq!(carried.name, session.full_name());
        let body = session.body_bytes(carried.body.clone()).unwrap();
        (session, body)
    };
    taken.content.sessions.iter().map(read).collect()
}

fn tasks(taken: &Taken) -> BTreeMap<String, (Task, Option<u32>)> {
    let read = |carried: &handoff_bundle::CarriedTask| {
        let (task, problem) = Task::read(&carried.text).unwrap();
        assert_eq!(problem, None);
        (task.title.clone(), (task, carried.number))
    };
    taken.content.tasks.iter().map(read).collect()
}

#[test]
fn packages_come_to_what_is_expected() {
    for name in ["handoff", "with-expired", "time-variants"] {
        let taken = take(System::HandoffCli, &fixture(&format!("handoff-cli/{name}.db"))).unwrap();
        let expected = fs::read_to_string(fixture(&format!("handoff-cli/{name}.expected.json"))).unwrap();
        let expected: Vec<Value> = serde_json::from_str(&expected).unwrap();
        let found = sessions(&taken);
        assert_eq!(found.len(), expected.len(), "{name}: {:?}", taken.left_out);
        for want in &expected {
            let (session, body) = found.iter().find(|(session, _)| session.id.as_str() == want["id"]).unwrap();
            let text = |key: &str| want[key].as_str().unwrap();
            let moment = |key: &str| text(key).parse::<Moment>().unwrap();
            assert_eq!((session.kind, session.status), (SessionKind::Package, SessionStatus::Closed));
            assert_eq!(session.name.as_deref(), Some(text("name")));
            assert_eq!(session.summary, text("summary"));
            assert_eq!(session.project.as_deref().unwrap_or_default(), text("project"));
            assert_eq!(
                (session.started_at, session.expires_at),
                (Some(moment("created_at")), Some(moment("expires_at")))
            );
            let tags: Vec<&str> = want["tags"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let tags: Vec<&str> = tags.into_iter().filter(|tag| !tag.is_empty()).collect();
            assert_eq!(session.tags, tags);
            let content = Base64::decode_vec(text("content_base64")).unwrap();
            assert_eq!(body.as_deref(), Some(content.as_slice()), "byte for byte");
            assert_eq!(session.body_base64.is_none(), want["content_valid_utf8"] == true);
        }
        assert_eq!(taken.expired, usize::from(name == "with-expired"));
        assert_eq!(taken.left_out, Vec::<String>::new());
    }
}

#[test]
fn a_hot_journal_is_rolled_back_in_a_copy() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["handoff.db", "handoff.db-journal"] {
        fs::copy(fixture("handoff-cli/hot-journal").join(name), dir.path().join(name)).unwrap();
    }
    let bytes = || ["handoff.db", "handoff.db-journal"].map(|name| fs::read(dir.path().join(name)).unwrap());
    let before = bytes();
    let taken = take(System::HandoffCli, &dir.path().join("handoff.db")).unwrap();
    let found = sessions(&taken);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0.name.as_deref(), Some("seed"));
    assert_eq!(found[0].1.as_ref().unwrap().len(), 10);
    assert!(bytes() == before, "the source stays as it was");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "nothing is made beside it");
}

#[test]
fn what_is_no_database_of_packages_is_refused() {
    let error = take(System::HandoffCli, &fixture("handoff-cli/corrupt-header.db")).unwrap_err();
    assert!(matches!(&error, Unreadable::Damaged { reason, .. } if reason.contains("not a database")), "{error}");
    let dir = tempfile::tempdir().unwrap();
    let other = dir.path().join("other.db");
    rusqlite::Connection::open(&other).unwrap().execute_batch("CREATE TABLE packages (id, name)").unwrap();
    let error = take(System::HandoffCli, &other).unwrap_err().to_string();
    assert!(
        error.contains("lacks summary, content, tags, project, created_at, expires_at; it has id, name"),
        "{error}"
    );
    assert!(matches!(take(System::HandoffCli, &dir.path().join("none.db")), Err(Unreadable::Missing(_))));
    assert!(matches!(take(System::HandoffCli, dir.path()), Err(Unreadable::Refused { .. })));
}

#[test]
fn records_keep_what_they_say_and_the_order_they_were_made_in() {
    let taken = take(System::SessionHandoff, &fixture("session-handoff/handoffs.json")).unwrap();
    let found: Vec<Session> = sessions(&taken).into_iter().map(|(session, _)| session).collect();
    assert_eq!(found.len(), 5);
    assert_eq!(taken.left_out, Vec::<String>::new());
    let first = &found[0];
    assert_eq!((first.kind, first.tool.as_deref()), (SessionKind::Record, Some("codex")));
    assert_eq!(first.origin.as_ref().unwrap().id, "20261115-184443");
    assert_eq!(first.next, ["Fix refresh test matrix", "Run race tests"]);
    let dirty = &first.git.as_ref().unwrap().dirty;
    let expected = ["M README.md", "D internal/auth/old.go", "A internal/auth/middleware.go", "M notes with space.txt"];
    assert_eq!(*dirty, expected);
    assert!(found[1].summary.contains("tab\u{8}bs\u{c}ff\u{7f}del\u{1}ctl \u{2028}ls"), "{:?}", found[1].summary);
    assert!(found[1].ended_at < found[2].ended_at && found[2].ended_at < found[3].ended_at);
    assert!(found[1..4].iter().all(|session| session.started_at == found[1].started_at));
}

#[test]
fn one_bad_record_hides_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("handoffs.json");
    let items = r#"{"version": 77, "more": 1, "items": [
        {"id": "a", "created_at": "yesterday", "title": "Odd time", "summary": "s", "extra": {"kept": true}},
        7,
        {"id": "a", "created_at": "2026-11-15T18:44:43Z", "title": "Same id", "summary": "s"},
        {"id": "../../etc/passwd", "created_at": "2999-01-01T00:00:00Z", "title": "\u001b[31mred", "summary": "s"}
    ]}"#;
    fs::write(&path, items).unwrap();
    let taken = take(System::SessionHandoff, &path).unwrap();
    let found: Vec<Session> = sessions(&taken).into_iter().map(|(session, _)| session).collect();
    assert_eq!(found.len(), 3);
    assert_eq!(found[0].origin.as_ref().unwrap().fields["extra"]["kept"], true);
    assert_eq!(found[0].origin.as_ref().unwrap().fields["created_at"], "yesterday");
    assert_ne!(found[0].id, found[1].id);
    assert_eq!(found[2].ended_at, Some(now()), "no time of the future makes it the latest for ever");
    assert_eq!(taken.left_out, ["`more` beside the records", "record 2: it is no JSON object"]);
    assert_eq!(taken.changed.len(), 3, "{:?}", taken.changed);
    for text in ["", "[]", "{}", "{\"items\": 1}", "{\"items\": [", "\u{0}"] {
        fs::write(&path, text).unwrap();
        assert!(matches!(take(System::SessionHandoff, &path), Err(Unreadable::Damaged { .. })), "{text}");
    }
}

#[test]
fn layers_become_sessions() {
    let taken = take(System::AgentHandover, &fixture("agent-handover/completed")).unwrap();
    let told: Vec<(String, String, Vec<u8>)> = sessions(&taken)
        .into_iter()
        .map(|(session, body)| {
            (session.origin.unwrap().id, session.started_at.unwrap().day().to_string(), body.unwrap())
        })
        .collect();
    let names: Vec<(&str, &str)> = told.iter().map(|(id, day, _)| (id.as_str(), day.as_str())).collect();
    assert_eq!(
        names,
        [
            ("cline-2026-10-30", "2026-10-30"),
            ("feat-login_page-2026-10-31", "2026-10-31"),
            ("codex-2026-11-15", "2026-11-15"),
            ("general-2026-11-01", "2026-11-01"),
            ("current-state", "2026-11-15"),
            ("2026-10-codex-archive", "2026-10-01"),
        ]
    );
    assert_eq!(told[0].2, b"Older note\n");
    assert!(String::from_utf8(told[2].2.clone()).unwrap().ends_with("- no trailing newline"));
    assert_eq!(taken.left_out, Vec::<String>::new());
    let same = take(System::AgentHandover, &fixture("agent-handover/completed/memory")).unwrap();
    assert_eq!(same.content, taken.content, "the directory of the layers itself can be named");
}

#[test]
fn a_mirror_of_ours_is_not_taken_back_and_what_stood_above_it_is() {
    use handoff_model::layers::{Layer, put_together};
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, bytes: &[u8]| {
        let path = root.path().join("memory").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    let (note, state) = ("layer1/2026-11/codex-2026-11-15.md", "layer2/current-state.md");
    let theirs = b"<!-- agent-handover | L1 | 2026-11-15 -->\nTheir note, no line end";
    write(note, theirs);
    let alone = take(System::AgentHandover, root.path()).unwrap();
    write(note, &put_together(note, theirs, Layer::Notes, "2026-11-15", "# Ours\n"));
    write(state, &put_together(state, b"", Layer::State, "2026-11-15", "# Ours\n"));
    write("layer2/current-state.edited.md", &put_together(state, b"", Layer::State, "2026-11-15", "# Edited\n"));
    write("layer3/2026-10-codex-archive.md", &put_together("", b"\n", Layer::Archive, "2026-10", "# Ours\n"));
    let taken = take(System::AgentHandover, root.path()).unwrap();
    assert_eq!(taken.content, alone.content, "to the byte, so that importing again changes nothing");
    assert_eq!(taken.left_out.len(), 3, "{:?}", taken.left_out);
    assert!(taken.left_out.iter().all(|line| line.ends_with("handoff made it from records of its own")));
}

#[test]
fn an_interrupted_handover_is_told_and_a_corrupt_checkpoint_is_none() {
    for name in ["interrupted-kill9", "interrupted-push-failed"] {
        let taken = take(System::AgentHandover, &fixture(&format!("agent-handover/{name}"))).unwrap();
        let found = sessions(&taken);
        let (last, _) = found.last().unwrap();
        assert_eq!(last.title.as_deref(), Some("Interrupted handover"), "{name}");
        assert!(!last.next.is_empty());
    }
    let outcomes = [
        ("completed", 0, 0, 1),
        ("completed-with-pending", 1, 0, 1),
        ("empty", 0, 1, 0),
        ("extra-data-after-race", 0, 1, 0),
        ("garbage", 0, 1, 0),
        ("in-progress-all-done", 0, 0, 1),
        ("in-progress-no-steps", 0, 0, 1),
        ("interrupted", 1, 0, 1),
        ("no-status", 0, 1, 0),
        ("unknown-status", 0, 1, 0),
    ];
    for (name, records, left_out, notes) in outcomes {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(".agent-handover")).unwrap();
        let checkpoint = dir.path().join(".agent-handover/checkpoint.json");
        fs::copy(fixture(&format!("agent-handover/checkpoints/{name}.json")), checkpoint).unwrap();
        let taken = take(System::AgentHandover, dir.path()).unwrap();
        let counts = (taken.content.sessions.len(), taken.left_out.len(), taken.notes.len());
        assert_eq!(counts, (records, left_out, notes), "{name}: {taken:?}");
    }
}

#[test]
fn an_untidy_store_of_handoff_mcp_is_taken_whole() {
    let store = fixture("handoff-mcp/dot-handoff");
    assert!(is_handoff_mcp(&store));
    let taken = take(System::HandoffMcp, &store).unwrap();
    let tasks = tasks(&taken);
    let status = |title: &str| tasks[title].0.status;
    assert_eq!(tasks.len(), 8, "{:?}", tasks.keys());
    assert_eq!(status("Implement login"), Status::InProgress);
    assert_eq!(status("Two files"), Status::Review, "the file that was written last counts");
    assert_eq!(status("Cut off while it was written"), Status::Blocked);
    let login = &tasks["Implement login"].0;
    assert_eq!(login.dependencies, [tasks["Two files"].0.id]);
    let origin = login.origin.as_ref().unwrap();
    assert_eq!((origin.id.as_str(), &origin.fields["custom"]["deep"][1]), ("t1", &Value::from("two")));
    assert_eq!(origin.fields["dependencies"], serde_json::json!(["t99"]));
    assert_eq!(origin.fields["schedule"]["actual_hours"], 0.5);
    assert_eq!(login.schedule.estimate_hours, Some(4.0));
    assert_eq!(login.links.len(), 3);
    let parents: Vec<_> = taken.content.tasks.iter().map(|task| (task.parent, task.number)).collect();
    assert_eq!(parents[1..4], [(Some(login.id), Some(1)), (Some(login.id), Some(2)), (Some(login.id), Some(3))]);
    assert_eq!(tasks["Sorted by number"].1, Some(3));
    assert_eq!(tasks["Two files"].0.origin.as_ref().unwrap().fields["other_file"][0]["status"], "todo");
    let odd = &taken.content.tasks.iter().find(|task| task.text.contains("etc/passwd")).unwrap().text;
    let (odd, _) = Task::read(odd).unwrap();
    assert_eq!(odd.origin.as_ref().unwrap().fields["schedule"]["due_date"], "2026-02-30");
    assert_eq!(odd.origin.as_ref().unwrap().fields["priority"], "urgent");

    let found: Vec<Session> = sessions(&taken).into_iter().map(|(session, _)| session).collect();
    assert_eq!(found.len(), 4);
    let active = found.iter().find(|session| session.status == SessionStatus::Active).unwrap();
    assert_eq!(active.tasks, [login.id]);
    assert_eq!(active.decisions.len(), 2);
    assert_eq!(active.origin.as_ref().unwrap().fields["own_key"], "kept");
    let paused = found.iter().find(|session| session.status == SessionStatus::Paused).unwrap();
    assert_eq!(paused.origin.as_ref().unwrap().fields["decisions"], "none");
    for lost in ["t6-garbage", "t4-nothing-left", ".20260301.closed.json.tmp", "broken.closed.json"] {
        assert!(taken.left_out.iter().any(|told| told.contains(lost)), "{lost}: {:#?}", taken.left_out);
    }
    let memories: Vec<(&str, MemoryKind)> =
        taken.memories.iter().map(|memory| (memory.text.as_str(), memory.kind)).collect();
    assert_eq!(
        memories,
        [("rule", MemoryKind::Lesson), ("Store files through a temporary file and a rename", MemoryKind::Rule)]
    );
    let rule = &taken.memories[1];
    assert_eq!((&rule.paths[..], &rule.keywords[..]), (&["src/storage/".to_owned()][..], &["atomic".to_owned()][..]));
    assert_eq!(rule.created_at.unwrap().to_string(), "2026-03-01T09:15:03Z");
    let origin = rule.origin.as_ref().unwrap();
    assert_eq!((origin.id.as_str(), &origin.fields["own_key"]), ("m-20260301-091503-824052", &Value::from("kept")));
    assert!(!origin.fields.contains_key("hit_count"), "uses are state of a machine");
    for lost in ["memory/m-20260302-000000-000001.json", "injected/ (1 files)"] {
        assert!(taken.left_out.iter().any(|told| told.contains(lost)), "{lost}: {:#?}", taken.left_out);
    }
    assert!(taken.config.unwrap().contains("# kept by hand"));
    assert_eq!(take(System::HandoffMcp, &store).unwrap().content, taken.content, "the same each time");
}

#[cfg(unix)]
#[test]
fn nothing_is_followed_out_of_a_source() {
    let dir = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.md"), "secret").unwrap();
    let month = dir.path().join("memory/layer1/2026-11");
    fs::create_dir_all(&month).unwrap();
    fs::write(month.join("codex-2026-11-15.md"), "note").unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.md"), month.join("link-2026-11-15.md")).unwrap();
    std::os::unix::fs::symlink(outside.path(), dir.path().join("memory/layer2")).unwrap();
    let fifo = std::process::Command::new("mkfifo").arg(month.join("pipe-2026-11-15.md")).status();
    let taken = take(System::AgentHandover, dir.path()).unwrap();
    assert_eq!(taken.content.sessions.len(), 1);
    assert_eq!(
        taken.left_out.len(),
        1 + usize::from(fifo.is_ok_and(|status| status.success())),
        "{:?}",
        taken.left_out
    );
}
