//! Days from and to which something is asked for.

use handoff_model::when::{Day, Moment, PointInTime};
use jiff::tz::TimeZone;

use crate::{OpError, Project};

/// The days that are asked for, both included.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Days {
    first: Option<Day>,
    last: Option<Day>,
}

impl Days {
    pub(super) fn of(
        project: &Project,
        since: Option<PointInTime>,
        until: Option<PointInTime>,
    ) -> Result<Days, OpError> {
        let zone = project.zone();
        let day = |point: PointInTime| match point {
            PointInTime::Day(day) => Ok(day),
            other => match other.beginning(project.now()) {
                Some(moment) => Ok(moment.day_in(&zone)),
                None => Err(OpError::usage("that is before the calendar begins")),
            },
        };
        let days = Days { first: since.map(day).transpose()?, last: until.map(day).transpose()? };
        if let Days { first: Some(first), last: Some(last) } = days
            && last < first
        {
            return Err(OpError::usage(format!("`until` ({last}) is before `since` ({first})")));
        }
        Ok(days)
    }

    pub(super) fn contain(self, day: Day) -> bool {
        self.first.is_none_or(|first| day >= first) && self.last.is_none_or(|last| day <= last)
    }
}

/// The middle of a day, for an entry of which only the day is known: no clock change moves it to another.
pub(super) fn at_noon_of(day: Day, zone: &TimeZone) -> Result<Moment, OpError> {
    let noon = day.date().at(12, 0, 0, 0).to_zoned(zone.clone());
    let noon = noon.map_err(|error| OpError::usage(format!("{day} is no day to log on")).caused_by(error))?;
    Ok(Moment::new(noon.timestamp()))
}
