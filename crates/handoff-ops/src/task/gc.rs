//! `handoff gc`

use clap::Args;
use handoff_model::id::TaskId;
use handoff_model::number::Number;
use handoff_model::session::SessionKind;
use handoff_model::when::Moment;
use handoff_store::Packing;
use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ListTasks;
use crate::package::expired::{self, ExpiredView, Swept};
use crate::page::{Column, Role, Row, Table, Text};
use crate::{Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// Clean up: put away packages and records whose lifetime is over, and pack finished tasks into the archive
///
/// What expired goes into a trash, from where `handoff undo` and `handoff extend` bring it back; nothing is deleted
/// unless `--purge` is given. Tasks that were finished, with all below them, more than `settings.archive_after_days` days ago go into
/// `archive/tasks-YYYY-MM.toml`, whole. They can still be listed, shown and searched, and `handoff task restore`
/// brings them back as they were.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CollectGarbage {
    /// Days that must have passed instead
    #[arg(long, value_name = "DAYS")]
    pub older_than: Option<u32>,
    /// Delete for good what expired and lies in the trash
    #[arg(long)]
    #[serde(default)]
    pub purge: bool,
    /// Only say what would be done
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}

/// How many of those that went are shown; the JSON has all of them.
const SHOWN: usize = 50;

/// What was put away.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Collected {
    /// Packages and records whose lifetime is over, which went to the trash
    pub expired: Vec<ExpiredView>,
    /// Those that came back from the trash: a clock that was ahead had put them there
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub brought_back: Vec<ExpiredView>,
    /// How many were deleted for good
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purged: Option<usize>,
    /// The tasks that went, each with all below it
    pub packed: Vec<PackedView>,
    /// Those old enough that had to stay
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<KeptView>,
    /// How many tasks went, those below included
    pub count: usize,
    /// Whether this only says what would be done
    pub dry_run: bool,
    pub message: String,
    #[serde(skip)]
    warnings: Vec<String>,
}

/// A finished task that was packed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PackedView {
    pub id: TaskId,
    pub number: Number,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Moment>,
    /// How many tasks went, itself included
    pub count: usize,
}

/// A finished task that was not packed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KeptView {
    pub id: TaskId,
    pub number: Number,
    pub title: String,
    pub reason: String,
}

impl Operation for CollectGarbage {
    const NAME: &'static str = "gc";
    const TOOL: &'static str = "handoff_pack_tasks";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Write;
    type Outcome = Collected;

    fn example() -> Value {
        json!({"dry_run": true})
    }

    fn effect(&self) -> Effect {
        if self.dry_run { Effect::Read } else { Effect::Amend }
    }

    fn run(self, project: &mut Project) -> Result<Collected, OpError> {
        let now = project.now();
        let (days, before) = long_ago(project, self.older_than)?;
        let purged = match (self.purge, self.dry_run) {
            (false, _) => None,
            (true, true) => Some(project.store().session_trash_size(now)?),
            (true, false) => Some(project.store().empty_session_trash(now)?),
        };
        let swept = expired::sweep(project, now)?;
        let packings = project.store_mut().pack_tasks(before, now)?;
        if self.dry_run {
            project.store_mut().forget_changes();
        }
        let (mut packed, mut kept) = (Vec::new(), Vec::new());
        for packing in packings {
            let (id, number, title) = (packing.id, packing.number, packing.title);
            match packing.stays {
                None => {
                    let (finished_at, count) = (packing.finished_at, packing.count);
                    packed.push(PackedView { id, number, title, finished_at, count });
                }
                Some(reason) => kept.push(KeptView { id, number, title, reason }),
            }
        }
        let count = packed.iter().map(|packed| packed.count).sum();
        let message =
            [told_expired(&swept, self.dry_run), told_purged(purged, self.dry_run), message(count, days, self.dry_run)];
        let message = message.into_iter().filter(|said| !said.is_empty()).collect::<Vec<_>>().join("; ");
        if project.has_current_state() && !(swept.removed.is_empty() && swept.brought_back.is_empty()) {
            project.rebuild_current_state();
        }
        let Swept { removed: expired, brought_back } = swept;
        let warnings =
            kept.iter().map(|kept| format!("{} {} stays: {}", kept.number, kept.title, kept.reason)).collect();
        let purged = purged.map(|(sessions, _)| sessions);
        Ok(Collected { expired, brought_back, purged, packed, kept, count, dry_run: self.dry_run, message, warnings })
    }
}

