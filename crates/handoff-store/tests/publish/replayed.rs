//! Others were there first: our commits are put on top of theirs.

use std::thread;

use handoff_store::git::Pushed;

use crate::world::{Place, World, committing, git_in, is_done, pushing, waits};

#[test]
fn a_rejected_push_is_put_on_top_and_the_branch_here_comes_along() {
    let world = World::new();
    let (one, two) = (world.clone_as("one"), world.clone_as("two"));
    one.write("notes/a.md", "a\n");
    assert!(is_done(&one.publish_notes("r1")));
    two.write("code.rs", "staged\n");
    two.run("add code.rs");
    two.write("unstaged.txt", "x\n");
    two.write("notes/b.md", "b\n");
    let published = two.publish_notes("r2");
    assert!(matches!(published.pushed, Pushed::Done { replayed: true, .. }), "{published:?}");
    assert_eq!(world.there("main", "notes/a.md").as_deref(), Some("a\n"));
    assert_eq!(world.there("main", "notes/b.md").as_deref(), Some("b\n"));
    assert_eq!(two.read("notes/a.md").as_deref(), Some("a\n"));
    assert_eq!(two.run("rev-parse HEAD"), git_in(&world.remote(), &["rev-parse", "main"]));
    assert_eq!(two.status(), "M  code.rs\n?? unstaged.txt");
    assert_eq!(two.subjects(), ["note r2", "note r1", "start"]);
    assert_eq!(published.told, Vec::<String>::new());
    assert_eq!(two.run("log -1 --format=%an"), "Ada");
}

#[test]
fn the_persons_own_commits_are_never_rewritten() {
    let world = World::new();
    let (one, two) = (world.clone_as("one"), world.clone_as("two"));
    one.write("notes/a.md", "a\n");
    one.publish_notes("r1");
    two.write("code.rs", "mine\n");
    two.run("commit -q -a -m mine");
    let mine = two.run("rev-parse HEAD");
    for run in ["r2", "r3"] {
        two.write(&format!("notes/{run}.md"), "x\n");
        let published = two.publish_notes(run);
        assert!(is_done(&published), "{published:?}");
        assert!(published.told[0].contains("not ours to move"), "{published:?}");
        assert!(published.told[0].contains("`git pull --rebase origin main`"), "{published:?}");
        assert_eq!(world.times("main", run), 1);
    }
    assert_eq!(two.run("rev-parse HEAD~2"), mine);
    assert_eq!(world.there("main", "code.rs").as_deref(), Some("fn main() {}\n"), "nor are they pushed");
    assert!(matches!(two.publish_notes("r4").pushed, Pushed::Nothing { .. }));
    assert_eq!((world.times("main", "r2"), world.times("main", "r3")), (1, 1));
}

#[test]
fn a_commit_of_ours_that_the_person_added_to_is_not_lost() {
    let world = World::new();
    let (one, two) = (world.clone_as("one"), world.clone_as("two"));
    one.write("notes/a.md", "a\n");
    one.publish_notes("r1");
    two.write("notes/b.md", "b\n");
    two.publish(&committing("notes", "r2")).unwrap();
    let ours = two.run("rev-parse HEAD");
    assert!(is_done(&two.publish_notes("r2")));
    two.run(&format!("reset -q --hard {ours}"));
    two.write("code.rs", "precious\n");
    two.run("commit -q -a --amend --no-edit");
    let amended = two.run("rev-parse HEAD");
    let published = two.publish_notes("r3");
    assert!(published.told[0].contains("is not there"), "{published:?}");
    assert_eq!((two.run("rev-parse HEAD"), two.read("code.rs").as_deref()), (amended, Some("precious\n")));
}

#[test]
fn a_change_in_the_way_leaves_the_branch_as_it_is() {
    let world = World::new();
    let (one, two) = (world.clone_as("one"), world.clone_as("two"));
    one.write("code.rs", "theirs\n");
    one.run("commit -q -a -m theirs");
    one.run("push -q");
    two.write("code.rs", "unfinished\n");
    two.write("notes/b.md", "b\n");
    let published = two.publish_notes("r1");
    assert!(is_done(&published) && published.told[0].contains("code.rs"), "{published:?}");
    assert_eq!(two.read("code.rs").as_deref(), Some("unfinished\n"));
    assert_eq!((two.status().as_str(), two.subjects()[0].as_str()), (" M code.rs", "note r1"));
}

