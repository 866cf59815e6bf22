//! A detached head, where what is committed would be on no branch.

use handoff_store::git::{Git, Publishing, Pushed};

use crate::world::{Place, World, committing, is_done, pushing, waits};

fn detached(world: &World) -> Place {
    let place = world.clone_as("work");
    place.run("checkout -q --detach");
    place.write("notes/a.md", "a\n");
    place
}

#[test]
fn nothing_is_committed_where_it_could_not_be_pushed_and_a_branch_that_is_checked_out_gets_it() {
    let world = World::new();
    let place = detached(&world);
    place.write("staged.rs", "x\n");
    place.run("add staged.rs");
    let before = (place.status(), place.run("rev-parse HEAD"));
    for _ in 0..2 {
        let published = place.publish_notes("r1");
        assert_eq!((&published.branch, &published.commit, published.files.len()), (&None, &None, 0));
        let why = waits(&published);
        assert!(
            ["detached", "nothing was committed", "check a branch out, or name one"]
                .iter()
                .all(|part| why.contains(part))
        );
        assert_eq!((place.status(), place.run("rev-parse HEAD")), before);
    }
    place.run("checkout -q main");
    let published = place.publish_notes("r1");
    assert!(is_done(&published), "{published:?}");
    assert_eq!((world.times("main", "r1"), world.there("main", "notes/a.md").as_deref()), (1, Some("a\n")));
    assert_eq!(place.status(), "A  staged.rs");
}

#[test]
fn a_plan_says_that_the_files_are_held_back() {
    let world = World::new();
    let place = detached(&world);
    let plan = |publishing: &Publishing| Git::plan_publish(&place.root, publishing).unwrap();
    assert!(plan(&pushing("notes", "r1")).held_back.unwrap().contains("detached"));
    assert_eq!(plan(&committing("notes", "r1")).held_back, None);
    assert_eq!(plan(&pushing("nothing", "r1")).held_back, None);
}

#[test]
fn without_a_push_it_is_committed_and_told_what_keeps_the_commit() {
    let world = World::new();
    let place = detached(&world);
    let published = place.publish(&committing("notes", "r1")).unwrap();
    let commit = published.commit.unwrap();
    assert_eq!((published.branch, place.run("rev-parse HEAD"), place.status()), (None, commit.clone(), String::new()));
    let way_out = format!("git branch NAME {}", &commit[..10]);
    assert!(published.told[0].contains(&way_out), "{:?}", published.told);
    // It is told as long as it is so, also when a push is wanted then.
    let published = place.publish_notes("r1");
    assert!(published.was_there && published.told[0].contains(&way_out) && waits(&published).contains("detached"));
    place.run(&format!("branch kept {commit}"));
    assert_eq!(place.publish(&committing("notes", "r1")).unwrap().told, Vec::<String>::new());
    place.run("checkout -q kept");
    assert!(is_done(&place.publish_notes("r1")));
    assert_eq!(world.times("kept", "r1"), 1);
}

#[test]
fn with_nothing_to_commit_nothing_waits() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write("notes/a.md", "a\n");
    assert!(is_done(&place.publish_notes("r1")));
    place.run("checkout -q --detach");
    for run in ["r1", "r2"] {
        let published = place.publish_notes(run);
        assert_eq!(published.pushed, Pushed::NothingWaits);
        assert!(published.told[0].contains("detached"), "{published:?}");
    }
}

#[test]
fn a_named_branch_is_published_to_all_the_same() {
    let world = World::new();
    let place = detached(&world);
    let publishing = Publishing { branch: Some("memory".to_owned()), ..pushing("notes", "r1") };
    assert!(is_done(&place.publish(&publishing).unwrap()));
    assert_eq!(world.times("memory", "r1"), 1);
}
