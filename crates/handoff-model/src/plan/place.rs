//! The rule itself: choices in the order of time, each by the state of things at that minute, day by day.

use std::collections::BTreeMap;

use super::Problem;
use super::desk::{Class, Desks, Key, Sorting, Undo, class, key};
use super::graph::{Graph, begun_start};
use super::lane::{Lanes, Position};

/// No day is sorted more often than this; once or twice are usual.
const TRIES: usize = 1_000;

/// Where a leaf lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// The minutes of its person's row; for pinned leaves and those without work both are where it stands
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) start: Position,
    pub(super) finish: Position,
    /// The leaf whose end it had to wait for
    pub(super) behind: Option<usize>,
}

#[derive(Default)]
pub(super) struct Placed {
    /// By leaf
    pub(super) spots: Vec<Option<Spot>>,
    /// Nodes in the order in which they were settled
    pub(super) settled: Vec<usize>,
    pub(super) problems: Vec<Problem>,
}

struct Run<'g, 'l, 'a> {
    graph: &'g Graph<'a>,
    lanes: &'l mut Lanes<'a>,
    desks: Desks,
    waiting: Vec<u32>,
    /// By node: when everything it waits for has ended, and the leaf that ended last
    ready_at: Vec<(Position, Option<usize>)>,
    /// By leaf: the dates that it is sorted by
    sorting: Vec<Sorting>,
    /// The leaves that were chosen on this day, in the order of the choices
    chosen: Vec<usize>,
    placed: Placed,
}

pub(super) fn run<'a>(graph: &Graph<'a>, lanes: &mut Lanes<'a>) -> Placed {
    let mut run = Run {
        desks: Desks::new(lanes.all.len()),
        waiting: graph.waiting(),
        ready_at: vec![(Position::START, None); graph.after.len()],
        sorting: graph.leaves.iter().map(Sorting::wished).collect(),
        chosen: Vec::new(),
        placed: Placed { spots: vec![None; graph.leaves.len()], ..Placed::default() },
        graph,
        lanes,
    };
    let first: Vec<usize> = (0..graph.after.len()).filter(|&node| run.waiting[node] == 0).collect();
    run.settle(first);
    while let Some((at, _)) = run.desks.first_choice() {
        run.day(at.day);
    }
    run.placed
}

