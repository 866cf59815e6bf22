//! Whose transcript a file is, by what is in it.

use std::io::Read;
use std::path::Path;

use handoff_model::agent::Host;
use serde_json::Value;

use crate::piece::unpacked;
use crate::rows::{Row, Rows};

/// So much of a file tells whose it is.
const ENOUGH: u64 = 1 << 20;
const LINES: usize = 20;

/// Whose transcript a file is; none where it is nobody's we know.
pub fn recognise(path: &Path) -> Option<Host> {
    if !path.is_file() {
        return None;
    }
    let mut rows = Rows::new(unpacked(path).ok()?.take(ENOUGH), 0);
    for _ in 0..LINES {
        let line = match rows.next() {
            Ok(Some(Row::Line(line))) => line,
            Ok(Some(Row::TooLong)) => continue,
            Ok(None) | Err(_) => break,
        };
        if let Some(host) = serde_json::from_slice(line).ok().and_then(|record| whose(&record)) {
            return Some(host);
        }
    }
    let Some(Row::Line(rest)) = rows.rest() else { return None };
    serde_json::from_slice(rest).ok().and_then(|record| whose(&record))
}

fn whose(record: &Value) -> Option<Host> {
    let has = |name: &str| record.get(name).is_some();
    let kind = record.get("type")?.as_str()?;
    if has("payload") && has("timestamp") {
        return Some(Host::Codex);
    }
    let is_claude = has("sessionId") || (kind == "summary" && has("leafUuid"));
    is_claude.then_some(Host::ClaudeCode)
}
