//! The sections that a handoff should have, and finding them in one that somebody wrote freely.
//!
//! **Invariant:** nothing of a body is lost: each line is the heading of a section, part of one, or part of the rest.

use schemars::JsonSchema;
use serde::Serialize;

mod blocks;
mod names;

use blocks::Block;

/// One of the recommended sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SectionKind {
    Context,
    KeyDecisions,
    CurrentState,
    NextSteps,
    Warnings,
    Files,
}

/// A body to begin with: all sections, and what goes where.
pub const TEMPLATE: &str = "\
## Context

What this work is for, and what led to it.

## Key Decisions

- What was decided, and why that and not the other way.

## Current State

What works, what does not, what is half done.

## Next Steps

1. What to do first, small enough to begin at once.

## Warnings / Gotchas

- What would cost the next one an hour to find out.

## Files of Note

- `path/to/file`: what is in it, and where to look.
";

/// The sections of a body, in the order they stand there, and what is in none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sections {
    pub found: Vec<Section>,
    /// What stands in no section, as it is written
    pub rest: String,
}

/// One section of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub kind: SectionKind,
    /// Its heading in the words of the writer
    pub heading: String,
    /// The items of the lists in it
    pub items: Vec<ListItem>,
    /// What stands in it outside of lists, as it is written
    pub prose: String,
    /// All that stands below its heading, as it is written
    pub text: String,
}

/// One item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListItem {
    /// Its own text, without those of the items below it
    pub text: String,
    /// Whether it is ticked off, where it has a box
    pub checked: Option<bool>,
    /// How many items it lies in
    pub depth: usize,
}

impl SectionKind {
    pub const ALL: [SectionKind; 6] = [
        SectionKind::Context,
        SectionKind::KeyDecisions,
        SectionKind::CurrentState,
        SectionKind::NextSteps,
        SectionKind::Warnings,
        SectionKind::Files,
    ];

    /// The heading it has in the template.
    pub fn title(self) -> &'static str {
        match self {
            SectionKind::Context => "Context",
            SectionKind::KeyDecisions => "Key Decisions",
            SectionKind::CurrentState => "Current State",
            SectionKind::NextSteps => "Next Steps",
            SectionKind::Warnings => "Warnings / Gotchas",
            SectionKind::Files => "Files of Note",
        }
    }

    /// The section that a heading means, if it means one.
    pub fn of_heading(heading: &str) -> Option<Self> {
        names::meaning(heading)
    }
}

impl Sections {
    /// Finds the sections in a body of Markdown.
    ///
    /// A section goes on until a heading of its own level or above; the headings below it are part of it, unless they
    /// begin a section themselves.
    pub fn find(body: &str) -> Self {
        let mut sections = Sections::default();
        // The sections we are in, outermost first, with the levels of their headings.
        let mut open: Vec<(usize, u8)> = Vec::new();
        for (block, written) in blocks::blocks(body) {
            if let Block::Heading { level, text } = &block {
                open.retain(|(_, above)| above < level);
                if let Some(kind) = SectionKind::of_heading(text) {
                    open.push((sections.found.len(), *level));
                    let (items, prose, inside) = (Vec::new(), String::new(), String::new());
                    sections.found.push(Section { kind, heading: text.clone(), items, prose, text: inside });
                    continue;
                }
            }
            let Some(section) = open.last().map(|(place, _)| &mut sections.found[*place]) else {
                sections.rest.push_str(written);
                continue;
            };
            section.text.push_str(written);
            match block {
                Block::List(items) => section.items.extend(items),
                Block::Heading { .. } | Block::Other => section.prose.push_str(written),
            }
        }
        let texts = sections.found.iter_mut().flat_map(|section| [&mut section.prose, &mut section.text]);
        for text in texts.chain([&mut sections.rest]) {
            *text = without_blank_ends(text).to_owned();
        }
        sections
    }

    /// The sections of one kind; there may be several.
    pub fn of(&self, kind: SectionKind) -> impl Iterator<Item = &Section> {
        self.found.iter().filter(move |section| section.kind == kind)
    }
}

/// Without blank lines in front and behind; the first line keeps its indentation, which may mean something.
fn without_blank_ends(text: &str) -> &str {
    let text = text.trim_end();
    let blank = text.len() - text.trim_start().len();
    let line = text[..blank].rfind('\n').map_or(0, |end| end + 1);
    &text[line..]
}

#[cfg(test)]
mod tests;
