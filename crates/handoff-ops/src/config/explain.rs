//! `handoff config explain`

use clap::Args;
use handoff_model::config::{KeyName, Keys, Layer, Origin, Resolved, Said, Scope, Target, join, split};
use handoff_model::problem::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{no_such_setting, origin, shown};
use crate::page::{Column, Role, Row, Table, Text};
use crate::{Effect, OpError, Operation, Page, Project, Report, ToolSet};

/// Say what a setting means, what it is and where its value comes from
///
/// Without a name it lists every setting there is.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExplainConfig {
    /// Setting or group of settings, such as `settings.budget_tokens` or `milestones`; all when absent
    pub key: Option<String>,
}

/// Settings and all there is to know about them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Explanations {
    pub settings: Vec<Explained>,
    /// Whether one setting was asked for
    #[serde(skip)]
    single: bool,
}

/// All there is to know about one setting.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Explained {
    /// The dotted name; a part in `<>` stands for any name
    pub key: String,
    /// The value in force; null when there is none
    pub value: Value,
    pub origin: Origin,
    /// What it does
    pub meaning: String,
    /// What sort of value it takes
    pub kind: String,
    /// Which values are allowed, where the kind does not say it all
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<String>,
    /// The value when nobody sets it
    pub default: Value,
    /// The environment variable that sets it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// Where it may be set
    pub scope: Scope,
    /// What weaker layers say, strongest first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overridden: Vec<Said>,
    /// What is said about it and does not count
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// Whether this version of handoff does not know it; it is kept in its file all the same
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
}

impl Operation for ExplainConfig {
    const NAME: &'static str = "config.explain";
    const TOOL: &'static str = "handoff_explain_config";
    const SET: ToolSet = ToolSet::Config;
    const EFFECT: Effect = Effect::Look;
    type Outcome = Explanations;

    fn example() -> Value {
        json!({"key": "settings.budget_tokens"})
    }

    fn run(self, project: &mut Project) -> Result<Explanations, OpError> {
        let resolved = project.resolved();
        let keys = Keys::new();
        let one = |settings| Ok(Explanations { settings: vec![settings], single: true });
        let several = |names: Vec<String>| {
            let found = names.iter().filter_map(|name| match keys.find(name) {
                Ok(Target::Setting(found)) => Some(known(&resolved, &found)),
                _ => None,
            });
            Explanations { settings: found.collect(), single: false }
        };
        let Some(name) = &self.key else {
            return Ok(several(keys.all().iter().map(|key| key.name.clone()).collect()));
        };
        match keys.find(name) {
            Ok(Target::Setting(found)) => one(known(&resolved, &found)),
            Ok(Target::Section(path)) => Ok(several(keys.below(&path))),
            Err(unknown) => match self::unknown(&resolved, &split(name)) {
                Some(kept) => one(kept),
                None => Err(no_such_setting(&unknown)),
            },
        }
    }
}

fn known(resolved: &Resolved, found: &KeyName<'_>) -> Explained {
    let KeyName { path, key } = found;
    let origin = resolved.origin(path);
    let said = resolved.said(path).into_iter();
    Explained {
        key: join(path),
        value: resolved.value(path),
        overridden: said.skip(usize::from(origin.layer != Layer::Default)).collect(),
        origin,
        meaning: key.meaning.clone(),
        kind: key.kind.clone(),
        allowed: key.allowed.clone(),
        default: key.default.clone(),
        variable: key.variable.clone(),
        scope: key.scope,
        problems: resolved.problems_of(path).cloned().collect(),
        unknown: false,
    }
}

/// A setting that stands in a file although this version does not know it.
fn unknown(resolved: &Resolved, path: &[String]) -> Option<Explained> {
    let mut said = resolved.said(path).into_iter();
    let first = said.next()?;
    Some(Explained {
        key: join(path),
        value: first.value,
        origin: first.origin,
        meaning: "Not known to this version of handoff; kept as it stands".to_owned(),
        kind: "anything".to_owned(),
        allowed: None,
        default: Value::Null,
        variable: None,
        scope: Scope::Any,
        overridden: said.collect(),
        problems: Vec::new(),
        unknown: true,
    })
}

impl Report for Explanations {
    fn page(&self) -> Page {
        match self.settings.as_slice() {
            [only] if self.single => only.page(),
            settings => {
                let columns = [
                    Column::new("setting"),
                    Column::new("value").shrinks_to(8),
                    Column::new("takes").optional(),
                    Column::new("meaning").shrinks_to(20),
                ];
                let rows = settings.iter().map(|setting| {
                    let name = Text::of(Role::Id, &setting.key);
                    Row::new([
                        name,
                        shown(&setting.value),
                        setting.takes().as_str().into(),
                        setting.meaning.as_str().into(),
                    ])
                });
                Page::new().table(Table::new(columns).rows(rows))
            }
        }
    }
}

impl Explained {
    fn takes(&self) -> String {
        match &self.allowed {
            Some(allowed) => format!("{}: {allowed}", self.kind),
            None => self.kind.clone(),
        }
    }

    fn page(&self) -> Page {
        let place = match self.scope {
            Scope::Any => None,
            Scope::User => Some("your own configuration or the environment, never a project"),
            Scope::Project => Some("the project's configuration alone"),
        };
        let mut page = Page::new()
            .heading(Text::of(Role::Id, &self.key))
            .line(self.meaning.as_str())
            .blank()
            .field("value", shown(&self.value))
            .field("from", origin(&self.origin))
            .field("takes", self.takes().as_str())
            .field("default", shown(&self.default))
            .field_if("variable", self.variable.as_deref())
            .field_if("set in", place);
        for said in &self.overridden {
            page = page.field("overridden", shown(&said.value).plain(" from ").plain(said.origin.to_string()));
        }
        for problem in &self.problems {
            page = page.field("problem", Text::of(Role::Warn, problem.to_string()));
        }
        page
    }
}
