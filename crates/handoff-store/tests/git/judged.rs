//! What became of single files, case by case.

use handoff_store::git::{Baseline, Drift, FileChange, How, Pointed, Verdict};

use crate::repository::{Answered, PATIENCE, Repository};

/// A handoff that was saved with pointers to some files.
struct Saved {
    facts: handoff_store::git::Facts,
    pointers: Vec<String>,
}

impl Saved {
    fn now(repository: &Repository, pointers: &[&str]) -> Saved {
        let facts = repository.git().facts(pointers, PATIENCE).answered();
        Saved { facts, pointers: pointers.iter().map(ToString::to_string).collect() }
    }

    fn drift(&self, repository: &Repository, governed: &[&str]) -> Drift {
        let pointed = |path: &String| self.facts.pointed.get(path).map(String::as_str);
        let pointers: Vec<Pointed<'_>> =
            self.pointers.iter().map(|path| Pointed { path, blob: pointed(path), lines: None }).collect();
        repository.git().drift(&Baseline::of(&self.facts.git), &pointers, governed, PATIENCE).answered()
    }

    fn verdicts(&self, repository: &Repository) -> Vec<Verdict> {
        self.drift(repository, &[]).pointers
    }
}

fn text(name: &str) -> String {
    (0..20).fold(String::new(), |text, line| text + &format!("{name} line {line}\n"))
}

fn project() -> Repository {
    let repository = Repository::new();
    for name in ["src/a.rs", "src/b.rs", "src/deep/c.rs", "src/deep/d.rs", "top.md"] {
        repository.write(name, &text(name));
    }
    repository.write(".gitignore", "build/\n");
    repository.commit_all("start");
    repository
}

fn moved(to: &str, edited: bool) -> Verdict {
    Verdict::Moved { to: to.to_owned(), edited }
}

#[test]
fn committing_what_was_there_is_no_change_and_undoing_it_is_one() {
    let repository = project();
    repository.write("src/a.rs", "dirty\n");
    repository.write("src/b.rs", "dirty too\n");
    repository.write("new.rs", "untracked\n");
    repository.remove("top.md");
    let saved = Saved::now(&repository, &["src/a.rs", "src/b.rs", "new.rs", "src/deep/c.rs"]);
    assert_eq!(saved.verdicts(&repository), [const { Verdict::Same }; 4]);
    assert_eq!(saved.drift(&repository, &["."]).governed[0].changes, []);
    repository.commit_all("exactly that");
    assert_eq!(saved.verdicts(&repository), [const { Verdict::Same }; 4]);
    assert_eq!(saved.drift(&repository, &["."]).governed[0].changes, []);
    repository.run("checkout -q HEAD~1 -- src/b.rs top.md");
    assert_eq!(saved.verdicts(&repository)[1], Verdict::Changed);
    let change = |path: &str, how| FileChange { path: path.to_owned(), how };
    let drift = saved.drift(&repository, &[".", "src/", "*.md"]);
    assert_eq!(drift.governed[0].changes, [change("src/b.rs", How::Edited), change("top.md", How::Added)]);
    assert_eq!(drift.governed[1].changes, [change("src/b.rs", How::Edited)]);
    assert_eq!(drift.governed[2].changes, [change("top.md", How::Added)]);
    assert!(drift.governed.iter().all(|governed| governed.unknown.is_none()));
}

#[test]
fn stashing_is_a_change_and_taking_back_is_none() {
    let repository = project();
    repository.write("src/a.rs", "dirty\n");
    let saved = Saved::now(&repository, &["src/a.rs"]);
    repository.run("stash -q");
    assert_eq!(saved.verdicts(&repository), [Verdict::Changed]);
    repository.run("stash pop -q");
    assert_eq!(saved.verdicts(&repository), [Verdict::Same]);
}

