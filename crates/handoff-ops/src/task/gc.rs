//! `handoff gc`

use clap::Args;
use handoff_model::id::TaskId;
use handoff_model::number::Number;
use handoff_model::when::Moment;
use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ListTasks;
use crate::page::{Column, Role, Row, Table, Text};
use crate::{Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// Pack finished tasks into the archive
///
/// Tasks that were finished, with all below them, more than `settings.archive_after_days` days ago go into
/// `archive/tasks-YYYY-MM.toml`, whole. They can still be listed, shown and searched, and `handoff task restore`
/// brings them back as they were.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CollectGarbage {
    /// Days that must have passed instead
    #[arg(long, value_name = "DAYS")]
    pub older_than: Option<u32>,
    /// Only say what would be packed
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}

/// How many of those that went are shown; the JSON has all of them.
const SHOWN: usize = 50;

/// What was packed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Collected {
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
        let days = match self.older_than {
            Some(days) => days,
            None => u32::try_from(project.config().settings.archive_after_days.count()).unwrap_or(u32::MAX),
        };
        let now = project.now();
        let age = SignedDuration::from_hours(i64::from(days) * 24);
        let before = now.timestamp().checked_sub(age).map(Moment::precise);
        let Ok(before) = before else {
            return Err(OpError::usage(format!("{days} days ago is before all time: give fewer")));
        };
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
        let message = message(count, days, self.dry_run);
        let warnings =
            kept.iter().map(|kept| format!("{} {} stays: {}", kept.number, kept.title, kept.reason)).collect();
        Ok(Collected { packed, kept, count, dry_run: self.dry_run, message, warnings })
    }
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
        let mark = if self.dry_run || self.count == 0 { Text::default() } else { Text::of(Role::Good, "✓ ") };
        let page = Page::new().line(mark.plain(&self.message));
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
