//! What is found in sessions of Claude Code.

mod common;

use common::{commands, fixture, prompts, read_text, transcript};
use handoff_model::agent::{FileChange, Fill, Host, TodoStatus, Usage};
use handoff_transcript::{Mark, Source, read, read_on};

const FOLDER: &str = "claude-code/projects/-home-dev-my-app";

fn session(name: &str) -> handoff_transcript::Transcript {
    transcript(Host::ClaudeCode, &format!("{FOLDER}/{name}.jsonl"))
}

#[test]
fn a_session_with_compaction_sub_agent_and_resume_is_found_whole() {
    let read = session("e01eb16d-743e-4733-ab5c-2d3ced54786e");
    let digest = &read.digest;
    assert_eq!((read.lines, read.unreadable), (178, 0));
    assert_eq!(
        prompts(digest),
        [
            "Fix the refresh test, then plan the race test.",
            "Which file may race?",
            "close the session",
            "continue where I left off"
        ]
    );
    assert_eq!(digest.prompts[0].line, Some(5));
    assert_eq!((digest.asked, digest.turns, digest.compactions, digest.is_unfinished), (4, 4, 1, false));

    let changed: Vec<(&str, u32, Option<&FileChange>)> = digest
        .files
        .iter()
        .filter(|file| file.changes > 0)
        .map(|file| (file.path.as_str(), file.changes, file.change.as_ref()))
        .collect();
    let (updated, added) = (Some(&FileChange::Updated), Some(&FileChange::Added));
    assert_eq!(changed, [("/home/dev/my-app/src/token.txt", 1, updated), ("/home/dev/my-app/src/clock.txt", 1, added)]);
    assert_eq!(digest.files.iter().map(|file| file.looks).sum::<u32>(), 1);

    let tests: Vec<_> =
        commands(digest).into_iter().filter(|(command, ..)| *command == "sh tests/refresh.sh").collect();
    assert_eq!(
        tests,
        [("sh tests/refresh.sh", Some(1), Some("1 failed: token is expired")), ("sh tests/refresh.sh", Some(0), None)]
    );
    assert!(commands(digest).contains(&("seq 1 20000", Some(0), None)));
    assert_eq!(commands(digest).last(), Some(&("false", Some(1), None)));

    let todos: Vec<_> = digest.todos.iter().map(|todo| (todo.id.as_deref(), todo.text.as_str(), todo.status)).collect();
    assert_eq!(
        todos,
        [
            (Some("1"), "Fix the refresh test", TodoStatus::Completed),
            (Some("2"), "Add the race test", TodoStatus::Pending)
        ]
    );
    let failures: Vec<&str> = digest.failures.iter().map(|failure| failure.what.as_str()).collect();
    let missing = "handoff_update_task: Task not found: 'zzzz'. Use handoff_list_tasks to see available task IDs.\n\
                   Provide 'title' to create a new task with this ID.";
    assert_eq!(failures, [missing]);

    let tools: Vec<&str> = digest.handoff_calls.iter().map(|(tool, _)| tool.as_str()).collect();
    assert_eq!(tools, ["handoff_init", "handoff_load_context", "handoff_update_task", "handoff_save_context"]);
    assert_eq!(digest.answer.as_ref().unwrap().text, "Resumed and looked.");
    assert_eq!(digest.fill, Some(Fill { used: 16_030, window: None }));
}

#[test]
fn a_session_says_who_and_where_it_is() {
    let about = session("e01eb16d-743e-4733-ab5c-2d3ced54786e").digest.about;
    assert_eq!(about.session.as_deref(), Some("e01eb16d-743e-4733-ab5c-2d3ced54786e"));
    assert_eq!(about.cwd.as_deref(), Some("/home/dev/my-app"));
    assert_eq!(about.branch.as_deref(), Some("main"));
    assert_eq!(about.version.as_deref(), Some("2.1.325"));
    assert_eq!(about.model.as_deref(), Some("claude-opus-5-5"));
    assert!(!about.is_subagent);
}

#[test]
fn tokens_are_those_that_the_agent_itself_counted() {
    let digest = session("518c918d-1803-4f6c-bc81-a96adc5e66a5").digest;
    assert_eq!(digest.tokens.spent(), Usage { input: 12_886, cached: 0, output: 20 });
}

#[test]
fn a_sub_agent_has_no_prompt_of_the_person() {
    let name = "e01eb16d-743e-4733-ab5c-2d3ced54786e/subagents/agent-ad94463c42fefd7a1";
    let digest = session(name).digest;
    assert!(digest.prompts.is_empty());
    assert!(digest.about.is_subagent);
    assert_eq!(digest.about.session.as_deref(), Some("ad94463c42fefd7a1"));
    assert_eq!(digest.about.parent.as_deref(), Some("e01eb16d-743e-4733-ab5c-2d3ced54786e"));
    assert_eq!(commands(&digest), [("ls src", Some(0), None)]);
    assert_eq!(digest.answer.unwrap().text, "src/clock.txt may race.");
}