#[test]
fn moved_files_are_found_however_they_were_moved() {
    let repository = project();
    let paths = ["src/a.rs", "src/b.rs", "src/deep/c.rs", "src/deep/d.rs"];
    let saved = Saved::now(&repository, &paths);
    repository.run("mv src/a.rs src/staged.rs");
    repository.rename("src/b.rs", "plain/b.rs");
    repository.rename("src/deep/c.rs", "plain/edited.rs");
    repository.write("plain/edited.rs", &(text("src/deep/c.rs") + "one more\n"));
    repository.remove("src/deep/d.rs");
    repository.write("plain/unrelated.rs", &text("unrelated"));
    let expected =
        [moved("src/staged.rs", false), moved("plain/b.rs", false), moved("plain/edited.rs", true), Verdict::Gone];
    assert_eq!(saved.verdicts(&repository), expected);
    repository.commit_all("all of it");
    assert_eq!(saved.verdicts(&repository), expected);
    let governed = saved.drift(&repository, &["src", "plain/b.rs"]).governed;
    let renamed =
        |path: &str, from: &str| FileChange { path: path.to_owned(), how: How::Renamed { from: from.to_owned() } };
    assert_eq!(
        governed[0].changes,
        [
            renamed("plain/b.rs", "src/b.rs"),
            renamed("plain/edited.rs", "src/deep/c.rs"),
            FileChange { path: "src/deep/d.rs".to_owned(), how: How::Deleted },
            renamed("src/staged.rs", "src/a.rs"),
        ]
    );
    assert_eq!(governed[1].changes, [renamed("plain/b.rs", "src/b.rs")]);
}

#[test]
fn a_file_that_took_the_place_of_another_is_found_there() {
    let repository = project();
    repository.write("untracked.rs", &text("untracked"));
    let paths = ["src/a.rs", "src/b.rs", "src/deep/c.rs", "src/deep/d.rs"];
    let saved = Saved::now(&repository, &paths);
    repository.write("later.rs", &text("later"));
    repository.commit_all("later");
    repository.write("latest.rs", &text("latest"));
    repository.rename("src/a.rs", "top.md");
    repository.rename("src/b.rs", "untracked.rs");
    repository.rename("src/deep/c.rs", "later.rs");
    repository.rename("src/deep/d.rs", "latest.rs");
    let expected = ["top.md", "untracked.rs", "later.rs", "latest.rs"].map(|to| moved(to, false));
    assert_eq!(saved.verdicts(&repository), expected);
    repository.commit_all("all of it");
    assert_eq!(saved.verdicts(&repository), expected);
}

#[test]
fn a_file_is_followed_through_commits_that_move_it_and_then_rewrite_it() {
    let repository = project();
    let saved = Saved::now(&repository, &["src/a.rs"]);
    repository.run("mv src/a.rs src/b2.rs");
    repository.commit_all("move");
    repository.run("mv src/b2.rs src/b3.rs");
    repository.commit_all("move again");
    repository.write("src/b3.rs", &text("nothing is as it was"));
    repository.commit_all("rewrite");
    assert_eq!(saved.verdicts(&repository), [moved("src/b3.rs", true)]);
}

#[test]
fn a_dirty_file_that_was_moved_and_edited_is_found_by_what_was_committed_of_it() {
    let repository = project();
    repository.write("src/a.rs", &(text("src/a.rs") + "never committed\n"));
    let saved = Saved::now(&repository, &["src/a.rs"]);
    repository.remove("src/a.rs");
    repository.write("src/z.rs", &(text("src/a.rs") + "never committed\nand more\n"));
    assert_eq!(saved.verdicts(&repository), [moved("src/z.rs", true)]);
}

#[test]
fn a_file_that_made_room_for_a_directory_is_found_in_it() {
    let repository = project();
    let saved = Saved::now(&repository, &["src/a.rs", "src/b.rs"]);
    repository.rename("src/a.rs", "between");
    repository.rename("between", "src/a.rs/mod.rs");
    repository.remove("src/b.rs");
    repository.write("src/b.rs/other.rs", &text("other"));
    assert_eq!(saved.verdicts(&repository), [moved("src/a.rs/mod.rs", false), Verdict::Gone]);
}

