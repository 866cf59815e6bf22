//! One change to a session: everything a save or an update can ask for.
//!
//! Lists are first given, then ticked off, then added to. A list of open items that is given puts its items first and
//! keeps the others: what is open stays until it is settled by name. Other lists are replaced. Nothing that was given is dropped: it is stored, refused
//! with a reason, or answered with a warning.

use serde_json::{Map, Value as Json};

use super::input::{ChecklistInput, DecisionInput, NoteInput, PointerInput, ReferenceInput, Which};
use super::merge::{self, PointerInside};
use super::place::{self, Outside};
use super::{DecisionRef, ItemKind, Known, NotADecisionRef, Session, SettledBy, SettledHow, Unknown};
use crate::change::Change;
use crate::close::close_matches;
use crate::id::{SessionId, TaskId, shorten};
use crate::text::{Name, OneLine, Prose, Title};
use crate::when::Moment;

mod decisions;
mod ended;
mod environment;
mod items;

/// What to change about a session. The default changes nothing.
#[derive(Clone, Debug, Default)]
pub struct SessionEdit {
    pub title: Change<Title>,
    pub summary: Change<Prose>,
    pub state: Change<Prose>,
    /// Id of the run of the handover that asks for the change
    pub handover: Change<Name>,
    pub name: Change<Name>,
    pub label: Change<OneLine>,
    pub timeline: Change<Prose>,
    /// Facts that are laid over the present ones; `null` takes one away
    pub environment: Change<Map<String, Json>>,
    /// Full name of the session it continues
    pub continues: Change<String>,
    pub expires_at: Change<Moment>,
    /// Replaces the tags, as each list below that is not called otherwise
    pub tags: Change<Vec<Name>>,
    pub add_tags: Vec<Name>,
    pub tasks: Change<Vec<TaskId>>,
    pub add_tasks: Vec<TaskId>,
    pub next: Change<Vec<Prose>>,
    pub add_next: Vec<Prose>,
    /// The next steps given are all there are: what is not among them goes
    pub replace_next: bool,
    /// Next steps that are done and go
    pub done_next: Vec<Which>,
    pub blockers: Change<Vec<Prose>>,
    pub add_blockers: Vec<Prose>,
    /// Blockers that no longer stand in the way and go
    pub resolved_blockers: Vec<Which>,
    pub questions: Change<Vec<Prose>>,
    pub add_questions: Vec<Prose>,
    pub decisions: Change<Vec<DecisionInput>>,
    pub add_decisions: Vec<DecisionInput>,
    pub checklist: Change<Vec<ChecklistInput>>,
    pub add_checklist: Vec<ChecklistInput>,
    /// Items of the checklist to tick
    pub check: Vec<Which>,
    pub uncheck: Vec<Which>,
    pub notes: Change<Vec<NoteInput>>,
    pub add_notes: Vec<NoteInput>,
    pub references: Change<Vec<ReferenceInput>>,
    pub add_references: Vec<ReferenceInput>,
    pub pointers: Change<Vec<PointerInput>>,
    pub add_pointers: Vec<PointerInput>,
}

/// What an edit has to know beside the session itself.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// The session's full name
    pub name: &'a str,
    /// The project's directory in each way it is written, so that absolute paths in it are understood
    pub roots: &'a [&'a str],
    /// Who settles what this edit settles, and when
    pub settled: SettledBy<'a>,
}

/// Why a session is not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadEdit {
    #[error("session `{id}` is closed and stays as it is: reopen it to go on in a new one")]
    Closed { id: SessionId },
    #[error("there is no {what} `{wanted}`{}", there_are(close, *count))]
    NoSuchItem {
        what: &'static str,
        wanted: String,
        /// How many there are
        count: usize,
        close: Vec<String>,
    },
    #[error("`{field}`: {reason}")]
    Path { field: String, reason: Outside },
    #[error("`supersedes` of the decision `{decision}`: {reason}")]
    NotADecision { decision: String, reason: NotADecisionRef },
    #[error("`supersedes` of the decision `{decision}`: there is no decision `{wanted}`{}", meant(close))]
    NoSuchDecision { decision: String, wanted: String, close: Vec<String> },
    #[error("the decision `{decision}` cannot supersede itself{}", if *through_others { " by way of others" } else { "" })]
    SupersedesItself { decision: String, through_others: bool },
    #[error("`environment.{key}` cannot be written down as it is: no `null` inside it, no whole number beyond 63 bits")]
    Environment { key: String },
}

fn there_are(close: &[String], count: usize) -> String {
    match (close, count) {
        ([], 0) => ": the list is empty".to_owned(),
        ([], count) => format!(": give a number from 1 to {count}, or the exact text"),
        (close, _) => meant(close),
    }
}

fn meant(close: &[String]) -> String {
    let quoted: Vec<String> = close.iter().map(|close| format!("`{close}`")).collect();
    if quoted.is_empty() { String::new() } else { format!(": perhaps {} is meant", quoted.join(" or ")) }
}

impl SessionEdit {
    /// Applies the change, or leaves the session as it was. The answer is what the caller should be told.
    ///
    /// `find` looks up a decision of any session; it is asked only about decisions that are not in this one.
    pub fn apply(
        self,
        session: &mut Session,
        around: Surroundings<'_>,
        find: impl FnMut(&DecisionRef) -> Result<Known, Unknown>,
    ) -> Result<Vec<String>, BadEdit> {
        session.check_open()?;
        let mut changed = session.clone();
        let warnings = self.apply_to(&mut changed, around, find)?;
        *session = changed;
        Ok(warnings)
    }