impl Run<'_, '_, '_> {
    /// Makes the choices of one day, again and again until sorting by the dates that they give changes none of them.
    fn day(&mut self, day: i32) {
        let (settled, problems) = (self.placed.settled.len(), self.placed.problems.len());
        let mut given: Vec<(usize, Sorting)> = Vec::new();
        for _ in 0..TRIES {
            self.desks.undo.clear();
            self.chosen.clear();
            while let Some((at, lane)) = self.desks.first_choice().filter(|(at, _)| at.day == day) {
                self.choose(at, lane);
            }
            let gives = self.dates_given();
            if gives == given || self.is_sorted(&gives, day) {
                break;
            }
            self.take_back(settled, problems);
            for (leaf, _) in std::mem::replace(&mut given, gives) {
                self.sort_by(leaf, Sorting::wished(&self.graph.leaves[leaf]));
            }
            for &(leaf, sorting) in &given {
                self.sort_by(leaf, sorting);
            }
        }
        for (leaf, _) in given {
            self.sort_by(leaf, Sorting::wished(&self.graph.leaves[leaf]));
        }
    }

    fn sort_by(&mut self, leaf: usize, sorting: Sorting) {
        let before = std::mem::replace(&mut self.sorting[leaf], sorting);
        self.desks.sort_anew(&self.graph.leaves[leaf], leaf, before, sorting);
    }

    /// The dates of the leaves that were chosen, in the order of the choices.
    fn dates_given(&self) -> Vec<(usize, Sorting)> {
        let dates = |&leaf: &usize| {
            let spot = self.placed.spots[leaf].as_ref()?;
            let (start, end) = (self.lanes.day(spot.start.day), self.lanes.day(spot.finish.day));
            let chosen = &self.graph.leaves[leaf];
            Some((leaf, Sorting::given(chosen, begun_start(chosen.task, Some(start)), Some(end))))
        };
        self.chosen.iter().filter_map(dates).collect()
    }

    /// Whether the choices of a day would surely be the same, sorted by the dates that they give. It saves most days
    /// a second try; one that was not ready when another was chosen may look as if it were not in order.
    fn is_sorted(&self, gives: &[(usize, Sorting)], day: i32) -> bool {
        let mut last: BTreeMap<(usize, Class), Key> = BTreeMap::new();
        gives.iter().all(|&(index, sorting)| {
            let leaf = &self.graph.leaves[index];
            let pressing = leaf.pressing.is_some_and(|since| since <= day);
            let key = key(leaf, pressing, sorting);
            last.insert((leaf.lane, class(leaf, pressing)), key).is_none_or(|before| before < key)
        })
    }

    fn take_back(&mut self, settled: usize, problems: usize) {
        while let Some(undo) = self.desks.undo.pop() {
            match self.desks.take_back(undo) {
                Some(Undo::Spot { leaf }) => self.placed.spots[leaf] = None,
                Some(Undo::ReadyAt { node, before }) => {
                    self.ready_at[node] = before;
                    self.waiting[node] += 1;
                }
                _ => {}
            }
        }
        self.placed.settled.truncate(settled);
        self.placed.problems.truncate(problems);
    }

    /// Goes on from nodes that no longer wait for anything.
    fn settle(&mut self, mut open: Vec<usize>) {
        while let Some(node) = open.pop() {
            let (at, behind) = self.ready_at[node];
            let Some(index) = self.graph.leaf_of[node] else {
                self.end(node, at, behind, &mut open);
                continue;
            };
            let leaf = &self.graph.leaves[index];
            let minute = self.lanes.all[leaf.lane].minute_at(at);
            if let Some(pinned) = &leaf.pinned {
                if let Some(dependency) = behind.filter(|_| at.day > pinned.start) {
                    self.placed.problems.push(Problem::PinnedTooEarly {
                        task: leaf.task.id,
                        start: self.lanes.day(pinned.start),
                        dependency: self.graph.leaves[dependency].task.id,
                        ends: self.lanes.day(at.day),
                    });
                }
                let (start, finish) = (Position { day: pinned.start, minute: 0 }, Position::end_of(pinned.end));
                self.put(index, Spot { begin: minute, end: minute, start, finish, behind }, &mut open);
            } else if leaf.work == 0 {
                self.put(index, Spot { begin: minute, end: minute, start: at, finish: at, behind }, &mut open);
            } else {
                self.desks.coming(leaf.lane, (minute, index), true);
                self.look_again(leaf.lane);
            }
        }
    }

    fn put(&mut self, index: usize, spot: Spot, open: &mut Vec<usize>) {
        self.desks.undo.push(Undo::Spot { leaf: index });
        self.placed.spots[index] = Some(spot);
        self.end(self.graph.leaves[index].node, spot.finish, Some(index), open);
    }

    fn end(&mut self, node: usize, at: Position, behind: Option<usize>, open: &mut Vec<usize>) {
        self.placed.settled.push(node);
        for &next in &self.graph.after[node] {
            let ready = &mut self.ready_at[next];
            self.desks.undo.push(Undo::ReadyAt { node: next, before: *ready });
            if at > ready.0 || ready.1.is_none() {
                *ready = (at.max(ready.0), behind.or(ready.1));
            }
            self.waiting[next] -= 1;
            if self.waiting[next] == 0 {
                open.push(next);
            }
        }
    }

    /// The minute at which a person chooses next.
    fn next_choice(&self, lane: usize) -> Option<u64> {
        let desk = &self.desks.all[lane];
        if !desk.ready.is_empty() {
            return Some(desk.free);
        }
        desk.coming.first().map(|(minute, _)| desk.free.max(*minute))
    }

    fn look_again(&mut self, lane: usize) {
        let minute = self.next_choice(lane);
        let at = minute.and_then(|minute| self.lanes.all[lane].begins_at(minute));
        self.desks.choose_at(lane, at);
        if let Some(minute) = minute.filter(|_| at.is_none()) {
            self.give_up(lane, minute);
        }
    }

    /// There is no working time left before the horizon: what is left of this person has no place.
    fn give_up(&mut self, lane: usize, minute: u64) {
        let who = self.lanes.all[lane].who.map(str::to_owned);
        let desk = &self.desks.all[lane];
        let (coming, ready): (Vec<_>, Vec<_>) =
            (desk.coming.iter().copied().collect(), desk.ready.iter().copied().collect());
        if minute == 0 {
            let never = Problem::NeverWorks { who: who.clone(), from: self.lanes.day(0) };
            if !self.placed.problems.contains(&never) {
                self.placed.problems.push(never);
            }
        } else {
            let left = coming.iter().map(|(_, leaf)| *leaf).chain(ready.iter().map(|(_, leaf)| *leaf));
            for leaf in left {
                let task = self.graph.leaves[leaf].task.id;
                self.placed.problems.push(Problem::BeyondHorizon { task, who: who.clone() });
            }
        }
        for entry in coming {
            self.desks.coming(lane, entry, false);
        }
        for entry in ready {
            self.desks.ready(lane, entry, false);
        }
    }

    /// Lets a person take the first of their tasks that are ready.
    fn choose(&mut self, at: Position, lane: usize) {
        let minute = self.next_choice(lane).unwrap_or(0);
        self.gather(at, lane, minute);
        let Some(&(key, index)) = self.desks.all[lane].ready.first() else {
            self.desks.choose_at(lane, None);
            return;
        };
        let leaf = &self.graph.leaves[index];
        self.desks.ready(lane, (key, index), false);
        if let Some(day) = leaf.pressing {
            self.desks.will_press(lane, (day, index), false);
        }
        let (begin, end) = (minute, minute + leaf.work);
        let Some(finish) = self.lanes.all[lane].ends_at(end) else {
            let who = self.lanes.all[lane].who.map(str::to_owned);
            self.placed.problems.push(Problem::BeyondHorizon { task: leaf.task.id, who });
            self.look_again(lane);
            return;
        };
        let (ready, dependency) = self.ready_at[leaf.node];
        let desk = &self.desks.all[lane];
        let waited = dependency.is_some() && self.lanes.all[lane].minute_at(ready) >= desk.free;
        let behind = if waited { dependency } else { desk.last.filter(|_| desk.free == begin) };
        self.desks.free(lane, end, Some(index));
        self.chosen.push(index);
        let mut open = Vec::new();
        self.put(index, Spot { begin, end, start: at, finish, behind }, &mut open);
        self.settle(open);
        self.look_again(lane);
    }

    /// Moves leaves to where they belong at this time.
    fn gather(&mut self, at: Position, lane: usize, minute: u64) {
        while let Some(&(ready, index)) = self.desks.all[lane].coming.first().filter(|(ready, _)| *ready <= minute) {
            self.desks.coming(lane, (ready, index), false);
            let leaf = &self.graph.leaves[index];
            let pressing = leaf.pressing.is_some_and(|day| day <= at.day);
            self.desks.ready(lane, (key(leaf, pressing, self.sorting[index]), index), true);
            if let Some(day) = leaf.pressing.filter(|_| !pressing) {
                self.desks.will_press(lane, (day, index), true);
            }
        }
        while let Some(&(day, index)) = self.desks.all[lane].will_press.first().filter(|(day, _)| *day <= at.day) {
            self.desks.will_press(lane, (day, index), false);
            let (leaf, sorting) = (&self.graph.leaves[index], self.sorting[index]);
            self.desks.ready(lane, (key(leaf, false, sorting), index), false);
            self.desks.ready(lane, (key(leaf, true, sorting), index), true);
        }
    }
}
