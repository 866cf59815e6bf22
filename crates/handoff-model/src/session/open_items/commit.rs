//! Items that the message of a commit says to be settled.

use super::super::{ItemKind, ItemRef, SettledHow};

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

/// Words right before a statement, or right after its comma, that make it something else than a statement of fact.
const HEDGES: &[&str] = &[
    "almost",
    "but",
    "cannot",
    "draft",
    "e.g",
    "eventually",
    "example",
    "except",
    "fixme",
    "hopefully",
    "i.e",
    "if",
    "later",
    "maybe",
    "never",
    "next",
    "no",
    "not",
    "once",
    "open",
    "partly",
    "perhaps",
    "probably",
    "remaining",
    "revert",
    "soon",
    "still",
    "todo",
    "unless",
    "until",
    "when",
    "wip",
    "without",
    "yet",
];

/// An item that a commit settles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitMention {
    pub item: ItemRef,
    pub how: SettledHow,
}

/// The items that a message says to be settled, such as `Closes n7 and b2`, `(fixes n7)` or the trailer `Done: n7`.
///
/// A wrong end loses an item, and a missed one costs a command, so only plain statements count: the word begins a line,
/// a sentence or the part after the prefix of a subject, ids follow at once, and nothing but the end of the sentence or
/// clause follows them. Code, quotes, questions, conditions and negations settle nothing. A caution is never settled.
pub fn commit_mentions(message: &str) -> Vec<CommitMention> {
    let mut mentions: Vec<CommitMention> = Vec::new();
    let mut previous = PreviousLine::default();
    for (place, line) in prose_lines(message).into_iter().enumerate() {
        let is_subject = place == 0;
        let said = if is_subject { in_subject(line) } else { in_body(line, &previous) };
        previous.is_statement = !said.is_empty();
        for mention in said {
            let is_caution = matches!(mention.item, ItemRef::Id { id, .. } if id.kind == ItemKind::Caution);
            if !is_caution && mentions.iter().all(|known| known.item != mention.item) {
                mentions.push(mention);
            }
        }
        previous.is_subject = is_subject;
        if !line.is_empty() && without_bullet(line).is_none() {
            previous.is_hedged_heading = line.ends_with(':') && words(line).any(|word| is_hedge(&word));
        }
        previous.text = line;
    }
    mentions
}

/// The ids of the commits that a message says to be reverted, in git's own words for it.
pub fn reverted_commits(message: &str) -> Vec<String> {
    const SHORTEST: usize = 7;
    let lines = prose_lines(message).into_iter().filter_map(|line| line.strip_prefix("This reverts commit "));
    let ids = lines.map(|rest| rest.chars().take_while(char::is_ascii_hexdigit).collect::<String>());
    ids.filter(|id| id.len() >= SHORTEST).map(|id| id.to_ascii_lowercase()).collect()
}

/// The line before the one that is read.
#[derive(Default)]
struct PreviousLine<'m> {
    text: &'m str,
    is_subject: bool,
    /// It says that items are settled
    is_statement: bool,
    /// The list that this line may belong to is headed by a line such as `Not yet:`
    is_hedged_heading: bool,
}

impl PreviousLine<'_> {
    /// A sentence of prose that goes on in the next line.
    fn goes_on(&self) -> bool {
        let is_complete = self.text.ends_with(['.', ';', ':', '!', '?', ')']);
        !(self.text.is_empty() || self.is_subject || self.is_statement || is_complete)
    }
}

/// The lines of a message without their indentation. Code, fenced or indented, is left empty.
fn prose_lines(message: &str) -> Vec<&str> {
    const CODE_INDENTATION: usize = 4;
    let mut fence: Option<&str> = None;
    let read = |line| {
        let text = str::trim(line);
        let mark = ["```", "~~~"].into_iter().find(|mark| text.starts_with(mark));
        let indentation = &line[..line.len() - line.trim_start().len()];
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(_), _) if fence == mark => fence = None,
            (Some(_), _) => {}
            (None, None) if indentation.len() >= CODE_INDENTATION || indentation.contains('\t') => {}
            (None, None) => return text,
        }
        ""
    };
    message.lines().map(read).collect()
}

fn in_subject(line: &str) -> Vec<CommitMention> {
    // The subject of the commit that is taken back or made again, which speaks for itself.
    if ["Revert \"", "Reapply \""].iter().any(|quoting| line.starts_with(quoting)) {
        return Vec::new();
    }
    let mut said = at_start(line);
    let mut rest = line;
    // `auth: fixes n7`, `feat(api)!: closes n7`
    while let Some((prefix, after)) = rest.split_once(": ") {
        let name = prefix.split('(').next().unwrap_or(prefix).trim_end_matches('!');
        let scope = prefix.strip_prefix(name).unwrap_or_default();
        let is_prefix = !name.is_empty() && !name.contains(char::is_whitespace);
        let is_scope = scope.is_empty() || scope == "!" || scope.trim_end_matches('!').ends_with(')');
        if !is_prefix || !is_scope || is_hedge(&name.to_lowercase()) {
            break;
        }
        said.extend(at_start(after));
        rest = after;
    }
    said.extend(in_later_sentences(line));
    said.extend(in_parentheses(line));
    said
}

