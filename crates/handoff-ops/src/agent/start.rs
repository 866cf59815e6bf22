//! What a conversation is told when it begins, goes on or has forgotten what it was told.

use std::time::Duration;

use handoff_model::agent::{HookEvent, Host, StartSource};
use handoff_model::tokens;
use handoff_model::when::Moment;

use super::call::HookCall;
use super::item::{self, Item, items};
use super::state::{Conversation, Owed, State};
use super::usefulness::given;
use crate::page::Text;
use crate::resume::{Beginning, Context};
use crate::{OpError, Page, Project};

/// Lines about what changed, and the tokens they may cost.
const CHANGES: usize = 8;
const CHANGES_TOKENS: usize = 300;

const OPENING: &str = "handoff: what earlier sessions left in this project. It is loaded already: call \
                       `handoff_load_context` (or run `handoff resume`) only for more.";
const NOTHING_YET: &str = "handoff: nothing is recorded in this project yet.";
const KEEP: &str = "Keep what the next session must know with `handoff_save_context` (or `handoff save`).";
const NOTHING_PAUSED: &str = "handoff: nothing is recorded in this project yet, and nothing can be now.";
const CHANGED: &str = "handoff: new or changed since this conversation was told about the project:";

/// Within so short a time nothing is forgotten: a host that was set up twice calls twice.
const AT_ONCE_SECONDS: i64 = 2;

/// Takes in why a conversation begins.
pub(super) fn begin(source: StartSource, state: &mut State, now: Moment) {
    if is_told_apart(state) {
        // It asks once in each process, for something that is no part of the conversation. What came with prompts is.
        match source {
            StartSource::Clear | StartSource::Compact => state.forget_shown(),
            _ => state.owed = Owed::Context,
        }
        return;
    }
    let is_told = state.owed == Owed::Nothing;
    let just_told = |at: Moment| now.timestamp().duration_since(at.timestamp()).as_secs() <= AT_ONCE_SECONDS;
    match source {
        StartSource::Clear | StartSource::Compact if !(is_told && state.told_at.is_some_and(just_told)) => {
            state.forget_shown();
        }
        // What it was told is still in it.
        _ if is_told => state.owed = Owed::Changes,
        _ => {}
    }
}

/// Whether the host keeps what it is told at the start apart from the conversation, and puts it into every request.
pub(super) fn is_told_apart(state: &State) -> bool {
    state.host == Some(Host::OpenCode)
}

/// What the conversation is still to be told, if it can be told now.
pub(super) fn give(
    project: &mut Project,
    call: &HookCall<'_>,
    conversation: &mut Conversation,
) -> Result<Option<String>, OpError> {
    let state = &mut conversation.state;
    let waits = is_told_apart(state) && call.event != HookEvent::SessionStart;
    if !call.can_inject || waits || state.owed == Owed::Nothing {
        return Ok(None);
    }
    let beginning = Beginning::read(project, git_limit(project))?;
    let said = match state.owed {
        Owed::Changes => changes(&beginning, call, state),
        Owed::Context | Owed::Nothing => context(project, &beginning, call, state),
    };
    state.owed = Owed::Nothing;
    state.told_at = Some(project.now());
    Ok(said)
}

/// Time that git may take while the agent waits for its first word.
fn git_limit(project: &Project) -> Duration {
    Duration::from_millis(project.config().hooks.git_wait_milliseconds.get().into())
}

/// The whole context where nothing can be remembered of who got it.
pub(super) fn unremembered(project: &mut Project, call: &HookCall<'_>) -> Result<Option<String>, OpError> {
    let goes_on = matches!(call.heard.source, StartSource::Resume | StartSource::Fork);
    if !call.can_inject || goes_on {
        return Ok(None);
    }
    let beginning = Beginning::read(project, git_limit(project))?;
    Ok(context(project, &beginning, call, &mut State::default()))
}

fn context(project: &Project, beginning: &Beginning, call: &HookCall<'_>, state: &mut State) -> Option<String> {
    if is_bare(beginning.whole()) {
        let pauses = project.pause_lines();
        let opening = match (beginning.whole().memories_left_out(), pauses.is_empty()) {
            (0, true) => format!("{NOTHING_YET} {KEEP}"),
            (0, false) => NOTHING_PAUSED.to_owned(),
            (count, true) => format!("{} {KEEP}", memories_elsewhere(count)),
            (count, false) => memories_elsewhere(count),
        };
        let lines = project.handover_line().into_iter().chain(pauses);
        return Some(lines.fold(opening, |said, pause| format!("{said}\nwarning: {pause}")));
    }
    let (context, text) = beginning.text(OPENING, call.fits)?;
    let told: Vec<Item> = items(&context).into_iter().chain(item::changes(&context)).collect();
    state.show_at_start(told.iter().map(|item| (item.key.as_str(), item.rev)));
    state.given = given(&context, project.now(), tokens::estimate(&text));
    Some(text)
}

/// The line about memories where there is nothing else and none applies to what is open.
fn memories_elsewhere(count: usize) -> String {
    let memories = if count == 1 { "1 memory is" } else { &format!("{count} memories are") };
    format!(
        "handoff: {memories} recorded in this project, for other files and words than those at hand: call \
         `handoff_memory_list` (or run `handoff memory`) to see all."
    )
}

/// Whether a project has nothing to tell.
fn is_bare(context: &Context) -> bool {
    context.session.is_none()
        && context.continued().is_none()
        && context.other_sessions.is_empty()
        && context.decisions.is_empty()
        && context.memories.is_empty()
        && context.task_counts.is_empty()
        && context.problems.is_empty()
}

/// What the conversation was not told, in a few lines.
fn changes(beginning: &Beginning, call: &HookCall<'_>, state: &mut State) -> Option<String> {
    let (context, _) = beginning.text(OPENING, call.fits)?;
    let told = items(&context).into_iter().chain(item::changes(&context));
    let new: Vec<Item> = told.filter(|item| state.is_new(&item.key, item.rev)).collect();
    let lines = new.iter().map(|item| item.line.clone()).collect();
    let (text, said) = few_lines(CHANGED, lines, CHANGES, CHANGES_TOKENS)?;
    for item in new.iter().take(said) {
        state.show(&item.key, item.rev);
    }
    Some(if new.len() > said {
        format!("{text}\n{} more: call `handoff_load_context` (or run `handoff resume`)", new.len() - said)
    } else {
        text
    })
}

/// As many lines as the tokens allow under an opening one, set apart as quotation, and how many those are.
pub(super) fn few_lines(
    opening: &str,
    lines: Vec<Text>,
    at_most: usize,
    at_most_tokens: usize,
) -> Option<(String, usize)> {
    let mut page = Page::new().line(opening);
    let mut text = None;
    for (count, line) in lines.into_iter().enumerate().take(at_most) {
        page = page.said(line);
        let longer = page.to_markdown(None);
        if tokens::estimate(&longer) > at_most_tokens {
            break;
        }
        text = Some((longer, count + 1));
    }
    text
}
