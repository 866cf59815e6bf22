//! The product's table of contents, in the order `handoff help` shows it.

use crate::Entry;
use crate::agent::{CaptureSession, ShowHooks, TurnHooksOff, TurnHooksOn};
use crate::calendar::{ShowCalendar, UpdateCalendar};
use crate::config::{ExplainConfig, GetConfig, ReadConfigFile, SetConfig};
use crate::dashboard::Dashboard;
use crate::doctor::Doctor;
use crate::export::Export;
use crate::history::{Redo, ShowLog, Undo};
use crate::import::Import;
use crate::item::{AnswerQuestion, AskQuestion, CompleteItems, DropItems, ListOpenItems};
use crate::keys::{ListKeys, NewKey};
use crate::label::{AddLabels, ListLabels, RemoveLabels, SetLabels};
use crate::local_state::{ListSetAside, RestoreSetAside};
use crate::memory::{AddMemory, CleanUpMemories, EditMemory, ListMemories, RetireMemory, SearchMemories, ShowMemory};
use crate::metrics::{
    MeasureHandoffs, ShowAccuracy, ShowBurndown, ShowFlow, ShowMetrics, ShowSessionTime, ShowVelocity,
};
use crate::milestone::{AddMilestone, ListMilestones, RemoveMilestone, UpdateMilestone};
use crate::package::{ExtendPackage, ListHandoffs, PinPackage, RetrievePackage, SelectHandoff, StorePackage};
use crate::pause::{PauseWriting, UnpauseWriting};
use crate::place::{ForgetProject, Init, ListProjects, Share, Unshare};
use crate::plan::{ApplyPlan, MoveInPlan, ShowCapacity, ShowNext, ShowPlan, StartProject};
use crate::published;
use crate::render::RenderSession;
use crate::resume::ResumeSession;
use crate::run::{CheckHandover, RunHandover, ShowStatus};
use crate::search::Search;
use crate::secrets::{AllowSecret, ScanSecrets};
use crate::session::{
    CloseSession, DiffSessions, ForkSession, ListSessions, MergeSessions, PauseSession, ReopenSession, RestoreSession,
    SaveSession, SessionTemplate, ShowSession, StartSession, UpdateSession,
};
use crate::task::{
    CheckCriterion, CollectGarbage, CreateTask, DeleteTask, LinkTask, ListTasks, ListTrash, MoveTask, NoteTask,
    ReorderTask, RestoreTask, ShowTask, UncheckCriterion, UnlinkTask, UpdateTask,
};
use crate::team::{AddAssignee, ListAssignees, RemoveAssignee, RenameAssignee, SetBudget, ShowTeam, UpdateAssignee};
use crate::time::{CaptureTime, CorrectTime, ListTime, LogTime, SummarizeTime};
use crate::timer::{
    DecideIdle, DiscardTimer, PauseTimer, ReportActivity, ResumeTimer, ShowTimers, StartTimer, StopTimer, SwitchTimer,
};
use crate::trust::{AddSigner, ListHandovers, ListSigners, RemoveSigner, RevokeHandover, TrustHandover};
use crate::why::Why;

