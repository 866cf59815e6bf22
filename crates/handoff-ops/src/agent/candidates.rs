//! Everything recorded that may come to matter for the words and files at hand.

use std::time::Duration;

use handoff_model::relevant::{Candidate, Kind};
use handoff_model::session::{NoteCategory, SessionStatus};
use handoff_model::task::{LinkType, Task};

use crate::memory;
use crate::resume::gather::{self, Held};
use crate::resume::{Context, TaskInContext, Wanted};
use crate::session::{elsewhere, which};
use crate::{OpError, Project};

/// How many handoffs before the last one still warn and point.
const EARLIER: usize = 8;
/// As much of a task's description as is looked at.
const DESCRIBED: usize = 2_000;

/// Everything that may come to matter.
pub(crate) struct Everything {
    /// The items, as a context of their own
    pub(crate) context: Context,
    /// What each item can be found by, in this order: next steps, blockers, questions, decisions, cautions, memories, tasks, pointers
    pub(crate) candidates: Vec<Candidate>,
}

impl Everything {
    /// Reads it: sessions and tasks once, and the free-form text of what is gone on with.
    pub(crate) fn read(project: &Project) -> Result<Everything, OpError> {
        let held = Held::read(project)?;
        let mine = which::mine(project, &held.sessions).map(|found| found.session.id.clone());
        let focus = gather::focus(project, &held.sessions, &Wanted::Last, mine.as_ref())?;
        let mut context = Context::default();
        for found in focus.sessions() {
            gather::add_session(&mut context, found);
            // What cannot be read is told when a session begins.
            if let Ok(Some(body)) = elsewhere::body(project, found) {
                gather::add_body(&mut context, found, &body);
            }
        }
        let shown: Vec<_> = focus.sessions().map(|found| &found.session.id).collect();
        let others =
            held.sessions.list.iter().filter(|found| !shown.contains(&&found.session.id) && found.is_handoff());
        let (closed, open): (Vec<_>, Vec<_>) = others.partition(|found| found.session.status == SessionStatus::Closed);
        for found in open.into_iter().chain(closed.into_iter().take(EARLIER)) {
            gather::add_session(&mut context, found);
        }
        gather::add_items(&mut context, project, &focus, &held.items(project, Duration::ZERO), &held.forest);
        context.notes.retain(|note| note.category == NoteCategory::Caution);
        context.decisions = held.decisions().in_force().map(|standing| held.decision(standing)).collect();
        let (memories, remembered): (Vec<_>, Vec<_>) = memory::candidates(project)?.into_iter().unzip();
        context.memories = memories;
        let open: Vec<_> = held.forest.walk().into_iter().filter(|node| node.task.status.is_open()).collect();
        context.tasks = open.iter().map(|node| gather::in_context(node, &held.forest)).collect();
        let tasks = context.tasks.iter().zip(&open).map(|(shown, node)| task(shown, &node.task));
        let candidates = without_tasks(&context).chain(remembered).chain(tasks).chain(pointers(&context)).collect();
        Ok(Everything { context, candidates })
    }
}

fn without_tasks(context: &Context) -> impl Iterator<Item = Candidate> {
    let said = |kind: Kind, text: &String| Candidate {
        key: String::new(),
        kind,
        text: text.clone(),
        more: String::new(),
        paths: Vec::new(),
    };
    let next = context.next.iter().map(move |item| said(Kind::Next, &item.text));
    let blockers = context.blockers.iter().map(move |item| said(Kind::Blocker, &item.text));
    let questions = context.questions.iter().map(move |item| said(Kind::Question, &item.text));
    let decisions = context.decisions.iter().map(|decision| Candidate {
        key: decision.reference.clone(),
        kind: Kind::Decision,
        text: decision.decision.clone(),
        more: decision.reason.clone().unwrap_or_default(),
        paths: decision.paths.clone(),
    });
    let cautions = context.notes.iter().map(move |note| said(Kind::Caution, &note.note));
    next.chain(blockers).chain(questions).chain(decisions).chain(cautions)
}

fn pointers(context: &Context) -> impl Iterator<Item = Candidate> {
    context.pointers.iter().map(|pointer| Candidate {
        key: String::new(),
        kind: Kind::Pointer,
        text: pointer.reason.clone().unwrap_or_default(),
        more: String::new(),
        paths: vec![pointer.path.clone()],
    })
}

fn task(shown: &TaskInContext, task: &Task) -> Candidate {
    let description = task.description.as_deref().unwrap_or_default();
    let open =
        task.done_criteria.iter().filter(|criterion| !criterion.checked).map(|criterion| criterion.item.as_str());
    let words = task.labels.iter().map(String::as_str).chain(open);
    let described = &description[..description.floor_char_boundary(DESCRIBED)];
    let files = task.links.iter().filter(|link| link.kind == LinkType::File);
    Candidate {
        key: shown.id.to_string(),
        kind: Kind::Task,
        text: shown.title.clone(),
        more: words.chain([described]).collect::<Vec<_>>().join("\n"),
        paths: files.map(|link| link.target.clone()).collect(),
    }
}
