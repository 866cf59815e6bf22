//! Running operations for a client: the one place where a request meets its cancellation, its time limit, the queue of
//! changes and the end of the server.
//!
//! **Invariant:** changes to one project are made in the order they were asked for; reading never waits for them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use handoff_ops::{
    Caller, Connection, Door, Effect, Entry, Hint, Marks, OpError, Place, Project, Reply, Request, ServerCache, Stop,
    dispatch,
};
use rmcp::model::JsonObject;
use serde_json::Value;
use tokio::sync::{OwnedMutexGuard, RwLock, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use crate::Settings;
use crate::progress::{Step, Steps, Watcher};

/// Operations that may run at the same time. Changes wait in line before they take a thread, so this is for reading.
pub(crate) const THREADS: u32 = 16;
/// How long an operation that was told to stop may take to do so.
const GRACE: Duration = Duration::from_secs(2);

/// One request for an operation.
pub(crate) struct Asked {
    pub(crate) entry: &'static Entry,
    pub(crate) request: JsonObject,
    pub(crate) project_dir: Option<PathBuf>,
    pub(crate) caller: Caller,
}

/// Runs operations on threads of their own.
pub(crate) struct Runner {
    settings: Settings,
    connection: Arc<Connection>,
    server_cache: Arc<ServerCache>,
    threads: Arc<Semaphore>,
    lanes: Lanes,
    /// Held shared by every change that is under way
    changing: Arc<RwLock<()>>,
    /// Cancelled when the server must end at once.
    closing: CancellationToken,
}

impl Runner {
    pub(crate) fn new(settings: Settings, closing: CancellationToken) -> Runner {
        Runner {
            settings,
            connection: Connection::new(),
            server_cache: ServerCache::new(),
            threads: Arc::new(Semaphore::new(THREADS as usize)),
            lanes: Lanes::default(),
            changing: Arc::default(),
            closing,
        }
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(crate) fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }

    /// Runs one operation to its end, unless the client gives it up, its time is over or the server ends.
    pub(crate) async fn run(
        &self,
        asked: Asked,
        given_up: &CancellationToken,
        watcher: Option<&Watcher>,
    ) -> Result<Reply, OpError> {
        let name = asked.entry.tool;
        let stop = Stop::after(self.settings.timeout);
        let (steps, mut reported) = mpsc::unbounded_channel();
        let work = self.perform(asked, stop.clone(), watcher.map(|_| Steps::new(steps)));
        let mut work = std::pin::pin!(work);
        // The operation looks at the clock itself; this is for one that does not come round to it.
        let mut time_is_up = std::pin::pin!(tokio::time::sleep(self.settings.timeout + GRACE));
        loop {
            tokio::select! {
                biased;
                // Before the result: afterwards nobody listens any more.
                Some(step) = reported.recv() => tell(watcher, step).await,
                result = &mut work => return result,
                () = given_up.cancelled() => {
                    stop.stop();
                    return Err(OpError::failure(format!("`{name}` was cancelled")));
                }
                () = self.closing.cancelled() => break,
                () = &mut time_is_up => return Err(self.took_too_long(name)),
            }
        }
        // What is being written at this moment is finished, and then it is a success.
        stop.stop();
        let ended = tokio::time::timeout(GRACE, work).await;
        ended.unwrap_or_else(|_| Err(OpError::failure(format!("`{name}` was stopped: the server ends"))))
    }

    /// Counters that grow when something changes in the server's own project.
    pub(crate) async fn marks(&self) -> Option<Marks> {
        let place = self.place(self.settings.project_dir.clone()).ok()?;
        let cache = Arc::clone(&self.server_cache);
        let _thread = self.threads.acquire().await.ok()?;
        tokio::task::spawn_blocking(move || cache.marks(&place)).await.ok()?
    }

    /// Waits until no change is under way. Reading may be cut off at any time, so it is not waited for.
    pub(crate) async fn settle(&self) {
        drop(self.changing.write().await);
    }

    async fn perform(&self, asked: Asked, stop: Stop, steps: Option<Steps>) -> Result<Reply, OpError> {
        let Asked { entry, request, project_dir, caller } = asked;
        let settings = &self.settings;
        let project_dir = project_dir.or_else(|| settings.project_dir.clone());
        let place = self.place(project_dir.clone())?;
        // The brake goes past those who wait.
        let is_at_once = entry.effect.is_reading() || entry.effect == Effect::Brake;
        let turn = if is_at_once { None } else { Some(self.lanes.turn(project_dir).await) };
        let thread = Arc::clone(&self.threads).acquire_owned().await;
        let changing =
            if entry.effect.is_reading() { None } else { Some(Arc::clone(&self.changing).read_owned().await) };
        let (actor, cache) = (settings.actor.clone(), Arc::clone(&self.server_cache));
        let executable = settings.executable.clone();
        let work = tokio::task::spawn_blocking(move || {
            let mut project = Project::new(place, actor, Door::Mcp);
            project.caller = caller;
            project.executable = executable;
            project.stop = stop;
            project.server_cache = Some(cache);
            project.progress = steps.map(Steps::listener);
            let result = dispatch(entry, &mut project, Request::Json(Value::Object(request)));
            // Whoever asked may be gone by now; the next in line goes on only here.
            drop((turn, thread, changing));
            result
        });
        work.await.unwrap_or_else(|error| Err(OpError::failure("internal error").caused_by(error)))
    }

    fn place(&self, project_dir: Option<PathBuf>) -> Result<Place, OpError> {
        let Settings { cwd, env, settings, .. } = &self.settings;
        // An explicit directory is enough to work with, even where the current one was deleted.
        let cwd = cwd.clone().or_else(|| project_dir.clone().filter(|dir| dir.is_absolute()));
        let cwd =
            cwd.ok_or_else(|| OpError::failure("the server's working directory does not exist: give `project_dir`"))?;
        Ok(Place { project_dir, cwd, env: env.clone(), settings: settings.clone() })
    }

    fn took_too_long(&self, name: &str) -> OpError {
        let seconds = self.settings.timeout.as_secs();
        OpError::failure(format!("`{name}` was stopped after {seconds} seconds"))
            .hint(Hint::say("look at how things stand before asking again: it may still have happened"))
    }
}

async fn tell(watcher: Option<&Watcher>, step: Step) {
    if let Some(watcher) = watcher {
        watcher.tell(step).await;
    }
}

/// Whose turn it is to change which project.
#[derive(Default)]
struct Lanes(Mutex<HashMap<Option<PathBuf>, Weak<tokio::sync::Mutex<()>>>>);

impl Lanes {
    async fn turn(&self, project_dir: Option<PathBuf>) -> OwnedMutexGuard<()> {
        let lane = {
            let mut lanes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            lanes.retain(|_, lane| lane.strong_count() > 0);
            match lanes.get(&project_dir).and_then(Weak::upgrade) {
                Some(lane) => lane,
                None => {
                    let lane = Arc::default();
                    lanes.insert(project_dir, Arc::downgrade(&lane));
                    lane
                }
            }
        };
        lane.lock_owned().await
    }
}

#[cfg(test)]
mod tests {
    use clap::Args;
    use handoff_ops::page::Page;
    use handoff_ops::{Effect, Environment, Operation, Report, ToolSet};
    use schemars::JsonSchema;
    use serde::{Deserialize, Deserializer, Serialize};
    use serde_json::json;

    use super::*;

    /// Fall over
    #[derive(Debug, Args, Deserialize, JsonSchema)]
    struct Fall {
        /// While the request is read
        #[arg(long)]
        #[serde(default, deserialize_with = "fall_if")]
        early: bool,
    }

    fn fall_if<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
        let early = bool::deserialize(deserializer)?;
        assert!(!early, "it fell early");
        Ok(early)
    }

    #[derive(Serialize, JsonSchema)]
    struct Fallen {}

    impl Report for Fallen {
        fn page(&self) -> Page {
            Page::new()
        }
    }

    impl Operation for Fall {
        const NAME: &'static str = "fall";
        const TOOL: &'static str = "handoff_fall";
        const SET: ToolSet = ToolSet::Core;
        const EFFECT: Effect = Effect::Found;
        type Outcome = Fallen;

        fn example() -> Value {
            json!({})
        }

        fn run(self, _project: &mut Project) -> Result<Fallen, OpError> {
            panic!("it fell")
        }
    }

    const FALL: Entry = Entry::of::<Fall>();

    #[test]
    fn a_panic_is_an_answer_and_the_next_request_is_served() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let settings = Settings::new(Some(PathBuf::from("/")), Environment::default(), None).unwrap();
        let runner = Runner::new(settings, CancellationToken::new());
        runtime.block_on(async {
            for (early, expected) in
                [(false, "internal error in `fall`"), (true, "internal error"), (false, "internal error in `fall`")]
            {
                let Value::Object(request) = json!({ "early": early }) else { unreachable!() };
                let asked = Asked { entry: &FALL, request, project_dir: None, caller: Caller::default() };
                let error = runner.run(asked, &CancellationToken::new(), None).await.unwrap_err();
                assert_eq!(error.message(), expected);
            }
            runner.settle().await;
        });
    }
}
