//! `handoff setup`: carries out on this machine what `handoff-hosts` plans.
//!
//! **Invariant:** everything is planned before the first file is written. A host is set up as a whole or left as it was;
//! what happens to one host does not touch another.

mod carry_out;
mod codex;
mod disk;
mod program;
mod report;
mod request;

pub use report::{Action, AgentOutcome, PartOutcome, PartStatus, SetupOutcome, Status};
pub use request::SetupRequest;

pub use handoff_hosts::setup::{Scope, Wish};
pub use handoff_model::agent::Host;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use handoff_hosts::setup::{self, CodexHooks, Machine, Part, PartPlan, Plan, Platform, Record, State};
use handoff_store::{DIRECTORY, discover, read_outside};

use crate::{Door, OpError, Place, Project};
use carry_out::{HARD_LINK, is_hard_link};
pub(crate) use disk::{RealDisk, is_program};
use program::Program;

/// The name of the record of what was done, beside the registry of projects.
const RECORD: &str = "setup.json";

/// Setting up agents on this machine.
pub struct Setup {
    home: PathBuf,
    env: BTreeMap<String, String>,
    project: PathBuf,
    program: Program,
    record_path: PathBuf,
    disk: RealDisk,
    /// Where it was asked for; tells whether writing is paused
    asked: Project,
}

/// An agent that seems to be installed, and by what that is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detected {
    pub agent: Host,
    pub signs: Vec<String>,
}

impl Setup {
    /// Looks at where this machine keeps things. `executable` is the program that is running.
    pub fn new(place: Place, executable: Option<PathBuf>) -> Result<Setup, OpError> {
        let env =
            place.env.starting_with("").filter_map(|(name, value)| Some((name.to_owned(), value.to_str()?.to_owned())));
        let env: BTreeMap<String, String> = env.collect();
        let project = Project::new(place, None, Door::Cli);
        let home = project.home_dir().ok_or_else(|| OpError::failure("there is no home directory: HOME is not set"))?;
        let named = project.new_project_dir();
        let is_named = project.place.project_dir.is_some() || env.contains_key("HANDOFF_PROJECT_DIR");
        let dir = match named {
            Ok(dir) if is_named => dir,
            Err(error) if is_named => return Err(error),
            _ => discover(&project.place.cwd, Some(&home)).unwrap_or_else(|| project.place.cwd.clone()),
        };
        let disk = RealDisk::new(env.get("PATH").map(String::as_str).unwrap_or_default());
        let executable = executable.ok_or_else(|| OpError::failure("the path of this program cannot be found out"))?;
        let program = Program::of(&executable, &disk, &env);
        let record_path = disk::real(&project.user_dir()?.join(RECORD));
        Ok(Setup { home, env, project: dir, program, record_path, disk, asked: project })
    }

