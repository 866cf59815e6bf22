//! Whose transcript a file is, by what is in it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use handoff_model::agent::Host;
use serde_json::Value;

use crate::piece::unpacked;
use crate::rows::{Row, Rows, unmarked};
use crate::{cline, document, sqlite};

/// So much of a file tells whose it is.
const ENOUGH: u64 = 1 << 20;
const LINES: usize = 20;

/// Whose transcript a file is; none where it is nobody's we know.
pub fn recognise(path: &Path) -> Option<Host> {
    if path.is_dir() {
        return cline::Session::of(path, None).map(|_| Host::Cline);
    }
    if !path.is_file() {
        return None;
    }
    if sqlite::is_database(path) {
        return whose_database(path);
    }
    let mut rows = Rows::first(unpacked(File::open(path).ok()?).ok()?.take(ENOUGH));
    for _ in 0..LINES {
        let line = match rows.next() {
            Ok(Some(Row::Line(line))) => line,
            Ok(Some(Row::TooLong)) => continue,
            Ok(None) | Err(_) => break,
        };
        if let Some(host) = serde_json::from_slice(unmarked(line)).ok().and_then(|record| whose(&record)) {
            return Some(host);
        }
    }
    let rest = match rows.rest() {
        Some(Row::Line(rest)) => serde_json::from_slice(unmarked(rest)).ok().and_then(|record| whose(&record)),
        _ => None,
    };
    rest.or_else(|| whose_document(&document::text(path, ENOUGH)?))
}

fn whose(record: &Value) -> Option<Host> {
    let has = |name: &str| record.get(name).is_some();
    if has("$set") || (has("sessionId") && has("projectHash")) {
        return Some(Host::Gemini);
    }
    if has("role") && record.pointer("/message/content").is_some() {
        return Some(Host::Cursor);
    }
    if has("record_type") {
        return Some(Host::Codex);
    }
    let kind = record.get("type")?.as_str()?;
    if has("payload") && has("timestamp") {
        return Some(Host::Codex);
    }
    let is_claude = has("sessionId") || (kind == "summary" && has("leafUuid"));
    is_claude.then_some(Host::ClaudeCode)
}

/// Whose document it is, by the fields at its beginning: it may be cut off, so it is not taken apart.
fn whose_document(start: &str) -> Option<Host> {
    let has = |name: &str| start.contains(&format!("\"{name}\""));
    let start = start.trim_start();
    if start.starts_with('[') {
        let is_screen = has("ts") && (has("say") || has("ask"));
        return (is_screen || (has("role") && has("content"))).then_some(Host::Cline);
    }
    if !start.starts_with('{') {
        return None;
    }
    if has("sessionId") && has("projectHash") {
        return Some(Host::Gemini);
    }
    let is_cline = (has("messages") && has("role")) || (has("session_id") && has("workspace_root"));
    let is_opencode = has("projectID") && has("directory") && start.contains("\"ses_");
    is_cline.then_some(Host::Cline).or(is_opencode.then_some(Host::OpenCode))
}

fn whose_database(path: &Path) -> Option<Host> {
    let database = sqlite::open(path).ok()?;
    let has = |table: &str| sqlite::has_table(&database, table);
    if has("session") && has("message") && has("part") {
        return Some(Host::OpenCode);
    }
    (has("cursorDiskKV") || (has("blobs") && has("meta"))).then_some(Host::Cursor)
}
