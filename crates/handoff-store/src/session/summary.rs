//! What a list shows of each session, without its body.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use handoff_model::id::SessionId;
use handoff_model::problem::Problem;
use handoff_model::session::{Session, SessionKind, SessionStatus};
use handoff_model::when::Moment;

use super::index::{Looked, NewRow, Row, Table, Text, read_row};
use super::read::{FoundSession, Sessions, kept_aside};
use crate::error::Result;
use crate::layout::SESSIONS;
use crate::root::{join, split};
use crate::store::Store;

/// The fields of a session that lists show and filter by. Thousands of them share their bytes, so each field is looked
/// up when it is asked for.
#[derive(Clone)]
pub struct SessionSummary {
    table: Arc<Table>,
    row: usize,
}

/// The texts of a session that lists show.
#[derive(Clone, Debug)]
pub struct SummaryTexts<'a> {
    pub summary: &'a str,
    pub title: Option<&'a str>,
    pub tool: Option<&'a str>,
    pub author: Option<&'a str>,
    /// The name it was given
    pub name: Option<&'a str>,
    pub project: Option<&'a str>,
    pub tags: Vec<&'a str>,
    /// Its next steps
    pub next: Vec<&'a str>,
}

/// Summaries, the one with the latest activity first, and what is wrong in the files.
#[derive(Clone, Debug, Default)]
pub struct Summaries {
    pub list: Vec<SessionSummary>,
    pub problems: Vec<Problem>,
    /// Whether some may be missing that are in order: the system would not let them be read this time
    pub(super) lacks_some: bool,
}

impl SessionSummary {
    pub(super) fn new(table: &Arc<Table>, row: usize) -> SessionSummary {
        SessionSummary { table: table.clone(), row }
    }

    /// What a list shows of this one.
    pub fn of(found: &FoundSession) -> SessionSummary {
        SessionSummary::new(&Arc::new(Table::of(vec![row_of(found)])), 0)
    }

    pub(super) fn row(&self) -> Row<'_> {
        self.table.row(self.row)
    }

    /// Its full name, such as `2026-11-15-a3f9c12e`
    pub fn full_name(&self) -> &str {
        self.row().full_name()
    }

    pub fn id(&self) -> SessionId {
        // Nothing else is ever written.
        SessionId::try_from(self.id_text().to_owned()).unwrap_or_else(|_| SessionId::from_random([0; 4]))
    }

    /// The digits of its id, for comparing many
    pub fn id_text(&self) -> &str {
        self.row().id_text()
    }

    pub fn kind(&self) -> SessionKind {
        self.row().kind()
    }

    pub fn status(&self) -> SessionStatus {
        self.row().status()
    }

    pub fn title(&self) -> Option<&str> {
        self.row().given(Text::Title)
    }

    pub fn summary(&self) -> &str {
        self.row().text(Text::Summary)
    }

    pub fn tool(&self) -> Option<&str> {
        self.row().given(Text::Tool)
    }

    pub fn author(&self) -> Option<&str> {
        self.row().given(Text::Author)
    }

    /// The name it was given
    pub fn name(&self) -> Option<&str> {
        self.row().given(Text::Name)
    }

    /// What it is called beside others of its line
    pub fn label(&self) -> Option<&str> {
        self.row().given(Text::Label)
    }

    /// What it was called by the system it came from
    pub fn origin_id(&self) -> Option<&str> {
        self.row().given(Text::Origin)
    }

    pub fn tags(&self) -> Vec<&str> {
        self.row().tags()
    }

    pub fn project(&self) -> Option<&str> {
        self.row().given(Text::Project)
    }

    /// Its next steps
    pub fn next(&self) -> Vec<&str> {
        self.row().next_steps()
    }

    pub fn started_at(&self) -> Option<Moment> {
        self.row().started_at()
    }

    pub fn ended_at(&self) -> Option<Moment> {
        self.row().ended_at()
    }

    pub fn expires_at(&self) -> Option<Moment> {
        self.row().expires_at()
    }

    /// The texts of it that lists show, found in one go.
    pub fn texts(&self) -> SummaryTexts<'_> {
        let row = self.row();
        let (texts, tags, next) = row.all();
        let text = |text: Text| texts[text as usize];
        SummaryTexts {
            summary: text(Text::Summary).unwrap_or_default(),
            title: text(Text::Title),
            tool: text(Text::Tool),
            author: text(Text::Author),
            name: text(Text::Name),
            project: text(Text::Project),
            tags,
            next,
        }
    }

    /// When something last happened in it, as far as it says.
    pub fn last_active(&self) -> Option<Moment> {
        self.ended_at().or(self.started_at())
    }

    /// Reports whether it hands work over. Packages only carry something, ledgers only record questions and settled items.
    pub fn is_handoff(&self) -> bool {
        self.kind().is_handoff()
    }

    /// Its place among those it was read with.
    pub(super) fn place(&self) -> usize {
        self.row
    }

    fn file(&self) -> &str {
        self.row().file()
    }
}

