//! What the program `agent-handover` is asked for: `run` and `status` in that tool's words.

use std::path::{Path, PathBuf};

use clap::Args;
use handoff_engine::Status;
use handoff_model::handover::{Meaning, TheirCheckpoint};
use handoff_model::text::Prose;
use handoff_store::{DIRECTORY, ForeignLocal, Glance, holds_project, read_outside};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::check::{CheckStatus, HandoverCheck};
use super::source::Declaration;
use super::{HandoverView, RunHandover, compatible, kept, standing};
use crate::place::Init;
use crate::{Door, Effect, Entry, ExitCodes, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// The commands of the program `agent-handover`. No door lists them.
pub const AGENT_HANDOVER: &[Entry] =
    &[Entry::of::<CheckAgentHandover>(), Entry::of::<ShowAgentHandover>(), Entry::of::<RunAgentHandover>()];

/// Hand over by the configuration of agent-handover: write the note, the state and the layers, and publish them
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunAgentHandover {
    /// The configuration, in TOML
    #[arg(long, value_name = "FILE")]
    pub config: PathBuf,
    /// The note, in place of the one in the configuration
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    pub note: Option<String>,
    /// Where the project stands, in place of what the configuration says
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    pub current_state: Option<Prose>,
    /// Commit, and push nothing
    #[arg(long)]
    #[serde(default)]
    pub no_push: bool,
    /// Where the checkpoint is kept [default: .agent-handover/checkpoint.json]
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    pub checkpoint: Option<PathBuf>,
}

/// Tell by the exit code whether a handover was cut short, and print nothing
///
/// Exit codes: 0 clean, 1 a handover must be finished, 2 the last one is completed, 5 paused, 6 damaged, 64 wrong usage.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckAgentHandover {
    /// Where the checkpoint is kept [default: .agent-handover/checkpoint.json]
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    pub checkpoint: Option<PathBuf>,
}

/// Say how far the last handover came
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowAgentHandover {
    /// Where the checkpoint is kept [default: .agent-handover/checkpoint.json]
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    pub checkpoint: Option<PathBuf>,
}

/// The steps that were executed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExecutedSteps {
    pub executed: Vec<String>,
    pub message: String,
    #[serde(skip)]
    warnings: Vec<String>,
}

/// A checkpoint as that tool shows it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckpointLines {
    pub lines: Vec<String>,
}

impl Operation for RunAgentHandover {
    const NAME: &'static str = "run";
    const TOOL: &'static str = "agent_handover_run";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Found;
    const DOORS: &'static [Door] = &[Door::Cli];
    type Outcome = ExecutedSteps;

    fn example() -> Value {
        json!({"config": "handover.toml", "note": "Parser done"})
    }

    fn run(self, project: &mut Project) -> Result<ExecutedSteps, OpError> {
        let declared = Declaration::read(project, Some(&self.config))?;
        let settings = declared.handover.compatible.clone();
        let repository = settings.as_ref().map_or(".", |settings| settings.repo_dir.as_str());
        let base = project.place.cwd.join(repository);
        let base = base.canonicalize().map_err(|error| {
            OpError::not_found(format!("there is no directory `{}`", project.shown(&base))).caused_by(error)
        })?;
        project.given_pause = compatible::pause_file(project, settings.as_ref());
        project.refuse_paused_in(Some(&base.join(DIRECTORY)))?;
        let written = settings.as_ref().and_then(|settings| settings.session.clone());
        let note = self.note.clone().or(written);
        let is_new = !holds_project(&base);
        if note.is_none() && (is_new || !was_cut_short(project, &base)) {
            return Err(OpError::usage("the note is missing: give `--note TEXT`, or `session` in the table `[note]`"));
        }
        let checkpoint = self.place_of_checkpoint(project, &base, settings.and_then(|settings| settings.checkpoint))?;
        compatible::adapt(&mut declared.handover.clone(), &base)
            .map_err(|why| OpError::refused(format!("`{}`: {why}", self.config.display())))?;
        project.named.checkpoint = self.checkpoint.as_ref().map(|_| checkpoint.clone());
        project.named.checkpoint_dir = Some(project.place.cwd.clone());
        project.place.project_dir = Some(base.clone());
        if is_new {
            make(project, &base)?;
        }
        project.open_to_amend()?;
        tell_theirs(project, &checkpoint);
        let (note, current_state) = match again(project, note.as_deref(), self.current_state.as_ref())? {
            Again::TheSame => (None, None),
            Again::Other => (note, self.current_state),
        };
        let asked = RunHandover {
            note,
            current_state,
            config: Some(self.config),
            no_push: self.no_push,
            compatible_checkpoint: Some(checkpoint.clone()),
            ..RunHandover::default()
        };
        let executed = executed(&asked.run(project)?)?;
        if !is_completed(&checkpoint) {
            let shown = project.shown(&checkpoint);
            project.note(format!("agent-handover's own checkpoint `{shown}` could not be written"));
        }
        Ok(executed)
    }
}

