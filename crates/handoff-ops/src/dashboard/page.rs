//! The published text form: a heading for each project, a line for each task.

use handoff_model::session::ItemKind;

use super::sessions::shortened;
use super::{PausedSession, ProjectItem, ProjectState, ProjectTask, ProjectView, Projects};
use crate::page::{Role, Text};
use crate::task::status_role;
use crate::{Page, Report};

/// How many tasks of each project are shown: as many as fit, all alike.
const TASKS_EACH: &[usize] = &[usize::MAX, 100, 50, 30, 20, 15, 10, 8, 6, 5, 4, 3, 2, 1, 0];

impl Report for Projects {
    fn page(&self) -> Page {
        if self.projects.is_empty() {
            return Page::new().line("no project is known on this machine yet");
        }
        let fits = |page: &Page| self.budget.fits(&page.to_markdown(None));
        let whole = TASKS_EACH.iter().map(|tasks| self.drawn(*tasks, self.projects.len())).find(fits);
        whole.unwrap_or_else(|| {
            // So many projects that not even their names fit: the first ones, then, and how many more there are.
            let counts: Vec<usize> = (1..=self.projects.len()).collect();
            let count = counts.partition_point(|count| fits(&self.drawn(0, *count)));
            self.drawn(0, count.max(1))
        })
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl Projects {
    fn drawn(&self, tasks_each: usize, projects: usize) -> Page {
        let page = Page::new().with_marked_headings();
        let page = self.projects[..projects].iter().fold(page, |page, project| project.onto(page, tasks_each));
        page.more(self.projects.len() - projects, None)
    }
}

impl ProjectView {
    fn onto(&self, page: Page, tasks_each: usize) -> Page {
        let page = page.heading(format!("{} ({})", self.name, self.extent()));
        if self.state == ProjectState::Gone {
            return page.item(Text::of(Role::Dim, "was in ").plain(&self.path));
        }
        let labelled = |label: &str, text: &str| Text::of(Role::Dim, format!("{label}: ")).plain(shortened(text));
        let shown = &self.tasks[..self.tasks.len().min(tasks_each)];
        let mut page = shown.iter().fold(page, |page, task| page.item(task.line()));
        match self.tasks.len() - shown.len() {
            0 => {}
            left if shown.is_empty() => page = page.item(Text::of(Role::Dim, format!("{left} tasks"))),
            left => page = page.item(Text::of(Role::Dim, format!("{left} more tasks"))),
        }
        if let Some(problem) = &self.problem {
            page = page.item(Text::of(Role::Bad, "broken: ").plain(shortened(problem)));
        }
        if let Some(open) = &self.open {
            page = page.item(labelled("open", &open.counts.words().unwrap_or_default()));
            // Where there is no room for tasks, next steps are counted too.
            let is_shown = |item: &&ProjectItem| tasks_each > 0 || item.kind == ItemKind::Blocker;
            for item in open.items.iter().filter(is_shown) {
                page = page.item(labelled(item.kind.noun(), &format!("{} {}", item.id, item.text)));
            }
        }
        for session in &self.active_sessions {
            page = page.item(labelled("active session", session));
        }
        for PausedSession { id, title } in &self.paused_sessions {
            page = page.item(labelled("paused session", &format!("{id} {title}")));
        }
        if let Some(last) = &self.last_session {
            let day = last.date.map(|date| format!("{} ", day(&date.to_string()))).unwrap_or_default();
            page = page.item(labelled("last session", &format!("{day}{} ({})", last.title, last.status)));
        }
        if let Some(branch) = &self.branch {
            page = page.item(labelled("branch", branch));
        }
        page.item(Text::of(Role::Dim, "in ").plain(&self.path))
    }

    /// What stands behind the name: how many tasks are listed, and whether all is well.
    fn extent(&self) -> String {
        let tasks = match self.tasks.len() {
            1 => "1 task".to_owned(),
            count => format!("{count} tasks"),
        };
        let tasks = match self.summary.archived {
            0 => tasks,
            archived => format!("{tasks}, {archived} archived"),
        };
        match self.state {
            ProjectState::Ok => tasks,
            ProjectState::Broken => format!("{tasks}, broken"),
            ProjectState::Gone => "gone".to_owned(),
        }
    }
}

impl ProjectTask {
    fn line(&self) -> Text {
        let text = Text::of(status_role(self.status), format!("[{}]", self.status)).plain(" ").plain(&self.title);
        match self.priority {
            Some(priority) => text.plain(format!(" ({priority})")),
            None => text,
        }
    }
}

/// The day of a moment as it is written.
fn day(moment: &str) -> &str {
    moment.split('T').next().unwrap_or(moment)
}
