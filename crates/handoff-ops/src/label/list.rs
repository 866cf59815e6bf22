//! `handoff label list`

use std::collections::BTreeMap;

use clap::Args;
use handoff_model::rev::Rev;
use handoff_model::text::Name;
use handoff_store::Forest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::AddLabels;
use crate::page::{Cell, Column, Role, Row, Sheet, Table, Text};
use crate::{Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// List labels with how many tasks use them
///
/// Those of the settings come first, then those that only tasks use.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListLabels {}

/// The labels of a project.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Labels {
    pub labels: Vec<LabelView>,
    /// Revision of config.toml, for `if_rev`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rev: Option<Rev>,
}

/// One label.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LabelView {
    pub label: String,
    /// Whether the settings list it
    pub configured: bool,
    /// Tasks that use it
    pub task_count: usize,
    /// Those that are not finished
    pub active_task_count: usize,
}

impl Operation for ListLabels {
    const NAME: &'static str = "label.list";
    const TOOL: &'static str = "handoff_list_labels";
    const SET: ToolSet = ToolSet::Team;
    const EFFECT: Effect = Effect::Read;
    const SHEET: bool = true;
    type Outcome = Labels;

    fn example() -> Value {
        json!({})
    }

    fn run(self, project: &mut Project) -> Result<Labels, OpError> {
        let forest = project.store().whole_forest()?;
        let rev = project.config_sources().project.map(|file| file.rev);
        Ok(Labels { labels: labels(&project.config().labels, &forest), rev })
    }
}

/// The vocabulary in its order, then what else is used.
pub(crate) fn labels(vocabulary: &[Name], forest: &Forest) -> Vec<LabelView> {
    let mut used: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for node in forest.walk() {
        for label in &node.task.labels {
            let (all, open) = used.entry(label.clone()).or_default();
            *all += 1;
            *open += usize::from(node.task.status.is_open());
        }
    }
    let view = |label: String, configured, (task_count, active_task_count)| LabelView {
        label,
        configured,
        task_count,
        active_task_count,
    };
    let mut labels: Vec<LabelView> = Vec::new();
    for name in vocabulary {
        if labels.iter().all(|known| known.label != name.as_str()) {
            labels.push(view(name.to_string(), true, used.remove(name.as_str()).unwrap_or_default()));
        }
    }
    labels.extend(used.into_iter().map(|(label, counts)| view(label, false, counts)));
    labels
}

/// Labels with their counts, on one line.
pub(crate) fn labels_line(labels: &[LabelView]) -> Text {
    labels.iter().enumerate().fold(Text::default(), |text, (index, label)| {
        let text = if index > 0 { text.plain(", ") } else { text };
        let role = if label.configured { Role::Plain } else { Role::Dim };
        text.and(role, &label.label).and(Role::Dim, format!(" ({})", label.task_count))
    })
}

impl Report for Labels {
    fn page(&self) -> Page {
        if self.labels.is_empty() {
            let none = Text::of(Role::Dim, "there are no labels yet");
            return Page::new()
                .line(none)
                .advice("add some: ", Hint::run_with::<AddLabels>(json!({"labels": ["NAME"]})));
        }
        let columns = [
            Column::new("label").shrinks_to(8),
            Column::new("open").right(),
            Column::new("tasks").right(),
            Column::new(""),
        ];
        let row = |label: &LabelView| {
            let note = if label.configured { "" } else { "only in tasks" };
            Row::new([
                Text::of(Role::Strong, &label.label),
                label.active_task_count.to_string().into(),
                label.task_count.to_string().into(),
                Text::of(Role::Dim, note),
            ])
        };
        let table = Table::new(columns).rows(self.labels.iter().map(row)).without_empty_columns();
        Page::new().table(table).rest(Hint::run::<ListLabels>())
    }

    fn sheet(&self) -> Option<Sheet> {
        let row = |label: &LabelView| {
            [
                Cell::text(&label.label),
                Cell::plain(label.active_task_count),
                Cell::plain(label.task_count),
                Cell::plain(label.configured),
            ]
        };
        Some(Sheet::new(["label", "open", "tasks", "configured"]).rows(self.labels.iter().map(row)))
    }
}
