//! What prompts and answers say in few words, and which of them say nothing.

/// Words that alone, or with each other, ask for nothing new.
const EMPTY_WORDS: &[&str] = &[
    "a", "again", "ahead", "ahora", "alright", "and", "bitte", "bye", "can", "carry", "clear", "close", "compact",
    "continue", "cool", "danke", "do", "done", "exit", "go", "good", "great", "hello", "hey", "hi", "i", "it", "ja",
    "just", "keep", "lgtm", "mach", "next", "nice", "no", "now", "ok", "okay", "on", "perfect", "please", "proceed",
    "quit", "resume", "retry", "same", "stop", "sure", "thank", "thanks", "that", "the", "then", "this", "to", "try",
    "weiter", "work", "working", "yeah", "yep", "yes", "you",
];

/// Sentences by which people leave a handoff or pick one up; they are about the session, not about the work.
const ABOUT_SESSIONS: &[&str] = &[
    "close the session",
    "close session",
    "close this session",
    "end the session",
    "leave a handoff",
    "do a handoff",
    "do the handoff",
    "make a handoff",
    "write a handoff",
    "save a handoff",
    "save context",
    "save the context",
    "save the session",
    "save session",
    "store session state",
    "store the session",
    "knowledge transfer",
    "hand off to next agent",
    "hand off to the next agent",
    "where i left off",
    "where we left off",
    "where you left off",
    "pick up where",
];

/// As many further words that say something make it a request for work.
const FURTHER_WORDS: usize = 3;

/// Whether a prompt asks for no work of its own.
pub(in crate::agent) fn is_noise(text: &str) -> bool {
    is_about_session(text) || asks_to_go_on(text)
}

/// Whether a prompt is about the session and not about the work: a command of the agent, or a handoff.
pub(in crate::agent) fn is_about_session(text: &str) -> bool {
    let text = text.trim();
    let is_command = text.strip_prefix('/').is_some_and(|rest| {
        let name = rest.split_whitespace().next().unwrap_or_default();
        !name.is_empty() && !name.contains('/') && !name.contains('.')
    });
    let small = text.to_lowercase();
    let is_all = |said: &str| {
        let rest = small.replacen(said, " ", 1);
        rest.len() < small.len() && words(&rest).filter(|word| !is_empty_word(word)).nth(FURTHER_WORDS - 1).is_none()
    };
    is_command || ABOUT_SESSIONS.iter().any(|said| is_all(said))
}

/// Whether a prompt only says that the agent shall go on, or is thanks.
fn asks_to_go_on(text: &str) -> bool {
    let small = text.to_lowercase();
    words(&small).nth(6).is_none() && words(&small).all(is_empty_word)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty())
}

fn is_empty_word(word: &str) -> bool {
    EMPTY_WORDS.contains(&word)
}

/// Whether a title is the one an agent gives every session.
pub(in crate::agent) fn is_stock_title(title: &str) -> bool {
    let small = title.trim().to_lowercase();
    small.is_empty()
        || ["new session", "new chat", "new agent", "untitled"].iter().any(|stock| small.starts_with(stock))
        || is_noise(title)
}

/// A text on one line, without what could disguise itself, of at most `limit` bytes.
pub(in crate::agent) fn one_line(text: &str, limit: usize) -> String {
    let words = text.split(|c: char| c.is_whitespace() || is_hidden(c)).filter(|word| !word.is_empty());
    let mut line = String::new();
    for word in words {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > limit {
            break;
        }
    }
    cut(&line, limit)
}

/// Characters that a saved text may not have.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}' | '\u{e0000}'..='\u{e007f}')
}

/// The beginning of a text, at most `limit` bytes with the mark that it goes on.
pub(in crate::agent) fn cut(text: &str, limit: usize) -> String {
    const MARK: &str = "…";
    if text.len() <= limit {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(limit.saturating_sub(MARK.len()));
    let kept = &text[..end];
    // At a word, where that loses little.
    let at_word = kept.rfind(' ').filter(|space| *space >= end / 2).map_or(kept, |space| &kept[..space]);
    format!("{}{MARK}", at_word.trim_end_matches([' ', ',', ';', ':']))
}

/// The first sentence of a text, without the marks of Markdown, of at most `limit` bytes.
pub(in crate::agent) fn first_sentence(text: &str, limit: usize) -> String {
    let line = text.lines().map(unmarked).find(|line| !line.is_empty()).unwrap_or_default();
    let line = one_line(line, 4 * limit);
    let sentence = match sentence_end(&line) {
        Some(end) => line[..end].trim_end_matches(['.', '。']),
        None => &line,
    };
    cut(sentence.trim_end_matches(':'), limit)
}

/// The first sentences of a text that fit in `limit` bytes; at least the beginning of the first one.
pub(in crate::agent) fn first_sentences(text: &str, limit: usize) -> String {
    let text = text.lines().map(unmarked).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    let line = one_line(&text, 4 * limit);
    let mut end = 0;
    while let Some(next) = sentence_end(&line[end..]).map(|length| end + length).filter(|next| *next <= limit) {
        end = next;
    }
    if line.len() <= limit {
        line
    } else if end > 0 {
        line[..end].to_owned()
    } else {
        cut(&line, limit)
    }
}

/// The last line of an output that says something.
pub(in crate::agent) fn last_line(text: &str, limit: usize) -> Option<String> {
    let says = |line: &&str| line.chars().filter(|c| c.is_alphanumeric()).take(2).count() == 2;
    text.lines().rev().find(says).map(|line| one_line(line, limit))
}

/// A line without the marks of headings, quotes and lists.
fn unmarked(line: &str) -> &str {
    let line = line.trim();
    line.trim_start_matches(['#', '>', '*', '-', '•']).trim()
}

/// Where the first sentence of a line ends, its full stop included.
pub(in crate::agent) fn sentence_end(line: &str) -> Option<usize> {
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let ends = match c {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' => {
                chars.peek().is_none_or(|(_, next)| next.is_whitespace()) && !ends_shortened(&line[..at])
            }
            _ => false,
        };
        if ends {
            return Some(at + c.len_utf8());
        }
    }
    None
}

/// Whether the full stop behind this belongs to a shortened word or a number in a list.
fn ends_shortened(before: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    ["e.g", "i.e", "etc", "vs", "z.B", "bzw"].contains(&word)
        || (word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit()))
}
