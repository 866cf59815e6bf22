//! `handoff resume`: what a session needs to go on, within a budget.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use handoff_model::config::Settings;
use handoff_model::secret::Allowed;
use handoff_model::tokens;
use handoff_store::git::Git;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::agent::finish_ended;
use crate::render::{Target, render_state};
use crate::session::{SessionItem, which};
use crate::timer::still_running;
use crate::{Effect, ErrorKind, OpError, Operation, Page, Project, Report, ToolSet};

pub(crate) mod choose;
mod context;
mod earlier;
mod fit;
pub(crate) mod gather;
pub(crate) mod git;
mod page;
mod pointer_lines;
mod ready;
mod state;
mod uncommitted;

pub use context::{
    CheckInContext, CheckedPointer, Context, DecisionInForce, GivenState, ItemInContext, NoteInContext, PointerState,
    SessionHead, TaskInContext,
};
use fit::{Budget, Form};
/// How single items are put into words.
pub(crate) use gather::Wanted;
pub(crate) use page::{counts, lines};
pub use uncommitted::{FileList, UncommittedWork};

/// Continue where I left off: resume with the last handoff's next steps, open tasks, decisions and files
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResumeSession {
    /// Session to resume from; the last one if absent
    #[arg(value_name = "SESSION")]
    pub session_id: Option<SessionItem>,
    /// Line of work to resume: its last handoff; that of your own session if absent
    #[arg(long, value_name = "TEXT", conflicts_with = "session_id")]
    pub timeline: Option<String>,
    /// Tokens the answer may cost
    #[arg(long = "budget", value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(100..=200_000))]
    pub budget_tokens: Option<u32>,
    /// Render it as a prompt for an agent or as words for people: generic, claude-code, codex, cursor, gemini, copilot,
    /// opencode, cline, agents-md, pr-description or standup
    #[arg(long = "for", value_name = "TARGET")]
    #[serde(default, rename = "for")]
    #[schemars(skip)]
    pub target: Option<Target>,
    /// Form of the answer
    #[arg(skip)]
    #[serde(default)]
    pub format: AnswerForm,
}

/// How an agent wants to read an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AnswerForm {
    #[default]
    Text,
    Json,
}

/// Time that git may take to name the commits that settle items.
pub(crate) const COMMIT_TIME: Duration = Duration::from_millis(300);
/// Time that git may take for the same while others wait for the lock.
const STATE_TIME: Duration = Duration::from_millis(100);
/// What every host accepts; more is given only to those who ask for it.
const ACCEPTED_BYTES: usize = 9_500;
/// The part of the budget that is kept for likely files until it is known what the rest needs.
const KEPT_FOR_FILES: usize = 6;
/// As much as a list of likely files is worth in a prompt.
const MOST_FOR_FILES: usize = 300;
/// A smaller budget is left to what was recorded.
const WORTH_KEEPING_FOR_FILES: usize = 600;

impl Operation for ResumeSession {
    const NAME: &'static str = "resume";
    const TOOL: &'static str = "handoff_load_context";
    const SET: ToolSet = ToolSet::Core;
    const EFFECT: Effect = Effect::Seek;
    const ALIASES: &'static [&'static str] = &["load"];
    const FOR_MODELS: bool = true;
    type Outcome = Context;

    fn example() -> Value {
        json!({"budget_tokens": 1500})
    }

    fn run(self, project: &mut Project) -> Result<Context, OpError> {
        if let Some(tokens) = self.budget_tokens
            && !(100..=200_000).contains(&tokens)
        {
            return Err(OpError::usage(format!("a budget of {tokens} tokens cannot be kept: give 100 to 200000")));
        }
        match project.open() {
            Ok(()) => project.note_config_problems(),
            Err(error) if error.kind() == ErrorKind::NotFound && project.could_start() => {
                project.note_pauses();
                return Ok(nothing_here(project, page::NOTHING_HERE.to_owned()));
            }
            Err(error) => return Err(error),
        }
        // What was saved outside any project belongs to no directory in particular: it is shown when it is asked for.
        if project.dir().is_none() && self.session_id.is_none() {
            let kept = project.store().session_summaries()?.list.len();
            project.note_pauses();
            let words = format!("{}; saved outside any project: {kept}, the last with `latest`", page::NOTHING_HERE);
            return Ok(nothing_here(project, words));
        }
        finish_ended(project);
        let budget = self.budget(project);
        let wanted = match (self.session_id, self.timeline) {
            (Some(_), Some(_)) => return Err(OpError::usage("a session and a line of work are two things to resume")),
            // What is within it is shown with it.
            (Some(within), None) => Wanted::Session(within.session),
            (None, Some(timeline)) => Wanted::Timeline(timeline),
            (None, None) => Wanted::Last,
        };
        let whole = Whole::read(project, &wanted, git::LIMIT)?;
        let rendered = self.target.map(|target| whole.rendered(target, budget.tokens, &project.allowed()));
        Ok(Context { rendered, ..whole.within(budget) })
    }
}

