//! What a plan cannot keep, and what would help.

use schemars::JsonSchema;
use serde::Serialize;

use crate::calendar::NeverWorks;
use crate::id::TaskId;
use crate::when::Day;

/// Something that does not fit into a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Problem {
    /// Tasks that wait for each other, the first again at the end
    Cycle { tasks: Vec<TaskId> },
    /// Somebody who has tasks but never works
    NeverWorks { who: Option<String>, from: Day },
    /// A task that would end after the last day that is planned
    BeyondHorizon { task: TaskId, who: Option<String> },
    /// A task that waits for one without a place
    AfterUnplanned { task: TaskId },
    /// More work towards deadlines than somebody has time for
    Overload {
        who: Option<String>,
        by: Day,
        minutes: u64,
        /// The day by which it could be done
        possible: Option<Day>,
    },
    /// A milestone that will be reached too late
    MilestoneLate { milestone: String, date: Day, end: Day, last: TaskId, late_days: u32 },
    /// A pinned task whose days have not enough time for it
    PinnedTooShort { task: TaskId, who: Option<String>, minutes: u32 },
    /// A pinned task without any date to be pinned to
    PinnedToNothing { task: TaskId },
    /// A pinned task whose days are over
    PinnedInThePast { task: TaskId, due: Day, minutes: u32 },
    /// A pinned task that begins before something it waits for has ended
    PinnedTooEarly { task: TaskId, start: Day, dependency: TaskId, ends: Day },
    /// Tasks that end later than they are due now
    Late { tasks: Vec<TaskId>, most_days: u32 },
    /// Tasks that nobody estimated
    Unestimated { tasks: Vec<TaskId>, minutes: u32 },
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let person =
            |who: &Option<String>| who.as_ref().map_or_else(|| "unassigned work".to_owned(), |who| format!("`{who}`"));
        match self {
            Problem::Cycle { tasks } => {
                let path = tasks.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(" → ");
                write!(f, "these wait for each other: {path}; remove one of the dependencies")
            }
            Problem::NeverWorks { who, from } => NeverWorks { who: who.clone(), from: *from }.fmt(f),
            Problem::BeyondHorizon { task, who } => write!(
                f,
                "`{task}` would end more than ten years from now: lower its estimate, give it to somebody else, or give {} more hours",
                person(who)
            ),
            Problem::AfterUnplanned { task } => {
                write!(f, "`{task}` has no place because something it waits for has none")
            }
            Problem::Overload { who, by, minutes, possible } => {
                write!(f, "{} is {} short by {by}: ", person(who), hours(*minutes))?;
                f.write_str("give work to somebody else, cut it, or move the date")?;
                possible.map_or(Ok(()), |day| write!(f, " to {day}"))
            }
            Problem::MilestoneLate { milestone, date, end, last, late_days } => write!(
                f,
                "milestone `{milestone}` of {date} will be reached on {end}, {late_days} {} late, when `{last}` ends: move the date, or take work out of it",
                if *late_days == 1 { "day" } else { "days" }
            ),
            Problem::PinnedTooShort { task, who, minutes } => write!(
                f,
                "`{task}` is pinned to days on which {} has {} too little: give it more days, or unpin it",
                person(who),
                hours(u64::from(*minutes))
            ),
            Problem::PinnedToNothing { task } => {
                write!(f, "`{task}` is pinned but has no dates, and comes last: give it dates, or unpin it")
            }
            Problem::PinnedInThePast { task, due, minutes } => write!(
                f,
                "`{task}` is pinned until {due}, which is over, and {} are left: move it, unpin it, or finish it",
                hours(u64::from(*minutes))
            ),
            Problem::PinnedTooEarly { task, start, dependency, ends } => write!(
                f,
                "`{task}` is set to begin on {start}, but `{dependency}` ends on {ends}: move one of them, or unpin it"
            ),
            Problem::Late { tasks, most_days } => {
                const NAMED: usize = 5;
                let named: Vec<String> = tasks.iter().take(NAMED).map(|id| format!("`{id}`")).collect();
                let more =
                    if tasks.len() > NAMED { format!(" and {} more", tasks.len() - NAMED) } else { String::new() };
                write!(
                    f,
                    "{}{more} {} later than due, by up to {most_days} {}: give work to somebody else, cut it, or move the dates",
                    named.join(", "),
                    if tasks.len() == 1 { "ends" } else { "end" },
                    if *most_days == 1 { "day" } else { "days" }
                )
            }
            Problem::Unestimated { tasks, minutes } => write!(
                f,
                "{} {} no estimate and {} taken for {}: estimate them",
                tasks.len(),
                if tasks.len() == 1 { "task has" } else { "tasks have" },
                if tasks.len() == 1 { "is" } else { "are" },
                hours(u64::from(*minutes))
            ),
        }
    }
}

/// Minutes as people say them, such as `1 h 30 min`.
pub fn hours(minutes: u64) -> String {
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}