impl PartialEq for SessionSummary {
    fn eq(&self, other: &SessionSummary) -> bool {
        self.row().says_as(other.row())
    }
}

impl Eq for SessionSummary {}

impl fmt::Debug for SessionSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionSummary")
            .field("full_name", &self.full_name())
            .field("id", &self.id())
            .field("kind", &self.kind())
            .field("status", &self.status())
            .field("title", &self.title())
            .field("summary", &self.summary())
            .field("tool", &self.tool())
            .field("author", &self.author())
            .field("name", &self.name())
            .field("label", &self.label())
            .field("tags", &self.tags())
            .field("project", &self.project())
            .field("next", &self.next())
            .field("started_at", &self.started_at())
            .field("ended_at", &self.ended_at())
            .field("expires_at", &self.expires_at())
            .finish_non_exhaustive()
    }
}

impl Summaries {
    /// What lists show of sessions that were read, in their places.
    pub(super) fn of(sessions: &Sessions) -> Summaries {
        let table = Arc::new(Table::of(sessions.list.iter().map(|found| row_of(found)).collect()));
        let list = (0..sessions.list.len()).map(|number| SessionSummary::new(&table, number)).collect();
        Summaries { list, problems: sessions.problems.clone(), lacks_some: sessions.lacks_some }
    }

    /// Rows in order, without those that cannot be shown: of several files with one id the latest counts. Whether two
    /// can have one is known of rows that were kept.
    pub(super) fn settled(mut rows: Vec<SessionSummary>, are_some_new: bool) -> Summaries {
        let mut problems: Vec<Problem> = rows.iter().filter_map(|summary| summary.row().problem()).collect();
        let lacks_some = rows.iter().any(|summary| summary.row().is_refused());
        rows.retain(|summary| summary.row().has_session());
        if are_some_new || rows.iter().any(|summary| summary.row().is_twin()) {
            let mut shown: HashMap<[u8; 8], String> = HashMap::with_capacity(rows.len());
            rows.retain(|summary| match shown.get(&summary.row().id()) {
                None => {
                    shown.insert(summary.row().id(), summary.file().to_owned());
                    true
                }
                Some(first) => {
                    let (file, first) = (join(SESSIONS, summary.file()), join(SESSIONS, first));
                    problems.push(kept_aside(&file, &summary.id(), &first));
                    false
                }
            });
        }
        problems.sort();
        problems.dedup();
        Summaries { list: rows, problems, lacks_some }
    }
}

/// How often what changed meanwhile is read again, before everything is.
const ATTEMPTS: usize = 4;

impl Store {
    /// What lists show of every session that is a file of its own, after a look at every file. Bodies are not read.
    pub fn session_summaries(&self) -> Result<Summaries> {
        if self.reads_all_sessions() {
            return Ok(Summaries::of(&self.sessions()?));
        }
        self.at_one_moment(|| self.indexed_summaries(Looked::Everywhere))
    }

    /// The same for a list that shows few of many, after a look at the files of sessions under way alone. What was
    /// written into the file of another since it was last looked at may be missed, so ask [`Store::are_still_so`] of
    /// what is shown, and choose again from [`Store::session_summaries`] where it is not.
    pub fn summaries_at_a_glance(&self) -> Result<Summaries> {
        if self.reads_all_sessions() {
            return Ok(Summaries::of(&self.sessions()?));
        }
        self.at_one_moment(|| self.indexed_summaries(Looked::At(is_under_way)))
    }

