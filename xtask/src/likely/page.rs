//! The findings as a table, and the page around it.

use std::fmt::Write;

use super::{BUDGETS, Finding};

pub(super) fn table(findings: &[Finding]) -> String {
    let mut table =
        String::from("| repository (sessions) | list | 250 | 500 | 1,000 | 2,000 |\n|---|---|---|---|---|---|\n");
    for finding in findings {
        let mut repository = format!("{} ({})", finding.repository, finding.sessions);
        for (system, shares) in &finding.shares {
            let _ = write!(table, "| {} | {} |", std::mem::take(&mut repository), system.title());
            for share in shares.iter().take(BUDGETS.len()) {
                let _ = write!(table, " {:.1} |", share * 100.0);
            }
            table.push('\n');
        }
    }
    table
}

pub(super) fn page(table: &str, prompts: &str) -> String {
    let (before, between, after) =
        (include_str!("page/before.md"), include_str!("page/between.md"), include_str!("page/after.md"));
    format!("{before}{table}{between}{prompts}{after}")
}
