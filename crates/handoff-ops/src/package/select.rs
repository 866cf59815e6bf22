//! `handoff select`

use handoff_model::id::SessionId;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::ListHandoffs;
use super::filter::{Chosen, filtered_request};
use super::shelf::{Kept, Shelf};
use crate::{Breaks, Choice, Door, Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet, visible};

filtered_request! {
    /// Choose a package, record or session from a list, and print its id
    ///
    /// On a terminal: type to narrow the list, move with the arrow keys or Ctrl-N and Ctrl-P, take one with Enter, leave
    /// with Esc. With `--print-id` the newest that matches is taken without asking.
    SelectHandoff {
        /// Take the newest that matches, without asking
        #[arg(long)]
        #[serde(default)]
        pub print_id: bool,
    }
}

/// What was chosen.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Selected {
    pub id: SessionId,
    /// Its full name
    pub full_name: String,
}

impl Operation for SelectHandoff {
    const NAME: &'static str = "select";
    const TOOL: &'static str = "handoff_select_handoff";
    const SET: ToolSet = ToolSet::Packages;
    const EFFECT: Effect = Effect::Seek;
    const DOORS: &'static [Door] = &[Door::Cli];
    type Outcome = Selected;

    fn example() -> Value {
        json!({"print_id": true})
    }

    fn run(self, project: &mut Project) -> Result<Selected, OpError> {
        if !self.print_id && project.desk.picker.is_none() {
            return Err(OpError::usage("there is no terminal to choose on")
                .hint(Hint::say("`handoff select --print-id` takes the newest that matches"))
                .hint(Hint::run::<ListHandoffs>()));
        }
        let Chosen { shelves, list, total, .. } = self.filter().choose(project)?;
        if list.is_empty() {
            let message = if total == 0 { "nothing is saved here yet" } else { "nothing that is saved matches" };
            return Err(OpError::not_found(message).hint(Hint::run::<ListHandoffs>()));
        }
        let place = match &mut project.desk.picker {
            Some(picker) if !self.print_id => {
                let choices: Vec<Choice> = list.iter().map(|kept| choice(kept, &shelves)).collect();
                picker(&choices)?.ok_or_else(|| OpError::failure("nothing was chosen"))?
            }
            _ => 0,
        };
        let summary = &list[place].summary;
        Ok(Selected { id: summary.id(), full_name: summary.full_name().to_owned() })
    }
}

fn choice(kept: &Kept, shelves: &[Shelf]) -> Choice {
    let summary = &kept.summary;
    let project = summary.project().or(shelves[kept.shelf].name.as_deref()).unwrap_or_default();
    let tool = summary.tool().unwrap_or_default();
    let at = summary.last_active().map(|at| at.in_seconds().to_string()).unwrap_or_default();
    let called = kept.called().lines().next().unwrap_or_default();
    let line =
        format!("{}  {}  {called}  {project} {tool} {}", summary.id(), summary.kind().word(), summary.tags().join(","));
    let mut preview = format!("{called}\n{at}  {project} {tool}\n\n{}\n", summary.summary());
    for next in &summary.next() {
        preview.extend(["- ", next, "\n"]);
    }
    Choice {
        line: visible(line.trim_end(), Breaks::Mark).into_owned(),
        preview: visible(&preview, Breaks::Keep).into_owned(),
    }
}

impl Report for Selected {
    fn page(&self) -> Page {
        Page::new().line(self.id.as_str())
    }

    fn raw(&self) -> Option<Vec<u8>> {
        Some(format!("{}\n", self.id).into_bytes())
    }
}
