//! Finding the work tree and where it stands, in all the forms git knows.

use std::fs;

use handoff_store::git::{Git, Head};

use crate::repository::{Answered, PATIENCE, Repository, git_in};

fn head(branch: Option<&str>, commit: Option<String>) -> Head {
    Head { branch: branch.map(str::to_owned), commit }
}

fn committed() -> Repository {
    let repository = Repository::new();
    repository.write("src/a.rs", "a\n");
    repository.commit_all("start");
    repository
}

#[test]
fn outside_of_git_there_is_nothing() {
    let dir = tempfile::tempdir().unwrap();
    assert!(Git::around(dir.path()).is_none());
    assert!(Git::around(&dir.path().join("missing")).is_none());
    fs::create_dir(dir.path().join(".git")).unwrap();
    assert!(Git::around(dir.path()).is_none(), "an empty .git is no repository");
    fs::remove_dir(dir.path().join(".git")).unwrap();
    fs::write(dir.path().join(".git"), "gitdir: nowhere\n").unwrap();
    assert!(Git::around(dir.path()).is_none());
}

#[test]
fn a_branch_without_commits_has_a_name_only() {
    let repository = Repository::new();
    assert_eq!(repository.git().head(), head(Some("main"), None));
}

#[test]
fn a_branch_is_read_loose_and_packed() {
    let repository = committed();
    repository.run("checkout -q -b feature/deep/name");
    let commit = repository.run("rev-parse HEAD");
    let expected = head(Some("feature/deep/name"), Some(commit));
    assert_eq!(repository.git().head(), expected);
    repository.run("pack-refs --all");
    assert!(!repository.root().join(".git/refs/heads/feature/deep/name").exists());
    assert_eq!(repository.git().head(), expected);
}

#[test]
fn a_loose_branch_wins_over_a_packed_one() {
    let repository = committed();
    repository.run("pack-refs --all");
    repository.commit_all("second");
    assert_eq!(repository.git().head().commit, Some(repository.run("rev-parse HEAD")));
}

#[test]
fn a_detached_head_has_a_commit_only() {
    let repository = committed();
    repository.run("checkout -q --detach");
    assert_eq!(repository.git().head(), head(None, Some(repository.run("rev-parse HEAD"))));
}

#[test]
fn a_linked_work_tree_stands_on_its_own_branch() {
    let repository = committed();
    let other = tempfile::tempdir().unwrap();
    let place = other.path().join("linked");
    git_in(repository.root(), &["worktree", "add", "-q", "-b", "side", place.to_str().unwrap()]);
    fs::create_dir_all(place.join("sub")).unwrap();
    fs::write(place.join("new.rs"), "new\n").unwrap();
    let git = Git::around(&place.join("sub")).unwrap();
    assert_eq!(git.head(), head(Some("side"), Some(repository.run("rev-parse HEAD"))));
    let facts = git.facts(&["../src/a.rs"], PATIENCE).answered();
    assert_eq!(facts.git.dirty, ["?? ../new.rs"]);
    assert!(facts.pointed.contains_key("../src/a.rs"));
    assert_eq!(repository.git().head().branch.as_deref(), Some("main"));
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    let inner = committed();
    let outer = committed();
    git_in(outer.root(), &["submodule", "--quiet", "add", inner.root().to_str().unwrap(), "inner"]);
    outer.commit_all("with a submodule");
    let git = Git::around(&outer.root().join("inner/src")).unwrap();
    assert_eq!(git.head().commit, Some(inner.run("rev-parse HEAD")));
    assert_eq!(git.tracked_files(PATIENCE).answered(), ["a.rs"]);
    assert!(outer.git().facts(&[], PATIENCE).answered().git.dirty.is_empty());
    // A new commit inside is a change outside.
    fs::write(outer.root().join("inner/src/a.rs"), "changed\n").unwrap();
    git_in(&outer.root().join("inner"), &["commit", "-q", "-a", "-m", "inside"]);
    let facts = outer.git().facts(&[], PATIENCE).answered();
    assert_eq!(facts.git.dirty, ["M inner"]);
    let commit = git_in(&outer.root().join("inner"), &["rev-parse", "HEAD"]);
    assert_eq!(facts.git.blobs, [format!("{} inner", &commit[..12])]);
}

#[test]
fn a_shallow_clone_answers() {
    let repository = committed();
    for number in 0..5 {
        repository.write("src/a.rs", &format!("{number}\n"));
        repository.commit_all("more");
    }
    let other = tempfile::tempdir().unwrap();
    let url = format!("file://{}", repository.root().display());
    git_in(other.path(), &["clone", "-q", "--depth=2", &url, "clone"]);
    let git = Git::around(&other.path().join("clone")).unwrap();
    let facts = git.facts(&[], PATIENCE).answered();
    assert_eq!(facts.git.recent.len(), 2);
    assert_eq!(facts.git.upstream.as_deref(), Some("origin/main"));
    let first = repository.run("rev-list --max-parents=0 HEAD");
    let changes = git.changes_since(Some(&first), PATIENCE).answered();
    assert!(!changes.known);
    assert_eq!(git.history(None, PATIENCE).answered().commits.len(), 2);
}

#[test]
fn ids_may_be_long_and_branches_may_lie_in_tables() {
    for init in ["init -q -b main --object-format=sha256", "init -q -b main --ref-format=reftable"] {
        let dir = tempfile::tempdir().unwrap();
        let arguments: Vec<&str> = init.split(' ').collect();
        git_in(dir.path(), &arguments);
        fs::write(dir.path().join("a.rs"), "a\n").unwrap();
        let git = Git::around(dir.path()).unwrap();
        assert_eq!(git.head(), head(Some("main"), None), "{init}");
        git_in(dir.path(), &["add", "-A"]);
        git_in(dir.path(), &["commit", "-q", "-m", "start"]);
        let commit = git_in(dir.path(), &["rev-parse", "HEAD"]);
        assert_eq!(git.head(), head(Some("main"), Some(commit.clone())), "{init}");
        fs::write(dir.path().join("a.rs"), "b\n").unwrap();
        let facts = git.facts(&["a.rs"], PATIENCE).answered();
        assert_eq!(facts.git.dirty, ["M a.rs"]);
        assert!(commit.starts_with(facts.git.commit.as_deref().unwrap()));
        assert_eq!(facts.git.blobs, [format!("{} a.rs", facts.pointed["a.rs"])]);
    }
}

#[test]
fn a_head_that_leads_elsewhere_is_not_followed() {
    let repository = committed();
    fs::write(repository.root().join(".git/HEAD"), "ref: refs/../../secret\n").unwrap();
    repository.write("secret", "0123456789012345678901234567890123456789\n");
    assert_eq!(repository.git().head(), Head::default());
}

#[test]
fn only_files_that_are_there_are_listed() {
    let repository = Repository::with_project("app");
    for path in ["app/src/a.rs", "app/b.rs", "top.rs", "app/gone.rs", "app/.handoff/config.toml"] {
        repository.write(path, "text\n");
    }
    repository.commit_all("start");
    repository.write("app/untracked.rs", "text\n");
    repository.remove("app/gone.rs");
    assert_eq!(repository.git().tracked_files(PATIENCE).answered(), ["../top.rs", "b.rs", "src/a.rs"]);
}
