//! `handoff render`: a record as a prompt for an agent, or as words for people.
//!
//! **Invariant:** the same records and request, with the same work under way in this work tree, give the same bytes, on
//! every machine, terminal and day. Text of records is
//! data in all of them (`render/said.rs`, `render/sheet.rs`).
//!
//! The last handoff is rendered with everything that is open or in force by then, whichever session named it. An earlier
//! record is rendered alone, without the items that ended since.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use handoff_model::id::{SessionId, SessionRef};
use handoff_model::secret::Allowed;
use handoff_model::session::{ItemKind, SessionStatus};
use handoff_model::tokens;
use handoff_store::{FoundSession, NewFile, change_outside, read_outside};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::resume::{COMMIT_TIME, Context, TaskInContext, gather};
use crate::session::{elsewhere, which};
use crate::{Breaks, Door, Effect, OpError, Operation, Page, Project, Report, ToolSet, visible};

mod fit;
mod layout;
mod outline;
mod people;
mod said;
mod sheet;
mod target;

use fit::Limit;
use outline::Outline;
pub(crate) use said::{Passage, Said};
pub use target::{NotATarget, Target};

/// Render a record as a prompt for an agent, or as words for people
///
/// What was recorded is quoted as data, fitted to how the target is best addressed. The output is the rendering and
/// nothing else, the same bytes each time.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenderSession {
    /// Record to render: an id, the beginning of one, a name, a date, or `latest`
    #[arg(long, value_name = "SESSION", default_value = "latest", allow_hyphen_values = true)]
    #[serde(default = "latest", alias = "session", alias = "session_id")]
    pub id: SessionRef,
    /// The same without the flag
    #[arg(value_name = "SESSION", conflicts_with = "id")]
    #[serde(skip)]
    pub session: Option<SessionRef>,
    /// Who it is for: generic, claude-code, codex, cursor, gemini, copilot, opencode, cline, agents-md, pr-description or
    /// standup
    #[arg(long, default_value = "generic")]
    #[serde(default)]
    pub target: Target,
    /// Tokens it may cost; what does not fit is left out in whole items and counted
    #[arg(long = "budget", value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(BUDGETS))]
    #[serde(default, alias = "budget")]
    pub budget_tokens: Option<u32>,
    /// Write it to a file in place of standard output
    #[arg(long, short, value_name = "FILE")]
    #[serde(skip)]
    pub output: Option<PathBuf>,
}

fn latest() -> SessionRef {
    SessionRef::Latest
}

/// Budgets that can be kept.
const BUDGETS: std::ops::RangeInclusive<i64> = 100..=200_000;
/// What nobody asked to be shorter is no longer than this: no agent takes more.
const MOST_TOKENS: usize = 200_000;
/// What every host takes in one answer; some is left for what a door adds.
const ACCEPTED_BYTES: usize = 9_000;

/// A record, rendered.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Rendering {
    /// Id of the record
    pub id: SessionId,
    /// Its full name
    pub name: String,
    pub target: Target,
    /// What it costs, by an estimate
    pub tokens: usize,
    pub text: String,
    /// The file it was written to
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl Operation for RenderSession {
    const NAME: &'static str = "render";
    const TOOL: &'static str = "handoff_render_session";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Read;
    type Outcome = Rendering;

    fn example() -> Value {
        json!({"id": "latest", "target": "codex"})
    }

    fn run(self, project: &mut Project) -> Result<Rendering, OpError> {
        let budget = checked(self.budget_tokens)?;
        let found = elsewhere::find(project, self.session.as_ref().unwrap_or(&self.id))?;
        let record = Record::read(project, found)?;
        let mut limit = limit(self.target, budget);
        // An agent gets what its host shows it whole, unless it asks for more.
        if project.door == Door::Mcp && budget.is_none() {
            limit.bytes = ACCEPTED_BYTES;
        }
        let text = record.rendered(self.target, limit, &project.allowed());
        let file = match self.output.as_deref() {
            None => None,
            Some(path) if path == Path::new("-") => None,
            Some(path) => Some(put(project, path, &text)?),
        };
        let Record { found, .. } = record;
        let tokens = tokens::estimate(&text);
        Ok(Rendering { id: found.session.id, name: found.name, target: self.target, tokens, text, file })
    }
}

