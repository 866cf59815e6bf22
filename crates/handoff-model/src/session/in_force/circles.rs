//! Decisions that supersede each other in a circle.

use std::collections::BTreeSet;

/// For each circle the links to the newest decision in it, as `(from, to)`. Newest is the first place.
pub(super) fn closing(targets: &[Vec<usize>]) -> BTreeSet<(usize, usize)> {
    let mut sources: Vec<Vec<usize>> = vec![Vec::new(); targets.len()];
    for (from, targets) in targets.iter().enumerate() {
        for to in targets {
            sources[*to].push(from);
        }
    }
    let mut open = on_the_way_round(targets, &sources);
    let mut closing = BTreeSet::new();
    for start in 0..targets.len() {
        if !open[start] {
            continue;
        }
        let (ahead, behind) = (reached(start, targets, &open), reached(start, &sources, &open));
        for place in ahead.intersection(&behind) {
            if targets[*place].contains(&start) {
                closing.insert((*place, start));
            }
            open[*place] = false;
        }
        open[start] = false;
    }
    closing
}

/// Which places may lie on a circle: those left when all that nothing leads to, or that lead nowhere, are taken away.
fn on_the_way_round(targets: &[Vec<usize>], sources: &[Vec<usize>]) -> Vec<bool> {
    let mut open = vec![true; targets.len()];
    for (ahead, behind) in [(targets, sources), (sources, targets)] {
        let mut left: Vec<usize> = ahead.iter().map(|next| next.iter().filter(|place| open[**place]).count()).collect();
        let mut ends: Vec<usize> = (0..ahead.len()).filter(|place| open[*place] && left[*place] == 0).collect();
        while let Some(end) = ends.pop() {
            open[end] = false;
            for place in behind[end].iter().copied().filter(|place| open[*place]) {
                left[place] -= 1;
                if left[place] == 0 {
                    ends.push(place);
                }
            }
        }
    }
    open
}

/// The open places that can be reached from one in one step or more.
fn reached(start: usize, links: &[Vec<usize>], open: &[bool]) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut ends = vec![start];
    while let Some(end) = ends.pop() {
        ends.extend(links[end].iter().copied().filter(|place| open[*place] && reached.insert(*place)));
    }
    reached
}
