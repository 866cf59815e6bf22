//! `handoff secrets scan`

use std::fs::File;
use std::io::Read;

use clap::Args;
use handoff_model::MAX_FILE_BYTES;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::AllowSecret;
use crate::leaving::{self, Finding};
use crate::page::{Column, Role, Row, Table, Text};
use crate::{Effect, ErrorKind, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// Find secrets in the project's records, in a file or in what is piped in
///
/// Tells where each stands and what found it, never what it is. Ends with exit code 4 when there are any.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScanSecrets {
    /// File to look through, `-` for standard input; the project's records if absent
    pub path: Option<String>,
    /// Text to look through (JSON input only)
    #[arg(skip)]
    pub text: Option<String>,
}

/// What looks like a secret.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SecretsFound {
    pub findings: Vec<Finding>,
    /// How many texts were looked through
    pub texts: usize,
    /// How many bytes they have
    pub bytes: usize,
}

impl Operation for ScanSecrets {
    const NAME: &'static str = "secrets.scan";
    const TOOL: &'static str = "handoff_scan_secrets";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Seek;
    type Outcome = SecretsFound;

    fn example() -> Value {
        json!({"text": "nothing to see"})
    }

    fn run(self, project: &mut Project) -> Result<SecretsFound, OpError> {
        let texts = match (self.path, self.text) {
            (Some(_), Some(_)) => return Err(OpError::usage("a file and a text are two things to look through")),
            (None, None) => {
                project.open()?;
                project.store().travelling_texts()?
            }
            (path, text) => {
                // What was let through counts where there is a project to say so.
                if let Err(error) = project.open_if_there()
                    && error.kind() != ErrorKind::NotFound
                {
                    return Err(error);
                }
                match (path, text) {
                    (Some(path), _) => vec![read(project, &path)?],
                    (None, text) => vec![("text".to_owned(), text.unwrap_or_default())],
                }
            }
        };
        let allowed = project.allowed();
        let findings = texts.iter().flat_map(|(place, text)| leaving::find(place, text, &allowed)).collect();
        Ok(SecretsFound { findings, texts: texts.len(), bytes: texts.iter().map(|(_, text)| text.len()).sum() })
    }
}

/// A file, or what is piped in. Bytes that are no text are passed over.
fn read(project: &mut Project, path: &str) -> Result<(String, String), OpError> {
    let failed = |error| OpError::failure(format!("cannot read `{path}`")).caused_by(error);
    let limit = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    let name = if path == "-" {
        let none = || OpError::usage("`-` is what is piped in, and nothing is: give `text` or a file");
        project.desk.input.take().ok_or_else(none)?.take(limit + 1).read_to_end(&mut bytes).map_err(failed)?;
        "standard input"
    } else {
        let place = project.place.cwd.join(path);
        if place.is_dir() {
            return Err(OpError::usage(format!("`{path}` is a directory: give a file")));
        }
        let missing = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => OpError::not_found(format!("no file `{path}`")),
            _ => failed(error),
        };
        File::open(place).map_err(missing)?.take(limit + 1).read_to_end(&mut bytes).map_err(failed)?;
        path
    };
    if bytes.len() > MAX_FILE_BYTES {
        return Err(OpError::refused(format!(
            "`{path}` has more than {MAX_FILE_BYTES} bytes: look through it in parts"
        )));
    }
    Ok((name.to_owned(), String::from_utf8_lossy(&bytes).into_owned()))
}

impl Report for SecretsFound {
    fn page(&self) -> Page {
        let texts = if self.texts == 1 { "1 text".to_owned() } else { format!("{} texts", self.texts) };
        if self.findings.is_empty() {
            return Page::new().line(Text::of(Role::Good, "✓ ").plain(format!("no secrets in {texts}")));
        }
        let columns = [Column::new("Where"), Column::new("What"), Column::new("Begins"), Column::new("Fingerprint")];
        let rows = self.findings.iter().map(|finding| {
            Row::new([
                Text::from(format!("{}:{}", finding.place, finding.line)),
                Text::of(Role::Bad, &finding.rule),
                Text::of(Role::Dim, &finding.begins),
                Text::of(Role::Id, finding.fingerprint.as_str()),
            ])
        });
        let count = self.findings.len();
        let plural = if count == 1 { "" } else { "s" };
        let first = json!({"fingerprints": [&self.findings[0].fingerprint]});
        Page::new()
            .table(Table::new(columns).rows(rows))
            .line(format!("{count} secret{plural} in {texts}"))
            .advice("if one may be known, ", Hint::run_with::<AllowSecret>(first))
    }

    fn trouble(&self) -> Option<ErrorKind> {
        (!self.findings.is_empty()).then_some(ErrorKind::Refused)
    }
}
