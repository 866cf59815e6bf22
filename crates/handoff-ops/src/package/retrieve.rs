//! `handoff retrieve`

use clap::Args;
use handoff_model::id::{SessionId, SessionRef};
use handoff_model::session::{SessionKind, base64};
use handoff_model::when::Moment;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::shelf::{Kept, Shelf};
use super::wanted::Wanted;
use crate::session::ShowSession;
use crate::{Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// Fetch a package: its text as it was stored, byte for byte
///
/// By its id or the beginning of one, or by its name: of several with one name the newest, with `nth` 2 the one before,
/// with `all` every one. It is looked for in the project, in your user store, then in the other known projects. On a
/// terminal control characters are shown instead of obeyed.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetrievePackage {
    /// Package to fetch, by id or the beginning of one; counts before a name
    #[arg(value_name = "ID")]
    #[schemars(with = "String")]
    pub id: Option<SessionRef>,
    /// Package to fetch, by name
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub name: Option<String>,
    /// Which of several with this name: 1 is the newest
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub nth: Option<i64>,
    /// Every one with this name, the newest first
    #[arg(long, conflicts_with = "nth")]
    #[serde(default)]
    pub all: bool,
    /// Only of this project: its name, or a directory in it
    #[arg(long, value_name = "NAME|PATH")]
    pub project: Option<String>,
    /// Also one whose lifetime is over
    #[arg(long)]
    #[serde(default)]
    pub expired: bool,
}

/// What was fetched.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Retrieved {
    One(Box<Parcel>),
    Several { packages: Vec<Parcel> },
}

/// A package with its text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Parcel {
    pub id: SessionId,
    /// Its full name
    pub full_name: String,
    pub kind: SessionKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    pub tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Moment>,
    /// Whether its lifetime is over
    pub expired: bool,
    /// The text, byte for byte
    pub body: String,
    /// Its bytes, where they are no text
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_base64: Option<String>,
    #[serde(skip)]
    bytes: Vec<u8>,
}

impl Operation for RetrievePackage {
    const NAME: &'static str = "retrieve";
    const TOOL: &'static str = "handoff_retrieve_package";
    const SET: ToolSet = ToolSet::Packages;
    const EFFECT: Effect = Effect::Seek;
    const REPEATABLE: bool = true;
    type Outcome = Retrieved;

    fn example() -> Value {
        json!({"id": "77c01b9d"})
    }

    fn run(self, project: &mut Project) -> Result<Retrieved, OpError> {
        if self.all && self.nth.is_some() {
            return Err(OpError::usage("`all` fetches every one, so `nth` cannot be given beside it"));
        }
        let nth = match self.nth {
            None => 1,
            Some(nth) if nth >= 1 => usize::try_from(nth).unwrap_or(usize::MAX),
            Some(nth) => return Err(OpError::usage(format!("there is no package number {nth}: 1 is the newest"))),
        };
        let Self { id, name, project: of, expired, .. } = &self;
        let wanted = Wanted { id: id.as_ref(), name: name.as_deref(), project: of.as_deref(), expired: *expired };
        let now = project.now();
        let hits = wanted.find(project)?;
        if self.all {
            let read = |kept: &Kept| Parcel::read(kept, &hits.shelves[kept.shelf], now);
            return Ok(Retrieved::Several { packages: hits.list.iter().map(read).collect::<Result<_, _>>()? });
        }
        let Some(kept) = hits.list.get(nth - 1) else {
            let there = hits.list.len();
            let there = if there == 1 { "is only 1".to_owned() } else { format!("are only {there}") };
            return Err(OpError::not_found(format!("there {there} with that name, so none is number {nth}")));
        };
        Ok(Retrieved::One(Box::new(Parcel::read(kept, &hits.shelves[kept.shelf], now)?)))
    }
}

impl Parcel {
    fn read(kept: &Kept, shelf: &Shelf, now: Moment) -> Result<Parcel, OpError> {
        let Some(bytes) = kept.body_bytes(shelf)? else {
            let id = &kept.summary.id();
            return Err(OpError::refused(format!(
                "the {} {id} has no free-form text to fetch",
                kept.summary.kind().word()
            ))
            .hint(Hint::run_with::<ShowSession>(json!({"session": id}))));
        };
        let expired = kept.is_expired(now);
        let summary = kept.summary.clone();
        Ok(Parcel {
            id: summary.id(),
            full_name: summary.full_name().to_owned(),
            kind: summary.kind(),
            name: summary.name().map(str::to_owned),
            title: summary.title().map(str::to_owned),
            summary: summary.summary().to_owned(),
            project: summary.project().map(str::to_owned),
            tags: summary.tags().into_iter().map(str::to_owned).collect(),
            created_at: summary.started_at(),
            expires_at: summary.expires_at(),
            expired,
            body: String::from_utf8_lossy(&bytes).into_owned(),
            body_base64: std::str::from_utf8(&bytes).is_err().then(|| base64(&bytes)),
            bytes,
        })
    }

    fn heading(&self) -> String {
        let at = self.created_at.map(|at| format!(" {at}")).unwrap_or_default();
        format!("{}{at} {}", self.id, self.name.as_deref().or(self.title.as_deref()).unwrap_or_default())
    }
}

impl Report for Retrieved {
    fn page(&self) -> Page {
        match self {
            Retrieved::One(parcel) => Page::new().line(parcel.heading()).prose(&parcel.body),
            Retrieved::Several { packages } => {
                packages.iter().fold(Page::new(), |page, parcel| page.heading(parcel.heading()).prose(&parcel.body))
            }
        }
    }

    /// One text is given as it is; several each after a line that tells which it is.
    fn raw(&self) -> Option<Vec<u8>> {
        match self {
            Retrieved::One(parcel) => Some(parcel.bytes.clone()),
            Retrieved::Several { packages } => {
                let mut text: Vec<u8> = Vec::new();
                for parcel in packages {
                    let blank = if text.is_empty() || text.ends_with(b"\n\n") { "" } else { "\n" };
                    let end: &[u8] = if parcel.bytes.ends_with(b"\n") { b"" } else { b"\n" };
                    text.extend(format!("{blank}==> {} <==\n", parcel.heading()).bytes());
                    text.extend(parcel.bytes.iter().chain(end));
                }
                Some(text)
            }
        }
    }

    fn facts(&self) -> crate::Facts {
        crate::Facts::default()
    }
}
