//! What is found in threads of Codex.

mod common;

use common::{commands, fixture, prompts, put, read_text, transcript};
use handoff_model::agent::{Digest, FileChange, Fill, Host, TodoStatus, Usage};
use handoff_transcript::{Mark, Source, Unreadable, read, read_on};

fn thread(name: &str) -> handoff_transcript::Transcript {
    transcript(Host::Codex, &format!("codex/{name}.jsonl"))
}

fn changed(digest: &Digest) -> Vec<(&str, u32, Option<&FileChange>)> {
    let changed = digest.files.iter().filter(|file| file.changes > 0);
    changed.map(|file| (file.path.as_str(), file.changes, file.change.as_ref())).collect()
}

fn todos(digest: &Digest) -> Vec<(&str, TodoStatus)> {
    digest.todos.iter().map(|todo| (todo.text.as_str(), todo.status)).collect()
}

fn failures(digest: &Digest) -> Vec<&str> {
    digest.failures.iter().map(|failure| failure.what.lines().next().unwrap_or_default()).collect()
}

#[test]
fn the_same_work_is_found_with_plain_functions_and_in_scripts() {
    for (name, patch) in [("classic", "apply_patch"), ("code-mode", "exec")] {
        let read = thread(name);
        let digest = &read.digest;
        assert_eq!(read.unreadable, 0, "{name}");
        assert_eq!(prompts(digest), ["Fix the failing login test, then leave a handoff", "Close the session"]);
        assert_eq!((digest.asked, digest.turns, digest.compactions, digest.is_unfinished), (2, 2, 1, false));

        let moved = FileChange::Moved { to: "/home/dev/my-app/docs/README.md".to_owned() };
        assert_eq!(
            changed(digest),
            [
                ("/home/dev/my-app/login.py", 1, Some(&FileChange::Updated)),
                ("/home/dev/my-app/docs/login.md", 1, Some(&FileChange::Added)),
                ("/home/dev/my-app/README.md", 1, Some(&moved)),
                ("/home/dev/my-app/old.txt", 1, Some(&FileChange::Deleted)),
            ],
            "{name}"
        );
        assert_eq!(digest.files[0].looks, 1);

        let test = "python3 -m unittest -q test_login";
        let ran: Vec<_> = commands(digest).iter().map(|(command, exit, _)| (*command, *exit)).collect();
        assert_eq!(ran, [("ls", Some(0)), ("cat login.py", Some(0)), (test, Some(1)), (test, Some(0))], "{name}");
        assert!(commands(digest)[2].2.unwrap().ends_with("FAILED (failures=1)"), "{:?}", commands(digest));

        assert_eq!(
            todos(digest),
            [
                ("Reproduce the failure", TodoStatus::Completed),
                ("Trim the token", TodoStatus::Completed),
                ("Leave a handoff", TodoStatus::InProgress),
            ]
        );
        let failed = failures(digest);
        assert_eq!(failed.len(), 3, "{failed:?}");
        assert!(failed[0].starts_with(&format!("{patch}: apply_patch verification failed")), "{failed:?}");
        assert!(failed[1].starts_with("handoff_update_task: Task 't1'"), "{failed:?}");
        assert!(failed[2].starts_with("handoff_update_task: Task not found: 'no-such-task'"), "{failed:?}");
        let tools: Vec<&str> = digest.handoff_calls.iter().map(|(tool, _)| tool.as_str()).collect();
        assert_eq!(tools, ["handoff_init", "handoff_save_context"]);

        assert!(digest.tokens.spent().input + digest.tokens.spent().output >= 260_000);
        assert_eq!(digest.fill, Some(Fill { used: 15, window: Some(258_400) }));
        assert_eq!(digest.answer.as_ref().unwrap().text, "Saved.");
    }
}

#[test]
fn a_thread_says_who_and_where_it_is_and_how_long_it_took() {
    let digest = thread("classic").digest;
    assert_eq!(digest.about.session.as_deref(), Some("01a1e0c9-ef34-74a3-9059-d4a865f3dbcf"));
    assert_eq!(digest.about.cwd.as_deref(), Some("/home/dev/my-app"));
    assert_eq!(digest.about.branch.as_deref(), Some("main"));
    assert_eq!(digest.about.model.as_deref(), Some("gpt-5.5"));
    assert_eq!(digest.about.version.as_deref(), Some("0.166.0"));
    assert_eq!(digest.seconds, 3);
    assert_eq!(digest.prompts[1].line, Some(92));
}

#[test]
fn a_fork_knows_its_parent_and_a_sub_agent_has_no_prompt_of_the_person() {
    let fork = thread("fork").digest;
    assert_eq!(prompts(&fork), ["Try another way"]);
    assert_eq!(fork.about.parent.as_deref(), Some("01a1e0c9-ef34-74a3-9059-d4a865f3dbcf"));
    assert!(!fork.about.is_subagent);

    let parent = thread("with-subagent").digest;
    assert_eq!(prompts(&parent), ["Ask a sub-agent who calls it"]);
    let agent = thread("subagent").digest;
    assert!(agent.about.is_subagent);
    assert_eq!(agent.about.parent, parent.about.session);
    assert_eq!(agent.about.session.as_deref(), Some("01a1e0ca-5ed5-74d2-8665-8811bd86b129"));
    assert!(agent.prompts.is_empty());
    assert_eq!(agent.answer.unwrap().text, "There are no other callers.");
}

