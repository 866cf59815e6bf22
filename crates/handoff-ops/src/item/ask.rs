//! `handoff ask`

use clap::Args;
use handoff_model::session::{ItemKind, SessionEdit, SessionStatus};
use handoff_model::text::Prose;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::SettledItems;
use super::settle::{Unrecorded, note};
use super::view::{SettledItem, StillOpen};
use crate::session::change::Changing;
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Ask a question that stays open until somebody answers it
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskQuestion {
    /// The question
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    pub question: Prose,
    #[arg(skip)]
    #[serde(skip)]
    unrecorded: Unrecorded,
}

impl Operation for AskQuestion {
    const NAME: &'static str = "ask";
    const TOOL: &'static str = "handoff_ask_question";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Amend;
    type Outcome = SettledItems;

    fn example() -> Value {
        json!({"question": "Which region does the beta run in?"})
    }

    fn prepare(&mut self, project: &mut Project) -> Result<(), OpError> {
        self.unrecorded = Unrecorded::read(project);
        Ok(())
    }

    fn run(self, project: &mut Project) -> Result<SettledItems, OpError> {
        let text = self.question.as_str().trim().to_owned();
        let edit = SessionEdit { add_questions: vec![self.question], ..SessionEdit::default() };
        let title = format!("question: {text}");
        let found = note(project, &title, Changing { edit, ..Changing::to(SessionStatus::Closed) })?;
        let record = found.session.questions.iter().rev().find(|question| question.trim() == text);
        let record = record.and_then(|question| found.session.item_record(ItemKind::Question, question));
        let id = record.map(|record| record.id.clone()).unwrap_or_default();
        let items = vec![SettledItem { id, text, state: "open".to_owned(), because: None }];
        let session = found.name.clone();
        let StillOpen { count, is_partial } = self.unrecorded.count_open(project, Some(found))?;
        let (tasks, warnings) = (Vec::new(), Vec::new());
        Ok(SettledItems { items, session, still_open: count, is_partial, tasks, warnings })
    }
}
