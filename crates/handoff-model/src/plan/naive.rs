//! The rule of the planner once more, written to be read and not to be fast, for comparing the two on small cases.
//!
//! It shares nothing with the planner but the types of input. Time is walked minute by minute.

use std::collections::BTreeMap;

use super::{PlanInput, PlanTask};
use crate::id::TaskId;
use crate::task::{Priority, Status};
use crate::when::Day;

/// Days to walk before giving up.
const DAYS: i64 = 200;

/// A minute of the calendar: the day, and the minute of the working day.
type Minute = (i64, u32);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NaiveSpot {
    pub(super) start: Day,
    pub(super) end: Day,
    pub(super) days: BTreeMap<Day, u32>,
}

/// What is settled at a minute.
#[derive(Clone)]
struct State<'a> {
    /// The end of each task that has one, as the minute from which what follows may go on
    ends: BTreeMap<TaskId, Minute>,
    spots: BTreeMap<TaskId, NaiveSpot>,
    /// What each person is at, and the minutes left of it
    hands: BTreeMap<Option<&'a str>, (TaskId, u32)>,
}

pub(super) struct Naive<'a> {
    input: PlanInput<'a>,
    dates: BTreeMap<TaskId, (Option<Day>, Option<Day>)>,
}

impl<'a> Naive<'a> {
    /// Plans by the rule. Only for input without cycles, where everything fits.
    pub(super) fn plan(input: PlanInput<'a>) -> BTreeMap<TaskId, NaiveSpot> {
        let mut naive = Naive { input, dates: BTreeMap::new() };
        for task in naive.open_leaves() {
            let due = naive.line(task).iter().find_map(|task| task.due).filter(|_| !is_undated(task));
            naive.dates.insert(task.id, (task.start, due));
        }
        naive.walk()
    }

