//! Only what was asked for goes into the commit, and everything else is as it was.

use handoff_store::git::{Git, Pushed};

use crate::world::{World, committing};

#[test]
fn a_foreign_staged_file_stays_staged_and_is_not_committed() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write("secret.env", "KEY=1\n");
    place.run("add secret.env");
    place.write("code.rs", "fn main() { staged() }\n");
    place.run("add code.rs");
    place.write("code.rs", "fn main() { more() }\n");
    place.write("untracked.txt", "x\n");
    let before = place.status();
    place.write("notes/a.md", "a\n");
    place.write("notes/b/c.md", "c\n");
    let published = place.publish(&committing("notes", "r1")).unwrap();
    let commit = published.commit.unwrap();
    assert_eq!(place.files_of(&commit), ["notes/a.md", "notes/b/c.md"]);
    assert_eq!(place.status(), before);
    assert_eq!(place.run("show :code.rs"), "fn main() { staged() }");
    assert_eq!((published.branch.as_deref(), published.pushed), (Some("main"), Pushed::NotWanted));
    assert_eq!(published.files.iter().map(|file| &*file.change).collect::<Vec<_>>(), ["A", "A"]);
    assert!(place.run("log -1 --format=%B").ends_with("note r1\n\nHandoff-Run: r1"));
    assert!(!place.has(".git/handoff-publish") && !place.has(".git/index.lock"));
}

#[test]
fn our_own_files_are_committed_as_they_are_even_where_they_were_staged_otherwise() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write("notes/a.md", "old\n");
    place.run("add notes");
    place.write("notes/a.md", "new\n");
    place.write("notes/b.md", "b\n");
    place.run("add -N notes/b.md");
    place.publish(&committing("notes", "r1")).unwrap();
    assert_eq!(place.run("show HEAD:notes/a.md"), "new");
    assert_eq!(place.status(), "");
}

#[test]
fn deleted_files_and_single_files_are_published() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write("notes/a.md", "a\n");
    place.write("notes/b.md", "b\n");
    place.publish(&committing("notes", "r1")).unwrap();
    std::fs::remove_file(place.root.join("notes/a.md")).unwrap();
    place.write("notes/b.md", "changed\n");
    let published = place.publish(&committing("notes/a.md", "r2")).unwrap();
    assert_eq!((published.files[0].path.as_str(), published.files[0].change.as_str()), ("notes/a.md", "D"));
    assert_eq!(place.status(), " M notes/b.md");
}

#[test]
fn nothing_to_commit_makes_no_commit() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write("notes/a.md", "a\n");
    place.publish(&committing("notes", "r1")).unwrap();
    let published = place.publish(&committing("notes", "r2")).unwrap();
    assert_eq!((published.commit, published.files.len()), (None, 0));
    assert_eq!(place.subjects(), ["note r1", "start"]);
}

#[test]
fn a_run_is_committed_once_even_when_files_changed_since() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write("notes/a.md", "a\n");
    let first = place.publish(&committing("notes", "r1")).unwrap();
    place.write("notes/a.md", "later\n");
    let again = place.publish(&committing("notes", "r1")).unwrap();
    assert_eq!((again.commit, again.was_there), (first.commit, true));
    assert_eq!(again.files[0].path, "notes/a.md");
    assert_eq!(place.subjects().len(), 2);
    place.publish(&committing("notes", "r2")).unwrap();
    assert_eq!(place.run("show HEAD:notes/a.md"), "later");
}

#[test]
fn an_index_that_could_not_be_brought_along_is_mended_by_the_next_publish() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write("notes/a.md", "a\n");
    place.publish(&committing("notes", "r1")).unwrap();
    place.run("rm -q --cached notes/a.md");
    assert_eq!(place.status(), "D  notes/a.md\n?? notes/a.md");
    place.publish(&committing("notes", "r1")).unwrap();
    assert_eq!(place.status(), "");
    place.run("rm -q --cached notes/a.md");
    assert_eq!(place.publish(&committing("notes", "r2")).unwrap().commit, None);
    assert_eq!(place.status(), "");
}

#[test]
fn odd_names_are_taken_literally() {
    let world = World::new();
    let place = world.clone_as("work");
    for name in ["-dash.md", "with blank.md", "ünï.md", "a*b.md", "[x].md", ":(top)x.md", "#hash.md"] {
        place.write(&format!("notes/{name}"), "x\n");
        place.write(&format!("other/{name}"), "x\n");
    }
    place.write("axb.md", "not asked for\n");
    place.write("a*b.md", "asked for\n");
    place.write("-x", "asked for\n");
    let mut publishing = committing("notes", "r1");
    publishing.paths.extend(["a*b.md".to_owned(), "-x".to_owned(), "./notes/../notes".to_owned()]);
    let published = place.publish(&publishing).unwrap();
    assert_eq!(published.files.len(), 9);
    assert!(published.files.iter().all(|file| file.path != "axb.md" && !file.path.starts_with("other")));
}

#[test]
fn a_message_keeps_its_lines_and_cannot_pose_as_another_run() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write("notes/a.md", "a\n");
    let mut publishing = committing("notes", "r1");
    publishing.message = "# title\n\nbody\u{1b}[31m\nHandoff-Run: other".to_owned();
    place.publish(&publishing).unwrap();
    assert_eq!(place.run("log -1 --format=%B"), "# title\n\nbody[31m\n\nHandoff-Run: r1");
    publishing.run = "two words".to_owned();
    assert!(place.refusal(&publishing).contains("one word"));
}

#[test]
fn a_plan_shows_what_would_be_done_and_leaves_no_trace() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write("notes/a.md", "a\n");
    place.write("code.rs", "changed\n");
    let objects = || place.run("count-objects");
    let before = (objects(), place.status());
    let plan = Git::plan_publish(&place.root, &committing("notes", "r1")).unwrap();
    assert_eq!(plan.files.iter().map(|file| &*file.path).collect::<Vec<_>>(), ["notes/a.md"]);
    assert_eq!((plan.branch.as_deref(), plan.commit, plan.unpushed), (Some("main"), None, None));
    assert_eq!((objects(), place.status()), before);
    assert!(!place.has(".git/handoff-publish"));
    let published = place.publish(&committing("notes", "r1")).unwrap();
    let plan = Git::plan_publish(&place.root, &committing("notes", "r1")).unwrap();
    assert_eq!((plan.commit, plan.files.len()), (published.commit.clone(), 0));
    assert_eq!(plan.unpushed.unwrap().commits, [published.commit.unwrap()]);
}

#[test]
fn what_a_store_keeps_for_one_machine_is_never_published() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write(".handoff/config.toml", "x = 1\n");
    place.write(".handoff/local/state/lock", "\n");
    place.write(".handoff/PAUSE", "");
    let published = place.publish(&committing(".handoff", "r1")).unwrap();
    assert_eq!(published.files.len(), 1);
    assert_eq!(published.files[0].path, ".handoff/config.toml");
}

#[test]
fn a_change_of_the_same_length_in_the_same_second_is_seen() {
    let world = World::new();
    let place = world.clone_as("work");
    for run in 0..12 {
        place.write("notes/a.md", &format!("{run:02}\n"));
        assert!(place.publish(&committing("notes", &format!("r{run}"))).unwrap().commit.is_some(), "run {run}");
    }
}
