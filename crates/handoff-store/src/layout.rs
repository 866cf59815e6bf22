//! Where things lie in a store.

pub(crate) const CONFIG: &str = "config.toml";
pub(crate) const GITIGNORE: &str = ".gitignore";
/// The known projects, in the user store only
pub(crate) const REGISTRY: &str = "projects.toml";
pub(crate) const PAUSE: &str = "PAUSE";
pub(crate) const CURRENT_STATE: &str = "current-state.md";
pub(crate) const TASKS: &str = "tasks";
pub(crate) const SESSIONS: &str = "sessions";
pub(crate) const ARCHIVE: &str = "archive";
pub(crate) const TASK_FILE: &str = "task.toml";
pub(crate) const TIME: &str = "time";
pub(crate) const MEMORY: &str = "memory";
pub(crate) const LOCAL: &str = "local";
/// Local directories that were not made here
pub(crate) const SET_ASIDE: &str = "local/set-aside";
pub(crate) const CACHE: &str = "local/cache";
pub(crate) const STATE: &str = "local/state";
pub(crate) const LOCK: &str = "local/state/lock";
pub(crate) const TMP: &str = "local/state/tmp";
/// The last handover, step by step
pub(crate) const CHECKPOINT: &str = "local/state/checkpoint.json";
/// Who drives a handover
pub(crate) const RUN_LOCK: &str = "local/state/run.lock";
/// Handovers that were asked for while another was under way
pub(crate) const QUEUE: &str = "local/state/queue";
/// What lay in the queue and was no request
pub(crate) const QUEUE_DAMAGED: &str = "local/state/queue-damaged";
/// Handovers that are over
pub(crate) const RUNS: &str = "local/state/runs.jsonl";
pub(crate) const TRASH: &str = "local/state/trash";
/// Sessions whose lifetime was over when somebody cleaned up, and bodies whose making was taken back
pub(crate) const TRASHED_SESSIONS: &str = "local/state/trash-sessions";
/// Bodies of packages that are being made.
pub(crate) const NEW_BODIES: &str = "local/state/new-bodies";
pub(crate) const GENERATION: &str = "local/state/generation";
pub(crate) const NUMBERS: &str = "local/state/numbers";
/// A change of several records that must be finished
pub(crate) const JOURNAL: &str = "local/state/journal.json";
/// A change of several records that must be undone
pub(crate) const UNDO_JOURNAL: &str = "local/state/journal-undo.json";
/// How far a change of several records has come
pub(crate) const REACHED: &str = "local/state/journal-reached";
/// What was changed, with what it was before
pub(crate) const LOG: &str = "local/state/log";
/// Which agent works in which session
pub(crate) const BOUND: &str = "local/state/bound";
/// What is known of the sessions of agents
pub(crate) const AGENTS: &str = "local/state/agents";
/// What went wrong when agents called
pub(crate) const HOOK_LOG: &str = "local/state/hook.log";
/// What sessions made of the handoffs they were given
pub(crate) const USEFULNESS: &str = "local/state/usefulness.jsonl";
/// When memories were used on this machine
pub(crate) const MEMORY_USE: &str = "local/state/memory-use.jsonl";
/// What people are working on, one file for each of them
pub(crate) const TIMERS: &str = "local/state/timers";
/// What `doctor` wrote over or took away
pub(crate) const BACKUP: &str = "local/state/backup";
pub(crate) const WORDS: &str = "local/cache/search";
pub(crate) const LOCATOR: &str = "local/cache/locator";
pub(crate) const INDEX: &str = "local/cache/index";
pub(crate) const SESSION_INDEX: &str = "local/cache/sessions";
/// What was read of the memories
pub(crate) const MEMORY_INDEX: &str = "local/cache/memory";
/// The words of the memories
pub(crate) const MEMORY_WORDS: &str = "local/cache/memory-words";
pub(crate) const GIT_HISTORY: &str = "local/cache/git-history";
/// Answers of git that cannot change
pub(crate) const GIT_ANSWERS: &str = "local/cache/git-answers";
/// How commands of handovers got on
pub(crate) const STEPS: &str = "local/state/steps";
