//! The plan for readers: the picture, the days of each task, what decides about the end, and what is wrong.

use std::collections::HashMap;

use handoff_model::id::TaskId;
use handoff_model::plan::{Forecast, hours};
use handoff_model::when::Day;
use serde_json::{Value, json};

use super::gantt::{Bar, BarKind, Gantt, Mark};
use super::view::{ChangeView, PlanView, PlannedView, ProblemView};
use super::{ApplyPlan, ShowPlan};
use crate::page::{Column, Role, Row, Table, Text};
use crate::{Hint, Page};

/// Problems, changes and steps of the critical path that are told; the JSON has all of them.
const TOLD: usize = 20;
/// Changes that are shown one by one.
const CHANGES: usize = 60;

impl PlanView {
    pub(super) fn plan_page(&self, weeks: Option<u32>, limit: usize, asked: &Value) -> Page {
        let mut page = Page::new().line(Text::of(Role::Strong, &self.message));
        let shown = &self.tasks[..self.tasks.len().min(limit)];
        if !shown.is_empty() {
            page = page.blank().chart(self.gantt(shown, weeks)).blank().table(self.table(shown));
            let mut again = asked.clone();
            again["limit"] = json!(self.tasks.len());
            page = page.more_of(self.tasks.len() - shown.len(), "tasks", Some(Hint::run_with::<ShowPlan>(again)));
        }
        page = self.summary(page);
        if self.changed_count > 0 {
            let what =
                format!("{} other dates than now; to write them ", count(self.changed_count, "task has", "tasks have"));
            page = page.blank().advice(what, Hint::run_with::<ApplyPlan>(asked.clone()));
        }
        page
    }

    pub(super) fn changes_page(&self) -> Page {
        let mark = if self.dry_run || self.changes.is_empty() { Text::default() } else { Text::of(Role::Good, "✓ ") };
        let page = Page::new().line(mark.plain(&self.message));
        let page = changes_table(page, &self.changes);
        self.summary(page)
    }

    fn gantt(&self, shown: &[PlannedView], weeks: Option<u32>) -> Gantt {
        let ends = shown.iter().map(|task| task.end);
        let last = ends.chain(self.milestones.iter().filter(|it| it.end.is_some()).map(|it| it.date)).max();
        let last = last.unwrap_or(self.from).max(self.from);
        let last = weeks.and_then(|weeks| self.from.plus(i64::from(weeks) * 7 - 1)).map_or(last, |end| end.min(last));
        let bar = |task: &PlannedView| Bar {
            number: task.number.as_ref().map(ToString::to_string).unwrap_or_default(),
            title: task.title.clone(),
            who: task.who.clone().unwrap_or_default(),
            start: task.start,
            end: task.end,
            worked: task.days.iter().map(|work| work.day).collect(),
            kind: match (task.pinned, task.critical) {
                (true, _) => BarKind::Pinned,
                (false, true) => BarKind::Critical,
                (false, false) => BarKind::Slack,
            },
        };
        let mark = |it: &Forecast| Mark { name: it.milestone.clone(), date: it.date, is_late: it.late_days > 0 };
        Gantt {
            first: self.from,
            week: self.week,
            last,
            today: self.today,
            bars: shown.iter().map(bar).collect(),
            marks: self.milestones.iter().map(mark).collect(),
        }
    }

    fn table(&self, shown: &[PlannedView]) -> Table {
        let before: HashMap<TaskId, &ChangeView> = self.changes.iter().map(|change| (change.task_id, change)).collect();
        let columns = [
            Column::new("task").shrinks_to(16),
            Column::new("who").optional(),
            Column::new("start"),
            Column::new("end"),
            Column::new("work").right(),
            Column::new("slack").right(),
            Column::new("was").optional(),
        ];
        let row = |task: &PlannedView| {
            let slack = match task.slack_minutes {
                _ if task.pinned => Text::of(Role::Dim, "pinned"),
                Some(0) => Text::of(Role::Warn, "critical"),
                Some(minutes) => hours(minutes).into(),
                None => Text::default(),
            };
            let was = before.get(&task.id).map(|change| dates(change.old_start, change.old_due)).unwrap_or_default();
            Row::new([
                Text::of(Role::Number, task.number.as_ref().map(ToString::to_string).unwrap_or_default())
                    .plain(" ")
                    .plain(&task.title),
                task.who.clone().unwrap_or_default().into(),
                task.start.to_string().into(),
                task.end.to_string().into(),
                hours(task.minutes).into(),
                slack,
                Text::of(Role::Dim, was),
            ])
        };
        Table::new(columns).rows(shown.iter().map(row)).without_empty_columns()
    }

