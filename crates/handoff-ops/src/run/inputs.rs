//! What a run is given when it is asked for. It stays the same however many times the run is taken up again.

use std::path::PathBuf;

use handoff_engine::Step;
use handoff_model::handover::Act;
use handoff_model::id::SessionId;
use handoff_model::text::{Name, Prose, Title};
use handoff_model::when::Moment;
use serde::{Deserialize, Serialize};

use super::RunHandover;
use super::source::Declaration;
use crate::session::{change, which};
use crate::{OpError, Project, leaving};

/// What a run is given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Inputs {
    /// The name of the request in the queue
    pub(crate) request: String,
    pub(crate) asked_at: Moment,
    /// Who acts, whose it is, and with which tool
    pub(crate) by: String,
    pub(crate) author: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) agent_session: Option<String>,
    /// Where the caller was
    pub(crate) directory: PathBuf,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) state: Option<Prose>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<Title>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) next: Vec<Prose>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tag: Option<Name>,
    /// The session to close
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<SessionId>,
    /// The id of the record that the note becomes, where no session takes it
    pub(crate) record: SessionId,
    #[serde(default)]
    pub(crate) no_push: bool,
    /// The list of steps, where it is not the project's
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) config: Option<PathBuf>,
    /// What that list said, should it be gone when the turn comes
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) steps: Vec<Step<Act>>,
    /// Where agent-handover's checkpoint is kept as well
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) compatible_checkpoint: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) only: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) skip: Vec<String>,
}

impl Inputs {
    /// Takes down what is asked for, with what is known now and may be otherwise later.
    pub(super) fn capture(
        project: &mut Project,
        asked: &RunHandover,
        declared: &Declaration,
    ) -> Result<Inputs, OpError> {
        let sessions = project.store().handoffs()?;
        let session = match &asked.session {
            Some(wanted) => {
                let found = change::find_open(project, wanted)?;
                Some(found.session.id)
            }
            None => which::mine(project, &sessions).map(|found| found.session.id.clone()),
        };
        let theirs = declared.handover.compatible.as_ref();
        let prose = |text: &Option<String>| text.as_ref().map(|text| text.parse::<Prose>());
        let state = match &asked.current_state {
            Some(state) => Some(state.clone()),
            None => prose(&theirs.and_then(|theirs| theirs.current_state.clone()))
                .transpose()
                .map_err(|error| declared.refused(&format!("`current_state` cannot be kept: {error}")))?,
        };
        let note = asked.note.clone().or_else(|| theirs.and_then(|theirs| theirs.session.clone()));
        prose(&note).transpose().map_err(|error| declared.refused(&format!("the note cannot be kept: {error}")))?;
        let tag = match (&asked.tag, &declared.handover.tag) {
            (Some(tag), _) => Some(tag.clone()),
            (None, Some(tag)) => {
                let tag = tag.parse::<Name>();
                Some(tag.map_err(|error| declared.refused(&format!("the tag cannot be used: {error}")))?)
            }
            (None, None) => None,
        };
        let record = project.new_session_id();
        let at = project.instant();
        Ok(Inputs {
            // In the order they were asked for, and never the same twice.
            request: format!("{:014}-{record}.json", at.timestamp().as_millisecond().max(0)),
            asked_at: at,
            by: project.by()?,
            author: project.author()?,
            tool: project.caller.tool.clone(),
            agent_session: project.caller.agent_session.clone(),
            directory: project.place.cwd.clone(),
            note,
            state,
            title: asked.title.clone(),
            next: asked.next.clone(),
            tag,
            session,
            record,
            no_push: asked.no_push,
            config: declared.given.clone(),
            steps: declared.given.as_ref().map(|_| declared.steps()).unwrap_or_default(),
            compatible_checkpoint: asked.compatible_checkpoint.clone(),
            only: asked.only.clone(),
            from: asked.from.clone(),
            skip: asked.skip.clone(),
        })
    }

    /// Refuses what git would carry to others although there is a secret in it: it could never be written.
    pub(super) fn check_secrets(&self, project: &Project) -> Result<(), OpError> {
        if !project.is_shared() {
            return Ok(());
        }
        let state = self.state.as_ref().map(Prose::as_str);
        let title = self.title.as_ref().map(Title::as_str);
        let given = [("note", self.note.as_deref()), ("current state", state), ("title", title)];
        let given = given.into_iter().filter_map(|(what, text)| Some((what.to_owned(), text?)));
        let next = self.next.iter().map(|next| ("next".to_owned(), next.as_str()));
        let texts: Vec<(String, &str)> = given.chain(next).collect();
        leaving::held_back(&texts, project)
    }
}
