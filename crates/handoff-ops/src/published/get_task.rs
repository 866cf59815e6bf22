//! `handoff_get_task`

use clap::Args;
use handoff_model::task::Note;
use handoff_store::StoreError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Wanted, schema};
use crate::task::{ChildView, TaskView, archived};
use crate::{Door, Effect, OpError, Operation, Page, Project, Report, ToolSet};

/// Show everything about one task
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct GetTask {
    #[schemars(schema_with = "schema::text")]
    pub task_id: Wanted,
    /// Also tasks that depend on it
    #[arg(long)]
    #[serde(default)]
    #[schemars(schema_with = "schema::truth")]
    pub include_dependents: bool,
}

/// A task with all there is to know about it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TaskDetails {
    #[serde(flatten)]
    pub task: TaskView,
    /// The tasks that depend on it, where they were asked for
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dependents: Option<Vec<ChildView>>,
}

impl Operation for GetTask {
    const NAME: &'static str = "task.get";
    const TOOL: &'static str = "handoff_get_task";
    const SET: ToolSet = ToolSet::Core;
    const EFFECT: Effect = Effect::Read;
    const DOORS: &'static [Door] = &[Door::Mcp];
    type Outcome = TaskDetails;

    fn example() -> Value {
        json!({"task_id": "k7f3q2ma", "include_dependents": true})
    }

    fn run(self, project: &mut Project) -> Result<TaskDetails, OpError> {
        let wanted = self.task_id.reference()?;
        let task = match project.store().find(&wanted) {
            Ok(found) => {
                let children = project.store().children(&found)?;
                TaskView::new(project, &found).with_children(children).with_hours(project, &found.task)
            }
            Err(error @ StoreError::NoSuchTask { .. }) => archived::view(project, &wanted, error.into())?,
            Err(error) => return Err(error.into()),
        };
        let dependents = if self.include_dependents {
            let (forest, id) = (project.store().forest()?, task.id);
            let depends = |task: &handoff_model::task::Task| task.dependencies.contains(&id);
            let dependents = forest.walk().into_iter().filter(|node| depends(&node.task));
            Some(dependents.map(|node| ChildView::of(&node.task)).collect())
        } else {
            None
        };
        Ok(TaskDetails { task, dependents })
    }
}

/// The longest description and note that are shown whole; the file has the rest.
const LONGEST_DESCRIPTION: usize = 4_000;
const LONGEST_NOTE: usize = 1_000;
/// How many notes and changes are shown, the last ones.
const MOST_NOTES: usize = 8;
const MOST_HISTORY: usize = 10;

impl Report for TaskDetails {
    fn page(&self) -> Page {
        let TaskView { file, description, notes, history, .. } = &self.task;
        let shortened = |note: &Note| Note { text: shorten(&note.text, LONGEST_NOTE, file), ..note.clone() };
        let earlier_notes = notes.len().saturating_sub(MOST_NOTES);
        let shown = TaskView {
            description: description.as_deref().map(|text| shorten(text, LONGEST_DESCRIPTION, file)),
            notes: notes[earlier_notes..].iter().map(shortened).collect(),
            history: history[history.len().saturating_sub(MOST_HISTORY)..].to_vec(),
            ..self.task.clone()
        };
        let mut page = shown.details(0);
        if earlier_notes > 0 {
            page = page.line(format!("{earlier_notes} earlier notes are in {file}"));
        }
        match self.dependents.as_deref() {
            None => page,
            Some([]) => page.blank().line("no task depends on it"),
            Some(dependents) => {
                dependents.iter().fold(page.blank().heading("Depend on it"), |page, task| page.item(task.line()))
            }
        }
    }

    fn warnings(&self) -> &[String] {
        self.task.warnings()
    }
}

/// The beginning of a long text, ending with a whole word, and how much more there is.
fn shorten(text: &str, limit: usize, file: &str) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let cut = text.floor_char_boundary(limit);
    let end = text[..cut].rfind(char::is_whitespace).filter(|end| end * 2 > cut).unwrap_or(cut);
    let left = text[end..].chars().count();
    format!("{} …\n({left} more characters in {file})", text[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_at_a_word_and_says_how_much_is_left() {
        assert_eq!(shorten("one two three", 20, "f"), "one two three");
        assert_eq!(shorten("one two three", 9, "f"), "one two …\n(6 more characters in f)");
        assert_eq!(shorten("認証認証", 7, "f"), "認証 …\n(2 more characters in f)");
    }
}
