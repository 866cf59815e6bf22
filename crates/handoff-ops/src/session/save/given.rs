//! What a save is given from elsewhere than its flags: standard input, an editor, the project of another directory.

use std::path::{Path, PathBuf};
use std::time::Duration;

use handoff_model::change::Change;
use handoff_model::session::body::{most_bytes, read_body};
use handoff_model::session::sections::{SectionKind, Sections, TEMPLATE};
use handoff_model::text::{Prose, Title};
use handoff_store::discover;
use handoff_store::git::Git;

use super::SaveSession;
use crate::package::main_tree;
use crate::{Breaks, Hint, OpError, Project, visible};

/// The word for standard input.
const INPUT: &str = "-";

impl SaveSession {
    /// Reads what stands for something else, and goes to the project that is named.
    pub(super) fn take_in(&mut self, project: &mut Project) -> Result<(), OpError> {
        self.summary = self.summary.take().or(self.typed_summary.take());
        self.read_input(project)?;
        if self.edit {
            self.be_edited(project)?;
        }
        self.go_to_project(project)
    }

    fn read_input(&mut self, project: &mut Project) -> Result<(), OpError> {
        let wants_summary = self.summary.as_ref().is_some_and(|text| text.as_str() == INPUT);
        let wants_body = matches!(&self.body, Change::Set(body) if body == INPUT);
        if !wants_summary && !wants_body {
            return Ok(());
        }
        if wants_summary && wants_body {
            return Err(OpError::usage("standard input can be the summary or the body, not both"));
        }
        let bytes = project.desk.read_input(most_bytes);
        let bytes = bytes.map_err(|error| OpError::failure("standard input cannot be read").caused_by(error))?;
        let text =
            read_body(bytes).map_err(|error| OpError::usage(format!("standard input cannot be saved: {error}")))?;
        if wants_body {
            self.body = Change::Set(text);
        } else {
            self.summary = Some(prose(text.trim_start_matches('\u{feff}'))?);
        }
        Ok(())
    }

    /// Has title, summary and sections written in an editor.
    fn be_edited(&mut self, project: &mut Project) -> Result<(), OpError> {
        let title = match &self.title {
            Change::Set(title) => title.as_str(),
            Change::Keep | Change::Clear => "",
        };
        let summary = self.summary.as_ref().map_or(SUMMARY, Prose::as_str);
        let begun = format!("# {title}\n\n{summary}\n\n{TEMPLATE}");
        let Some(editor) = &mut project.desk.editor else {
            let set = Hint::say("set VISUAL or EDITOR, or give the text with flags");
            return Err(OpError::usage("there is no editor to write in").hint(set));
        };
        let edited = editor(&begun)?;
        if edited == begun || edited.trim().is_empty() {
            return Err(OpError::failure("nothing was written, so nothing was saved"));
        }
        let draft = Draft::read(&edited);
        if let Some(title) = draft.title {
            let title: Title =
                title.parse().map_err(|error: handoff_model::text::BadText| OpError::usage(error.to_string()))?;
            self.title = Change::Set(title);
        }
        if !draft.summary.is_empty() {
            self.summary = Some(prose(&draft.summary)?);
        }
        for next in &draft.next {
            self.add_next.push(prose(next)?);
        }
        if !draft.body.is_empty() {
            self.body = Change::Set(draft.body);
        }
        Ok(())
    }

    /// Goes to the project of a directory that is named, which must be a work tree of git; where that has no project, to
    /// the user store.
    fn go_to_project(&mut self, project: &mut Project) -> Result<(), OpError> {
        let Some(text) = self.project.clone() else {
            if project.is_user_store() {
                let tree = main_tree(&project.place.cwd);
                self.about = tree.map(|tree| tree.display().to_string());
            }
            return Ok(());
        };
        let shown = visible(&text, Breaks::Mark).into_owned();
        if text.trim().is_empty() {
            return Err(OpError::usage("`--project` needs a directory"));
        }
        let path = project.place.cwd.join(&text);
        let real = path
            .canonicalize()
            .map_err(|error| OpError::not_found(format!("no directory `{shown}`")).caused_by(error))?;
        if !real.is_dir() {
            return Err(OpError::usage(format!("`{shown}` is no directory")));
        }
        let Some(tree) = main_tree(&real) else {
            let said = Git::why_none(&real, project.patient(Duration::from_secs(2)));
            return Err(OpError::refused(format!("`{shown}` is no work tree of git"))
                .detail(said)
                .hint(Hint::say("name a directory in a git repository, or leave out `--project`")));
        };
        match project_of(project, &real, &tree) {
            Some(dir) => project.switch_to(Some(&dir)),
            None => {
                self.about = Some(tree.display().to_string());
                project.switch_to_user_store()
            }
        }
    }
}

