//! How sessions come from one another: what continues what, what branched off, what was merged.

use std::collections::HashMap;

use super::joined::{apart, find, join};
use super::unite::Party;

/// A session at its place in the tree of sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Which one it is, among those given
    pub index: usize,
    /// How many times its line of work branched off
    pub depth: usize,
}

/// Sessions, given the last first, in the order of a tree: each line of work from its beginning on, what branched off
/// from a session below it and one level deeper. The line with the latest activity comes first.
///
/// What a session comes from counts only where it is among those given. Where files say that sessions come from each
/// other in a circle, the oldest of them is taken for the beginning.
pub fn tree(sessions: &[Party<'_>]) -> Vec<Placed> {
    let places: HashMap<&str, usize> = sessions.iter().enumerate().map(|(place, party)| (party.name, place)).collect();
    let origin = |party: &Party<'_>| {
        let named = party.session.continues.as_deref().or(party.session.forked_from.as_deref())?;
        places.get(named).copied()
    };
    let mut origins: Vec<Option<usize>> = sessions.iter().map(origin).collect();
    break_circles(&mut origins);
    let mut tree = Tree { children: vec![Vec::new(); sessions.len()], goes_on: vec![None; sessions.len()] };
    let mut roots = Vec::new();
    // The oldest first, so that the first one to continue a session is the one that goes on with it.
    for place in (0..sessions.len()).rev() {
        match origins[place] {
            None => roots.push(place),
            Some(origin) => {
                let continues = sessions[place].session.continues.is_some();
                if continues && tree.goes_on[origin].is_none() {
                    tree.goes_on[origin] = Some(place);
                } else {
                    tree.children[origin].push(place);
                }
            }
        }
    }
    let mut lines: Vec<Vec<Placed>> = roots.into_iter().map(|root| tree.line(root)).collect();
    lines.sort_by_key(|line| line.iter().map(|placed| placed.index).min());
    lines.concat()
}

/// For each session a number that it shares with all that it comes from, and all that come from it, among those given.
pub fn families(sessions: &[Party<'_>]) -> Vec<usize> {
    let places: HashMap<&str, usize> = sessions.iter().enumerate().map(|(place, party)| (party.name, place)).collect();
    let mut families = apart(sessions.len());
    for (place, Party { session, .. }) in sessions.iter().enumerate() {
        let named = session.continues.iter().chain(&session.forked_from).chain(&session.merged_into);
        for other in named.chain(&session.merged_from).filter_map(|name| places.get(name.as_str())) {
            join(&mut families, place, *other);
        }
    }
    (0..sessions.len()).map(|place| find(&mut families, place)).collect()
}

/// Takes its origin from the oldest, which is the last, of those that come from each other in a circle.
fn break_circles(origins: &mut [Option<usize>]) {
    let mut walked_from: Vec<Option<usize>> = vec![None; origins.len()];
    for start in 0..origins.len() {
        let mut at = Some(start);
        while let Some(place) = at.filter(|place| walked_from[*place].is_none()) {
            walked_from[place] = Some(start);
            at = origins[place];
        }
        // Ended where this very walk has been: there is a circle through that place.
        if let Some(entry) = at.filter(|place| walked_from[*place] == Some(start)) {
            let round = std::iter::successors(Some(entry), |place| origins[*place].filter(|next| *next != entry));
            if let Some(oldest) = round.max() {
                origins[oldest] = None;
            }
        }
    }
}

struct Tree {
    /// What branched off from each session, the oldest first
    children: Vec<Vec<usize>>,
    /// What continues each session on the same line
    goes_on: Vec<Option<usize>>,
}

impl Tree {
    /// A line of work with all that branched off from it.
    fn line(&self, root: usize) -> Vec<Placed> {
        let mut placed = Vec::new();
        let mut waiting = vec![Placed { index: root, depth: 0 }];
        while let Some(next) = waiting.pop() {
            placed.push(next);
            waiting.extend(self.goes_on[next.index].map(|index| Placed { index, depth: next.depth }));
            let branches = self.children[next.index].iter().rev();
            waiting.extend(branches.map(|index| Placed { index: *index, depth: next.depth + 1 }));
        }
        placed
    }
}

#[cfg(test)]
mod tests;