#[test]
fn automatic_compaction_is_counted_once_and_empties_the_context() {
    let path = fixture(&format!("{FOLDER}/aa4c7dc8-8f3b-4549-bf99-c9834dea1b19.jsonl"));
    let text = std::fs::read_to_string(&path).unwrap();
    let digest = session("aa4c7dc8-8f3b-4549-bf99-c9834dea1b19").digest;
    assert_eq!(prompts(&digest), ["first question", "second question"]);
    assert_eq!(digest.compactions, 1);

    let until_boundary: Vec<&str> = text.lines().take(39).collect();
    let fill = read_text(Host::ClaudeCode, &until_boundary.join("\n")).digest.fill;
    assert_eq!(fill, Some(Fill { used: 3_601, window: None }));
}

#[test]
fn a_session_after_clear_is_one_of_its_own() {
    let digest = session("518c918d-1803-4f6c-bc81-a96adc5e66a5").digest;
    assert_eq!(prompts(&digest), ["third question"]);
    assert_eq!(digest.about.session.as_deref(), Some("518c918d-1803-4f6c-bc81-a96adc5e66a5"));
    assert!(!digest.is_unfinished);
}

#[test]
fn an_error_of_the_model_is_a_failure_and_leaves_the_prompt_unanswered() {
    let digest = session("abcb2cb8-0c64-4e0e-a228-23602e19d234").digest;
    assert_eq!(digest.failures[0].what, "API Error: 400 scripted API error");
    assert!(digest.is_unfinished);
    assert_eq!((digest.turns, digest.answer), (1, None));
    assert_eq!(digest.tokens.spent(), Usage::default());
}

/// As Claude Code 1.0 wrote it: no `promptSource`, `TodoWrite`, sub-agents in the same file, no reason to stop.
#[test]
fn an_older_session_is_read_by_the_older_rules() {
    let digest = transcript(Host::ClaudeCode, "claude-code/older.jsonl").digest;
    assert_eq!(prompts(&digest), ["Sort the imports & run the tests", "go on"]);
    assert_eq!(digest.about.title.as_deref(), Some("Imports sorted"));
    let interrupted = Some("[Request interrupted by user for tool use]");
    assert_eq!(commands(&digest), [("npm test", Some(2), Some("2 failing")), ("sleep 100", None, interrupted)]);
    let files: Vec<(&str, u32)> = digest.files.iter().map(|file| (file.path.as_str(), file.changes)).collect();
    assert_eq!(files, [("/home/dev/web/src/b.ts", 0), ("/home/dev/web/src/a.ts", 2), ("/home/dev/web/nb.ipynb", 1)]);
    let todos: Vec<_> = digest.todos.iter().map(|todo| (todo.text.as_str(), todo.status)).collect();
    assert_eq!(todos, [("Sort the imports", TodoStatus::Completed), ("Run the tests", TodoStatus::InProgress)]);
    assert_eq!(digest.plan.as_ref().unwrap().text, "1. Sort\n2. Test");
    assert_eq!(digest.compactions, 1);
    assert_eq!(digest.tokens.spent(), Usage { input: 420, cached: 200, output: 50 });
    assert_eq!(digest.fill, Some(Fill { used: 160, window: Some(1_000_000) }));
    assert_eq!((digest.turns, digest.seconds), (2, 7));
    assert!(digest.is_unfinished, "the second turn was broken off");
    let failures: Vec<&str> = digest.failures.iter().map(|failure| failure.what.as_str()).collect();
    assert_eq!(failures, ["Edit: String to replace not found in file."]);
}

#[test]
fn reading_on_after_every_line_comes_to_the_same_as_reading_at_once() {
    for name in ["claude-code/older.jsonl", &format!("{FOLDER}/e01eb16d-743e-4733-ab5c-2d3ced54786e.jsonl")] {
        let text = std::fs::read_to_string(fixture(name)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("growing.jsonl");
        let source = Source { host: Host::ClaudeCode, path: path.clone(), session: None };
        let (mut mark, mut digest) = (Mark::default(), handoff_model::agent::Digest::default());
        let mut written = String::new();
        for line in text.split_inclusive('\n') {
            // Half a line is there, then all of it.
            let half = line.floor_char_boundary(line.len() / 2);
            for part in [&line[..half], &line[half..]] {
                written.push_str(part);
                common::put(&path, &written);
                let piece = read_on(&source, &mark, 1 << 20).unwrap();
                assert!(!piece.is_behind && !piece.is_restarted);
                digest.join(piece.digest);
                mark = serde_json::from_str(&serde_json::to_string(&piece.mark).unwrap()).unwrap();
            }
        }
        assert_eq!(mark.offset(), text.len() as u64);
        assert!(serde_json::to_string(&mark).unwrap().len() < 2_000);
        assert_eq!(digest, read(&source).unwrap().digest);
    }
}
