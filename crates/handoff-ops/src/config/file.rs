//! `handoff config file`

use clap::Args;
use handoff_model::rev::Rev;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ExplainConfig;
use crate::page::{Role, Text};
use crate::{Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// Show the project's configuration file as it stands
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadConfigFile {}

/// A configuration file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfigText {
    pub path: String,
    /// What is in it, comments included
    pub text: String,
    /// Revision of the file, for `if_rev`
    pub rev: Rev,
}

impl Operation for ReadConfigFile {
    const NAME: &'static str = "config.file";
    const TOOL: &'static str = "handoff_read_config_file";
    const SET: ToolSet = ToolSet::Config;
    const EFFECT: Effect = Effect::Read;
    type Outcome = ConfigText;

    fn example() -> Value {
        json!({})
    }

    fn run(self, project: &mut Project) -> Result<ConfigText, OpError> {
        let mut sources = project.config_sources();
        if let Some((_, why)) = sources.unreadable.pop() {
            return Err(OpError::damaged(why).hint(Hint::run::<ExplainConfig>()));
        }
        let file = sources.project.ok_or_else(|| OpError::not_found("there is no configuration file here"))?;
        Ok(ConfigText { path: project.shown(&file.path), text: file.text, rev: file.rev })
    }
}

impl Report for ConfigText {
    fn page(&self) -> Page {
        let page = Page::new().line(Text::of(Role::Dim, &self.path));
        if self.text.trim().is_empty() { page } else { page.prose(&self.text) }
    }
}
