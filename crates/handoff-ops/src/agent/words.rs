//! A few lines about the words and files at hand, and the advice to leave a handoff while there is room.

use std::collections::BTreeSet;
use std::path::Path;

use handoff_model::agent::HookEvent;
use handoff_model::likely::{self, Clues, Likely};
use handoff_model::relevant::{Query, paths_in, relevant};
use handoff_model::rev::Rev;
use handoff_store::git::{Git, History};

use super::call::{HookCall, inside};
use super::candidates::Everything;
use super::item::{Item, items};
use super::start::few_lines;
use super::state::{Conversation, Owed, State};
use super::window::fullness;
use crate::resume::git::is_present;
use crate::{OpError, Page, Project, memory};

/// Items said at once, and the tokens they may cost.
const ITEMS: usize = 5;
const TOKENS: usize = 300;
/// Items looked at: those that were said already are passed over.
const LOOKED_AT: usize = 40;

/// Files named at once, and the tokens they may cost.
const FILES: usize = 8;
const FILES_TOKENS: usize = 120;

/// A name that more files have says nothing of any of them.
const NAMESAKES: usize = 3;

const ABOUT_WORDS: &str = "handoff: recorded earlier, about what is asked:";
const ABOUT_FILES: &str = "handoff: recorded earlier, about the file at hand:";
const FILES_OF_PROMPT: &str = "handoff: files that earlier work like this touched:";

/// What is known about what is asked or about the files at hand, and was not said yet.
pub(super) fn about(
    project: &Project,
    call: &HookCall<'_>,
    conversation: &mut Conversation,
) -> Result<Option<String>, OpError> {
    // Who is still to be told everything is not told a part of it.
    if !call.can_inject || conversation.state.owed != Owed::Nothing {
        return Ok(None);
    }
    let state = &mut conversation.state;
    let is_prompt = call.event == HookEvent::Prompt;
    let prompt = call.heard.prompt.as_deref().filter(|_| is_prompt);
    let history = prompt.and_then(|_| history(project));
    let known = known(project, call, history.as_ref(), state)?;
    let files = prompt.zip(history).and_then(|(prompt, history)| files_of_prompt(project, &history, prompt, state));
    let advice = if is_prompt { advice(project, state) } else { None };
    let said: Vec<String> = known.into_iter().chain(files).chain(advice).collect();
    Ok((!said.is_empty()).then(|| said.join("\n")))
}

/// The cached history of the project. git is not run for it.
fn history(project: &Project) -> Option<History> {
    let git = project.dir().filter(|_| project.config().settings.auto_git_summary).and_then(|dir| Git::around(&dir))?;
    git.cached_history(project.store()).map(|(history, _)| history)
}

fn known(
    project: &Project,
    call: &HookCall<'_>,
    history: Option<&History>,
    state: &mut State,
) -> Result<Option<String>, OpError> {
    let mut paths: Vec<String> = call.heard.files.iter().filter_map(|file| inside(project, file)).collect();
    let words = call.heard.prompt.as_deref().filter(|_| call.event == HookEvent::Prompt).unwrap_or_default();
    paths.extend(named_files(project, words, history));
    let query = Query { words, paths: &paths };
    if !query.is_about_something() {
        return Ok(None);
    }
    let Everything { context, candidates } = Everything::read(project)?;
    let items = items(&context);
    debug_assert_eq!(items.len(), candidates.len(), "they are told in the same order");
    let hits = relevant(&query, &candidates, LOOKED_AT);
    let found = hits.iter().filter_map(|hit| items.get(hit.place));
    let new: Vec<&Item> = found.filter(|item| state.is_new(&item.key, item.rev)).collect();
    let opening = if words.is_empty() { ABOUT_FILES } else { ABOUT_WORDS };
    let lines = new.iter().map(|item| item.line.clone()).collect();
    let Some((text, said)) = few_lines(opening, lines, ITEMS, TOKENS) else { return Ok(None) };
    for item in new.iter().take(said) {
        state.show(&item.key, item.rev);
    }
    let remembered = new.iter().take(said).filter_map(|item| Some((item.memory()?, item.rev)));
    // What is told counts as used; nothing depends on whether that is noted.
    let _ = memory::note_use(project, None, remembered);
    Ok(Some(text))
}

/// The files of the project that a prompt names by an absolute path, or by a name that few files have.
fn named_files(project: &Project, prompt: &str, history: Option<&History>) -> Vec<String> {
    let mut files = Vec::new();
    for named in paths_in(prompt) {
        if Path::new(&named).is_absolute() {
            files.extend(inside(project, Path::new(&named)));
        } else if !named.contains('/')
            && let Some(history) = history
        {
            let touched = history.commits.iter().flat_map(|commit| &commit.files).map(|touched| touched.path.as_str());
            let is_namesake = |path: &&str| path.rsplit_once('/').is_some_and(|(_, name)| name == named);
            let namesakes: BTreeSet<&str> = touched.filter(is_namesake).collect();
            if namesakes.len() <= NAMESAKES {
                files.extend(namesakes.into_iter().filter(|path| is_present(project, path, &[])).map(str::to_owned));
            }
        }
    }
    files
}

/// The files that a prompt is probably about, by their paths and by the commits that touched them, and that were not named
/// yet.
fn files_of_prompt(project: &Project, history: &History, prompt: &str, state: &mut State) -> Option<String> {
    let clues = Clues { author: history.me, ..Clues::default() };
    let key = |likely: &Likely| format!("file {}", likely.path);
    let rev = Rev::of(b"");
    let files: Vec<Likely> = likely::files_for_prompt(&history.commits, |_| true, &clues, prompt)
        .into_iter()
        .filter(|likely| state.is_new(&key(likely), rev) && is_present(project, &likely.path, &[]))
        .take(FILES)
        .collect();
    let listing = likely::listed_whole(&files, FILES_TOKENS);
    if listing.lines.is_empty() {
        return None;
    }
    for likely in files.iter().filter(|likely| listing.paths.contains(&likely.path)) {
        state.show(&key(likely), rev);
    }
    let page = Page::new().line(FILES_OF_PROMPT).prose(listing.lines.join("\n"));
    Some(page.to_markdown(None))
}

/// The advice to leave a handoff, once, when four fifths of the context are used.
fn advice(project: &Project, state: &mut State) -> Option<String> {
    if state.has_suggested {
        return None;
    }
    let told = project.config().hooks.context_window.map(|window| window.count() as u64);
    let percent = fullness(state, told)?;
    state.has_suggested = true;
    Some(format!(
        "handoff: the context of this conversation is {percent} % full. Leave a handoff while it is all there: call \
         `handoff_save_context` (or run `handoff save`) with summary, decisions and next steps."
    ))
}