#[test]
fn a_file_that_both_changed_is_joined_where_it_can_be() {
    let world = World::new();
    let one = world.clone_as("one");
    let lines = |first: &str, last: &str| format!("{first}\n2\n3\n4\n5\n6\n7\n8\n{last}\n");
    one.write("notes/a.md", &lines("1", "9"));
    one.publish_notes("r0");
    let two = world.clone_as("two");
    one.write("notes/a.md", &lines("one", "9"));
    one.publish_notes("r1");
    two.write("notes/a.md", &lines("1", "nine"));
    assert!(is_done(&two.publish_notes("r2")));
    assert_eq!(world.there("main", "notes/a.md"), Some(lines("one", "nine")));
    assert_eq!(two.read("notes/a.md"), Some(lines("one", "nine")));
}

#[test]
fn a_real_conflict_is_told_with_its_file_and_nothing_is_pushed() {
    let world = World::new();
    let (one, two) = (world.clone_as("one"), world.clone_as("two"));
    one.write("notes/a.md", "theirs\n");
    one.publish_notes("r1");
    two.write("notes/a.md", "ours\n");
    let published = two.publish_notes("r2");
    assert!(waits(&published).contains("`notes/a.md` was changed here and on `origin`"), "{published:?}");
    assert_eq!((world.times("main", "r2"), two.subjects()[0].as_str()), (0, "note r2"));
    // Once the person brought the two together, all of it is pushed.
    assert!(!two.tries("pull -q --no-rebase origin main"));
    two.write("notes/a.md", "both\n");
    two.run("commit -q -a -m together");
    two.write("notes/b.md", "b\n");
    assert!(is_done(&two.publish_notes("r3")));
    assert_eq!(world.there("main", "notes/a.md").as_deref(), Some("both\n"));
}

/// Two who changed the same file, of whom the second brought both together, with work of their own on top.
fn brought_together(world: &World) -> Place {
    let (one, two) = (world.clone_as("one"), world.clone_as("two"));
    one.write("notes/a.md", "theirs\n");
    one.publish_notes("r1");
    two.write("notes/a.md", "ours\n");
    let published = two.publish_notes("r2");
    assert!(waits(&published).contains("`git pull --no-rebase origin main`"), "{published:?}");
    assert!(!two.tries("pull -q --no-rebase origin main"));
    two.write("notes/a.md", "both\n");
    two.run("commit -q -a -m together");
    two.write("code.rs", "unfinished\n");
    two.run("commit -q -a -m unfinished");
    two
}

#[test]
fn what_the_person_brought_together_is_pushed_by_the_same_run_without_their_work_on_top() {
    let world = World::new();
    let two = brought_together(&world);
    let published = two.publish_notes("r2");
    assert!(published.was_there, "{published:?}");
    let commit = two.run("rev-parse HEAD~1");
    assert_eq!(published.pushed, Pushed::Done { remote: "origin".to_owned(), commit, replayed: false });
    assert_eq!((world.times("main", "r2"), world.there("main", "notes/a.md").as_deref()), (1, Some("both\n")));
    assert_eq!(world.there("main", "code.rs").as_deref(), Some("fn main() {}\n"));
    assert_eq!(two.publish_notes("r2").pushed, Pushed::Nothing { remote: "origin".to_owned() });
}

#[test]
fn what_the_person_pushed_themselves_is_there() {
    let nothing = Pushed::Nothing { remote: "origin".to_owned() };
    // By an address git does not learn where the remote's branch stands.
    for push in ["push -q origin main", "push -q ../remote.git main", "push -q ../remote.git main~1:main"] {
        let world = World::new();
        let two = brought_together(&world);
        two.run(push);
        assert_eq!(two.publish_notes("r2").pushed, nothing, "{push}");
        assert_eq!(world.times("main", "r2"), 1);
    }
    let world = World::new();
    let place = world.clone_as("work");
    place.write("notes/a.md", "a\n");
    place.publish(&committing("notes", "r1")).unwrap();
    place.run("push -q ../remote.git main");
    assert_eq!(place.publish_notes("r1").pushed, nothing);
}

#[test]
fn a_run_that_was_put_on_top_is_known_again_after_a_merge() {
    let world = World::new();
    let (one, two) = (world.clone_as("one"), world.clone_as("two"));
    one.write("notes/a.md", "a\n");
    one.publish_notes("r1");
    two.write("code.rs", "mine\n");
    two.run("commit -q -a -m mine");
    two.write("notes/b.md", "b\n");
    assert!(is_done(&two.publish_notes("r2")));
    two.run("pull -q --no-rebase --no-edit origin main");
    let there = git_in(&world.remote(), &["rev-parse", "main"]);
    for run in ["r2", "r3"] {
        assert_eq!(two.publish_notes(run).pushed, Pushed::Nothing { remote: "origin".to_owned() });
    }
    assert_eq!(git_in(&world.remote(), &["rev-parse", "main"]), there);
}

