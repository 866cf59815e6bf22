//! `handoff undo`

use std::fmt;
use std::str::FromStr;

use clap::Args;
use handoff_model::history::{ChangeRef, NotAChangeRef};
use handoff_store::{StoreError, Undo as Plan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::redo::Redo;
use super::view::LoggedChange;
use super::{ShowLog, diff};
use crate::page::{Role, Text};
use crate::{Effect, Facts, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// Take back the last change, the last few, or any one
///
/// Every file is put back as it was, byte for byte and where it was, as one new change that `handoff redo` takes back in
/// turn. Nothing that was changed since is overwritten: then it is refused, and the file is named.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Undo {
    /// How many changes, the last first, or the id of one; the last change if absent
    #[arg(value_name = "N|ID")]
    pub change: Option<Which>,
    /// Only if the last change that stands is still this one
    #[arg(long, value_name = "ID")]
    pub if_last: Option<ChangeRef>,
    /// Show what would be done, and change nothing
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}

/// Which changes are meant: so many of the last, or one by its id.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "Written")]
#[schemars(with = "String")]
pub enum Which {
    Last(usize),
    One(ChangeRef),
}

/// A number or a text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Number(u64),
    Text(String),
}

/// A text that says neither how many changes nor which one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotWhich {
    #[error("`{0}` changes cannot be taken back: give a number from 1 to {MOST}")]
    Count(String),
    #[error(transparent)]
    Change(#[from] NotAChangeRef),
}

/// As many changes as the log may hold.
const MOST: usize = 1_000;

impl FromStr for Which {
    type Err = NotWhich;

    fn from_str(text: &str) -> Result<Self, NotWhich> {
        let text = text.trim();
        if !text.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            return Ok(Which::One(text.parse()?));
        }
        let count = text.parse().ok().filter(|count| (1..=MOST).contains(count));
        count.map(Which::Last).ok_or_else(|| NotWhich::Count(text.chars().take(20).collect()))
    }
}

impl TryFrom<Written> for Which {
    type Error = NotWhich;

    fn try_from(written: Written) -> Result<Self, NotWhich> {
        match written {
            Written::Number(number) => number.to_string().parse(),
            Written::Text(text) => text.parse(),
        }
    }
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Which::Last(count) => write!(f, "{count}"),
            Which::One(change) => write!(f, "{change}"),
        }
    }
}

/// What was taken back, or made again.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Undone {
    /// The changes that were taken back or made again, the newest first
    pub changes: Vec<LoggedChange>,
    /// Whether nothing was done, because only the difference was asked for
    pub dry_run: bool,
    /// What it does to each file, when only that was asked for
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    pub message: String,
    #[serde(skip)]
    back: Option<Hint>,
}

impl Operation for Undo {
    const NAME: &'static str = "undo";
    const TOOL: &'static str = "handoff_undo";
    const SET: ToolSet = ToolSet::History;
    const EFFECT: Effect = Effect::Write;
    type Outcome = Undone;

    fn example() -> Value {
        json!({"change": "1"})
    }

    fn effect(&self) -> Effect {
        if self.dry_run { Effect::Read } else { Effect::Amend }
    }

    fn run(self, project: &mut Project) -> Result<Undone, OpError> {
        if let Some(expected) = &self.if_last {
            check_last(project, expected)?;
        }
        let plan = match &self.change {
            None => project.store().undo_last(1)?,
            Some(Which::Last(count)) => project.store().undo_last(*count)?,
            Some(Which::One(change)) => project.store().undo_change(change)?,
        };
        let verb = if plan.makes_again() { "made again" } else { "taken back" };
        let back = Some(Hint::run::<Redo>()).filter(|_| !plan.makes_again());
        carry_out(project, &plan, self.dry_run, verb, back)
    }
}

fn check_last(project: &Project, expected: &ChangeRef) -> Result<(), OpError> {
    let last = project.store().history()?.find(handoff_store::Logged::is_standing_change);
    match last {
        Some(last) if expected.matches(last.id()) => Ok(()),
        Some(last) => {
            let message = format!("the last change is `{}` now, not `{expected}`; nothing was changed", last.id());
            Err(OpError::refused(message).details(last.entry.words()).hint(Hint::run::<ShowLog>()))
        }
        None => Err(StoreError::NothingToUndo { asked: 1, there: 0 }.into()),
    }
}

/// Stages what is planned, unless it is only to be shown.
pub(super) fn carry_out(
    project: &mut Project,
    plan: &Plan,
    dry_run: bool,
    verb: &str,
    back: Option<Hint>,
) -> Result<Undone, OpError> {
    let wanted = plan.changes();
    let history = project.store().history()?.filter(|logged| wanted.contains(&logged.id())).take(wanted.len());
    let changes: Vec<LoggedChange> = history.map(|logged| LoggedChange::of_entry(&logged.entry)).collect();
    let count = if wanted.len() == 1 { "1 change".to_owned() } else { format!("{} changes", wanted.len()) };
    if dry_run {
        let message = format!("{count} would be {verb}; nothing was changed");
        return Ok(Undone { changes, dry_run, diff: Some(diff::unified(&plan.changed())), message, back: None });
    }
    project.store_mut().stage_undo(plan);
    if project.has_current_state() {
        project.rebuild_current_state();
    }
    Ok(Undone { changes, dry_run, diff: None, message: format!("{count} {verb}"), back })
}

impl Report for Undone {
    fn page(&self) -> Page {
        let mark = if self.dry_run { Text::default() } else { Text::of(Role::Good, "✓ ") };
        let page = Page::new().line(mark.plain(&self.message));
        let page = self.changes.iter().fold(page, |page, change| change.add_shortly(page));
        let page = match &self.diff {
            Some(diff) => page.blank().prose(diff.trim_end()),
            None => page,
        };
        match &self.back {
            Some(back) => page.advice("to turn it round again, ", back.clone()),
            None => page,
        }
    }

    fn facts(&self) -> Facts {
        let ids: Vec<Value> = self.changes.iter().map(|change| json!(change.id)).collect();
        let more = [("changes".to_owned(), ids.into()), ("dry_run".to_owned(), self.dry_run.into())];
        Facts { message: self.page().to_markdown(None), more: more.into_iter().collect(), ..Facts::default() }
    }
}