impl Report for Rendering {
    fn raw(&self) -> Option<Vec<u8>> {
        self.file.is_none().then(|| self.text.clone().into_bytes())
    }

    fn page(&self) -> Page {
        match &self.file {
            None => Page::new().verbatim(&self.text),
            Some(file) => Page::new().line(format!("rendered {} for {} into {file}", self.name, self.target)),
        }
    }
}

/// A budget that can be kept.
pub(crate) fn checked(budget: Option<u32>) -> Result<Option<u32>, OpError> {
    match budget {
        Some(tokens) if !BUDGETS.contains(&i64::from(tokens)) => {
            let (least, most) = (BUDGETS.start(), BUDGETS.end());
            Err(OpError::usage(format!("a budget of {tokens} tokens cannot be kept: give {least} to {most}")))
        }
        budget => Ok(budget),
    }
}

fn limit(target: Target, budget: Option<u32>) -> Limit {
    let tokens = budget.or(target.usual_budget()).and_then(|tokens| usize::try_from(tokens).ok());
    Limit { tokens: tokens.unwrap_or(MOST_TOKENS), bytes: usize::MAX }
}

/// A record with what belongs to it.
pub(crate) struct Record {
    found: FoundSession,
    body: Option<String>,
    /// The tasks it names, as far as they are known
    tasks: Vec<TaskInContext>,
    /// Full references of its decisions that are superseded
    superseded: Vec<String>,
    /// What is open or in force by now, where it is the last handoff
    standing: Option<Context>,
    ids: ShownIds,
    /// Next steps of it that ended since
    settled_steps: usize,
}

/// The ids by which entries of a record are shown.
#[derive(Default)]
struct ShownIds {
    /// By the list and the words of an entry
    items: HashMap<(ItemKind, String), String>,
    /// By full references
    decisions: HashMap<String, String>,
}

impl ShownIds {
    /// An entry behind its id, as far as it has one.
    fn named(&self, kind: ItemKind, text: &str) -> String {
        match self.items.get(&(kind, text.to_owned())) {
            Some(id) => format!("{id} {text}"),
            None => text.to_owned(),
        }
    }
}

impl Record {
    /// Reads what belongs to a record, wherever it was found.
    pub(crate) fn read(project: &Project, mut found: FoundSession) -> Result<Record, OpError> {
        let body = elsewhere::body(project, &found)?;
        let mut tasks = Vec::new();
        if !found.session.tasks.is_empty() {
            let forest = project.store().forest_of(&found.session.tasks)?;
            let known = found.session.tasks.iter().filter_map(|id| forest.get(*id));
            tasks.extend(known.map(|node| gather::in_context(node, &forest)));
        }
        let mut superseded = Vec::new();
        let mut standing = None;
        let (mut ids, mut settled_steps) = (ShownIds::default(), 0);
        if found.is_handoff() {
            let held = gather::Held::read_with_conversations(project)?;
            let items = held.items(project, project.patient(COMMIT_TIME));
            if is_last(&held, &found) {
                let focus = focus_on(project, &held, &found);
                let mut context = gather::gather(project, &held, &focus, &items).context;
                gather::put_governing_first(&mut context, &focus);
                standing = Some(context);
            }
            // A reader would take up what is settled by now.
            let steps = found.session.next.len();
            found.session = items.without_ended(&found.name, &found.session);
            settled_steps = steps - found.session.next.len();
            for entry in found.session.item_entries().filter(|entry| !entry.is_checked) {
                if let Some(item) = items.of_entry(&found.name, &found.session, entry.kind, entry.text) {
                    ids.items.insert((entry.kind, entry.text.to_owned()), items.shown_id(item));
                }
            }
            let decisions = held.decisions();
            for reference in found.session.decision_ids().into_iter().map(|id| format!("{}#{id}", found.name)) {
                let Some(standing) = decisions.get(&reference) else { continue };
                ids.decisions.insert(reference.clone(), held.decision(standing).id);
                if !decisions.holds(&reference) {
                    superseded.push(reference);
                }
            }
        }
        Ok(Record { found, body, tasks, superseded, standing, ids, settled_steps })
    }