#[test]
fn a_directory_is_the_same_changed_moved_or_gone() {
    let repository = project();
    let saved = Saved::now(&repository, &["src/deep/", "src/deep", "src", "nowhere/"]);
    let gone = Verdict::Gone;
    assert_eq!(saved.verdicts(&repository), [Verdict::Same, Verdict::Same, Verdict::Same, gone.clone()]);
    repository.rename("src/deep/c.rs", "lib/c.rs");
    repository.rename("src/deep/d.rs", "lib/d.rs");
    std::fs::remove_dir(repository.root().join("src/deep")).unwrap();
    let to = moved("lib", false);
    assert_eq!(saved.verdicts(&repository), [to.clone(), to, Verdict::Changed, gone.clone()]);
    repository.remove("lib/c.rs");
    assert_eq!(saved.verdicts(&repository), [gone.clone(), gone.clone(), Verdict::Changed, gone]);
}

#[test]
fn files_that_git_ignores_are_judged_by_what_was_written_down() {
    let repository = project();
    repository.write("build/out.txt", "out\n");
    let saved = Saved::now(&repository, &["build/out.txt"]);
    assert_eq!(saved.verdicts(&repository), [Verdict::Same]);
    repository.write("build/out.txt", "other\n");
    assert_eq!(saved.verdicts(&repository), [Verdict::Changed]);
    repository.write("build/later.txt", "not known\n");
    let pointed = [Pointed { path: "build/later.txt", blob: None, lines: None }];
    let drift = repository.git().drift(&Baseline::of(&saved.facts.git), &pointed, &[], PATIENCE).answered();
    assert!(matches!(drift.pointers[0], Verdict::Unknown(_)));
}

#[test]
fn pointers_without_a_blob_are_judged_by_the_commit() {
    let repository = project();
    let saved = Saved::now(&repository, &[]);
    repository.write("src/a.rs", "changed\n");
    repository.rename("src/b.rs", "b.rs");
    let names = ["src/a.rs", "src/b.rs", "src/deep/c.rs", "never/was.rs"];
    let pointed = names.map(|path| Pointed { path, blob: None, lines: None });
    let drift = repository.git().drift(&Baseline::of(&saved.facts.git), &pointed, &[], PATIENCE).answered();
    assert_eq!(drift.pointers, [Verdict::Changed, moved("b.rs", false), Verdict::Same, Verdict::Gone]);
}

#[test]
fn when_the_commit_is_gone_blobs_alone_decide() {
    let repository = project();
    repository.write("dirty.rs", "dirty\n");
    repository.write("src/b.rs", "committed, then amended away\n");
    repository.run("commit -q -a -m soon-gone");
    let saved = Saved::now(&repository, &["src/a.rs", "src/b.rs", "src/deep/c.rs", "src/deep/d.rs"]);
    repository.write("src/b.rs", "other\n");
    repository.rename("src/deep/c.rs", "lib/c.rs");
    repository.remove("src/deep/d.rs");
    repository.write("dirty.rs", "dirtier\n");
    repository.run("add -A");
    repository.run("commit -q --amend -m amended");
    repository.run("reflog expire --expire=now --all");
    repository.run("gc -q --prune=now");
    let drift = saved.drift(&repository, &["src/", "dirty.rs"]);
    assert_eq!(drift.pointers, [Verdict::Same, Verdict::Changed, moved("lib/c.rs", false), Verdict::Gone]);
    assert_eq!(drift.governed[1].changes, [FileChange { path: "dirty.rs".to_owned(), how: How::Edited }]);
    assert!(drift.governed.iter().all(|governed| governed.unknown.is_some()));
    // And when nothing at all was written down, nothing can be known of what is there.
    let pointed = ["src/a.rs", "missing.rs"].map(|path| Pointed { path, blob: None, lines: None });
    let drift = repository.git().drift(&Baseline::default(), &pointed, &["src"], PATIENCE).answered();
    assert!(matches!(drift.pointers.as_slice(), [Verdict::Unknown(_), Verdict::Gone]));
}

