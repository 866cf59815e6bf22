//! One change to a task: what is asked for, and what follows from it.

use super::{Criterion, HistoryEntry, Link, Note, Priority, Refusal, Status, Task};
use crate::change::Change;
use crate::id::TaskId;
use crate::text::{Hours, Name, OneLine, Prose, Title};
use crate::when::{Day, Moment};

/// What to change about a task. The default changes nothing.
#[derive(Clone, Debug, Default)]
pub struct TaskEdit {
    pub title: Option<Title>,
    pub status: Option<Status>,
    pub priority: Change<Priority>,
    pub description: Change<Prose>,
    pub assignee: Change<Name>,
    pub order: Change<i64>,
    pub start_date: Change<Day>,
    pub due_date: Change<Day>,
    pub estimate_hours: Change<Hours>,
    pub remaining_hours: Change<Hours>,
    pub milestone: Change<Name>,
    pub pinned: Change<bool>,
    /// Replaces the labels
    pub labels: Change<Vec<Name>>,
    pub add_labels: Vec<Name>,
    pub remove_labels: Vec<Name>,
    /// Replaces the dependencies
    pub dependencies: Change<Vec<TaskId>>,
    pub add_dependencies: Vec<TaskId>,
    pub remove_dependencies: Vec<TaskId>,
    /// Replaces the criteria
    pub criteria: Change<Vec<Criterion>>,
    pub add_criteria: Vec<OneLine>,
    /// Replaces the links
    pub links: Change<Vec<Link>>,
    pub link: Option<LinkEdit>,
    /// A remark to append
    pub note: Option<Prose>,
}

/// One link to add or remove.
#[derive(Clone, Debug)]
pub enum LinkEdit {
    Add(Link),
    Remove(String),
}

impl Task {
    /// Applies a change and what follows from it: completion time, history, dated notes.
    ///
    /// The rules that look at other tasks are checked by the caller, who has them.
    pub fn apply(&mut self, edit: TaskEdit, at: Moment, by: Option<&str>) -> Result<(), Refusal> {
        let status_before = self.status;
        let estimate_before = self.schedule.estimate_hours;
        let TaskEdit {
            title,
            status,
            priority,
            description,
            assignee,
            order,
            start_date,
            due_date,
            estimate_hours,
            remaining_hours,
            milestone,
            pinned,
            labels,
            add_labels,
            remove_labels,
            dependencies,
            add_dependencies,
            remove_dependencies,
            criteria,
            add_criteria,
            links,
            link,
            note,
        } = edit;

        if let Some(title) = title {
            self.title = title.into();
        }
        if let Some(status) = status {
            self.status = status;
        }
        priority.apply_to(&mut self.priority);
        description.map(String::from).apply_to(&mut self.description);
        assignee.map(String::from).apply_to(&mut self.assignee);
        order.apply_to(&mut self.order);
        start_date.apply_to(&mut self.schedule.start_date);
        due_date.apply_to(&mut self.schedule.due_date);
        estimate_hours.map(Hours::value).apply_to(&mut self.schedule.estimate_hours);
        remaining_hours.map(Hours::value).apply_to(&mut self.schedule.remaining_hours);
        milestone.map(String::from).apply_to(&mut self.schedule.milestone);
        pinned.apply_to(&mut self.schedule.pinned);

        let names = |names: Vec<Name>| names.into_iter().map(String::from).collect::<Vec<_>>();
        change_set(&mut self.labels, labels.map(names), names(add_labels), &names(remove_labels));
        change_set(&mut self.dependencies, dependencies, add_dependencies, &remove_dependencies);
        replace(&mut self.done_criteria, criteria);
        self.done_criteria.extend(add_criteria.into_iter().map(|item| Criterion { item: item.into(), checked: false }));
        replace(&mut self.links, links);
        if let Some(link) = link {
            self.apply_link(link)?;
        }
        if let Some(text) = note {
            self.notes.push(Note { at, by: by.map(str::to_owned), text: text.into() });
        }

        self.follow_status(status_before, at);
        self.record(status_before, estimate_before, at, by);
        Ok(())
    }

    /// Checks or unchecks a criterion by its place, counted from 1, or by its text.
    pub fn set_criterion(&mut self, which: &str, checked: bool) -> Result<(), Refusal> {
        let count = self.done_criteria.len();
        let found = match which.parse::<usize>() {
            Ok(place) => place
                .checked_sub(1)
                .and_then(|index| self.done_criteria.get_mut(index))
                .ok_or(Refusal::NoSuchCriterion { id: self.id, place, count })?,
            Err(_) => self
                .done_criteria
                .iter_mut()
                .find(|criterion| criterion.item == which.trim())
                .ok_or_else(|| Refusal::NoSuchCriterionText { id: self.id, text: crate::id::shorten(which) })?,
        };
        found.checked = checked;
        Ok(())
    }

    fn apply_link(&mut self, link: LinkEdit) -> Result<(), Refusal> {
        match link {
            LinkEdit::Add(link) => match self.links.iter_mut().find(|present| present.target == link.target) {
                Some(present) => *present = link,
                None => self.links.push(link),
            },
            LinkEdit::Remove(target) => {
                let before = self.links.len();
                self.links.retain(|link| link.target != target);
                if self.links.len() == before {
                    return Err(Refusal::NoSuchLink { id: self.id, target: crate::id::shorten(&target) });
                }
            }
        }
        Ok(())
    }

    fn follow_status(&mut self, before: Status, at: Moment) {
        if self.status.is_open() {
            self.completed_at = None;
        } else if before.is_open() || self.completed_at.is_none() {
            self.completed_at = Some(at);
        }
    }

    fn record(&mut self, status: Status, estimate: Option<f64>, at: Moment, by: Option<&str>) {
        let changed_status = (self.status != status).then_some(self.status);
        // Clearing an estimate is a change too; it is recorded as zero hours, since TOML has no null.
        let changed_estimate =
            (self.schedule.estimate_hours != estimate).then_some(self.schedule.estimate_hours.unwrap_or(0.0));
        if changed_status.is_some() || changed_estimate.is_some() {
            self.history.push(HistoryEntry {
                at,
                by: by.map(str::to_owned),
                status: changed_status,
                estimate_hours: changed_estimate,
            });
        }
    }
}

fn replace<T>(list: &mut Vec<T>, change: Change<Vec<T>>) {
    match change {
        Change::Keep => {}
        Change::Clear => list.clear(),
        Change::Set(items) => *list = items,
    }
}

/// Replaces, then adds what is not there yet, then removes; keeps the order and doubles nothing.
fn change_set<T: PartialEq>(list: &mut Vec<T>, change: Change<Vec<T>>, add: Vec<T>, remove: &[T]) {
    let replaced = match change {
        Change::Keep => std::mem::take(list),
        Change::Clear => Vec::new(),
        Change::Set(items) => items,
    };
    list.clear();
    for item in replaced.into_iter().chain(add) {
        if !list.contains(&item) {
            list.push(item);
        }
    }
    list.retain(|item| !remove.contains(item));
}
