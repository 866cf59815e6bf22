//! Work of an agent's conversation, as a digest tells it, becomes a handoff.
//!
//! **Invariant:** a conversation's work is told once. It goes into the session that the conversation has open; what came
//! after a handoff that it left goes into a new session that continues that one; and where nothing came after, nothing
//! is written.

use std::sync::Arc;
use std::time::Duration;

use handoff_model::agent::{Compiled, Digest, Host, compile, compiled_from};
use handoff_model::id::SessionId;
use handoff_model::secret::redact;
use handoff_model::session::{GitFacts, ItemEnding, SessionKind, SessionStatus};
use handoff_model::when::Moment;
use handoff_store::git::Git;
use handoff_store::{Bound, FoundSession, Process, Sessions};

use super::settled::by_gone_files;
use crate::session::change::{self, Changed, Changing, Seen};
use crate::session::recorded::Recorded;
use crate::session::which;
use crate::{OpError, Project};

/// Work that ended so many seconds ago was done in another state of the repository, perhaps.
const LONG_AGO: i64 = 60;

/// What a conversation came to, and whose it is.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) host: Host,
    /// The agent's own id of the conversation
    pub(crate) conversation: String,
    pub(crate) digest: Digest,
    /// The agent's process, which holds the session while it runs
    pub(crate) process: Option<Process>,
    /// The directory of the work, where that is another one whose files stand for those of the project
    pub(crate) elsewhere: Option<String>,
    /// The handoff that was made of it before all of it was read
    pub(crate) completes: Option<SessionId>,
    /// Whether somebody wants it kept, however little it is
    pub(crate) is_asked_for: bool,
    /// Whether a session that cannot be read is waited for no longer
    pub(super) is_last_try: bool,
    pub(super) seen: Seen,
}

/// The status that a session has after work was put into it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StatusAfter {
    Exactly(SessionStatus),
    /// For a conversation that is over. A session that was paused on purpose stays paused.
    ClosedUnlessPaused,
    /// The session of an agent that is alive goes on; any other is over.
    AsItsHolderLives,
}

impl StatusAfter {
    fn of(self, target: Option<&FoundSession>, bound: &[Bound]) -> SessionStatus {
        let is_paused = target.is_some_and(|found| found.session.status == SessionStatus::Paused);
        match (self, target) {
            (StatusAfter::Exactly(status), _) => status,
            (StatusAfter::AsItsHolderLives, Some(found)) if is_held(bound, &found.session.id) => found.session.status,
            _ if is_paused => SessionStatus::Paused,
            _ => SessionStatus::Closed,
        }
    }
}

/// What came of it.
pub(crate) enum Compilation {
    /// It was put into a session
    Put(Box<Put>),
    /// It stands in this handoff already
    Told(Arc<FoundSession>),
    /// There was no work
    Nothing,
}

/// Work that was put into a session.
pub(crate) struct Put {
    pub(crate) found: FoundSession,
    pub(crate) compiled: Compiled,
    pub(crate) is_new: bool,
    /// Files that were changed and are not there any more
    pub(crate) missing: usize,
    pub(crate) warnings: Vec<String>,
}

/// What is to be written where.
pub(crate) struct Plan {
    pub(crate) compiled: Compiled,
    /// The session it goes into; a new one where there is none
    pub(crate) target: Option<Arc<FoundSession>>,
    pub(crate) continues: Option<Arc<FoundSession>>,
    pub(crate) missing: usize,
}

/// What is found before anything is written.
pub(crate) enum Planned {
    Write(Box<Plan>),
    Told(Arc<FoundSession>),
    Nothing,
}

impl Plan {
    /// Whether it completes a handoff that is closed.
    fn completes(&self) -> bool {
        self.target.as_ref().is_some_and(|found| found.session.status == SessionStatus::Closed)
    }
}

impl Work {
    pub(crate) fn new(host: Host, conversation: impl Into<String>, digest: Digest) -> Work {
        Work {
            host,
            conversation: conversation.into(),
            digest,
            process: None,
            elsewhere: None,
            completes: None,
            is_asked_for: false,
            is_last_try: false,
            seen: Seen::default(),
        }
    }

