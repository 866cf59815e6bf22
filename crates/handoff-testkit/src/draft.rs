//! A task as a test wants it to lie on disk.

use std::fmt::Write as _;

/// The fields of a task file, written without the program under test.
#[derive(Debug, Clone)]
pub struct TaskDraft {
    pub(crate) title: String,
    pub(crate) status: String,
    pub(crate) parent: Option<String>,
    head: String,
    tail: String,
}

impl TaskDraft {
    pub(crate) fn new(id: &str) -> TaskDraft {
        let title = format!("Task {id}");
        TaskDraft { title, status: "todo".to_owned(), parent: None, head: String::new(), tail: String::new() }
    }

    /// What it is called; otherwise `Task` and its id.
    #[must_use]
    pub fn title(mut self, title: &str) -> Self {
        title.clone_into(&mut self.title);
        self
    }

    /// Its status; otherwise `todo`.
    #[must_use]
    pub fn status(mut self, status: &str) -> Self {
        status.clone_into(&mut self.status);
        self
    }

    /// The task it lies under, which must have been made before.
    #[must_use]
    pub fn parent(mut self, id: &str) -> Self {
        self.parent = Some(id.to_owned());
        self
    }

    /// A criterion that is open.
    #[must_use]
    pub fn criterion(self, item: &str) -> Self {
        self.table(&format!("[[done_criteria]]\nitem = {item:?}\nchecked = false\n"))
    }

    /// A criterion that is checked.
    #[must_use]
    pub fn checked_criterion(self, item: &str) -> Self {
        self.table(&format!("[[done_criteria]]\nitem = {item:?}\nchecked = true\n"))
    }

    /// Tasks it depends on, by their ids.
    #[must_use]
    pub fn depends_on(self, ids: &[&str]) -> Self {
        self.field(&format!("dependencies = {ids:?}"))
    }

    #[must_use]
    pub fn labels(self, labels: &[&str]) -> Self {
        self.field(&format!("labels = {labels:?}"))
    }

    /// A line of TOML before the first table.
    #[must_use]
    pub fn field(mut self, line: &str) -> Self {
        self.head.push_str(line);
        self.head.push('\n');
        self
    }

    /// Lines of TOML at the end, beginning with a table.
    #[must_use]
    pub fn table(mut self, lines: &str) -> Self {
        self.tail.push('\n');
        self.tail.push_str(lines);
        self
    }

    /// The text of the file. `place` are the fields that say where it stands, in the stable layout.
    pub(crate) fn text(&self, id: &str, place: &str) -> String {
        let TaskDraft { title, status, head, tail, .. } = self;
        let mut text = String::new();
        writeln!(text, "format = 1\nid = {id:?}\ntitle = {title:?}\nstatus = {status:?}\n{place}{head}{tail}")
            .expect("writing to a string cannot fail");
        format!("{}\n", text.trim_end())
    }

    /// The title as it stands in a directory name. Enough for the titles tests use.
    pub(crate) fn slug(&self) -> String {
        let words: Vec<String> = self
            .title
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        words.join("-")
    }
}
