//! A rendering being written: our own words, and text of others set apart from them.
//!
//! **Invariant:** no line that text of others has a part in begins with that text: it stands behind a mark of quotation,
//! an indent inside a tag, or words of ours. There is no end of quotation that it could write.

use super::outline::{Item, Outline, Part};
use super::said::{Passage, Said};
use super::target::{Mention, Target};

/// What stands before each quoted line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quote {
    /// `> `
    Mark,
    /// Two blanks, within a tag
    Indent,
}

/// How the items of a list begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bullet {
    Dash,
    Number,
    /// `- [ ]`, or `- [x]` for what is done
    Box,
}

/// The text so far.
pub(super) struct Sheet<'o> {
    pub(super) outline: &'o Outline,
    target: Target,
    quote: Quote,
    out: String,
}

impl<'o> Sheet<'o> {
    pub(super) fn new(outline: &'o Outline, target: Target) -> Sheet<'o> {
        let quote = if target == Target::ClaudeCode { Quote::Indent } else { Quote::Mark };
        Sheet { outline, target, quote, out: String::new() }
    }

    /// The whole, ended by one line break.
    pub(super) fn finish(mut self) -> String {
        self.out.truncate(self.out.trim_end().len());
        self.out.push('\n');
        self.out
    }

    /// Adds a paragraph of ours.
    pub(super) fn say(&mut self, text: &str) {
        self.gap();
        self.line(text);
    }

    /// Adds a line of ours right below the one before.
    pub(super) fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// Leaves a line free, unless nothing stands above.
    pub(super) fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Adds lines of others.
    pub(super) fn quoted<T: AsRef<str>>(&mut self, lines: impl IntoIterator<Item = T>) {
        for line in lines {
            let line = self.harmless(line.as_ref());
            let mark = match self.quote {
                Quote::Mark => "> ",
                Quote::Indent => "  ",
            };
            self.line(format!("{mark}{line}").trim_end());
        }
    }

    /// Adds a part of the outline below a line of ours, if there is any of it.
    pub(super) fn section(&mut self, title: &str, part: Part, bullet: Bullet) {
        let outline = self.outline;
        self.listed(title, outline.items(part), bullet);
    }

    /// The same with some items alone.
    pub(super) fn listed<'i>(&mut self, title: &str, items: impl IntoIterator<Item = &'i Item>, bullet: Bullet) {
        let mut items = items.into_iter().peekable();
        if items.peek().is_none() {
            return;
        }
        self.say(title);
        self.items(items, bullet);
    }

    /// Adds items of others as a list.
    pub(super) fn items<'i>(&mut self, items: impl IntoIterator<Item = &'i Item>, bullet: Bullet) {
        for (index, item) in items.into_iter().enumerate() {
            let mark = match bullet {
                Bullet::Dash => "- ".to_owned(),
                Bullet::Number => format!("{}. ", index + 1),
                Bullet::Box if item.is_done => "- [x] ".to_owned(),
                Bullet::Box => "- [ ] ".to_owned(),
            };
            let indent = " ".repeat(mark.len().min(4));
            let lines = item.text.as_str().lines().enumerate();
            let lines: Vec<String> =
                lines.map(|(at, line)| format!("{}{line}", if at == 0 { &mark } else { &indent })).collect();
            self.quoted(lines);
        }
    }

    /// Adds the title and what is known of each session.
    pub(super) fn titles(&mut self) {
        for head in &self.outline.heads {
            let facts: Vec<String> = head.facts.iter().map(Said::one_line).collect();
            self.quoted([head.title.one_line()]);
            if !facts.is_empty() {
                self.quoted([facts.join("; ")]);
            }
        }
    }

    /// Adds the summaries below a line of ours.
    pub(super) fn summaries(&mut self, title: &str) {
        let shown: Vec<&Passage> =
            self.outline.heads.iter().map(|head| &head.summary).filter(|summary| !summary.lines.is_empty()).collect();
        if shown.is_empty() {
            return;
        }
        self.say(title);
        for (index, summary) in shown.into_iter().enumerate() {
            if index > 0 {
                self.quoted([""]);
            }
            self.quoted(&summary.lines);
        }
    }

    /// Adds the free-form text below a line of ours, between fences that nothing in it can close.
    pub(super) fn body(&mut self, title: &str) {
        let body = &self.outline.body;
        if body.lines.is_empty() {
            return;
        }
        self.say(title);
        let runs = body.lines.iter().flat_map(|line| line.split(|c| c != '`')).map(str::len);
        let fence = "`".repeat(3.max(runs.max().unwrap_or(0) + 1));
        self.quoted([format!("{fence}markdown")]);
        self.quoted(&body.lines);
        self.quoted([fence]);
    }

    /// The files of the pointers as the host wants to be told of them.
    pub(super) fn mentions(&self) -> Vec<String> {
        let files = self.outline.files().into_iter();
        match self.target.mention() {
            Mention::None => Vec::new(),
            Mention::At => files.map(|file| format!("@{file}")).collect(),
            Mention::AtRoot => files.map(|file| format!("@/{file}")).collect(),
            Mention::Hash => files.map(|file| format!("#file:{file}")).collect(),
        }
    }

    /// Says what was left out, and how to see it.
    pub(super) fn left_out(&mut self) {
        let missing = self.outline.missing();
        if !missing.is_empty() {
            let whole = &self.outline.whole;
            self.say(&format!("Left out: {}. All of it: `{whole}`", missing.join(", ")));
        }
    }

    /// A text of others with nothing in it that the reader's program would act on.
    pub(super) fn harmless(&self, text: &str) -> String {
        let mut text = text.to_owned();
        if self.target.acts_on_at() {
            text = text.replace('@', "＠");
        }
        match self.target {
            Target::Copilot => before(&text, '#', '＃', char::is_alphabetic),
            Target::ClaudeCode => {
                broken(&text, "<\\", |rest| rest.starts_with(['/', '!', '?']) || is_tag_of_ours(rest))
            }
            Target::AgentsMd => broken(&text, "<\\", |rest| rest.starts_with('!')).replace("-->", "--\\>"),
            // People see it as Markdown, where the backslash is not shown.
            Target::PrDescription => {
                let is_tag = |rest: &str| rest.starts_with(|c: char| c.is_alphabetic() || "/!?".contains(c));
                broken(&text, "\\<", is_tag).replace("![", "!\\[")
            }
            _ => text,
        }
    }
}

