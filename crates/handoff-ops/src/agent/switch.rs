//! `handoff hook off` and `handoff hook on`: leaving an agent alone, for one conversation.
//!
//! For a whole project or user there is the setting `hooks.enabled`, for an environment the variable `HANDOFF_HOOKS`.

use clap::Args;
use handoff_model::agent::remembered_id;
use handoff_store::CONFIG_FILE;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::status::ShowHooks;
use crate::config::SetConfig;
use crate::{ConfigFile, ConfigLayer, Door, Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// The variable that turns hooks off for an environment.
const VARIABLE: &str = "HANDOFF_HOOKS";

/// Leave an agent alone for the rest of its conversation: no context, no record
///
/// `handoff config set hooks.enabled false` does it for a whole project, `HANDOFF_HOOKS=off` for an environment.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnHooksOff {
    /// The agent's own id of the conversation; the one this command is run from if absent
    #[arg(long)]
    pub session: Option<String>,
}

/// Serve an agent again that was left alone
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnHooksOn {
    /// The agent's own id of the conversation; the one this command is run from if absent
    #[arg(long)]
    pub session: Option<String>,
}

/// Whether an agent is served.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SwitchedHooks {
    /// The agent's own id of the conversation
    pub session: String,
    pub enabled: bool,
    pub message: String,
}

impl Operation for TurnHooksOff {
    const NAME: &'static str = "hook.off";
    const TOOL: &'static str = "handoff_turn_hooks_off";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Write;
    const DOORS: &'static [Door] = &[Door::Cli];
    const REPEATABLE: bool = true;
    type Outcome = SwitchedHooks;

    fn example() -> Value {
        json!({"session": "e01eb16d-743e-4733-ab5c-2d3ced54786e"})
    }

    fn run(self, project: &mut Project) -> Result<SwitchedHooks, OpError> {
        switch(project, self.session, false)
    }
}

impl Operation for TurnHooksOn {
    const NAME: &'static str = "hook.on";
    const TOOL: &'static str = "handoff_turn_hooks_on";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Write;
    const DOORS: &'static [Door] = &[Door::Cli];
    const REPEATABLE: bool = true;
    type Outcome = SwitchedHooks;

    fn example() -> Value {
        json!({"session": "e01eb16d-743e-4733-ab5c-2d3ced54786e"})
    }

    fn run(self, project: &mut Project) -> Result<SwitchedHooks, OpError> {
        switch(project, self.session, true)
    }
}

fn switch(project: &Project, session: Option<String>, enabled: bool) -> Result<SwitchedHooks, OpError> {
    let session =
        session.or_else(|| asking(project)).filter(|session| !session.trim().is_empty()).ok_or_else(|| {
            OpError::usage("this command is not run from an agent, so say which conversation is meant with `--session`")
                .hint(Hint::run::<ShowHooks>())
                .hint(Hint::run_with::<SetConfig>(json!({"key": "hooks.enabled", "value": enabled.to_string()})))
        })?;
    let session = remembered_id(&session).into_owned();
    let mut alone = project.store().agents_left_alone();
    alone.retain(|other| *other != session);
    if !enabled {
        alone.push(session.clone());
    }
    project.store().leave_agents_alone(&alone)?;
    let message = if enabled {
        format!("the agent of `{session}` is served again")
    } else {
        format!("the agent of `{session}` is left alone: no context, no record")
    };
    Ok(SwitchedHooks { session, enabled, message })
}

/// The conversation a command is run from.
fn asking(project: &Project) -> Option<String> {
    let env = &project.place.env;
    let told = ["CODEX_SESSION_ID", "CODEX_THREAD_ID", "GEMINI_SESSION_ID"].iter().find_map(|name| env.text(name));
    told.map(str::to_owned).or_else(|| project.caller.agent_session.clone())
}

/// Whether hooks are off in this environment.
pub(super) fn is_off_here(project: &Project) -> bool {
    let said = project.place.env.text(VARIABLE).unwrap_or_default();
    ["off", "0", "false", "no"].iter().any(|word| said.eq_ignore_ascii_case(word))
}

/// Whether the settings turn hooks off. Whoever turned them off wants them off, also where the file that says so is
/// damaged.
pub(super) fn is_off_by_settings(project: &Project) -> bool {
    let resolved = project.resolved();
    if !resolved.config.hooks.enabled {
        return true;
    }
    let sources = project.config_sources();
    if sources.unreadable.iter().any(|(layer, _)| *layer == ConfigLayer::Project)
        && project.store().damaged_text(CONFIG_FILE).is_some_and(|text| turns_off(&text))
    {
        return true;
    }
    if resolved.problems().next().is_none() {
        return false;
    }
    let is_damaged = |file: &&ConfigFile| toml::from_str::<toml::Table>(&file.text).is_err();
    sources.user.iter().chain(&sources.project).filter(is_damaged).any(|file| turns_off(&file.text))
}

/// Whether a line of settings turns hooks off, whatever stands around it.
fn turns_off(text: &str) -> bool {
    let mut is_about_hooks = false;
    text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()).any(|line| {
        if line.starts_with('[') {
            is_about_hooks = line.trim_matches(['[', ']', ' ']) == "hooks";
        }
        let Some((key, value)) = line.split_once('=') else { return false };
        let key = key.trim();
        (key == "hooks.enabled" || (is_about_hooks && key == "enabled")) && value.trim() == "false"
    })
}

/// What is wrong with the settings, in sentences.
pub(super) fn settings_problems(project: &Project) -> Vec<String> {
    let unreadable = project.config_sources().unreadable.into_iter().map(|(_, why)| why);
    unreadable.chain(project.resolved().problems().map(ToString::to_string)).collect()
}

/// Whether hooks are off for this conversation.
pub(super) fn is_off(project: &Project, session: Option<&str>) -> bool {
    session.is_some_and(|session| project.store().agents_left_alone().iter().any(|alone| alone == session))
}

impl Report for SwitchedHooks {
    fn page(&self) -> Page {
        Page::new().line(&self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_are_off_where_a_line_says_so_whatever_stands_around_it() {
        for off in
            ["hooks.enabled = false", "[project\n[hooks]\nenabled=false # for now", "\u{0}\n[hooks\nenabled = false"]
        {
            assert!(turns_off(off), "{off}");
        }
        for on in [
            "",
            "enabled = false",
            "[hooks]\nenabled = true",
            "[hooks]\n[other]\nenabled = false",
            "# hooks.enabled = false",
        ] {
            assert!(!turns_off(on), "{on}");
        }
    }
}
