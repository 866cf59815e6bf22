//! The effort of a task in minutes, as planner and metrics count it.

use super::Task;

impl Task {
    /// Hours as whole minutes; what is no time at all is none.
    pub fn minutes_of(hours: f64) -> u32 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of a float stays in range")]
        let minutes = (hours * 60.0).round().max(0.0) as u32;
        minutes
    }

    /// The estimate, times the multiplier if there is one.
    pub fn estimate_minutes(&self, multiplier: Option<f64>) -> Option<u32> {
        self.schedule.estimate_hours.map(|hours| Task::minutes_of(hours * multiplier.unwrap_or(1.0)))
    }

    /// The work that is left: none when it is finished; what the task says; or else the estimate less what was spent.
    ///
    /// `None` where there is neither. The multiplier is for estimates alone, which are made for a person.
    pub fn remaining_minutes(&self, spent_minutes: i64, multiplier: Option<f64>) -> Option<u32> {
        if self.status.is_finished() {
            return Some(0);
        }
        if let Some(hours) = self.schedule.remaining_hours {
            return Some(Task::minutes_of(hours));
        }
        let spent = u32::try_from(spent_minutes.max(0)).unwrap_or(u32::MAX);
        self.estimate_minutes(multiplier).map(|estimate| estimate.saturating_sub(spent))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::*;

    #[test]
    fn what_is_left_is_said_or_follows_from_estimate_and_time() {
        let (mut task, _) = Task::read("id = \"k7f3q2ma\"\n[schedule]\nestimate_hours = 6.0\n").unwrap();
        assert_eq!(task.remaining_minutes(90, None), Some(270));
        assert_eq!(task.remaining_minutes(90, Some(0.5)), Some(90));
        assert_eq!(task.remaining_minutes(1_000, None), Some(0));
        assert_eq!(task.remaining_minutes(-30, None), Some(360));
        task.schedule.remaining_hours = Some(1.25);
        assert_eq!(task.remaining_minutes(90, Some(0.5)), Some(75));
        task.status = Status::Done;
        assert_eq!(task.remaining_minutes(90, None), Some(0));
        let (bare, _) = Task::read("id = \"k7f3q2ma\"").unwrap();
        assert_eq!(bare.remaining_minutes(90, None), None);
    }
}
