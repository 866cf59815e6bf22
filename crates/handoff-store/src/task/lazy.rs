//! A task of which only what trees and lists are made of is at hand; the rest is understood when it is looked at.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use handoff_model::id::TaskId;
use handoff_model::task::{Priority, Status, Task};
use handoff_model::when::{Day, Moment};

use crate::index::{self, Kept};

/// A task as its file says. The fields here are those of [`Task`], to be had for nothing; any other field of it
/// is there too, and the first look at one costs what understanding the whole does.
pub struct LazyTask {
    pub id: TaskId,
    pub status: Status,
    pub priority: Option<Priority>,
    pub parent: Option<TaskId>,
    pub number: Option<u32>,
    pub order: Option<i64>,
    pub created_at: Option<Moment>,
    pub completed_at: Option<Moment>,
    /// That of its schedule
    pub due_date: Option<Day>,
    pub dependencies: Vec<TaskId>,
    pub(crate) last_touched: Option<Moment>,
    pub(crate) whole: OnceLock<Box<Task>>,
    /// Where the rest is to be had
    pub(crate) rest: Rest,
}

/// What is not at hand of a task.
pub(crate) enum Rest {
    AtHand,
    Kept(Kept),
    /// As an index has it
    Packed(Box<[u8]>),
}

impl LazyTask {
    /// A task of which everything is at hand.
    pub(crate) fn of(task: Task) -> Arc<LazyTask> {
        let lazy = LazyTask {
            id: task.id,
            status: task.status,
            priority: task.priority,
            parent: task.parent,
            number: task.number,
            order: task.order,
            created_at: task.created_at,
            completed_at: task.completed_at,
            due_date: task.schedule.due_date,
            dependencies: task.dependencies.clone(),
            last_touched: task.last_touched(),
            whole: OnceLock::from(Box::new(task)),
            rest: Rest::AtHand,
        };
        Arc::new(lazy)
    }

    /// The same in a fraction of the room, for one of many.
    pub(crate) fn packed(task: Task) -> Arc<LazyTask> {
        let rest = Rest::Packed(index::pack_task(&task).into());
        let mut lazy = LazyTask::of(task);
        if let Some(lazy) = Arc::get_mut(&mut lazy) {
            (lazy.whole, lazy.rest) = (OnceLock::new(), rest);
        }
        lazy
    }

    /// All of it as an index has it, if it need not be made first.
    pub(crate) fn body(&self) -> Option<Vec<u8>> {
        match &self.rest {
            Rest::Packed(body) => Some(body.to_vec()),
            Rest::Kept(kept) if self.whole.get().is_none() => kept.body(),
            Rest::Kept(_) | Rest::AtHand => None,
        }
    }

    /// The newest time that stands anywhere in the task.
    pub fn last_touched(&self) -> Option<Moment> {
        self.last_touched
    }

    /// All that can be said of it when nothing else can be had.
    fn bare(&self) -> Task {
        let title = self.id.as_str().parse().expect("an id is a title");
        let mut task = Task::new(self.id, &title, Moment::new(jiff::Timestamp::UNIX_EPOCH));
        (task.status, task.priority, task.parent) = (self.status, self.priority, self.parent);
        (task.number, task.order, task.dependencies) = (self.number, self.order, self.dependencies.clone());
        (task.created_at, task.completed_at) = (self.created_at, self.completed_at);
        task.schedule.due_date = self.due_date;
        task
    }
}

impl Deref for LazyTask {
    type Target = Task;

    fn deref(&self) -> &Task {
        self.whole.get_or_init(|| {
            let told = match &self.rest {
                Rest::AtHand => None,
                Rest::Kept(kept) => kept.task(),
                Rest::Packed(body) => index::unpack_task(body),
            };
            let told = told.filter(|task| task.id == self.id);
            Box::new(told.unwrap_or_else(|| self.bare()))
        })
    }
}

impl PartialEq for LazyTask {
    fn eq(&self, other: &LazyTask) -> bool {
        **self == **other
    }
}

impl fmt::Debug for LazyTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
