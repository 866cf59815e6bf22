//! Bringing commits to the remote, and what happens when that does not work at once.

use std::fs;

use handoff_store::git::{Git, Pushed};

use crate::world::{PATIENCE, World, committing, git_in, is_done, pushing, waits};

#[test]
fn what_is_committed_is_pushed_and_nothing_is_pushed_twice() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write("notes/a.md", "a\n");
    assert!(is_done(&place.publish_notes("r1")));
    assert_eq!(world.there("main", "notes/a.md").as_deref(), Some("a\n"));
    let again = place.publish_notes("r1");
    assert!(again.was_there && again.pushed == Pushed::Nothing { remote: "origin".to_owned() });
    assert_eq!((world.times("main", "r1"), place.run("status -sb").as_str()), (1, "## main...origin/main"));
}

#[test]
fn a_remote_that_is_repaired_later_gets_everything_that_waited() {
    let world = World::new();
    let place = world.clone_as("work");
    let hidden = world.dir.path().join("hidden.git");
    fs::rename(world.remote(), &hidden).unwrap();
    place.write("notes/a.md", "a\n");
    let published = place.publish_notes("r1");
    assert!(published.commit.is_some());
    let why = waits(&published);
    assert!(why.contains("does not appear to be a git repository; Could not read from remote repository"), "{why}");
    assert!(!why.contains("access rights") && !why.contains(".;") && !why.ends_with('.'), "{why}");
    let unpushed = Git::around(&place.root).unwrap().unpushed(None, None, PATIENCE).answer().unwrap().unwrap();
    assert_eq!((unpushed.commits, unpushed.remote.as_str()), (vec![published.commit.unwrap()], "origin"));
    let resumed = place.publish_notes("r1");
    assert!(resumed.was_there && !waits(&resumed).is_empty());
    fs::rename(&hidden, world.remote()).unwrap();
    // There is nothing to commit, and still something to do.
    let published = place.publish_notes("r2");
    assert_eq!(published.commit, None);
    assert!(is_done(&published), "{published:?}");
    assert_eq!((world.times("main", "r1"), world.there("main", "notes/a.md").as_deref()), (1, Some("a\n")));
    assert_eq!(Git::around(&place.root).unwrap().unpushed(None, None, PATIENCE).answer(), Some(None));
}

#[test]
fn earlier_commits_that_were_made_without_a_push_go_along() {
    let world = World::new();
    let place = world.clone_as("work");
    for run in ["r1", "r2"] {
        place.write(&format!("notes/{run}.md"), "x\n");
        place.publish(&committing("notes", run)).unwrap();
    }
    assert!(is_done(&place.publish_notes("r3")));
    assert_eq!((world.times("main", "r1"), world.times("main", "r2")), (1, 1));
}

#[test]
fn the_persons_commits_on_top_are_not_pushed() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write("notes/a.md", "a\n");
    place.publish(&committing("notes", "r1")).unwrap();
    place.write("code.rs", "unfinished\n");
    place.run("commit -q -a -m unfinished");
    assert!(is_done(&place.publish_notes("r2")));
    assert_eq!(world.times("main", "r1"), 1);
    assert_eq!(world.there("main", "code.rs").as_deref(), Some("fn main() {}\n"));
}

#[test]
fn the_remote_is_the_one_named_else_the_branchs_else_origin_else_the_only_one() {
    let world = World::new();
    let place = world.clone_as("work");
    for name in ["fork", "backup"] {
        git_in(world.dir.path(), &["clone", "-q", "--bare", "remote.git", &format!("{name}.git")]);
        place.run(&format!("remote add {name} ../{name}.git"));
    }
    let remote_of = |publishing: &handoff_store::git::Publishing| match place.publish(publishing).unwrap().pushed {
        Pushed::Done { remote, .. } | Pushed::Nothing { remote } => remote,
        other => format!("{other:?}"),
    };
    place.write("notes/a.md", "a\n");
    assert_eq!(remote_of(&pushing("notes", "r1")), "origin");
    place.run("config branch.main.remote fork");
    assert_eq!(remote_of(&pushing("notes", "r2")), "fork");
    let mut named = pushing("notes", "r3");
    named.remote = Some("backup".to_owned());
    assert_eq!(remote_of(&named), "backup");
    named.remote = Some("--upload-pack=touch".to_owned());
    assert!(waits(&place.publish(&named).unwrap()).contains("there is no remote"));
    place.run("config --unset branch.main.remote");
    place.run("remote remove origin");
    assert!(waits(&place.publish_notes("r4")).contains("several remotes"));
    place.run("remote remove backup");
    assert_eq!(remote_of(&pushing("notes", "r5")), "fork");
    place.run("remote remove fork");
    let published = place.publish_notes("r6");
    assert!(waits(&published).contains("no remote"), "{published:?}");
}