    fn get(&self, id: TaskId) -> Option<&'a PlanTask> {
        self.input.tasks.iter().find(|task| task.id == id)
    }

    fn children(&self, id: TaskId) -> Vec<&'a PlanTask> {
        self.input.tasks.iter().filter(|task| task.parent == Some(id)).collect()
    }

    fn line(&self, task: &'a PlanTask) -> Vec<&'a PlanTask> {
        let mut line = vec![task];
        while let Some(parent) = line[line.len() - 1].parent.and_then(|parent| self.get(parent)) {
            line.push(parent);
        }
        line
    }

    fn open_leaves(&self) -> Vec<&'a PlanTask> {
        let all = self.input.tasks.iter();
        all.filter(|task| task.status.is_open() && self.children(task.id).is_empty()).collect()
    }

    fn leaves_under(&self, task: &'a PlanTask) -> Vec<&'a PlanTask> {
        let children = self.children(task.id);
        if children.is_empty() {
            return if task.status.is_open() { vec![task] } else { Vec::new() };
        }
        children.into_iter().flat_map(|child| self.leaves_under(child)).collect()
    }

    /// The open leaves that a leaf waits for directly.
    fn waits_for(&self, task: &'a PlanTask) -> Vec<&'a PlanTask> {
        let named = self.line(task).into_iter().flat_map(|task| task.dependencies.iter());
        named.filter_map(|&id| self.get(id)).flat_map(|task| self.leaves_under(task)).collect()
    }

    fn who(&self, task: &'a PlanTask) -> Option<&'a str> {
        self.line(task).into_iter().find_map(|task| task.assignee.as_deref())
    }

    fn day(&self, number: i64) -> Day {
        self.input.today.plus(number).unwrap()
    }

    /// The minutes of a person that are not taken by pinned work, from today on.
    fn free_minutes(&self, who: Option<&str>, pinned: &BTreeMap<TaskId, BTreeMap<i64, u32>>) -> Vec<Minute> {
        let mut minutes = Vec::new();
        for day in 0..DAYS {
            let taken: u32 = self
                .open_leaves()
                .iter()
                .filter(|task| self.who(task) == who)
                .filter_map(|task| pinned.get(&task.id)?.get(&day))
                .sum();
            let worked = self.input.calendar.of(who).minutes_on(self.day(day));
            minutes.extend((taken..worked).map(|minute| (day, minute)));
        }
        minutes
    }

    fn pinned_days(&self) -> BTreeMap<TaskId, BTreeMap<i64, u32>> {
        let mut pinned: Vec<&PlanTask> = self.open_leaves().into_iter().filter(|task| is_pinned(task)).collect();
        pinned.sort_by_key(|task| (task.start.or(task.due), task.due, task.place, task.id));
        let mut left: BTreeMap<(Option<&str>, i64), u32> = BTreeMap::new();
        let mut days: BTreeMap<TaskId, BTreeMap<i64, u32>> = BTreeMap::new();
        for task in pinned {
            let who = self.who(task);
            let mut work = task.work.unwrap_or(480);
            let first = task.start.map_or(0, |start| self.input.today.days_until(start)).max(0);
            let last = task.due.map_or(DAYS, |due| self.input.today.days_until(due));
            let mine = days.entry(task.id).or_default();
            for day in first..=last {
                let worked = self.input.calendar.of(who).minutes_on(self.day(day));
                let free = left.entry((who, day)).or_insert(worked);
                let taken = work.min(*free);
                *free -= taken;
                work -= taken;
                if taken > 0 {
                    mine.insert(day, taken);
                }
            }
        }
        days
    }

    /// When a task must have ended, in minutes of the calendar, for what follows to keep its dates.
    fn deadline(&self, task: &'a PlanTask, free: &BTreeMap<Option<&'a str>, Vec<Minute>>) -> Option<Minute> {
        let dates = self.line(task).into_iter().filter_map(|task| self.input.milestones.get(task.milestone.as_ref()?));
        let own = dates.map(|&date| (self.input.today.days_until(date), u32::MAX));
        let after =
            self.open_leaves().into_iter().filter(|other| self.waits_for(other).iter().any(|it| it.id == task.id));
        let after = after.filter_map(|other| {
            if is_pinned(other) {
                let start = other.start.or(self.pinned_start(other)).unwrap();
                return Some((self.input.today.days_until(start), u32::MAX));
            }
            let deadline = self.deadline(other, free)?;
            let work = other.work.unwrap_or(480) as usize;
            if work == 0 {
                return Some(deadline);
            }
            let minutes = &free[&self.who(other)];
            let before = minutes.iter().filter(|&&minute| minute < deadline).count();
            Some(minutes[before.saturating_sub(work)].min(deadline))
        });
        own.chain(after).min()
    }

    fn pinned_start(&self, task: &PlanTask) -> Option<Day> {
        let days = self.pinned_days();
        let first = days.get(&task.id).and_then(|days| days.keys().next().copied());
        first.map(|day| self.day(day)).or(task.due)
    }

    /// The day from which each task presses.
    fn pressing(
        &self,
        deadlines: &BTreeMap<TaskId, Option<Minute>>,
        free: &BTreeMap<Option<&'a str>, Vec<Minute>>,
    ) -> BTreeMap<TaskId, i64> {
        let mut pressing = BTreeMap::new();
        for task in self.open_leaves().into_iter().filter(|task| !is_pinned(task) && task.work != Some(0)) {
            let Some(own) = deadlines[&task.id] else { continue };
            let minutes = &free[&self.who(task)];
            let before =
                |deadline: Minute| i64::try_from(minutes.iter().filter(|&&minute| minute < deadline).count()).unwrap();
            let rivals: Vec<&PlanTask> = self
                .open_leaves()
                .into_iter()
                .filter(|other| self.who(other) == self.who(task) && !is_pinned(other) && other.work != Some(0))
                .filter(|other| deadlines[&other.id].is_some())
                .collect();
            let begin = rivals
                .iter()
                .map(|rival| before(deadlines[&rival.id].unwrap()))
                .filter(|&deadline| deadline >= before(own))
                .map(|deadline| {
                    let due = rivals.iter().filter(|rival| before(deadlines[&rival.id].unwrap()) <= deadline);
                    deadline - due.map(|rival| i64::from(rival.work.unwrap_or(480))).sum::<i64>()
                })
                .min()
                .unwrap();
            pressing.insert(task.id, minutes[usize::try_from(begin.max(0)).unwrap()].0);
        }
        pressing
    }

    fn walk(&self) -> BTreeMap<TaskId, NaiveSpot> {
        let leaves = self.open_leaves();
        let pinned = self.pinned_days();
        let free: BTreeMap<Option<&str>, Vec<Minute>> =
            leaves.iter().map(|task| self.who(task)).map(|who| (who, self.free_minutes(who, &pinned))).collect();
        let deadlines: BTreeMap<TaskId, Option<Minute>> =
            leaves.iter().map(|task| (task.id, self.deadline(task, &free))).collect();
        let pressing = self.pressing(&deadlines, &free);

        let mut ends: BTreeMap<TaskId, Minute> = BTreeMap::new();
        let mut spots: BTreeMap<TaskId, NaiveSpot> = BTreeMap::new();
        for task in leaves.iter().filter(|task| is_pinned(task)) {
            let days = &pinned[&task.id];
            let start = task.start.or(self.pinned_start(task)).unwrap();
            let last = days.keys().last().map(|&day| self.day(day));
            let end = task.due.or(last).unwrap_or(start);
            ends.insert(task.id, (self.input.today.days_until(end), u32::MAX));
            let days = days.iter().map(|(&day, &minutes)| (self.day(day), minutes)).collect();
            spots.insert(task.id, NaiveSpot { start, end, days });
        }
        let mut state = State { ends, spots, hands: BTreeMap::new() };
        for day in 0..DAYS {
            let mut given: BTreeMap<TaskId, (Option<Day>, Option<Day>)> = BTreeMap::new();
            loop {
                let mut tried = state.clone();
                let gives = self.walk_day(day, &mut tried, &free, &deadlines, &pressing, &given);
                if gives == given {
                    state = tried;
                    break;
                }
                given = gives;
            }
        }
        let mut spots = state.spots;
        for task in leaves {
            if let (Status::InProgress | Status::Review, Some(start), false) =
                (task.status, task.start, is_pinned(task))
            {
                let spot = spots.get_mut(&task.id).unwrap();
                spot.start = spot.start.min(start);
            }
        }
        spots
    }

    /// Walks the minutes of one day, and tells the dates of the tasks that were begun on it.
    fn walk_day(
        &self,
        day: i64,
        state: &mut State<'a>,
        free: &BTreeMap<Option<&'a str>, Vec<Minute>>,
        deadlines: &BTreeMap<TaskId, Option<Minute>>,
        pressing: &BTreeMap<TaskId, i64>,
        given: &BTreeMap<TaskId, (Option<Day>, Option<Day>)>,
    ) -> BTreeMap<TaskId, (Option<Day>, Option<Day>)> {
        let State { ends, spots, hands } = state;
        let leaves = self.open_leaves();
        let mut begun: Vec<&PlanTask> = Vec::new();
        let most = free.values().flatten().filter(|minute| minute.0 == day).map(|minute| minute.1 + 1).max();
        for now in (0..most.unwrap_or(1)).map(|minute| (day, minute)) {
            self.settle_without_work(ends, spots);
            for (&who, minutes) in free {
                if minutes.binary_search(&now).is_err() {
                    continue;
                }
                let is_free = !hands.contains_key(&who);
                if is_free {
                    let ready = leaves.iter().filter(|task| self.who(task) == who && !spots.contains_key(&task.id));
                    let ready = ready.filter(|task| {
                        task.work != Some(0)
                            && self.waits_for(task).iter().all(|it| ends.get(&it.id).is_some_and(|end| *end <= now))
                    });
                    let first = ready.min_by_key(|task| self.key(task, deadlines, pressing, given, now));
                    let Some(task) = first else { continue };
                    begun.push(task);
                    hands.insert(who, (task.id, task.work.unwrap_or(480)));
                    let day = self.day(now.0);
                    spots.insert(task.id, NaiveSpot { start: day, end: day, days: BTreeMap::new() });
                }
                let (id, left) = hands[&who];
                let spot = spots.get_mut(&id).unwrap();
                spot.end = self.day(now.0);
                *spot.days.entry(spot.end).or_insert(0) += 1;
                if left == 1 {
                    hands.remove(&who);
                    ends.insert(id, (now.0, now.1 + 1));
                } else {
                    hands.insert(who, (id, left - 1));
                }
            }
        }
        self.settle_without_work(ends, spots);
        let dates = |task: &&PlanTask| {
            let spot = &spots[&task.id];
            let left = hands.values().find(|(id, _)| *id == task.id).map_or(0, |(_, left)| *left as usize);
            let rest: Vec<i64> = free[&self.who(task)].iter().map(|minute| minute.0).filter(|&at| at > day).collect();
            let end = if left == 0 { spot.end } else { self.day(rest[left - 1]) };
            let start = match task.status {
                Status::InProgress | Status::Review => task.start.map_or(spot.start, |start| start.min(spot.start)),
                _ => spot.start,
            };
            (task.id, (Some(start), Some(end)))
        };
        begun.iter().map(dates).collect()
    }

    fn settle_without_work(&self, ends: &mut BTreeMap<TaskId, Minute>, spots: &mut BTreeMap<TaskId, NaiveSpot>) {
        loop {
            let waits: Vec<&PlanTask> = self.open_leaves();
            let settled = waits.into_iter().find(|task| {
                task.work == Some(0)
                    && !spots.contains_key(&task.id)
                    && self.waits_for(task).iter().all(|it| ends.contains_key(&it.id))
            });
            let Some(task) = settled else { return };
            let end = self.waits_for(task).iter().map(|it| ends[&it.id]).max().unwrap_or((0, 0)).max((0, 0));
            ends.insert(task.id, end);
            let day = self.day(end.0);
            spots.insert(task.id, NaiveSpot { start: day, end: day, days: BTreeMap::new() });
        }
    }

    #[expect(clippy::type_complexity, reason = "it is the rule, in its order")]
    fn key(
        &self,
        task: &'a PlanTask,
        deadlines: &BTreeMap<TaskId, Option<Minute>>,
        pressing: &BTreeMap<TaskId, i64>,
        given: &BTreeMap<TaskId, (Option<Day>, Option<Day>)>,
        now: Minute,
    ) -> (u8, Minute, Importance, bool, (bool, Option<Day>), (bool, Option<Day>), usize, TaskId) {
        let presses = pressing.get(&task.id).is_some_and(|&since| since <= now.0);
        let rank = match (task.status, presses) {
            _ if is_undated(task) => 4,
            (Status::InProgress | Status::Review, _) => 0,
            (Status::Blocked, _) => 3,
            (_, true) => 1,
            (_, false) => 2,
        };
        let deadline = deadlines[&task.id].filter(|_| presses).unwrap_or((i64::MAX, 0));
        let priority = self.line(task).into_iter().find_map(|task| task.priority);
        let given = given.get(&task.id).filter(|_| !is_undated(task));
        let not_given = given.is_none();
        let (start, due) = given.copied().unwrap_or(self.dates[&task.id]);
        let priority = Importance::of(priority);
        (rank, deadline, priority, not_given, (due.is_none(), due), (start.is_none(), start), task.place, task.id)
    }
}

/// A priority in the order of importance.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Importance {
    First,
    Second,
    Third,
}

impl Importance {
    fn of(priority: Option<Priority>) -> Self {
        match priority {
            Some(Priority::High) => Importance::First,
            Some(Priority::Medium) | None => Importance::Second,
            Some(Priority::Low) => Importance::Third,
        }
    }
}

fn is_undated(task: &PlanTask) -> bool {
    task.pinned && !is_pinned(task)
}

fn is_pinned(task: &PlanTask) -> bool {
    task.pinned && (task.start.is_some() || task.due.is_some())
}
