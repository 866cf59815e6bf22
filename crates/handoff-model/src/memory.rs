//! Lasting memory: rules, conventions, lessons, gotchas and facts that outlive sessions.
//!
//! **Invariant:** a memory stays in force until it is retired, and a retired one is kept. Nothing that changes with use is
//! part of it, so reading or showing a memory never changes its file.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::origin::Origin;
use crate::secret::redact;
use crate::session::Confidence;
use crate::slug::slug;
use crate::task::words;
use crate::when::Moment;

mod alike;
mod edit;
mod file;
mod reference;
mod relevant;

pub use alike::{MemoryLikeness, SimilarMemory, groups_of_similar, similar_memories};
pub use edit::{MemoryEdit, RetireRefusal};
pub use file::{MemorySections, memory_problems};
pub use reference::{MemoryId, MemoryRef, NotAMemoryRef};
pub use relevant::{MemoryReason, MemorySurroundings, RelevantMemory, relevant_memories};

words!(
    /// Kinds of memory, those that bind first.
    #[derive(Default)]
    MemoryKind, "kind of memory", {
        /// Something that must or must not be done
        Rule = "rule",
        /// Something that surprises whoever does not know it
        Gotcha = "gotcha",
        /// The way things are done here
        Convention = "convention",
        /// Something learned from what went wrong or right
        #[default]
        Lesson = "lesson",
        /// Something that is so
        Fact = "fact",
    }
);

/// One memory: the file `memory/<slug>-<id>.md`, fields first, then its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryRecord {
    /// Version of the file format
    #[serde(default = "written_format")]
    pub format: u32,
    pub id: MemoryId,
    /// Kind of memory; a word that this version does not know reads as `fact`
    #[serde(default, deserialize_with = "known_kind")]
    pub kind: MemoryKind,
    /// Summary in one line; the first sentence of the text where there is none
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Labels it applies to
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// More words to find it by
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// Files, directories or globs it applies to
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Branches it applies to; `release/*` stands for all that begin like that
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Moment>,
    /// Full name of the session it was learned in
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When it was retired; absent while it is in force
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired_at: Option<Moment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired_because: Option<String>,
    /// Id of the memory that took its place
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<MemoryId>,
    /// Where it came from, when another system kept it before
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The text behind the fields
    #[serde(skip)]
    pub text: String,
}

fn written_format() -> u32 {
    crate::FORMAT
}

/// Reads a kind. The word in the file stays as it is until the kind is changed.
fn known_kind<'de, D: Deserializer<'de>>(deserializer: D) -> Result<MemoryKind, D::Error> {
    let word = String::deserialize(deserializer)?;
    Ok(word.parse().unwrap_or(MemoryKind::Fact))
}

/// Characters of a summary that is made from the text.
const SUMMARY_CHARS: usize = 160;

impl MemoryRecord {
    /// A memory in force that says `text` and nothing else.
    pub fn new(id: MemoryId, kind: MemoryKind, text: String, created_at: Moment) -> MemoryRecord {
        MemoryRecord {
            format: crate::FORMAT,
            id,
            kind,
            title: None,
            tags: Vec::new(),
            keywords: Vec::new(),
            paths: Vec::new(),
            branches: Vec::new(),
            confidence: None,
            author: None,
            created_at: Some(created_at),
            session: None,
            retired_at: None,
            retired_because: None,
            replaced_by: None,
            origin: None,
            text,
        }
    }

    /// Returns whether it holds: it was neither retired nor replaced.
    pub fn is_in_force(&self) -> bool {
        self.retired_at.is_none() && self.replaced_by.is_none()
    }

    /// The text, or the title of a memory that has nothing but that.
    pub fn says(&self) -> &str {
        match &self.title {
            Some(title) if self.text.is_empty() => title,
            _ => &self.text,
        }
    }

    /// Returns whether the summary is all that it says.
    pub fn is_said_by_summary(&self) -> bool {
        self.says() == self.summary()
    }

    /// What it says in one line: the title, else the first sentence, cut at a word where that is long.
    pub fn summary(&self) -> String {
        if let Some(title) = &self.title {
            return title.clone();
        }
        let line = self.text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let line = line.trim_start_matches(['#', '-', '*', '>']).trim_start();
        let Some((end, _)) = line.char_indices().nth(SUMMARY_CHARS) else { return line.to_owned() };
        let cut = &line[..end];
        let sentence = cut.rmatch_indices(['.', '!', '?', '。']).find(|(at, _)| is_sentence_end(line, *at));
        if let Some((at, mark)) = sentence {
            return cut[..at + mark.len()].to_owned();
        }
        let word = cut.rfind(char::is_whitespace).filter(|at| *at > end / 2).unwrap_or(end);
        format!("{}…", cut[..word].trim_end())
    }

    /// Returns whether it applies on a branch. Where the branch is not known, every memory does.
    pub fn applies_on(&self, branch: Option<&str>) -> bool {
        let Some(branch) = branch.filter(|_| !self.branches.is_empty()) else { return true };
        self.branches.iter().any(|wanted| match wanted.strip_suffix('*') {
            Some(beginning) => branch.starts_with(beginning),
            None => branch == wanted,
        })
    }

    /// Name of the file it is created in. It keeps that name when its title changes.
    pub fn file_name(&self) -> String {
        // A name is seen by git and in messages, and stays when the text is changed, so a secret never gets into it.
        let summary = self.summary();
        let summary = redact(&summary);
        let has_letters = summary.chars().any(char::is_alphanumeric);
        let slug = if has_letters { slug(&summary) } else { "memory".to_owned() };
        format!("{slug}-{}.md", self.id)
    }
}

/// Returns whether a mark ends a sentence, rather than standing in a name such as `main.rs`.
fn is_sentence_end(line: &str, at: usize) -> bool {
    let mut after = line[at..].chars();
    let mark = after.next();
    mark == Some('。') || after.next().is_none_or(char::is_whitespace)
}

#[cfg(test)]
mod tests;
