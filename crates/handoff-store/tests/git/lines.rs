//! What became of the lines that pointers are about, in real repositories.

use std::fmt::Write as _;

use handoff_model::line_map::LineFate;
use handoff_store::git::{Baseline, Facts, Pointed, Verdict};

use crate::repository::{Answered, PATIENCE, Repository};

/// A handoff with one pointer to some lines.
struct SavedLines {
    facts: Facts,
    path: &'static str,
    lines: (u32, u32),
}

impl SavedLines {
    fn now(repository: &Repository, path: &'static str, lines: (u32, u32)) -> SavedLines {
        SavedLines { facts: repository.git().facts(&[path], PATIENCE).answered(), path, lines }
    }

    fn look(&self, repository: &Repository) -> (Verdict, Option<LineFate>) {
        let blob = self.facts.pointed.get(self.path).map(String::as_str);
        let pointed = [Pointed { path: self.path, blob, lines: Some(self.lines) }];
        let drift = repository.git().drift(&Baseline::of(&self.facts.git), &pointed, &[], PATIENCE).answered();
        (drift.pointers[0].clone(), drift.lines[0])
    }
}

/// Functions of five lines and a blank one each; the first stands on line 1, the second on line 7.
fn functions(names: &[&str]) -> String {
    names.iter().fold(String::new(), |mut text, name| {
        let _ = write!(
            text,
            "fn {name}() {{\n    let {name}_value = read();\n    check({name}_value);\n    {name}_done();\n}}\n\n"
        );
        text
    })
}

const NAMES: [&str; 5] = ["alpha", "beta", "gamma", "delta", "omega"];

fn project() -> Repository {
    let repository = Repository::new();
    repository.write("src/a.rs", &functions(&NAMES));
    repository.write("src/b.rs", "// b\n");
    repository.commit_all("start");
    repository
}

#[test]
fn lines_that_did_not_change_are_in_place_although_the_file_changed_below_them() {
    let repository = project();
    let saved = SavedLines::now(&repository, "src/a.rs", (7, 11));
    assert_eq!(saved.look(&repository), (Verdict::Same, Some(LineFate::InPlace)));
    repository.write("src/a.rs", &(functions(&NAMES) + "fn more() {}\n"));
    assert_eq!(saved.look(&repository), (Verdict::Changed, Some(LineFate::InPlace)));
    repository.commit_all("more");
    assert_eq!(saved.look(&repository), (Verdict::Changed, Some(LineFate::InPlace)));
}

#[test]
fn lines_that_moved_within_the_file_are_found_there() {
    let repository = project();
    let saved = SavedLines::now(&repository, "src/a.rs", (7, 11));
    repository.write("src/a.rs", &("// a new head\n// of two lines\n".to_owned() + &functions(&NAMES)));
    assert_eq!(saved.look(&repository), (Verdict::Changed, Some(LineFate::Moved(9, 13))));
    repository.commit_all("a head");
    repository.write("src/a.rs", &functions(&["alpha", "gamma", "delta", "omega", "beta"]));
    assert_eq!(saved.look(&repository), (Verdict::Changed, Some(LineFate::Moved(25, 29))), "also out of their order");
}

#[test]
fn lines_are_followed_through_a_rename() {
    let repository = project();
    let saved = SavedLines::now(&repository, "src/a.rs", (7, 11));
    repository.rename("src/a.rs", "src/new.rs");
    let moved = |edited| Verdict::Moved { to: "src/new.rs".to_owned(), edited };
    assert_eq!(saved.look(&repository), (moved(false), Some(LineFate::InPlace)));
    repository.write("src/new.rs", &("// head\n".to_owned() + &functions(&NAMES)));
    assert_eq!(saved.look(&repository), (moved(true), Some(LineFate::Moved(8, 12))));
    repository.commit_all("rename and edit");
    assert_eq!(saved.look(&repository), (moved(true), Some(LineFate::Moved(8, 12))));
}

#[test]
fn edited_and_removed_lines_are_told_apart() {
    let repository = project();
    let saved = SavedLines::now(&repository, "src/a.rs", (7, 11));
    let edited = functions(&NAMES).replace("check(beta_value)", "check_twice(beta_value)");
    repository.write("src/a.rs", &("// head\n".to_owned() + &edited));
    assert_eq!(saved.look(&repository), (Verdict::Changed, Some(LineFate::Edited(Some((8, 12))))));
    repository.write("src/a.rs", &functions(&["alpha", "gamma", "delta", "omega"]));
    assert_eq!(saved.look(&repository), (Verdict::Changed, Some(LineFate::Gone)));
    repository.remove("src/a.rs");
    assert_eq!(saved.look(&repository), (Verdict::Gone, Some(LineFate::Gone)));
}

#[test]
fn lines_of_a_file_that_git_never_had_are_not_guessed() {
    let repository = project();
    repository.write("src/a.rs", &("// not committed\n".to_owned() + &functions(&NAMES)));
    let saved = SavedLines::now(&repository, "src/a.rs", (8, 12));
    repository.write("src/a.rs", &("// another\n// head\n".to_owned() + &functions(&NAMES)));
    assert_eq!(saved.look(&repository), (Verdict::Changed, None));
}

#[test]
fn what_was_staged_when_it_was_saved_is_known_to_git() {
    let repository = project();
    repository.write("src/a.rs", &("// staged\n".to_owned() + &functions(&NAMES)));
    repository.run("add src/a.rs");
    let saved = SavedLines::now(&repository, "src/a.rs", (8, 12));
    repository.write("src/a.rs", &functions(&NAMES));
    assert_eq!(saved.look(&repository), (Verdict::Changed, Some(LineFate::Moved(7, 11))));
}

#[test]
fn binary_files_and_lines_that_never_were_have_no_fate() {
    let repository = project();
    let saved = SavedLines::now(&repository, "src/a.rs", (700, 800));
    repository.write("src/a.rs", &(functions(&NAMES) + "\n"));
    assert_eq!(saved.look(&repository), (Verdict::Changed, None));
    let saved = SavedLines::now(&repository, "src/b.rs", (1, 1));
    repository.write("src/b.rs", "\0\n");
    assert_eq!(saved.look(&repository), (Verdict::Changed, None));
}

/// Pointers to one function in each of many files, most of which moved, with one question to git.
#[test]
fn many_pointers_are_followed_at_once() {
    let repository = Repository::new();
    let paths: Vec<String> = (0..30).map(|number| format!("src/file{number}.rs")).collect();
    for path in &paths {
        repository.write(path, &functions(&NAMES));
    }
    repository.commit_all("start");
    let names: Vec<&str> = paths.iter().map(String::as_str).collect();
    let facts = repository.git().facts(&names, PATIENCE).answered();
    for (number, path) in paths.iter().enumerate().skip(3) {
        repository.write(path, &("// line\n".repeat(number) + &functions(&NAMES)));
    }
    let pointed: Vec<Pointed<'_>> = names
        .iter()
        .map(|path| Pointed { path, blob: facts.pointed.get(*path).map(String::as_str), lines: Some((13, 17)) })
        .collect();
    let drift = repository.git().drift(&Baseline::of(&facts.git), &pointed, &[], PATIENCE).answered();
    for (number, fate) in (0_u32..).zip(&drift.lines) {
        let expected = if number < 3 { LineFate::InPlace } else { LineFate::Moved(13 + number, 17 + number) };
        assert_eq!(*fate, Some(expected), "{number}");
    }
}
