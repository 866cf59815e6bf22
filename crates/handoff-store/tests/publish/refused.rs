//! What is refused, with the reason and without a trace; what is left out while the rest is published.

use std::fs;

use handoff_store::git::{Git, PublishError};

use crate::world::{Place, World, committing, git_in};

#[test]
fn a_merge_rebase_cherry_pick_revert_or_bisect_under_way_is_refused_with_the_way_out() {
    for (line, way_out) in [
        ("merge other", "git merge --abort"),
        ("rebase other", "git rebase --abort"),
        ("cherry-pick other", "git cherry-pick --abort"),
        ("revert HEAD~1", "git revert --abort"),
        ("bisect start", "git bisect reset"),
    ] {
        let world = World::new();
        let place = world.clone_as("work");
        place.run("checkout -q -b other");
        place.write("code.rs", "theirs\n");
        place.run("commit -q -a -m other");
        place.run("checkout -q main");
        place.write("code.rs", "ours\n");
        place.run("commit -q -a -m ours");
        place.write("code.rs", "ours again\n");
        place.run("commit -q -a -m again");
        assert_eq!(place.tries(line), line.starts_with("bisect"));
        place.write("notes/a.md", "a\n");
        let reason = place.refusal(&committing("notes", "r1"));
        assert!(reason.contains("under way") && reason.contains(way_out), "{reason}");
        let mut beside = committing("notes", "r1");
        beside.branch = Some("handoff".to_owned());
        assert!(place.publish(&beside).unwrap().commit.is_some(), "another branch is not concerned");
    }
}

#[test]
fn an_unmerged_index_is_refused_with_the_file() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write("code.rs", "stashed\n");
    place.run("stash");
    place.write("code.rs", "other\n");
    place.run("commit -q -a -m other");
    assert!(!place.tries("stash pop"));
    place.write("notes/a.md", "a\n");
    let reason = place.refusal(&committing("notes", "r1"));
    assert!(reason.contains("`code.rs` has a conflict"), "{reason}");
}

