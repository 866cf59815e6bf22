//! What is recorded about a file, and why it concerns it.
//!
//! **Invariant:** every finding has a reason that can be checked, and equal records give equal findings. What governs,
//! points to or made the very lines that are asked about comes before what only names the file, and among those that
//! are equally close the newest comes first.

mod commit;
mod mention;

pub use commit::{CommitFacts, Origin, made_in, names_session, names_task};

use crate::governed::{Pattern, below, is_at_or_below};
use crate::relevant::named_in;
use crate::session::{Decision, LineRange, Session};
use crate::task::{LinkType, Task};

/// What is asked about.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Relative to the project, without a `/` at its end
    pub path: &'a str,
    pub is_directory: bool,
    /// First and last line
    pub lines: Option<(u32, u32)>,
    /// What the file was called before
    pub names: &'a [String],
}

/// Where lines are now that somebody pointed to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinesNow {
    /// It cannot be told; they are taken to be where they were
    #[default]
    Unknown,
    /// The first and last of them
    At(u32, u32),
    Gone,
}

/// Why something concerns what is asked about. The closer it is, the higher.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reason {
    pub closeness: u32,
    pub words: String,
}

/// How close each sort of reason is.
mod close {
    pub(super) const POINTS_TO_LINES: u32 = 100;
    pub(super) const GOVERNS_FILE: u32 = 90;
    pub(super) const LINKED: u32 = 80;
    pub(super) const POINTS_TO_FILE: u32 = 75;
    pub(super) const REFERS: u32 = 65;
    /// And one more for each name of the path that is written
    pub(super) const GOVERNS_DIRECTORY: u32 = 60;
    pub(super) const NAMED: u32 = 55;
    pub(super) const INSIDE: u32 = 45;
    pub(super) const CHANGED_THEN: u32 = 40;
}

/// How close it is that a commit made the lines that are asked about, or touched the file: one whose message names
/// something, or one that came from a session.
pub fn closeness_of_commit(made_lines: bool, origin: Option<Origin>) -> u32 {
    match (made_lines, origin) {
        (true, None) => 97,
        (true, Some(Origin::During)) => 95,
        (true, Some(Origin::HandedOver)) => 70,
        (false, None) => 58,
        (false, Some(Origin::During)) => 50,
        (false, Some(Origin::HandedOver)) => 48,
    }
}

