//! What a session made of the handoff it was given, noted when it is over.

use std::collections::BTreeSet;

use handoff_model::agent::{COMPILED, Digest, Given, Left, Usefulness};
use handoff_model::likely;
use handoff_model::relevant::paths_in;
use handoff_model::session::Session;
use handoff_model::when::Moment;

use crate::metrics::Noted;
use crate::resume::Context;
use crate::{OpError, Project};

/// Tools by which an agent says itself what is left to do.
const SPOKEN: &[&str] = &["handoff_save_context", "handoff_update_session", "handoff_close_session"];

/// What a conversation is given with a context; `None` where there was no handoff to give.
pub(crate) fn given(context: &Context, at: Moment, tokens: usize) -> Option<Given> {
    let head = context.continued().or(context.session.as_ref())?;
    let pointers: Vec<String> = context.pointers.iter().map(|pointer| pointer.path.clone()).collect();
    let items = context.next.iter().chain(&context.blockers).map(|item| &item.text);
    let texts = items.chain(context.notes.iter().map(|note| &note.note));
    let decisions = context.decisions.iter();
    let said = texts.chain(decisions.clone().map(|decision| &decision.decision)).flat_map(|text| paths_in(text));
    let moved = context.pointers.iter().filter_map(|pointer| pointer.moved_to.clone());
    // Of what a decision governs only files are named; a directory names none of its files.
    let governed = decisions.flat_map(|decision| decision.paths.iter().chain(&decision.changed));
    let governed = governed.flat_map(|path| paths_in(path));
    let files = said.chain(moved).chain(governed).chain(likely::named(&context.likely_files));
    let files: BTreeSet<String> = files.chain(context.context_files.iter().cloned()).collect();
    Some(Given {
        handoff: head.name.clone(),
        at,
        tokens: tokens as u64,
        next: context.next.iter().map(|item| item.text.clone()).collect(),
        files: files.into_iter().filter(|file| !pointers.contains(file)).collect(),
        pointers,
    })
}

/// Notes what came of a handoff: `worked` is all that the conversation did, `left` the session it left, if it left one.
/// `agent` is what the conversation is known by; noted again, it replaces what was noted before.
pub(crate) fn record_usefulness(
    project: &Project,
    agent: &str,
    given: &Given,
    worked: &Digest,
    left: Option<&Session>,
) -> Result<(), OpError> {
    // A conversation in which nothing happened says nothing about the handoff.
    if worked.turns == 0 && worked.files.is_empty() && worked.commands.is_empty() {
        return Ok(());
    }
    let finished = if given.next.is_empty() { Vec::new() } else { finished_since(project, given.at)? };
    let dir = project.dir();
    let real = dir.as_ref().and_then(|dir| dir.canonicalize().ok());
    let roots: Vec<String> = dir.iter().chain(&real).map(|dir| dir.display().to_string()).collect();
    let roots: Vec<&str> = roots.iter().map(String::as_str).collect();
    let left_open = left.map(|session| in_its_words(session, given, worked)).unwrap_or_default();
    let next = left_open.as_slice();
    let used = Usefulness::of(given, worked, &Left { next, finished: &finished, roots: &roots });
    let noted = Noted {
        at: project.now(),
        handoff: given.handoff.clone(),
        agent: agent.to_owned(),
        left: left.map(|session| session.id.clone()),
        used,
    };
    let line = serde_json::to_string(&noted)
        .map_err(|error| OpError::failure("a note cannot be written as JSON").caused_by(error))?;
    Ok(project.store().note_usefulness(&line)?)
}

/// The next steps that a session left by saying so. What an agent never spoke of was carried over from the handoff it
/// was given, so that nobody forgets; that tells nothing about what became of it.
fn in_its_words(session: &Session, given: &Given, worked: &Digest) -> Vec<String> {
    let is_compiled = session.environment.contains_key(COMPILED);
    let has_saved = worked.handoff_calls.iter().any(|(tool, _)| SPOKEN.contains(&tool.as_str()))
        || worked.commands.iter().any(|ran| ran.command.contains("handoff save") && !ran.is_failure);
    let was_carried = |step: &&String| is_compiled && !has_saved && given.next.contains(step);
    session.next.iter().filter(|step| !was_carried(step)).cloned().collect()
}

fn finished_since(project: &Project, since: Moment) -> Result<Vec<String>, OpError> {
    let forest = project.store().forest()?;
    let is_new = |at: &Moment| *at >= since;
    let done = forest.walk().into_iter().filter(|node| node.task.completed_at.as_ref().is_some_and(is_new));
    Ok(done.map(|node| node.task.title.clone()).collect())
}
