use std::fs;
use std::path::{Path, PathBuf};

use handoff_model::agent::{Digest, Event, What};
use handoff_model::name::Layout;
use handoff_model::session::{Session, SessionStatus};
use handoff_store::{NewStore, Store};
use serde_json::{Value, json};

use super::*;
use crate::{Door, Environment, Place, Request, dispatch, registry};

const NO_TIME: Duration = Duration::ZERO;
const MUCH_TIME: Duration = Duration::from_mins(10);

struct Scratch {
    dir: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Scratch {
        let dir = tempfile::tempdir().unwrap();
        let new = NewStore { config: "[project]\nname = \"x\"\n", layout: Layout::Status, private: true };
        Store::create(&dir.path().join(".handoff"), &new).unwrap();
        Scratch { dir }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join(below)
    }

    fn project(&self) -> Project {
        let env = Environment::new([
            ("HOME", self.path("home")),
            ("HANDOFF_CLOCK", PathBuf::from("2026-11-15T12:00:00Z")),
            ("USER", PathBuf::from("alice")),
        ]);
        let place = Place { cwd: self.path(""), env, ..Place::default() };
        let mut project = Project::new(place, None, Door::Cli);
        project.open_if_there().unwrap();
        project
    }

    /// A conversation that ended, the later the larger its number, and what it was asked.
    fn left(&self, number: u8, asked: Option<&str>) {
        let project = self.project();
        let mut held = self.held(&project, number);
        let at = format!("2026-11-15T{:02}:{:02}:00Z", 9 + number / 60, number % 60).parse().unwrap();
        held.state = State { seen_at: Some(at), ended_at: Some(at), ..held.state.clone() };
        if let Some(asked) = asked {
            let what = What::Prompt(asked.to_owned());
            let digest = Digest::of([Event { at: Some(at), line: None, what }]);
            held.append(&project, &Record { digest, ..Record::new(at, RecordKind::Heard) }).unwrap();
        }
        held.save(project.store()).unwrap();
    }

    fn held(&self, project: &Project, number: u8) -> Conversation {
        let mut held = Conversation::hold(project.store(), &name(number), Duration::ZERO).unwrap().unwrap();
        held.state.host = Some(Host::ClaudeCode);
        held.state.session = format!("s{number}");
        held.state.cwd = Some(self.path(""));
        held
    }

    fn state(&self, number: u8) -> State {
        State::read(self.project().store(), &name(number))
    }

    /// The numbers of those that are finished.
    fn finished(&self) -> Vec<u8> {
        (0..100).filter(|number| self.state(*number).finished.is_some()).collect()
    }

    fn start(&self, time: Duration) {
        others_within(&mut self.project(), Some(&AgentName::new("codex", "next")), time);
    }

    fn sessions(&self) -> Vec<Session> {
        let sessions = self.project().store().sessions().unwrap();
        sessions.list.iter().map(|found| found.session.clone()).collect()
    }

    fn log(&self) -> Vec<String> {
        self.project().store().hook_log()
    }
}

fn name(number: u8) -> AgentName {
    AgentName::new("claude-code", &format!("s{number}"))
}