    /// What decides about the end, what becomes of the milestones, and what is wrong.
    fn summary(&self, mut page: Page) -> Page {
        // What stands in a row by itself says nothing.
        if self.names.len() > 1 {
            let mut path: Vec<&str> = self.names.iter().take(TOLD).map(|(_, name)| name.as_str()).collect();
            let left = format!("{} more", self.names.len().saturating_sub(TOLD));
            if self.names.len() > TOLD {
                path.push(&left);
            }
            page = page.blank().field("critical path", path.join(" → "));
        }
        if let Some(multiplier) = self.ai_estimate_multiplier {
            page = page.field("estimates", format!("times {multiplier}, as `settings.ai_estimate_multiplier` says"));
        }
        if !self.milestones.is_empty() {
            page = page.heading("Milestones");
            page = self.milestones.iter().map(forecast).fold(page, Page::item);
        }
        problems(page, &self.problems)
    }
}

/// What is wrong and what would help.
pub(super) fn problems(mut page: Page, problems: &[ProblemView]) -> Page {
    if !problems.is_empty() {
        page = page.heading("Problems");
        let told = problems.iter().take(TOLD).map(|problem| Text::of(Role::Warn, &problem.message));
        page = told.fold(page, Page::item).more(problems.len().saturating_sub(TOLD), None);
    }
    page
}

/// Dates before and after.
pub(super) fn changes_table(page: Page, changes: &[ChangeView]) -> Page {
    let columns = [
        Column::new("task").shrinks_to(16),
        Column::new("was"),
        Column::new("becomes"),
        Column::new("later").right().optional(),
    ];
    let row = |change: &ChangeView| {
        let later = match change.later_days {
            0 => String::new(),
            days => count(days as usize, "day", "days"),
        };
        Row::new([
            Text::of(Role::Number, change.number.as_ref().map(ToString::to_string).unwrap_or_default())
                .plain(" ")
                .plain(&change.title),
            Text::of(Role::Dim, dates(change.old_start, change.old_due)),
            dates(change.new_start, change.new_due).into(),
            Text::of(Role::Warn, later),
        ])
    };
    let table = Table::new(columns).rows(changes.iter().take(CHANGES).map(row)).without_empty_columns();
    page.table(table).more_of(changes.len().saturating_sub(CHANGES), "tasks", None)
}

fn forecast(milestone: &Forecast) -> Text {
    let text = Text::of(Role::Strong, &milestone.milestone).plain(format!(" {}: ", milestone.date));
    let text = match (milestone.end, milestone.late_days) {
        (None, _) => text.and(Role::Dim, "nothing of it is planned"),
        (Some(end), 0) => text.and(Role::Good, format!("reached on {end}")),
        (Some(end), days) => {
            text.and(Role::Bad, format!("reached on {end}, {} late", count(days as usize, "day", "days")))
        }
    };
    match milestone.unplanned {
        0 => text,
        open => text.and(Role::Warn, format!("; {} no place", count(open, "task has", "tasks have"))),
    }
}

/// A first and a last day as people write them.
pub(super) fn dates(start: Option<Day>, due: Option<Day>) -> String {
    match (start, due) {
        (None, None) => "no dates".to_owned(),
        (Some(start), Some(due)) if start == due => start.to_string(),
        (Some(start), Some(due)) => format!("{start} – {due}"),
        (Some(start), None) => format!("from {start}"),
        (None, Some(due)) => format!("until {due}"),
    }
}

pub(super) fn count(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}
