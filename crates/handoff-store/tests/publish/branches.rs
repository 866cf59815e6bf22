//! Branches: the one that is checked out, one that is not, none at all.

use handoff_store::git::Git;

use crate::world::{Place, World, committing, git_in, is_done, pushing};

fn to_branch(branch: &str, run: &str) -> handoff_store::git::Publishing {
    let mut publishing = pushing("notes", run);
    publishing.branch = Some(branch.to_owned());
    publishing
}

#[test]
fn on_a_feature_branch_the_feature_branch_is_pushed_and_not_main() {
    let world = World::new();
    let place = world.clone_as("work");
    place.run("checkout -q -b feature/x");
    place.write("notes/a.md", "a\n");
    let published = place.publish_notes("r1");
    assert!(is_done(&published) && published.branch.as_deref() == Some("feature/x"));
    assert_eq!(world.there("feature/x", "notes/a.md").as_deref(), Some("a\n"));
    assert_eq!(world.there("main", "notes/a.md"), None);
}

#[test]
fn a_named_branch_is_committed_to_without_checking_anything_out() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write("code.rs", "changed\n");
    place.write("staged.rs", "x\n");
    place.run("add staged.rs");
    place.write("notes/a.md", "a\n");
    let before = (place.status(), place.run("rev-parse HEAD"));
    let published = place.publish(&to_branch("memory", "r1")).unwrap();
    assert!(is_done(&published), "{published:?}");
    assert_eq!((place.status(), place.run("rev-parse HEAD")), before);
    assert_eq!(place.files_of("memory"), ["notes/a.md"]);
    assert_eq!(place.run("rev-list --count memory"), "1", "a branch that is nowhere yet begins with nothing else");
    place.write("notes/b.md", "b\n");
    place.publish(&to_branch("memory", "r2")).unwrap();
    place.publish(&to_branch("memory", "r2")).unwrap();
    assert_eq!(place.run("rev-list --count memory"), "2");
    assert_eq!(world.times("memory", "r2"), 1);
    assert_eq!(place.run("log -g --format=%gs memory").lines().next(), Some("handoff: publish"));
}

#[test]
fn a_named_branch_that_only_the_remote_has_is_continued() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write("notes/a.md", "a\n");
    place.publish(&to_branch("memory", "r1")).unwrap();
    let other = world.clone_as("other");
    other.write("notes/b.md", "b\n");
    assert!(is_done(&other.publish(&to_branch("memory", "r2")).unwrap()));
    // A clone of one branch knows nothing of the others until it asks.
    git_in(world.dir.path(), &["clone", "-q", "--template=", "--single-branch", "remote.git", "single"]);
    let single = Place::settled(world.dir.path().join("single"));
    single.write("notes/c.md", "c\n");
    assert!(is_done(&single.publish(&to_branch("memory", "r3")).unwrap()));
    assert_eq!(git_in(&world.remote(), &["rev-list", "--count", "memory"]), "3");
    let listed = || git_in(&world.remote(), &["ls-tree", "-r", "--name-only", "memory"]);
    assert_eq!(listed(), "notes/a.md\nnotes/b.md\nnotes/c.md", "what others have there stays");
    // What is deleted or changed here is so there; what others changed meanwhile stays as they left it.
    std::fs::remove_file(other.root.join("notes/b.md")).unwrap();
    place.write("notes/a.md", "changed\n");
    place.publish(&to_branch("memory", "r4")).unwrap();
    single.write("notes/d.md", "d\n");
    assert!(is_done(&single.publish(&to_branch("memory", "r5")).unwrap()));
    assert!(is_done(&other.publish(&to_branch("memory", "r6")).unwrap()));
    assert_eq!(listed(), "notes/a.md\nnotes/c.md\nnotes/d.md");
    assert_eq!(world.there("memory", "notes/a.md").as_deref(), Some("changed\n"));
    assert_eq!(
        Git::around(&single.root).unwrap().unpushed(Some("memory"), None, crate::world::PATIENCE).answer(),
        Some(None)
    );
}

#[test]
fn the_current_branch_by_name_is_the_current_branch() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write("notes/a.md", "a\n");
    place.publish(&to_branch("main", "r1")).unwrap();
    assert_eq!(place.status(), "");
    assert_eq!(place.subjects(), ["note r1", "start"]);
}

#[test]
fn a_branch_that_another_work_tree_has_checked_out_is_refused() {
    let world = World::new();
    let place = world.clone_as("work");
    place.run("worktree add -q ../linked -b memory");
    place.write("notes/a.md", "a\n");
    let reason = place.refusal(&to_branch("memory", "r1"));
    assert!(reason.contains("checked out in the work tree") && reason.contains("linked"), "{reason}");
}

#[test]
fn a_linked_work_tree_publishes_its_own_branch() {
    let world = World::new();
    let place = world.clone_as("work");
    place.run("worktree add -q ../linked -b memory");
    let linked = Place { root: world.dir.path().join("linked") };
    linked.write("code.rs", "staged\n");
    linked.run("add code.rs");
    linked.write("notes/a.md", "a\n");
    assert!(is_done(&linked.publish_notes("r1")));
    assert_eq!(linked.status(), "M  code.rs");
    assert_eq!((place.status(), place.subjects()), (String::new(), vec!["start".to_owned()]));
    assert_eq!(world.times("memory", "r1"), 1);
}

#[test]
fn a_fresh_repository_and_an_empty_remote_get_their_first_commit() {
    let world = World::empty();
    let place = world.clone_as("work");
    place.write("staged.rs", "x\n");
    place.run("add staged.rs");
    place.write("notes/a.md", "a\n");
    assert_eq!(place.publish(&committing("nothing", "r0")).unwrap().commit, None);
    let published = place.publish_notes("r1");
    assert!(is_done(&published), "{published:?}");
    assert_eq!(place.files_of("HEAD"), ["notes/a.md"]);
    assert_eq!(place.status(), "A  staged.rs");
    assert_eq!(world.there("main", "notes/a.md").as_deref(), Some("a\n"));
}
