//! `handoff extend`

use clap::Args;
use handoff_model::id::{SessionId, SessionRef};
use handoff_model::lifetime::Lifetime;
use handoff_model::session::SessionKind;
use handoff_model::when::Moment;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::shelf::Spot;
use super::wanted::Wanted;
use crate::page::{Role, Text};
use crate::{Effect, Facts, OpError, Operation, Page, Project, Report, ToolSet};

/// Give a package or record another lifetime, counted from now
///
/// One whose lifetime is over is shown again, and comes back from the trash if `handoff gc` put it there.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(allow_missing_positional = true)]
#[serde(deny_unknown_fields)]
pub struct ExtendPackage {
    /// Package or record, by id or the beginning of one
    #[arg(value_name = "ID")]
    #[schemars(with = "String")]
    pub id: Option<SessionRef>,
    /// How long it is shown from now on: `30m`, `2h`, `7d`, `2w` or `never`
    #[arg(value_name = "LIFETIME", required = true)]
    pub lifetime: Lifetime,
    /// Package or record, by name: of several the newest
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub name: Option<String>,
    #[arg(skip)]
    #[serde(skip)]
    found: Option<String>,
}

/// What has another lifetime now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Extended {
    pub id: SessionId,
    /// Its full name
    pub full_name: String,
    pub kind: SessionKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When it stops being shown; absent for one that is always shown
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Moment>,
    /// Whether it came back from the trash
    pub brought_back: bool,
    /// What was done
    pub message: String,
}

impl Operation for ExtendPackage {
    const NAME: &'static str = "extend";
    const TOOL: &'static str = "handoff_extend_package";
    const SET: ToolSet = ToolSet::Packages;
    const EFFECT: Effect = Effect::Amend;
    type Outcome = Extended;

    fn example() -> Value {
        json!({"id": "77c01b9d", "lifetime": "2w"})
    }

    fn prepare(&mut self, project: &mut Project) -> Result<(), OpError> {
        self.found = Some(find(project, self.id.as_ref(), self.name.as_deref())?);
        Ok(())
    }

    fn run(self, project: &mut Project) -> Result<Extended, OpError> {
        let name = self.found.expect("a request is prepared before it is run");
        extend(project, &name, self.lifetime)
    }
}

/// The full name of what is meant, after going to the store that it lies in.
pub(super) fn find(project: &mut Project, id: Option<&SessionRef>, name: Option<&str>) -> Result<String, OpError> {
    let shown = Wanted { id, name, project: None, expired: false }.find(project);
    let hits = match shown {
        Ok(hits) => hits,
        Err(_) => Wanted { id, name, project: None, expired: true }.find(project)?,
    };
    let (kept, shelf) = hits.first();
    if matches!(kept.spot, Spot::Archive(_)) {
        let archive = shelf.store.path().display().to_string();
        let name = kept.summary.full_name();
        return Err(OpError::refused(format!("`{name}` lies in an archive of {archive}, where nothing expires")));
    }
    let (full_name, dir) = (kept.summary.full_name().to_owned(), shelf.dir.clone());
    let is_here = match &dir {
        Some(_) => project.dir() == dir,
        None => project.is_user_store(),
    };
    if !is_here {
        project.switch_to(dir.as_deref())?;
    }
    Ok(full_name)
}

/// Stages the other lifetime.
pub(super) fn extend(project: &mut Project, full_name: &str, lifetime: Lifetime) -> Result<Extended, OpError> {
    let store = project.store_mut();
    let trashed = store.trashed_sessions()?.into_iter().find(|trashed| trashed.name == full_name);
    let mut brought_back = false;
    let found = match store.session_called(full_name)?.filter(|found| found.archive.is_none()) {
        Some(found) => found,
        None => {
            let found = trashed.map(|trashed| store.trashed_session(&trashed)).transpose()?.flatten();
            let found = found.ok_or_else(|| OpError::not_found(format!("`{full_name}` is gone meanwhile")))?;
            brought_back = true;
            store.bring_back_session(&found)?
        }
    };
    let mut session = found.session.clone();
    session.expires_at = lifetime.after(project.now());
    let saved = project.store_mut().save_session(&found, &session)?;
    if project.has_current_state() {
        project.rebuild_current_state();
    }
    let what = session.name.as_ref().map(|name| format!(" `{name}`")).unwrap_or_default();
    let until = session.expires_at.map_or_else(|| "for good".to_owned(), |at| format!("until {at}"));
    let back = if brought_back { "back from the trash and " } else { "" };
    let message = format!("{} {}{what} is {back}shown {until}", session.kind.word(), session.id);
    Ok(Extended {
        id: session.id,
        full_name: saved.name,
        kind: session.kind,
        name: session.name,
        expires_at: session.expires_at,
        brought_back,
        message,
    })
}

impl Report for Extended {
    fn page(&self) -> Page {
        Page::new().line(Text::of(Role::Good, "✓ ").plain(&self.message))
    }

    fn facts(&self) -> Facts {
        Facts { message: self.message.clone(), id: Some(self.id.to_string()), ..Facts::default() }
    }
}
