//! `handoff answer`

use clap::Args;
use handoff_model::session::{ItemRef, SettledHow};
use handoff_model::text::Prose;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::SettledItems;
use super::settle::{self, Unrecorded, Wish};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Answer an open question
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerQuestion {
    /// Question, by id such as `q2` or by its words
    #[arg(value_name = "QUESTION")]
    pub question: ItemRef,
    /// The answer
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    pub answer: Prose,
    #[arg(skip)]
    #[serde(skip)]
    unrecorded: Unrecorded,
}

impl Operation for AnswerQuestion {
    const NAME: &'static str = "answer";
    const TOOL: &'static str = "handoff_answer_question";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Amend;
    const REPEATABLE: bool = true;
    type Outcome = SettledItems;

    fn example() -> Value {
        json!({"question": "q1", "answer": "eu-central-1"})
    }

    fn prepare(&mut self, project: &mut Project) -> Result<(), OpError> {
        self.unrecorded = Unrecorded::read(project);
        Ok(())
    }

    fn run(self, project: &mut Project) -> Result<SettledItems, OpError> {
        let because = Some(self.answer.as_str().trim().to_owned());
        let wish = Wish { item: self.question, how: Some(SettledHow::Answered), because };
        settle::settle(project, &[wish], self.unrecorded)
    }
}
