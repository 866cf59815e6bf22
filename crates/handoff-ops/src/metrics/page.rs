//! The figures as they are read: counts first, a share only where it rests on enough.

use handoff_model::agent::Share;

use super::handoffs::{FormFinding, HandoffMetrics, MeasureHandoffs, MeasuredHandoff, Used};
use super::week::{ENOUGH, Week};
use crate::page::{Column, Role, Row, Table, Text};
use crate::{Hint, Page, Report};

/// Weeks that are shown.
const WEEKS: usize = 12;

/// How each figure is found.
const LEGEND: &[(&str, &str)] = &[
    ("form", "what the rules for saving find in the handoff"),
    ("pointers", "opened, changed or named in a command, of those given"),
    (
        "next",
        "done, of those given: a completed to-do or task says the same, or its file was changed; `?` nobody can tell",
    ),
    ("files", "opened or changed files that the handoff named, of all that were there before"),
    ("per 1,000 tokens", "pointers used, steps done, files named for each 1,000 tokens that were loaded"),
];

impl Report for HandoffMetrics {
    fn page(&self) -> Page {
        if self.handoffs.is_empty() && self.weeks.is_empty() {
            return Page::new().line("no handoff was left yet");
        }
        let again = MeasureHandoffs { limit: Some(self.matches), ..self.asked.clone() };
        let hint = serde_json::to_value(&again).map(Hint::run_with::<MeasureHandoffs>).ok();
        let mut page = Page::new()
            .table(handoffs(&self.handoffs))
            .more(self.matches - self.handoffs.len(), hint)
            .blank()
            .heading("By week")
            .table(weeks(&self.weeks[..self.weeks.len().min(WEEKS)]))
            .blank();
        for (figure, how) in LEGEND {
            page = page.line(Text::of(Role::Dim, format!("{figure}: {how}")));
        }
        page
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

fn handoffs(list: &[MeasuredHandoff]) -> Table {
    let columns = ["date", "id"].map(Column::new).into_iter().chain([
        Column::new("title").shrinks_to(16),
        Column::new("form").shrinks_to(12),
        Column::new("pointers"),
        Column::new("next"),
        Column::new("files"),
        Column::new("tokens").right(),
    ]);
    Table::new(columns)
        .rows(list.iter().map(|handoff| {
            let used = handoff.used.as_ref();
            let form =
                if handoff.form.is_empty() { Text::of(Role::Good, "ok") } else { Text::from(in_words(&handoff.form)) };
            let of = |share: fn(&Used) -> Share| Text::from(used.map(|used| counts(share(used))).unwrap_or_default());
            Row::new([
                Text::of(Role::Dim, handoff.date.map(|date| date.to_string()).unwrap_or_default()),
                Text::of(Role::Id, handoff.id.as_str()),
                Text::from(&handoff.title),
                form,
                of(|used| used.pointers),
                Text::from(used.map(next).unwrap_or_default()),
                of(|used| used.files),
                Text::from(used.map(|used| used.tokens.to_string()).unwrap_or_default()),
            ])
        }))
        .without_empty_columns()
}

fn weeks(list: &[Week]) -> Table {
    let columns = [
        Column::new("week of"),
        Column::new("left").right(),
        Column::new("form"),
        Column::new("used by"),
        Column::new("pointers"),
        Column::new("next"),
        Column::new("files"),
        Column::new("per 1,000 tokens").optional(),
    ];
    Table::new(columns)
        .rows(list.iter().map(|week| {
            let enough = week.used.sessions >= ENOUGH;
            let of = |share: Share| Text::from(if enough { percent(share) } else { String::new() });
            let used_by = match week.used.sessions {
                sessions @ 1..ENOUGH => format!("{sessions}, not enough data"),
                sessions => sessions.to_string(),
            };
            let per = week.per_1000_tokens.map(|per| format!("{} / {} / {}", per.pointers, per.next, per.files));
            Row::new([
                Text::of(Role::Dim, week.week.to_string()),
                Text::from(week.handoffs.to_string()),
                Text::from(if week.handoffs == 0 { String::new() } else { format!("{} ok", week.without_findings) }),
                Text::from(used_by),
                of(week.used.pointers),
                of(week.used.next),
                of(week.used.files),
                Text::from(per.unwrap_or_default()),
            ])
        }))
        .without_empty_columns()
}

fn in_words(findings: &[FormFinding]) -> String {
    let word = |finding: &FormFinding| match finding.count {
        1 => finding.rule.words().to_owned(),
        count => format!("{count} × {}", finding.rule.words()),
    };
    findings.iter().map(word).collect::<Vec<_>>().join(", ")
}

fn counts(share: Share) -> String {
    if share.of == 0 { "none".to_owned() } else { format!("{} of {}", share.part, share.of) }
}

fn next(used: &Used) -> String {
    let unknown = if used.next_unknown > 0 { format!(", {} ?", used.next_unknown) } else { String::new() };
    counts(used.next) + &unknown
}

fn percent(share: Share) -> String {
    share.percent().map_or_else(|| "none".to_owned(), |percent| format!("{percent} % of {}", share.of))
}
