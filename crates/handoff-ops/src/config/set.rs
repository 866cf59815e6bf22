//! `handoff config set`

use std::str::FromStr;

use clap::Args;
use handoff_model::config::{Assignment, Given, Keys, Origin, Refused, apply, assign};
use handoff_model::rev::Rev;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

use super::change::{Target, change};
use super::{ExplainConfig, no_such_setting, shown};
use crate::page::{Role, Text};
use crate::place::{Share, Unshare};
use crate::{Door, Effect, ErrorKind, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// Change a setting of the project, or your own with `--user`
///
/// Every value is checked before anything is written. Comments and settings that this version does not know survive.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetConfig {
    /// Setting to change, such as `settings.budget_tokens`
    #[arg(required = true)]
    pub key: Option<String>,
    /// Its new value; several, or one with commas, make a list; `none` clears it, so that the layer below counts
    #[arg(required = true, num_args = 1.., allow_negative_numbers = true)]
    #[serde(default, deserialize_with = "typed_value")]
    #[schemars(with = "Option<Value>")]
    pub value: Vec<NewValue>,
    /// Several settings at once, by their dotted keys; null clears one (JSON input only)
    #[arg(skip)]
    #[serde(default)]
    pub updates: Map<String, Value>,
    /// Change your own configuration, which counts in all projects, instead of this project's
    #[arg(long)]
    #[serde(default)]
    pub user: bool,
    /// Change it only if the file is still at this revision
    #[arg(long, value_name = "REV")]
    pub if_rev: Option<Rev>,
}

/// A new value: a word that is read by the setting's type, or a value that has its type already.
#[derive(Clone, Debug, PartialEq)]
pub enum NewValue {
    Word(String),
    Json(Value),
}

impl FromStr for NewValue {
    type Err = std::convert::Infallible;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Ok(NewValue::Word(word.to_owned()))
    }
}

/// `null` is a value here: it clears the setting.
fn typed_value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<NewValue>, D::Error> {
    Value::deserialize(deserializer).map(|value| vec![NewValue::Json(value)])
}

/// What was changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfigChange {
    /// The file that was changed
    pub file: String,
    /// Its revision now
    pub rev: Rev,
    pub changed: Vec<Changed>,
    pub message: String,
    #[serde(skip)]
    warnings: Vec<String>,
}

/// One setting before and after.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Changed {
    pub key: String,
    /// The value in force before
    pub before: Value,
    /// The value in force now
    pub value: Value,
    /// Where that comes from
    pub origin: Origin,
}

impl Operation for SetConfig {
    const NAME: &'static str = "config.set";
    const TOOL: &'static str = "handoff_set_config";
    const SET: ToolSet = ToolSet::Config;
    const EFFECT: Effect = Effect::Write;
    const REPEATABLE: bool = true;
    const DOORS: &'static [Door] = &[Door::Cli, Door::Http];
    type Outcome = ConfigChange;

    fn example() -> Value {
        json!({"updates": {"settings.budget_tokens": 3000, "labels": ["api", "ui"]}})
    }

    fn run(self, project: &mut Project) -> Result<ConfigChange, OpError> {
        let target = Target::of(project, self.user)?;
        let if_rev = self.if_rev;
        let assignments = assign(&Keys::new(), target.layer, self.given()?).map_err(refused)?;
        // Who may see a secret is for the person to say, and not for the agent that would see it.
        let lets_secrets_through =
            |assignment: &Assignment| assignment.path.first().is_some_and(|key| key == "secrets");
        if project.door == Door::Mcp && assignments.iter().any(lets_secrets_through) {
            return Err(OpError::refused("`secrets` cannot be set over MCP: only a person can let a secret through")
                .hint(Hint::say("ask them to run `handoff secrets allow`")));
        }
        let edited = change(project, &target, if_rev, |text| apply(text, &assignments))?;
        let (changed, warnings) = edited.compare(&assignments);
        let message = message(&edited.file, edited.is_new, &assignments);
        Ok(ConfigChange { file: edited.file, rev: edited.rev, changed, message, warnings })
    }
}

