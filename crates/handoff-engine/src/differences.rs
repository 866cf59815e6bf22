//! What becomes of a run whose list of steps was changed while it stood still.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::step::{Progress, Step, Track};

/// One thing that is different in the list as it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Difference {
    /// It was not in the list, and is performed now
    Added { id: String },
    /// It is not in the list any more
    Removed { id: String, was: Progress },
    /// It is called otherwise, and does the same
    Renamed { from: String, to: String },
    /// It does something else now
    Changed { id: String, was: Progress },
    /// The steps come in another order
    Reordered,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Added { id } => write!(f, "step `{id}` is new and is performed"),
            Difference::Removed { id, was: Progress::Done } => write!(f, "step `{id}` is gone; it was done already"),
            Difference::Removed { id, was } => write!(f, "step `{id}` is gone ({}) and is not performed", was.word()),
            Difference::Renamed { from, to } => write!(f, "step `{from}` is called `{to}` now"),
            Difference::Changed { id, was: Progress::Done } => {
                write!(f, "step `{id}` was changed after it was done, and is not performed again")
            }
            Difference::Changed { id, was: Progress::Begun } => {
                write!(
                    f,
                    "step `{id}` was changed after it was begun: that may have happened; it is performed as it is now"
                )
            }
            Difference::Changed { id, .. } => write!(f, "step `{id}` was changed and is performed as it is now"),
            Difference::Reordered => write!(f, "the steps come in another order"),
        }
    }
}

/// The new list, each step as far as it has come, and what is different.
pub(crate) fn adopt<A: PartialEq>(old: Vec<Track<A>>, new: Vec<Step<A>>) -> (Vec<Track<A>>, Vec<Difference>) {
    let sources = sources(&old, &new);
    let mut old: Vec<Option<Track<A>>> = old.into_iter().map(Some).collect();
    let mut differences = Vec::new();
    let mut tracks = Vec::new();
    for (step, source) in new.into_iter().zip(&sources) {
        let Some(mut track) = source.and_then(|at| old[at].take()) else {
            differences.push(Difference::Added { id: step.id.clone() });
            tracks.push(Track::new(step));
            continue;
        };
        if track.step.id != step.id {
            differences.push(Difference::Renamed { from: track.step.id.clone(), to: step.id.clone() });
        } else if track.step != step {
            differences.push(Difference::Changed { id: step.id.clone(), was: track.progress });
        }
        let does_the_same = track.step.deed == step.deed;
        if !does_the_same && track.progress != Progress::Done {
            // What was passed over or tried was another step.
            track = Track::new(step);
        } else {
            track.step = step;
        }
        tracks.push(track);
    }
    give_keys(&mut tracks);
    for track in old.into_iter().flatten() {
        differences.push(Difference::Removed { id: track.step.id, was: track.progress });
    }
    let places: Vec<usize> = sources.into_iter().flatten().collect();
    if !places.is_sorted() {
        differences.push(Difference::Reordered);
    }
    (tracks, differences)
}

/// Sees to it that no two steps are known by the same.
fn give_keys<A>(tracks: &mut [Track<A>]) {
    for place in 1..tracks.len() {
        let key = tracks[place].key.clone();
        let is_taken = |key: &str| tracks[..place].iter().any(|other| other.key == key);
        let free = (2..tracks.len() + 2).map(|number| format!("{key}-{number}")).find(|key| !is_taken(key));
        if let Some(free) = free.filter(|_| is_taken(&key)) {
            tracks[place].key = free;
        }
    }
}

/// Which step of the old list each of the new one is: the same, else one that does the same, else one that is called the
/// same. What was done is known by what it did, so that it does not happen again under another name.
fn sources<A: PartialEq>(old: &[Track<A>], new: &[Step<A>]) -> Vec<Option<usize>> {
    let rules: [Rule<A>; 4] = [
        |track, step| track.step.id == step.id && track.step.deed == step.deed,
        |track, step| track.progress == Progress::Done && track.step.deed == step.deed,
        |track, step| track.step.deed == step.deed,
        |track, step| track.step.id == step.id,
    ];
    let mut sources: Vec<Option<usize>> = vec![None; new.len()];
    for rule in rules {
        for (place, step) in new.iter().enumerate() {
            let is_free = |at: &usize| !sources.contains(&Some(*at));
            if sources[place].is_none() {
                let mut fitting = (0..old.len()).filter(|at| rule(&old[*at], step));
                sources[place] = fitting.find(is_free);
            }
        }
    }
    sources
}

/// Whether a step of the old list is one of the new.
type Rule<A> = fn(&Track<A>, &Step<A>) -> bool;
