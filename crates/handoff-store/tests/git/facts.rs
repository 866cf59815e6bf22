//! What is written down when a session is saved, and what is told of the time since.

use crate::repository::{Answered, PATIENCE, Repository, git_in};

#[test]
fn branch_commits_and_changed_files_are_written_down() {
    let repository = Repository::with_project("app");
    for number in 0..12 {
        repository.write("app/a.rs", &format!("{number}\n"));
        repository.write("app/old.rs", "many\nlines\nthat\nstay\n");
        repository.write("deleted.rs", "x\n");
        repository.commit_all(&format!("commit {number}"));
    }
    repository.write("app/a.rs", "changed\n");
    repository.write("app/new file.rs", "new\n");
    repository.write("app/.handoff/tasks/x.toml", "never counts\n");
    repository.remove("deleted.rs");
    repository.run("mv app/old.rs app/moved.rs");
    let facts = repository.git().facts(&["a.rs", "new file.rs", "missing.rs", "../../outside"], PATIENCE).answered();
    assert_eq!(facts.skipped, None);
    assert_eq!(facts.git.branch.as_deref(), Some("main"));
    let commit = repository.run("rev-parse --short=7 HEAD");
    assert_eq!(facts.git.commit.as_deref(), Some(commit.as_str()));
    assert_eq!(facts.git.recent.len(), 10);
    assert_eq!(facts.git.recent[0], format!("{commit} commit 11"));
    assert_eq!(facts.git.dirty, ["M a.rs", "R old.rs -> moved.rs", "D ../deleted.rs", "?? new file.rs"]);
    assert_eq!(facts.git.dirty_count, None);
    let blob = |path: &str| git_in(repository.root(), &["hash-object", path])[..12].to_owned();
    assert_eq!(
        facts.git.blobs,
        [
            format!("{} a.rs", blob("app/a.rs")),
            format!("{} moved.rs", blob("app/moved.rs")),
            format!("{} new file.rs", blob("app/new file.rs")),
            "0000000 old.rs".to_owned(),
            "0000000 ../deleted.rs".to_owned(),
        ]
    );
    let pointed: Vec<(&str, &str)> = facts.pointed.iter().map(|(path, id)| (path.as_str(), id.as_str())).collect();
    assert_eq!(pointed, [("a.rs", blob("app/a.rs").as_str()), ("new file.rs", blob("app/new file.rs").as_str())]);
}

#[test]
fn of_many_changed_files_the_first_are_listed_and_all_counted() {
    let repository = Repository::new();
    repository.commit_all("start");
    for number in 0..70 {
        repository.write(&format!("new/{number:02}.rs"), "x\n");
    }
    let facts = repository.git().facts(&[], PATIENCE).answered();
    assert_eq!((facts.git.dirty.len(), facts.git.blobs.len()), (50, 50));
    assert_eq!(facts.git.dirty_count, Some(70));
}

#[test]
fn a_branch_is_counted_against_the_one_it_follows() {
    let repository = Repository::new();
    repository.commit_all("start");
    repository.run("branch theirs");
    repository.run("branch -q --set-upstream-to=theirs main");
    repository.commit_all("ours 1");
    repository.commit_all("ours 2");
    repository.run("checkout -q theirs");
    repository.commit_all("theirs 1");
    repository.run("checkout -q main");
    let facts = repository.git().facts(&[], PATIENCE).answered();
    assert_eq!(facts.git.upstream.as_deref(), Some("theirs"));
    assert_eq!((facts.git.ahead, facts.git.behind), (Some(2), Some(1)));
}

#[test]
fn a_branch_without_commits_has_changed_files() {
    let repository = Repository::new();
    repository.write("a.rs", "a\n");
    let facts = repository.git().facts(&["a.rs"], PATIENCE).answered();
    assert_eq!((facts.git.branch.as_deref(), facts.git.commit), (Some("main"), None));
    assert_eq!(facts.git.dirty, ["?? a.rs"]);
    assert_eq!(facts.pointed.len(), 1);
}