    /// Asks git about what will be written down; before the lock is taken.
    pub(crate) fn look(&mut self, project: &mut Project, limit: Duration) -> Result<(), OpError> {
        let Planned::Write(plan) = self.plan(project)? else { return Ok(()) };
        if plan.completes() {
            return Ok(());
        }
        let own = plan.target.iter().flat_map(|found| &found.session.pointers).map(|pointer| pointer.path.clone());
        let pointed: Vec<String> = plan.compiled.pointers.iter().map(|place| place.path.clone()).chain(own).collect();
        self.seen = change::look_within(project, &pointed, limit);
        let is_long_ago = |at: &Moment| project.now().timestamp().duration_since(at.timestamp()).as_secs() > LONG_AGO;
        if let Some(at) = self.digest.ended_at.filter(is_long_ago) {
            self.turn_back(project, at, limit);
        }
        Ok(())
    }

    /// Takes what git says back to a moment that is past: commits that came later are what changed since, and which
    /// changes were not committed then nobody can tell any more.
    fn turn_back(&mut self, project: &Project, at: Moment, limit: Duration) {
        let Some(now) = &self.seen.git else { return };
        let Some(git) = project.dir().and_then(|dir| Git::around(&dir)) else { return };
        let told = self.digest.about.branch.as_ref().filter(|branch| *branch != "HEAD");
        let other = told.filter(|branch| Some(*branch) != now.branch.as_ref());
        let asked = git.commits_at(other.map(String::as_str), at.timestamp().as_second(), project.patient(limit));
        let recent = asked.answer().unwrap_or_default();
        if other.is_none() && (recent.is_empty() || recent == now.recent) {
            return;
        }
        let commit = recent.first().and_then(|line| line.split(' ').next()).map(str::to_owned);
        let branch = told.or(now.branch.as_ref()).map(|branch| redact(branch).into_owned());
        self.seen = Seen { git: Some(GitFacts { branch, commit, recent, ..GitFacts::default() }), ..Seen::default() };
    }

    /// Finds out what is to be written, and writes nothing.
    pub(crate) fn plan(&self, project: &Project) -> Result<Planned, OpError> {
        let sessions = project.store().handoffs()?;
        let bound = project.store().bound();
        if let Some(planned) = self.completion(project, &sessions, &bound) {
            return Ok(planned);
        }
        let target = self.open(project, &sessions, &bound);
        if target.is_none() && !self.is_last_try {
            self.check_readable(&sessions, &bound)?;
        }
        let left = self.left(&sessions, &bound).next();
        let since = left.as_ref().and_then(|left| left.session.ended_at);
        let digest = match since.map(|since| self.digest.since(since)) {
            Some(Some(rest)) => rest,
            // A session that was begun since is there all the same, and may have to be closed.
            Some(None) if target.is_some() => Digest::default(),
            Some(None) => return Ok(left.map_or(Planned::Nothing, Planned::Told)),
            None => self.digest.clone(),
        };
        let is_slight = digest.is_slight() && !self.is_asked_for;
        let (compiled, missing) = self.compiled(project, digest);
        // A question in passing is no handoff, and would hide the one before it.
        let is_in_passing = || Ok::<bool, OpError>(is_slight && !settles_items(project, &compiled)?);
        if target.is_none() && (compiled.is_empty() || is_in_passing()?) {
            return Ok(Planned::Nothing);
        }
        Ok(Planned::Write(Box::new(Plan { compiled, target, continues: left, missing })))
    }

    /// What is to be written where a handoff lacks something, and nothing came after it.
    fn completion(&self, project: &Project, sessions: &Sessions, bound: &[Bound]) -> Option<Planned> {
        let lacking = self.completes.as_ref()?;
        let mut left = self.left(sessions, bound).skip_while(|found| found.session.id != *lacking);
        let target = left.next()?;
        if self.digest.since(target.session.ended_at?).is_some() {
            return None;
        }
        // What an earlier handoff tells is not told again.
        let before = left.next().and_then(|earlier| self.digest.since(earlier.session.ended_at?));
        let (compiled, missing) = self.compiled(project, before.unwrap_or_else(|| self.digest.clone()));
        if compiled.is_empty() {
            return Some(Planned::Told(target));
        }
        Some(Planned::Write(Box::new(Plan { compiled, target: Some(target), continues: None, missing })))
    }