/// Every operation.
pub const ALL: &[Entry] = &[
    Entry::of::<Init>(),
    Entry::of::<Share>(),
    Entry::of::<Unshare>(),
    Entry::of::<ResumeSession>(),
    Entry::of::<SaveSession>(),
    Entry::of::<ListOpenItems>(),
    Entry::of::<CompleteItems>(),
    Entry::of::<DropItems>(),
    Entry::of::<AskQuestion>(),
    Entry::of::<AnswerQuestion>(),
    Entry::of::<RunHandover>(),
    Entry::of::<CheckHandover>(),
    Entry::of::<ShowStatus>(),
    Entry::of::<RenderSession>(),
    Entry::of::<CaptureSession>(),
    Entry::of::<StorePackage>(),
    Entry::of::<RetrievePackage>(),
    Entry::of::<ListHandoffs>(),
    Entry::of::<SelectHandoff>(),
    Entry::of::<ExtendPackage>(),
    Entry::of::<PinPackage>(),
    Entry::of::<Search>(),
    Entry::of::<StartSession>(),
    Entry::of::<ListSessions>(),
    Entry::of::<ShowSession>(),
    Entry::of::<UpdateSession>(),
    Entry::of::<PauseSession>(),
    Entry::of::<CloseSession>(),
    Entry::of::<ReopenSession>(),
    Entry::of::<ForkSession>(),
    Entry::of::<MergeSessions>(),
    Entry::of::<DiffSessions>(),
    Entry::of::<RestoreSession>(),
    Entry::of::<SessionTemplate>(),
    Entry::of::<AddMemory>(),
    Entry::of::<ListMemories>(),
    Entry::of::<ShowMemory>(),
    Entry::of::<SearchMemories>(),
    Entry::of::<EditMemory>(),
    Entry::of::<RetireMemory>(),
    Entry::of::<CleanUpMemories>(),
    Entry::of::<Why>(),
    Entry::of::<ShowMetrics>(),
    Entry::of::<ShowBurndown>(),
    Entry::of::<ShowVelocity>(),
    Entry::of::<ShowFlow>(),
    Entry::of::<ShowAccuracy>(),
    Entry::of::<ShowSessionTime>(),
    Entry::of::<MeasureHandoffs>(),
    Entry::of::<Dashboard>(),
    Entry::of::<CreateTask>(),
    Entry::of::<ListTasks>(),
    Entry::of::<ShowTask>(),
    Entry::of::<UpdateTask>(),
    Entry::of::<NoteTask>(),
    Entry::of::<CheckCriterion>(),
    Entry::of::<UncheckCriterion>(),
    Entry::of::<LinkTask>(),
    Entry::of::<UnlinkTask>(),
    Entry::of::<MoveTask>(),
    Entry::of::<ReorderTask>(),
    Entry::of::<DeleteTask>(),
    Entry::of::<RestoreTask>(),
    Entry::of::<ListTrash>(),
    Entry::of::<CollectGarbage>(),
    Entry::of::<ShowTeam>(),
    Entry::of::<ListAssignees>(),
    Entry::of::<AddAssignee>(),
    Entry::of::<UpdateAssignee>(),
    Entry::of::<RenameAssignee>(),
    Entry::of::<RemoveAssignee>(),
    Entry::of::<SetBudget>(),
    Entry::of::<ListMilestones>(),
    Entry::of::<AddMilestone>(),
    Entry::of::<UpdateMilestone>(),
    Entry::of::<RemoveMilestone>(),
    Entry::of::<ShowCalendar>(),
    Entry::of::<UpdateCalendar>(),
    Entry::of::<ListLabels>(),
    Entry::of::<SetLabels>(),
    Entry::of::<AddLabels>(),
    Entry::of::<RemoveLabels>(),
    Entry::of::<StartTimer>(),
    Entry::of::<StopTimer>(),
    Entry::of::<PauseTimer>(),
    Entry::of::<ResumeTimer>(),
    Entry::of::<SwitchTimer>(),
    Entry::of::<ShowTimers>(),
    Entry::of::<DiscardTimer>(),
    Entry::of::<DecideIdle>(),
    Entry::of::<ReportActivity>(),
    Entry::of::<LogTime>(),
    Entry::of::<CaptureTime>(),
    Entry::of::<ListTime>(),
    Entry::of::<CorrectTime>(),
    Entry::of::<SummarizeTime>(),
    Entry::of::<ShowPlan>(),
    Entry::of::<ShowNext>(),
    Entry::of::<ApplyPlan>(),
    Entry::of::<MoveInPlan>(),
    Entry::of::<ShowCapacity>(),
    Entry::of::<StartProject>(),
    Entry::of::<ShowLog>(),
    Entry::of::<Undo>(),
    Entry::of::<Redo>(),
    Entry::of::<GetConfig>(),
    Entry::of::<SetConfig>(),
    Entry::of::<ExplainConfig>(),
    Entry::of::<ReadConfigFile>(),
    Entry::of::<ScanSecrets>(),
    Entry::of::<AllowSecret>(),
    Entry::of::<ShowHooks>(),
    Entry::of::<TurnHooksOff>(),
    Entry::of::<TurnHooksOn>(),
    Entry::of::<PauseWriting>(),
    Entry::of::<UnpauseWriting>(),
    Entry::of::<Doctor>(),
    Entry::of::<ListSetAside>(),
    Entry::of::<RestoreSetAside>(),
    Entry::of::<Export>(),
    Entry::of::<Import>(),
    Entry::of::<NewKey>(),
    Entry::of::<ListKeys>(),
    Entry::of::<AddSigner>(),
    Entry::of::<ListSigners>(),
    Entry::of::<RemoveSigner>(),
    Entry::of::<TrustHandover>(),
    Entry::of::<ListHandovers>(),
    Entry::of::<RevokeHandover>(),
    Entry::of::<ListProjects>(),
    Entry::of::<ForgetProject>(),
    Entry::of::<published::Init>(),
    Entry::of::<published::ListTasks>(),
    Entry::of::<published::UpdateTask>(),
    Entry::of::<published::GetTask>(),
    Entry::of::<published::CheckCriterion>(),
    Entry::of::<published::GetConfig>(),
    Entry::of::<published::UpdateConfig>(),
    Entry::of::<published::BulkUpdateTasks>(),
    Entry::of::<published::AutoSchedule>(),
    Entry::of::<published::SaveMemory>(),
    Entry::of::<published::QueryMemories>(),
    Entry::of::<published::DeleteMemory>(),
];

