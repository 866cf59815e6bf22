//! Paths in lines, so that each can be read off in full.
//!
//! - `src/auth/token.rs` is a path.
//! - `src/auth/: token.rs Makefile` are files of a directory; `./` is the project's own.
//!
//! A name with a space, a colon, a quotation mark or a control character is quoted.

mod costs;
mod quote;

pub(super) use costs::{Costs, Entry};
use quote::{Reader, quoted};

/// The directory of a path, with its slash, and the name.
pub(super) fn split(path: &str) -> (&str, &str) {
    path.split_at(path.rfind('/').map_or(0, |slash| slash + 1))
}

/// A name without its ending, and the ending with its dots, such as `.rs` or `.test.ts`; `.gitignore` has none.
pub(super) fn stem(name: &str) -> (&str, &str) {
    let mut start = name.len();
    while let Some(dot) = name[..start].rfind('.').filter(|&dot| dot > 0) {
        let part = &name[dot + 1..start];
        // Beyond the last one, only words: the 2 of `v1.2.md` is not an ending.
        let is_ending = start == name.len() || part.bytes().all(|byte| byte.is_ascii_lowercase());
        if part.is_empty() || !is_ending {
            break;
        }
        start = dot;
    }
    name.split_at(start)
}

/// The paths that lines name.
pub fn named(lines: &[String]) -> Vec<String> {
    let mut paths = Vec::new();
    for line in lines {
        let mut reader = Reader(line);
        let (first, has_names) = reader.first();
        let first = first.strip_prefix("./").unwrap_or(&first);
        if has_names {
            paths.extend(reader.names().map(|name| format!("{first}{name}")));
        } else {
            paths.push(first.to_owned());
        }
    }
    paths
}

/// The lines that name `entries`, a directory on each, in the order of their first files, and their cost.
pub(super) fn write<F: Fn(&str) -> usize>(entries: &[&Entry<'_>], costs: &Costs<F>) -> (usize, Vec<String>) {
    let mut directories: Vec<(&str, Vec<&Entry<'_>>)> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for entry in entries {
        let place = *places.entry(entry.directory).or_insert_with(|| {
            directories.push((entry.directory, Vec::new()));
            directories.len() - 1
        });
        directories[place].1.push(entry);
    }
    let (mut cost, mut lines) = (0, Vec::with_capacity(directories.len()));
    for (directory, files) in directories {
        let line = match files.as_slice() {
            [file] => quoted(file.path),
            files => files.iter().fold(opening(directory), |line, file| line + " " + &file.quoted_name),
        };
        cost += match files.as_slice() {
            [file] => costs.of(&quoted(file.path)),
            files => costs.of(&opening(directory)) + files.iter().map(|file| file.name_cost).sum::<usize>(),
        };
        cost += costs.line;
        lines.push(line);
    }
    (cost, lines)
}

/// The beginning of the line of a directory.
pub(super) fn opening(directory: &str) -> String {
    format!("{}:", quoted(if directory.is_empty() { "./" } else { directory }))
}
