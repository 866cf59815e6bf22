//! When an agent's conversation was at work: stretches of time without a long silence.

use jiff::SignedDuration;

use crate::when::Moment;

/// Silence this short is no interruption to anybody.
const ALWAYS_JOINED: SignedDuration = SignedDuration::from_secs(60);

/// The times at which something happened, in whatever order they are told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    spans: Vec<(Moment, Moment)>,
}

impl Activity {
    /// Notes that something happened.
    pub fn add(&mut self, at: Option<Moment>) {
        let Some(at) = at else { return };
        match self.spans.last_mut() {
            Some((from, to)) if *from <= at && to.until(at) <= ALWAYS_JOINED => *to = (*to).max(at),
            _ => self.spans.push((at, at)),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The stretches of work, in the order of time: a longer silence than this ends one.
    pub fn stretches(&self, silence: SignedDuration) -> Vec<(Moment, Moment)> {
        let mut spans = self.spans.clone();
        spans.sort_unstable();
        let mut joined: Vec<(Moment, Moment)> = Vec::new();
        for (from, to) in spans {
            match joined.last_mut() {
                Some((_, end)) if end.until(from) <= silence => *end = (*end).max(to),
                _ => joined.push((from, to)),
            }
        }
        joined
    }
}

/// What of some stretches lies in none of those that are taken.
pub fn uncovered(stretches: &[(Moment, Moment)], taken: &[(Moment, Moment)]) -> Vec<(Moment, Moment)> {
    let mut taken = taken.to_vec();
    taken.sort_unstable();
    let mut free = Vec::new();
    for &(from, to) in stretches {
        let mut at = from;
        for &(taken_from, taken_to) in
            taken.iter().filter(|(taken_from, taken_to)| *taken_from < to && *taken_to > from)
        {
            if at < taken_from {
                free.push((at, taken_from));
            }
            at = at.max(taken_to);
        }
        if at < to {
            free.push((at, to));
        }
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: &str) -> Moment {
        format!("2026-11-16T{time}:00Z").parse().unwrap()
    }

    #[test]
    fn a_long_silence_ends_a_stretch_whatever_the_order() {
        let times = ["09:00", "09:08", "09:18", "09:29", "09:30", "11:00"];
        let expected = [("09:00", "09:18"), ("09:29", "09:30"), ("11:00", "11:00")];
        let expected = expected.map(|(from, to)| (at(from), at(to)));
        for times in [
            times.to_vec(),
            times.iter().rev().copied().collect(),
            vec!["09:18", "11:00", "09:08", "09:30", "09:29", "09:00"],
        ] {
            let mut activity = Activity::default();
            for time in &times {
                activity.add(Some(at(time)));
            }
            activity.add(None);
            assert_eq!(activity.stretches(SignedDuration::from_mins(10)), expected, "{times:?}");
        }
    }

    #[test]
    fn what_is_taken_is_left_out() {
        let span = |from, to| (at(from), at(to));
        let stretches = [span("09:00", "10:00"), span("11:00", "12:00")];
        let taken = [span("09:20", "09:30"), span("09:25", "09:40"), span("10:30", "11:30")];
        let free = [span("09:00", "09:20"), span("09:40", "10:00"), span("11:30", "12:00")];
        assert_eq!(uncovered(&stretches, &taken), free);
        assert_eq!(uncovered(&stretches, &[]), stretches);
        assert_eq!(uncovered(&stretches, &[span("08:00", "12:00")]), []);
    }

    #[test]
    fn nothing_is_nothing() {
        assert!(Activity::default().stretches(SignedDuration::from_mins(10)).is_empty());
    }
}
