//! What the files of a mirror say, from the records alone.
//!
//! The first layer has all handoffs that are over, also those that were archived since: a note that an agent was told to
//! read does not vanish when it gets old. The third has what is archived, in short.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Component;
use std::sync::Arc;

use handoff_model::MAX_BODY_BYTES;
use handoff_model::id::SessionId;
use handoff_model::layers::{Layer, STATE_PATH, archive_path, note_path, tag_name};
use handoff_model::secret::Allowed;
use handoff_model::session::{Session, SessionStatus, archive};
use handoff_store::FoundSession;

use super::MirrorTo;
use super::text::{self, Whence};
use crate::leaving::for_model;
use crate::render::Passage;
use crate::{OpError, Project};

/// One file that should be there.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) path: String,
    pub(super) layer: Layer,
    /// The day or month it is of
    pub(super) date: String,
    pub(super) text: String,
}

/// All files that should be there, sorted by their paths.
pub(super) struct Content {
    pub(super) wanted: Vec<Wanted>,
    /// Whether every record could be read
    pub(super) is_whole: bool,
    pub(super) warnings: Vec<String>,
}

/// Stands for the day of a session whose name tells none.
const NO_DAY: &str = "0000-00-00";
/// The tag of those that have none, where none is given for them.
const NO_TAG: &str = "general";
/// As much as is shown of one body; the whole of it lies beside its session.
const LONGEST_BODY: usize = 1 << 20;

pub(super) fn read(project: &Project, to: &MirrorTo) -> Result<Content, OpError> {
    let store = project.store();
    let (sessions, archived) = store.at_one_moment(|| Ok((store.handoffs()?, store.archived_sessions()?)))?;
    let is_whole = sessions.problems.is_empty() && archived.problems.is_empty() && !sessions.lacks_some;
    let is_over = |found: &&Arc<FoundSession>| found.is_handoff() && found.session.status == SessionStatus::Closed;
    let single: Vec<Arc<FoundSession>> = sessions.list.iter().filter(is_over).cloned().collect();
    let known: BTreeSet<&SessionId> = single.iter().map(|found| &found.session.id).collect();
    let old = archived.list.iter().filter(is_over).filter(|found| !known.contains(&found.session.id));
    let old: Vec<Arc<FoundSession>> = old.cloned().collect();

    let writing = Writing { project, to, allowed: project.allowed(), up: up(project, to) };
    let (mut notes, warnings) = writing.notes(&single, &old);
    let mut wanted = writing.archives(&old);
    wanted.append(&mut notes);
    wanted.push(writing.state(single.first().or(old.first()).map(AsRef::as_ref))?);
    wanted.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(Content { wanted, is_whole, warnings })
}

struct Writing<'a> {
    project: &'a Project,
    to: &'a MirrorTo,
    allowed: Allowed,
    /// The way from a file of the third layer to the store, where there is one
    up: Option<String>,
}

/// Sessions by the path of the file they go to, with what it is of. Paths that differ in case alone are one.
type Files<'a> = BTreeMap<String, (String, String, Vec<&'a FoundSession>)>;