/// Packs the tasks that were finished long enough ago; the caller commits.
pub(crate) fn pack(project: &mut Project, older_than: Option<u32>) -> Result<Vec<Packing>, OpError> {
    let (_, before) = long_ago(project, older_than)?;
    let now = project.now();
    Ok(project.store_mut().pack_tasks(before, now)?)
}

/// How many days ago is long ago, and when that was.
fn long_ago(project: &Project, older_than: Option<u32>) -> Result<(u32, Moment), OpError> {
    let days = match older_than {
        Some(days) => days,
        None => u32::try_from(project.config().settings.archive_after_days.count()).unwrap_or(u32::MAX),
    };
    let age = SignedDuration::from_hours(i64::from(days) * 24);
    let before = project.now().timestamp().checked_sub(age).map(Moment::precise);
    let before = before.map_err(|_| OpError::usage(format!("{days} days ago is before all time: give fewer")))?;
    Ok((days, before))
}

fn told_expired(swept: &Swept, is_dry: bool) -> String {
    let removed = swept.removed.len();
    let what = match removed {
        1 => format!("1 expired {}", swept.removed[0].kind.word()),
        count if swept.removed.iter().all(|one| one.kind == SessionKind::Record) && count > 0 => {
            format!("{count} expired records")
        }
        count => format!("{count} expired packages"),
    };
    let deed = if is_dry { "would remove" } else { "removed" };
    let back = match swept.brought_back.len() {
        0 => String::new(),
        count if is_dry => format!("; would bring {count} back from the trash, not expired after all"),
        count => format!("; brought {count} back from the trash, not expired after all"),
    };
    format!("{deed} {what}{back}")
}

fn told_purged(purged: Option<(usize, u64)>, is_dry: bool) -> String {
    let Some((sessions, bytes)) = purged else { return String::new() };
    let deed = if is_dry { "would delete" } else { "deleted" };
    format!("{deed} {sessions} for good from the trash, {bytes} bytes")
}

fn message(count: usize, days: u32, is_dry: bool) -> String {
    let days = if days == 1 { "1 day".to_owned() } else { format!("{days} days") };
    let tasks = if count == 1 { "task" } else { "tasks" };
    match (count, is_dry) {
        (0, _) => format!("nothing to pack: no task was finished more than {days} ago"),
        (count, false) => format!("packed {count} {tasks} finished more than {days} ago"),
        (count, true) => format!("would pack {count} {tasks} finished more than {days} ago; nothing was changed"),
    }
}

impl Report for Collected {
    fn page(&self) -> Page {
        let did_something = self.count > 0 || !self.expired.is_empty() || self.purged.is_some_and(|count| count > 0);
        let mark = if self.dry_run || !did_something { Text::default() } else { Text::of(Role::Good, "✓ ") };
        let mut page = Page::new().line(mark.plain(&self.message));
        for one in self.expired.iter().take(SHOWN) {
            let line = Text::of(Role::Id, one.id.as_str()).plain(format!(" {} `{}`", one.kind.word(), one.title));
            page = page.said(line.and(Role::Dim, format!(" expired {}", one.expires_at)));
        }
        page = page.more(self.expired.len().saturating_sub(SHOWN), None);
        if !self.expired.is_empty() && !self.dry_run {
            page = page.line(Text::of(
                Role::Dim,
                "`handoff undo` brings them back; `handoff gc --purge` deletes them for good",
            ));
        }
        if self.packed.is_empty() {
            return page;
        }
        let rows = self.packed.iter().take(SHOWN).map(|packed| {
            Row::new([
                Text::of(Role::Number, format!("{} ", packed.number)).plain(&packed.title),
                packed.count.to_string().into(),
                Text::of(Role::Dim, packed.finished_at.map(|at| at.day().to_string()).unwrap_or_default()),
                Text::of(Role::Id, packed.id.to_string()),
            ])
        });
        let columns = [
            Column::new("task").shrinks_to(20),
            Column::new("tasks").right(),
            Column::new("finished"),
            Column::new("id"),
        ];
        let page = page.table(Table::new(columns).rows(rows)).more(self.packed.len().saturating_sub(SHOWN), None);
        if self.dry_run {
            return page;
        }
        let list = Hint::run_with::<ListTasks>(json!({"archived": true})).at(crate::Door::Cli);
        page.line(Text::of(Role::Dim, format!("to see them, {list}")))
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