impl Question<'_> {
    /// Every name that what is asked about has or had, and how that is told.
    fn called(&self) -> impl Iterator<Item = (&str, String)> {
        let before = self.names.iter().map(|name| (name.as_str(), format!(" (as {name}, its name then)")));
        std::iter::once((self.path, String::new())).chain(before)
    }

    /// Why a decision concerns it.
    pub fn about_decision(&self, decision: &Decision) -> Vec<Reason> {
        let mut reasons: Vec<Reason> = decision.paths.iter().filter_map(|path| self.governed_by(path)).collect();
        let texts = [Some(&decision.decision), decision.reason.as_ref()];
        if texts.into_iter().flatten().any(|text| self.is_named_in(text)) {
            reasons.push(reason(close::NAMED, "names it"));
        }
        reasons
    }

    fn governed_by(&self, written: &str) -> Option<Reason> {
        let own = written.trim_start_matches("./").trim_end_matches('/');
        self.called().find_map(|(name, told)| {
            if own == name {
                return Some(reason(close::GOVERNS_FILE, format!("governs {written}{told}")));
            }
            let is_glob = own.contains(['*', '?', '[', '{']);
            let governs = is_at_or_below(own, name) || (is_glob && Pattern::new(own, "").governs(name));
            if governs && !own.is_empty() {
                let names = own.split('/').filter(|part| !matches!(*part, "*" | "**")).count();
                let closeness = close::GOVERNS_DIRECTORY + u32::try_from(names.min(20)).unwrap_or(0);
                return Some(reason(closeness, format!("governs {written}{told}")));
            }
            let is_inside = self.is_directory && below(name, own).is_some();
            is_inside.then(|| reason(close::INSIDE, format!("governs {written}, which is in it")))
        })
    }

    /// Why a task concerns it.
    pub fn about_task(&self, task: &Task) -> Vec<Reason> {
        let mut reasons = Vec::new();
        let links = task.links.iter().filter(|link| link.kind == LinkType::File);
        reasons.extend(links.filter_map(|link| self.linked(&link.target, "links to", close::LINKED)));
        let texts = std::iter::once(("its title", &task.title))
            .chain(task.description.as_ref().map(|text| ("its description", text)))
            .chain(task.done_criteria.iter().map(|criterion| ("a criterion", &criterion.item)))
            .chain(task.notes.iter().map(|note| ("a note", &note.text)));
        reasons.extend(self.said(texts));
        reasons
    }

    /// Why a session concerns it, its commits and decisions aside. `now` tells of each pointer where its lines are.
    pub fn about_session(&self, session: &Session, now: impl Fn(usize) -> LinesNow) -> Vec<Reason> {
        let mut reasons = Vec::new();
        for (index, pointer) in session.pointers.iter().enumerate() {
            let lines = pointer.lines.as_ref().and_then(|lines| lines.parse::<LineRange>().ok());
            reasons.extend(self.pointed(&pointer.path, lines, now(index), pointer.reason.as_deref()));
        }
        let links = session.references.iter().filter(|reference| reference.kind == LinkType::File);
        reasons.extend(links.filter_map(|reference| self.linked(&reference.uri, "refers to", close::REFERS)));
        let changed = session.git.iter().flat_map(|git| &git.dirty).filter_map(|line| Some(line.split_once(' ')?.1));
        let mut changed = changed.flat_map(|paths| paths.split(" -> "));
        if changed.any(|path| self.is_or_holds(path)) {
            reasons.push(reason(close::CHANGED_THEN, "had changes to it that were not committed"));
        }
        let texts = std::iter::once(("its summary", &session.summary))
            .chain(session.title.as_ref().map(|text| ("its title", text)))
            .chain(session.state.as_ref().map(|text| ("the state it tells", text)))
            .chain(session.next.iter().map(|text| ("a next step", text)))
            .chain(session.blockers.iter().map(|text| ("a blocker", text)))
            .chain(session.checklist.iter().map(|item| ("its checklist", &item.item)))
            .chain(session.notes.iter().map(|note| ("a note", &note.note)));
        reasons.extend(self.said(texts));
        reasons
    }

    fn pointed(&self, path: &str, lines: Option<LineRange>, now: LinesNow, why: Option<&str>) -> Option<Reason> {
        let path = path.trim_end_matches('/');
        let why = why.map(|why| format!(": {why}")).unwrap_or_default();
        let Some((_, told)) = self.called().find(|(name, _)| *name == path) else {
            let is_inside = self.is_directory && below(self.path, path).is_some();
            let holds = below(path, self.path).is_some();
            return match (is_inside, holds) {
                (true, _) => Some(reason(close::INSIDE, format!("points to {path}, which is in it{why}"))),
                (_, true) => Some(reason(close::INSIDE, format!("points to {path}, which it is in{why}"))),
                _ => None,
            };
        };
        let Some(written) = lines else {
            return Some(reason(close::POINTS_TO_FILE, format!("points to it{told}{why}")));
        };
        let then = (written.first(), written.last());
        let (present, moved) = match now {
            LinesNow::Unknown => (Some(then), String::new()),
            LinesNow::At(first, last) if (first, last) == then => (Some(then), String::new()),
            LinesNow::At(first, last) => (Some((first, last)), format!(", now {first}-{last}")),
            LinesNow::Gone => (None, ", which are gone".to_owned()),
        };
        let covers = match (self.lines, present) {
            (Some((first, last)), Some((begin, end))) => begin <= last && first <= end,
            _ => false,
        };
        let closeness = if covers { close::POINTS_TO_LINES } else { close::POINTS_TO_FILE };
        Some(reason(closeness, format!("points to lines {written}{moved}{told}{why}")))
    }

    fn linked(&self, target: &str, verb: &str, closeness: u32) -> Option<Reason> {
        let target = target.split('#').next().unwrap_or(target).trim_start_matches("./").trim_end_matches('/');
        let (_, told) = self.called().find(|(name, _)| *name == target)?;
        Some(reason(closeness, format!("{verb} it{told}")))
    }

    fn said<'t>(&self, texts: impl Iterator<Item = (&'static str, &'t String)>) -> Vec<Reason> {
        let mut told: Vec<&str> = Vec::new();
        for (what, text) in texts {
            if !told.contains(&what) && self.is_named_in(text) {
                told.push(what);
            }
        }
        told.into_iter().map(|what| reason(close::NAMED, format!("{what} names it"))).collect()
    }

    fn is_named_in(&self, text: &str) -> bool {
        let is_named = |name: &str| {
            if self.is_directory { mention::names_directory(text, name) } else { named_in(text, name).is_some() }
        };
        self.called().any(|(name, _)| is_named(name))
    }

    fn is_or_holds(&self, path: &str) -> bool {
        self.called().any(|(name, _)| name == path) || (self.is_directory && below(self.path, path).is_some())
    }
}

fn reason(closeness: u32, words: impl Into<String>) -> Reason {
    Reason { closeness, words: words.into() }
}

#[cfg(test)]
mod tests;