    /// Stages the work in its session.
    pub(crate) fn compile(&mut self, project: &mut Project, status: StatusAfter) -> Result<Compilation, OpError> {
        let plan = match self.plan(project)? {
            Planned::Write(plan) => *plan,
            Planned::Told(found) => return Ok(Compilation::Told(found)),
            Planned::Nothing => return Ok(Compilation::Nothing),
        };
        if plan.completes() {
            return complete(project, plan);
        }
        let Plan { compiled, target, continues, missing } = plan;
        let before = project.store().bound();
        let status = status.of(target.as_deref(), &before);
        project.caller.agent_session = Some(self.conversation.clone());
        project.caller.tool = Some(self.host.word().to_owned());
        let seen = std::mem::take(&mut self.seen);
        let endings = endings(project, &compiled)?;
        let changing = Changing { seen, compiled: Some(compiled.clone()), endings, ..Changing::to(status) };
        let Changed { found, mut warnings } = match &target {
            Some(found) => change::change(project, found, changing)?,
            None => {
                let mut session = change::begin(project, SessionKind::Session)?;
                session.started_at = Some(beginning(&compiled, project.instant()));
                session.continues = continues.map(|left| left.name.clone());
                let sessions = project.store().handoffs()?;
                if sessions.lacks_some && !self.is_last_try {
                    return Err(unread(&sessions));
                }
                if let Some(earlier) = self.handoff_before(&sessions) {
                    compiled.carry_on(&earlier.session, &mut session);
                }
                change::create(project, session, changing)?
            }
        };
        if status == SessionStatus::Closed {
            change::archive_old(project, &[&found])?;
        } else {
            self.hold(project, before, &found.session.id);
        }
        // Files that are gone were left out, so what is missing was written by somebody and was told then.
        warnings.retain(|warning| !warning.contains(" to no file"));
        Ok(Compilation::Put(Box::new(Put { found, compiled, is_new: target.is_none(), missing, warnings })))
    }

    fn compiled(&self, project: &Project, mut digest: Digest) -> (Compiled, usize) {
        digest.about.session = Some(self.conversation.clone());
        let dir = project.dir();
        let real = dir.as_ref().and_then(|dir| dir.canonicalize().ok());
        let here = dir.iter().chain(&real).map(|dir| dir.display().to_string());
        let roots: Vec<String> = here.chain(self.elsewhere.clone()).collect();
        let roots: Vec<&str> = roots.iter().map(String::as_str).collect();
        let mut compiled = compile(&digest, self.host, &roots);
        let missing = compiled.keep_pointers(|path| project.has_file(path) == Some(true));
        (compiled, missing)
    }

    /// The session that the conversation has open.
    fn open(&self, project: &Project, sessions: &Sessions, bound: &[Bound]) -> Option<Arc<FoundSession>> {
        let open =
            || sessions.list.iter().filter(|found| found.session.status != SessionStatus::Closed && found.is_handoff());
        let is_bound = |found: &&Arc<FoundSession>| self.is_bound(bound, &found.session.id);
        let is_compiled = |found: &&Arc<FoundSession>| self.is_compiled(found);
        let mine = open().find(is_bound).or_else(|| open().find(is_compiled));
        mine.or_else(|| {
            // Where the agent's calls do not say which conversation they belong to: the only one begun meanwhile, there.
            let here = which::worktree(project);
            let mut fitting = open().filter(|found| self.fits(found, bound, here.as_deref()));
            fitting.next().filter(|_| fitting.next().is_none())
        })
        .cloned()
    }

    /// Refuses where a session of the conversation is there and cannot be read now: its work would be told a second time.
    fn check_readable(&self, sessions: &Sessions, bound: &[Bound]) -> Result<(), OpError> {
        let mine = bound.iter().map(|bound| &bound.session).filter(|session| self.is_bound(bound, session));
        let mut unseen =
            mine.chain(&self.completes).filter(|id| sessions.list.iter().all(|found| found.session.id != **id));
        match unseen.find_map(|id| sessions.hidden(id)) {
            Some(problem) => Err(OpError::damaged(format!(
                "the session of this conversation cannot be read, so nothing was added to it: {}: {}",
                problem.path, problem.reason
            ))),
            None => Ok(()),
        }
    }

    /// The handoff that this one will stand in front of.
    fn handoff_before(&self, sessions: &Sessions) -> Option<Arc<FoundSession>> {
        let is_before = |found: &&Arc<FoundSession>| {
            let is_over = found.is_handoff() && found.session.status == SessionStatus::Closed;
            let (ended, work) = (found.session.ended_at, self.digest.ended_at);
            is_over && ended.zip(work).is_none_or(|(ended, work)| ended <= work)
        };
        sessions.list.iter().filter(is_before).max_by_key(|found| found.session.ended_at).cloned()
    }