    /// Whether the files of some sessions say what was said of them at a glance.
    pub fn are_still_so<'s>(&self, shown: impl IntoIterator<Item = &'s SessionSummary>) -> bool {
        let rows: Vec<Row<'_>> = shown.into_iter().map(SessionSummary::row).collect();
        self.are_as_their_files(&rows)
    }

    /// Every session that hands something over, and what is wrong in any file: all but the packages that are closed,
    /// decided nothing and are continued by nobody.
    pub fn handoffs(&self) -> Result<Sessions> {
        if self.reads_all_sessions() {
            let mut sessions = self.sessions()?;
            let is_wanted = |found: &Arc<FoundSession>| {
                let Session { kind, status, decisions, .. } = &found.session;
                is_of_use(*kind, *status, !decisions.is_empty())
            };
            let (mut list, rest): (Vec<_>, Vec<_>) = sessions.list.into_iter().partition(is_wanted);
            let continued: Vec<_> = rest.into_iter().filter(|found| is_continued(&found.name, &list)).collect();
            add_in_order(&mut list, continued);
            sessions.list = list;
            return Ok(sessions);
        }
        let is_wanted = |summary: &&SessionSummary| says_something(summary.row());
        let choose = |summaries: &Summaries| summaries.list.iter().filter(is_wanted).cloned().collect();
        let (summaries, mut list) = self.read_chosen(Looked::At(says_something), choose)?;
        let rest = summaries.list.iter().filter(|summary| !says_something(summary.row()));
        let continued = rest.filter(|summary| is_continued(summary.full_name(), &list));
        let continued = continued.filter_map(|summary| self.read_summarized(summary)).collect();
        add_in_order(&mut list, continued);
        Ok(Sessions { list, problems: summaries.problems, lacks_some: summaries.lacks_some })
    }

    /// Reads the sessions that are chosen, as of one moment, with what there was to choose from.
    pub(super) fn read_chosen(
        &self,
        looked: Looked,
        choose: impl Fn(&Summaries) -> Vec<SessionSummary>,
    ) -> Result<(Summaries, Vec<Arc<FoundSession>>)> {
        if !self.reads_all_sessions() {
            let mut looked = looked;
            for _ in 0..ATTEMPTS {
                let read = self.at_one_moment(|| {
                    let summaries = self.indexed_summaries(looked)?;
                    let list: Option<Vec<_>> =
                        choose(&summaries).iter().map(|chosen| self.read_summarized(chosen)).collect();
                    Ok(list.map(|list| (summaries, list)))
                })?;
                match read {
                    Some(read) => return Ok(read),
                    // One says something else by now: others may have been meant.
                    None => looked = Looked::Everywhere,
                }
            }
        }
        let sessions = self.sessions()?;
        let summaries = Summaries::of(&sessions);
        let chosen = choose(&summaries);
        let list = chosen.iter().filter_map(|chosen| sessions.list.get(chosen.place()).cloned()).collect();
        Ok((summaries, list))
    }

    /// The session in full; `None` where its file no longer says what was said of it.
    fn read_summarized(&self, summary: &SessionSummary) -> Option<Arc<FoundSession>> {
        let (row, read) = read_row(&self.root.dir(SESSIONS).ok()?, summary.file())?;
        read.found.filter(|_| row.as_row().says_as(summary.row()))
    }
}

fn row_of(found: &FoundSession) -> NewRow {
    NewRow::of(split(&found.file).1, Some(found), None, None)
}

fn is_under_way(row: Row<'_>) -> bool {
    row.status() != SessionStatus::Closed
}

/// Whether more than its body is of use to those who go on.
fn says_something(row: Row<'_>) -> bool {
    is_of_use(row.kind(), row.status(), row.has_decisions())
}

fn is_of_use(kind: SessionKind, status: SessionStatus, has_decided: bool) -> bool {
    kind != SessionKind::Package || status != SessionStatus::Closed || has_decided
}

/// Whether one of some sessions says that it goes on from the one with this name.
fn is_continued(name: &str, list: &[Arc<FoundSession>]) -> bool {
    list.iter().any(|found| found.session.continues.as_deref() == Some(name))
}

fn add_in_order(list: &mut Vec<Arc<FoundSession>>, more: Vec<Arc<FoundSession>>) {
    if !more.is_empty() {
        list.extend(more);
        list.sort_by(|a, b| a.order().cmp(&b.order()));
    }
}
