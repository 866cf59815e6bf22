//! Putting what was compiled into a session that an agent or a person may have written in.
//!
//! **Invariant:** what others wrote stays as it is. What an earlier compilation of the same conversation put in, and
//! nobody touched since, is replaced; what somebody took out or rewrote does not come back. To know the one from the
//! other, `environment.compiled.items` lists short hashes of what was put in.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use super::{Compiled, CompiledItem};
use crate::rev::Rev;
use crate::session::{ItemId, ItemKind, ItemRecord, NoteCategory, Pointer, Session, SessionNote};

/// The table of `environment` that tells who worked, and what was put in.
pub const COMPILED: &str = "compiled";

const ITEMS: &str = "items";

/// How many items are remembered.
const MOST_ITEMS: usize = 120;

/// The agent and its own id of the conversation that a session was compiled from.
pub fn compiled_from(session: &Session) -> Option<(&str, &str)> {
    let table = session.environment.get(COMPILED)?;
    Some((table.get("host")?.as_str()?, table.get("agent_session")?.as_str()?))
}

/// The agent from whose transcript the summary of a session was compiled; `None` where an agent or a person wrote it.
pub fn summary_compiled_from(session: &Session) -> Option<&str> {
    let (host, _) = compiled_from(session)?;
    let put = session.environment.get(COMPILED)?.get(ITEMS)?.as_array()?;
    let summary = hash("summary", &session.summary);
    put.iter().any(|item| item.as_str() == Some(&summary)).then_some(host)
}

impl Compiled {
    /// Puts it into a session; nothing is put where there was no work.
    ///
    /// A summary that somebody wrote is kept; the compiled one then becomes a note.
    pub fn put_into(&self, session: &mut Session) {
        if self.is_empty() {
            return;
        }
        let mut items = Items::of(session, self);
        if let Some(title) = &self.title
            && (session.title.is_none() || items.was_put("title", session.title.as_deref()))
        {
            items.put("title", title);
            session.title = Some(title.clone());
        }
        let mut notes = Vec::new();
        let is_mine = session.summary.trim().is_empty() || items.was_put("summary", Some(&session.summary));
        if is_mine {
            items.put("summary", &self.summary);
            session.summary.clone_from(&self.summary);
        } else if !self.summary.is_empty() {
            notes.push((NoteCategory::Context, format!("From the transcript:\n{}", self.summary)));
        }
        notes.extend(self.notes.iter().cloned());

        for kind in [ItemKind::Next, ItemKind::Blocker, ItemKind::Question] {
            self.put_items(kind, session, &mut items, is_mine);
        }

        session.notes.retain(|note| !items.was_put("note", Some(&note.note)));
        for (category, note) in notes {
            let is_told = session.notes.iter().any(|told| same(&told.note, &note));
            if !is_told && items.may_put("note", &note) {
                session.notes.push(SessionNote { note, category });
            }
        }

        self.put_pointers(session, &mut items);
        let mut facts = self.facts.clone();
        facts.insert(ITEMS.to_owned(), items.list());
        session.environment.insert(COMPILED.to_owned(), Json::Object(facts));
    }

    /// Puts the items of a kind into their list, each with a record that says that it was compiled.
    fn put_items(&self, kind: ItemKind, session: &mut Session, items: &mut Items, is_mine: bool) {
        let list = match kind {
            ItemKind::Blocker => &mut session.blockers,
            ItemKind::Question => &mut session.questions,
            _ => &mut session.next,
        };
        list.retain(|text| !items.was_put(kind.word(), Some(text)));
        let mut new: Vec<String> = Vec::new();
        for CompiledItem { text, check, .. } in self.items.iter().filter(|item| item.kind == kind) {
            let is_told = list.iter().chain(&new).any(|told| same(told, text));
            if is_told || !items.may_put(kind.word(), text) {
                continue;
            }
            new.push(text.clone());
            let fits = |record: &&mut ItemRecord| {
                record.text == *text && ItemId::read(&record.id).is_none_or(|id| id.kind == kind)
            };
            match session.items.iter_mut().find(fits) {
                Some(record) => record.check.clone_from(check),
                None => session.items.push(ItemRecord {
                    text: text.clone(),
                    check: check.clone(),
                    compiled: true,
                    ..ItemRecord::default()
                }),
            }
        }
        // What was broken off last comes before what was left by others, unless an agent put it in order.
        let at = if is_mine { 0 } else { list.len() };
        list.splice(at..at, new);
    }

