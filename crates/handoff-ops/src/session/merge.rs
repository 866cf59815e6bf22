//! `handoff session merge`

use std::str::FromStr;

use clap::Args;
use handoff_model::change::Change;
use handoff_model::id::{NotASessionRef, SessionId, SessionRef};
use handoff_model::rev::Rev;
use handoff_model::session::{
    Contradiction, Party, Session, SessionEdit, SessionKind, SessionStatus, Taken, contradictions, unite,
};
use handoff_model::text::{OneLine, Prose, Title};
use handoff_store::FoundSession;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::change::{self, Changing, Seen};
use super::{view, which};
use crate::{Effect, Hint, OpError, Operation, Project, ToolSet};

mod page;

/// Merge sessions: what they decided, noted and left to do goes into one, each thing once
///
/// What they say differently is shown. Those that were open are closed and say where they went.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MergeSessions {
    /// Sessions to merge: open, closed or archived
    #[arg(value_name = "SESSION", required = true)]
    pub source_session_ids: Vec<SessionRef>,
    /// Session that they go into; `new` (if absent) begins one, and a closed one is continued by a new one
    #[arg(long = "into", value_name = "SESSION")]
    pub target_session_id: Option<MergeTarget>,
    /// What was done and where it stands; the summaries of all if absent
    #[arg(long, short = 'm', value_name = "TEXT", allow_hyphen_values = true)]
    pub summary: Option<Prose>,
    /// What it is about, on one line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub title: Option<Title>,
    /// What it is called beside others of its line of work
    #[arg(long, value_name = "TEXT")]
    pub label: Option<OneLine>,
    /// The line of work it belongs to
    #[arg(long, value_name = "TEXT")]
    pub timeline: Option<Prose>,
    /// Leave the merged sessions as they are
    #[arg(long)]
    #[serde(default)]
    pub keep_sources: bool,
    /// The opposite, as the published tool says it
    #[arg(skip)]
    #[schemars(skip)]
    close_sources: Option<bool>,
    /// Show what would come of it, and write nothing
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
    #[arg(skip)]
    #[serde(skip)]
    seen: Seen,
}

/// Where merged sessions go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub enum MergeTarget {
    New,
    Session(SessionRef),
}

/// What came of merging sessions.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Merged {
    /// The session that has it all; absent where nothing was written and it would be a new one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<SessionId>,
    /// Its full name
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub status: SessionStatus,
    /// Full name of the closed session that it continues
    #[serde(skip_serializing_if = "Option::is_none")]
    pub continues: Option<String>,
    /// Full names of the sessions that were merged
    pub merged_from: Vec<String>,
    /// Those of them that were closed by it
    pub closed: Vec<String>,
    /// What was put into each list
    pub lists: Vec<Taken>,
    /// What they say differently
    pub contradictions: Vec<Contradiction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rev: Option<Rev>,
    /// Whether it was only asked for
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    pub message: String,
    #[serde(skip)]
    warnings: Vec<String>,
}

impl Operation for MergeSessions {
    const NAME: &'static str = "session.merge";
    const TOOL: &'static str = "handoff_merge_sessions";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Write;
    type Outcome = Merged;

    fn example() -> Value {
        json!({"source_session_ids": ["77c01b9d", "a3f9c12e"], "target_session_id": "a3f9c12e"})
    }

    fn effect(&self) -> Effect {
        if self.dry_run { Effect::Read } else { Self::EFFECT }
    }

    fn prepare(&mut self, project: &mut Project) -> Result<(), OpError> {
        self.seen = change::look(project, &[]);
        Ok(())
    }

