//! `handoff session diff`

use std::time::Duration;

use clap::Args;
use handoff_model::governed::Pattern;
use handoff_model::id::SessionRef;
use handoff_model::session::diff::{FieldDiff, ListDiff, SessionDiff};
use handoff_model::session::{Session, SessionStatus};
use handoff_store::FoundSession;
use handoff_store::git::{Asked, ChangedFile, Changes, Git};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{SaveSession, elsewhere};
use crate::{Effect, Hint, OpError, Operation, Project, ToolSet};

mod page;

/// Show what differs between two sessions, or between one and what it comes from
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffSessions {
    /// Session to start from; alone, the one to compare with what it continues, branched off from, or came after
    #[arg(value_name = "SESSION")]
    pub before: SessionRef,
    /// Session to compare with
    #[arg(value_name = "AFTER")]
    pub after: Option<SessionRef>,
}

/// What differs between two sessions.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionDifference {
    /// Full name of the session to start from
    pub before: String,
    /// Full name of the other
    pub after: String,
    pub fields: Vec<FieldDiff>,
    pub lists: Vec<ListDiff>,
    /// What git says happened between their commits
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git: Option<Between>,
    #[serde(skip)]
    warnings: Vec<String>,
}

/// What happened between two commits.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Between {
    pub from: String,
    pub to: String,
    /// Commits that only the later one has
    pub commits: u32,
    /// Commits that only the earlier one has
    #[serde(skip_serializing_if = "is_zero")]
    pub left: u32,
    /// The newest of the commits, as `hash subject`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<String>,
    /// The first of the files that differ; those that the sessions speak of come first
    pub files: Vec<DifferentFile>,
    /// How many files differ
    pub file_count: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A file that differs between two commits.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DifferentFile {
    /// `A`dded, `M`odified, `D`eleted or of another `T`ype
    pub change: char,
    pub path: String,
    /// How the sessions speak of it: `pointer`, or the decision that governs it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concerns: Option<String>,
}

impl Operation for DiffSessions {
    const NAME: &'static str = "session.diff";
    const TOOL: &'static str = "handoff_diff_sessions";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Read;
    type Outcome = SessionDifference;

    fn example() -> Value {
        json!({"before": "77c01b9d", "after": "a3f9c12e"})
    }

    fn run(self, project: &mut Project) -> Result<SessionDifference, OpError> {
        let first = elsewhere::find(project, &self.before)?;
        let (before, after) = match &self.after {
            Some(after) => (first, elsewhere::find(project, after)?),
            None => (origin(project, &first)?, first),
        };
        let SessionDiff { fields, lists } = SessionDiff::between(&before.session, &after.session);
        let mut warnings = Vec::new();
        let git = match between(project, &before.session, &after.session) {
            Some(Asked::Answer(between)) => between,
            Some(Asked::Skipped(why)) => {
                warnings.push(format!("git was not asked what changed between them: {why}"));
                None
            }
            None => None,
        };
        Ok(SessionDifference { before: before.name, after: after.name, fields, lists, git, warnings })
    }
}

/// What a session comes from: what it says it does, else the handoff that was left before it.
fn origin(project: &Project, found: &FoundSession) -> Result<FoundSession, OpError> {
    let session = &found.session;
    if let Some(name) = session.continues.as_ref().or(session.forked_from.as_ref())
        && let Ok(wanted) = name.parse()
        && let Ok(origin) = elsewhere::find(project, &wanted)
    {
        return Ok(origin);
    }
    let store = project.store();
    let (live, archived) = store.at_one_moment(|| Ok((store.handoffs()?, store.archived_sessions()?)))?;
    let began = session.started_at.or(session.ended_at);
    let is_before = |other: &&FoundSession| {
        other.is_handoff()
            && other.session.status == SessionStatus::Closed
            && other.session.id != session.id
            && other.last_active() <= began
    };
    let all = live.list.iter().chain(&archived.list).map(AsRef::as_ref).filter(is_before);
    let same_line = |other: &&FoundSession| other.session.timeline == session.timeline;
    let latest = |one: &&FoundSession| (one.last_active(), one.name.clone());
    let before = all.clone().filter(same_line).max_by_key(latest).or_else(|| all.max_by_key(latest));
    before.cloned().ok_or_else(|| {
        OpError::not_found(format!("no handoff was left before `{}`: name the session to compare it with", found.name))
            .hint(Hint::run_with::<SaveSession>(json!({"summary": "what was done and where it stands"})))
    })
}

/// As long as git may take.
const LIMIT: Duration = Duration::from_millis(1_500);
/// Files that are told.
const FILES: usize = 50;

/// What git says happened between the commits of two sessions; `None` where they have none.
fn between(project: &Project, before: &Session, after: &Session) -> Option<Asked<Option<Between>>> {
    let commit = |session: &Session| session.git.as_ref().and_then(|git| git.commit.clone());
    let (from, to) = (commit(before)?, commit(after)?);
    if from == to {
        return None;
    }
    let git = Git::around(&project.dir()?)?;
    Some(git.changes_between(&from, &to, LIMIT).map(|changes| {
        let Changes { known, commits, left, subjects, files, file_count, .. } = changes;
        if !known {
            return None;
        }
        let concern = |ChangedFile { change, path }| {
            let concerns = concerns(&path, before, after);
            DifferentFile { change, path, concerns }
        };
        let mut files: Vec<DifferentFile> = files.into_iter().map(concern).collect();
        files.sort_by_key(|file| file.concerns.is_none());
        files.truncate(FILES);
        Some(Between { from, to, commits, left, subjects, files, file_count })
    }))
}

fn concerns(path: &str, before: &Session, after: &Session) -> Option<String> {
    let mut sessions = [after, before].into_iter();
    if sessions.clone().any(|session| session.pointers.iter().any(|pointer| pointer.path == path)) {
        return Some("pointer".to_owned());
    }
    let governs = |written: &String| Pattern::new(written.trim_end_matches('/'), "").governs(path);
    sessions.find_map(|session| {
        let decision = session.decisions.iter().find(|decision| decision.paths.iter().any(governs))?;
        Some(decision.decision.clone())
    })
}