fn in_body(line: &str, previous: &PreviousLine<'_>) -> Vec<CommitMention> {
    let bulleted = without_bullet(line);
    let text = bulleted.unwrap_or(line);
    let is_trailer = text.split_once(':').is_some_and(|(word, _)| closing(word).is_some());
    let begins = bulleted.is_some() || is_trailer || !previous.goes_on() || text.starts_with(char::is_uppercase);
    let is_hedged = if bulleted.is_some() { previous.is_hedged_heading } else { ends_in_hedge(previous.text) };
    let mut said = if begins && !is_hedged { at_start(text) } else { Vec::new() };
    said.extend(in_later_sentences(line));
    if text.starts_with('(') {
        said.extend(in_parentheses(text));
    }
    said
}

fn at_start(text: &str) -> Vec<CommitMention> {
    statement(text, Opened::Plain).unwrap_or_default()
}

/// The statements that begin a later sentence or clause of a line.
fn in_later_sentences(line: &str) -> Vec<CommitMention> {
    let ends = line.match_indices(". ").chain(line.match_indices("; "));
    let mut starts: Vec<usize> = ends.map(|(place, end)| place + end.len()).collect();
    starts.sort_unstable();
    let is_free = |start: &usize| {
        let before = &line[..*start];
        let is_quoted = ['`', '"'].iter().any(|quote| before.matches(*quote).count() % 2 == 1);
        !is_quoted && !ends_in_hedge(before)
    };
    starts.into_iter().filter(is_free).flat_map(|start| at_start(line[start..].trim_start())).collect()
}

/// The statement in parentheses at the end of a line.
fn in_parentheses(line: &str) -> Vec<CommitMention> {
    let mut opened = line.match_indices('(').filter(|(place, _)| !ends_in_hedge(&line[..*place]));
    opened.find_map(|(place, _)| statement(&line[place + 1..], Opened::Parenthesis)).unwrap_or_default()
}

/// The way a statement begins, which decides what may follow it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opened {
    Plain,
    Parenthesis,
    /// `Closes: n7`, which takes the whole line
    Trailer,
}

/// Reads a closing word, the ids that follow at once, and the end.
fn statement(text: &str, opened: Opened) -> Option<Vec<CommitMention>> {
    let (word, rest) = text.split_at(text.find(|c: char| !c.is_ascii_alphabetic())?);
    let how = closing(word)?;
    let (opened, rest) = match rest.strip_prefix(':') {
        Some(rest) if opened == Opened::Plain => (Opened::Trailer, rest),
        None if rest.starts_with(char::is_whitespace) => (opened, rest),
        Some(_) | None => return None,
    };
    let mut rest = rest.trim_start();
    for noun in ["items ", "item "] {
        rest = rest.strip_prefix(noun).unwrap_or(rest);
    }
    let (item, mut rest) = leading_id(rest)?;
    let mut said = vec![CommitMention { item, how }];
    loop {
        let next = after_separator(rest);
        if next.len() == rest.len() {
            break;
        }
        if let Some((item, after)) = leading_id(next) {
            said.push(CommitMention { item, how });
            rest = after;
        } else if let Some(more) = statement(next, opened) {
            // `Closes n7 and drops n3`
            said.extend(more);
            return Some(said);
        } else {
            break;
        }
    }
    is_end(rest, opened).then_some(said)
}

/// The text after what may stand between two ids: blanks, a comma, `and`.
fn after_separator(text: &str) -> &str {
    let blank = text.trim_start();
    let comma = blank.strip_prefix(',').unwrap_or(blank).trim_start();
    ["and ", "& "].iter().find_map(|and| comma.strip_prefix(and)).unwrap_or(comma).trim_start()
}

fn leading_id(text: &str) -> Option<(ItemRef, &str)> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '#' && c != '-').unwrap_or(text.len());
    match text[..end].parse() {
        Ok(item @ ItemRef::Id { .. }) => Some((item, &text[end..])),
        _ => None,
    }
}

/// Tells whether a statement may end before this text.
fn is_end(rest: &str, opened: Opened) -> bool {
    let rest = match (opened, rest.strip_prefix(')')) {
        (Opened::Parenthesis, Some(rest)) => rest.trim_end_matches('.'),
        (Opened::Parenthesis, None) => return false,
        (Opened::Plain | Opened::Trailer, _) => rest,
    };
    let text = rest.trim();
    // `Closes n7 (#12)`, as the sites that merge pull requests write it.
    let number = text.strip_prefix("(#").and_then(|text| text.strip_suffix(')'));
    if text.is_empty() || number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit())) {
        return true;
    }
    let mut after = rest.chars();
    let mark = after.next();
    let after = after.as_str();
    let is_apart = after.is_empty() || after.starts_with(char::is_whitespace);
    match (mark, opened) {
        (Some('.'), Opened::Plain) => is_apart,
        (Some('.'), Opened::Trailer) => after.is_empty(),
        (Some(',' | ';'), Opened::Plain) => {
            let clause = after.split(". ").next().unwrap_or(after);
            is_apart && !clause.contains('?') && !words(clause).next().is_some_and(|word| is_hedge(&word))
        }
        _ => false,
    }
}