/// Everything there is to say, before any budget.
struct Whole {
    context: Context,
    ranked: git::Ranked,
}

impl Whole {
    /// Reads it, with as much of what git says as can be had within a time.
    fn read(project: &mut Project, wanted: &Wanted, git_time: Duration) -> Result<Whole, OpError> {
        let held = gather::Held::read_with_conversations(project)?;
        let mine = which::mine(project, &held.sessions).map(|found| found.session.id.clone());
        let leading = which::leading(project, &held.sessions).map(|found| found.session.id.clone());
        let focus = gather::focus(project, &held.sessions, wanted, leading.as_ref())?;
        let items = held.items(project, project.patient(git_time.min(COMMIT_TIME)));
        let mut gathered = gather::gather(project, &held, &focus, &items);
        let ranked = git::look(project, &focus, &mut gathered, project.patient(git_time));
        gather::put_governing_first(&mut gathered.context, &focus);
        project.note_handover();
        project.note_pauses();
        project.notes.extend(still_running(project));
        // What was noted on the way is part of the answer, so the budget holds for it too.
        gathered.context.warnings.append(&mut project.notes);
        if let Some(id) = mine {
            which::join(project, id);
        }
        Ok(Whole { context: gathered.context, ranked })
    }

    fn within(&self, budget: Budget) -> Context {
        fitted(&self.context, &self.ranked, budget)
    }

    fn rendered(&self, target: Target, tokens: usize, allowed: &Allowed) -> String {
        let likely = self.ranked.lines((tokens / KEPT_FOR_FILES).min(MOST_FOR_FILES));
        render_state(&self.context, &likely, target, tokens, allowed)
    }
}

/// The context for a conversation that begins, as the text it is given.
pub(crate) struct Beginning {
    whole: Whole,
    tokens: usize,
}

impl Beginning {
    /// Reads what the store says, with as much of what git says as can be had within a time.
    pub(crate) fn read(project: &mut Project, git_time: Duration) -> Result<Beginning, OpError> {
        let tokens = project.config().settings.budget_tokens.count();
        Ok(Beginning { whole: Whole::read(project, &Wanted::Last, git_time)?, tokens })
    }

    /// What is known, before any budget.
    pub(crate) fn whole(&self) -> &Context {
        &self.whole.context
    }

    /// What of it is given, and the text, which is no longer than what `fits` after an opening line. The budget that
    /// is set for loading holds for both.
    pub(crate) fn text(&self, opening: &str, fits: &dyn Fn(&str) -> bool) -> Option<(Context, String)> {
        let mut tokens = self.tokens.saturating_sub(tokens::estimate(opening)).max(100);
        // A default budget never has more bytes than every host takes; a larger one is what somebody asked for.
        let mut bytes =
            if self.tokens > Settings::default().budget_tokens.count() { usize::MAX } else { ACCEPTED_BYTES };
        loop {
            let budget = Budget { tokens, bytes: bytes.saturating_sub(opening.len()), form: Form::Markdown };
            let context = self.whole.within(budget);
            let text = format!("{opening}\n{}", budget.text(&context));
            if fits(&text) {
                return Some((context, text));
            }
            tokens = tokens * 3 / 4;
            bytes = text.len() * 3 / 4;
            if tokens < 100 {
                return None;
            }
        }
    }
}

impl ResumeSession {
    fn budget(&self, project: &Project) -> Budget {
        let form = match self.format {
            AnswerForm::Text => Form::Markdown,
            AnswerForm::Json => Form::Json,
        };
        match self.budget_tokens {
            Some(tokens) => Budget { tokens: tokens as usize, bytes: usize::MAX, form },
            None => {
                let tokens = project.config().settings.budget_tokens.count();
                Budget { tokens, bytes: ACCEPTED_BYTES, form }
            }
        }
    }
}

