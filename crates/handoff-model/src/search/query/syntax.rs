//! Telling a query from a text that was pasted as one.
//!
//! Quotes, `-words` and `beginnings*` are operators only where they are meant. A commit message, a sentence or a command
//! line has quotes and hyphens of its own: those are read as plain words.

use crate::words::is_part;

/// A piece of a query, with the operators that apply to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QueryPiece<'t> {
    pub(super) text: &'t str,
    /// Its words must stand as they are written.
    pub(super) is_phrase: bool,
    /// Its last word is the beginning of one.
    pub(super) is_beginning: bool,
    /// It must not be there.
    pub(super) is_excluded: bool,
}

/// Words and phrases up to which a text can be a query with operators; what is longer is prose.
const MAX_OPERATOR_PIECES: usize = 8;

/// Words that git puts before the quoted subject of another commit.
const CITING_WORDS: [&str; 2] = ["Revert", "Reapply"];

/// Takes a text apart at white space, and at quotes where they are operators.
pub(super) fn pieces(text: &str) -> Vec<QueryPiece<'_>> {
    let mut pieces = split(text);
    let is_prose = is_prose(text.trim(), &pieces);
    let has_flags = pieces.iter().any(|piece| is_flag(piece.text));
    // Leaving out alone asks for nothing: `-quiet` by itself is what is looked for.
    let is_asking = |piece: &QueryPiece<'_>| !piece.is_excluded && (piece.is_phrase || !piece.text.starts_with('-'));
    let leaves_out = !has_flags && pieces.iter().any(is_asking);
    for piece in pieces.iter_mut().filter(|piece| !piece.is_phrase) {
        if is_prose {
            continue;
        }
        if let Some(word) = piece.text.strip_prefix('-').filter(|word| leaves_out && is_word(word)) {
            (piece.text, piece.is_excluded) = (word, true);
        }
        piece.is_beginning = piece.text.ends_with('*');
    }
    if !is_prose {
        return pieces;
    }
    let plain = |piece: QueryPiece<'_>| piece.is_phrase && !piece.is_excluded;
    pieces.into_iter().flat_map(|piece| if plain(piece) { words_of(piece.text) } else { vec![piece] }).collect()
}

/// Cuts a text into quoted phrases and words; nothing is known of the words yet.
fn split(text: &str) -> Vec<QueryPiece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if let Some((piece, after)) = quoted(rest) {
            pieces.push(piece);
            rest = after.trim_start();
            continue;
        }
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let end = rest[first..].find(|c: char| c.is_whitespace() || c == '「').map_or(rest.len(), |end| first + end);
        pieces.push(QueryPiece { text: &rest[..end], ..QueryPiece::WORD });
        rest = rest[end..].trim_start();
    }
    pieces
}

/// A phrase in quotes at the beginning of a text, and what follows it.
fn quoted(text: &str) -> Option<(QueryPiece<'_>, &str)> {
    let (is_excluded, piece) = text.strip_prefix('-').map_or((false, text), |piece| (true, piece));
    let inner = piece.strip_prefix(is_quote)?;
    let is_end = |(end, quote): &(usize, &str)| {
        let after = inner[end + quote.len()..].trim_start_matches('*');
        *quote == "」" || after.is_empty() || after.starts_with(char::is_whitespace)
    };
    let (end, quote) = inner.match_indices(is_quote).find(is_end)?;
    let after = &inner[end + quote.len()..];
    let is_beginning = after.starts_with('*');
    let piece = QueryPiece { text: &inner[..end], is_phrase: true, is_beginning, is_excluded };
    Some((piece, after.trim_start_matches('*')))
}