#[cfg(unix)]
#[test]
fn odd_names_are_told_as_they_are_and_those_that_are_not_text_are_counted() {
    use std::os::unix::ffi::OsStrExt;
    let repository = Repository::new();
    repository.commit_all("start");
    let odd = ["a b", "\"quoted\"", "line\nbreak", "tab\t", "-dash", "日本.md", ":(top)x", "back\\slash", "*"];
    for name in odd {
        repository.write(name, name);
    }
    let raw = std::ffi::OsStr::from_bytes(b"raw\xff.rs");
    std::fs::write(repository.root().join(raw), "x").unwrap();
    let facts = repository.git().facts(&odd, PATIENCE).answered();
    let mut expected: Vec<String> = odd.iter().map(|name| format!("?? {name}")).collect();
    let mut dirty = facts.git.dirty.clone();
    (expected.sort(), dirty.sort());
    assert_eq!(dirty, expected);
    assert_eq!(facts.git.dirty_count, Some(10));
    assert_eq!(facts.pointed.len(), odd.len());
    for name in odd {
        let id = git_in(repository.root(), &["hash-object", "--", name]);
        assert_eq!(facts.pointed[name], id[..12], "{name}");
    }
}

#[cfg(unix)]
#[test]
fn files_that_cannot_be_read_do_not_hide_the_others() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let repository = Repository::new();
    repository.commit_all("start");
    repository.write("a.rs", "a\n");
    repository.write("b.rs", "b\n");
    repository.write("c.rs", "c\n");
    symlink("/dev/zero", repository.root().join("link")).unwrap();
    std::fs::set_permissions(repository.root().join("b.rs"), PermissionsExt::from_mode(0)).unwrap();
    let may_read_all = std::fs::read(repository.root().join("b.rs")).is_ok();
    rustix::fs::mkfifoat(rustix::fs::CWD, repository.root().join("pipe"), rustix::fs::Mode::RWXU).unwrap();
    let facts = repository.git().facts(&["a.rs", "b.rs", "c.rs", "link", "pipe"], PATIENCE).answered();
    let told: Vec<&str> = facts.pointed.keys().map(String::as_str).collect();
    let expected: &[&str] = if may_read_all { &["a.rs", "b.rs", "c.rs", "link"] } else { &["a.rs", "c.rs", "link"] };
    assert_eq!(told, expected);
}

#[test]
fn changes_since_a_commit_are_counted_and_named() {
    let repository = Repository::with_project("app");
    repository.write("app/a.rs", "a\n");
    repository.write("app/gone.rs", "g\n");
    repository.commit_all("start");
    let then = repository.run("rev-parse --short HEAD");
    let unchanged = repository.git().changes_since(Some(&then), PATIENCE).answered();
    assert_eq!((unchanged.known, unchanged.commits, unchanged.file_count), (true, 0, 0));
    repository.write("app/a.rs", "b\n");
    repository.write("app/.handoff/config.toml", "x");
    repository.commit_all("first");
    repository.remove("app/gone.rs");
    repository.write("top.rs", "t\n");
    repository.commit_all("second");
    repository.write("app/a.rs", "c\n");
    let changes = repository.git().changes_since(Some(&then), PATIENCE).answered();
    assert_eq!((changes.known, changes.commits, changes.left), (true, 2, 0));
    let subjects: Vec<&str> = changes.subjects.iter().map(|line| line.split_once(' ').unwrap().1).collect();
    assert_eq!(subjects, ["second", "first"]);
    let files: Vec<(char, &str)> = changes.files.iter().map(|file| (file.change, file.path.as_str())).collect();
    assert_eq!(files, [('A', "../top.rs"), ('M', "a.rs"), ('D', "gone.rs")]);
    assert_eq!((changes.dirty, changes.dirty_count), (vec!["M a.rs".to_owned()], 1));
}

#[test]
fn a_branch_that_was_rewritten_says_so_and_a_commit_that_is_gone_too() {
    let repository = Repository::new();
    repository.write("a.rs", "a\n");
    repository.commit_all("start");
    repository.write("a.rs", "b\n");
    repository.commit_all("to be amended");
    let then = repository.run("rev-parse HEAD");
    repository.write("a.rs", "c\n");
    repository.run("commit -q -a --amend -m amended");
    let changes = repository.git().changes_since(Some(&then), PATIENCE).answered();
    assert_eq!((changes.known, changes.commits, changes.left), (true, 1, 1));
    for unknown in ["0123456789", "--output=x", "HEAD", ""] {
        let changes = repository.git().changes_since(Some(unknown), PATIENCE).answered();
        assert_eq!((changes.known, changes.commits), (false, 0), "{unknown}");
    }
    assert!(!repository.git().changes_since(None, PATIENCE).answered().known);
    assert!(!repository.root().join("x").exists());
}
