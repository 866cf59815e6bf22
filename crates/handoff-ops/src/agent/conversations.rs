//! The conversations of this project that could be captured.

use handoff_model::agent::{Host, compile, compiled_from};
use handoff_model::id::unique_prefix;
use handoff_model::when::Moment;
use handoff_transcript::{Located, Mark, read_on};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::CaptureSession;
use super::source::source_of;
use crate::page::{Column, Role, Row, Table, Text};
use crate::{Choice, Hint, OpError, Page, Project};

/// The most conversations that are listed.
const MAX_LISTED: usize = 20;
/// As much of each transcript as is read for its title.
const TITLE_BYTES: u64 = 512 * 1024;

/// A conversation that could be captured.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListedConversation {
    /// Its place in the list, counted from 1
    pub number: usize,
    /// The agent, such as `claude-code`
    pub tool: String,
    /// The agent's own id of it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// When it began, where its transcript is short enough to be read to its beginning
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Moment>,
    /// What was done or asked for
    pub title: String,
    /// Full name of the session that holds it, if it was captured or saved
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// Describes transcripts, in the order in which they are given.
pub(super) fn listed(project: &Project, located: &[Located]) -> Result<Vec<ListedConversation>, OpError> {
    let sessions = project.store().handoffs()?;
    let bound = project.store().bound();
    let dir = project.dir().map(|dir| dir.display().to_string()).unwrap_or_default();
    let describe = |(place, found): (usize, &Located)| {
        let piece = read_on(&source_of(found), &Mark::default(), TITLE_BYTES).ok();
        let id = found.session.as_deref();
        let is_bound = |session: &handoff_model::id::SessionId| {
            id.is_some() && bound.iter().any(|bound| bound.session == *session && bound.agent_session.as_deref() == id)
        };
        let holder = sessions.list.iter().find(|held| {
            let compiled = compiled_from(&held.session);
            is_bound(&held.session.id)
                || compiled.is_some_and(|(host, own)| host == found.host.word() && Some(own) == id)
        });
        let title = piece.as_ref().and_then(|piece| compile(&piece.digest, found.host, &[&dir]).title);
        ListedConversation {
            number: place + 1,
            tool: found.host.word().to_owned(),
            conversation: found.session.clone(),
            started_at: piece.as_ref().filter(|piece| !piece.is_behind).and_then(|piece| piece.digest.started_at),
            ended_at: piece.as_ref().and_then(|piece| piece.digest.ended_at),
            title: title.unwrap_or_else(|| "nothing was asked for".to_owned()),
            session: holder.map(|held| held.name.clone()),
        }
    };
    Ok(located.iter().take(MAX_LISTED).enumerate().map(describe).collect())
}

/// Finds the transcript that a number of the list, an id or the beginning of one names.
pub(super) fn chosen<'l>(located: &'l [Located], wanted: &str) -> Result<&'l Located, OpError> {
    let wanted = wanted.trim();
    let number = wanted.parse::<usize>().ok().filter(|number| (1..=MAX_LISTED).contains(number));
    if let Some(found) = number.and_then(|number| located.get(number - 1)) {
        return Ok(found);
    }
    let id = |found: &Located| found.session.clone().unwrap_or_default();
    if let Some(found) = located.iter().find(|found| id(found) == wanted) {
        return Ok(found);
    }
    let begins = |found: &&Located| !wanted.is_empty() && id(found).starts_with(wanted);
    let fits: Vec<&Located> = located.iter().filter(begins).collect();
    match fits.as_slice() {
        [found] => Ok(found),
        [] => Err(OpError::not_found(format!("no conversation `{wanted}` is known in this project"))
            .hint(Hint::run_with::<CaptureSession>(json!({"list": true})))),
        several => Err(OpError::refused(format!("`{wanted}` is the beginning of several conversations"))
            .details(several.iter().map(|found| format!("{} {}", found.host, id(found))))),
    }
}

impl ListedConversation {
    /// The line by which a person chooses it.
    pub(super) fn choice(&self) -> Choice {
        let at = self.ended_at.map(|at| at.in_seconds().to_string()).unwrap_or_default();
        let held = self.session.as_ref().map(|name| format!(" (in {name})")).unwrap_or_default();
        let id = self.conversation.as_deref().unwrap_or_default();
        let host = self.tool.parse::<Host>().map_or(self.tool.as_str(), |host| host.title());
        Choice { line: format!("{at}  {host}  {}{held}", self.title), preview: format!("{host} {id}\n{}", self.title) }
    }
}

/// The list as a page.
pub(super) fn page(list: &[ListedConversation]) -> Page {
    let columns = [
        Column::new("no.").right(),
        Column::new("agent"),
        Column::new("last"),
        Column::new("title").shrinks_to(20),
        Column::new("conversation"),
        Column::new("session").optional(),
        Column::new("began").optional(),
    ];
    let at = |at: Option<Moment>| at.map(|at| Text::default().time(at)).unwrap_or_default();
    let ids = || list.iter().filter_map(|one| one.conversation.as_deref());
    let rows = list.iter().map(|one| {
        Row::new([
            Text::of(Role::Number, one.number.to_string()),
            Text::from(&one.tool),
            at(one.ended_at),
            Text::from(&one.title),
            // The beginning of an id names a conversation too, and is not cut to fit.
            Text::of(Role::Dim, one.conversation.as_deref().map(|id| beginning(id, ids())).unwrap_or_default()),
            Text::of(Role::Id, one.session.as_deref().unwrap_or_default()),
            at(one.started_at),
        ])
    });
    Page::new().table(Table::new(columns).rows(rows).without_empty_columns())
}

/// The shortest beginning of an id that no other one has, of a length by which it is recognised.
fn beginning<'i>(id: &'i str, all: impl Iterator<Item = &'i str>) -> &'i str {
    const LEAST: usize = 8;
    let unique = unique_prefix(id, all).len().max(LEAST);
    id.get(..unique).unwrap_or(id)
}