    fn put_pointers(&self, session: &mut Session, items: &mut Items) {
        let before = session.pointers.clone();
        session.pointers.retain(|pointer| pointer.lines.is_some() || !items.was_put("pointer", Some(&told(pointer))));
        for place in &self.pointers {
            let is_told = session.pointers.iter().any(|pointer| pointer.path == place.path);
            if !is_told && items.may_put("pointer", &said(&place.path, Some(&place.reason))) {
                let blob =
                    before.iter().find(|pointer| pointer.path == place.path).and_then(|pointer| pointer.blob.clone());
                let (path, reason) = (place.path.clone(), Some(place.reason.clone()));
                session.pointers.push(Pointer { path, lines: None, reason, blob });
            }
        }
    }
}

/// What was put into a session, earlier and now.
struct Items {
    before: BTreeSet<String>,
    /// What stands in the session
    there: BTreeSet<String>,
    now: BTreeSet<String>,
}

impl Items {
    /// What the same conversation put in before; what another one did counts as written by somebody.
    fn of(session: &Session, compiled: &Compiled) -> Items {
        let fact = |key: &str| compiled.facts.get(key).and_then(Json::as_str);
        let table = session.environment.get(COMPILED);
        let noted = |key: &str| table.and_then(|table| table.get(key)).and_then(Json::as_str);
        let is_same = ["host", "agent_session"].into_iter().all(|key| noted(key) == fact(key));
        let list = table.and_then(|table| table.get(ITEMS)).and_then(Json::as_array);
        let texts = |list: &Vec<Json>| list.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect();
        let title = session.title.iter().map(|title| hash("title", title));
        let next = session.next.iter().map(|step| hash("next", step));
        let blockers = session.blockers.iter().map(|blocker| hash("blocker", blocker));
        let questions = session.questions.iter().map(|question| hash("question", question));
        let next = next.chain(blockers).chain(questions);
        let notes = session.notes.iter().map(|note| hash("note", &note.note));
        let pointers = session.pointers.iter().map(|pointer| hash("pointer", &told(pointer)));
        Items {
            before: list.filter(|_| is_same).map(texts).unwrap_or_default(),
            there: title.chain([hash("summary", &session.summary)]).chain(next).chain(notes).chain(pointers).collect(),
            now: BTreeSet::new(),
        }
    }

    /// Whether this was put in before, and is as it was.
    fn was_put(&self, field: &str, text: Option<&str>) -> bool {
        text.is_some_and(|text| self.before.contains(&hash(field, text)))
    }

    fn put(&mut self, field: &str, text: &str) {
        self.now.insert(hash(field, text));
    }

    /// Notes that this is put in, unless it was before and somebody took it out.
    fn may_put(&mut self, field: &str, text: &str) -> bool {
        let hash = hash(field, text);
        let was_taken_out = self.before.contains(&hash) && !self.there.contains(&hash);
        self.now.insert(hash);
        !was_taken_out
    }

    /// What stands in the session now, and what somebody took out.
    fn list(self) -> Json {
        let Items { before, there, now } = self;
        let taken_out = before.into_iter().filter(|hash| !there.contains(hash) && !now.contains(hash));
        let mut list: Vec<String> = now.iter().cloned().chain(taken_out).take(MOST_ITEMS).collect();
        list.sort();
        json!(list)
    }
}

/// What a pointer says, in one text.
fn told(pointer: &Pointer) -> String {
    said(&pointer.path, pointer.reason.as_deref())
}

fn said(path: &str, reason: Option<&str>) -> String {
    format!("{path}\n{}", reason.unwrap_or_default())
}

fn hash(field: &str, text: &str) -> String {
    Rev::of(format!("{field}\n{text}").as_bytes()).to_string()[..8].to_owned()
}

/// Whether two texts say the same, but for case and punctuation.
fn same(one: &str, other: &str) -> bool {
    let bare =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    bare(one) == bare(other)
}
