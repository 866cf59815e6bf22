//! What is recorded about a file, out of all decisions, tasks and sessions.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use handoff_model::id::TaskId;
use handoff_model::session::lineage::families;
use handoff_model::session::{Decisions, LineRange, Packages, Party, Session};
use handoff_model::when::Moment;
use handoff_model::why::{
    CommitFacts, LinesNow, Origin, Question, Reason, closeness_of_commit, made_in, names_session, names_task,
};
use handoff_store::git::MadeBy;
use handoff_store::{Forest, FoundSession};

use super::asked::Asked;
use super::commits::Told;
use super::{Concern, DecisionStatus, What};
use crate::{OpError, Project};

/// A finding with what decides its place.
struct Weighed {
    concern: Concern,
    reasons: Vec<Reason>,
    at: Option<Moment>,
}

/// Everything that concerns it, the closest first.
pub(super) fn findings(project: &Project, asked: &Asked, told: &mut Told) -> Result<Vec<Concern>, OpError> {
    let store = project.store();
    let (live, archived) = store.at_one_moment(|| Ok((store.handoffs()?, store.archived_sessions()?)))?;
    let sessions: Vec<&Arc<FoundSession>> =
        live.list.iter().chain(&archived.list).filter(|found| found.is_handoff()).collect();
    let names = told.history.names.clone();
    let lines = asked.lines.map(|lines| (lines.first(), lines.last()));
    let question = Question { path: &asked.path, is_directory: asked.is_directory, lines, names: &names };
    let commits = Commits::of(told, &sessions);

    let mut found = decisions(question, &sessions);
    let choose = |forest: &Forest| {
        let chosen = tasks(question, forest, &commits, false);
        (chosen.iter().filter_map(Weighed::task).collect(), chosen)
    };
    found.extend(store.forest_showing(choose)?.1);
    found.extend(tasks(question, &store.archived_tasks()?.forest, &commits, true));
    let parties: Vec<Party<'_>> =
        sessions.iter().map(|found| Party { name: &found.name, session: &found.session }).collect();
    let mut by_family: Vec<Kin> = Vec::new();
    for ((place, session), family) in sessions.iter().enumerate().zip(families(&parties)) {
        let now = pointers_now(question, &session.session, told);
        let mut reasons =
            question.about_session(&session.session, |index| now.get(&index).copied().unwrap_or_default());
        reasons.extend(commits.about_session(place));
        let weighed = weighed(session_concern(session), session.last_active(), reasons);
        by_family.extend(weighed.map(|weighed| Kin { family, began: session.session.started_at, weighed }));
    }
    found.extend(without_copies(by_family));
    found.sort_by(|one, other| one.order().cmp(&other.order()));
    Ok(found.into_iter().map(Weighed::concern).collect())
}

impl Weighed {
    /// What is in force before what is not, the closest first, then the newest.
    fn order(&self) -> (bool, Reverse<u32>, Reverse<Option<Moment>>, &str) {
        let closest = self.reasons.iter().map(|reason| reason.closeness).max().unwrap_or(0);
        let is_superseded = matches!(&self.concern.what, What::Decision { superseded_by: Some(_), .. });
        (is_superseded, Reverse(closest), Reverse(self.at), &self.concern.id)
    }

    /// The task, if it is one.
    fn task(&self) -> Option<TaskId> {
        let is_task = matches!(self.concern.what, What::Task { .. });
        self.concern.id.parse().ok().filter(|_| is_task)
    }

    fn concern(mut self) -> Concern {
        self.reasons.sort_by_key(|reason| Reverse(reason.closeness));
        self.concern.reasons = self.reasons.into_iter().map(|reason| reason.words).collect();
        self.concern.reasons.dedup();
        self.concern
    }
}

/// A finding that is a session, with those it comes from and when it began.
struct Kin {
    family: usize,
    began: Option<Moment>,
    weighed: Weighed,
}

/// Of sessions that come from one another and concern it for the same reasons only the newest, which names the others.
fn without_copies(mut all: Vec<Kin>) -> Vec<Weighed> {
    all.sort_by(|one, other| (other.began, &other.weighed.concern.id).cmp(&(one.began, &one.weighed.concern.id)));
    let mut kept: Vec<Kin> = Vec::new();
    for copy in all {
        let is_same =
            |newest: &&mut Kin| newest.family == copy.family && newest.weighed.reasons == copy.weighed.reasons;
        match kept.iter_mut().find(is_same) {
            Some(newest) => newest.weighed.concern.copies.push(copy.weighed.concern.id),
            None => kept.push(copy),
        }
    }
    kept.into_iter().map(|kin| kin.weighed).collect()
}

fn weighed(concern: Concern, at: Option<Moment>, reasons: Vec<Reason>) -> Option<Weighed> {
    (!reasons.is_empty()).then_some(Weighed { concern, reasons, at })
}

fn decisions(question: Question<'_>, sessions: &[&Arc<FoundSession>]) -> Vec<Weighed> {
    let all = sessions.iter().map(|found| (found.name.as_str(), &found.session));
    let decisions = Decisions::of(all, Packages::Ignore);
    let concern = |standing: &handoff_model::session::Standing<'_>| {
        let reasons = question.about_decision(standing.decision);
        let superseded_by = decisions.superseded_by(&standing.reference).next().map(|by| by.reference.clone());
        let concern = Concern {
            id: standing.reference.clone(),
            what: What::Decision {
                status: if superseded_by.is_none() { DecisionStatus::InForce } else { DecisionStatus::Superseded },
                reason: standing.decision.reason.clone(),
                superseded_by,
            },
            text: standing.decision.decision.clone(),
            date: standing.date,
            by: standing.session.author.clone(),
            reasons: Vec::new(),
            copies: Vec::new(),
        };
        weighed(concern, standing.session.started_at, reasons)
    };
    decisions.once().filter_map(concern).collect()
}

