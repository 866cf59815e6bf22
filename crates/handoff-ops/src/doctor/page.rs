//! The diagnosis for readers: what matters most first, each with what to do about it.

use handoff_model::heal::{Finding, Weight};
use serde_json::json;

use super::{Diagnosis, Doctor};
use crate::page::{Role, Text};
use crate::{ErrorKind, Hint, Page, Report};

/// How many findings of one weight are shown; the rest are counted, and the JSON has all of them.
const SHOWN: usize = 50;

impl Report for Diagnosis {
    fn page(&self) -> Page {
        let role = if self.healthy { Role::Good } else { Role::Bad };
        let mark = if self.healthy { "✓ " } else { "✗ " };
        let mut page = Page::new().line(Text::of(role, mark).plain(&self.message));
        let weights = [
            (Weight::Damage, "Damage", Role::Bad),
            (Weight::Drift, "Drift", Role::Warn),
            (Weight::Note, "Worth knowing", Role::Dim),
        ];
        for (weight, heading, role) in weights {
            let findings: Vec<&Finding> = self.findings.iter().filter(|finding| finding.weight == weight).collect();
            page = listed(page, heading, &findings, role, "; --fix: ");
        }
        let heading = if self.dry_run { "Would be mended" } else { "Mended" };
        page = listed(page, heading, &self.mended.iter().collect::<Vec<_>>(), Role::Good, " → ");
        if self.dry_run && !self.changes.is_empty() {
            page = page.blank().heading("Changes");
            page = self.changes.iter().take(SHOWN).fold(page, Page::said);
            page = page.more(self.changes.len().saturating_sub(SHOWN), None);
        }
        if let Some(backup) = &self.backup {
            page = page.blank().line(Text::of(Role::Dim, "what was there before: ").plain(backup));
        }
        let can_be_mended = self.findings.iter().any(|finding| finding.fix.is_some());
        if can_be_mended || (self.dry_run && !self.mended.is_empty()) {
            page = page.blank().advice("to mend what can be mended, ", Hint::run_with::<Doctor>(json!({"fix": true})));
        }
        page
    }

    fn trouble(&self) -> Option<ErrorKind> {
        (!self.healthy).then_some(ErrorKind::Damaged)
    }
}

fn listed(page: Page, heading: &str, findings: &[&Finding], role: Role, before_fix: &str) -> Page {
    if findings.is_empty() {
        return page;
    }
    let page = page.blank().heading(heading);
    let page = findings.iter().take(SHOWN).fold(page, |page, finding| {
        let text = Text::of(role, finding.place()).plain(format!(" {}: {}", finding.kind, finding.what));
        let way_out = match (&finding.fix, &finding.advice) {
            (Some(fix), _) => format!("{before_fix}{fix}"),
            (None, Some(advice)) => format!("; {advice}"),
            (None, None) => String::new(),
        };
        page.said(text.and(Role::Dim, way_out))
    });
    page.more(findings.len().saturating_sub(SHOWN), None)
}