    /// The handoffs that the conversation left, the last first.
    fn left(&self, sessions: &Sessions, bound: &[Bound]) -> impl Iterator<Item = Arc<FoundSession>> {
        // A ledger holds what was settled, and none of the work.
        let closed =
            sessions.list.iter().filter(|found| found.session.status == SessionStatus::Closed && found.is_handoff());
        let mine = closed.filter(|found| self.is_bound(bound, &found.session.id) || self.is_compiled(found));
        let mut mine: Vec<Arc<FoundSession>> = mine.cloned().collect();
        mine.sort_by_key(|found| std::cmp::Reverse(found.session.ended_at));
        mine.into_iter()
    }

    fn is_bound(&self, bound: &[Bound], session: &SessionId) -> bool {
        let mine = |bound: &Bound| bound.agent_session.as_deref() == Some(self.conversation.as_str());
        bound.iter().any(|bound| bound.session == *session && mine(bound))
    }

    fn is_compiled(&self, found: &FoundSession) -> bool {
        compiled_from(&found.session) == Some((self.host.word(), self.conversation.as_str()))
    }

    fn fits(&self, found: &FoundSession, bound: &[Bound], here: Option<&str>) -> bool {
        let session = &found.session;
        let Some(holder) = bound.iter().rev().find(|bound| bound.session == session.id) else { return false };
        let is_host = session.tool.as_deref().is_some_and(|tool| tool.contains(self.host.word()));
        let is_between = match (session.started_at, self.digest.started_at, self.digest.ended_at) {
            (Some(at), Some(first), Some(last)) => first <= at && at <= last,
            _ => false,
        };
        holder.agent_session.is_none() && holder.worktree.as_deref() == here && is_host && is_between
    }

    /// Notes who holds a session that goes on. One that is held already stays with its holder.
    fn hold(&self, project: &mut Project, mut bound: Vec<Bound>, session: &SessionId) {
        match bound.iter_mut().find(|bound| bound.session == *session) {
            Some(noted) => noted.agent_session = Some(self.conversation.clone()),
            None => bound.push(Bound {
                session: session.clone(),
                agent_session: Some(self.conversation.clone()),
                worktree: which::worktree(project),
                process: self.process.clone(),
            }),
        }
        project.store_mut().put_bound(&bound);
    }
}

fn complete(project: &mut Project, plan: Plan) -> Result<Compilation, OpError> {
    let Plan { compiled, target, missing, .. } = plan;
    let target = target.ok_or_else(|| OpError::failure("there is no handoff to complete"))?;
    let endings = endings(project, &compiled)?;
    let Changed { found, warnings } = change::complete(project, &target, &compiled, &endings)?;
    Ok(Compilation::Put(Box::new(Put { found, compiled, is_new: false, missing, warnings })))
}

/// Reports whether the work brings an open item to its end, which nobody else would record.
fn settles_items(project: &Project, compiled: &Compiled) -> Result<bool, OpError> {
    let recorded = Recorded::read(project)?;
    Ok(!compiled.endings(&recorded.items()).is_empty())
}

/// The ends of items that the work brings.
fn endings(project: &Project, compiled: &Compiled) -> Result<Vec<ItemEnding>, OpError> {
    let recorded = Recorded::read(project)?;
    let mut items = recorded.items();
    let mut endings = compiled.endings(&items);
    items.settle(&endings);
    endings.extend(by_gone_files(project, &items));
    Ok(endings)
}

/// Why nothing is put down while the system does not give all sessions.
fn unread(sessions: &Sessions) -> OpError {
    let why = sessions.problems.iter().map(|problem| format!("{}: {}", problem.path, problem.reason));
    OpError::damaged("what the last handoff left open would be missing, because sessions cannot be read just now")
        .detail(why.collect::<Vec<_>>().join("; "))
}

/// Whether somebody alive holds a session.
fn is_held(bound: &[Bound], session: &SessionId) -> bool {
    let noted = bound.iter().rev().find(|bound| bound.session == *session);
    noted.and_then(|bound| bound.process.as_ref()).is_some_and(Process::is_alive)
}

/// When the work began; not later than now, whatever the transcript says.
fn beginning(compiled: &Compiled, now: Moment) -> Moment {
    compiled.started_at.filter(|at| *at <= now).unwrap_or(now)
}