    fn machine(&self) -> Machine<'_> {
        Machine {
            platform: Platform::here(),
            home: &self.home,
            env: &self.env,
            project: &self.project,
            program: &self.program.path,
            disk: &self.disk,
        }
    }

    /// The agents that seem to be installed.
    pub fn detected(&self) -> Vec<Detected> {
        let machine = self.machine();
        let look = |host: Host| {
            let signs = setup::describe(host).signs(&machine);
            let programs = signs.programs.iter().filter_map(|name| self.disk.find(name));
            let directories = signs.directories.into_iter().filter(|dir| dir.is_dir());
            let signs: Vec<String> = programs.chain(directories).map(|path| self.shown(&path)).collect();
            (!signs.is_empty()).then_some(Detected { agent: host, signs })
        };
        Host::ALL.into_iter().filter_map(look).collect()
    }

    /// The agents that are set up, whole or in part.
    pub fn set_up(&self, scope: Scope) -> Vec<Host> {
        setup::set_up(self.machine(), scope, &self.record().unwrap_or_default())
    }

    /// Whether the project's own files can be meant.
    pub fn check_scope(&self, scope: Scope) -> Result<(), OpError> {
        if scope == Scope::Project && disk::real(&self.project) == disk::real(&self.home) {
            return Err(OpError::usage("the home directory is no project: use --scope user, or go to a project"));
        }
        Ok(())
    }

    /// What setting up would come to.
    pub fn plan(&self, hosts: &[Host], wish: Wish) -> Plan {
        setup::install(self.machine(), hosts, wish, &self.record().unwrap_or_default())
    }

    /// What other tools left that handoff could take the place of.
    pub fn foreign(plan: &Plan) -> Vec<String> {
        let parts = plan.hosts.iter().flat_map(|host| &host.parts);
        let mut all: Vec<String> = parts
            .flat_map(|part| part.foreign.iter().map(|what| format!("{what} ({})", part.path.display())))
            .collect();
        all.sort();
        all.dedup();
        all
    }

    /// How things are, without changing anything.
    pub fn check(&self, hosts: &[Host], scope: Scope) -> SetupOutcome {
        let mut plan = self.plan(hosts, Wish { scope, ..Wish::default() });
        for host in plan.hosts.iter_mut().filter(|host| host.host == Host::Codex && host.refused.is_none()) {
            host.parts.extend(self.codex_trust(scope));
            host.notes.clear();
        }
        self.report(Action::Check, scope, &plan)
    }

    fn codex_trust(&self, scope: Scope) -> Option<PartPlan> {
        let hooks = CodexHooks::find(&self.machine(), scope);
        let state = if hooks.are_noted() { State::Current } else { State::Missing };
        let path = hooks.config().to_owned();
        let part = PartPlan { part: Part::Trust, path, state, foreign: Vec::new(), kept: None, why: None };
        (!hooks.is_empty()).then_some(part)
    }

    /// What setting up or taking out would change, line by line.
    pub fn rehearse(&self, hosts: &[Host], wish: Wish, action: Action) -> SetupOutcome {
        let plan = match action {
            Action::Uninstall => setup::remove(self.machine(), hosts, wish, &self.record().unwrap_or_default()),
            _ => self.plan(hosts, wish),
        };
        let mut outcome = self.report(action, wish.scope, &plan);
        outcome.is_dry_run = true;
        let linked = plan.files.iter().filter(|file| is_hard_link(file));
        let refused = linked.map(|file| format!("{} would not be changed: {HARD_LINK}", self.shown(&file.path)));
        outcome.warnings.extend(refused);
        outcome.diffs = plan.files.iter().map(|file| file.diff(&self.shown(&file.path))).collect();
        outcome
    }

    /// Sets hosts up.
    pub fn install(&self, hosts: &[Host], wish: Wish, trusts: bool) -> Result<SetupOutcome, OpError> {
        let alone = self.alone(wish.scope)?;
        let plan = self.plan(hosts, wish);
        let mut outcome = self.report(Action::Install, wish.scope, &plan);
        let failures = self.carry_out(&plan, &alone)?;
        // Nobody waits for us while we wait for Codex.
        drop(alone);
        outcome.fail(&failures);
        let is_set = |agent: &AgentOutcome| agent.agent == Host::Codex && agent.error.is_none();
        if let Some(codex) = outcome.agents.iter_mut().find(|agent| is_set(agent)) {
            self.trust_codex(codex, &plan, wish.scope, trusts)?;
        }
        Ok(outcome)
    }

    /// Takes hosts out again.
    pub fn uninstall(&self, hosts: &[Host], wish: Wish) -> Result<SetupOutcome, OpError> {
        let alone = self.alone(wish.scope)?;
        let plan = setup::remove(self.machine(), hosts, wish, &self.record()?);
        let mut outcome = self.report(Action::Uninstall, wish.scope, &plan);
        outcome.fail(&self.carry_out(&plan, &alone)?);
        Ok(outcome)
    }

    /// Refuses to write while that is paused. The project's own pause concerns the project's own files alone.
    fn refuse_paused(&self, scope: Scope) -> Result<(), OpError> {
        let store = self.project.join(DIRECTORY);
        self.asked.refuse_paused_in((scope == Scope::Project).then_some(store.as_path()))
    }

    fn report(&self, action: Action, scope: Scope, plan: &Plan) -> SetupOutcome {
        let mut outcome = SetupOutcome::of(action, scope, plan, |path| self.shown(path));
        outcome.program = self.program.path.display().to_string();
        if action != Action::Uninstall {
            outcome.warnings.extend(self.program.warning.clone());
        }
        outcome
    }

    /// What earlier setups did. One that is there and cannot be read is not taken for none: it says what was there before.
    fn record(&self) -> Result<Record, OpError> {
        let fail = |error| OpError::failure(format!("cannot read {}", self.shown(&self.record_path))).caused_by(error);
        let bytes = read_outside(&self.record_path).map_err(fail)?;
        Ok(bytes.and_then(|bytes| Record::read(&String::from_utf8(bytes).ok()?)).unwrap_or_default())
    }

    /// A path as a person would write it.
    fn shown(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(below) if !below.as_os_str().is_empty() => format!("~/{}", below.display()),
            _ => path.display().to_string(),
        }
    }
}
