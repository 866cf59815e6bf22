//! `handoff store`

use clap::Args;
use handoff_model::id::SessionId;
use handoff_model::lifetime::Lifetime;
use handoff_model::session::body::{NotABody, check_body, most_bytes, read_body};
use handoff_model::session::{Session, SessionKind};
use handoff_model::text::{Name, Prose};
use handoff_model::when::Moment;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{Effect, Facts, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// Store a named package: text that another session, tool or person will fetch by its name or id
///
/// The text, up to 64 MB, is kept byte for byte; at a shell it comes from standard input, and the id is printed. Names
/// need not be unique: the newest is fetched first. After its lifetime a package is hidden, and garbage collection puts
/// it into the trash.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("required" = ["name", "body"]))]
pub struct StorePackage {
    /// The name to fetch it by
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    #[schemars(with = "String")]
    pub name: Option<String>,
    /// What is in it, for those who look at the list
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[schemars(with = "String")]
    pub summary: Option<String>,
    /// How long it is shown: `30m`, `2h`, `7d`, `2w` or `never`; 7 days if nothing is said
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    #[schemars(with = "String")]
    pub ttl: Option<String>,
    /// The project it is about, in any words
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[schemars(with = "String")]
    pub project: Option<String>,
    /// Tags; at a shell with commas between them
    #[arg(long, visible_alias = "tag", value_name = "TAGS", value_delimiter = ',', allow_hyphen_values = true)]
    #[serde(default)]
    pub tags: Vec<String>,
    /// The text itself
    #[arg(skip)]
    #[schemars(with = "String")]
    pub body: Option<String>,
    #[arg(skip)]
    #[serde(skip)]
    checked: Option<Checked>,
}

/// A request that was found to be in order.
#[derive(Debug)]
struct Checked {
    name: Name,
    lifetime: Lifetime,
    summary: String,
    project: Option<String>,
    tags: Vec<String>,
    body: String,
}

/// What is kept for a package that says nothing about it.
const USUAL: Lifetime = Lifetime::Minutes(7 * 24 * 60);

/// A package that was stored.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Stored {
    pub id: SessionId,
    /// Its full name
    pub full_name: String,
    /// The name it is fetched by
    pub name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    pub tags: Vec<String>,
    pub created_at: Moment,
    /// When it stops being shown
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Moment>,
    /// How many bytes were kept
    pub bytes: usize,
    /// Where its file lies
    pub file: String,
}

impl Operation for StorePackage {
    const NAME: &'static str = "store";
    const TOOL: &'static str = "handoff_store_package";
    const SET: ToolSet = ToolSet::Packages;
    const EFFECT: Effect = Effect::Write;
    type Outcome = Stored;

    fn example() -> Value {
        json!({"name": "auth-notes", "body": "## Context\nThe refresh flow is half done.\n", "tags": ["auth"]})
    }

    fn prepare(&mut self, project: &mut Project) -> Result<(), OpError> {
        self.checked = Some(self.check(project)?);
        Ok(())
    }

    fn run(mut self, project: &mut Project) -> Result<Stored, OpError> {
        let checked = self.checked.take().expect("a request is prepared before it is run");
        let Checked { name, lifetime, summary, project: label, tags, body } = checked;
        let now = project.instant();
        let fresh = |project: &mut Project| Session::new(project.new_session_id(), SessionKind::Package, now);
        let mut session = fresh(project);
        while project.store().has_session(&session.full_name()) {
            session = fresh(project);
        }
        session.author = Some(project.author()?);
        session.tool.clone_from(&project.caller.tool);
        session.name = Some(name.clone().into());
        session.summary = summary;
        session.tags = tags;
        session.project = label.or_else(|| (!project.is_user_store()).then(|| project.name()));
        session.expires_at = lifetime.after(now);
        session.close(now).map_err(|error| OpError::failure(error.to_string()))?;
        let bytes = body.len();
        let found = project.store_mut().create_package(session, body)?;
        let session = found.session.clone();
        Ok(Stored {
            id: session.id,
            full_name: found.name.clone(),
            name: name.into(),
            summary: session.summary,
            project: session.project,
            tags: session.tags,
            created_at: now,
            expires_at: session.expires_at,
            bytes,
            file: project.shown(&project.store().path_of(found.file())),
        })
    }
}

impl StorePackage {
    /// Name, lifetime, then the text: what is wrong is said before anybody types a long one.
    fn check(&mut self, project: &mut Project) -> Result<Checked, OpError> {
        let example = || Hint::say("such as `handoff store --name auth-notes --ttl 7d < notes.md`");
        let wrong = |message: String| OpError::usage(message).hint(example());
        let name = self.name.take().ok_or_else(|| wrong("a package needs a name: give `--name`".to_owned()))?;
        let name: Name = name.parse().map_err(|error: handoff_model::text::BadText| wrong(error.to_string()))?;
        let lifetime = match &self.ttl {
            Some(ttl) => {
                ttl.parse().map_err(|error: handoff_model::lifetime::NotALifetime| wrong(error.to_string()))?
            }
            None => USUAL,
        };
        let summary = match self.summary.as_deref().map(str::trim) {
            None | Some("") => String::new(),
            Some(text) => checked::<Prose>("summary", text)?.into(),
        };
        let project_label = match self.project.as_deref().map(str::trim) {
            None | Some("") => None,
            Some(text) => Some(checked::<handoff_model::text::OneLine>("project", text)?.into()),
        };
        let tags = tags(&self.tags)?;
        let body = match self.body.take() {
            Some(body) => check_body(&body).map(|()| body),
            None => {
                let read = project.desk.read_input(most_bytes);
                let bytes = read.map_err(|error| OpError::failure("standard input cannot be read").caused_by(error))?;
                read_body(bytes)
            }
        };
        let body = body.map_err(|error| {
            let pipe = Hint::say("pipe the text in, such as `handoff store --name auth-notes < notes.md`");
            match error {
                NotABody::Empty | NotABody::Blank => {
                    OpError::usage(format!("there is nothing to store: {error}")).hint(pipe)
                }
                _ => OpError::usage(format!("this cannot be stored: {error}")),
            }
        })?;
        Ok(Checked { name, lifetime, summary, project: project_label, tags, body })
    }
}

/// A text of one of the checked kinds, or which field it is wrong in.
fn checked<T: std::str::FromStr>(field: &str, text: &str) -> Result<T, OpError>
where
    T::Err: std::fmt::Display,
{
    text.parse().map_err(|error: T::Err| OpError::usage(format!("`{field}` cannot be used: {error}")))
}

/// Tags as they are kept: trimmed, none empty, none twice.
fn tags(given: &[String]) -> Result<Vec<String>, OpError> {
    let mut tags: Vec<String> = Vec::new();
    for tag in given.iter().flat_map(|tag| tag.split(',')).map(str::trim).filter(|tag| !tag.is_empty()) {
        let tag: String = checked::<Name>("tags", tag)?.into();
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    Ok(tags)
}

impl Report for Stored {
    fn page(&self) -> Page {
        let until = self.expires_at.map_or_else(|| "for good".to_owned(), |at| format!("until {at}"));
        Page::new().line(format!("stored {} `{}`, shown {until}", self.id, self.name))
    }

    /// Nothing but the id: scripts and agents hand it on as it is.
    fn raw(&self) -> Option<Vec<u8>> {
        Some(format!("{}\n", self.id).into_bytes())
    }

    fn facts(&self) -> Facts {
        Facts { message: self.page().to_markdown(None), id: Some(self.id.to_string()), ..Facts::default() }
    }
}