fn tasks(question: Question<'_>, forest: &Forest, commits: &Commits<'_>, archived: bool) -> Vec<Weighed> {
    let concern = |node: &handoff_store::Node| {
        let mut reasons = question.about_task(&node.task);
        reasons.extend(commits.naming(|commit| names_task(&commit.message, &node.task, &node.number)));
        let concern = Concern {
            id: node.task.id.to_string(),
            what: What::Task { number: node.number.to_string(), status: node.task.status, archived },
            text: node.task.title.clone(),
            date: node.task.created_at.map(Moment::day),
            by: node.task.assignee.clone(),
            reasons: Vec::new(),
            copies: Vec::new(),
        };
        weighed(concern, node.task.created_at, reasons)
    };
    forest.walk().into_iter().filter_map(concern).collect()
}

fn session_concern(found: &FoundSession) -> Concern {
    let session = &found.session;
    Concern {
        id: found.name.clone(),
        what: What::Session { status: session.status },
        text: session.headline(80),
        date: session.started_at.or(session.ended_at).map(Moment::day),
        by: session.author.clone(),
        reasons: Vec::new(),
        copies: Vec::new(),
    }
}

/// Where the lines of a session's pointers into the file are now, by their places.
fn pointers_now(question: Question<'_>, session: &Session, told: &mut Told) -> HashMap<usize, LinesNow> {
    let mut now = HashMap::new();
    for (place, pointer) in session.pointers.iter().enumerate() {
        let is_it = pointer.path == question.path || question.names.contains(&pointer.path);
        let lines = pointer.lines.as_ref().and_then(|lines| lines.parse::<LineRange>().ok());
        if let (true, Some(lines), Some(blob)) = (is_it, lines, &pointer.blob) {
            now.insert(place, told.lines_now(question.path, blob, (lines.first(), lines.last())));
        }
    }
    now
}

/// The commits that made the lines or touched the file, and which sessions they came from.
struct Commits<'a> {
    all: Vec<Made>,
    sessions: &'a [&'a Arc<FoundSession>],
}

struct Made {
    commit: MadeBy,
    /// The lines it made, where lines are asked about
    lines: Option<String>,
    /// The session it came from
    origin: Option<(usize, Origin)>,
}

impl<'a> Commits<'a> {
    fn of(told: &Told, sessions: &'a [&'a Arc<FoundSession>]) -> Commits<'a> {
        let known: Vec<&Session> = sessions.iter().map(|found| &found.session).collect();
        let mut all: Vec<Made> = Vec::new();
        let blamed = told.blamed.iter().filter_map(|it| Some((it.commit.clone()?, Some(it.lines))));
        // Where it is known who made the lines, the rest of the file matters little.
        let is_answered = told.blamed.iter().any(|it| it.commit.is_some());
        let touched = told.history.commits.iter().filter(|_| !is_answered).map(|commit| (commit.clone(), None));
        for (commit, lines) in blamed.chain(touched) {
            let lines: Option<String> =
                lines.map(
                    |(first, last)| {
                        if first == last { format!("line {first}") } else { format!("lines {first}-{last}") }
                    },
                );
            match all.iter_mut().find(|known| known.commit.id == commit.id) {
                Some(known) => {
                    if let (Some(known), Some(more)) = (&mut known.lines, lines) {
                        *known = format!("{known}, {more}");
                    }
                }
                None => {
                    let facts = CommitFacts { id: &commit.id, time: commit.time, message: &commit.message };
                    let origin = made_in(facts, &known);
                    all.push(Made { commit, lines, origin });
                }
            }
        }
        Commits { all, sessions }
    }

    /// Why the commits make a session concern the file.
    fn about_session(&self, place: usize) -> Vec<Reason> {
        let found = self.sessions[place];
        let mut reasons = self.naming(|commit| names_session(&commit.message, &found.name, &found.session));
        let mut touched = 0;
        for made in &self.all {
            let Some((_, origin)) = made.origin.filter(|(from, _)| *from == place) else { continue };
            let how = match origin {
                Origin::During => "made during it",
                Origin::HandedOver => "first handed over by it",
            };
            let words = match &made.lines {
                Some(lines) => format!("blame: {lines} from {}, {how}", named(&made.commit)),
                None => {
                    touched += 1;
                    format!("touched by {}, {how}", named(&made.commit))
                }
            };
            // The last commit is told, the others are counted.
            if touched < 2 {
                reasons.push(Reason { closeness: closeness_of_commit(made.lines.is_some(), Some(origin)), words });
            }
        }
        if touched > 1 {
            let others = if touched == 2 { "another commit".to_owned() } else { format!("{} others", touched - 1) };
            reasons.push(Reason { closeness: 0, words: format!("and by {others}") });
        }
        reasons
    }

    /// The commits whose messages name something.
    fn naming(&self, names_it: impl Fn(&MadeBy) -> bool) -> Vec<Reason> {
        let named = self.all.iter().filter(|made| names_it(&made.commit)).map(|made| {
            let words = match &made.lines {
                Some(lines) => format!("blame: {lines} from {}, which names it", named(&made.commit)),
                None => format!("touched by {}, which names it", named(&made.commit)),
            };
            Reason { closeness: closeness_of_commit(made.lines.is_some(), None), words }
        });
        named.take(3).collect()
    }
}

fn named(commit: &MadeBy) -> String {
    let subject: String = commit.subject().chars().take(80).collect();
    format!("{} ({subject})", commit.short())
}
