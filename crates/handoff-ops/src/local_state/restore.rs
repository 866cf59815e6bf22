//! `handoff local restore`

use clap::Args;
use handoff_store::SetAside;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{ContentView, ListSetAside, SetAsideView};
use crate::page::{Role, Text};
use crate::{Breaks, Door, Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet, visible};

/// Take back machine-local state that was set aside
///
/// Shows what is in it, and asks. Take back only what you know to be your own: handovers in it are run in your name, and
/// its log decides what `undo` restores. The state in use until now is set aside in turn.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RestoreSetAside {
    /// Number of the one to take back, as `handoff local list` shows it; the newest when absent
    #[arg(value_name = "NUMBER")]
    #[serde(default)]
    pub name: Option<String>,
    /// Take it back without asking
    #[arg(long, short)]
    #[serde(default)]
    pub yes: bool,
}

/// Machine-local state that was taken back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RestoredLocal {
    /// The state that is in use now
    pub content: Vec<ContentView>,
    /// Number of the state that was in use until now
    pub set_aside: String,
    pub message: String,
}

impl Operation for RestoreSetAside {
    const NAME: &'static str = "local.restore";
    const TOOL: &'static str = "handoff_restore_set_aside";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Steps;
    // Only the person whose machine it is can know whether the state is theirs.
    const DOORS: &'static [Door] = &[Door::Cli];
    type Outcome = RestoredLocal;

    fn example() -> Value {
        json!({"name": "1", "yes": true})
    }

    fn run(self, project: &mut Project) -> Result<RestoredLocal, OpError> {
        let aside = chosen(project, self.name.as_deref())?;
        let view = SetAsideView::of(project, &aside);
        if !self.yes {
            confirm(project, &view)?;
        }
        project.lock(Self::NAME)?;
        let restored = project.store_mut().restore_set_aside(&aside.name);
        project.let_go();
        let set_aside = restored?;
        let message = format!(
            "took back the local state that was in `{}`; the state in use until now is number {set_aside}",
            view.path
        );
        Ok(RestoredLocal { content: view.content, set_aside, message })
    }
}

/// The directory that is asked for, or the newest.
fn chosen(project: &Project, name: Option<&str>) -> Result<SetAside, OpError> {
    let mut found = project.store().set_aside()?;
    let wanted = match name {
        Some(name) => found.iter().position(|aside| aside.name == name),
        None => found.len().checked_sub(1),
    };
    match (wanted, name) {
        (Some(at), _) => Ok(found.swap_remove(at)),
        (None, Some(name)) => Err(OpError::not_found(format!("nothing was set aside under the number `{name}`"))
            .hint(Hint::run::<ListSetAside>())),
        (None, None) => Err(OpError::not_found("nothing was set aside here")),
    }
}

/// Shows what is to be taken back, and asks.
fn confirm(project: &mut Project, view: &SetAsideView) -> Result<(), OpError> {
    let lines: Vec<String> = view.content.iter().map(ContentView::line).collect();
    let head = format!("{} was {}", visible(&view.path, Breaks::Mark), view.origin_words());
    let Some(confirm) = &mut project.desk.confirm else {
        return Err(OpError::refused(format!("there is no terminal to ask on whether to take back `{}`", view.path))
            .detail(head)
            .details(lines)
            .hint(Hint::run_with::<RestoreSetAside>(json!({"name": view.name, "yes": true}))));
    };
    let mut text = vec![format!("{head}. In it:")];
    text.extend(lines.iter().map(|line| format!("  {line}")));
    if lines.is_empty() {
        text.push("  nothing but caches".to_owned());
    }
    text.push("Take it back? Only if it is your own".to_owned());
    let is_wanted =
        confirm(&text.join("\n")).map_err(|error| OpError::failure("nothing could be asked").caused_by(error))?;
    if is_wanted { Ok(()) } else { Err(OpError::refused("nothing was taken back")) }
}

impl Report for RestoredLocal {
    fn page(&self) -> Page {
        let page = Page::new().line(Text::of(Role::Good, "✓ ").plain(&self.message));
        self.content.iter().fold(page, |page, content| page.line(format!("   {}", content.line())))
    }
}
