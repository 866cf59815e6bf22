//! `handoff pin`

use clap::Args;
use handoff_model::id::SessionRef;
use handoff_model::lifetime::Lifetime;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::extend::{Extended, extend, find};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Keep a package or record for good: it never expires
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PinPackage {
    /// Package or record, by id or the beginning of one
    #[arg(value_name = "ID")]
    #[schemars(with = "String")]
    pub id: Option<SessionRef>,
    /// Package or record, by name: of several the newest
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub name: Option<String>,
    #[arg(skip)]
    #[serde(skip)]
    found: Option<String>,
}

impl Operation for PinPackage {
    const NAME: &'static str = "pin";
    const TOOL: &'static str = "handoff_pin_package";
    const SET: ToolSet = ToolSet::Packages;
    const EFFECT: Effect = Effect::Amend;
    const REPEATABLE: bool = true;
    type Outcome = Extended;

    fn example() -> Value {
        json!({"id": "77c01b9d"})
    }

    fn prepare(&mut self, project: &mut Project) -> Result<(), OpError> {
        self.found = Some(find(project, self.id.as_ref(), self.name.as_deref())?);
        Ok(())
    }

    fn run(self, project: &mut Project) -> Result<Extended, OpError> {
        let name = self.found.expect("a request is prepared before it is run");
        extend(project, &name, Lifetime::Never)
    }
}
