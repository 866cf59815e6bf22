//! Files that are made from the code, committed, and reviewed like code.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a chore reports to the person who runs it")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Command;
use clap_mangen::Man;
use handoff_ops::{contract, registry};

use crate::rig::repository_root;

/// Directories that hold generated files and nothing else, so that what no code makes any more is found.
const OWNED: &[&str] = &["docs/man", "docs/schemas"];

/// Every generated file: its path in the repository, and what is in it.
pub(crate) fn generated_files() -> Vec<(PathBuf, String)> {
    let mut files = vec![
        ("contract/operations.json".into(), contract_text()),
        ("docs/cli.md".into(), reference(handoff_cli::command())),
    ];
    files.extend(man_pages(handoff_cli::command()));
    files.extend(man_pages(handoff_cli::agent_handover_command()));
    files.extend(schemas());
    files
}

/// A JSON Schema of each file of the format, for editors.
fn schemas() -> Vec<(PathBuf, String)> {
    let text = |schema: serde_json::Value| format!("{schema:#}\n");
    let schemas = handoff_model::schema::schemas();
    schemas.into_iter().map(|(name, schema)| (Path::new("docs/schemas").join(name), text(schema))).collect()
}

/// Writes what is not as it should be, and removes what should not be there.
pub(crate) fn write() -> ExitCode {
    match bring_up_to_date(&repository_root()) {
        Ok(0) => println!("generated files: all up to date"),
        Ok(changed) => println!("generated files: {changed} changed"),
        Err(error) => {
            eprintln!("error: cannot write the generated files: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Fails if any file is not as it would be written.
pub(crate) fn check() -> ExitCode {
    let stale = stale_files(&repository_root());
    if stale.is_empty() {
        println!("generated files: all up to date");
        return ExitCode::SUCCESS;
    }
    for file in stale {
        eprintln!("not up to date: {}", file.display());
    }
    eprintln!("hint: run `cargo xtask generate` and commit the difference");
    ExitCode::FAILURE
}

fn stale_files(root: &Path) -> Vec<PathBuf> {
    let files = generated_files();
    let is_stale = |(path, text): &&(PathBuf, String)| fs::read_to_string(root.join(path)).ok().as_ref() != Some(text);
    let mut stale: Vec<PathBuf> = files.iter().filter(is_stale).map(|(path, _)| path.clone()).collect();
    stale.extend(orphans(root, &files));
    stale
}

#[expect(clippy::disallowed_methods, reason = "git has the old version of a generated file")]
fn bring_up_to_date(root: &Path) -> io::Result<usize> {
    let files = generated_files();
    let stale = stale_files(root);
    for (path, text) in files.iter().filter(|(path, _)| stale.contains(path)) {
        let target = root.join(path);
        fs::create_dir_all(target.parent().unwrap_or(root))?;
        fs::write(target, text)?;
        println!("wrote {}", path.display());
    }
    for path in orphans(root, &files) {
        fs::remove_file(root.join(&path))?;
        println!("removed {}", path.display());
    }
    Ok(stale.len())
}

/// Files in our directories that nothing generates any more.
fn orphans(root: &Path, files: &[(PathBuf, String)]) -> Vec<PathBuf> {
    let made: BTreeSet<&Path> = files.iter().map(|(path, _)| path.as_path()).collect();
    let mut orphans = Vec::new();
    for directory in OWNED {
        let entries = fs::read_dir(root.join(directory)).into_iter().flatten().flatten();
        let paths = entries.map(|entry| Path::new(directory).join(entry.file_name()));
        orphans.extend(paths.filter(|path| !made.contains(path.as_path())));
    }
    orphans.sort();
    orphans
}

fn contract_text() -> String {
    format!("{:#}\n", contract::contract(registry::ALL))
}

/// The reference of the command line: the long help of every command.
fn reference(command: Command) -> String {
    let mut text = "# The command line\n\n\
        Made by `cargo xtask generate` from the doc comments of the operations; the same text is in `handoff help` and in \
        the man pages. Every command takes the global options shown for the first.\n"
        .to_owned();
    let mut root = command.term_width(100).disable_help_subcommand(true);
    root.build();
    describe(&mut text, &root, "handoff");
    text
}

fn describe(text: &mut String, command: &Command, path: &str) {
    let help = command.clone().render_long_help().to_string();
    let help: Vec<&str> = help.lines().map(str::trim_end).collect();
    let shown = if path == "handoff" { help.join("\n") } else { without_global(&help) };
    write!(text, "\n## `{path}`\n\n```text\n{}\n```\n", shown.trim_end()).expect("writing to a string cannot fail");
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        describe(text, inner, &format!("{path} {}", inner.get_name()));
    }
}

/// The help without the section that is the same for every command.
fn without_global(help: &[&str]) -> String {
    let is_heading = |line: &&str| !line.starts_with(' ') && line.ends_with(':');
    let Some(start) = help.iter().position(|line| *line == "Global options:") else { return help.join("\n") };
    let end = help[start + 1..].iter().position(is_heading).map_or(help.len(), |after| start + 1 + after);
    [&help[..start], &help[end..]].concat().join("\n")
}

/// One page per command, named as git names its own: `handoff-task-list.1`.
fn man_pages(command: Command) -> Vec<(PathBuf, String)> {
    let mut root = command.disable_help_subcommand(true);
    root.build();
    let mut pages = Vec::new();
    collect_pages(&root, &mut pages);
    pages
}

fn collect_pages(command: &Command, pages: &mut Vec<(PathBuf, String)>) {
    let man = Man::new(command.clone());
    let mut page = Vec::new();
    man.render(&mut page).expect("writing to memory cannot fail");
    let text = String::from_utf8(page).expect("help texts are UTF-8");
    pages.push((Path::new("docs/man").join(man.get_filename()), text));
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        collect_pages(inner, pages);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generating_twice_gives_the_same() {
        assert_eq!(generated_files(), generated_files());
    }

    #[test]
    fn every_command_has_its_page() {
        let paths: Vec<String> = generated_files().iter().map(|(path, _)| path.display().to_string()).collect();
        assert!(paths.contains(&"docs/man/handoff.1".to_owned()), "{paths:?}");
        assert!(paths.contains(&"docs/man/handoff-completion.1".to_owned()), "{paths:?}");
        let unique: BTreeSet<&String> = paths.iter().collect();
        assert_eq!(unique.len(), paths.len());
    }

    #[test]
    fn stale_missing_and_orphaned_files_are_found_and_put_right() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(stale_files(root.path()).len(), generated_files().len());
        bring_up_to_date(root.path()).unwrap();
        assert_eq!(stale_files(root.path()), Vec::<PathBuf>::new());
        let page = root.path().join("docs/man/handoff.1");
        let orphan = root.path().join("docs/man/handoff-gone.1");
        fs::OpenOptions::new()
            .append(true)
            .open(&page)
            .and_then(|mut file| io::Write::write_all(&mut file, b"x"))
            .unwrap();
        fs::OpenOptions::new().create_new(true).write(true).open(orphan).unwrap();
        assert_eq!(stale_files(root.path()), ["docs/man/handoff.1", "docs/man/handoff-gone.1"].map(PathBuf::from));
        assert_eq!(bring_up_to_date(root.path()).unwrap(), 2);
        assert_eq!(stale_files(root.path()), Vec::<PathBuf>::new());
    }

    #[test]
    fn the_global_options_are_described_once() {
        let text = reference(handoff_cli::command());
        assert_eq!(text.matches("--project-dir <DIR>").count(), 1, "{text}");
        assert!(text.lines().all(|line| line.trim_end() == line));
    }
}
