//! The diagnosis for readers: what matters most first, each with what to do about it.

use handoff_model::heal::{Finding, Weight};
use serde_json::{Map, json};

use super::{Diagnosis, Doctor};
use crate::history::Undo;
use crate::page::{Role, Text};
use crate::{ErrorKind, Facts, Hint, Page, Report};

/// How many findings of one weight are shown; the rest are counted, and the JSON has all of them.
const SHOWN: usize = 50;

impl Report for Diagnosis {
    fn page(&self) -> Page {
        let mark = match self.findings.iter().map(|finding| finding.weight).min() {
            _ if self.dry_run => Text::default(),
            Some(Weight::Damage) => Text::of(Role::Bad, "✗ "),
            Some(Weight::Drift) => Text::of(Role::Warn, "! "),
            Some(Weight::Note) | None => Text::of(Role::Good, "✓ "),
        };
        let mut page = Page::new().line(mark.plain(&self.message));
        let weights = [
            (Weight::Damage, "Damage", Role::Bad),
            (Weight::Drift, "Drift", Role::Warn),
            (Weight::Note, "Worth knowing", Role::Dim),
        ];
        for (weight, heading, role) in weights {
            let findings: Vec<&Finding> = self.findings.iter().filter(|finding| finding.weight == weight).collect();
            page = self.listed(page, heading, &findings, role, "; --fix: ");
        }
        let heading = if self.dry_run { "Would be mended" } else { "Mended" };
        page = self.listed(page, heading, &self.mended.iter().collect::<Vec<_>>(), Role::Good, " → ");
        if self.dry_run && !self.changes.is_empty() {
            page = page.blank().heading(format!("Changes in {}", self.store));
            page = self.changes.iter().take(SHOWN).fold(page, Page::said);
            page = page.more(self.changes.len().saturating_sub(SHOWN), None);
        }
        if let Some(backup) = &self.backup {
            let backup = format!("{}{backup}", self.store);
            page = page.blank().line(Text::of(Role::Dim, "what was there before: ").plain(backup));
        }
        if !self.dry_run && !self.changes.is_empty() {
            page = page.advice("to take all of it back, ", Hint::run::<Undo>());
        }
        let can_be_mended = self.findings.iter().any(|finding| finding.fix.is_some());
        if can_be_mended || (self.dry_run && !self.mended.is_empty()) {
            page = page.blank().advice("to mend what can be mended, ", Hint::run_with::<Doctor>(json!({"fix": true})));
        }
        page
    }

    fn facts(&self) -> Facts {
        let some = |findings: &[Finding]| json!(findings.iter().take(SHOWN).collect::<Vec<_>>());
        let mut more = Map::new();
        more.insert("healthy".to_owned(), self.healthy.into());
        more.insert("findings".to_owned(), some(&self.findings));
        if !self.mended.is_empty() {
            more.insert("mended".to_owned(), some(&self.mended));
        }
        more.extend(self.backup.iter().map(|backup| ("backup".to_owned(), json!(backup))));
        Facts { message: self.page().to_markdown(None), more, ..Facts::default() }
    }

    fn trouble(&self) -> Option<ErrorKind> {
        (!self.healthy).then_some(ErrorKind::Damaged)
    }
}

impl Diagnosis {
    fn listed(&self, page: Page, heading: &str, findings: &[&Finding], role: Role, before_fix: &str) -> Page {
        if findings.is_empty() {
            return page;
        }
        let page = page.blank().heading(heading);
        let page = findings.iter().take(SHOWN).fold(page, |page, finding| {
            let kind = finding.kind.to_string().replace('_', " ");
            let place = format!("{}{}", self.store, finding.place());
            let text = Text::of(role, place).plain(format!(" {kind}: {}", finding.what));
            let way_out = match (&finding.fix, &finding.advice) {
                (Some(fix), _) => format!("{before_fix}{fix}"),
                (None, Some(advice)) => format!("; {advice}"),
                (None, None) => String::new(),
            };
            page.said(text.and(Role::Dim, way_out))
        });
        page.more(findings.len().saturating_sub(SHOWN), None)
    }
}
