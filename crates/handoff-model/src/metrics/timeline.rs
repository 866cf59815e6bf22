//! What a task was at each moment, told from its history.

use crate::task::{Status, Task};
use crate::when::Moment;

/// The changes of a task, in the order of time.
pub(super) struct Timeline {
    /// When it came to be, as far as anybody knows
    pub(super) created: Option<Moment>,
    pub(super) states: Vec<(Moment, Status)>,
    /// In minutes
    pub(super) estimates: Vec<(Moment, u32)>,
}

impl Timeline {
    pub(super) fn of(task: &Task) -> Timeline {
        let first_entry = task.history.iter().map(|entry| entry.at).min();
        let created = task.created_at.into_iter().chain(first_entry).min().or(task.completed_at);
        let Some(start) = created else {
            return Timeline { created, states: Vec::new(), estimates: Vec::new() };
        };
        let mut states = vec![(start, Status::Todo)];
        let mut changes: Vec<_> = task.history.iter().filter_map(|entry| Some((entry.at, entry.status?))).collect();
        changes.sort_by_key(|(at, _)| *at);
        states.extend(changes);
        let last = states[states.len() - 1];
        if last.1 != task.status {
            // Somebody edited the file, or it came from elsewhere: the history does not tell when.
            let at = task.completed_at.filter(|_| task.status.is_finished()).or(task.last_touched());
            states.push((at.unwrap_or(last.0).max(last.0), task.status));
        }
        let now = task.estimate_minutes(None);
        let minutes = |hours: f64| Task::minutes_of(hours);
        let mut estimates: Vec<_> =
            task.history.iter().filter_map(|entry| Some((entry.at, minutes(entry.estimate_hours?)))).collect();
        estimates.sort_by_key(|(at, _)| *at);
        match estimates.last() {
            None => estimates.extend(now.map(|now| (start, now))),
            Some(&(at, last)) if last != now.unwrap_or(0) => {
                estimates.push((task.last_touched().unwrap_or(at).max(at), now.unwrap_or(0)));
            }
            Some(_) => {}
        }
        Timeline { created, states, estimates }
    }

    /// Since when it is done; none while it is not.
    pub(super) fn done_at(&self) -> Option<Moment> {
        let before = self.states.iter().rposition(|(_, status)| *status != Status::Done);
        self.states.get(before.map_or(0, |before| before + 1)).map(|(at, _)| *at)
    }

    pub(super) fn begun_at(&self) -> Option<Moment> {
        self.states.iter().find(|(_, status)| *status == Status::InProgress).map(|(at, _)| *at)
    }

    /// Seconds in a status between two moments.
    pub(super) fn seconds_in(&self, wanted: Status, since: Option<Moment>, now: Moment) -> i64 {
        let ends = self.states.iter().skip(1).map(|(at, _)| *at).chain([now]);
        let lengths = self.states.iter().zip(ends).filter(|((_, status), _)| *status == wanted);
        let from = |at: Moment| since.map_or(at, |since| since.max(at));
        lengths.map(|((at, _), to)| from(*at).until(to.min(now)).as_secs().max(0)).sum()
    }
}
