//! Small operations for the tests of the framework.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::page::{Column, Row, Table};
use crate::{Door, Effect, OpError, Operation, Page, Project, Report, ToolSet};

/// Give a plant water
///
/// Too much is refused. A plant that does not exist is not found.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Water {
    /// Plant to water
    pub(crate) plant: String,
    /// How much
    #[arg(long, default_value_t = 1)]
    #[serde(default)]
    pub(crate) litres: u32,
    /// Drop by drop
    #[arg(long)]
    #[serde(default)]
    pub(crate) gently: bool,
    /// What to remember
    #[arg(long, allow_hyphen_values = true)]
    #[serde(default)]
    pub(crate) notes: Vec<String>,
    /// At what time (JSON input only)
    #[arg(skip)]
    pub(crate) when: Option<When>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct When {
    hour: u8,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Watered {
    plant: String,
    litres: u32,
    #[serde(skip)]
    warnings: Vec<String>,
}

impl Report for Watered {
    fn page(&self) -> Page {
        let rows = [Row::new([self.plant.as_str().into(), self.litres.to_string().into()])];
        Page::new().table(Table::new([Column::new("plant"), Column::new("litres").right()]).rows(rows))
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl Operation for Water {
    const NAME: &'static str = "plant.water";
    const TOOL: &'static str = "handoff_water_plant";
    const SET: ToolSet = ToolSet::Core;
    const EFFECT: Effect = Effect::Found;
    type Outcome = Watered;

    fn example() -> Value {
        json!({"plant": "fern", "litres": 2})
    }

    fn run(self, _project: &mut Project) -> Result<Watered, OpError> {
        assert!(self.plant != "triffid", "triffids are not plants");
        if self.litres > 9 {
            return Err(OpError::refused(format!("`{}` litres would drown it", self.litres)));
        }
        if self.when.is_some_and(|when| when.hour > 23) {
            return Err(OpError::usage("a day has 24 hours"));
        }
        let warnings = if self.gently { Vec::new() } else { vec!["it splashed".to_owned()] };
        Ok(Watered { plant: self.plant, litres: self.litres, warnings })
    }
}

/// Seal the greenhouse
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Seal {}

impl Operation for Seal {
    const NAME: &'static str = "seal";
    const TOOL: &'static str = "handoff_seal";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Found;
    const DOORS: &'static [Door] = &[Door::Cli];
    type Outcome = Watered;

    fn example() -> Value {
        json!({})
    }

    fn run(self, _project: &mut Project) -> Result<Watered, OpError> {
        Ok(Watered { plant: "all".to_owned(), litres: 0, warnings: Vec::new() })
    }
}
