//! `handoff_get_config` and `handoff_update_config`

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::schema;
use crate::config::{self, ConfigChange, ConfigView, SetConfig};
use crate::{Door, Effect, OpError, Operation, Project, ToolSet};

/// Show all settings
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct GetConfig {}

/// Change settings; all are checked before any is written
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct UpdateConfig {
    /// {"dotted.key": value}; null clears
    #[arg(skip)]
    #[schemars(schema_with = "schema::object")]
    pub updates: Map<String, Value>,
}

impl Operation for GetConfig {
    const NAME: &'static str = "config.all";
    const TOOL: &'static str = "handoff_get_config";
    const SET: ToolSet = ToolSet::Core;
    const EFFECT: Effect = Effect::Look;
    const DOORS: &'static [Door] = &[Door::Mcp];
    type Outcome = ConfigView;

    fn example() -> Value {
        json!({})
    }

    fn run(self, project: &mut Project) -> Result<ConfigView, OpError> {
        config::GetConfig { key: None }.run(project)
    }
}

impl Operation for UpdateConfig {
    const NAME: &'static str = "config.update";
    const TOOL: &'static str = "handoff_update_config";
    const SET: ToolSet = ToolSet::Core;
    const EFFECT: Effect = Effect::Write;
    const REPEATABLE: bool = true;
    const DOORS: &'static [Door] = &[Door::Mcp];
    type Outcome = ConfigChange;

    fn example() -> Value {
        json!({"updates": {"settings.budget_tokens": 3000, "labels": ["api", "ui"]}})
    }

    fn run(self, project: &mut Project) -> Result<ConfigChange, OpError> {
        if self.updates.is_empty() {
            return Err(OpError::usage("`updates` is empty: give settings by their dotted keys")
                .detail(format!("a request that works looks like {}", Self::example())));
        }
        SetConfig { key: None, value: Vec::new(), updates: self.updates, user: false, if_rev: None }.run(project)
    }
}
