//! `handoff session reopen`

use clap::Args;
use handoff_model::id::SessionRef;
use handoff_model::rev::Rev;
use handoff_model::session::{SessionKind, SessionStatus};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::SessionView;
use super::change::{self, Changing, Seen};
use super::recorded::Recorded;
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Go on with a session: a paused one as it is, a closed one in a new session that continues it
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReopenSession {
    /// Session to go on with: an id, the beginning of one, a name, a date, or `latest`
    #[arg(value_name = "SESSION")]
    #[serde(alias = "session_id")]
    pub session: SessionRef,
    /// Go on only if it is still at this revision
    #[arg(long, value_name = "REV")]
    pub if_rev: Option<Rev>,
    #[arg(skip)]
    #[serde(skip)]
    seen: Seen,
}

impl Operation for ReopenSession {
    const NAME: &'static str = "session.reopen";
    const TOOL: &'static str = "handoff_reopen_session";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Write;
    const ALIASES: &'static [&'static str] = &["resume"];
    type Outcome = SessionView;

    fn example() -> Value {
        json!({"session": "77c01b9d"})
    }

    fn prepare(&mut self, project: &mut Project) -> Result<(), OpError> {
        let found = project.store().session(&self.session)?;
        let pointed: Vec<String> = found.session.pointers.iter().map(|pointer| pointer.path.clone()).collect();
        self.seen = change::look(project, &pointed);
        Ok(())
    }

    fn run(self, project: &mut Project) -> Result<SessionView, OpError> {
        let found = change::find(project, &self.session, self.if_rev)?;
        let changing = Changing { seen: self.seen, ..Changing::to(SessionStatus::Active) };
        if found.session.status != SessionStatus::Closed {
            let changed = change::change(project, &found, changing)?;
            return Ok(SessionView::changed(project, &changed.found, "reopened"));
        }
        let old = Recorded::read(project)?.items().without_ended(&found.name, &found.session);
        let mut session = change::begin(project, SessionKind::Session)?;
        // Decisions stay in force where they are; what is still to do and to know comes along.
        session.title.clone_from(&old.title);
        session.summary.clone_from(&old.summary);
        session.tags.clone_from(&old.tags);
        session.timeline.clone_from(&old.timeline);
        session.label.clone_from(&old.label);
        session.next.clone_from(&old.next);
        session.blockers.clone_from(&old.blockers);
        session.questions.clone_from(&old.questions);
        session.tasks.clone_from(&old.tasks);
        session.checklist = old.checklist.iter().filter(|item| !item.checked).cloned().collect();
        session.notes.clone_from(&old.notes);
        session.references.clone_from(&old.references);
        session.pointers.clone_from(&old.pointers);
        session.environment.clone_from(&old.environment);
        session.continues = Some(found.name.clone());
        let changed = change::create(project, session, changing)?;
        let mut view = SessionView::changed(project, &changed.found, &format!("continues {} in", found.name));
        view.warnings.extend(changed.warnings);
        Ok(view)
    }
}
