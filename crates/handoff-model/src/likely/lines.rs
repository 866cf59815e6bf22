//! Paths written in few tokens, so that each can still be read off in full.
//!
//! - `src/auth/token.rs` is a path.
//! - `src/auth/: token.rs Makefile` are files of a directory; `./` is the project's own.
//! - `src/auth/*.rs: token middleware` are names that stand for the `*`.
//! - A line that begins with a space goes on from the last line whose first word ends with `/`.
//!
//! A name with a space, a colon, a quotation mark or a control character is quoted. Which of these forms is taken, and which
//! directories are worth a line of their own, is decided by what they cost.

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
        // Beyond the last one, only words: the 2 of `v1.2.md` is no ending.
        let is_ending =
            if start == name.len() { !part.contains('*') } else { part.bytes().all(|byte| byte.is_ascii_lowercase()) };
        if part.is_empty() || !is_ending {
            break;
        }
        start = dot;
    }
    name.split_at(start)
}

/// The paths that lines name.
pub fn named(lines: &[String]) -> Vec<String> {
    let mut base = String::new();
    let mut paths = Vec::new();
    for line in lines {
        let indented = line.strip_prefix(' ');
        let mut reader = Reader(indented.unwrap_or(line));
        let (pattern, has_names) = reader.pattern();
        let pattern = if indented.is_some() { format!("{base}{pattern}") } else { pattern };
        let pattern = pattern.strip_prefix("./").unwrap_or(&pattern);
        if has_names {
            paths.extend(reader.names().map(|name| match pattern.rfind('*') {
                Some(star) if !pattern.ends_with('/') => format!("{}{name}{}", &pattern[..star], &pattern[star + 1..]),
                _ => format!("{pattern}{name}"),
            }));
        } else if !pattern.ends_with('/') {
            paths.push(pattern.to_owned());
        }
        if indented.is_none() && pattern.ends_with('/') {
            pattern.clone_into(&mut base);
        }
    }
    paths
}

/// A line before it is written, with what it costs, its end included.
struct Line<'a> {
    pattern: String,
    names: Vec<&'a str>,
    cost: usize,
}

impl Line<'_> {
    fn write(&self) -> String {
        self.names.iter().fold(self.pattern.clone(), |line, name| line + " " + name)
    }
}

/// The lines that name `entries`, the first ones first, as cheap as they get, and their cost.
pub(super) fn write<F: Fn(&str) -> usize>(entries: &[&Entry<'_>], costs: &Costs<F>) -> (usize, Vec<String>) {
    let mut root = Directory::default();
    for entry in entries {
        root.insert(entry);
    }
    let (cost, lines) = root.block("", costs);
    (cost, lines.iter().map(Line::write).collect())
}

/// What a directory holds of the files to write, in their order.
#[derive(Default)]
struct Directory<'a> {
    files: Vec<&'a Entry<'a>>,
    below: Vec<(&'a str, Directory<'a>)>,
}

impl<'a> Directory<'a> {
    fn insert(&mut self, entry: &'a Entry<'a>) {
        let mut directory = self;
        for part in entry.directory.split_inclusive('/') {
            let place = directory.below.iter().position(|(name, _)| *name == part).unwrap_or_else(|| {
                directory.below.push((part, Directory::default()));
                directory.below.len() - 1
            });
            directory = &mut directory.below[place].1;
        }
        directory.files.push(entry);
    }

    /// All lines of this directory and below it: each on its own, or under a first line that they go on from.
    fn block<F: Fn(&str) -> usize>(&self, path: &str, costs: &Costs<F>) -> (usize, Vec<Line<'a>>) {
        let mut apart = self.own(path, "", costs);
        for (part, directory) in &self.below {
            apart.extend(directory.block(&format!("{path}{part}"), costs).1);
        }
        let cost = total(&apart);
        if path.is_empty() || apart.len() < 2 {
            return (cost, apart);
        }
        let mut together = self.first(path, costs);
        for (part, directory) in &self.below {
            directory.go_on(part, costs, &mut together);
        }
        let joint = total(&together);
        if joint < cost { (joint, together) } else { (cost, apart) }
    }

