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
///
/// Each part between two stars is taken where it first occurs, so the time grows with the product of the lengths at most.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((front, rest)) = pattern.split_once('*') else { return pattern == name };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    let Some(mut left) = name.strip_prefix(front).and_then(|name| name.strip_suffix(end)) else { return false };
    for part in middle.split('*').filter(|part| !part.is_empty()) {
        let Some((_, after)) = left.split_once(part) else { return false };
        left = after;
    }
    true
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
            ("ab*ba", "aba", false),
            ("a*b*c", "axbxbxc", true),
            ("a*b*c", "axcxb", false),
            ("*é*", "caffé", true),
            ("**", "x", true),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }

    #[test]
    fn a_pattern_of_many_stars_is_decided_at_once() {
        let pattern = format!("{}b", "*a".repeat(1000));
        assert!(!matches(&pattern, &"a".repeat(250)));
    }
}
