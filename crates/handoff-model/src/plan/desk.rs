//! Where the tasks of each person wait, in a way that can be taken back.
//!
//! The choices of a day are tried until they no longer change, so every change here is noted and can be undone.

use std::collections::BTreeSet;

use super::graph::{Leaf, Rank};
use super::lane::Position;
use crate::id::TaskId;
use crate::when::Day;

/// A day, with none after all others.
type Dated = (bool, Option<Day>);

/// The dates by which a leaf is sorted. Those that the day itself gave come before all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sorting {
    wished: bool,
    end: Dated,
    start: Dated,
}

impl Sorting {
    fn by(wished: bool, start: Option<Day>, end: Option<Day>) -> Sorting {
        Sorting { wished, end: (end.is_none(), end), start: (start.is_none(), start) }
    }

    pub(super) fn wished(leaf: &Leaf<'_>) -> Sorting {
        Sorting::by(true, leaf.wished_start, leaf.wished_end)
    }

    /// By the dates that a plan gives it. What is pinned without dates does not get them, and stays as it was sorted.
    pub(super) fn given(leaf: &Leaf<'_>, start: Option<Day>, end: Option<Day>) -> Sorting {
        if leaf.rank == Rank::Undated { Sorting::wished(leaf) } else { Sorting::by(false, start, end) }
    }
}

/// What no plan changes: rank, deadline where it presses, priority.
pub(super) type Class = (Rank, Position, u8);

/// What decides between tasks that are ready; the smallest goes first.
pub(super) type Key = (Class, Sorting, usize, TaskId);

pub(super) fn class(leaf: &Leaf<'_>, pressing: bool) -> Class {
    let rank = if pressing && leaf.rank == Rank::Open { Rank::Pressing } else { leaf.rank };
    // What does not press comes after what does, within a rank.
    let deadline = leaf.deadline.filter(|_| pressing).unwrap_or(Position::end_of(i32::MAX));
    (rank, deadline, leaf.priority)
}

pub(super) fn key(leaf: &Leaf<'_>, pressing: bool, sorting: Sorting) -> Key {
    (class(leaf, pressing), sorting, leaf.task.place, leaf.task.id)
}

/// The tasks of one person that are not placed yet.
#[derive(Default)]
pub(super) struct Desk {
    /// The minute from which the person is free
    pub(super) free: u64,
    pub(super) last: Option<usize>,
    /// Leaves whose dependencies are placed, by the minute at which these have ended
    pub(super) coming: BTreeSet<(u64, usize)>,
    /// Leaves that can be chosen, as they press or do not
    pub(super) ready: BTreeSet<(Key, usize)>,
    /// Ready leaves that will press, by the day from which they do
    pub(super) will_press: BTreeSet<(i32, usize)>,
    /// The time of the next choice
    pub(super) choice: Option<Position>,
}

/// One change, as it is undone.
#[derive(Clone, Copy)]
pub(super) enum Undo {
    Free { lane: usize, free: u64, last: Option<usize> },
    Coming { lane: usize, entry: (u64, usize), added: bool },
    Ready { lane: usize, entry: (Key, usize), added: bool },
    WillPress { lane: usize, entry: (i32, usize), added: bool },
    Choice { lane: usize, before: Option<Position> },
    Spot { leaf: usize },
    ReadyAt { node: usize, before: (Position, Option<usize>) },
}

/// All desks, who chooses when, and how to take it back.
#[derive(Default)]
pub(super) struct Desks {
    pub(super) all: Vec<Desk>,
    choices: BTreeSet<(Position, usize)>,
    pub(super) undo: Vec<Undo>,
}

/// Adds or removes an entry, and tells whether that changed anything.
fn put<T: Ord>(set: &mut BTreeSet<T>, entry: T, add: bool) -> bool {
    if add { set.insert(entry) } else { set.remove(&entry) }
}

impl Desks {
    pub(super) fn new(count: usize) -> Desks {
        Desks { all: (0..count).map(|_| Desk::default()).collect(), ..Desks::default() }
    }

    /// The next choice of all.
    pub(super) fn first_choice(&self) -> Option<(Position, usize)> {
        self.choices.first().copied()
    }

    pub(super) fn coming(&mut self, lane: usize, entry: (u64, usize), added: bool) {
        if put(&mut self.all[lane].coming, entry, added) {
            self.undo.push(Undo::Coming { lane, entry, added });
        }
    }

    pub(super) fn ready(&mut self, lane: usize, entry: (Key, usize), added: bool) {
        if put(&mut self.all[lane].ready, entry, added) {
            self.undo.push(Undo::Ready { lane, entry, added });
        }
    }

    pub(super) fn will_press(&mut self, lane: usize, entry: (i32, usize), added: bool) {
        if put(&mut self.all[lane].will_press, entry, added) {
            self.undo.push(Undo::WillPress { lane, entry, added });
        }
    }

    /// Sorts a ready leaf anew, whether it presses or not; not noted, for it is done between two tries.
    pub(super) fn sort_anew(&mut self, leaf: &Leaf<'_>, index: usize, before: Sorting, after: Sorting) {
        let ready = &mut self.all[leaf.lane].ready;
        for pressing in [false, true] {
            if ready.remove(&(key(leaf, pressing, before), index)) {
                ready.insert((key(leaf, pressing, after), index));
                return;
            }
        }
    }

    pub(super) fn free(&mut self, lane: usize, free: u64, last: Option<usize>) {
        let desk = &mut self.all[lane];
        self.undo.push(Undo::Free { lane, free: desk.free, last: desk.last });
        (desk.free, desk.last) = (free, last);
    }

    pub(super) fn choose_at(&mut self, lane: usize, at: Option<Position>) {
        let before = self.all[lane].choice;
        if before != at {
            self.undo.push(Undo::Choice { lane, before });
            self.set_choice(lane, at);
        }
    }

    fn set_choice(&mut self, lane: usize, at: Option<Position>) {
        if let Some(before) = std::mem::replace(&mut self.all[lane].choice, at) {
            self.choices.remove(&(before, lane));
        }
        self.choices.extend(at.map(|at| (at, lane)));
    }

    /// Undoes a change of the desks; others are handed back.
    pub(super) fn take_back(&mut self, undo: Undo) -> Option<Undo> {
        match undo {
            Undo::Free { lane, free, last } => (self.all[lane].free, self.all[lane].last) = (free, last),
            Undo::Coming { lane, entry, added } => {
                put(&mut self.all[lane].coming, entry, !added);
            }
            Undo::Ready { lane, entry, added } => {
                put(&mut self.all[lane].ready, entry, !added);
            }
            Undo::WillPress { lane, entry, added } => {
                put(&mut self.all[lane].will_press, entry, !added);
            }
            Undo::Choice { lane, before } => self.set_choice(lane, before),
            Undo::Spot { .. } | Undo::ReadyAt { .. } => return Some(undo),
        }
        None
    }
}