/// The answer where there is no project: how to begin.
fn nothing_here(project: &Project, words: String) -> Context {
    let mut start = json!({"name": "my-app"});
    if let Some(dir) = &project.place.project_dir {
        start["project_dir"] = json!(dir);
    }
    let words = match project_of_main_work_tree(project) {
        Some(dir) => format!("{words}; the main work tree has one: name `{}` as the project directory", dir.display()),
        None => words,
    };
    Context { how_to_start: Some(words), start: Some(start), ..Context::default() }
}

/// The main work tree of this repository, where this is another one and the project is there.
fn project_of_main_work_tree(project: &Project) -> Option<PathBuf> {
    let git = Git::around(project.place.project_dir.as_ref().unwrap_or(&project.place.cwd))?;
    let main = git.main_root();
    (main != git.root() && main.join(".handoff").join("config.toml").is_file()).then_some(main)
}

/// The context within its budget, what is left of it filled with likely files.
fn fitted(whole: &Context, ranked: &git::Ranked, budget: Budget) -> Context {
    let keeps_share = !ranked.is_empty() && budget.tokens >= WORTH_KEEPING_FOR_FILES;
    let share = |of: usize| if keeps_share { of / KEPT_FOR_FILES } else { 0 };
    let rest = Budget {
        tokens: budget.tokens - share(budget.tokens),
        bytes: if budget.bytes == usize::MAX { budget.bytes } else { budget.bytes - share(budget.bytes) },
        form: budget.form,
    };
    let mut context = fit::fit(whole, rest);
    // Files can be found by looking; what is in force or open cannot, so it goes first.
    if keeps_share && context.leaves_out_what_holds(whole) {
        context = fit::fit(whole, budget);
    }
    if context.leaves_out_what_holds(whole) {
        context = fit::fit_terse(whole, budget);
    }
    if ranked.is_empty() {
        return context;
    }
    if !keeps_share && !context.left_out.is_empty() {
        return context;
    }
    let spent = budget.cost(&context);
    let heading = 10;
    let room = budget.tokens.saturating_sub(spent + heading).min(budget.tokens / 2);
    context.likely_files = ranked.lines(room);
    while !context.likely_files.is_empty() && !budget.holds(&context) {
        context.likely_files.pop();
    }
    context
}

/// The state of the project as plain Markdown, for `current-state.md`: what the files of the store say, and what commits
/// and conversations settled.
pub(crate) fn current_state(project: &Project) -> Result<CurrentState, OpError> {
    state_of(project, &gather::Held::read_with_conversations(project)?, project.patient(STATE_TIME))
}

/// The same from the files of the store alone.
pub(crate) fn recorded_state(project: &Project) -> Result<CurrentState, OpError> {
    state_of(project, &gather::Held::read(project)?, Duration::ZERO)
}

fn state_of(project: &Project, held: &gather::Held, git_time: Duration) -> Result<CurrentState, OpError> {
    let leading = which::leading(project, &held.sessions).map(|found| found.session.id.clone());
    let focus = gather::focus(project, &held.sessions, &Wanted::Last, leading.as_ref())?;
    let items = held.items(project, git_time);
    let mut whole = gather::gather(project, held, &focus, &items).context;
    gather::put_governing_first(&mut whole, &focus);
    // The file is read by everybody, wherever they work.
    whole.other_sessions.iter_mut().for_each(|head| head.elsewhere = false);
    whole.suggestion = None;
    let given = whole.state.take();
    let budget = Budget { tokens: 4_000, bytes: usize::MAX, form: Form::Markdown };
    Ok(CurrentState { given, rest: fit::fit(&whole, budget).page().to_markdown(None) + "\n" })
}

/// What `current-state.md` says.
pub(crate) struct CurrentState {
    /// Where the project stands, in the words that were given with a handoff
    pub(crate) given: Option<GivenState>,
    /// What the records say
    pub(crate) rest: String,
}

impl CurrentState {
    /// The words that were given, quoted and whole, then the rest.
    pub(crate) fn text(&self) -> String {
        match &self.given {
            Some(given) => format!("{}\n\n{}", state::shown(Page::new(), given).to_markdown(None), self.rest),
            None => self.rest.clone(),
        }
    }
}
