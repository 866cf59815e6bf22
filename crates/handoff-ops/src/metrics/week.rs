//! Handoffs week by week, with how many each figure rests on.

use std::collections::BTreeMap;

use handoff_model::session::lint::Rule;
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::Serialize;

use super::Noted;
use super::handoffs::{FormFinding, MeasuredHandoff, Used};

/// Below so many, a share says more about chance than about handoffs.
pub(super) const ENOUGH: usize = 3;

/// One week.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Week {
    /// Its Monday
    pub week: Day,
    /// Handoffs that were left
    pub handoffs: usize,
    /// Of those, the ones without findings
    pub without_findings: usize,
    /// In how many handoffs each rule applies
    pub form: Vec<FormFinding>,
    /// What was used by the sessions that ended
    pub used: Used,
    /// The same for 1,000 tokens given; absent below three sessions
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_1000_tokens: Option<PerThousand>,
}

/// What 1,000 tokens of a handoff came to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct PerThousand {
    /// Pointers used
    pub pointers: f64,
    /// Next steps done
    pub next: f64,
    /// Touched files that were named
    pub files: f64,
}

#[derive(Default)]
struct Sum {
    handoffs: usize,
    without_findings: usize,
    form: BTreeMap<Rule, usize>,
    used: Used,
}

/// The weeks in which anything happened, the last first.
pub(super) fn weeks(handoffs: &[MeasuredHandoff], noted: &[Noted]) -> Vec<Week> {
    let mut sums: BTreeMap<Day, Sum> = BTreeMap::new();
    for (day, handoff) in handoffs.iter().filter_map(|handoff| Some((handoff.date?, handoff))) {
        let sum = sums.entry(monday(day)).or_default();
        sum.handoffs += 1;
        sum.without_findings += usize::from(handoff.form.is_empty());
        for finding in &handoff.form {
            *sum.form.entry(finding.rule).or_default() += 1;
        }
    }
    for noted in noted {
        sums.entry(monday(noted.at.day())).or_default().used.add(&noted.used);
    }
    sums.into_iter().rev().map(|(week, sum)| sum.of(week)).collect()
}

impl Sum {
    fn of(self, week: Day) -> Week {
        let Sum { handoffs, without_findings, form, used } = self;
        let form = form.into_iter().map(|(rule, count)| FormFinding { rule, count }).collect();
        let per_1000_tokens = PerThousand::of(&used);
        Week { week, handoffs, without_findings, form, used, per_1000_tokens }
    }
}

impl PerThousand {
    pub(super) fn of(used: &Used) -> Option<PerThousand> {
        let per = |part: u64| {
            // To a tenth, in whole numbers, so that it is the same everywhere.
            let tenths = (part * 10_000 + used.tokens / 2) / used.tokens;
            f64::from(u32::try_from(tenths).unwrap_or(u32::MAX)) / 10.0
        };
        (used.sessions >= ENOUGH && used.tokens > 0).then(|| PerThousand {
            pointers: per(used.pointers.part),
            next: per(used.next.part),
            files: per(used.files.part),
        })
    }
}

fn monday(day: Day) -> Day {
    let date = day.date();
    let since = i64::from(date.weekday().to_monday_zero_offset());
    Day::new(date.checked_sub(jiff::Span::new().days(since)).unwrap_or(date))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_week_begins_on_monday() {
        for (day, expected) in
            [("2026-11-15", "2026-11-09"), ("2026-11-16", "2026-11-16"), ("2027-01-01", "2026-12-28")]
        {
            assert_eq!(monday(day.parse().unwrap()).to_string(), expected);
        }
    }

    #[test]
    fn few_sessions_give_no_figure_for_their_tokens() {
        let mut used = Used { sessions: 2, tokens: 3_000, ..Used::default() };
        used.pointers.part = 4;
        assert_eq!(PerThousand::of(&used), None);
        used.sessions = 3;
        assert_eq!(PerThousand::of(&used), Some(PerThousand { pointers: 1.3, next: 0.0, files: 0.0 }));
        assert_eq!(PerThousand::of(&Used { tokens: 0, ..used }), None);
    }
}