impl Operation for CheckAgentHandover {
    const NAME: &'static str = "check";
    const TOOL: &'static str = "agent_handover_check";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Seek;
    const DOORS: &'static [Door] = &[Door::Cli];
    const CODES: ExitCodes = ExitCodes::OfCheck;
    type Outcome = HandoverCheck;

    fn example() -> Value {
        json!({})
    }

    /// Where neither its file nor a project of ours is there, nothing is open: so that tool says, too.
    fn run(self, project: &mut Project) -> Result<HandoverCheck, OpError> {
        let usual = Path::new(compatible::CHECKPOINT);
        let is_there = || project.place.cwd.join(usual).symlink_metadata().is_ok();
        let given = self.checkpoint.as_deref().or_else(|| is_there().then_some(usual));
        let check = match given {
            Some(path) => standing::in_file(project, path),
            None => match standing::here(project) {
                check if check.status == CheckStatus::NoProject => standing::in_file(project, usual),
                check => check,
            },
        };
        Ok(HandoverCheck { is_quiet: true, ..check })
    }
}

/// Whether what is asked for is what a run was cut short with.
enum Again {
    TheSame,
    Other,
}

/// Asking again with the same words means to finish what was begun with them.
fn again(project: &Project, note: Option<&str>, state: Option<&Prose>) -> Result<Again, OpError> {
    let cut_short = kept::read(project.store())?.filter(|run| run.status == Status::InProgress);
    let is_driven = || project.store().run_driver().is_some();
    let is_same = |run: &kept::HandoverRun| {
        let is_same_note = note.is_none() || run.inputs.note.as_deref() == note;
        is_same_note && (state.is_none() || run.inputs.state.as_ref() == state)
    };
    Ok(if cut_short.is_some_and(|run| is_same(&run)) && !is_driven() { Again::TheSame } else { Again::Other })
}

/// Whether a run of ours was cut short in the project of a directory.
fn was_cut_short(project: &Project, dir: &Path) -> bool {
    let rules = project.local_rules(ForeignLocal::Ignore);
    let bytes = Glance::at(&dir.join(DIRECTORY), &rules).and_then(|glance| glance.checkpoint()).ok().flatten();
    bytes.and_then(|bytes| kept::parse(&bytes).ok()).is_some_and(|run| run.status == Status::InProgress)
}

