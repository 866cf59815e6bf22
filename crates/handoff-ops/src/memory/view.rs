//! A memory as it is shown.

use handoff_model::memory::{MemoryId, MemoryKind, MemoryRecord};
use handoff_model::rev::Rev;
use handoff_model::session::Confidence;
use handoff_model::when::Moment;
use handoff_store::FoundMemory;
use schemars::JsonSchema;
use serde::Serialize;

use crate::page::{Role, Text};
use crate::{Facts, Page, Report};

/// A memory, whole.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MemoryView {
    pub id: MemoryId,
    pub kind: MemoryKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub text: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// Files, directories or globs it applies to
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Branches it applies to
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Moment>,
    /// Full name of the session it was learned in
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When it was retired; absent while it is in force
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retired_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retired_because: Option<String>,
    /// Id of the memory that took its place
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<MemoryId>,
    /// Id it had in the system it was imported from
    #[serde(skip_serializing_if = "Option::is_none")]
    pub former_id: Option<String>,
    /// Path of its file, relative to `.handoff/`
    pub file: String,
    pub rev: Rev,
    /// What was done, where something was
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl MemoryView {
    pub(crate) fn of(found: &FoundMemory) -> MemoryView {
        let record = found.record.clone();
        MemoryView {
            id: record.id,
            kind: record.kind,
            text: record.says().to_owned(),
            title: record.title,
            tags: record.tags,
            keywords: record.keywords,
            paths: record.paths,
            branches: record.branches,
            confidence: record.confidence,
            author: record.author,
            created_at: record.created_at,
            session: record.session,
            retired_at: record.retired_at,
            retired_because: record.retired_because,
            replaced_by: record.replaced_by,
            former_id: record.origin.map(|origin| origin.id),
            file: found.file.clone(),
            rev: found.rev,
            message: None,
        }
    }

    /// The same after a change, with what was done.
    pub(crate) fn changed(found: &FoundMemory, deed: &str) -> MemoryView {
        let message = format!("{deed} {} {}: {}", found.record.kind, found.record.id, found.record.summary());
        MemoryView { message: Some(message), ..MemoryView::of(found) }
    }
}

impl Report for MemoryView {
    fn page(&self) -> Page {
        let mut page = Page::new();
        if let Some(message) = &self.message {
            page = page.line(Text::of(Role::Good, "✓ ").plain(message));
            return page;
        }
        let head = Text::of(Role::Id, self.id.to_string()).plain(" ").and(Role::Dim, self.kind.word());
        page = page.line(head);
        if let Some(title) = self.title.as_ref().filter(|title| **title != self.text) {
            page = page.said(title.as_str());
        }
        page = page.prose(&self.text);
        let listed = |list: &[String]| (!list.is_empty()).then(|| list.join(", "));
        page.field_if("paths", listed(&self.paths))
            .field_if("tags", listed(&self.tags))
            .field_if("keywords", listed(&self.keywords))
            .field_if("branches", listed(&self.branches))
            .field_if("confidence", self.confidence.map(Confidence::word))
            .field_if("author", self.author.as_deref())
            .field_if("since", self.created_at.map(|at| at.day().to_string()))
            .field_if("session", self.session.as_deref())
            .field_if("retired", self.retired_at.map(|at| at.day().to_string()))
            .field_if("because", self.retired_because.as_deref())
            .field_if("replaced by", self.replaced_by.map(|id| id.to_string()))
            .field_if("before", self.former_id.as_deref())
            .field("file", self.file.as_str())
    }

    fn facts(&self) -> Facts {
        Facts {
            message: self.page().to_markdown(None),
            id: Some(self.id.to_string()),
            status: Some(if self.retired_at.is_some() { "retired" } else { "in force" }.to_owned()),
            rev: Some(self.rev.to_string()),
            ..Facts::default()
        }
    }
}

/// A memory in one line: kind, summary, id, and what limits it.
pub(crate) fn memory_line(record: &MemoryRecord) -> Text {
    let mut text = Text::of(Role::Dim, record.kind.word())
        .plain(" ")
        .plain(record.summary())
        .plain(" · ")
        .and(Role::Id, record.id.to_string());
    let limits = [record.paths.join(", "), record.branches.join(", ")];
    for limit in limits.iter().filter(|limit| !limit.is_empty()) {
        text = text.plain(" · ").and(Role::Dim, limit);
    }
    if !record.is_in_force() {
        let end = match record.replaced_by {
            Some(other) => format!(" · replaced by {other}"),
            None => " · retired".to_owned(),
        };
        text = text.and(Role::Dim, end);
    }
    text
}
