//! Archives whose sessions lead to one another: each says what it comes from and what came of it, wherever that lies now.

use std::collections::{BTreeMap, BTreeSet};

use handoff_model::MAX_FILE_BYTES;
use handoff_model::problem::Severity;
use handoff_model::session::Session;
use handoff_model::session::archive::{Archive, Link, anchor, is_file_name};

use crate::error::{Result, StoreError};
use crate::layout::{ARCHIVE, SESSIONS};
use crate::root::{join, split};
use crate::step::Step;
use crate::store::Store;

/// An archive that would become larger is left as it is, so that it can be read for good.
const LARGEST: usize = MAX_FILE_BYTES / 8 * 7;

/// How one session names others.
type Named = fn(&Session) -> Vec<&String>;

/// The words for it from either side.
const WAYS: [(Named, &str, &str); 4] = [
    (|session| session.continues.iter().collect(), "continues", "continued by"),
    (|session| session.forked_from.iter().collect(), "forked from", "forked to"),
    (|session| session.merged_from.iter().collect(), "merged from", "merged into"),
    (|session| session.merged_into.iter().collect(), "merged into", "merged from"),
];

/// An archive as it is, or as it will be by what is staged.
struct Open {
    before: Option<String>,
    text: String,
    archive: Archive,
}

impl Store {
    /// Stages that every archive says, below each heading and in its list of contents, what is where by now. The answer is
    /// how many archives change for that.
    pub fn link_archives(&mut self) -> Result<usize> {
        let mut archives = self.open_archives()?;
        let places = self.places(&archives)?;
        let mut changed = 0;
        for (path, Open { before, text, archive }) in &mut archives {
            let own = split(path).1;
            archive.arrange(|name| places.links(name, own));
            let arranged = archive.print();
            if arranged != *text && arranged.len() <= LARGEST {
                self.stage_file(path.clone(), before.take(), arranged);
                changed += 1;
            }
        }
        Ok(changed)
    }

    fn open_archives(&self) -> Result<BTreeMap<String, Open>> {
        let listed = match self.root.dir(ARCHIVE).and_then(|dir| dir.list()) {
            Ok(listed) => listed.into_iter().map(|entry| entry.name).collect(),
            Err(error) if crate::root::is_absent(&error) => Vec::new(),
            Err(source) => return Err(StoreError::read(ARCHIVE, source)),
        };
        let listed = listed.into_iter().filter(|name| is_file_name(name)).map(|name| join(ARCHIVE, &name));
        let staged = self.change.steps.iter().filter_map(|step| match step {
            Step::Put { path, .. } if split(path).0 == ARCHIVE && is_file_name(split(path).1) => Some(path.clone()),
            _ => None,
        });
        let paths: BTreeSet<String> = listed.chain(staged).collect();
        let mut archives = BTreeMap::new();
        for path in paths {
            // One that cannot be read is told by those who read it; it is left as it is.
            let Ok(before) = self.root.read_text(&path) else { continue };
            let Some(text) = self.staged_text(&path).map(str::to_owned).or_else(|| before.clone()) else { continue };
            let (archive, problems) = Archive::read(&path, &text);
            if problems.iter().any(|problem| problem.severity == Severity::Damaged) {
                continue;
            }
            archives.insert(path, Open { before, text, archive });
        }
        Ok(archives)
    }

    fn places(&self, archives: &BTreeMap<String, Open>) -> Result<Places> {
        let mut places = Places::default();
        let gone = |step: &Step| matches!(step, Step::Remove { .. });
        let gone: BTreeSet<&str> = self.change.steps.iter().filter(|step| gone(step)).map(Step::path).collect();
        for found in self.handoffs()?.list.iter().filter(|found| !gone.contains(found.file())) {
            places.add(&found.name, &found.session, Place::File(split(found.file()).1.to_owned()));
        }
        for (path, open) in archives {
            for archived in open.archive.sessions() {
                if let Ok(session) = Session::read(archived.toml_text) {
                    places.add(archived.name, &session, Place::Archive(split(path).1.to_owned()));
                }
            }
        }
        Ok(places)
    }
}

enum Place {
    File(String),
    Archive(String),
}

/// Where every session lies, and what each names.
#[derive(Default)]
struct Places {
    of: BTreeMap<String, Place>,
    /// For each session the others, in both directions
    links: BTreeMap<String, Vec<(&'static str, String)>>,
}

impl Places {
    fn add(&mut self, name: &str, session: &Session, place: Place) {
        // A session that is a file of its own counts, also where an archive has it still.
        if self.of.contains_key(name) {
            return;
        }
        self.of.insert(name.to_owned(), place);
        for (named, word, back) in WAYS {
            for other in named(session).into_iter().filter(|other| *other != name && is_full_name(other)) {
                self.link(name, word, other);
                self.link(other, back, name);
            }
        }
    }

    fn link(&mut self, name: &str, word: &'static str, other: &str) {
        let list = self.links.entry(name.to_owned()).or_default();
        if !list.iter().any(|(known, to)| *known == word && to == other) {
            list.push((word, other.to_owned()));
        }
    }

    /// The links of a session that lies in this archive.
    fn links(&self, name: &str, own: &str) -> Vec<Link> {
        let mut list = self.links.get(name).cloned().unwrap_or_default();
        list.sort();
        let place = |other: &str| match self.of.get(other)? {
            Place::File(file) => Some(format!("../{SESSIONS}/{file}")),
            Place::Archive(file) if file == own => Some(anchor(other)),
            Place::Archive(file) => Some(format!("{file}{}", anchor(other))),
        };
        list.into_iter().map(|(word, name)| Link { word, place: place(&name), name }).collect()
    }
}

/// Whether a text can be a full name, and so can stand in Markdown as it is.
fn is_full_name(text: &str) -> bool {
    text.len() == "2026-11-15-a3f9c12e".len() && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}
