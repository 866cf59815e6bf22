//! Paths written in few tokens, so that each can still be read off in full.
//!
//! - `src/auth/token.rs` is a path.
//! - `src/auth/: token.rs Makefile` are files of a directory.
//! - `src/auth/*.rs: token middleware` are names that stand for the `*`.
//! - A line that begins with a space goes on from the directory of the last line that ends its first word with `/`.
//!
//! A name with a space, a colon, a quotation mark or a control character is quoted. Which of these forms is taken, and which
//! directories are worth a line of their own, is decided by what the lines cost.

mod quote;

use std::collections::BTreeMap;

use quote::{Reader, quoted};

/// The directory of a path, with its slash, and the name.
pub(super) fn split(path: &str) -> (&str, &str) {
    path.split_at(path.rfind('/').map_or(0, |slash| slash + 1))
}

/// A name without its ending, and the ending with its dot; a name that is all ending has none.
pub(super) fn stem(name: &str) -> (&str, &str) {
    match name.rfind('.') {
        Some(dot) if dot > 0 && dot + 1 < name.len() && !name[dot..].contains('*') => name.split_at(dot),
        _ => (name, ""),
    }
}

/// The paths that lines name.
pub fn named(lines: &[String]) -> Vec<String> {
    let mut base = String::new();
    let mut paths = Vec::new();
    for line in lines {
        let indented = line.strip_prefix(' ');
        let mut reader = Reader(indented.unwrap_or(line));
        let (pattern, has_names) = reader.pattern();
        let pattern = if indented.is_some() {
            format!("{base}{pattern}")
        } else {
            pattern.strip_prefix("./").unwrap_or(&pattern).to_owned()
        };
        if has_names {
            paths.extend(reader.names().map(|name| match pattern.rfind('*') {
                Some(star) if !pattern.ends_with('/') => format!("{}{name}{}", &pattern[..star], &pattern[star + 1..]),
                _ => format!("{pattern}{name}"),
            }));
        } else if !pattern.ends_with('/') {
            paths.push(pattern.clone());
        }
        if indented.is_none() && pattern.ends_with('/') {
            base = pattern;
        }
    }
    paths
}

/// What a directory holds of the paths to write.
#[derive(Debug, Default)]
struct Directory<'a> {
    names: Vec<&'a str>,
    below: BTreeMap<&'a str, Directory<'a>>,
    /// The place of its first path among all.
    first: usize,
}

/// The lines that name `paths`, the first ones first, as cheap as they get.
pub(super) fn write(paths: &[&str], count: &impl Fn(&str) -> usize) -> Vec<String> {
    let mut root = Directory::default();
    for (place, path) in paths.iter().enumerate() {
        root.insert(path, place);
    }
    root.blocks("", count).1
}

impl<'a> Directory<'a> {
    fn insert(&mut self, path: &'a str, place: usize) {
        let mut directory = self;
        let mut rest = path;
        while let Some(slash) = rest.find('/') {
            let (part, below) = rest.split_at(slash + 1);
            directory =
                directory.below.entry(part).or_insert_with(|| Directory { first: place, ..Directory::default() });
            rest = below;
        }
        directory.names.push(rest);
    }

    /// The lines of this directory and all below it, and their cost: each on its own, or under a common first line.
    fn blocks(&self, path: &str, count: &impl Fn(&str) -> usize) -> (usize, Vec<String>) {
        let mut below: Vec<(&&str, &Directory<'_>)> = self.below.iter().collect();
        below.sort_by_key(|(_, directory)| directory.first);
        let mut lines = self.own(path, "", count);
        let mut cost = cost_of(&lines, count);
        for (part, directory) in &below {
            let (more, block) = directory.blocks(&format!("{path}{part}"), count);
            cost += more;
            lines.extend(block);
        }
        if path.is_empty() || lines.len() < 2 {
            return (cost, lines);
        }
        let mut together = self.headed(path, count);
        for (part, directory) in below {
            directory.relative(part, count, &mut together);
        }
        let joint = cost_of(&together, count);
        if joint < cost { (joint, together) } else { (cost, lines) }
    }

    /// The first line of a block, with the names that share no ending, and lines for those that do.
    fn headed(&self, path: &str, count: &impl Fn(&str) -> usize) -> Vec<String> {
        let (plain, grouped) = self.by_ending();
        let mut lines = vec![if plain.is_empty() { quoted(path) } else { line(path, "", &plain) }];
        lines.extend(grouped.iter().map(|(ending, stems)| format!(" {}", line("*", ending, stems))));
        let mut all_plain = vec![line(path, "", &self.names)];
        if cost_of(&all_plain, count) < cost_of(&lines, count) && !self.names.is_empty() {
            std::mem::swap(&mut lines, &mut all_plain);
        }
        lines
    }

    fn relative(&self, path: &str, count: &impl Fn(&str) -> usize, lines: &mut Vec<String>) {
        lines.extend(self.own(path, " ", count));
        let mut below: Vec<(&&str, &Directory<'_>)> = self.below.iter().collect();
        below.sort_by_key(|(_, directory)| directory.first);
        for (part, directory) in below {
            directory.relative(&format!("{path}{part}"), count, lines);
        }
    }

    /// The lines for the files of this directory itself.
    fn own(&self, path: &str, indent: &str, count: &impl Fn(&str) -> usize) -> Vec<String> {
        match self.names.as_slice() {
            [] => return Vec::new(),
            [name] => return vec![format!("{indent}{}", quoted(&format!("{path}{name}")))],
            _ => {}
        }
        let together = if path.is_empty() { "./" } else { path };
        let (plain, grouped) = self.by_ending();
        let mut apart: Vec<String> = grouped
            .iter()
            .map(|(ending, stems)| format!("{indent}{}", line(&format!("{path}*"), ending, stems)))
            .collect();
        match plain.as_slice() {
            [] => {}
            [name] => apart.push(format!("{indent}{}", quoted(&format!("{path}{name}")))),
            names => apart.push(format!("{indent}{}", line(together, "", names))),
        }
        let all = vec![format!("{indent}{}", line(together, "", &self.names))];
        if cost_of(&all, count) < cost_of(&apart, count) { all } else { apart }
    }

    /// The names whose ending is theirs alone, and the stems of those that share one.
    fn by_ending(&self) -> (Vec<&'a str>, Vec<(&'a str, Vec<&'a str>)>) {
        let mut endings: Vec<(&str, Vec<&str>)> = Vec::new();
        for name in &self.names {
            let (stem, ending) = stem(name);
            match endings.iter_mut().find(|(known, _)| *known == ending) {
                Some((_, stems)) => stems.push(stem),
                None => endings.push((ending, vec![stem])),
            }
        }
        let (grouped, alone): (Vec<_>, Vec<_>) =
            endings.into_iter().partition(|(ending, stems)| stems.len() > 1 && !ending.is_empty());
        let alone: Vec<&str> = alone.iter().map(|(ending, _)| *ending).collect();
        (self.names.iter().copied().filter(|name| alone.contains(&stem(name).1)).collect(), grouped)
    }
}

fn line(pattern: &str, ending: &str, names: &[&str]) -> String {
    let mut line = quoted(&format!("{pattern}{ending}"));
    line.push(':');
    for name in names {
        line.push(' ');
        line.push_str(&quoted(name));
    }
    line
}

fn cost_of(lines: &[String], count: &impl Fn(&str) -> usize) -> usize {
    lines.iter().map(|line| count(line) + 1).sum()
}
