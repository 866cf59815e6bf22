//! What an import did, or would do.

use schemars::JsonSchema;
use serde::Serialize;

use super::Incoming;
use super::plan::Plan;
use crate::history::Undo;
use crate::page::{Column, Role, Row, Table, Text};
use crate::{Facts, Hint, Page, Report};

/// What an import came to.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Imported {
    /// Where the records come from
    pub source: String,
    /// Whether this only says what would be done
    pub dry_run: bool,
    pub counts: Counts,
    pub records: Vec<PlannedRecord>,
    /// How many of them are past their lifetime; they are kept, and not shown in lists
    pub expired: usize,
    /// What is kept differently from how it stands in the source
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// What was not taken, and why
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Who signed the bundle
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signer: Option<SignerView>,
    pub message: String,
    #[serde(skip)]
    warnings: Vec<String>,
}

/// How many records became of what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    pub new: usize,
    /// Those that are here already with the same content
    pub same: usize,
    pub replaced: usize,
    pub merged: usize,
    pub skipped: usize,
    pub conflicts: usize,
}

/// One record and what becomes of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PlannedRecord {
    /// `session`, `record`, `package`, `task` or `memory`
    pub kind: String,
    pub id: String,
    pub title: String,
    pub step: Step,
    /// What it was called in the system it comes from
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
}

/// What becomes of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    New,
    Same,
    Replaced,
    Merged,
    Skipped,
    Conflict,
}

/// Who signed a bundle, and whether that means something here.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SignerView {
    /// `trusted`, `known`, `unknown` or `unsigned`
    pub verdict: String,
    /// The name in the list of signers
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the signer calls themselves
    #[serde(skip_serializing_if = "Option::is_none")]
    pub says: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

/// How many records are listed; the JSON has all of them.
const SHOWN: usize = 50;

impl Imported {
    pub(crate) fn planned(incoming: Incoming, plan: Plan) -> Imported {
        Imported::told(incoming, plan, true)
    }

    pub(crate) fn done(incoming: Incoming, plan: Plan) -> Imported {
        Imported::told(incoming, plan, false)
    }

    fn told(incoming: Incoming, plan: Plan, dry_run: bool) -> Imported {
        let counts = plan.counts();
        let records: Vec<PlannedRecord> = plan.records().cloned().collect();
        let Incoming { source, taken, signer, mut warnings, .. } = incoming;
        warnings.extend(taken.notes);
        warnings.extend(plan.warnings);
        let mut left_out = taken.left_out;
        left_out.extend(plan.left_out);
        let message = message(&source, counts, dry_run);
        let (expired, changed) = (taken.expired, taken.changed);
        Imported { source, dry_run, counts, records, expired, changed, left_out, signer, message, warnings }
    }
}

fn message(source: &str, counts: Counts, dry_run: bool) -> String {
    let parts = [
        (counts.new, "new"),
        (counts.same, "here already"),
        (counts.replaced, "replaced"),
        (counts.merged, "merged"),
        (counts.skipped, "skipped"),
        (counts.conflicts, "in conflict"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    let told = if parts.is_empty() { "no records".to_owned() } else { parts.join(", ") };
    let did = if dry_run { "would import from" } else { "imported from" };
    format!("{did} {source}: {told}")
}

impl Report for Imported {
    fn page(&self) -> Page {
        let mark = if self.dry_run { "" } else { "✓ " };
        let mut page = Page::new().line(Text::of(Role::Good, mark).plain(&self.message));
        if let Some(signer) = &self.signer {
            let who = signer.name.as_ref().or(signer.says.as_ref()).map(|name| format!(" {name}")).unwrap_or_default();
            let key = signer.fingerprint.as_ref().map(|key| format!(", {key}")).unwrap_or_default();
            page = page.line(format!("signer: {}{who}{key}", signer.verdict));
        }
        let rows = self.records.iter().take(SHOWN).map(|record| {
            let step = serde_json::to_value(record.step).ok().and_then(|step| Some(step.as_str()?.to_owned()));
            Row::new([
                Text::from(step.unwrap_or_default()),
                Text::from(record.kind.clone()),
                Text::of(Role::Id, record.id.clone()),
                record.title.clone().into(),
            ])
        });
        let columns =
            [Column::new("what"), Column::new("kind"), Column::new("id"), Column::new("title").shrinks_to(12)];
        page = page.table(Table::new(columns).rows(rows)).more(self.records.len().saturating_sub(SHOWN), None);
        if self.expired > 0 {
            page = page.line(format!("{} of them expired: they are kept, and lists do not show them", self.expired));
        }
        for (title, lines) in [("Changed on the way", &self.changed), ("Left out", &self.left_out)] {
            if !lines.is_empty() {
                page = page.blank().line(title);
                page = lines.iter().fold(page, |page, line| page.item(line.as_str()));
            }
        }
        let has_changed = self.counts.new + self.counts.replaced + self.counts.merged > 0;
        if has_changed && !self.dry_run { page.advice("to take it back, ", Hint::run::<Undo>()) } else { page }
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn facts(&self) -> Facts {
        Facts { message: self.message.clone(), ..Facts::default() }
    }
}
