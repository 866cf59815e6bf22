//! The figures as they are read: what counts first, how each is found last.

use handoff_model::metrics::{Accuracy, Budget, Burndown, Effort, Figure, Metrics, Ratio, Velocity};

use super::{ProjectMetrics, SessionTotals};
use crate::metrics::ShowAccuracy;
use crate::metrics::chart::Sparks;
use crate::metrics::words::{calendar_time, count, hours, hours_u, large, not_enough, said, spread, tenths};
use crate::page::{Column, Role, Row, Table, Text};
use crate::task::status_role;
use crate::{Hint, Page, Report};

/// Tasks that are late or lie still, and groups of accuracy, that are shown.
const SHOWN: usize = 8;

impl Report for ProjectMetrics {
    fn page(&self) -> Page {
        let mut page = Page::new().heading(self.title());
        if self.total == 0 {
            page = page.line("no tasks yet");
        }
        let figures = &self.figures;
        page = page
            .field("tasks", self.counts())
            .field("completion", said(&figures.completion, |percent| format!("{} %", tenths(*percent))))
            .field("effort", said(&figures.effort, effort));
        page = page.field_if("adjusted", figures.effort.known().and_then(adjusted));
        if let Some(budget) = &figures.budget {
            page = page.field("budget", said(budget, budget_line));
        }
        page = page
            .field("velocity", said(&figures.velocity, velocity))
            .field("burndown", said(&figures.burndown, burndown))
            .field("lead time", said(&figures.lead_time, |it| spread(it, calendar_time)))
            .field("cycle time", said(&figures.cycle_time, |it| spread(it, calendar_time)))
            .field("blocked time", said(&figures.blocked_time, |it| spread(it, calendar_time)))
            .field("accuracy", said(&figures.accuracy.all, ratio));
        if self.is_of_everything() {
            page = page.field("sessions", said(&self.sessions, sessions));
        }
        let sparks = self.sparks();
        if !sparks.0.is_empty() {
            page = page.blank().chart(sparks);
        }
        page = self.late(page);
        page = self.still(page);
        page = self.milestones(page);
        page = groups(page, &figures.accuracy);
        page = page.heading("How");
        for (figure, how) in self.how() {
            page = page.line(Text::of(Role::Dim, format!("{figure}: {how}")));
        }
        if figures.undated > 0 {
            let tasks = count(figures.undated, "task");
            page = page.line(Text::of(Role::Dim, format!("{tasks} without any date: no series can show them")));
        }
        page
    }

    fn sheet(&self) -> Option<crate::page::Sheet> {
        Some(super::sheet::of(self))
    }
}

impl ProjectMetrics {
    /// Whether no tasks are left out; sessions are told only then, since they are everybody's.
    fn is_of_everything(&self) -> bool {
        self.assignee.is_none() && self.milestone.is_none()
    }

    fn title(&self) -> String {
        let of = |what: &str, name: &Option<String>| name.as_ref().map(|name| format!(" of {what}{name}"));
        let whose = of("", &self.assignee).unwrap_or_default() + &of("milestone ", &self.milestone).unwrap_or_default();
        format!("Metrics{whose}, {}", self.day)
    }

    fn counts(&self) -> Text {
        use handoff_model::task::Status;
        let counts = &self.figures.counts;
        let mut text = Text::from(self.total.to_string());
        let states = [
            (Status::Done, counts.done),
            (Status::Review, counts.review),
            (Status::InProgress, counts.in_progress),
            (Status::Blocked, counts.blocked),
            (Status::Todo, counts.todo),
            (Status::Skipped, counts.skipped),
        ];
        let mut before = ": ";
        for (status, count) in states.into_iter().filter(|(_, count)| *count > 0) {
            text = text.plain(before).and(status_role(status), format!("{count} {status}"));
            before = ", ";
        }
        match counts.parents {
            0 => text,
            parents => text.and(Role::Dim, format!("; {} not counted", count(parents, "parent"))),
        }
    }

    fn sparks(&self) -> Sparks {
        let mut series = Vec::new();
        if let Some(velocity) = self.figures.velocity.known() {
            series.push(("done by week", velocity.weeks.iter().map(|week| float(week.minutes)).collect()));
        }
        if let Some(burndown) = self.figures.burndown.known() {
            let left = burndown.days.iter().map(|day| float(u64::try_from(day.remaining).unwrap_or(0)));
            series.push(("left by day", left.collect()));
        }
        Sparks(series)
    }

