//! `handoff session show`

use std::str::FromStr;

use clap::Args;
use handoff_model::id::{NotASessionRef, SessionRef};
use handoff_store::FoundSession;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::recorded::Recorded;
use super::{SessionView, elsewhere};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Show all about a session, archived or not
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowSession {
    /// Session to show: an id, the beginning of one, a name, a date, or `latest`; with `#d1` its decision d1 alone, with
    /// `#n2` its second note
    #[arg(value_name = "SESSION")]
    #[serde(alias = "session_id")]
    pub session: SessionItem,
}

/// A session, or one thing in it, as search names it: `a3f9c12e`, `a3f9c12e#d1`, `a3f9c12e#n2`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct SessionItem {
    pub session: SessionRef,
    /// The id of a decision, or `n` and the place of a note
    pub item: Option<String>,
}

impl FromStr for SessionItem {
    type Err = NotASessionRef;

    fn from_str(text: &str) -> Result<Self, NotASessionRef> {
        match text.split_once('#').map(|(session, item)| (session, item.trim())) {
            Some((session, item)) if !item.is_empty() => {
                Ok(SessionItem { session: session.parse()?, item: Some(item.to_owned()) })
            }
            _ => Ok(SessionItem { session: text.parse()?, item: None }),
        }
    }
}

impl TryFrom<String> for SessionItem {
    type Error = NotASessionRef;

    fn try_from(text: String) -> Result<Self, NotASessionRef> {
        text.parse()
    }
}

impl Operation for ShowSession {
    const NAME: &'static str = "session.show";
    const TOOL: &'static str = "handoff_get_session";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Read;
    type Outcome = SessionView;

    fn example() -> Value {
        json!({"session": "latest"})
    }

    fn run(self, project: &mut Project) -> Result<SessionView, OpError> {
        let found = elsewhere::find(project, &self.session.session)?;
        let mut view = SessionView::new(project, &found);
        view.body = elsewhere::body(project, &found)?;
        view.ended_since = ended_since(project, &found)?;
        if let Some(item) = &self.session.item {
            view.keep_only(&found.session.decision_ids(), item)?;
        }
        Ok(view)
    }
}

/// The items of a session that ended since, by their ids.
fn ended_since(project: &Project, found: &FoundSession) -> Result<Vec<(String, String)>, OpError> {
    let recorded = Recorded::read(project)?;
    let items = recorded.items();
    let ended = found.session.item_entries().filter(|entry| !entry.is_checked).filter_map(|entry| {
        let item = items.of_entry(&found.name, &found.session, entry.kind, entry.text)?;
        Some((item.id.to_string(), item.end.as_ref()?.how.to_string()))
    });
    Ok(ended.collect())
}
