//! A small product for the tests of this door.

use clap::Args;
use handoff_ops::page::{Cell, Column, Draw, Page, Role, Row, Sheet, Table, Text};
use handoff_ops::{Door, Effect, Entry, Hint, OpError, Operation, Project, Report, ToolSet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::command::Catalogue;

pub(crate) const CATALOGUE: Catalogue = Catalogue {
    entries: &[
        Entry::of::<Water>(),
        Entry::of::<Seal>(),
        Entry::of::<Whisper>(),
        Entry::of::<Tour>(),
        Entry::of::<Plan>(),
    ],
    nouns: &[("plant", "Care for plants"), ("garden", "Look after the garden")],
    defaults: &[("garden", "garden.tour")],
    first_steps: &[("handoff seal", "Close the greenhouse"), ("handoff plant water fern", "Give a plant water")],
};

/// Give a plant water
///
/// Too much is refused.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Water {
    /// Plant to water
    plant: String,
    /// How much
    #[arg(long, default_value_t = 1)]
    #[serde(default)]
    litres: u32,
    /// What to remember
    #[arg(long, allow_hyphen_values = true)]
    #[serde(default)]
    note: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Watered {
    plant: String,
    by: String,
    note: Option<String>,
    #[serde(skip)]
    warnings: Vec<String>,
}

impl Report for Watered {
    fn page(&self) -> Page {
        let row = Row::new([Text::of(Role::Strong, &self.plant), self.by.as_str().into()]);
        let table = Table::new([Column::new("plant").shrinks_to(4), Column::new("by")]).rows([row]);
        Page::new().table(table).field_if("note", self.note.as_ref())
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

    fn run(self, project: &mut Project) -> Result<Watered, OpError> {
        assert!(self.plant != "triffid", "triffids are not plants");
        if self.litres > 9 {
            return Err(OpError::refused(format!("`{}` would drown", self.plant))
                .detail("9 litres are the most")
                .hint(Hint::run_with::<Water>(json!({"plant": self.plant, "litres": 9})))
                .caused_by("the pot is small"));
        }
        let warnings = if self.litres > 5 { vec!["it splashed".to_owned()] } else { Vec::new() };
        Ok(Watered { plant: self.plant, by: project.by()?, note: self.note, warnings })
    }
}

/// Close the greenhouse
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Seal {}

impl Operation for Seal {
    const NAME: &'static str = "seal";
    const TOOL: &'static str = "handoff_seal";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Found;
    type Outcome = Watered;

    fn example() -> Value {
        json!({})
    }

    fn run(self, project: &mut Project) -> Result<Watered, OpError> {
        Ok(Watered { plant: "all".into(), by: project.by()?, note: None, warnings: Vec::new() })
    }
}

/// Walk through the garden
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tour {
    /// Beds to see
    #[arg(value_parser = ["roses", "herbs"])]
    #[serde(default)]
    beds: Vec<String>,
    /// Walk slowly
    #[arg(long)]
    #[serde(default)]
    slowly: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Seen {
    beds: Vec<String>,
    slowly: bool,
}

impl Report for Seen {
    fn page(&self) -> Page {
        Page::new().line(format!("saw {}", self.beds.join(", "))).chart(Hedge)
    }

    fn sheet(&self) -> Option<Sheet> {
        Some(
            Sheet::new(["bed", "slowly"]).rows(self.beds.iter().map(|bed| [Cell::text(bed), Cell::plain(self.slowly)])),
        )
    }
}

#[derive(Debug)]
struct Hedge;

impl Draw for Hedge {
    fn lines(&self, width: usize) -> Vec<Text> {
        vec!["#".repeat(width.min(8)).into()]
    }
}

impl Operation for Tour {
    const NAME: &'static str = "garden.tour";
    const TOOL: &'static str = "handoff_tour";
    const SET: ToolSet = ToolSet::Core;
    const EFFECT: Effect = Effect::Found;
    const SHEET: bool = true;
    type Outcome = Seen;

    fn example() -> Value {
        json!({})
    }

    fn run(self, _project: &mut Project) -> Result<Seen, OpError> {
        Ok(Seen { beds: self.beds, slowly: self.slowly })
    }
}

/// Draw the garden of next year
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plan {}

impl Operation for Plan {
    const NAME: &'static str = "garden.plan";
    const TOOL: &'static str = "handoff_plan_garden";
    const SET: ToolSet = ToolSet::Core;
    const EFFECT: Effect = Effect::Found;
    type Outcome = Seen;

    fn example() -> Value {
        json!({})
    }

    fn run(self, _project: &mut Project) -> Result<Seen, OpError> {
        Ok(Seen { beds: vec!["next year".to_owned()], slowly: false })
    }
}

/// Whisper to a plant
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Whisper {}

impl Operation for Whisper {
    const NAME: &'static str = "plant.whisper";
    const TOOL: &'static str = "handoff_whisper";
    const SET: ToolSet = ToolSet::Core;
    const EFFECT: Effect = Effect::Found;
    const DOORS: &'static [Door] = &[Door::Mcp];
    type Outcome = Watered;

    fn example() -> Value {
        json!({})
    }

    fn run(self, _project: &mut Project) -> Result<Watered, OpError> {
        Err(OpError::failure("nobody listens"))
    }
}
