//! The file and lines that are asked about.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use handoff_model::session::{LineRange, inside};

use crate::{Breaks, OpError, Project, visible};

/// What is asked about.
pub(super) struct Asked {
    /// Relative to the project, without a `/` at its end
    pub(super) path: String,
    pub(super) is_directory: bool,
    pub(super) exists: bool,
    pub(super) lines: Option<LineRange>,
}

impl Asked {
    /// Reads a path with perhaps lines behind it; one that is there under exactly that name has none.
    pub(super) fn read(project: &Project, text: &str) -> Result<Asked, OpError> {
        let dir = project.dir().ok_or_else(|| {
            OpError::refused("there is no project here, and so no files that something is known about")
        })?;
        let text = text.trim();
        if text.is_empty() {
            return Err(OpError::usage("an empty text names no file: give a path such as `src/main.rs:42`"));
        }
        let (path, lines) = match located(project, &dir, text) {
            Ok(path) if dir.join(&path).symlink_metadata().is_ok() => (path, None),
            whole => match with_lines(text) {
                Some((front, lines)) => (located(project, &dir, front)?, Some(lines)),
                None => match text.rsplit_once(':').map(|(front, lines)| (located(project, &dir, front), lines)) {
                    Some((Ok(front), lines)) if dir.join(&front).symlink_metadata().is_ok() => {
                        let (front, lines) = (visible(&front, Breaks::Mark), visible(lines, Breaks::Mark));
                        return Err(OpError::usage(format!(
                            "`{lines}` is no line of `{front}`: give one such as `42`, or some such as `42-78`, counted from 1"
                        )));
                    }
                    _ => (whole?, None),
                },
            },
        };
        let path = path.trim_end_matches('/').to_owned();
        let metadata = dir.join(&path).metadata();
        let is_directory = metadata.as_ref().is_ok_and(std::fs::Metadata::is_dir);
        let asked = Asked { exists: dir.join(&path).symlink_metadata().is_ok(), path, is_directory, lines };
        if let Some(lines) = lines {
            asked.check_lines(&dir, lines)?;
        }
        Ok(asked)
    }

    /// Refuses lines that are not there.
    fn check_lines(&self, dir: &Path, lines: LineRange) -> Result<(), OpError> {
        let shown = visible(&self.path, Breaks::Mark);
        if self.is_directory {
            return Err(OpError::usage(format!("`{shown}` is a directory, which has no lines: name a file in it")));
        }
        let without = format!("ask about it without a line: `{shown}`");
        if !self.exists {
            return Err(OpError::not_found(format!("`{shown}` is not there, and so has no line {lines}: {without}")));
        }
        let count = match count_lines(&dir.join(&self.path)) {
            Counted::Lines(count) => count,
            Counted::NoText => return Err(OpError::refused(format!("`{shown}` is no text: {without}"))),
            Counted::Unreadable => return Err(OpError::refused(format!("`{shown}` cannot be read: {without}"))),
        };
        if u64::from(lines.last()) > count {
            let has = if count == 1 { "1 line".to_owned() } else { format!("{count} lines") };
            return Err(OpError::not_found(format!("`{shown}` has {has}: there is no line {}", lines.last())));
        }
        Ok(())
    }

    /// The answer where nobody knows what is meant.
    pub(super) fn unknown(&self) -> OpError {
        let shown = visible(&self.path, Breaks::Mark);
        OpError::not_found(format!("`{shown}` is not there, and nothing that is recorded or committed speaks of it"))
    }
}

/// The path from the project on. One that is relative may be seen from where the caller is, or from the project.
fn located(project: &Project, dir: &Path, text: &str) -> Result<String, OpError> {
    let real = dir.canonicalize().ok();
    let roots: Vec<String> =
        [Some(dir.to_owned()), real.clone()].iter().flatten().map(|dir| dir.display().to_string()).collect();
    let roots: Vec<&str> = roots.iter().map(String::as_str).collect();
    let cwd = project.place.cwd.canonicalize().unwrap_or_else(|_| project.place.cwd.clone());
    let below =
        real.as_deref().and_then(|dir| cwd.strip_prefix(dir).ok()).filter(|below| !below.as_os_str().is_empty());
    if let Some(below) = below.filter(|_| Path::new(text).is_relative())
        && let Some(from_here) = joined(below, text)
        && dir.join(&from_here).symlink_metadata().is_ok()
    {
        return Ok(from_here);
    }
    inside(text, &roots).map_err(|error| OpError::usage(error.to_string()))
}

/// A path that is seen from a directory, from the top on; `None` where it leads out.
fn joined(below: &Path, text: &str) -> Option<String> {
    let mut path = PathBuf::from(below);
    for part in text.split(['/', std::path::MAIN_SEPARATOR]).filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            path = path.parent()?.to_owned();
        } else {
            path.push(part);
        }
    }
    let names: Option<Vec<&str>> = path.iter().map(|name| name.to_str()).collect();
    names.map(|names| names.join("/")).filter(|path| !path.is_empty())
}

/// A path and the lines behind it: `a.rs:42`, `a.rs:42-78`, or `a.rs:42:7` with a column, as compilers write it.
fn with_lines(text: &str) -> Option<(&str, LineRange)> {
    let (front, lines) = text.rsplit_once(':')?;
    let lines: LineRange = lines.parse().ok()?;
    let before = front.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse().ok()?)));
    Some(before.unwrap_or((front, lines))).filter(|(path, _)| !path.is_empty())
}

enum Counted {
    Lines(u64),
    NoText,
    Unreadable,
}

/// How many lines a file has. A byte that no text has makes it something else.
fn count_lines(path: &Path) -> Counted {
    /// Larger files are not looked through.
    const LARGEST: u64 = 64 * 1024 * 1024;
    let file =
        path.metadata().ok().filter(|meta| meta.is_file() && meta.len() <= LARGEST).and_then(|_| File::open(path).ok());
    let Some(file) = file else { return Counted::Unreadable };
    let mut bytes = Vec::new();
    if file.take(LARGEST).read_to_end(&mut bytes).is_err() {
        return Counted::Unreadable;
    }
    if bytes.contains(&0) {
        return Counted::NoText;
    }
    let ends = bytes.split(|byte| *byte == b'\n').count() - 1;
    let rest = usize::from(bytes.last().is_some_and(|last| *last != b'\n'));
    Counted::Lines((ends + rest) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stand_behind_a_path_with_or_without_a_column() {
        let read = |text| with_lines(text).map(|(path, lines)| (path, lines.to_string()));
        assert_eq!(read("src/a.rs:42"), Some(("src/a.rs", "42".to_owned())));
        assert_eq!(read("src/a.rs:42-78"), Some(("src/a.rs", "42-78".to_owned())));
        assert_eq!(read("src/a.rs:42:7"), Some(("src/a.rs", "42".to_owned())));
        for none in ["src/a.rs", "a:b", ":42", "a.rs:0", "a.rs:9-3"] {
            assert_eq!(read(none), None, "{none}");
        }
    }

    #[test]
    fn a_path_is_seen_from_a_directory_below() {
        let from = Path::new("src/auth");
        assert_eq!(joined(from, "token.rs").as_deref(), Some("src/auth/token.rs"));
        assert_eq!(joined(from, "./../main.rs").as_deref(), Some("src/main.rs"));
        assert_eq!(joined(from, "../../../x"), None);
    }
}