#[test]
fn what_waits_on_a_branch_that_the_person_left_is_pushed_from_there() {
    let world = World::new();
    let place = world.clone_as("work");
    let hidden = world.dir.path().join("hidden.git");
    place.run("checkout -q -b feature");
    fs::rename(world.remote(), &hidden).unwrap();
    place.write("notes/a.md", "a\n");
    let commit = place.publish_notes("r1").commit;
    fs::rename(&hidden, world.remote()).unwrap();
    place.run("checkout -q main");
    place.write("notes/b.md", "b\n");
    let published = place.publish_notes("r1");
    assert_eq!((published.branch.as_deref(), &published.commit), (Some("feature"), &commit));
    assert!(published.was_there && is_done(&published), "{published:?}");
    assert_eq!((world.times("feature", "r1"), world.times("main", "r1")), (1, 0));
    assert_eq!((place.status().as_str(), place.subjects().len()), ("?? notes/b.md", 1));
    // The next run is of the branch that is checked out.
    assert_eq!(place.publish_notes("r2").branch.as_deref(), Some("main"));
    assert_eq!((world.times("main", "r2"), place.times("main", "r1")), (1, 0));
}

#[test]
fn with_nothing_to_commit_and_no_remote_nothing_waits() {
    let world = World::new();
    let place = world.clone_as("work");
    place.run("remote remove origin");
    place.write(".gitignore", "notes\n");
    place.write("notes/a.md", "a\n");
    let published = place.publish_notes("r1");
    assert_eq!(published.pushed, Pushed::NothingWaits);
    assert!(published.left_out[0].why.contains("git ignores it: line 1 of .gitignore"), "{published:?}");
    assert!(published.told[0].contains("no remote"), "{published:?}");
    // What is committed does wait, also for the runs to come.
    fs::remove_file(place.root.join(".gitignore")).unwrap();
    for (run, is_committed) in [("r2", true), ("r3", false)] {
        let published = place.publish_notes(run);
        assert!(waits(&published).contains("no remote") && published.commit.is_some() == is_committed, "{published:?}");
    }
}

#[test]
fn a_fresh_repository_with_nothing_in_it_and_no_remote_has_nothing_that_waits() {
    let world = World::empty();
    let place = world.clone_as("work");
    place.run("remote remove origin");
    assert_eq!(place.publish_notes("r1").pushed, Pushed::NothingWaits);
}

#[cfg(unix)]
#[test]
fn a_remote_that_declines_is_told_in_its_own_words() {
    let world = World::new();
    let place = world.clone_as("work");
    crate::world::program(&world.remote().join("hooks/pre-receive"), "printf 'no \\033[31mnotes here\\n' >&2; exit 1");
    place.write("notes/a.md", "a\n");
    let published = place.publish_notes("r1");
    let why = waits(&published);
    assert!(why.contains("pre-receive hook declined") && why.contains("notes here"), "{why}");
    assert!(!why.contains('\u{1b}') && world.times("main", "r1") == 0);
}

#[cfg(unix)]
#[test]
fn a_remote_that_never_answers_is_given_up_and_the_commit_stands() {
    let world = World::new();
    let place = world.clone_as("work");
    let ssh = world.dir.path().join("ssh");
    crate::world::program(&ssh, "exec sleep 1000");
    place.run(&format!("config core.sshCommand {}", ssh.display()));
    place.run("remote set-url origin ssh://nowhere.invalid/x.git");
    place.write("notes/a.md", "a\n");
    let mut publishing = pushing("notes", "r1");
    publishing.limit = std::time::Duration::from_secs(10);
    let published = place.publish(&publishing).unwrap();
    assert!(published.commit.is_some() && waits(&published).contains("took longer than"), "{published:?}");
}