impl Writing<'_> {
    fn notes(&self, single: &[Arc<FoundSession>], old: &[Arc<FoundSession>]) -> (Vec<Wanted>, Vec<String>) {
        let mut warnings = Vec::new();
        let mut files = Files::new();
        for found in oldest_first(single.iter().chain(old)) {
            let day = day(found);
            put(&mut files, note_path(day, &self.tag(&found.session)), day, found);
        }
        let file = |(path, date, list): (String, String, Vec<&FoundSession>)| {
            let mut text = text::title(&format!("Handoffs of {date}"));
            for found in list {
                let body = match self.project.store().session_body_within(found, MAX_BODY_BYTES) {
                    Ok(body) => body,
                    Err(error) => {
                        warnings.push(format!("the body of {} is not mirrored: {error}", found.name));
                        None
                    }
                };
                let body = body.map(|body| Passage::new(&body, LONGEST_BODY, &self.allowed));
                text.push_str(&text::note(found, body.as_ref(), &self.allowed));
            }
            Wanted { path, layer: Layer::Notes, date, text }
        };
        let wanted = files.into_values().map(file).collect();
        (wanted, warnings)
    }

    fn archives(&self, old: &[Arc<FoundSession>]) -> Vec<Wanted> {
        let mut files = Files::new();
        for found in oldest_first(old) {
            let month = archive::file_name(&found.session, 1);
            let month = month.get(..7).unwrap_or_default();
            put(&mut files, archive_path(month, &self.tag(&found.session)), month, found);
        }
        let file = |(path, date, list): (String, String, Vec<&FoundSession>)| {
            let mut text = text::title(&format!("Archived handoffs of {date}"));
            for found in list {
                let whence = Whence { archive: found.archive.as_deref(), up: self.up.as_deref() };
                text.push_str(&text::archived(found, whence, &self.allowed));
            }
            Wanted { path, layer: Layer::Archive, date, text }
        };
        files.into_values().map(file).collect()
    }

    /// Where things stand: what somebody said, as it was said, then what the records say.
    fn state(&self, last: Option<&FoundSession>) -> Result<Wanted, OpError> {
        let state = crate::resume::recorded_state(self.project)?;
        let given = state.given.map(|given| format!("{}\n\n", given.text.trim_end()));
        let text = format!("{}{}", given.unwrap_or_default(), state.rest);
        Ok(Wanted {
            path: STATE_PATH.to_owned(),
            layer: Layer::State,
            date: last.map_or(NO_DAY, day).to_owned(),
            text: for_model(&text, &self.allowed).into_owned(),
        })
    }

    fn tag(&self, session: &Session) -> String {
        let own = session.tags.first().map(|tag| tag.trim()).unwrap_or_default();
        let tags = [own, self.to.tag.trim(), NO_TAG].map(|tag| for_model(tag, &self.allowed).into_owned());
        tags.iter().map(|tag| tag_name(tag)).find(|tag| !tag.is_empty()).unwrap_or_default()
    }
}

fn put<'a>(files: &mut Files<'a>, path: String, date: &str, found: &'a FoundSession) {
    let entry = files.entry(path.to_lowercase()).or_insert_with(|| (path, date.to_owned(), Vec::new()));
    entry.2.push(found);
}

/// Sessions in the order they ended.
fn oldest_first<'a>(sessions: impl IntoIterator<Item = &'a Arc<FoundSession>>) -> Vec<&'a FoundSession> {
    let mut list: Vec<&FoundSession> = sessions.into_iter().map(AsRef::as_ref).collect();
    list.sort_by(|one, other| (one.last_active(), &one.name).cmp(&(other.last_active(), &other.name)));
    list
}

/// The day of a session, as its name has it.
fn day(found: &FoundSession) -> &str {
    let day = found.name.get(..NO_DAY.len()).unwrap_or(NO_DAY);
    let is_day = day.bytes().zip(NO_DAY.bytes()).all(|(byte, form)| byte.is_ascii_digit() == form.is_ascii_digit());
    if is_day && day.bytes().filter(|byte| *byte == b'-').count() == 2 { day } else { NO_DAY }
}

/// The way from a file of the third layer to the store, when both lie in the project.
fn up(project: &Project, to: &MirrorTo) -> Option<String> {
    let project_dir = project.dir()?;
    let real = project_dir.canonicalize().ok();
    let roots = [Some(project_dir.as_path()), real.as_deref()];
    let below = roots.into_iter().flatten().find_map(|root| to.dir.strip_prefix(root).ok())?;
    let depth = below.components().filter(|part| matches!(part, Component::Normal(_))).count();
    Some(format!("{}{}/", "../".repeat(depth + 1), handoff_store::DIRECTORY))
}
