//! A handoff made of what a transcript tells, without a model: the same digest gives the same handoff.
//!
//! **Invariant:** nothing is made up. Every text is taken from the digest, with the secrets in it redacted, and [`Taken`]
//! says from which line. Where the digest tells nothing, there is nothing.

use serde_json::{Map, Value as Json, json};

use super::{Digest, Host};
use crate::session::{ItemKind, NoteCategory, Pointer, Session};
use crate::when::Moment;

mod commands;
mod endings;
mod files;
mod next;
mod outdated;
mod put;
mod since;
mod spoken;
mod summary;
mod title;
pub(super) mod words;

pub use commands::PassedCheck;
pub use endings::implied_check;
pub use outdated::current_summary;
pub use put::{COMPILED, compiled_from, summary_compiled_from};
pub use spoken::{SaidDone, SpokenEnd};
pub(super) use title::reported;

/// A handoff as it can be made of a transcript.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compiled {
    pub title: Option<String>,
    /// A few lines: what was asked, what was changed, what the checks said, how it ended
    pub summary: String,
    /// Open items, in the order to take them
    pub items: Vec<CompiledItem>,
    /// What the agent's list and its words say to be done, in the order in which it was said
    pub ends: Vec<SpokenEnd>,
    /// Checks that passed in the end
    pub passed: Vec<PassedCheck>,
    pub pointers: Vec<Place>,
    /// Files that come next, should one of the pointers lead to nothing
    further: Vec<(Place, Option<u64>)>,
    pub notes: Vec<(NoteCategory, String)>,
    /// Who worked, and how much
    pub facts: Map<String, Json>,
    pub started_at: Option<Moment>,
    pub ended_at: Option<Moment>,
    /// What was taken from where
    pub taken: Vec<Taken>,
}

/// An open item that a transcript tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledItem {
    pub kind: ItemKind,
    pub text: String,
    /// The command that settles it by passing
    pub check: Option<String>,
    /// When it was last named
    pub at: Option<Moment>,
}

/// A file that was worked on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Relative to the project
    pub path: String,
    pub reason: String,
}

/// A piece of a handoff and the line of the transcript it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    pub field: &'static str,
    pub text: String,
    pub line: Option<u64>,
}

/// Makes a handoff of what an agent's work came to.
///
/// `roots` are the ways to write the project's directory; a file elsewhere is left out.
pub fn compile(digest: &Digest, host: Host, roots: &[&str]) -> Compiled {
    let digest = &digest.clone().redacted();
    let runs = commands::runs(digest, roots);
    let files = files::worked_on(digest, roots);
    let turns = spoken::turns(digest);
    let mut compiled = Compiled {
        passed: commands::passed(digest, roots),
        facts: facts(digest, host),
        started_at: digest.started_at,
        ended_at: digest.ended_at,
        ..Compiled::default()
    };
    let is_work = compiled.take_summary(digest, &turns, &files, &runs);
    compiled.take_title(digest, &turns, &files);
    compiled.take_items(digest, &turns, &runs);
    // Whoever says that an item is done has worked, whatever was asked.
    let ends_items = compiled.ends.iter().any(|end| !matches!(end.done, SaidDone::Statement(_)));
    if !is_work && compiled.items.is_empty() && !ends_items {
        return Compiled { facts: compiled.facts, ..Compiled::default() };
    }
    for (index, files::File { place, line, .. }) in files.into_iter().enumerate() {
        if index < files::MOST {
            compiled.point(place, line);
        } else {
            compiled.further.push((place, line));
        }
    }
    // Not a caution: those stay in force until somebody takes them back, and nobody wrote this.
    for (note, line) in commands::stubborn(&runs) {
        compiled.took("note", &note, line);
        compiled.notes.push((NoteCategory::Context, note));
    }
    compiled
}

impl Compiled {
    /// Whether the digest told of no work at all.
    pub fn is_empty(&self) -> bool {
        self.summary.is_empty() && self.items.is_empty()
    }

    /// Begins a session with the places that an earlier handoff points to, as far as there is room. Open items need no
    /// such help: they stay open until they are settled.
    pub fn carry_on(&self, earlier: &Session, session: &mut Session) {
        let is_mine = |pointer: &&Pointer| self.pointers.iter().any(|place| place.path == pointer.path);
        let room = files::MOST.saturating_sub(self.pointers.len());
        session.pointers.extend(earlier.pointers.iter().filter(|pointer| !is_mine(pointer)).take(room).cloned());
    }

    /// The texts of the items of a kind.
    pub fn texts(&self, kind: ItemKind) -> impl Iterator<Item = &str> {
        self.items.iter().filter(move |item| item.kind == kind).map(|item| item.text.as_str())
    }

    /// Leaves out the files for which `is_there` says no, and says how many they were. Others take their places.
    pub fn keep_pointers(&mut self, is_there: impl Fn(&str) -> bool) -> usize {
        let before = self.pointers.len() + self.further.len();
        self.pointers.retain(|place| is_there(&place.path));
        self.further.retain(|(place, _)| is_there(&place.path));
        let after = self.pointers.len() + self.further.len();
        let pointers = &self.pointers;
        self.taken.retain(|taken| taken.field != "pointer" || pointers.iter().any(|place| place.path == taken.text));
        let room = files::MOST.saturating_sub(self.pointers.len()).min(self.further.len());
        for (place, line) in self.further.drain(..room).collect::<Vec<_>>() {
            self.point(place, line);
        }
        before - after
    }

    fn point(&mut self, place: Place, line: Option<u64>) {
        self.took("pointer", &place.path, line);
        self.pointers.push(place);
    }

    fn took(&mut self, field: &'static str, text: &str, line: Option<u64>) {
        self.taken.push(Taken { field, text: text.to_owned(), line });
    }
}

/// Who worked and how much, as far as the transcript tells.
fn facts(digest: &Digest, host: Host) -> Map<String, Json> {
    let spent = digest.tokens.spent();
    let about = &digest.about;
    let text = |text: &Option<String>| text.as_deref().map(|text| json!(words::one_line(text, 200)));
    let count = |count: u64| (count > 0).then(|| json!(i64::try_from(count).unwrap_or(i64::MAX)));
    let facts = [
        ("host", Some(json!(host.word()))),
        ("version", text(&about.version)),
        ("model", text(&about.model)),
        ("agent_session", text(&about.session)),
        ("branch", text(&about.branch)),
        ("requests", count(digest.asked.into())),
        ("turns", count(digest.turns.into())),
        ("compactions", count(digest.compactions.into())),
        ("input_tokens", count(spent.input)),
        ("output_tokens", count(spent.output)),
        ("seconds", count(digest.seconds)),
        ("with_earlier", digest.counts_earlier.then_some(Json::Bool(true))),
    ];
    facts.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}

#[cfg(test)]
mod tests;
