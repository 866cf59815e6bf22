//! `handoff config get`

use clap::Args;
use handoff_model::config::{Entry, Keys, Target, join, split};
use handoff_model::problem::Problem;
use handoff_model::rev::Rev;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{ExplainConfig, no_such_setting, origin, shown};
use crate::page::{Column, Role, Row, Table, Text};
use crate::{Door, Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// Show the settings in force, and where each comes from
///
/// Built-in defaults come first, then your own configuration, the project's, and the environment; the last that says
/// something counts.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetConfig {
    /// Setting or group of settings to show, such as `settings.budget_tokens`; all when absent
    pub key: Option<String>,
}

/// Settings and their values.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfigView {
    pub settings: Vec<Entry>,
    /// Revision of the project's file, for `if_rev`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rev: Option<Rev>,
    /// Revision of your own file, for `if_rev` with `user`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_rev: Option<Rev>,
    /// What in the files and the environment does not count
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// Whether one setting was asked for
    #[serde(skip)]
    single: bool,
    #[serde(skip)]
    warnings: Vec<String>,
}

impl Operation for GetConfig {
    const NAME: &'static str = "config.get";
    const TOOL: &'static str = "handoff_show_config";
    const SET: ToolSet = ToolSet::Config;
    const EFFECT: Effect = Effect::Look;
    const DOORS: &'static [Door] = &[Door::Cli, Door::Http];
    type Outcome = ConfigView;

    fn example() -> Value {
        json!({"key": "settings.budget_tokens"})
    }

    fn run(self, project: &mut Project) -> Result<ConfigView, OpError> {
        let sources = project.config_sources();
        let rev = sources.project.as_ref().map(|file| file.rev);
        let user_rev = sources.user.as_ref().map(|file| file.rev);
        let resolved = project.resolve(sources);
        let keys = Keys::new();
        let mut settings = resolved.entries(&keys);
        let mut problems: Vec<Problem> = resolved.problems().cloned().collect();
        let mut single = false;
        if let Some(name) = &self.key {
            let path = match keys.find(name) {
                Ok(Target::Setting(found)) => found.path,
                Ok(Target::Section(path)) => path,
                Err(unknown) => {
                    let path = split(name);
                    let is_there = settings.iter().any(|entry| split(&entry.key).starts_with(&path));
                    if is_there { path } else { return Err(no_such_setting(&unknown)) }
                }
            };
            problems = resolved.problems_of(&path).cloned().collect();
            settings.retain(|entry| split(&entry.key).starts_with(&path));
            single = !matches!(keys.find(name), Ok(Target::Section(_)));
            if settings.is_empty() && single {
                let (key, origin) = (join(&path), resolved.origin(&path));
                settings.push(Entry { key, value: resolved.value(&path), origin, unknown: false });
            }
        }
        let warnings = problems.iter().map(ToString::to_string).collect();
        Ok(ConfigView { settings, rev, user_rev, problems, single, warnings })
    }
}

impl Report for ConfigView {
    /// One setting is shown as its value alone, so that a script can use it.
    fn page(&self) -> Page {
        if let ([only], true) = (self.settings.as_slice(), self.single) {
            return match &only.value {
                Value::Null => Page::new().line(Text::of(Role::Dim, "not set")),
                value => Page::new().line(shown(value)),
            };
        }
        if self.settings.is_empty() {
            return Page::new().line(Text::of(Role::Dim, "nothing is set here"));
        }
        let columns = [Column::new("setting"), Column::new("value").shrinks_to(12), Column::new("from").optional()];
        let rows = self.settings.iter().map(|entry| {
            let from = origin(&entry.origin);
            let from = if entry.unknown { from.and(Role::Warn, " (unknown setting)") } else { from };
            Row::new([Text::of(Role::Id, &entry.key), shown(&entry.value), from])
        });
        Page::new().table(Table::new(columns).rows(rows)).rest(Hint::run::<ExplainConfig>())
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