    fn apply_to(
        self,
        session: &mut Session,
        around: Surroundings<'_>,
        find: impl FnMut(&DecisionRef) -> Result<Known, Unknown>,
    ) -> Result<Vec<String>, BadEdit> {
        let SessionEdit {
            title,
            summary,
            state,
            handover,
            name,
            label,
            timeline,
            environment,
            continues,
            expires_at,
            tags,
            add_tags,
            tasks,
            add_tasks,
            next,
            add_next,
            replace_next,
            done_next,
            blockers,
            add_blockers,
            resolved_blockers,
            questions,
            add_questions,
            decisions,
            add_decisions,
            checklist,
            add_checklist,
            check,
            uncheck,
            notes,
            add_notes,
            references,
            add_references,
            pointers,
            add_pointers,
        } = self;

        title.map(String::from).apply_to(&mut session.title);
        match summary {
            Change::Keep => {}
            Change::Clear => session.summary.clear(),
            Change::Set(summary) => session.summary = summary.into(),
        }
        state.map(String::from).apply_to(&mut session.state);
        handover.map(String::from).apply_to(&mut session.handover);
        name.map(String::from).apply_to(&mut session.name);
        label.map(String::from).apply_to(&mut session.label);
        timeline.map(String::from).apply_to(&mut session.timeline);
        environment::lay_over(&mut session.environment, environment)?;
        continues.apply_to(&mut session.continues);
        expires_at.apply_to(&mut session.expires_at);
        let mut gone = merge::replace(&mut session.tags, tags);
        merge::add(&mut session.tags, &mut gone, add_tags);
        let mut gone = merge::replace(&mut session.tasks, tasks);
        merge::add(&mut session.tasks, &mut gone, add_tasks);

        let before = session.clone();
        let mut ended = ended::EndedEntries::default();
        let dropped = if replace_next { SettledHow::Replaced } else { SettledHow::Dropped };
        ended.add(ItemKind::Next, dropped, items::give(&mut session.next, next, replace_next));
        ended.add(ItemKind::Next, SettledHow::Done, take_away(&mut session.next, &done_next, "next step")?);
        merge::add(&mut session.next, &mut Vec::new(), add_next);
        ended.add(ItemKind::Blocker, SettledHow::Dropped, items::give(&mut session.blockers, blockers, false));
        let resolved = take_away(&mut session.blockers, &resolved_blockers, "blocker")?;
        ended.add(ItemKind::Blocker, SettledHow::Resolved, resolved);
        merge::add(&mut session.blockers, &mut Vec::new(), add_blockers);
        ended.add(ItemKind::Question, SettledHow::Dropped, items::give(&mut session.questions, questions, false));
        merge::add(&mut session.questions, &mut Vec::new(), add_questions);

        let unticked = items::give_checklist(&mut session.checklist, checklist);
        ended.add(ItemKind::Checklist, SettledHow::Dropped, unticked);
        for (which, checked) in check.iter().map(|it| (it, true)).chain(uncheck.iter().map(|it| (it, false))) {
            let items: Vec<&str> = session.checklist.iter().map(|item| item.item.as_str()).collect();
            let place = find_item(&items, which, "checklist item")?;
            session.checklist[place].checked = checked;
        }
        merge::add(&mut session.checklist, &mut Vec::new(), add_checklist);
        let mut gone = items::replace_notes(&mut session.notes, notes);
        merge::add(&mut session.notes, &mut gone, add_notes);
        let mut gone = merge::replace(&mut session.references, references);
        merge::add(&mut session.references, &mut gone, add_references);

        let pointers = match pointers {
            Change::Keep => Change::Keep,
            Change::Clear => Change::Clear,
            Change::Set(given) => Change::Set(pointers_inside("context_pointers", given, around.roots)?),
        };
        let mut gone = merge::replace(&mut session.pointers, pointers);
        merge::add(&mut session.pointers, &mut gone, pointers_inside("add_pointers", add_pointers, around.roots)?);

        ended.record(&before, session, around);
        decisions::change(session, around, decisions, add_decisions, find)
    }
}

/// Takes items away; all are looked up before the first one goes, so that places do not shift.
fn take_away(list: &mut Vec<String>, gone: &[Which], what: &'static str) -> Result<Vec<String>, BadEdit> {
    let items: Vec<&str> = list.iter().map(String::as_str).collect();
    let places = gone.iter().map(|which| find_item(&items, which, what)).collect::<Result<Vec<_>, _>>()?;
    let taken = places.iter().map(|place| list[*place].clone()).collect();
    let mut place = 0..;
    list.retain(|_| place.next().is_none_or(|place| !places.contains(&place)));
    Ok(taken)
}

fn find_item(items: &[&str], which: &Which, what: &'static str) -> Result<usize, BadEdit> {
    let by_place = |place: usize| place.checked_sub(1).filter(|index| *index < items.len());
    let found = match which {
        Which::Place(place) => by_place(*place),
        Which::Text(text) => {
            let same = items.iter().position(|item| item.trim() == text.trim());
            same.or_else(|| text.trim().parse().ok().and_then(by_place))
        }
    };
    found.ok_or_else(|| {
        let close = close_matches(&which.to_string(), items.iter().copied(), 3);
        let close = close.into_iter().map(shorten).collect();
        BadEdit::NoSuchItem { what, wanted: which.to_string(), count: items.len(), close }
    })
}

fn pointers_inside(field: &str, given: Vec<PointerInput>, roots: &[&str]) -> Result<Vec<PointerInside>, BadEdit> {
    let inside = |(index, PointerInput { path, lines, reason }): (usize, PointerInput)| match place::inside(
        path.as_str(),
        roots,
    ) {
        Ok(path) => Ok(PointerInside { path, lines, reason }),
        Err(reason) => Err(BadEdit::Path { field: format!("{field}[{index}].path"), reason }),
    };
    given.into_iter().enumerate().map(inside).collect()
}

#[cfg(test)]
mod tests;
