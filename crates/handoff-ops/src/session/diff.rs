//! `handoff session diff`

use clap::Args;
use handoff_model::id::SessionRef;
use handoff_model::session::diff::{FieldDiff, ListDiff, SessionDiff};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::elsewhere;
use crate::page::{Role, Text};
use crate::{Effect, OpError, Operation, Page, Project, Report, ToolSet};

/// Show what differs between two sessions
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffSessions {
    /// Session to start from
    #[arg(value_name = "BEFORE")]
    pub before: SessionRef,
    /// Session to compare with; the last one if absent
    #[arg(value_name = "AFTER")]
    pub after: Option<SessionRef>,
}

/// What differs between two sessions.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionDifference {
    /// Full name of the session to start from
    pub before: String,
    /// Full name of the other
    pub after: String,
    pub fields: Vec<FieldDiff>,
    pub lists: Vec<ListDiff>,
}

impl Operation for DiffSessions {
    const NAME: &'static str = "session.diff";
    const TOOL: &'static str = "handoff_diff_sessions";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Read;
    type Outcome = SessionDifference;

    fn example() -> Value {
        json!({"before": "77c01b9d", "after": "a3f9c12e"})
    }

    fn run(self, project: &mut Project) -> Result<SessionDifference, OpError> {
        let before = elsewhere::find(project, &self.before)?;
        let after = elsewhere::find(project, self.after.as_ref().unwrap_or(&SessionRef::Latest))?;
        let SessionDiff { fields, lists } = SessionDiff::between(&before.session, &after.session);
        Ok(SessionDifference { before: before.name, after: after.name, fields, lists })
    }
}

impl Report for SessionDifference {
    fn page(&self) -> Page {
        let between = Text::of(Role::Id, &self.before).plain(" and ").and(Role::Id, &self.after);
        if self.fields.is_empty() && self.lists.is_empty() {
            return Page::new().line(Text::from("nothing differs between ").plain(between.to_plain()));
        }
        let mut page = Page::new().line(between);
        for FieldDiff { field, before, after } in &self.fields {
            page = page.heading(field);
            page = before.iter().map(removed).fold(page, Page::said);
            page = after.iter().map(added).fold(page, Page::said);
        }
        for ListDiff { list, added: new, removed: gone, changed, reordered } in &self.lists {
            page = page.heading(list);
            page = gone.iter().map(removed).fold(page, Page::said);
            page = new.iter().map(added).fold(page, Page::said);
            for change in changed {
                page = page.said(removed(&change.before)).said(added(&change.after));
            }
            if *reordered {
                page = page.line("in another order");
            }
        }
        page
    }
}

fn removed(value: &Value) -> Text {
    Text::of(Role::Bad, "− ").plain(shown(value))
}

fn added(value: &Value) -> Text {
    Text::of(Role::Good, "+ ").plain(shown(value))
}

/// A value as a person reads it: texts bare, the facts of an item one after the other.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let facts = fields.iter().map(|(key, value)| format!("{key}: {}", shown(value)));
            facts.collect::<Vec<_>>().join("; ")
        }
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