/// Makes a private project; another process may be quicker.
fn make(project: &mut Project, base: &Path) -> Result<(), OpError> {
    let made = Init { name: None, description: None, shared: false, import: false }.run(project);
    match made {
        Ok(made) => {
            let shown = made.directory.clone();
            project.note(format!("made a private project in `{shown}`: the memory that the handover is kept in"));
            Ok(())
        }
        Err(_) if holds_project(base) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Tells what the file of the tool itself says, where a run of it was cut short.
fn tell_theirs(project: &mut Project, path: &Path) {
    let is_ours = |project: &Project| {
        let run = kept::read(project.store()).ok().flatten();
        run.is_some_and(|run| run.inputs.compatible_checkpoint.as_deref() == Some(path))
    };
    let Ok(Some(bytes)) = read_outside(path) else { return };
    if is_ours(project) {
        return;
    }
    let shown = project.shown(path);
    match TheirCheckpoint::read(&bytes) {
        Ok(theirs) if theirs.meaning() == Meaning::Resume => {
            let (done, open): (Vec<&str>, Vec<&str>) = (theirs.done().collect(), theirs.pending().collect());
            let done = if done.is_empty() { "nothing".to_owned() } else { done.join(", ") };
            project.note(format!(
                "`{shown}` tells of a run that was cut short: done {done}; open {}; every step is performed anew",
                open.join(", ")
            ));
        }
        Ok(_) => {}
        Err(why) => project.note(format!("`{shown}` was damaged ({why}) and is written anew")),
    }
}

/// Whether that tool's file says that all is done.
fn is_completed(path: &Path) -> bool {
    let bytes = read_outside(path).ok().flatten();
    bytes
        .and_then(|bytes| TheirCheckpoint::read(&bytes).ok())
        .is_some_and(|theirs| theirs.meaning() == Meaning::Completed)
}

fn executed(view: &HandoverView) -> Result<ExecutedSteps, OpError> {
    if let Some(kind) = view.trouble() {
        return Err(OpError::new(kind, view.message.clone()));
    }
    let done = view.steps.iter().filter(|step| step.state == "done");
    let executed: Vec<String> = done.map(|step| step.id.clone()).collect();
    // Another process may have done it, or will.
    let message = if view.steps.is_empty() {
        view.message.clone()
    } else if executed.is_empty() {
        "executed: none".to_owned()
    } else {
        format!("executed: {}", executed.join(", "))
    };
    Ok(ExecutedSteps { executed, message, warnings: view.warnings().to_vec() })
}

impl RunAgentHandover {
    /// Where the tool's own file is kept. What a configuration names may be the word of somebody else, so it stays below
    /// the project and is called like such a file.
    fn place_of_checkpoint(&self, project: &Project, base: &Path, named: Option<String>) -> Result<PathBuf, OpError> {
        let cwd = &project.place.cwd;
        let path = match (&self.checkpoint, named) {
            (Some(given), _) => cwd.join(given),
            (None, Some(named)) => {
                let path = cwd.join(&named);
                let real_cwd = cwd.canonicalize().unwrap_or_else(|_| cwd.clone());
                let is_below = path.starts_with(base) || path.starts_with(cwd) || path.starts_with(real_cwd);
                let climbs = path.components().any(|part| part == std::path::Component::ParentDir);
                if !is_below || climbs || path.extension().is_none_or(|ending| ending != "json") {
                    return Err(OpError::refused(format!(
                        "`checkpoint` must be a file `….json` in `{}`, not `{named}`; `--checkpoint` may name any",
                        project.shown(base)
                    )));
                }
                path
            }
            (None, None) => cwd.join(compatible::CHECKPOINT),
        };
        let shown = project.shown(&path);
        let dirs = [base, cwd.as_path()];
        if self.checkpoint.is_none() && !dirs.iter().any(|dir| stays_in(dir, &path)) {
            return Err(OpError::refused(format!("`{shown}` leads elsewhere by a symbolic link"))
                .hint(Hint::say("remove the link, or name the file with `--checkpoint`")));
        }
        if path.symlink_metadata().is_ok_and(|metadata| !metadata.is_file()) {
            return Err(OpError::refused(format!("`{shown}` is no ordinary file")));
        }
        let present = read_outside(&path)
            .map_err(|error| OpError::refused(format!("`{shown}` cannot hold a checkpoint")).caused_by(error))?;
        compatible::may_replace(&path, present.as_deref())
            .map_err(|why| OpError::refused(format!("`{shown}` cannot hold a checkpoint: {why}")))?;
        Ok(path)
    }
}

/// Returns whether the directories of a path are in `dir` by their real names, as far as they are there.
fn stays_in(dir: &Path, path: &Path) -> bool {
    let real = path.ancestors().skip(1).find_map(|part| part.canonicalize().ok());
    real.is_some_and(|real| dir.canonicalize().is_ok_and(|dir| real.starts_with(dir)))
}

impl Operation for ShowAgentHandover {
    const NAME: &'static str = "status";
    const TOOL: &'static str = "agent_handover_status";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Seek;
    const DOORS: &'static [Door] = &[Door::Cli];
    type Outcome = CheckpointLines;

    fn example() -> Value {
        json!({})
    }

    fn run(self, project: &mut Project) -> Result<CheckpointLines, OpError> {
        let given = project.place.cwd.join(self.checkpoint.as_deref().unwrap_or(Path::new(compatible::CHECKPOINT)));
        let shown = project.shown(&given);
        let bytes = read_outside(&given)
            .map_err(|error| OpError::damaged(format!("`{shown}` cannot be read")).caused_by(error))?;
        let theirs = match bytes {
            Some(bytes) => {
                let ours = kept::parse(&bytes).ok().map(|run| compatible::theirs(&run));
                let read = ours.map_or_else(|| TheirCheckpoint::read(&bytes), Ok);
                read.map_err(|why| OpError::damaged(format!("`{shown}` is no checkpoint: {why}")))?
            }
            None if self.checkpoint.is_none() => of_project(project)?.unwrap_or_else(nothing),
            None => nothing(),
        };
        Ok(CheckpointLines { lines: theirs.lines() })
    }
}

/// The last run of the project around, if there is one.
fn of_project(project: &Project) -> Result<Option<TheirCheckpoint>, OpError> {
    let Some(dir) = project.project_dir_here().ok().flatten() else { return Ok(None) };
    let bytes = Glance::at(&dir.join(DIRECTORY), &project.local_rules(ForeignLocal::Ignore))?.checkpoint()?;
    let run = bytes.map(|bytes| kept::parse(&bytes)).transpose()?;
    Ok(run.map(|run| compatible::theirs(&run)))
}

fn nothing() -> TheirCheckpoint {
    TheirCheckpoint { status: TheirCheckpoint::none(), ..TheirCheckpoint::default() }
}

impl Report for ExecutedSteps {
    fn page(&self) -> Page {
        Page::new().line(self.message.as_str())
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl Report for CheckpointLines {
    fn page(&self) -> Page {
        self.lines.iter().fold(Page::new(), |page, line| page.line(line.as_str()))
    }
}
