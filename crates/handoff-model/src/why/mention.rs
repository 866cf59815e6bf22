//! Directories that stand in a text.

/// Whether a text names a directory, alone or as the beginning of a path; one of a single name only with a `/` behind.
pub(super) fn names_directory(text: &str, directory: &str) -> bool {
    let mut from = 0;
    while let Some(at) = text[from..].find(directory).map(|at| from + at) {
        let end = at + directory.len();
        let before = text[..at].chars().next_back();
        let after = text[end..].chars().next();
        let begins = before.is_none_or(|c| !is_of_path(c)) || text[..at].ends_with("./");
        let ends = match after {
            Some('/') => true,
            after => directory.contains('/') && after.is_none_or(|c| !is_of_path(c) || c == '.'),
        };
        if begins && ends {
            return true;
        }
        from = end;
    }
    false
}

fn is_of_path(c: char) -> bool {
    c.is_alphanumeric() || "/._-".contains(c)
}