#[test]
fn paths_that_lead_elsewhere_are_refused() {
    let world = World::new();
    let place = world.clone_as("work");
    for (path, reason) in [
        ("../outside", "outside of the work tree"),
        ("/etc/passwd", "outside of the work tree"),
        (".git/config", "git's own"),
        (".GIT", "git's own"),
        (".GIT/hooks/pre-commit", "git's own"),
        ("x/../.git/config", "git's own"),
        ("notes/.Git/config", "git's own"),
        ("", "not a path"),
        ("a\0b", "not a path"),
    ] {
        let told = place.refusal(&committing(path, "r1"));
        assert!(told.contains(reason), "{path}: {told}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_on_the_way_is_refused() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write("real/notes/a.md", "a\n");
    std::os::unix::fs::symlink("real", place.root.join("link")).unwrap();
    for path in ["link", "link/notes", "link/notes/a.md"] {
        assert!(place.refusal(&committing(path, "r1")).contains("`link` is a symbolic link"));
    }
}

#[cfg(unix)]
#[test]
fn what_git_keeps_for_itself_is_refused_by_whatever_name() {
    let world = World::new();
    let place = world.clone_as("work");
    std::os::unix::fs::symlink(".git", place.root.join("link")).unwrap();
    std::os::unix::fs::symlink(".git/config", place.root.join("settings")).unwrap();
    for path in ["link", "link/config", "settings"] {
        assert!(place.refusal(&committing(path, "r1")).contains("git's own"), "{path}");
    }
    place.run("worktree add -q ../linked -b linked");
    let linked = Place { root: world.dir.path().join("linked") };
    assert!(linked.publish(&committing(".git", "r1")).unwrap_err().to_string().contains("git's own"));
}

#[test]
fn a_git_directory_of_another_name_is_neither_named_nor_taken_along() {
    let world = World::new();
    let place = world.clone_as("work");
    place.run("init -q --separate-git-dir=data");
    place.write("notes/a.md", "a\n");
    for path in ["data", "data/config", "data/nothing"] {
        let told = place.publish(&committing(path, "r1")).unwrap_err().to_string();
        assert!(told.contains("git's own"), "{path}: {told}");
    }
    place.publish(&committing(".", "r1")).unwrap();
    assert_eq!(place.files_of("HEAD"), ["notes/a.md"]);
}

#[test]
fn no_repository_and_a_bare_one_are_told_apart_from_failures() {
    let dir = tempfile::tempdir().unwrap();
    let error = Git::publish(dir.path(), &committing("notes", "r1")).unwrap_err();
    assert!(matches!(error, PublishError::NoRepository(_)) && !error.may_pass(), "{error}");
    let world = World::new();
    let error = Git::publish(&world.remote(), &committing("notes", "r1")).unwrap_err();
    assert!(matches!(error, PublishError::NoRepository(_)), "{error}");
    assert!(error.to_string().contains("work tree"), "{error}");
}

#[test]
fn an_ignored_path_is_told_with_its_rule_and_the_others_are_published() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write(".gitignore", "*.log\nmemory/\n");
    place.write("memory/a.md", "a\n");
    place.write("notes/a.md", "a\n");
    place.write("private/.gitignore", "*\n");
    place.write("private/x.md", "x\n");
    let mut publishing = committing("notes", "r1");
    publishing.paths.extend(["memory", "memory/a.md", "private", "gone"].map(String::from));
    let published = place.publish(&publishing).unwrap();
    assert_eq!(place.files_of("HEAD"), ["notes/a.md"]);
    let why = |path: &str| published.left_out.iter().find(|left| left.path == path).unwrap().why.clone();
    assert_eq!(why("memory"), "git ignores it: line 2 of .gitignore has `memory/`");
    assert!(why("private").contains("line 1 of private/.gitignore has `*`"), "{}", why("private"));
    assert_eq!(why("gone"), "it is not there");

    publishing.run = "r2".to_owned();
    publishing.force_ignored = true;
    place.publish(&publishing).unwrap();
    assert_eq!(place.files_of("HEAD"), ["memory/a.md", "private/.gitignore", "private/x.md"]);
    assert_eq!(place.status(), "?? .gitignore");

    // What is tracked goes on being published, ignored or not.
    place.write("memory/a.md", "changed\n");
    publishing.run = "r3".to_owned();
    publishing.force_ignored = false;
    publishing.paths = vec!["memory".to_owned()];
    assert_eq!(place.publish(&publishing).unwrap().left_out.len(), 1);
    assert_eq!(place.files_of("HEAD"), ["memory/a.md"]);
    place.write("memory/a.md", "changed again\n");
    publishing.run = "r4".to_owned();
    publishing.paths = vec!["memory/a.md".to_owned()];
    assert_eq!(place.publish(&publishing).unwrap().left_out.len(), 0);
    assert_eq!(place.files_of("HEAD"), ["memory/a.md"]);
}

#[test]
fn a_private_store_is_told_as_ignored_and_forced_without_what_is_local() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write(".handoff/.gitignore", "*\n");
    place.write(".handoff/config.toml", "x = 1\n");
    place.write(".handoff/local/state/lock", "\n");
    let published = place.publish(&committing(".handoff", "r1")).unwrap();
    assert_eq!((published.commit, published.left_out.len()), (None, 1));
    let mut publishing = committing(".handoff", "r2");
    publishing.force_ignored = true;
    place.publish(&publishing).unwrap();
    assert_eq!(place.files_of("HEAD"), [".handoff/.gitignore", ".handoff/config.toml"]);
}

#[test]
fn a_repository_inside_is_told_and_not_taken_in() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write("notes/a.md", "a\n");
    fs::create_dir_all(place.root.join("notes/inner")).unwrap();
    git_in(&place.root.join("notes/inner"), &["init", "-q", "--template="]);
    let inner = Place::settled(place.root.join("notes/inner"));
    inner.write("x.md", "x\n");
    inner.run("add -A");
    inner.run("commit -q -m inner");
    let mut publishing = committing("notes", "r1");
    publishing.paths.push("notes/inner/x.md".to_owned());
    let published = place.publish(&publishing).unwrap();
    assert_eq!(place.files_of("HEAD"), ["notes/a.md"]);
    assert_eq!(published.left_out.len(), 2);
    assert!(published.left_out.iter().all(|left| left.why.contains("repository of its own")));
}

#[test]
fn bad_names_of_branches_are_refused() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write("notes/a.md", "a\n");
    for name in ["-d", "", "a..b", "a b", "HEAD", "x.lock", "@{-1}", "../x"] {
        let mut publishing = committing("notes", "r1");
        publishing.branch = Some(name.to_owned());
        assert!(place.refusal(&publishing).contains("cannot be the name of a branch"), "{name}");
    }
}

#[test]
fn a_lock_of_another_git_is_told_with_its_place() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write("notes/a.md", "a\n");
    for lock in [".git/index.lock", ".git/HEAD.lock", ".git/refs/heads/main.lock"] {
        place.write(lock, "");
        let mut publishing = committing("notes", "r1");
        publishing.limit = std::time::Duration::from_secs(12);
        let error = place.publish(&publishing).unwrap_err();
        assert!(error.may_pass() && error.to_string().contains(lock), "{error}");
        fs::remove_file(place.root.join(lock)).unwrap();
    }
    assert!(place.publish(&committing("notes", "r1")).unwrap().commit.is_some());
}
