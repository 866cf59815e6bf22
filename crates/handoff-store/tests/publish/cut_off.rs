//! A publish that was cut off anywhere, begun anew with the same run: one commit here, one there.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::world::{PATIENCE, Place, World, committing, git_in, is_done};

const PLACE: &str = "HANDOFF_TEST_REPOSITORY";

#[test]
#[ignore = "run by the test beside it, to be killed"]
fn publishes_until_it_is_killed() {
    let Some(place) = std::env::var_os(PLACE) else { return };
    let place = Place { root: place.into() };
    place.publish_notes("r1");
}

/// Both ends have the run once, the work tree is clean, and nothing is left over.
fn check(world: &World, place: &Place) {
    let published = place.publish_notes("r1");
    assert!(!matches!(published.pushed, handoff_store::git::Pushed::Waiting { .. }), "{published:?}");
    assert_eq!((place.times("main", "r1"), world.times("main", "r1")), (1, 1));
    assert_eq!((place.status().as_str(), published.told.len()), ("", 0), "{published:?}");
    assert_eq!(place.run("rev-parse HEAD"), git_in(&world.remote(), &["rev-parse", "main"]));
    assert!(!place.has(".git/handoff-publish") && !place.has(".git/index.lock"));
}

#[test]
fn killed_at_any_moment_it_comes_to_one_commit_here_and_there() {
    // Each moment is the start of a git that changes something: the program is killed, and that git goes on alone.
    let mut moments = 0;
    loop {
        let world = World::new();
        let (place, other) = (world.clone_as("work"), world.clone_as("other"));
        other.write("notes/other.md", "other\n");
        other.publish_notes("other");
        place.write("notes/a.md", "a\n");
        let programs = world.dir.path().join("programs");
        let script = format!(
            "here={0}\nfor word; do case $word in add|commit|commit-tree|fetch|push|read-tree|reset|update-ref)\n\
             echo $word >> $here/starts; [ $(wc -l < $here/starts) != {1} ] || kill -9 $PPID;; esac; done\n\
             PATH=/usr/bin:/bin exec git \"$@\"",
            programs.display(),
            moments + 1
        );
        crate::world::program(&programs.join("git"), &script);
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "cut_off::publishes_until_it_is_killed", "--ignored"]);
        command.env(PLACE, &place.root).env("PATH", format!("{}:/usr/bin:/bin", programs.display()));
        let ended = command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        check(&world, &place);
        assert_eq!(place.read("notes/other.md").as_deref(), Some("other\n"));
        if ended.success() {
            break;
        }
        moments += 1;
    }
    assert!(moments > 8, "it was killed only {moments} times");
}

#[test]
fn a_git_that_outlives_its_publish_keeps_the_next_one_waiting() {
    let world = World::new();
    let place = world.clone_as("work");
    place.hook("pre-commit", "echo x > .git/began; while [ ! -e .git/go ]; do sleep 0.05; done");
    place.write("notes/a.md", "a\n");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "cut_off::publishes_until_it_is_killed", "--ignored"])
        .env(PLACE, &place.root)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let until = Instant::now() + PATIENCE;
    while !place.has(".git/began") && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let mut hasty = committing("notes", "r1");
    hasty.limit = Duration::from_secs(1);
    let error = place.publish(&hasty).unwrap_err();
    assert!(error.may_pass() && error.to_string().contains("another publish is under way"), "{error}");
    place.write(".git/go", "");
    check(&world, &place);
}

#[test]
fn every_state_in_between_is_taken_up() {
    let with_commit = || {
        let world = World::new();
        let place = world.clone_as("work");
        place.write("notes/a.md", "a\n");
        place.publish(&committing("notes", "r1")).unwrap();
        (world, place)
    };
    // Committed, and the index not mended.
    let (world, place) = with_commit();
    place.run("rm -q --cached notes/a.md");
    check(&world, &place);
    // Pushed, and the remote's branch as it is known here is old.
    let (world, place) = with_commit();
    let known = place.run("rev-parse origin/main");
    assert!(is_done(&place.publish_notes("r1")));
    place.run(&format!("update-ref refs/remotes/origin/main {known}"));
    check(&world, &place);
    // Put on top and pushed, and the branch here not moved.
    let (world, place) = with_commit();
    let (before, old) = (place.run("rev-parse HEAD"), place.run("rev-parse origin/main"));
    let other = world.clone_as("other");
    other.write("notes/other.md", "x\n");
    other.publish_notes("other");
    assert!(is_done(&place.publish_notes("r1")));
    place.run(&format!("reset -q --hard {before}"));
    check(&world, &place);
    // The same, and what is known of the remote is old as well.
    place.run(&format!("reset -q --hard {before}"));
    place.run(&format!("update-ref refs/remotes/origin/main {old}"));
    check(&world, &place);
    // The same, and the files had come along already.
    place.run(&format!("update-ref refs/heads/main {before}"));
    check(&world, &place);
    // What a publish that was killed left lying.
    let (world, place) = with_commit();
    for name in ["index-0011", "index-0011.lock", "message-0011", "lock"] {
        place.write(&format!(".git/handoff-publish/{name}"), "left over");
    }
    check(&world, &place);
    assert!(
        fs::read_dir(place.root.join(".git")).unwrap().flatten().all(|entry| entry.file_name() != "handoff-publish")
    );
}