    fn rendered(&self, target: Target, limit: Limit, allowed: &Allowed) -> String {
        let mut outline = Outline::of_record(self, limit.longest(), allowed);
        outline.whole = format!("handoff session show {}", self.found.name);
        fit::fitted(&outline, target, limit)
    }
}

/// Returns whether a record is the last one of its project, be it under way or closed.
fn is_last(held: &gather::Held, found: &FoundSession) -> bool {
    let handoffs = || held.sessions.list.iter().filter(|other| other.is_handoff());
    let closed = handoffs().find(|other| other.session.status == SessionStatus::Closed);
    handoffs().next().into_iter().chain(closed).any(|last| last.name == found.name)
}

/// A record, and in front of a closed one the session that leads what there is to go on with.
fn focus_on(project: &Project, held: &gather::Held, found: &FoundSession) -> gather::Focus {
    let record = Some(Arc::new(found.clone()));
    let leading = || which::leading(project, &held.sessions).map(|leading| Arc::new(leading.clone()));
    let is_closed = found.session.status == SessionStatus::Closed;
    let (active, handoff) = if is_closed { (leading(), record) } else { (record, None) };
    gather::Focus { active, handoff, is_earlier: false }
}

/// A session with its free-form text as words for a target, within a budget in tokens; without one within what suits the
/// target.
pub(crate) fn render(
    found: &FoundSession,
    body: Option<&str>,
    target: Target,
    budget: Option<u32>,
    allowed: &Allowed,
) -> String {
    let body = body.map(str::to_owned);
    let record = Record {
        found: found.clone(),
        body,
        tasks: Vec::new(),
        superseded: Vec::new(),
        standing: None,
        ids: ShownIds::default(),
        settled_steps: 0,
    };
    record.rendered(target, limit(target, budget), allowed)
}

/// The state of a project as words for a target, with files that are likely needed.
pub(crate) fn render_state(
    context: &Context,
    likely: &[String],
    target: Target,
    tokens: usize,
    allowed: &Allowed,
) -> String {
    let limit = Limit { tokens, bytes: usize::MAX };
    let mut outline = Outline::of_state(context, likely, limit.longest(), allowed);
    outline.whole.push_str("handoff resume --budget 20000");
    fit::fitted(&outline, target, limit)
}

/// Writes the text to a file. The path as it is shown.
fn put(project: &Project, path: &Path, text: &str) -> Result<String, OpError> {
    let path = project.place.cwd.join(path);
    // A link stays, and what it leads to is written.
    let path = path.canonicalize().unwrap_or(path);
    let shown = visible(&project.shown(&path), Breaks::Mark).into_owned();
    let is_ours = path
        .parent()
        .and_then(|dir| dir.canonicalize().ok())
        .is_some_and(|dir| project.store().path().canonicalize().is_ok_and(|store| dir.starts_with(store)));
    if is_ours {
        return Err(OpError::refused(format!("`{shown}` lies in the store, whose files are not for this")));
    }
    let write = || change_outside(&path, read_outside(&path)?.as_deref(), Some(text.as_bytes()), NewFile::Usual);
    write().map_err(|error| OpError::failure(format!("cannot write `{shown}`")).caused_by(error))?;
    Ok(shown)
}
