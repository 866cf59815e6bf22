//! `handoff time capture`: the time that agents' conversations tell, in the time log.
//!
//! **Invariant:** a stretch of a session is logged once. What the log has of the session from transcripts is taken out of
//! what is found, so a conversation that went on adds only what is new.

use std::path::PathBuf;

use clap::Args;
use handoff_model::agent::uncovered;
use handoff_model::id::{SessionRef, TaskId, TaskRef};
use handoff_model::time_log::{Interval, TimeSource};
use handoff_model::when::Moment;
use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{Door, Effect, Hint, OpError, Operation, Project, ToolSet};

mod conversations;
mod page;

use conversations::{Conversation, Heard};

/// Log the time that agents' transcripts tell, for sessions with one task
///
/// Silence for longer than `settings.timer_idle_timeout_minutes` ends a stretch of work. Asking again logs nothing twice,
/// and time that a timer has too is counted once.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaptureTime {
    /// Session whose conversation is read; all whose conversation is known if absent
    #[arg(value_name = "SESSION")]
    pub session: Option<SessionRef>,
    /// Task the time is for; needed where a session has several or none
    #[arg(long, value_name = "TASK")]
    pub task: Option<TaskRef>,
    /// Transcript to read, where it cannot be found; needs a session
    #[arg(long, value_name = "PATH")]
    pub from: Option<PathBuf>,
    /// Show what would be logged, and write nothing
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
    #[arg(skip)]
    #[serde(skip)]
    heard: Option<Vec<Conversation>>,
}

/// Time that was logged from transcripts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CapturedTime {
    /// What was done
    pub message: String,
    pub dry_run: bool,
    /// The stretches of work that are new
    pub logged: Vec<LoggedStretch>,
    /// How long they are
    pub seconds: i64,
    /// Sessions whose time is not logged, and why
    pub left_out: Vec<LeftOut>,
}

/// A stretch of work in a session.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LoggedStretch {
    /// Full name of the session
    pub session: String,
    pub task: TaskId,
    pub started_at: Moment,
    pub ended_at: Moment,
    pub seconds: i64,
}

/// A session that tells no time.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LeftOut {
    /// Full name of the session
    pub session: String,
    pub why: String,
}

impl Operation for CaptureTime {
    const NAME: &'static str = "time.capture";
    const TOOL: &'static str = "handoff_capture_time";
    const SET: ToolSet = ToolSet::Time;
    const EFFECT: Effect = Effect::Amend;
    const DOORS: &'static [Door] = &[Door::Cli];
    const REPEATABLE: bool = true;
    type Outcome = CapturedTime;

    fn example() -> Value {
        json!({"session": "a3f9c12e", "from": "../transcript.jsonl"})
    }

    fn effect(&self) -> Effect {
        if self.dry_run { Effect::Read } else { Self::EFFECT }
    }

    // Transcripts are long, and belong to others: nobody shall wait for them under the lock.
    fn prepare(&mut self, project: &mut Project) -> Result<(), OpError> {
        self.heard = Some(self.listen(project)?);
        Ok(())
    }

    fn run(mut self, project: &mut Project) -> Result<CapturedTime, OpError> {
        let heard = match self.heard.take() {
            Some(heard) => heard,
            None => self.listen(project)?,
        };
        let wanted = match &self.task {
            Some(task) => Some(project.store().find(task)?.task.id),
            None => None,
        };
        let silence = i64::from(project.config().settings.timer_idle_timeout_minutes.get());
        let (known, problems) = project.store().intervals()?;
        if let Some(problem) = problems.first() {
            return Err(OpError::damaged(format!(
                "a time log cannot be read, so nobody can tell what is logged already: {problem}"
            )));
        }
        let mut answer = CapturedTime {
            message: String::new(),
            dry_run: self.dry_run,
            logged: Vec::new(),
            seconds: 0,
            left_out: Vec::new(),
        };
        let who = project.person();
        for conversation in heard {
            let session = conversation.session.clone();
            match self.stretches(&conversation, wanted, SignedDuration::from_mins(silence), project.now(), &known) {
                Err(why) => answer.left_out.push(LeftOut { session, why }),
                Ok((task, new)) => answer.logged.extend(new.into_iter().map(|(started_at, ended_at)| LoggedStretch {
                    session: session.clone(),
                    task,
                    started_at,
                    ended_at,
                    seconds: started_at.until(ended_at).as_secs(),
                })),
            }
        }
        answer.seconds = answer.logged.iter().map(|stretch| stretch.seconds).sum();
        if !self.dry_run {
            for stretch in &answer.logged {
                project.store_mut().log_time(Interval {
                    task: stretch.task,
                    who: who.clone(),
                    source: TimeSource::Transcript,
                    started_at: stretch.started_at,
                    ended_at: Some(stretch.ended_at),
                    minutes: None,
                    session: Some(stretch.session.clone()),
                    note: None,
                })?;
            }
        }
        answer.message = answer.words();
        Ok(answer)
    }
}

impl CaptureTime {
    fn listen(&self, project: &mut Project) -> Result<Vec<Conversation>, OpError> {
        if self.from.is_some() && self.session.is_none() {
            return Err(OpError::usage("a transcript without a session: say which session it belongs to")
                .hint(Hint::say("handoff time capture latest --from PATH")));
        }
        conversations::listen(project, self.session.as_ref(), self.from.as_deref())
    }

    /// The task of a session and the stretches of work that the log does not have, or why there are none.
    fn stretches(
        &self,
        conversation: &Conversation,
        wanted: Option<TaskId>,
        silence: SignedDuration,
        now: Moment,
        known: &[Interval],
    ) -> Result<(TaskId, Vec<(Moment, Moment)>), String> {
        let task = match (wanted, conversation.tasks.as_slice()) {
            // Whoever names a task and no session means the sessions of that task.
            (Some(task), tasks) if self.session.is_some() || tasks.contains(&task) => task,
            (Some(task), _) => return Err(format!("it is not about `{task}`")),
            (None, [only]) => *only,
            (None, []) => return Err("it has no task: name one with `--task`".to_owned()),
            (None, several) => return Err(format!("it has {} tasks: name one with `--task`", several.len())),
        };
        let activity = match &conversation.heard {
            Heard::Told(activity) => activity,
            Heard::Nothing(why) => return Err(why.clone()),
        };
        let end = conversation.ended_at.unwrap_or(now).min(now);
        let inside = |(from, to): (Moment, Moment)| {
            let from = conversation.started_at.map_or(from, |start| start.max(from)).in_seconds();
            let to = to.min(end).in_seconds();
            (from < to).then_some((from, to))
        };
        let found: Vec<(Moment, Moment)> = activity.stretches(silence).into_iter().filter_map(inside).collect();
        if found.is_empty() {
            return Err("its transcript tells of no work between its beginning and its end".to_owned());
        }
        let is_logged = |interval: &&Interval| {
            interval.source == TimeSource::Transcript && interval.session.as_ref() == Some(&conversation.session)
        };
        let taken: Vec<(Moment, Moment)> = known.iter().filter(is_logged).filter_map(Interval::span).collect();
        Ok((task, uncovered(&found, &taken)))
    }
}