/// Whether a text reads like one that was written for something else.
fn is_prose(text: &str, pieces: &[QueryPiece<'_>]) -> bool {
    // Excluded phrases are never found in prose, so they do not make a query longer either.
    let pieces = || pieces.iter().filter(|piece| !(piece.is_phrase && piece.is_excluded));
    let words = || pieces().filter(|piece| !piece.is_phrase).map(|piece| piece.text);
    let ends_clause = |word: &str| word.ends_with(['.', ':', ';', '!', '?']) && word.chars().any(is_part);
    let is_citing = words().next().is_some_and(|first| CITING_WORDS.contains(&first) && text.starts_with(first));
    text.contains('\n')
        || pieces().count() > MAX_OPERATOR_PIECES
        || words().any(|word| ends_clause(word) || word.contains(is_quote))
        || (is_citing && pieces().any(|piece| piece.is_phrase))
}

/// Whether a word is an option as on a command line, such as `-x` or `--all`.
fn is_flag(word: &str) -> bool {
    let letters = word.strip_prefix('-').filter(|rest| rest.starts_with('-') || rest.is_ascii());
    letters.is_some_and(|rest| {
        rest.trim_start_matches('-').contains(is_part) && (rest.starts_with('-') || rest.len() == 1)
    })
}

/// Whether nothing but a word, a name, a path or a beginning is left.
fn is_word(text: &str) -> bool {
    let inner = text.strip_suffix('*').unwrap_or(text);
    inner.starts_with(|c: char| is_part(c) && !c.is_ascii_digit())
        && inner.chars().all(|c| is_part(c) || matches!(c, '-' | '.' | '/' | '#') || !c.is_ascii())
}

fn words_of(text: &str) -> Vec<QueryPiece<'_>> {
    text.split_whitespace().map(|text| QueryPiece { text, ..QueryPiece::WORD }).collect()
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '「' | '」')
}

impl QueryPiece<'static> {
    const WORD: QueryPiece<'static> =
        QueryPiece { text: "", is_phrase: false, is_beginning: false, is_excluded: false };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The operators of a text, written out.
    fn read(text: &str) -> Vec<String> {
        let shown = |piece: QueryPiece<'_>| {
            let not = if piece.is_excluded { "not " } else { "" };
            let phrase = if piece.is_phrase { "phrase " } else { "" };
            let beginning = if piece.is_beginning { "*" } else { "" };
            format!("{not}{phrase}{}{beginning}", piece.text.trim_end_matches('*'))
        };
        pieces(text).into_iter().map(shown).collect()
    }

    #[test]
    fn operators_of_a_short_query_are_understood() {
        assert_eq!(read("token -staging"), ["token", "not staging"]);
        assert_eq!(read("\"refresh token\" cache*"), ["phrase refresh token", "cache*"]);
        assert_eq!(read("token -\"must rotate\" \"le ca\"*"), ["token", "not phrase must rotate", "phrase le ca*"]);
        assert_eq!(read("“the parser” -src/auth -re-try"), ["phrase the parser", "not src/auth", "not re-try"]);
        assert_eq!(read("認証「トークンの更新」-鍵"), ["認証", "phrase トークンの更新", "not 鍵"]);
    }

    #[test]
    fn a_pasted_text_has_no_operators() {
        for text in [
            "Fix the \"refresh token\" path when the parser of the -quiet option is used by others",
            "fix(cli): take -quiet for \"silent\" runs",
            "Revert \"Add the refresh token to the store\"",
            "Say \"yes\" or \"no\"\n\nThe prompt took -force for an answer.",
            "why is \"refresh token\" -staging gone?",
            "a 5\" disk -full",
            "he said \"hello, world",
        ] {
            let read = read(text);
            assert!(read.iter().all(|piece| !piece.starts_with("phrase") && !piece.starts_with("not ")), "{read:?}");
            let words = |text: &str| text.replace('"', " ").split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&read.join(" ")), words(text), "no word is lost");
        }
    }

    #[test]
    fn options_of_a_command_line_are_plain_words() {
        assert_eq!(read("cargo test -p store -quiet"), ["cargo", "test", "-p", "store", "-quiet"]);
        assert_eq!(read("git log --follow -staging"), ["git", "log", "--follow", "-staging"]);
        assert_eq!(read("exit code -1"), ["exit", "code", "-1"]);
        assert_eq!(read("-quiet"), ["-quiet"], "nothing else is asked for");
        assert_eq!(read("token - staging"), ["token", "-", "staging"]);
    }

    #[test]
    fn an_excluded_phrase_is_meant_in_any_text() {
        let long = "the parser of the options that are used by others when a run is silent -\"staging\" -\"migra\"*";
        let read = read(long);
        assert_eq!(read[read.len() - 2..], ["not phrase staging", "not phrase migra*"]);
        assert_eq!(pieces("Done. -\"a b\"").last().map(|piece| piece.is_excluded), Some(true));
    }
}