/// The groups that commands are in, each with its help text.
pub const NOUNS: &[(&str, &str)] = &[
    ("session", "The sessions that were worked, and what they left behind"),
    ("memory", "Rules, conventions, lessons, gotchas and facts that last"),
    ("metrics", "What the records say about how work goes"),
    ("task", "Build and work the task tree"),
    ("team", "Who works on the project, and how much it may cost"),
    ("milestone", "Dates that work is planned towards"),
    ("calendar", "Which days are worked, and for how long"),
    ("label", "The labels of tasks"),
    ("timer", "What you are working on right now"),
    ("time", "The time that was worked"),
    ("plan", "Who does what on which days, and what comes next"),
    ("config", "Look at and change settings"),
    ("secrets", "Find secrets before they leave this machine"),
    ("hook", "What coding agents call by themselves"),
    ("keys", "Your keys to sign bundles with"),
    ("trust", "Whose bundles are believed, and which handovers may run commands"),
    ("local", "Machine-local state that was not made here"),
    ("project", "The projects known on this machine"),
];

/// What a group of commands does when only its name is given.
pub const DEFAULTS: &[(&str, &str)] = &[
    ("team", "team.show"),
    ("local", "local.list"),
    ("milestone", "milestone.list"),
    ("calendar", "calendar.show"),
    ("label", "label.list"),
    ("memory", "memory.list"),
    ("timer", "timer.status"),
    ("time", "time.summary"),
    ("plan", "plan.show"),
    ("metrics", "metrics.show"),
];

/// What `handoff` alone shows: the commands people need first, each with what it is for.
pub const FIRST_STEPS: &[(&str, &str)] = &[
    ("handoff init", "make a project here"),
    ("handoff task create \"Implement auth\"", "add a task"),
    ("handoff save \"Parser done\" --next \"Fix the tests\"", "leave a handoff"),
    ("handoff resume", "pick it up again"),
    ("handoff mcp", "serve agents over MCP"),
];

/// The operation with this name, such as `task.update`.
pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Request;

    #[test]
    fn names_and_tools_are_unique() {
        let names: BTreeSet<_> = ALL.iter().map(|entry| entry.name).collect();
        let tools: BTreeSet<_> = ALL.iter().map(|entry| entry.tool).collect();
        assert_eq!((names.len(), tools.len()), (ALL.len(), ALL.len()));
    }

    #[test]
    fn a_noun_is_never_also_a_command() {
        for entry in ALL {
            assert!(ALL.iter().all(|other| other.noun() != Some(entry.name)), "{}", entry.name);
        }
    }

    #[test]
    fn every_noun_has_a_help_text() {
        for noun in ALL.iter().filter_map(Entry::noun) {
            assert!(NOUNS.iter().any(|(name, _)| *name == noun), "{noun}");
        }
    }

    #[test]
    fn what_a_noun_does_alone_is_one_of_its_operations() {
        for (noun, name) in DEFAULTS {
            assert_eq!(find(name).and_then(Entry::noun), Some(*noun), "{name}");
        }
    }

    #[test]
    fn every_example_is_a_valid_request() {
        for entry in ALL {
            if let Err(error) = entry.read(Request::Json(entry.example())) {
                panic!("{}: {error}", entry.name);
            }
        }
    }

    // clap takes the help text of a flattened struct for that of the whole command, which is easily missed.
    #[test]
    fn the_help_of_every_operation_is_its_own_doc_comment() {
        for entry in ALL {
            let schema = entry.schema();
            let doc = schema["description"].as_str().unwrap_or_default();
            let about = entry.about();
            assert!(!about.is_empty() && doc.starts_with(&about), "{}: {about:?} is not {doc:?}", entry.name);
            assert!(!about.ends_with('.'), "{}: the first line has no full stop", entry.name);
        }
    }
}
