//! Items that the message of a commit says to be settled.

use super::super::{ItemRef, SettledHow};

/// Words after which the ids of settled items follow.
const CLOSING: &[(&str, SettledHow)] = &[
    ("close", SettledHow::Done),
    ("closes", SettledHow::Done),
    ("closed", SettledHow::Done),
    ("fix", SettledHow::Done),
    ("fixes", SettledHow::Done),
    ("fixed", SettledHow::Done),
    ("do", SettledHow::Done),
    ("does", SettledHow::Done),
    ("done", SettledHow::Done),
    ("finish", SettledHow::Done),
    ("finishes", SettledHow::Done),
    ("finished", SettledHow::Done),
    ("complete", SettledHow::Done),
    ("completes", SettledHow::Done),
    ("completed", SettledHow::Done),
    ("settle", SettledHow::Done),
    ("settles", SettledHow::Done),
    ("settled", SettledHow::Done),
    ("resolve", SettledHow::Resolved),
    ("resolves", SettledHow::Resolved),
    ("resolved", SettledHow::Resolved),
    ("drop", SettledHow::Dropped),
    ("drops", SettledHow::Dropped),
    ("dropped", SettledHow::Dropped),
];

/// An item that a commit settles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitMention {
    pub item: ItemRef,
    pub how: SettledHow,
}

/// The items that a message says to be settled, such as `Closes n7 and b2` or the trailer `Done: n7`.
///
/// Only ids count, and only right after one of the words for it: a message that merely speaks of `n7` settles nothing.
pub fn commit_mentions(message: &str) -> Vec<CommitMention> {
    let mut mentions: Vec<CommitMention> = Vec::new();
    for line in message.lines() {
        let mut how = None;
        for word in line.split_whitespace() {
            let is_end = word.ends_with(['.', '!', '?']);
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '#');
            let lower = bare.to_ascii_lowercase();
            if let Some((_, closing)) = CLOSING.iter().find(|(word, _)| *word == lower) {
                how = Some(*closing);
            } else if let (Some(how), Some(item)) = (how, id_in(bare)) {
                if mentions.iter().all(|known| known.item != item) {
                    mentions.push(CommitMention { item, how });
                }
            } else if !matches!(lower.as_str(), "and" | "item" | "items" | "handoff" | "") {
                how = None;
            }
            // Several ids may stand together without blanks.
            if is_end {
                how = None;
            }
        }
    }
    mentions
}

fn id_in(word: &str) -> Option<ItemRef> {
    match word.parse() {
        Ok(item @ ItemRef::Id { .. }) => Some(item),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(message: &str) -> Vec<String> {
        commit_mentions(message).iter().map(|mention| format!("{} {}", mention.how, mention.item)).collect()
    }

    #[test]
    fn ids_after_a_closing_word_are_settled() {
        assert_eq!(ids("auth: extend the matrix\n\nCloses n7, n8 and b2."), ["done n7", "done n8", "done b2"]);
        assert_eq!(ids("Done: n7"), ["done n7"]);
        assert_eq!(ids("Resolves b2; drops n3"), ["resolved b2", "dropped n3"]);
        assert_eq!(ids("fixes a3f9c12e#n7"), ["done a3f9c12e#n7"]);
        assert_eq!(ids("Handoff-Done: n4"), [] as [&str; 0], "a word of its own is wanted");
    }

    #[test]
    fn other_mentions_settle_nothing() {
        for message in ["see n7", "fix the n7 parser", "closes the gap. n7 is next", "n7 is done", "fixes #12", ""] {
            assert_eq!(ids(message), [] as [&str; 0], "{message}");
        }
    }
}