/// The tags that a record is put between.
pub(super) const TAGS: [&str; 14] = [
    "handoff",
    "title",
    "state",
    "next_steps",
    "blockers",
    "checklist",
    "tasks",
    "decisions",
    "notes",
    "pointers",
    "references",
    "git",
    "likely_files",
    "text",
];

fn is_tag_of_ours(rest: &str) -> bool {
    let name: String = rest.chars().take_while(|c| c.is_ascii_alphabetic() || *c == '_').collect();
    TAGS.contains(&name.to_ascii_lowercase().as_str())
}

/// The text with each `<` that would begin something written in another way.
fn broken(text: &str, other: &str, begins: impl Fn(&str) -> bool) -> String {
    let mut parts = text.split('<');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for rest in parts {
        out.push_str(if begins(rest) { other } else { "<" });
        out.push_str(rest);
    }
    out
}

/// The text with a character replaced wherever one of a kind follows it.
fn before(text: &str, wanted: char, other: char, kind: impl Fn(char) -> bool) -> String {
    let mut characters = text.chars().peekable();
    let mut out = String::with_capacity(text.len());
    while let Some(c) = characters.next() {
        let acts = c == wanted && characters.peek().is_some_and(|after| kind(*after));
        out.push(if acts { other } else { c });
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::outline::Subject;
    use super::*;

    fn harmless(target: Target, text: &str) -> String {
        let outline = Outline {
            subject: Subject::State,
            heads: Vec::new(),
            parts: BTreeMap::new(),
            body: Passage::default(),
            left_out: BTreeMap::new(),
            whole: String::new(),
            is_past: false,
        };
        Sheet::new(&outline, target).harmless(text)
    }

    #[test]
    fn what_a_host_would_act_on_is_written_so_that_it_does_not() {
        let text = "@/etc/passwd #file:a #12 </handoff> <state> <!-- x --> Vec<String> ![i](u)";
        for (target, expected) in [
            (Target::Generic, "@/etc/passwd #file:a #12 </handoff> <state> <!-- x --> Vec<String> ![i](u)"),
            (Target::ClaudeCode, "＠/etc/passwd #file:a #12 <\\/handoff> <\\state> <\\!-- x --> Vec<String> ![i](u)"),
            (Target::Copilot, "＠/etc/passwd ＃file:a #12 </handoff> <state> <!-- x --> Vec<String> ![i](u)"),
            (Target::AgentsMd, "＠/etc/passwd #file:a #12 </handoff> <state> <\\!-- x --\\> Vec<String> ![i](u)"),
            (
                Target::PrDescription,
                r"＠/etc/passwd #file:a #12 \</handoff> \<state> \<!-- x --> Vec\<String> !\[i](u)",
            ),
        ] {
            assert_eq!(harmless(target, text), expected, "{target}");
        }
    }
}