#[test]
fn records_of_a_store_are_joined_value_by_value() {
    let task = |status: &str, labels: &str| {
        format!(
            "format = 1\nid = \"k7f3q2ma\"\ntitle = \"Auth\"\nstatus = \"{status}\"\npriority = \"high\"\n\
             labels = [{labels}]\ncreated_at = 2026-11-15T09:15:03Z\n"
        )
    };
    let path = ".handoff/tasks/auth-k7f3q2ma/task.toml";
    let world = World::new();
    let one = world.clone_as("one");
    one.write(path, &task("todo", "\"a\""));
    one.publish(&pushing(".handoff", "r0")).unwrap();
    let two = world.clone_as("two");
    one.write(path, &task("in_progress", "\"a\", \"b\""));
    one.write(".handoff/current-state.md", "one\n");
    one.publish(&pushing(".handoff", "r1")).unwrap();
    two.write(path, &task("todo", "\"a\", \"c\""));
    two.write(".handoff/current-state.md", "two\n");
    let published = two.publish(&pushing(".handoff", "r2")).unwrap();
    assert!(is_done(&published), "{published:?}");
    let joined = world.there("main", path).unwrap();
    assert!(["in_progress", "\"a\"", "\"b\"", "\"c\""].iter().all(|part| joined.contains(part)), "{joined}");
    assert_eq!(world.there("main", ".handoff/current-state.md").as_deref(), Some("two\n"));
}

#[test]
fn deletions_and_additions_by_others_stay() {
    let world = World::new();
    let one = world.clone_as("one");
    one.write("notes/old.md", "old\n");
    one.write("notes/both.md", "both\n");
    one.publish_notes("r0");
    let two = world.clone_as("two");
    for name in ["notes/old.md", "notes/both.md"] {
        std::fs::remove_file(one.root.join(name)).unwrap();
    }
    one.publish_notes("r1");
    std::fs::remove_file(two.root.join("notes/both.md")).unwrap();
    two.write("notes/new.md", "new\n");
    assert!(is_done(&two.publish_notes("r2")));
    assert_eq!(git_in(&world.remote(), &["ls-tree", "-r", "--name-only", "main"]), "code.rs\nnotes/new.md");
    assert_eq!((two.status().as_str(), two.has("notes/old.md")), ("", false));
}

#[test]
fn several_commits_that_waited_are_put_on_top_one_by_one() {
    let world = World::new();
    let (one, two) = (world.clone_as("one"), world.clone_as("two"));
    one.write("notes/a.md", "a\n");
    one.publish_notes("r1");
    for run in ["r2", "r3", "r4"] {
        two.write("notes/same.md", &format!("{run}\n"));
        two.publish(&committing("notes", run)).unwrap();
    }
    assert!(is_done(&two.publish_notes("r5")));
    assert_eq!(two.subjects(), ["note r4", "note r3", "note r2", "note r1", "start"]);
    assert_eq!(two.run("rev-parse HEAD"), git_in(&world.remote(), &["rev-parse", "main"]));
}

#[test]
fn four_who_publish_ten_notes_each_at_once_lose_none() {
    let world = World::new();
    let places = ["a", "b", "c", "d"].map(|name| (name, world.clone_as(name)));
    thread::scope(|scope| {
        for (name, place) in &places {
            scope.spawn(move || {
                for number in 0..10 {
                    let run = format!("{name}{number}");
                    place.write(&format!("notes/{run}.md"), &format!("{run}\n"));
                    let mut publishing = pushing("notes", &run);
                    publishing.push_tries = 100;
                    publishing.limit = std::time::Duration::from_mins(10);
                    let published = place.publish(&publishing).unwrap();
                    assert!(is_done(&published), "{published:?}");
                }
            });
        }
    });
    let listed = git_in(&world.remote(), &["ls-tree", "-r", "--name-only", "main", "notes/"]);
    assert_eq!(listed.lines().count(), 40);
    for (name, _) in &places {
        for number in 0..10 {
            assert_eq!(world.times("main", &format!("{name}{number}")), 1);
        }
    }
    assert_eq!(git_in(&world.remote(), &["rev-list", "--count", "main"]), "41");
}