#[test]
fn every_start_finishes_the_latest_work_however_little_time_there_is() {
    let scratch = Scratch::new();
    for number in 1..=4 {
        scratch.left(number, Some("Make the token fresh"));
    }
    scratch.start(NO_TIME);
    assert_eq!(scratch.finished(), [4]);
    for number in 5..=7 {
        // Conversations in which nothing happens come and go meanwhile.
        scratch.left(number, None);
        scratch.start(NO_TIME);
    }
    assert_eq!(scratch.finished(), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(scratch.sessions().len(), 4);
}

#[test]
fn what_time_is_left_goes_to_all_the_others() {
    let scratch = Scratch::new();
    for number in 1..=6 {
        scratch.left(number, Some("Make the token fresh"));
    }
    scratch.start(MUCH_TIME);
    assert_eq!(scratch.finished(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(scratch.log(), Vec::<String>::new());
}

#[test]
fn conversations_without_work_do_not_stand_in_its_way() {
    let scratch = Scratch::new();
    scratch.left(1, Some("Make the token fresh"));
    for number in 2..=5 {
        scratch.left(number, Some("ok"));
    }
    scratch.start(NO_TIME);
    assert_eq!(scratch.finished(), [1, 2, 3, 4, 5]);
    assert_eq!(scratch.sessions().len(), 1);
}

#[test]
fn what_cannot_be_read_is_tried_a_few_times_and_then_given_up() {
    let scratch = Scratch::new();
    scratch.left(1, None);
    fs::create_dir(scratch.path(".handoff/local/state/agents/claude-code-s1.jsonl")).unwrap();
    for _ in 0..6 {
        scratch.start(NO_TIME);
    }
    assert_eq!(scratch.finished(), [1]);
    let log = scratch.log();
    assert_eq!(log.len(), usize::from(TRIES), "{log:#?}");
    assert!(log.last().unwrap().contains("given up"), "{log:#?}");
}

#[test]
fn conversations_are_forgotten_also_where_there_is_no_time() {
    let scratch = Scratch::new();
    for number in 1..=60 {
        scratch.left(number, None);
    }
    scratch.left(99, Some("Make the token fresh"));
    for _ in 0..5 {
        scratch.start(NO_TIME);
    }
    let kept = scratch.finished();
    assert_eq!((kept.len(), kept.contains(&99), kept.contains(&1)), (KEPT, true, false), "{kept:?}");
}

/// Lines of Claude Code at work in the project, a minute apart.
fn lines(scratch: &Scratch, first: u32, messages: &[Value]) -> String {
    let line = |(number, message): (usize, &Value)| {
        let minute = first as usize + number;
        let kind = message["role"].as_str().unwrap_or("system");
        let line = json!({
            "type": kind, "uuid": format!("u{minute}"), "isSidechain": false, "sessionId": "s1", "cwd": scratch.path(""),
            "version": "2.1.325", "timestamp": format!("2026-11-15T08:{minute:02}:00Z"), "message": message,
        });
        format!("{line}\n")
    };
    messages.iter().enumerate().map(line).collect()
}

fn asked(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn answered(text: &str) -> Value {
    json!({"role": "assistant", "content": [{"type": "text", "text": text}], "stop_reason": "end_turn"})
}

/// A conversation that ended, with a transcript that is longer than what is read at once.
fn long_conversation(scratch: &Scratch) -> PathBuf {
    let filler = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x".repeat(3 << 20)}]});
    let todo = json!({"todos": [{"content": "Add the race test", "status": "pending", "activeForm": "Adding"}]});
    let noted =
        json!({"role": "assistant", "content": [{"type": "tool_use", "id": "t2", "name": "TodoWrite", "input": todo}]});
    let messages =
        [asked("Rework the parser"), filler.clone(), filler, asked("Now test it"), noted, answered("All tests pass")];
    let transcript = scratch.path("home/.claude/projects/x/s1.jsonl");
    fs::create_dir_all(transcript.parent().unwrap()).unwrap();
    fs::write(&transcript, lines(scratch, 0, &messages)).unwrap();
    scratch.left(1, None);
    told_of(scratch, &transcript);
    transcript
}

fn told_of(scratch: &Scratch, transcript: &Path) {
    let project = scratch.project();
    let mut held = scratch.held(&project, 1);
    held.state.transcript = Some(transcript.to_owned());
    held.save(project.store()).unwrap();
}

#[test]
fn a_long_conversation_is_a_handoff_at_once_and_is_completed_later() {
    let scratch = Scratch::new();
    long_conversation(&scratch);
    scratch.start(NO_TIME);
    let [at_once] = <[Session; 1]>::try_from(scratch.sessions()).unwrap();
    assert_eq!(at_once.status, SessionStatus::Closed);
    assert!(
        at_once.summary.contains("Now test it") && at_once.summary.contains("All tests pass"),
        "{}",
        at_once.summary
    );
    assert!(!at_once.summary.contains("Rework the parser"), "{}", at_once.summary);
    assert_eq!(at_once.next, ["Add the race test"]);
    scratch.start(MUCH_TIME);
    let [later] = <[Session; 1]>::try_from(scratch.sessions()).unwrap();
    assert!(later.summary.contains("Rework the parser") && later.summary.contains("Now test it"), "{}", later.summary);
    assert_eq!(
        (&later.id, later.status, later.ended_at, &later.next),
        (&at_once.id, at_once.status, at_once.ended_at, &at_once.next)
    );
    assert!(scratch.state(1).lacking.is_none());
    scratch.start(MUCH_TIME);
    assert_eq!(scratch.sessions(), [later]);
    assert_eq!(scratch.log(), Vec::<String>::new());
}

#[test]
fn capturing_completes_a_handoff_that_lacks_something() {
    let scratch = Scratch::new();
    let transcript = long_conversation(&scratch);
    scratch.start(NO_TIME);
    let entry = registry::find("capture").unwrap();
    dispatch(entry, &mut scratch.project(), Request::Json(json!({"from": transcript}))).unwrap();
    let [session] = <[Session; 1]>::try_from(scratch.sessions()).unwrap();
    assert!(
        session.summary.contains("Rework the parser") && session.summary.contains("Now test it"),
        "{}",
        session.summary
    );
    scratch.start(MUCH_TIME);
    assert_eq!(scratch.sessions(), [session]);
}

#[test]
fn work_after_a_handoff_that_lacks_something_is_told_apart_from_it() {
    let scratch = Scratch::new();
    let transcript = long_conversation(&scratch);
    scratch.start(NO_TIME);
    let mut text = fs::read_to_string(&transcript).unwrap();
    text += &lines(&scratch, 20, &[asked("Write the docs")]);
    fs::write(&transcript, text).unwrap();
    {
        let project = scratch.project();
        let mut held = scratch.held(&project, 1);
        held.state.finished = None;
        held.save(project.store()).unwrap();
    }
    scratch.start(MUCH_TIME);
    let [new, old] = <[Session; 2]>::try_from(scratch.sessions()).unwrap();
    assert!(new.summary.contains("Write the docs") && !new.summary.contains("parser"), "{}", new.summary);
    assert!(old.summary.contains("Rework the parser") && !old.summary.contains("docs"), "{}", old.summary);
    assert_eq!(new.continues, Some(old.full_name()));
}