    /// The first line of a block, and lines for the files of the directory itself that do not stand in it.
    fn first<F: Fn(&str) -> usize>(&self, path: &str, costs: &Costs<F>) -> Vec<Line<'a>> {
        let (plain, grouped) = by_ending(&self.files);
        let mut lines = vec![if plain.is_empty() { alone(quoted(path), costs) } else { list(path, "", &plain, costs) }];
        lines.extend(grouped.iter().map(|(ending, files)| stems(" *", ending, files, costs)));
        if grouped.is_empty() {
            return lines;
        }
        let all = list(path, "", &self.files, costs);
        if all.cost < total(&lines) { vec![all] } else { lines }
    }

    fn go_on<F: Fn(&str) -> usize>(&self, path: &str, costs: &Costs<F>, lines: &mut Vec<Line<'a>>) {
        lines.extend(self.own(path, " ", costs));
        for (part, directory) in &self.below {
            directory.go_on(&format!("{path}{part}"), costs, lines);
        }
    }

    /// The lines for the files of this directory itself.
    fn own<F: Fn(&str) -> usize>(&self, path: &str, indent: &str, costs: &Costs<F>) -> Vec<Line<'a>> {
        let single = |file: &Entry<'_>| alone(format!("{indent}{}", quoted(&format!("{path}{}", file.name))), costs);
        match self.files.as_slice() {
            [] => return Vec::new(),
            [file] => return vec![single(file)],
            _ => {}
        }
        let directory = if path.is_empty() { "./" } else { path };
        let (plain, grouped) = by_ending(&self.files);
        let mut apart: Vec<Line<'_>> =
            grouped.iter().map(|(ending, files)| stems(&format!("{indent}{path}*"), ending, files, costs)).collect();
        match plain.as_slice() {
            [] => {}
            [file] => apart.push(single(file)),
            files => apart.push(list(directory, indent, files, costs)),
        }
        if grouped.is_empty() {
            return apart;
        }
        let all = list(directory, indent, &self.files, costs);
        if all.cost < total(&apart) { vec![all] } else { apart }
    }
}

/// The files whose ending is theirs alone, and those that share one.
fn by_ending<'a>(files: &[&'a Entry<'a>]) -> (Vec<&'a Entry<'a>>, Vec<(&'a str, Vec<&'a Entry<'a>>)>) {
    let mut endings: Vec<(&str, Vec<&Entry<'_>>)> = Vec::new();
    for file in files {
        match endings.iter_mut().find(|(ending, _)| *ending == file.ending) {
            Some((_, files)) => files.push(file),
            None => endings.push((file.ending, vec![file])),
        }
    }
    let (grouped, alone): (Vec<_>, Vec<_>) =
        endings.into_iter().partition(|(ending, files)| files.len() > 1 && !ending.is_empty());
    (alone.into_iter().flat_map(|(_, files)| files).collect(), grouped)
}

fn total(lines: &[Line<'_>]) -> usize {
    lines.iter().map(|line| line.cost).sum()
}

/// A line that is a path or a directory.
fn alone<'a, F: Fn(&str) -> usize>(text: String, costs: &Costs<F>) -> Line<'a> {
    Line { cost: costs.of(&text) + costs.end, pattern: text, names: Vec::new() }
}

/// A line of whole names.
fn list<'a, F: Fn(&str) -> usize>(
    directory: &str,
    indent: &str,
    files: &[&'a Entry<'a>],
    costs: &Costs<F>,
) -> Line<'a> {
    let pattern = format!("{indent}{}:", quoted(directory));
    let cost = costs.of(&pattern) + costs.end + files.iter().map(|file| file.name_cost).sum::<usize>();
    Line { pattern, names: files.iter().map(|file| file.quoted_name.as_str()).collect(), cost }
}

/// A line of names without their common ending.
fn stems<'a, F: Fn(&str) -> usize>(before: &str, ending: &str, files: &[&'a Entry<'a>], costs: &Costs<F>) -> Line<'a> {
    let (indent, before) = before.split_at(before.len() - before.trim_start_matches(' ').len());
    let pattern = format!("{indent}{}:", quoted(&format!("{before}{ending}")));
    let cost = costs.of(&pattern) + costs.end + files.iter().map(|file| file.stem_cost).sum::<usize>();
    Line { pattern, names: files.iter().map(|file| file.quoted_stem.as_str()).collect(), cost }
}