    fn run(self, project: &mut Project) -> Result<Merged, OpError> {
        let (target, sources) = self.parties(project)?;
        let keeps = self.keep_sources || self.close_sources == Some(false);
        let is_open = |found: &&FoundSession| found.session.status != SessionStatus::Closed;
        let closing: Vec<&FoundSession> = sources.iter().filter(is_open).filter(|_| !keeps).collect();
        refuse_others(project, &closing)?;

        let parties: Vec<Party<'_>> = target.iter().chain(&sources).map(party).collect();
        let plan = Plan::of(project, target.as_ref(), &sources)?;
        let contradictions = contradictions(&parties, &plan.session);
        let mut merged = Merged {
            id: None,
            name: None,
            status: plan.session.status,
            continues: plan.session.continues.clone().filter(|_| plan.is_new),
            merged_from: names(&sources),
            closed: closing.iter().map(|found| found.name.clone()).collect(),
            lists: plan.lists,
            contradictions,
            rev: None,
            dry_run: self.dry_run,
            message: String::new(),
            warnings: bodies_left(project, &sources)?,
        };
        if self.dry_run {
            merged.name = target.as_ref().filter(|_| !plan.is_new).map(|found| found.name.clone());
            let place = merged.name.as_deref().unwrap_or("a new session");
            let sources = merged.merged_from.join(", ");
            merged.message = format!("would merge {sources} into {place}; nothing was changed");
            return Ok(merged);
        }
        if let Some(found) = target.as_ref().filter(|_| !plan.is_new && closing.is_empty())
            && found.session == plan.session
            && (&self.summary, &self.title, &self.label, &self.timeline) == (&None, &None, &None, &None)
        {
            let sources = merged.merged_from.join(", ");
            merged.message = format!("{sources} already merged into {}; nothing to change", found.name);
            merged.id = Some(found.session.id.clone());
            merged.name = Some(found.name.clone());
            return Ok(merged);
        }
        let name = match &target {
            Some(found) if !plan.is_new => found.name.clone(),
            _ => plan.session.full_name(),
        };
        let mut closed = Vec::new();
        for found in &closing {
            let session = Session { merged_into: Some(name.clone()), ..found.session.clone() };
            let changing = Changing { merged: Some(Box::new(session)), ..Changing::to(SessionStatus::Closed) };
            closed.push(change::change(project, found, changing)?.found);
        }
        let edit = SessionEdit {
            summary: self.summary.map_or(Change::Keep, Change::Set),
            title: self.title.map_or(Change::Keep, Change::Set),
            label: self.label.map_or(Change::Keep, Change::Set),
            timeline: self.timeline.map_or(Change::Keep, Change::Set),
            ..SessionEdit::default()
        };
        let changing = Changing { edit, seen: self.seen, ..Changing::to(plan.session.status) };
        let changed = match &target {
            Some(found) if !plan.is_new => {
                let is_anothers = which::is_of_another(project, found);
                let changing = Changing { merged: Some(Box::new(plan.session)), is_anothers, ..changing };
                change::change(project, found, changing)?
            }
            _ => change::create(project, plan.session, changing)?,
        };
        change::archive_old(project, &closed.iter().collect::<Vec<_>>())?;
        let fetching = view::fetching(&changed.found.session.id, project.door);
        merged.message = format!("merged {} into {name}; {fetching}", merged.merged_from.join(", "));
        merged.warnings.extend(changed.warnings);
        merged.id = Some(changed.found.session.id.clone());
        merged.status = changed.found.session.status;
        merged.rev = Some(changed.found.rev);
        merged.name = Some(name);
        Ok(merged)
    }
}

impl MergeSessions {
    /// The session that gets it all, where it is there already, and those that go into it.
    fn parties(&self, project: &Project) -> Result<(Option<FoundSession>, Vec<FoundSession>), OpError> {
        let target = match &self.target_session_id {
            None | Some(MergeTarget::New) => None,
            Some(MergeTarget::Session(wanted)) => Some(project.store().session(wanted)?),
        };
        let mut sources: Vec<FoundSession> = Vec::new();
        for wanted in &self.source_session_ids {
            let found = project.store().session(wanted)?;
            let is_known = |known: &FoundSession| known.session.id == found.session.id;
            if !sources.iter().chain(&target).any(is_known) {
                sources.push(found);
            }
        }
        match (&target, sources.len()) {
            (None, 0 | 1) => {
                let message =
                    "a new session is merged from two others or more: name them, or give the one they go into";
                let given = sources.first().map_or_else(|| "ONE".to_owned(), |found| found.session.id.to_string());
                let beside = json!({"source_session_ids": [given, "OTHER"]});
                let into = json!({"source_session_ids": [given], "target_session_id": "OTHER"});
                let hints = [beside, into].map(Hint::run_with::<MergeSessions>);
                Err(hints.into_iter().fold(OpError::usage(message), OpError::hint))
            }
            (Some(found), 0) => Err(OpError::usage(format!("`{}` cannot be merged into itself", found.name))),
            _ => {
                let earlier = self.earlier(project, target.as_ref(), &sources)?;
                Ok((earlier.or(target), sources))
            }
        }
    }

    /// The open session that the same ones were merged into before: merging twice is merging once.
    fn earlier(
        &self,
        project: &Project,
        target: Option<&FoundSession>,
        sources: &[FoundSession],
    ) -> Result<Option<FoundSession>, OpError> {
        let begins_one = target.is_none_or(|target| target.session.status == SessionStatus::Closed);
        if self.target_session_id == Some(MergeTarget::New) || !begins_one {
            return Ok(None);
        }
        let has_them = |found: &&std::sync::Arc<FoundSession>| {
            let session = &found.session;
            session.status != SessionStatus::Closed
                && session.continues.as_ref() == target.map(|target| &target.name)
                && sources.iter().all(|source| session.merged_from.contains(&source.name))
        };
        let sessions = project.store().handoffs()?;
        Ok(sessions.list.iter().find(has_them).map(|found| FoundSession::clone(found)))
    }
}

