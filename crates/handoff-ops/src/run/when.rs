//! Whether a step is to be performed.

use handoff_model::handover::When;

use super::HandoverRun;
use crate::Project;

/// Why a step is passed over; `None` where everything holds that it asks for.
pub(super) fn unmet(project: &Project, run: &HandoverRun, when: &When) -> Option<String> {
    let When { git, shared, note, session, branch, env, file } = when;
    let dir = project.dir();
    let truths = [
        (*git, project.git().is_some(), "in a git work tree"),
        (*shared, project.is_shared(), "in a shared project"),
        (*note, run.inputs.note.is_some(), "with a note"),
        (*session, run.inputs.session.is_some(), "with a session to close"),
    ];
    for (wanted, is_so, words) in truths.into_iter().filter_map(|(wanted, is_so, words)| Some((wanted?, is_so, words)))
    {
        if wanted != is_so {
            let not = if wanted { "" } else { "not " };
            return Some(format!("only {not}{words}"));
        }
    }
    if let Some(wanted) = branch {
        let current = project.git().and_then(|git| git.head().branch);
        if !current.as_deref().is_some_and(|current| matches(wanted, current)) {
            let current = current.map_or_else(|| "none".to_owned(), |current| format!("`{current}`"));
            return Some(format!("only on branch `{wanted}`, and the current one is {current}"));
        }
    }
    if let Some(name) = env
        && !project.place.env.has(name)
    {
        return Some(format!("only where `{name}` is set"));
    }
    if let Some(path) = file {
        let there = dir.as_deref().is_some_and(|dir| dir.join(path).symlink_metadata().is_ok());
        if !there {
            return Some(format!("only where `{path}` exists"));
        }
    }
    None
}

/// Whether a name fits a pattern in which `*` stands for anything.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((front, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(name) = name.strip_prefix(front) else { return false };
    (0..=name.len()).filter(|at| name.is_char_boundary(*at)).any(|at| matches(rest, &name[at..]))
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name, fits) in [
            ("main", "main", true),
            ("main", "maine", false),
            ("feature/*", "feature/auth", true),
            ("feature/*", "feature/", true),
            ("*", "", true),
            ("*-x-*", "a-x-b", true),
            ("*-x-*", "a-y-b", false),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
