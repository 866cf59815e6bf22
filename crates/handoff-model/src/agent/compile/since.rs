//! The part of a digest that came after a moment, such as the one at which a handoff was left.

use super::super::{Crowd, Digest};
use super::words;
use crate::when::Moment;

impl Digest {
    /// What was done after `moment`; `None` where nothing was asked since.
    ///
    /// Things to do stay whole, since they are how the list stands now. A file counts where it was touched after the
    /// first request that came later.
    pub fn since(&self, moment: Moment) -> Option<Digest> {
        let is_later = |at: Option<Moment>| at.is_some_and(|at| at > moment);
        let later: Vec<_> = self.prompts.iter().filter(|prompt| is_later(prompt.at)).cloned().collect();
        let asks = later.iter().any(|prompt| !words::is_noise(&prompt.text));
        let works = self.commands.iter().any(|ran| is_later(ran.at));
        if later.is_empty() || !(asks || works) {
            return None;
        }
        let start = later.iter().filter_map(|prompt| prompt.line).min();
        let is_behind = |line: Option<u64>| match (line, start) {
            (Some(line), Some(start)) => line >= start,
            _ => true,
        };
        let mut rest = self.clone();
        rest.started_at = later[0].at.or(self.started_at);
        rest.asked = u32::try_from(later.len()).unwrap_or(u32::MAX);
        rest.counts_earlier |= rest.asked < self.asked || rest.tokens.in_all.is_some();
        rest.prompts = later;
        rest.files.retain(|file| is_behind(file.line));
        // Those that are not kept any more were touched before all that are.
        if rest.files.len() < self.files.len() {
            rest.crowded_out = Crowd::default();
        }
        rest.commands.retain(|ran| is_later(ran.at) || (ran.at.is_none() && is_behind(ran.line)));
        rest.failures.retain(|failure| is_later(failure.at) || (failure.at.is_none() && is_behind(failure.line)));
        rest.answer = rest.answer.filter(|answer| is_behind(answer.line));
        rest.earlier_answers.retain(|answer| is_behind(answer.line) && answer.at.is_none_or(|at| at > moment));
        rest.plan = rest.plan.filter(|plan| is_behind(plan.line));
        Some(rest)
    }
}
