//! `handoff local list`

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::SetAsideView;
use crate::page::{Role, Text};
use crate::{Door, Effect, OpError, Operation, Page, Project, Report, ToolSet};

/// List machine-local state that was set aside
///
/// `.handoff/local` holds state of one user on one machine: the log for `undo`, the trash, timers, handovers under way.
/// One that came with a clone, an archive or a copy is not used. It is set aside whole, and listed here.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListSetAside {}

/// Machine-local state that was set aside.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SetAsideList {
    pub set_aside: Vec<SetAsideView>,
}

impl Operation for ListSetAside {
    const NAME: &'static str = "local.list";
    const TOOL: &'static str = "handoff_list_set_aside";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Read;
    const DOORS: &'static [Door] = &[Door::Cli, Door::Http];
    type Outcome = SetAsideList;

    fn example() -> Value {
        json!({})
    }

    fn run(self, project: &mut Project) -> Result<SetAsideList, OpError> {
        let found = project.store().set_aside()?;
        Ok(SetAsideList { set_aside: found.iter().map(|aside| SetAsideView::of(project, aside)).collect() })
    }
}

impl Report for SetAsideList {
    fn page(&self) -> Page {
        if self.set_aside.is_empty() {
            return Page::new().line("nothing was set aside");
        }
        self.set_aside.iter().fold(Page::new(), |page, aside| {
            let head = Text::of(Role::Id, &aside.name).plain(format!("  {} ({})", aside.path, aside.origin_words()));
            let page = page.line(head);
            aside.content.iter().fold(page, |page, content| page.line(format!("   {}", content.line())))
        })
    }
}