fn closing(word: &str) -> Option<SettledHow> {
    CLOSING.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|(_, how)| *how)
}

/// The text after the mark of a list.
fn without_bullet(line: &str) -> Option<&str> {
    ["- ", "* "].iter().find_map(|mark| line.strip_prefix(mark)).map(str::trim_start)
}

fn words(text: &str) -> impl DoubleEndedIterator<Item = String> {
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    text.split_whitespace().map(bare).filter(|word| !word.is_empty())
}

fn ends_in_hedge(text: &str) -> bool {
    words(text).next_back().is_some_and(|word| is_hedge(&word))
}

fn is_hedge(word: &str) -> bool {
    HEDGES.contains(&word) || word.ends_with("n't") || word.ends_with("n’t")
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
        assert_eq!(ids("Closes n7 and drops n3"), ["done n7", "dropped n3"]);
        assert_eq!(ids("fixes a3f9c12e#n7"), ["done a3f9c12e#n7"]);
        assert_eq!(ids("Handoff-Done: n4"), [] as [&str; 0], "a word of its own is wanted");
    }

    #[test]
    fn a_statement_begins_a_line_a_sentence_or_the_part_after_a_prefix() {
        let messages = [
            "Closes n7",
            "closes n7",
            "apple work. Closes n7",
            "Split the parser; closes n7.",
            "fix: closes n7",
            "feat(api)!: closes n7",
            "net: tcp: closes n7",
            "Add the parser (closes n7)",
            "Add the parser (closes n7).",
            "Add the parser (closes n7) (#12)",
            "Closes n7 (#12)",
            "Closes n7, which was hard",
            "Add the parser\n\nCloses: n7\nSigned-off-by: Ada <ada@example.com>",
            "Add the parser\ncloses n7",
            "Add the parser\n\nIt reads tokens.\ncloses n7",
            "Add the parser\n\nIt reads tokens\nCloses n7",
            "Add the parser\n\n- reads tokens\n- closes n7",
            "Add the parser\n\n```\ncode\n```\nCloses n7",
            "Closes item n7",
        ];
        for message in messages {
            assert_eq!(ids(message), ["done n7"], "{message}");
        }
    }

    #[test]
    fn other_mentions_settle_nothing() {
        let messages = [
            "",
            "see n7",
            "fix the n7 parser",
            "closes the gap. n7 is next",
            "n7 is done",
            "fixes #12",
            "never closes n4",
            "Not yet: closes n4",
            "Not yet; closes n4",
            "TODO closes n4 later",
            "TODO: closes n4",
            "todo: fix n4 later",
            "todo: fix n4",
            "wip(api): closes n4",
            "If this closes n4 then",
            "Closes n4?",
            "Closes n4, or does it?",
            "Closes n4 is wrong",
            "Closes n4 when merged",
            "Closes n4, but only partly",
            "Closes n4 and the gap",
            "Closes n4, n5 later",
            "Closes n4.5",
            "fix: n4, the parser",
            "this does not close n4",
            "Say what counts, e.g. closes n4",
            "Explain how to write 'Closes n1'",
            "Explain how to write `Closes n1`",
            "Explain `x; closes n1, n2`",
            "Explain (closes n1) in the docs",
            "Explain it\n\n```\nCloses n1\n```",
            "Explain it\n\n~~~text\nCloses n1\n```\nCloses n2\n~~~",
            "Explain it\n\n    Closes n1",
            "Explain it\n\n\tCloses n1",
            "Explain it\n\n> Closes n1",
            "Explain it\n\nIn the long run this\ncloses n1.",
            "Explain it\n\nThis commit does not\nClose n1.",
            "Explain it\n\nNot yet done:\n- one\n- closes n1",
            "Explain it\n\nTODO:\n\n- [ ] closes n1\n- closes n1",
        ];
        for message in messages {
            assert_eq!(ids(message), [] as [&str; 0], "{message}");
        }
    }

    #[test]
    fn a_caution_is_not_settled() {
        assert_eq!(ids("Drops w1"), [] as [&str; 0]);
        assert_eq!(ids("Closes n7, w1 and n8"), ["done n7", "done n8"]);
    }

    #[test]
    fn the_subject_that_a_revert_quotes_settles_nothing() {
        let hash = "0123456789abcdef0123456789abcdef01234567";
        for subject in ["Closes n4", "fix: closes n4", "Add it (closes n4)", "Add it. Closes n4"] {
            let message = format!("Revert \"{subject}\"\n\nThis reverts commit {hash}.\n");
            assert_eq!(ids(&message), [] as [&str; 0], "{message}");
            assert_eq!(reverted_commits(&message), [hash], "{message}");
        }
        assert_eq!(ids("Reapply \"Add it. Closes n4\""), [] as [&str; 0]);
        assert_eq!(reverted_commits("Explain it\n\n    This reverts commit 0123456."), [] as [&str; 0]);
        assert_eq!(reverted_commits("This reverts commit of yesterday"), [] as [&str; 0]);
    }
}
