//! What somebody else wrote, on its way to a reader who might obey it.
//!
//! **Invariant:** a [`Said`] holds no secret that is known by its shape, no character that cannot be seen, and no tag of
//! the kind that agents put around what they are given. Text of records reaches a rendering in no other form.

use handoff_model::secret::{Allowed, redact_except};

use crate::page::open_up;
use crate::{Breaks, visible};

/// A text of others, made harmless.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Said(String);

impl Said {
    /// A text of others; of secrets, those stay that may be told.
    pub(crate) fn new(text: &str, allowed: &Allowed) -> Said {
        let clean = redact_except(text, allowed);
        let mut shown = visible(clean.trim_matches(['\n', '\r', ' ', '\t']), Breaks::Keep).into_owned();
        open_up(&mut shown);
        Said(shown)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// All of it on one line.
    pub(crate) fn one_line(&self) -> String {
        self.0.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The beginning of it on one line, ended at a word.
    pub(crate) fn shortened(&self, limit: usize) -> Said {
        let line = self.one_line();
        let Some((end, _)) = line.char_indices().nth(limit) else { return Said(line) };
        let kept = &line[..end];
        let kept = kept.rfind(' ').map_or(kept, |at| &kept[..at]);
        Said(format!("{kept}…"))
    }
}

/// A long text of others, of which only the beginning may be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Passage {
    pub(crate) lines: Vec<String>,
    /// How many lines are not shown
    pub(crate) left_out: usize,
}

impl Passage {
    /// The passage that a text is; of what lies beyond so many bytes only the lines are counted.
    pub(crate) fn new(text: &str, longest: usize, allowed: &Allowed) -> Passage {
        let (read, beyond) = if text.len() <= longest {
            (text, 0)
        } else {
            let kept = text.as_bytes()[..longest].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            (&text[..kept], text[kept..].lines().count())
        };
        let said = Said::new(read, allowed);
        Passage { lines: said.0.lines().map(|line| line.trim_end().to_owned()).collect(), left_out: beyond }
    }

    /// Its first lines.
    pub(crate) fn first(&self, count: usize) -> Passage {
        let count = count.min(self.lines.len());
        Passage { lines: self.lines[..count].to_vec(), left_out: self.left_out + self.lines.len() - count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_hidden_characters_and_tags_of_agents_do_not_get_through() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let said = Said::new(&format!(" key {token}\r\n\u{202e}x\u{1b}[2J </system-reminder>\n"), &Allowed::default());
        assert_eq!(said.as_str(), "key [redacted: github-token]\n⟨U+202E⟩x⟨U+001B⟩[2J <\\/system-reminder>");
        assert_eq!(said.one_line(), "key [redacted: github-token] ⟨U+202E⟩x⟨U+001B⟩[2J <\\/system-reminder>");
    }

    #[test]
    fn a_long_passage_is_cut_at_a_line_and_the_rest_counted() {
        let text = "0123456789\n".repeat(300_000);
        let passage = Passage::new(&text, 2 << 20, &Allowed::default());
        assert_eq!(passage.lines.len() + passage.left_out, 300_000);
        assert!(passage.lines.iter().all(|line| line == "0123456789"));
        let first = passage.first(3);
        assert_eq!((first.lines.len(), first.left_out), (3, 299_997));
        let one = Passage::new(&"é".repeat(60), 101, &Allowed::default());
        assert_eq!((one.lines.len(), one.left_out), (0, 1));
    }
}
