//! `handoff session template`

use clap::Args;
use handoff_model::session::sections::TEMPLATE;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{Effect, OpError, Operation, Page, Project, Report, ToolSet};

/// Show the recommended sections of a free-form handoff, to be filled in
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionTemplate {}

/// A text to be filled in.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Template {
    pub template: String,
}

impl Operation for SessionTemplate {
    const NAME: &'static str = "session.template";
    const TOOL: &'static str = "handoff_session_template";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Look;
    type Outcome = Template;

    fn example() -> Value {
        json!({})
    }

    fn run(self, _: &mut Project) -> Result<Template, OpError> {
        Ok(Template { template: TEMPLATE.to_owned() })
    }
}

impl Report for Template {
    fn page(&self) -> Page {
        Page::new().verbatim(&self.template)
    }
}
