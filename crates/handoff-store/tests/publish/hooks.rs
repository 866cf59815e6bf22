//! Hooks, signing, identity: the person's own, bounded in time, told in their words.

use std::fs;
use std::time::{Duration, Instant};

use crate::world::{PATIENCE, Place, World, committing, program};

/// How long git may take, longer and longer: how far it gets in a time, nobody can say on a busy machine.
fn limits() -> impl Iterator<Item = Duration> {
    (0..5).map(|doubled| Duration::from_secs(3 << doubled))
}

/// Publishes with a growing limit until something was begun that hangs, and returns what was told.
fn ended(place: &Place, began: &str) -> String {
    for limit in limits() {
        let mut publishing = committing("notes", "r1");
        publishing.limit = limit;
        let reason = place.refusal(&publishing);
        if place.has(began) {
            return reason;
        }
    }
    panic!("it never began");
}

/// Whether a process that wrote its number down is gone.
fn is_gone(place: &Place, file: &str) -> bool {
    let number = place.read(file).unwrap().trim().to_owned();
    let until = Instant::now() + PATIENCE;
    let is_there = || {
        let stat = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    };
    while is_there() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
    !is_there()
}

#[test]
fn a_hook_that_hangs_is_ended_with_all_it_started_and_nothing_is_left() {
    let world = World::new();
    let place = world.clone_as("work");
    place.hook("pre-commit", "echo looking at files >&2; sleep 1000 & echo $! > .git/began; wait");
    place.write("notes/a.md", "a\n");
    let reason = ended(&place, ".git/began");
    assert!(reason.contains("took longer than") && reason.contains("perhaps hook `pre-commit`"), "{reason}");
    assert!(reason.contains("looking at files"), "{reason}");
    assert!(is_gone(&place, ".git/began"));
    for left in ["index.lock", "HEAD.lock", "refs/heads/main.lock", "handoff-publish"] {
        assert!(!place.has(&format!(".git/{left}")), "{left}");
    }
    fs::remove_file(place.root.join(".git/hooks/pre-commit")).unwrap();
    assert!(place.publish(&committing("notes", "r1")).unwrap().commit.is_some());
}

#[test]
fn signing_that_waits_for_somebody_is_ended_and_told() {
    let world = World::new();
    let place = world.clone_as("work");
    let gpg = world.dir.path().join("gpg");
    program(&gpg, "echo begun > .git/began; echo enter passphrase >&2; exec sleep 1000");
    place.run("config commit.gpgSign true");
    place.run(&format!("config gpg.program {}", gpg.display()));
    place.write("notes/a.md", "a\n");
    let reason = ended(&place, ".git/began");
    assert!(reason.contains("signing, if it waits for a passphrase"), "{reason}");
    let mut unsigned = committing("notes", "r1");
    unsigned.sign = Some(false);
    assert!(place.publish(&unsigned).unwrap().commit.is_some());
    program(&gpg, "echo no secret key >&2; exit 2");
    place.write("notes/b.md", "b\n");
    assert!(place.refusal(&committing("notes", "r2")).contains("no secret key"));
}

#[test]
fn a_hook_that_refuses_is_heard_and_can_be_switched_off() {
    let world = World::new();
    let place = world.clone_as("work");
    place.hook("pre-commit", "echo 'no notes on fridays' >&2; exit 1");
    place.write("notes/a.md", "a\n");
    let reason = place.refusal(&committing("notes", "r1"));
    assert!(reason.contains("no notes on fridays"), "{reason}");
    let mut publishing = committing("notes", "r1");
    publishing.hooks = false;
    place.hook("post-commit", "touch .git/ran");
    assert!(place.publish(&publishing).unwrap().commit.is_some());
    assert!(!place.has(".git/ran"));
}

#[test]
fn hooks_run_as_they_would_for_the_person() {
    let world = World::new();
    let place = world.clone_as("work");
    place.hook("pre-commit", "git diff --cached --name-only -- '*.md' > .git/seen");
    place.hook("commit-msg", "echo 'Change-Id: I1' >> $1");
    place.write("notes/a.md", "a\n");
    place.publish(&committing("notes", "r1")).unwrap();
    assert_eq!(place.read(".git/seen").as_deref(), Some("notes/a.md\n"));
    assert!(place.run("log -1 --format=%B").ends_with("Handoff-Run: r1\nChange-Id: I1"));
    assert!(place.publish(&committing("notes", "r1")).unwrap().was_there);
}

#[test]
fn a_hook_after_the_commit_that_hangs_does_not_undo_it() {
    let world = World::new();
    let place = world.clone_as("work");
    place.hook("post-commit", "exec sleep 1000");
    place.write("notes/a.md", "a\n");
    for limit in limits() {
        let mut publishing = committing("notes", "r1");
        publishing.limit = limit;
        let Ok(published) = place.publish(&publishing) else { continue };
        assert!(published.commit.is_some());
        assert!(published.was_there || published.told[0].contains("hook `post-commit`"), "{published:?}");
        assert_eq!((place.times("main", "r1"), place.status()), (1, String::new()));
        return;
    }
    panic!("there was never enough time");
}

#[test]
fn files_that_a_hook_adds_are_told_and_the_index_follows() {
    let world = World::new();
    let place = world.clone_as("work");
    place.hook("pre-commit", "git add -u");
    place.write("code.rs", "changed\n");
    place.write("notes/a.md", "a\n");
    let published = place.publish(&committing("notes", "r1")).unwrap();
    assert!(published.told[0].contains("a hook put more into the commit: `code.rs`"), "{published:?}");
    assert_eq!(place.status(), "");
}

#[test]
fn a_commit_of_somebody_else_at_the_same_moment_is_not_undone() {
    let world = World::new();
    let place = world.clone_as("work");
    // Between our look at the branch and the commit, the person commits.
    let script = "PATH=/usr/bin:/bin\nfor word; do if [ \"$word\" = commit ] && [ ! -e .git/once ]; then\n\
         touch .git/once; ( unset GIT_INDEX_FILE; echo mine > code.rs; git commit -q -a -m mine )\nfi; done\n\
         exec git \"$@\"";
    let programs = world.dir.path().join("programs");
    program(&programs.join("git"), script);
    place.write("notes/a.md", "a\n");
    let said = crate::places::publish_elsewhere(&place.root, |command| {
        command.env("PATH", format!("{}:/usr/bin:/bin", programs.display()));
    });
    assert!(said.starts_with("published"), "{said}");
    assert_eq!(place.subjects(), ["note r1", "mine", "start"]);
    assert_eq!(place.run("show HEAD:code.rs"), "mine");
    assert_eq!(place.status(), "");
}
