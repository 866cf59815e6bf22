//! Which decisions are the same one in several sessions.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::Standing;
use crate::session::SessionStatus;
use crate::session::joined::{apart, find, join};
use crate::text::{plain_form, read_the_same};

/// For each decision the one that was decided first among all that are the same.
///
/// A copy is one only as long as it says the same. Where the original is gone, its copies still are the same decision.
pub(super) fn first(all: &[Standing<'_>], places: &HashMap<String, usize>) -> Vec<usize> {
    let mut first = apart(all.len());
    let mut gone: HashMap<(&str, String), usize> = HashMap::new();
    for (place, copy) in all.iter().enumerate() {
        let text = copy.decision.decision.as_str();
        for original in &copy.decision.same_as {
            let other = match places.get(original) {
                Some(other) if read_the_same(&all[*other].decision.decision, text) => *other,
                Some(_) => continue,
                None => *gone.entry((original, plain_form(text))).or_insert(place),
            };
            join(&mut first, place, other);
        }
    }
    let class: Vec<usize> = (0..all.len()).map(|place| find(&mut first, place)).collect();
    // One that was taken over from nowhere comes before those that were, then the oldest.
    let standing = |place: usize| (all[place].decision.same_as.is_empty(), place);
    for (place, of) in class.iter().enumerate() {
        if standing(place) > standing(first[*of]) {
            first[*of] = place;
        }
    }
    class.into_iter().map(|of| first[of]).collect()
}

/// Lets each decision say what was last changed about it, be it in one of its copies.
pub(super) fn revise(all: &mut [Standing<'_>], first: &[usize]) {
    let mut revised: Vec<usize> = (0..all.len()).filter(|place| all[*place].decision.revised).collect();
    // Whoever is still at work can have changed it last.
    revised.sort_by_key(|place| {
        let session = all[*place].session;
        (session.status != SessionStatus::Closed, session.ended_at, Reverse(*place))
    });
    let said: Vec<_> = revised.into_iter().map(|place| (first[place], all[place].decision)).collect();
    for (place, decision) in said {
        all[place].decision = decision;
    }
}
