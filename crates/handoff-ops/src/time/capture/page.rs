//! What was logged, session by session.

use super::{CapturedTime, LeftOut, LoggedStretch};
use crate::page::{Column, Role, Row, Table, Text};
use crate::{Page, Report};

/// Stretches that are shown.
const SHOWN: usize = 20;

impl CapturedTime {
    pub(super) fn words(&self) -> String {
        let stretches = match self.logged.len() {
            0 => return "nothing to log: the time log has all that transcripts tell".to_owned(),
            1 => "1 stretch of work".to_owned(),
            more => format!("{more} stretches of work"),
        };
        let what = if self.dry_run { "would log" } else { "logged" };
        format!("{what} {stretches}, {}", length(self.seconds))
    }
}

impl Report for CapturedTime {
    fn page(&self) -> Page {
        let columns = [
            Column::new("session").shrinks_to(10),
            Column::new("task"),
            Column::new("from"),
            Column::new("to"),
            Column::new("time").right(),
        ];
        let row = |stretch: &LoggedStretch| {
            Row::new([
                Text::of(Role::Dim, &stretch.session),
                Text::of(Role::Id, stretch.task.to_string()),
                Text::from(stretch.started_at.to_string()),
                Text::from(stretch.ended_at.to_string()),
                Text::from(length(stretch.seconds)),
            ])
        };
        let mark = if self.dry_run || self.logged.is_empty() { Text::default() } else { Text::of(Role::Good, "✓ ") };
        let table = Table::new(columns).rows(self.logged.iter().take(SHOWN).map(row));
        let more = self.logged.len().saturating_sub(SHOWN);
        let mut page = Page::new().line(mark.plain(&self.message)).table(table).more_of(more, "stretches", None);
        if !self.left_out.is_empty() {
            page = page.heading("Left out");
            for LeftOut { session, why } in &self.left_out {
                page = page.item(Text::of(Role::Dim, session).plain(format!(": {why}")));
            }
        }
        page
    }
}

fn length(seconds: i64) -> String {
    match seconds {
        ..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", (seconds + 30) / 60),
        _ => format!("{} h {} min", (seconds + 30) / 3_600, (seconds + 30) / 60 % 60),
    }
}
