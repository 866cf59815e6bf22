//! From one layout to the other, as one change.
//!
//! Each step leaves a mixture that loads: fields are written before a directory leaves its parent, and removed after
//! it has come under it.

use std::collections::{HashMap, HashSet};

use handoff_model::document;
use handoff_model::id::TaskId;
use handoff_model::name::{Layout, stable_name, status_name};
use handoff_model::number::Number;
use handoff_model::problem::{Problem, Severity};
use serde_json::json;

use super::find::Found;
use super::forest::Forest;
use crate::error::{Result, StoreError};
use crate::layout::{CONFIG, GITIGNORE, TASK_FILE, TASKS};
use crate::root::{join, split};
use crate::step::Step;
use crate::store::Store;

/// What git sees of a private project: nothing.
pub(crate) const PRIVATE_GITIGNORE: &str = "*\n";
/// What git does not see of a shared project.
pub(crate) const SHARED_GITIGNORE: &str = "local/\nPAUSE\ncurrent-state.md\n";

impl Store {
    /// Stages the conversion to another layout, with what git may see. Returns how many tasks change their place.
    pub fn convert(&mut self, to: Layout) -> Result<usize> {
        let forest = self.whole_forest()?;
        // A task below a damaged one would lose its parent, so that is mended first.
        if let Some(damaged) = forest.problems.iter().find(|problem| problem.severity == Severity::Damaged) {
            return Err(StoreError::Damaged(damaged.clone()));
        }
        let moved = match to {
            Layout::Stable => self.flatten(&forest)?,
            Layout::Status => self.nest(&forest)?,
        };
        self.check_free_names()?;
        self.convert_gitignore(to)?;
        self.convert_config(to)?;
        self.change.forget_locator = true;
        Ok(moved)
    }

    /// Refuses when something that is not moved away itself has a name that is needed.
    fn check_free_names(&self) -> Result<()> {
        let moves = || {
            self.change.steps.iter().filter_map(|step| match step {
                Step::MoveDir { from, to } => Some((from, to)),
                _ => None,
            })
        };
        let leaving: HashSet<&String> = moves().map(|(from, _)| from).collect();
        match moves().find(|(_, to)| !leaving.contains(to) && self.root.exists(to)) {
            Some((_, to)) => Err(StoreError::InTheWay { path: to.clone() }),
            None => Ok(()),
        }
    }

    fn flatten(&mut self, forest: &Forest) -> Result<usize> {
        let nodes = forest.walk();
        let mut moved = 0;
        // The deepest first, so that no path changes before it is used.
        for node in nodes.iter().rev() {
            let found = self.found_at(node)?;
            let mut task = found.task.clone();
            task.parent = node.parent;
            task.number = Some(node.number.ordinal());
            self.stage_text(&found, &found.dir, &task)?;
            let dir = join(TASKS, &stable_name(&task.title, task.id));
            if dir != found.dir {
                self.change.steps.push(Step::MoveDir { from: found.dir, to: dir });
                moved += 1;
            }
        }
        Ok(moved)
    }

    fn nest(&mut self, forest: &Forest) -> Result<usize> {
        let mut places: HashMap<TaskId, (Number, String)> = HashMap::new();
        let mut taken: HashSet<(Option<TaskId>, u32)> = HashSet::new();
        let mut moves: Vec<(String, String)> = Vec::new();
        let mut moved = 0;
        // Parents first, so that there is a directory to come under.
        for node in forest.walk() {
            let found = self.found_at(node)?;
            let (above, above_dir) = match node.parent.and_then(|parent| places.get(&parent)) {
                Some((number, dir)) => (Some(number.clone()), dir.clone()),
                None => (None, TASKS.to_owned()),
            };
            let mut ordinal = node.number.ordinal();
            while !taken.insert((node.parent, ordinal)) {
                ordinal += 1;
            }
            let number = Number::under(above.as_ref(), ordinal);
            let mut task = found.task.clone();
            task.parent = None;
            task.number = None;
            let dir = join(&above_dir, &status_name(&number, task.status, &task.title));
            let present = moved_place(&found.dir, &moves);
            if dir != present {
                self.change.steps.push(Step::MoveDir { from: present, to: dir.clone() });
                moves.push((found.dir.clone(), dir.clone()));
                moved += 1;
            }
            self.stage_text(&found, &dir, &task)?;
            places.insert(task.id, (number, dir));
        }
        Ok(moved)
    }

    fn stage_text(&mut self, found: &Found, dir: &str, task: &handoff_model::task::Task) -> Result<()> {
        let text = found.text_saying(task)?;
        if text != found.text {
            let path = join(dir, TASK_FILE);
            self.change.steps.push(Step::Put { path, before: Some(found.text.clone()), after: text });
        }
        Ok(())
    }

    fn convert_config(&mut self, to: Layout) -> Result<()> {
        let text = self.file(CONFIG)?.map(|(text, _)| text).unwrap_or_default();
        let damaged = |reason: String, line| StoreError::Damaged(Problem::damaged(CONFIG, reason).at_line(line));
        let mut document: toml_edit::DocumentMut =
            text.parse().map_err(|error: toml_edit::TomlError| damaged(error.message().to_owned(), None))?;
        let word = json!(to);
        document::set_path(&mut document, &["settings", "task_dirs"], Some(&word))
            .map_err(|error| damaged(error.reason, error.line))?;
        self.put_file(CONFIG, document.to_string())
    }

    /// Keeps lines that a person added.
    fn convert_gitignore(&mut self, to: Layout) -> Result<()> {
        let present = self.file(GITIGNORE)?.map(|(text, _)| text).unwrap_or_default();
        let (ours, theirs) = match to {
            Layout::Stable => (SHARED_GITIGNORE, PRIVATE_GITIGNORE),
            Layout::Status => (PRIVATE_GITIGNORE, SHARED_GITIGNORE),
        };
        let mut text = ours.to_owned();
        for line in present.lines().filter(|line| !ours.lines().chain(theirs.lines()).any(|own| own == *line)) {
            text.push_str(line);
            text.push('\n');
        }
        self.put_file(GITIGNORE, text)
    }
}

/// Where a directory lies after the moves staged so far.
fn moved_place(dir: &str, moves: &[(String, String)]) -> String {
    let (mut above, mut below) = (dir, "");
    while !above.is_empty() {
        if let Some((_, to)) = moves.iter().find(|(from, _)| from == above) {
            return format!("{to}{below}");
        }
        above = split(above).0;
        below = &dir[above.len()..];
    }
    dir.to_owned()
}
