//! `handoff secrets allow`

use clap::Args;
use handoff_model::config::Layer;
use handoff_model::secret::Fingerprint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::config::{NewValue, SetConfig};
use crate::page::{Role, Text};
use crate::{Door, Effect, OpError, Operation, Page, Project, Report, ToolSet};

/// Let through what looks like a secret and may be known
///
/// From then on it is neither held back nor redacted in this project, or anywhere with `--user`. The setting
/// `secrets.allow` keeps the fingerprints, which do not tell the secret.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AllowSecret {
    /// Fingerprints to let through, as `handoff secrets scan` tells them
    #[arg(required = true, value_name = "FINGERPRINT")]
    pub fingerprints: Vec<Fingerprint>,
    /// Let them through in all your projects
    #[arg(long)]
    #[serde(default)]
    pub user: bool,
}

/// What is let through now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SecretsAllowed {
    /// The file that says so
    pub file: String,
    /// All fingerprints it lists
    pub allowed: Vec<Fingerprint>,
    pub message: String,
}

impl Operation for AllowSecret {
    const NAME: &'static str = "secrets.allow";
    const TOOL: &'static str = "handoff_allow_secret";
    const SET: ToolSet = ToolSet::Config;
    const EFFECT: Effect = Effect::Write;
    const REPEATABLE: bool = true;
    // Whether something may be known is for a person to say.
    const DOORS: &'static [Door] = &[Door::Cli, Door::Http];
    type Outcome = SecretsAllowed;

    fn example() -> Value {
        json!({"fingerprints": ["3f9a0c21b7de"]})
    }

    fn run(self, project: &mut Project) -> Result<SecretsAllowed, OpError> {
        if self.fingerprints.is_empty() {
            return Err(OpError::usage("there is nothing to let through: give a fingerprint"));
        }
        let layer = if self.user || project.is_user_store() { Layer::User } else { Layer::Project };
        let said = project.resolved().said(&["secrets", "allow"].map(str::to_owned));
        let listed =
            said.iter().find(|said| said.origin.layer == layer).and_then(|said| said.value.as_array().cloned());
        let listed = listed.into_iter().flatten();
        let mut allowed: Vec<Fingerprint> = listed.filter_map(|text| text.as_str()?.parse().ok()).collect();
        let before = allowed.len();
        for fingerprint in self.fingerprints {
            if !allowed.contains(&fingerprint) {
                allowed.push(fingerprint);
            }
        }
        let new = allowed.len() - before;
        let set = SetConfig {
            key: Some("secrets.allow".to_owned()),
            value: vec![NewValue::Json(json!(allowed))],
            updates: Map::new(),
            user: self.user,
            if_rev: None,
        };
        let file = set.run(project)?.file;
        let message = match new {
            0 => format!("nothing to change: {file} lets it through already"),
            1 => format!("1 fingerprint is let through now, in {file}"),
            new => format!("{new} fingerprints are let through now, in {file}"),
        };
        Ok(SecretsAllowed { file, allowed, message })
    }
}

impl Report for SecretsAllowed {
    fn page(&self) -> Page {
        Page::new().line(Text::of(Role::Good, "✓ ").plain(&self.message))
    }
}