    fn late(&self, page: Page) -> Page {
        if self.overdue_tasks.is_empty() {
            return page;
        }
        let columns =
            [Column::new("due"), Column::new("task"), Column::new("title").shrinks_to(16), Column::new("late")];
        let row = |task: &super::OverdueTask| {
            Row::new([
                Text::of(Role::Bad, task.due_date.to_string()),
                Text::of(Role::Id, self.names.number(task.id)),
                Text::from(&task.title),
                Text::from(count(usize::try_from(task.days_overdue).unwrap_or(0), "day")),
            ])
        };
        let table = Table::new(columns).rows(self.overdue_tasks.iter().take(SHOWN).map(row));
        let more = self.overdue_tasks.len().saturating_sub(SHOWN);
        page.heading(format!("Overdue: {}", self.overdue_count)).table(table).more(more, None)
    }

    fn still(&self, page: Page) -> Page {
        let Some(stale) = self.figures.stale.known().filter(|stale| !stale.is_empty()) else { return page };
        let columns =
            [Column::new("since"), Column::new("task"), Column::new("title").shrinks_to(16), Column::new("status")];
        let row = |task: &handoff_model::metrics::Stale| {
            Row::new([
                Text::of(Role::Warn, task.last_touched.to_string()),
                Text::of(Role::Id, self.names.number(task.id)),
                Text::from(self.names.title(task.id)),
                Text::of(status_role(task.status), task.status.word()),
            ])
        };
        let table = Table::new(columns).rows(stale.iter().take(SHOWN).map(row));
        page.heading(format!("Stale: {}", stale.len())).table(table).more(stale.len().saturating_sub(SHOWN), None)
    }

    fn milestones(&self, page: Page) -> Page {
        let columns = [
            Column::new("milestone").shrinks_to(10),
            Column::new("date"),
            Column::new("done"),
            Column::new("left").right(),
            Column::new(""),
        ];
        let row = |milestone: &super::MilestoneHours| {
            let percent = milestone.completion_percent.map(|percent| format!(" ({} %)", tenths(percent)));
            let note = if milestone.overdue {
                Text::of(Role::Bad, "overdue")
            } else if milestone.defined {
                Text::default()
            } else {
                Text::of(Role::Dim, "not in the configuration")
            };
            Row::new([
                Text::from(&milestone.name),
                Text::of(Role::Dim, milestone.date.map(|date| date.to_string()).unwrap_or_default()),
                Text::from(format!("{} of {}{}", milestone.done, milestone.total, percent.unwrap_or_default())),
                Text::from(format!("{} h", tenths(milestone.remaining_hours))),
                note,
            ])
        };
        if self.milestones.is_empty() {
            return page;
        }
        let table = Table::new(columns).rows(self.milestones.iter().map(row)).without_empty_columns();
        page.heading("Milestones").table(table)
    }

    fn how(&self) -> Vec<(&'static str, &'static str)> {
        let Metrics { completion, effort, budget, accuracy, velocity, burndown, lead_time, cycle_time, .. } =
            &self.figures;
        let mut how = vec![("completion", completion.how), ("effort", effort.how)];
        how.extend(budget.as_ref().map(|budget| ("budget", budget.how)));
        how.extend([
            ("velocity", velocity.how),
            ("burndown", burndown.how),
            ("lead time", lead_time.how),
            ("cycle time", cycle_time.how),
            ("blocked time", self.figures.blocked_time.how),
            ("accuracy", accuracy.all.how),
            ("overdue", self.figures.overdue.how),
            ("stale", self.figures.stale.how),
            ("milestones", self.figures.milestones.how),
        ]);
        how.extend(self.is_of_everything().then_some(("sessions", self.sessions.how)));
        how
    }
}

fn effort(effort: &Effort) -> String {
    let elsewhere = match effort.actual_elsewhere {
        0 => String::new(),
        minutes => format!(" ({} on parents or tasks that are gone)", hours(minutes)),
    };
    let unestimated = match effort.unestimated {
        0 => String::new(),
        tasks => format!("; {} without an estimate", count(tasks, "open task")),
    };
    let (estimate, actual, left) = (hours_u(effort.estimate), hours(effort.actual), hours_u(effort.remaining));
    format!("{estimate} estimated, {actual} worked{elsewhere}, {left} left{unestimated}")
}