/// Refuses to close what somebody else is working in.
fn refuse_others(project: &Project, closing: &[&FoundSession]) -> Result<(), OpError> {
    let others: Vec<&&FoundSession> = closing.iter().filter(|found| which::is_of_another(project, found)).collect();
    if others.is_empty() {
        return Ok(());
    }
    let whose = |found: &&&FoundSession| {
        let author = found.session.author.as_ref().map(|author| format!(", by {author}")).unwrap_or_default();
        format!("{}{author}", change::line(found))
    };
    let way_out =
        "merge what they say and leave them open (`keep_sources`, `--keep-sources`), or have them closed first";
    Err(OpError::refused("somebody else is at work in what would be closed")
        .details(others.iter().map(whose))
        .hint(Hint::say(way_out)))
}

/// What the session will be that has it all.
struct Plan {
    session: Session,
    lists: Vec<Taken>,
    is_new: bool,
}

impl Plan {
    fn of(project: &mut Project, target: Option<&FoundSession>, sources: &[FoundSession]) -> Result<Plan, OpError> {
        let mut parties: Vec<Party<'_>> = sources.iter().map(party).collect();
        if let Some(found) = target.filter(|found| found.session.status != SessionStatus::Closed) {
            let mut session = found.session.clone();
            let lists = unite(&mut session, &found.name, &parties);
            return Ok(Plan { session, lists, is_new: false });
        }
        let mut session = change::begin(project, SessionKind::Session)?;
        let name = session.full_name();
        match target {
            // What is closed stays as it is, so a new one continues it with all that it says.
            Some(found) => {
                unite(&mut session, &name, &[party(found)]);
                session.merged_from.clear();
                session.title.clone_from(&found.session.title);
                session.timeline.clone_from(&found.session.timeline);
                session.label.clone_from(&found.session.label);
                session.continues = Some(found.name.clone());
            }
            None => {
                session.title = Some(title(sources));
                session.timeline.clone_from(&sources[0].session.timeline);
                let is_common = |found: &FoundSession| found.session.timeline == session.timeline;
                if !sources.iter().all(is_common) {
                    session.timeline = None;
                }
            }
        }
        parties.retain(|party| party.name != name);
        let lists = unite(&mut session, &name, &parties);
        Ok(Plan { session, lists, is_new: true })
    }
}

/// What a session is about that was made of others.
fn title(sources: &[FoundSession]) -> String {
    const TOLD: usize = 3;
    let headline = |found: &FoundSession| found.session.headline(60);
    let called = |found: &FoundSession| {
        let own = headline(found);
        let is_unique = sources.iter().filter(|other| headline(other) == own).count() == 1;
        if is_unique { own } else { format!("{own} ({})", found.session.id) }
    };
    let mut told: Vec<String> = sources.iter().take(TOLD).map(called).collect();
    if sources.len() > TOLD {
        told.push(format!("{} more", sources.len() - TOLD));
    }
    let last = told.pop().unwrap_or_default();
    format!("Merge of {} and {last}", told.join(", "))
}

/// Free-form text is kept byte for byte where it is; whoever merges is told of it.
fn bodies_left(project: &Project, sources: &[FoundSession]) -> Result<Vec<String>, OpError> {
    let mut told = Vec::new();
    for found in sources {
        if project.store().session_body(found)?.is_some() {
            told.push(format!("the free-form text of {} stays with it", found.name));
        }
    }
    Ok(told)
}

fn party(found: &FoundSession) -> Party<'_> {
    Party { name: &found.name, session: &found.session }
}

fn names(found: &[FoundSession]) -> Vec<String> {
    found.iter().map(|found| found.name.clone()).collect()
}

impl FromStr for MergeTarget {
    type Err = NotASessionRef;

    fn from_str(text: &str) -> Result<Self, NotASessionRef> {
        if text.trim() == "new" { Ok(MergeTarget::New) } else { text.parse().map(MergeTarget::Session) }
    }
}

impl TryFrom<String> for MergeTarget {
    type Error = NotASessionRef;

    fn try_from(text: String) -> Result<Self, NotASessionRef> {
        text.parse()
    }
}

impl From<MergeTarget> for String {
    fn from(target: MergeTarget) -> String {
        match target {
            MergeTarget::New => "new".to_owned(),
            MergeTarget::Session(session) => session.to_string(),
        }
    }
}
