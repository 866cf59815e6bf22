//! Texts of the kind that people, tools and attackers write.

use crate::choices::Choices;

/// Pieces that have broken parsers, screens or file systems somewhere.
const PIECES: &[&str] = &[
    "a",
    "fix it",
    " ",
    "Straße",
    "任務",
    "e\u{301}",
    "İ",
    "ǅ",
    "👩\u{200d}👩\u{200d}👧",
    "🏴\u{e0067}\u{e0062}\u{e007f}",
    "\"",
    "'",
    "\"\"\"",
    "'''",
    "\\",
    "\\u0041",
    "#",
    " # none",
    "=",
    "[x]",
    "]]",
    "{",
    ",",
    ".",
    "..",
    "/",
    "../../etc/passwd",
    "C:\\x",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "\0",
    "\u{1b}[31m",
    "\u{7f}",
    "\u{85}",
    "\u{9b}",
    "\u{ad}",
    "\u{2028}",
    "\u{202e}",
    "\u{2066}",
    "\u{feff}",
    "\u{10ffff}",
    "none",
    "null",
    "nan",
    "2026-11-15",
    "2026-11-15T09:15:03Z",
    "01.2-todo--x",
    "k7f3q2ma",
    "CON",
    "<<<<<<< ours",
    "\n=======\n",
    ">>>>>>> theirs",
    "%s",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
];

/// A text made of odd pieces and now and then of any character at all.
pub fn odd(choices: &mut Choices) -> String {
    let mut text = String::new();
    for _ in 0..choices.below(6) {
        match choices.below(8) {
            0 => text.extend(char::from_u32(choices.whole() % 0x11_0000)),
            _ => text.push_str(choices.pick(PIECES)),
        }
    }
    text
}

/// A text on one line that people would write.
pub fn plain(choices: &mut Choices) -> String {
    const WORDS: &[&str] =
        &["auth", "Write handlers", "say \"hi\"", "größer", "認証", "a # b", "it's", "x = [1]", "\\n"];
    let words = choices.below(3) + 1;
    (0..words).map(|_| choices.pick(WORDS)).collect::<Vec<_>>().join(" ")
}

/// Either kind.
pub fn any(choices: &mut Choices) -> String {
    if choices.flag() { odd(choices) } else { plain(choices) }
}
