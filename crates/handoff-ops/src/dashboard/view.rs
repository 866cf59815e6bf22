//! One project, read from its directory.

use std::cmp::Reverse;
use std::path::Path;
use std::time::Instant;

use handoff_model::config::{Source, Sources, resolve};
use handoff_model::id::{SessionId, TaskId};
use handoff_model::number::Number;
use handoff_model::problem::{Problem, Severity};
use handoff_model::session::open_items::OpenItems;
use handoff_model::session::{ItemKind, SessionStatus};
use handoff_model::task::{Priority, Status};
use handoff_model::when::Moment;
use handoff_store::{CONFIG_FILE, Node, is_project};
use schemars::JsonSchema;
use serde::Serialize;

use super::search::ProjectPlace;
use super::sessions::at_a_glance;
use crate::item::OpenCounts;
use crate::resume::COMMIT_TIME;
use crate::resume::gather::Held;
use crate::task::Summary;
use crate::{OpError, Project};

/// A project at a glance.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProjectView {
    pub name: String,
    pub path: String,
    pub state: ProjectState,
    /// What cannot be read, and why
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// How many tasks there are in each status
    pub summary: Summary,
    /// The open tasks, those in work first; finished ones where they were asked for
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<ProjectTask>,
    /// What is open, as `handoff open` says; absent where nothing is
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<OpenInProject>,
    /// Open blockers of all sessions
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<String>,
    /// Titles of the sessions that are under way
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub active_sessions: Vec<String>,
    /// Sessions that were paused
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paused_sessions: Vec<PausedSession>,
    /// The last handoff
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_session: Option<LastSession>,
    /// The git branch it is on
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// When a task or session was last touched
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_activity: Option<Moment>,
}

/// How a project was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProjectState {
    Ok,
    /// Something in it cannot be read
    Broken,
    /// It was known, and is not there any more
    Gone,
}

/// One task of a project.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProjectTask {
    pub id: TaskId,
    pub number: Number,
    pub title: String,
    pub status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
}

/// Open items of a project.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OpenInProject {
    #[serde(flatten)]
    pub counts: OpenCounts,
    /// The first blockers and next steps, in the order to take them
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<ProjectItem>,
}

/// An open blocker or next step of a project.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProjectItem {
    /// Id to name it by, such as `n7`
    pub id: String,
    pub kind: ItemKind,
    pub text: String,
}

/// A session that is to be gone on with.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PausedSession {
    pub id: SessionId,
    /// What it is called on one line
    pub title: String,
}

/// The session a project was left with.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LastSession {
    /// Its full name
    pub name: String,
    /// When it ended, or began
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<Moment>,
    /// What it is called on one line
    pub title: String,
    pub summary: String,
    pub status: SessionStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

impl ProjectView {
    /// Reports whether it is the project in a directory.
    pub(super) fn is_at(&self, dir: &Path) -> bool {
        let path = Path::new(&self.path);
        path == dir || path.canonicalize().ok().is_some_and(|path| dir.canonicalize().ok() == Some(path))
    }

    /// Reads it; git is asked for commits that settle items until a moment.
    pub(super) fn of(project: &Project, place: &ProjectPlace, include_completed: bool, until: Instant) -> ProjectView {
        let mut view = ProjectView {
            name: place.fallback_name(),
            path: place.dir.display().to_string(),
            state: ProjectState::Ok,
            problem: None,
            summary: Summary::default(),
            tasks: Vec::new(),
            open: None,
            blockers: Vec::new(),
            active_sessions: Vec::new(),
            paused_sessions: Vec::new(),
            last_session: None,
            branch: None,
            last_activity: None,
        };
        if !is_project(&place.dir) {
            view.state = ProjectState::Gone;
            return view;
        }
        let mut damage = Vec::new();
        match project.look_into(&place.dir) {
            Ok(project) => {
                view.read(&project, include_completed, &mut damage);
                view.read_sessions(&project, until, &mut damage);
            }
            Err(error) => damage.push(OpError::from(error).sentence()),
        }
        view.branch = branch_of(&place.dir);
        if let Some(first) = damage.first() {
            view.state = ProjectState::Broken;
            view.problem = Some(match damage.len() {
                1 => first.clone(),
                all => format!("{first}, and {} more", all - 1),
            });
        }
        view
    }