fn adjusted(effort: &Effort) -> Option<String> {
    let (estimate, left) = effort.estimate_adjusted.zip(effort.remaining_adjusted)?;
    Some(format!("{} estimated, {} left, by ai_estimate_multiplier", hours_u(estimate), hours_u(left)))
}

fn budget_line(budget: &Budget) -> String {
    let Budget { total, used, expected, over } = *budget;
    let end = if over > 0 { format!("{} over", hours(over)) } else { format!("{} below", hours(-over)) };
    format!("{} of {} used; {} when all is done, {end}", hours(used), hours_u(total), hours(expected))
}

fn velocity(velocity: &Velocity) -> String {
    let minutes = |minutes: f64| format!("{} h", tenths(minutes / 60.0));
    format!("{} a week; this week {} so far", spread(&velocity.minutes, minutes), hours_u(velocity.this_week.minutes))
}

fn burndown(burndown: &Burndown) -> String {
    let (Some(first), Some(last)) = (burndown.days.first(), burndown.days.last()) else { return String::new() };
    let ideal = last.ideal.map(|ideal| format!(", {} by the ideal line", hours_u(ideal))).unwrap_or_default();
    let target = burndown.target.as_ref().map(|it| format!(" to {} ({})", it.day, it.by)).unwrap_or_default();
    format!("{} left{ideal}{target}; {} on {}", hours(last.remaining), hours(first.remaining), first.day)
}

fn ratio(ratio: &Ratio) -> String {
    let adjusted = ratio.of_sums_adjusted.map(|it| format!(", × {} adjusted", tenths(it))).unwrap_or_default();
    format!("× {} of the estimates{adjusted} ({})", hundredths(ratio.of_sums), count(ratio.samples, "task"))
}

fn sessions(totals: &SessionTotals) -> String {
    let all = &totals.all;
    let tokens = match all.with_tokens {
        0 => String::new(),
        with => format!("; {} tokens in, {} out in {with} of them", large(all.input_tokens), large(all.output_tokens)),
    };
    format!("{}, {} open, {} logged{tokens}", all.sessions, hours_u(all.minutes), hours(all.logged))
}

/// Accuracy by label and by person.
fn groups(page: Page, accuracy: &Accuracy) -> Page {
    let columns = [
        Column::new("estimates of"),
        Column::new("name").shrinks_to(10),
        Column::new("tasks").right(),
        Column::new("actual by estimate"),
        Column::new("spread").optional(),
    ];
    let row = |what: &'static str, name: &String, figure: &Figure<Ratio>| {
        let (samples, sums, range) = match &figure.value {
            handoff_model::metrics::Measured::Known(ratio) => {
                let ends = format!("{} to {}", hundredths(ratio.spread.least), hundredths(ratio.spread.most));
                (ratio.samples, format!("× {}", hundredths(ratio.of_sums)), ends)
            }
            handoff_model::metrics::Measured::NotEnough { have, need } => {
                (*have, not_enough(*have, *need), String::new())
            }
        };
        Row::new([
            Text::of(Role::Dim, what),
            Text::from(name),
            Text::from(samples.to_string()),
            Text::from(sums),
            Text::of(Role::Dim, range),
        ])
    };
    let labels = accuracy.by_label.iter().map(|(name, figure)| row("label", name, figure));
    let people = accuracy.by_person.iter().map(|(name, figure)| row("person", name, figure));
    let rows: Vec<Row> = people.chain(labels).collect();
    if rows.is_empty() {
        return page;
    }
    let more = rows.len().saturating_sub(SHOWN);
    let table = Table::new(columns).rows(rows.into_iter().take(SHOWN)).without_empty_columns();
    page.heading("Estimates and actual time").table(table).more(more, Some(Hint::run::<ShowAccuracy>()))
}

pub(in crate::metrics) fn hundredths(value: f64) -> String {
    format!("{}", (value * 100.0).round() / 100.0)
}

#[expect(clippy::cast_precision_loss, reason = "it is drawn in eight steps")]
fn float(minutes: u64) -> f64 {
    minutes as f64
}