#[test]
fn an_error_of_the_model_and_a_killed_process_leave_the_prompt_unanswered() {
    let failed = thread("model-error").digest;
    assert_eq!(prompts(&failed), ["Do something"]);
    assert!(failures(&failed)[0].contains("experiencing high demand"));
    assert!(failed.is_unfinished);
    assert_eq!(failed.turns, 1);

    let killed = thread("killed").digest;
    assert_eq!(commands(&killed), [("ls", Some(0), None), ("sleep 60", None, None)]);
    assert!(killed.commands[1].id.is_some(), "its outcome is still awaited");
    assert!(killed.is_unfinished);
    assert_eq!(killed.turns, 0);
}

/// As Codex 0.40 wrote it: items and events, the ends of commands, changes by the name of their kind.
#[test]
fn an_older_thread_with_events_is_not_counted_twice() {
    let digest = thread("older-events").digest;
    assert_eq!(prompts(&digest), ["Rename the flag", "and test", "again"]);
    assert_eq!(commands(&digest), [("cargo test", Some(101), Some("error: test failed"))]);
    let moved = FileChange::Moved { to: "src/flags.rs".to_owned() };
    assert_eq!(changed(&digest), [("src/flag.rs", 1, Some(&moved)), ("src/main.rs", 1, Some(&FileChange::Updated))]);
    assert_eq!(todos(&digest), [("Rename", TodoStatus::Completed), ("Test", TodoStatus::Pending)]);
    let tools: Vec<&str> = digest.handoff_calls.iter().map(|(tool, _)| tool.as_str()).collect();
    assert_eq!(tools, ["handoff_load_context"]);
    assert_eq!(failures(&digest), ["handoff_update_task: connection closed", "stream disconnected"]);
    assert_eq!(digest.about.title.as_deref(), Some("Flags"));
    assert_eq!(digest.tokens.spent(), Usage { input: 900, cached: 500, output: 70 });
    assert_eq!((digest.turns, digest.is_unfinished), (2, true));
}

#[test]
fn prompts_that_were_rolled_back_are_gone_and_files_are_not() {
    let digest = thread("older-events").digest;
    assert_eq!((digest.asked, digest.files.len()), (3, 2));
}

/// As Codex wrote it before there were events, and before that without an envelope.
#[test]
fn an_older_thread_with_items_only_is_read_from_them() {
    for name in ["older-items", "oldest"] {
        let digest = thread(name).digest;
        assert_eq!(prompts(&digest), ["Sort the list"], "{name}");
        assert_eq!(digest.about.session.as_deref(), Some("5973b6c0-94b8-487b-a530-2aeb6098ae0e"), "{name}");
        assert_eq!(
            commands(&digest),
            [("ls -la", Some(0), None), ("make check", Some(2), Some("make: *** [check] Error 1"))]
        );
        let (updated, added) = (Some(&FileChange::Updated), Some(&FileChange::Added));
        assert_eq!(changed(&digest), [("list.py", 1, updated), ("new.py", 1, added)], "{name}");
        assert_eq!(failures(&digest), ["apply_patch: apply_patch verification failed: no such file"], "{name}");
        assert_eq!(todos(&digest), [("Sort", TodoStatus::InProgress)], "{name}");
        assert_eq!(digest.answer.unwrap().text, "Sorted.", "{name}");
    }
}

#[test]
fn a_packed_thread_is_read_as_a_whole_and_never_in_passing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rollout.jsonl.zst");
    let plain = std::fs::read(fixture("codex/classic.jsonl")).unwrap();
    put(&path, ruzstd::encoding::compress_to_vec(&plain[..], ruzstd::encoding::CompressionLevel::Fastest));
    let source = Source { host: Host::Codex, path, session: None };
    assert_eq!(read(&source).unwrap(), thread("classic"));
    assert!(matches!(read_on(&source, &Mark::default(), 1 << 20), Err(Unreadable::Compressed { .. })));
}

#[test]
fn a_packed_thread_that_is_cut_off_is_an_error_and_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rollout.jsonl.zst");
    let plain = std::fs::read(fixture("codex/killed.jsonl")).unwrap();
    let packed = ruzstd::encoding::compress_to_vec(&plain[..], ruzstd::encoding::CompressionLevel::Fastest);
    let source = Source { host: Host::Codex, path: path.clone(), session: None };
    for length in [4, 5, 9, 40, packed.len() / 2, packed.len() - 1] {
        put(&path, &packed[..length]);
        let _ = read(&source);
    }
}

#[test]
fn reading_on_after_every_line_comes_to_the_same_as_reading_at_once() {
    for name in ["classic", "code-mode", "older-events", "older-items"] {
        let text = std::fs::read_to_string(fixture(&format!("codex/{name}.jsonl"))).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("growing.jsonl");
        let source = Source { host: Host::Codex, path: path.clone(), session: None };
        let (mut mark, mut digest, mut written) = (Mark::default(), Digest::default(), String::new());
        for line in text.split_inclusive('\n') {
            written.push_str(line);
            put(&path, &written);
            let piece = read_on(&source, &mark, 1 << 20).unwrap();
            digest.join(piece.digest);
            mark = serde_json::from_str(&serde_json::to_string(&piece.mark).unwrap()).unwrap();
        }
        assert!(serde_json::to_string(&mark).unwrap().len() < 2_000);
        assert_eq!(digest, read(&source).unwrap().digest, "{name}");
    }
}

#[test]
fn lines_that_are_no_records_are_counted_and_the_others_read() {
    let text = std::fs::read_to_string(fixture("codex/fork.jsonl")).unwrap();
    let broken =
        format!("\n{{\"half\": \n[1, 2]\nnot JSON\n{{}}\n{text}{{\"timestamp\":\"2026-11-15T19:58:24.120Z\",\"ty");
    let read = read_text(Host::Codex, &broken);
    assert_eq!(read.unreadable, 4);
    assert_eq!(prompts(&read.digest), ["Try another way"]);
}
