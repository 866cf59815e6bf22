//! The figures as rows: one value each, with its unit and how many it rests on.

use handoff_model::metrics::{Figure, Measured, Spread};

use super::ProjectMetrics;
use crate::metrics::show::hundredths;
use crate::metrics::words::{hours_of, in_hours};
use crate::page::{Cell, Sheet};

pub(super) fn of(metrics: &ProjectMetrics) -> Sheet {
    let mut rows = Rows(Sheet::new(["figure", "of", "value", "unit", "samples"]));
    let figures = &metrics.figures;
    rows.add("total", "", metrics.total, "tasks");
    for (status, count) in &metrics.by_status {
        rows.add("tasks", status, count, "tasks");
    }
    rows.known("completion", &figures.completion, |percent| (percent.to_string(), "percent"));
    rows.add("estimate", "", metrics.total_estimate_hours, "hours");
    if let Some(adjusted) = metrics.total_adjusted_estimate_hours {
        rows.add("estimate_adjusted", "", adjusted, "hours");
    }
    rows.add("actual", "", metrics.total_actual_hours, "hours");
    rows.add("remaining", "", metrics.total_remaining_hours, "hours");
    if let Some(budget) = &metrics.budget {
        for (of, value) in [
            ("total", budget.total_hours),
            ("used", budget.used_hours),
            ("expected", budget.expected_hours),
            ("over", budget.over_hours),
        ] {
            rows.add("budget", of, value, "hours");
        }
    }
    match figures.velocity.known() {
        Some(velocity) => rows.spread("velocity", &velocity.minutes, "hours a week"),
        None => rows.too_few("velocity", &figures.velocity),
    }
    for (name, figure) in [
        ("lead_time", &figures.lead_time),
        ("cycle_time", &figures.cycle_time),
        ("blocked_time", &figures.blocked_time),
    ] {
        match figure.known() {
            Some(spread) => rows.spread(name, spread, "hours"),
            None => rows.too_few(name, figure),
        }
    }
    rows.known("accuracy", &figures.accuracy.all, |ratio| (hundredths(ratio.of_sums), "ratio"));
    rows.add("overdue", "", metrics.overdue_count, "tasks");
    rows.add("stale", "", figures.stale.known().map_or(0, Vec::len), "tasks");
    for milestone in &metrics.milestones {
        rows.add("milestone_done", &milestone.name, milestone.done, "tasks");
        rows.add("milestone_total", &milestone.name, milestone.total, "tasks");
        rows.add("milestone_remaining", &milestone.name, milestone.remaining_hours, "hours");
    }
    if let Some(sessions) = metrics.sessions.known() {
        rows.add("sessions", "", sessions.all.sessions, "sessions");
        rows.add("sessions_open", "", hours_of(sessions.all.minutes), "hours");
        rows.add("sessions_logged", "", in_hours(sessions.all.logged), "hours");
        rows.add("input_tokens", "", sessions.all.input_tokens, "tokens");
        rows.add("output_tokens", "", sessions.all.output_tokens, "tokens");
    }
    rows.0
}

struct Rows(Sheet);

impl Rows {
    fn add(&mut self, figure: &str, of: &str, value: impl std::fmt::Display, unit: &str) {
        self.put(figure, of, Cell::plain(value), unit, None);
    }

    fn put(&mut self, figure: &str, of: &str, value: Cell, unit: &str, samples: Option<usize>) {
        let sheet = std::mem::take(&mut self.0);
        self.0 = sheet.row([Cell::plain(figure), Cell::text(of), value, Cell::plain(unit), Cell::plain_if(samples)]);
    }

    fn known<T>(&mut self, figure: &str, it: &Figure<T>, value: impl FnOnce(&T) -> (String, &'static str)) {
        match it.known().map(value) {
            Some((value, unit)) => self.add(figure, "", value, unit),
            None => self.too_few(figure, it),
        }
    }

    fn spread(&mut self, figure: &str, spread: &Spread, unit: &str) {
        let parts = [
            ("least", spread.least),
            ("lower_quartile", spread.lower_quartile),
            ("median", spread.median),
            ("upper_quartile", spread.upper_quartile),
            ("most", spread.most),
            ("mean", spread.mean),
            ("deviation", spread.deviation),
        ];
        for (of, minutes) in parts {
            let hours = (minutes * 100.0 / 60.0).round() / 100.0;
            self.put(figure, of, Cell::plain(hours), unit, Some(spread.samples));
        }
    }

    fn too_few<T>(&mut self, figure: &str, it: &Figure<T>) {
        if let Measured::NotEnough { have, need: _ } = it.value {
            self.put(figure, "", Cell::plain("not enough data"), "", Some(have));
        }
    }
}