#[cfg(unix)]
#[test]
fn what_is_outside_is_neither_looked_at_nor_hashed() {
    let repository = project();
    let outside = tempfile::tempdir().unwrap();
    std::fs::create_dir(outside.path().join("dir")).unwrap();
    std::fs::write(outside.path().join("dir/there.txt"), "private\n").unwrap();
    std::os::unix::fs::symlink(outside.path().join("dir"), repository.root().join("link")).unwrap();
    let absolute = |name: &str| outside.path().join(name).display().to_string();
    let (there, missing) = (absolute("dir/there.txt"), absolute("dir/missing.txt"));
    let pointers = [there.as_str(), &missing, "../../../../etc/passwd", "link/there.txt", "link/missing.txt"];
    let saved = Saved::now(&repository, &pointers);
    assert!(saved.facts.pointed.is_empty(), "{:?}", saved.facts.pointed);
    let verdicts = saved.verdicts(&repository);
    assert!(verdicts.iter().all(|verdict| matches!(verdict, Verdict::Unknown(_))), "{verdicts:?}");
    assert_eq!(verdicts[0], verdicts[1], "whether something is there cannot be told");
    assert_eq!(verdicts[3], verdicts[4], "whether something is there cannot be told");
}

#[test]
fn a_handoff_before_the_first_commit_is_judged_too() {
    let repository = Repository::new();
    repository.write("a.rs", "a\n");
    repository.write("b.rs", "b\n");
    let saved = Saved::now(&repository, &["a.rs", "b.rs"]);
    repository.commit_all("first");
    assert_eq!(saved.drift(&repository, &["."]).governed[0].changes, []);
    repository.write("b.rs", "changed\n");
    repository.write("c.rs", "c\n");
    repository.commit_all("second");
    let drift = saved.drift(&repository, &["."]);
    assert_eq!(drift.pointers, [Verdict::Same, Verdict::Changed]);
    let changes: Vec<&str> = drift.governed[0].changes.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(changes, ["b.rs", "c.rs"]);
}

#[test]
fn what_lies_outside_is_not_looked_into() {
    let repository = project();
    let saved = Saved::now(&repository, &[]);
    let outside = repository.root().parent().unwrap().to_str().unwrap().to_owned();
    let pointed = [outside.as_str(), "../../../../../nowhere/at/all", "/nowhere/at/all", ".handoff/config.toml"];
    let pointed = pointed.map(|path| Pointed { path, blob: None, lines: None });
    let drift = repository.git().drift(&Baseline::of(&saved.facts.git), &pointed, &["/etc"], PATIENCE).answered();
    assert!(drift.pointers.iter().all(|verdict| matches!(verdict, Verdict::Unknown(_))), "{drift:?}");
    assert!(drift.governed[0].unknown.is_some());
}

#[test]
fn a_file_in_conflict_is_changed() {
    let repository = project();
    repository.run("checkout -q -b theirs");
    repository.write("src/a.rs", "theirs\n");
    repository.commit_all("theirs");
    repository.run("checkout -q main");
    repository.write("src/a.rs", "ours\n");
    repository.commit_all("ours");
    let saved = Saved::now(&repository, &["src/a.rs", "src/b.rs"]);
    // Whoever has no name of his own in git could not even begin to merge.
    let whose = ["-c", "user.name=a", "-c", "user.email=a@example.com", "merge", "-q", "theirs"];
    let merge = std::process::Command::new("git").args(whose).current_dir(repository.root()).output();
    assert!(!merge.unwrap().status.success());
    let drift = saved.drift(&repository, &["src"]);
    assert_eq!(drift.pointers, [Verdict::Changed, Verdict::Same]);
    assert_eq!(drift.governed[0].changes, [FileChange { path: "src/a.rs".to_owned(), how: How::Edited }]);
    assert_eq!(repository.git().facts(&[], PATIENCE).answered().git.dirty, ["UU src/a.rs"]);
}

#[test]
fn files_of_a_sparse_checkout_are_not_taken_for_deleted() {
    let repository = project();
    let saved = Saved::now(&repository, &["src/deep/c.rs", "top.md"]);
    repository.run("sparse-checkout set --no-cone /top.md");
    assert!(repository.read("src/deep/c.rs").is_none());
    let drift = saved.drift(&repository, &["."]);
    assert!(matches!(drift.pointers.as_slice(), [Verdict::Unknown(_), Verdict::Same]), "{drift:?}");
    assert_eq!(drift.governed[0].changes, []);
}