impl SetConfig {
    /// The request that sets one setting of the project.
    pub(crate) fn of(key: &str, value: Value) -> SetConfig {
        let updates = Map::from_iter([(key.to_owned(), value)]);
        SetConfig { key: None, value: Vec::new(), updates, user: false, if_rev: None }
    }

    fn given(self) -> Result<Vec<(String, Given)>, OpError> {
        let mut given: Vec<(String, Given)> =
            self.updates.into_iter().map(|(key, value)| (key, Given::Json(value))).collect();
        match (self.key, self.value.as_slice()) {
            (Some(key), [NewValue::Json(value)]) => given.push((key, Given::Json(value.clone()))),
            (Some(key), words @ [_, ..]) => {
                let word = |value: &NewValue| match value {
                    NewValue::Word(word) => word.clone(),
                    NewValue::Json(value) => value.to_string(),
                };
                given.push((key, Given::Words(words.iter().map(word).collect())));
            }
            (Some(key), []) => return Err(OpError::usage(format!("`{key}` is given without a value"))),
            (None, [_, ..]) => return Err(OpError::usage("a value is given without the setting it is for")),
            (None, []) => {}
        }
        if given.is_empty() {
            return Err(OpError::usage("there is nothing to set: give `key` and `value`, or `updates`"));
        }
        Ok(given)
    }
}

fn message(file: &str, is_new: bool, assignments: &[Assignment]) -> String {
    match assignments {
        _ if !is_new => format!("nothing to change: {file} says so already"),
        [one] if one.value.is_none() => format!("`{}` is cleared in {file}", one.name()),
        [one] => format!("`{}` is set in {file}", one.name()),
        several => format!("{} settings are changed in {file}", several.len()),
    }
}

/// One refusal is said as it is; of several, all are told, and nothing was written.
fn refused(mut refusals: Vec<Refused>) -> OpError {
    if refusals.len() == 1 {
        return one(refusals.remove(0));
    }
    let lines: Vec<String> = refusals.iter().map(ToString::to_string).collect();
    let kind = refusals.into_iter().next().map_or(ErrorKind::Usage, |first| one(first).kind());
    OpError::new(kind, format!("{} settings cannot be changed like this, so none was", lines.len())).details(lines)
}

fn one(refused: Refused) -> OpError {
    let message = refused.to_string();
    match refused {
        Refused::Unknown(unknown) => no_such_setting(&unknown),
        Refused::Invalid { name, .. } => {
            OpError::usage(message).hint(Hint::run_with::<ExplainConfig>(json!({"key": name})))
        }
        Refused::Section { keys, .. } => OpError::usage(message).details(keys),
        Refused::UserOnly { .. } => OpError::refused(message).hint(Hint::say("set it with `--user` (`user: true`)")),
        Refused::ProjectOnly { .. } => {
            OpError::refused(message).hint(Hint::say("set it in the project, without `--user`"))
        }
        Refused::Converts { .. } => OpError::refused(message).hint(Hint::run::<Share>()).hint(Hint::run::<Unshare>()),
        Refused::Twice { .. } => OpError::usage(message),
    }
}

impl Report for ConfigChange {
    fn page(&self) -> Page {
        let page = Page::new().line(Text::of(Role::Good, "✓ ").plain(&self.message));
        self.changed.iter().fold(page, |page, changed| page.item(changed.line()))
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl Changed {
    /// The setting, with both values where they differ.
    pub(crate) fn line(&self) -> Text {
        let mut text = Text::of(Role::Id, &self.key).plain(": ");
        if self.before != self.value {
            text.spans.extend(shown(&self.before).spans);
            text = text.plain(" → ");
        }
        text.spans.extend(shown(&self.value).spans);
        text.and(Role::Dim, format!("  ({})", self.origin))
    }
}