    fn read(&mut self, project: &Project, include_completed: bool, damage: &mut Vec<String>) {
        let store = project.store();
        match store.file(CONFIG_FILE) {
            Ok(Some((text, _))) => {
                let source = Source { path: CONFIG_FILE.to_owned(), text };
                let resolved = resolve(Sources { project: Some(source), ..Sources::default() });
                if let Some(name) = resolved.config.project.name.clone() {
                    self.name = name.into();
                }
                damage.extend(resolved.problems().filter(is_damage).map(ToString::to_string));
            }
            Ok(None) => {}
            Err(error) => damage.push(OpError::from(error).sentence()),
        }
        match store.forest() {
            Ok(forest) => {
                damage.extend(forest.problems.iter().filter(|problem| problem.hides()).map(ToString::to_string));
                let nodes = forest.walk();
                self.summary = Summary::of(&nodes);
                self.last_activity = nodes.iter().filter_map(|node| node.task.last_touched()).max();
                self.tasks = tasks(&nodes, include_completed);
            }
            Err(error) => damage.push(OpError::from(error).sentence()),
        }
        match store.archived_tasks() {
            Ok(archived) => {
                damage.extend(archived.forest.problems.iter().filter(is_damage).map(ToString::to_string));
                self.summary.archived = archived.forest.len();
            }
            Err(error) => damage.push(OpError::from(error).sentence()),
        }
    }

    fn read_sessions(&mut self, project: &Project, until: Instant, damage: &mut Vec<String>) {
        let held = match Held::read_with_conversations(project) {
            Ok(held) => held,
            Err(error) => {
                let sentence = error.sentence();
                if !damage.contains(&sentence) {
                    damage.push(sentence);
                }
                return;
            }
        };
        // What is open comes from all sessions, so whatever is wrong in one of them may be why something is missing.
        let problems = held.sessions.problems.iter().chain(&held.archived.problems);
        damage.extend(problems.map(ToString::to_string));
        let sessions = at_a_glance(&held.sessions);
        self.last_activity = self.last_activity.max(sessions.last_activity);
        self.last_session = sessions.last;
        self.active_sessions = sessions.active;
        self.paused_sessions = sessions.paused;
        let commit_time = until.saturating_duration_since(Instant::now()).min(COMMIT_TIME);
        let items = held.items(project, commit_time);
        self.blockers = open_of(&items, ItemKind::Blocker).map(|item| item.text).collect();
        self.open = OpenInProject::of(&items);
    }

    /// Those worked in last come first, those that are gone last.
    pub(super) fn rank(&self) -> (bool, Reverse<Option<Moment>>, String, &str) {
        let is_gone = self.state == ProjectState::Gone;
        (is_gone, Reverse(self.last_activity), self.name.to_lowercase(), &self.path)
    }
}

impl OpenInProject {
    fn of(items: &OpenItems<'_>) -> Option<OpenInProject> {
        let counts = OpenCounts::of(items);
        let first = |kind| open_of(items, kind).take(MOST_OF_A_KIND);
        let listed = first(ItemKind::Blocker).chain(first(ItemKind::Next)).collect();
        (counts != OpenCounts::default()).then_some(OpenInProject { counts, items: listed })
    }
}

/// Blockers and next steps of each project that are listed.
const MOST_OF_A_KIND: usize = 3;

fn open_of(items: &OpenItems<'_>, kind: ItemKind) -> impl Iterator<Item = ProjectItem> {
    let open = items.open().into_iter().filter(move |item| item.kind == kind);
    open.map(move |item| ProjectItem { id: items.shown_id(item), kind, text: item.text.to_owned() })
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "a filter passes a reference to its items")]
fn is_damage(problem: &&Problem) -> bool {
    problem.severity == Severity::Damaged
}

/// The tasks to show: what is in work, what is stuck, what matters most; otherwise in the order of the tree.
fn tasks(nodes: &[&Node], include_completed: bool) -> Vec<ProjectTask> {
    let shown = nodes.iter().filter(|node| include_completed || node.task.status.is_open());
    let mut tasks: Vec<ProjectTask> = shown
        .map(|node| ProjectTask {
            id: node.task.id,
            number: node.number.clone(),
            title: node.task.title.clone(),
            status: node.task.status,
            priority: node.task.priority,
        })
        .collect();
    tasks.sort_by_key(|task| (urgency(task.status), Reverse(task.priority.unwrap_or(Priority::Medium))));
    tasks
}

fn urgency(status: Status) -> usize {
    match status {
        Status::InProgress => 0,
        Status::Blocked => 1,
        Status::Review => 2,
        Status::Todo => 3,
        Status::Done => 4,
        Status::Skipped => 5,
    }
}

/// The branch a directory is on; a commit without a branch is named by its first digits.
fn branch_of(dir: &std::path::Path) -> Option<String> {
    let head = handoff_store::git::Git::around(dir)?.head();
    head.branch.or_else(|| head.commit.map(|commit| commit.chars().take(7).collect()))
}
