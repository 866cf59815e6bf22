//! The file a new project begins with.

use toml_edit::Value;

use crate::name::Layout;
use crate::text::{Name, Prose};

/// The text of `config.toml` for a new project.
pub fn new_file(name: &Name, description: Option<&Prose>, layout: Layout) -> String {
    let name = Value::from(name.as_str());
    let description = Value::from(description.map(Prose::as_str).unwrap_or_default());
    let layout = match layout {
        Layout::Status => "status",
        Layout::Stable => "stable",
    };
    // The defaults stand as comments: a value that is written counts, and would hide what the user set everywhere.
    format!(
        r#"# Settings of this project. `handoff config explain <key>` says what each one means.
# A line that begins with # shows a default; take the # away to set another value here.

[project]
name = {name}
description = {description}

[settings]
# history_limit = 20        # closed sessions kept as single files; older ones are archived, never deleted
# done_task_limit = 10      # finished tasks shown
# auto_git_summary = true
# archive_after_days = 30
task_dirs = "{layout}"        # changed by `handoff share` and `handoff unshare`
# budget_tokens = 2000      # what loading a handoff may cost

[dashboard]
# scan_dirs = []
"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Source, Sources, resolve};

    #[test]
    fn a_new_file_says_the_defaults() {
        let description: Prose = "say \"hi\"\nand \\ bye".parse().unwrap();
        let text = new_file(&"my \"app\"".parse().unwrap(), Some(&description), Layout::Stable);
        let project = Some(Source { path: "config.toml".to_owned(), text });
        let resolved = resolve(Sources { project, ..Sources::default() });
        assert_eq!(resolved.problems().count(), 0);
        let mut expected = Config::default();
        expected.project.name = Some("my \"app\"".parse().unwrap());
        expected.project.description = Some(description);
        expected.settings.task_dirs = Layout::Stable;
        assert_eq!(resolved.config, expected);
    }
}