/// The project that a directory belongs to: one around it, or in the main work tree.
fn project_of(project: &Project, dir: &Path, tree: &Path) -> Option<PathBuf> {
    let home = project.home_dir();
    discover(dir, home.as_deref()).or_else(|| discover(tree, home.as_deref()))
}

/// What stands where the summary is to be written.
const SUMMARY: &str = "What was done and where it stands.";

fn prose(text: &str) -> Result<Prose, OpError> {
    text.parse().map_err(|error: handoff_model::text::BadText| OpError::usage(error.to_string()))
}

/// A handoff as it was written in an editor: a title, a summary, and sections.
#[derive(Debug, Default, PartialEq, Eq)]
struct Draft {
    title: Option<String>,
    summary: String,
    next: Vec<String>,
    /// The sections in which something was written
    body: String,
}

impl Draft {
    fn read(text: &str) -> Draft {
        let mut draft = Draft::default();
        let text = text.trim_start_matches('\u{feff}');
        let (top, sections) = match text.find("\n## ") {
            Some(at) => text.split_at(at + 1),
            None => (text, ""),
        };
        let mut summary = Vec::new();
        for line in top.lines() {
            match line.strip_prefix('#').filter(|rest| rest.is_empty() || rest.starts_with(' ')) {
                Some(title) if draft.title.is_none() && summary.is_empty() => {
                    draft.title = Some(title.trim().to_owned()).filter(|title| !title.is_empty());
                }
                _ => summary.push(line),
            }
        }
        let summary = summary.join("\n").trim().to_owned();
        draft.summary = if summary == SUMMARY { String::new() } else { summary };
        draft.body = written(sections);
        draft.next = next_steps(&draft.body);
        draft
    }
}

/// The sections in which something was written: those that are as the template has them are left out.
fn written(sections: &str) -> String {
    let template: Vec<&str> = split(TEMPLATE).into_iter().map(str::trim).collect();
    let is_written = |section: &&str| {
        let section = section.trim();
        let says_something = section.lines().skip(1).any(|line| !line.trim().is_empty());
        says_something && !template.contains(&section)
    };
    split(sections).into_iter().filter(is_written).collect()
}

/// A text cut before each of its headings.
fn split(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.get(1..).and_then(|inner| inner.find("\n## ")) {
        let (piece, after) = rest.split_at(at + 2);
        pieces.push(piece);
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(rest);
    }
    pieces
}

/// The items under the heading of next steps.
fn next_steps(body: &str) -> Vec<String> {
    let sections = Sections::find(body);
    let items = sections.of(SectionKind::NextSteps).flat_map(|section| &section.items);
    items.map(|item| item.text.trim().to_owned()).filter(|item| !item.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_as_it_was_is_not_saved() {
        let text = format!("# Parser\n\nIt is a file of its own.\n\n{TEMPLATE}");
        let draft = Draft::read(&text);
        assert_eq!(draft.title.as_deref(), Some("Parser"));
        assert_eq!((draft.summary.as_str(), draft.body.as_str()), ("It is a file of its own.", ""));
        assert_eq!(Draft::read(&format!("# \n\n{SUMMARY}\n\n{TEMPLATE}")), Draft::default());
    }

    #[test]
    fn sections_that_were_written_are_the_body() {
        let text = "# T\n\nDone.\n\n## Context\n\nWhy.\n\n## Next Steps\n\n1. Test it\n2. Ship it\n";
        let draft = Draft::read(text);
        assert_eq!(draft.body, "## Context\n\nWhy.\n\n## Next Steps\n\n1. Test it\n2. Ship it\n");
        assert_eq!(draft.next, ["Test it", "Ship it"]);
    }
}
