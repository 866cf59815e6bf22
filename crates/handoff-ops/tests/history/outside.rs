//! What stands against taking a change back, and what must not suffer from it.

use std::fs;

use handoff_ops::{Door, OpError};
use serde_json::{Value, json};

use crate::world::{World, assert_same};

/// A world with two tasks, the first of them in progress.
fn world() -> (World, String, String) {
    let mut world = World::new(false);
    let first = id(&world.must("task.create", json!({"title": "First"})).json());
    let second = id(&world.must("task.create", json!({"title": "Second"})).json());
    world.must("task.update", json!({"id": first, "status": "in_progress"}));
    (world, first, second)
}

fn id(answer: &Value) -> String {
    answer["id"].as_str().unwrap().to_owned()
}

fn last(world: &mut World) -> String {
    id(&world.log()[0])
}

/// Everything an error says.
fn told(error: &OpError) -> String {
    let mut lines = vec![format!("[{}] {}", error.kind().exit_code(), error.sentence())];
    lines.extend(error.detail_lines().iter().map(|line| format!("  {line}")));
    lines.extend(error.hints().iter().map(|hint| format!("  hint: {}", hint.at(Door::Cli))));
    lines.join("\n")
}

fn refused(world: &mut World, name: &str, request: Value) -> String {
    let before = world.tree();
    let error = world.ask(name, request).unwrap_err();
    assert_same(&world.tree(), &before, "what is refused changes nothing");
    told(&error)
}

#[test]
fn an_edit_by_hand_is_never_overwritten() {
    let (mut world, ..) = world();
    let change = last(&mut world);
    let file = world.path("tasks/01-in_progress--first/task.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("# by hand\n{text}")).unwrap();
    assert_eq!(
        refused(&mut world, "undo", json!({})),
        format!(
            "[4] `{change}` cannot be taken back: tasks/01-in_progress--first/task.toml says something else now; \
             it was changed by hand, or by something that is not in the log"
        )
    );
    fs::write(&file, text).unwrap();
    world.must("undo", json!({}));
}

#[test]
fn a_name_given_by_hand_is_never_taken_away() {
    let (mut world, ..) = world();
    fs::rename(world.path("tasks/01-in_progress--first"), world.path("tasks/01-in_progress--mine")).unwrap();
    let said = refused(&mut world, "undo", json!({}));
    assert!(said.contains("tasks/01-in_progress--first is not there any more"), "{said}");
    fs::rename(world.path("tasks/01-in_progress--mine"), world.path("tasks/01-in_progress--first")).unwrap();
    fs::create_dir(world.path("tasks/01-todo--first")).unwrap();
    let said = refused(&mut world, "undo", json!({}));
    assert!(said.contains("tasks/01-todo--first is in the way"), "{said}");
}

#[test]
fn what_came_into_a_new_task_by_hand_keeps_it_from_going() {
    let mut world = World::new(false);
    world.must("task.create", json!({"title": "First"}));
    fs::write(world.path("tasks/01-todo--first/sketch.md"), "mine").unwrap();
    let said = refused(&mut world, "undo", json!({}));
    assert!(said.contains("tasks/01-todo--first/sketch.md came there since"), "{said}");
}

#[test]
fn a_later_change_of_the_same_file_is_named() {
    let (mut world, first, _) = world();
    let change = last(&mut world);
    world.must("task.note", json!({"id": first, "text": "seen"}));
    let later = last(&mut world);
    assert_eq!(
        refused(&mut world, "undo", json!({"change": change})),
        format!(
            "[4] `{change}` cannot be taken back: tasks/01-in_progress--first/task.toml was changed since\n  \
             changed since by `{later}`\n  hint: run `handoff undo {later}`\n  hint: run `handoff log {later}`"
        )
    );
    world.must("undo", json!({"change": 2}));
}

#[test]
fn a_value_that_was_set_again_since_counts_as_changed() {
    let (mut world, first, _) = world();
    let change = last(&mut world);
    for status in ["blocked", "in_progress"] {
        world.must("task.update", json!({"id": first, "status": status}));
    }
    refused(&mut world, "undo", json!({"change": change}));
}

#[test]
fn a_change_elsewhere_is_no_obstacle_and_is_kept() {
    let (mut world, first, second) = world();
    let change = last(&mut world);
    let child = id(&world.must("task.create", json!({"title": "Child", "parent": first})).json());
    let made = last(&mut world);
    world.must("task.update", json!({"id": second, "title": "Renamed"}));
    world.must("undo", json!({"change": change}));
    assert!(world.path("tasks/01-todo--first/01.1-todo--child/task.toml").is_file());
    // What was made in a directory that has another name by now is found in it.
    world.must("undo", json!({"change": made}));
    assert!(!world.path("tasks/01-todo--first/01.1-todo--child").exists());
    assert!(world.path("tasks/02-todo--renamed").is_dir());
    assert!(world.ask("task.show", json!({"id": child})).is_err());
}

#[test]
fn what_lies_in_the_trash_is_not_changed_there() {
    let (mut world, first, _) = world();
    world.must("task.note", json!({"id": first, "text": "seen"}));
    let change = last(&mut world);
    world.must("task.delete", json!({"id": first}));
    let said = refused(&mut world, "undo", json!({"change": change}));
    let deletion = last(&mut world);
    assert!(said.contains("task.toml is where it lies now\n"), "{said}");
    assert!(said.contains(&format!("changed since by `{deletion}`")), "{said}");
    world.must("undo", json!({"change": 3}));
    assert!(world.path("tasks/01-todo--first").is_dir());
}

#[test]
fn a_number_is_not_given_out_again_after_its_task_was_taken_back() {
    for shared in [false, true] {
        let mut world = World::new(shared);
        let top = id(&world.must("task.create", json!({"title": "Top"})).json());
        for parent in [None, Some(&top)] {
            let gone = world.must("task.create", json!({"title": "Gone", "parent": parent})).json();
            world.must("undo", json!({}));
            let next = world.must("task.create", json!({"title": "Next", "parent": parent})).json();
            assert_ne!(next["number"], gone["number"], "shared: {shared}, under {parent:?}");
            assert_ne!(next["id"], gone["id"]);
        }
        let moved = id(&world.must("task.create", json!({"title": "Moved"})).json());
        let there = world.must("task.move", json!({"id": moved, "to": top})).json();
        world.must("undo", json!({}));
        let next = world.must("task.create", json!({"title": "Next", "parent": top})).json();
        assert_ne!(next["number"], there["number"], "shared: {shared}");
    }
}

#[test]
fn redo_says_what_was_changed_since_and_how_to_have_it_all_the_same() {
    let (mut world, first, second) = world();
    world.must("undo", json!({}));
    let undo = last(&mut world);
    world.must("task.note", json!({"id": second, "text": "meanwhile"}));
    let meanwhile = last(&mut world);
    assert_eq!(
        refused(&mut world, "redo", json!({})),
        format!(
            "[4] something was changed since `{undo}` took back what was there, so it is not made again as a matter of \
             course\n  changed since by `{meanwhile}`\n  hint: run `handoff undo {undo}`"
        )
    );
    world.must("undo", json!({"change": undo}));
    assert_eq!(world.must("task.show", json!({"id": first})).json()["status"], "in_progress");
}

#[test]
fn what_was_taken_back_already_is_not_taken_back_twice() {
    let (mut world, ..) = world();
    let change = last(&mut world);
    world.must("undo", json!({}));
    let undo = last(&mut world);
    let said = refused(&mut world, "undo", json!({"change": change}));
    assert_eq!(said, format!("[4] `{change}` cannot be taken back: `{undo}` took it back already"));
    world.must("redo", json!({}));
    let redo = last(&mut world);
    let said = refused(&mut world, "undo", json!({"change": undo}));
    assert_eq!(said, format!("[4] `{undo}` cannot be taken back: `{redo}` made it again already"));
    // Taking back what made it again takes back the change.
    world.must("undo", json!({"change": redo}));
    assert_eq!(world.log()[0]["undoes"], json!([change]));
}

#[test]
fn undo_if_last_takes_back_nothing_else() {
    let (mut world, _, second) = world();
    let seen = last(&mut world);
    world.must("task.note", json!({"id": second, "text": "of somebody else"}));
    let said = refused(&mut world, "undo", json!({"if_last": seen}));
    assert!(said.starts_with("[4] the last change is"), "{said}");
    let now = last(&mut world);
    world.must("undo", json!({"if_last": now}));
}

#[test]
fn more_than_the_log_holds_is_refused_and_so_is_what_it_never_held() {
    let (mut world, ..) = world();
    let said = refused(&mut world, "undo", json!({"change": 9}));
    assert!(said.starts_with("[4] the log holds 3 changes that could be taken back, not 9"), "{said}");
    let error = world.ask("undo", json!({"change": "zzzzzzzz"})).unwrap_err();
    assert_eq!(told(&error), "[3] no change `zzzzzzzz` in the log\n  hint: run `handoff log`");
    for wrong in [json!(0), json!("0"), json!(-1), json!(1001), json!("k-7"), json!(true)] {
        let error = world.ask("undo", json!({"change": wrong})).unwrap_err();
        assert_eq!(error.kind().exit_code(), 2, "{wrong}: {}", error.sentence());
    }
}

#[test]
fn a_paused_project_is_left_alone() {
    let (mut world, ..) = world();
    fs::write(world.path("PAUSE"), "back at nine").unwrap();
    let error = world.ask("undo", json!({})).unwrap_err();
    assert_eq!(error.kind().exit_code(), 5);
    fs::remove_file(world.path("PAUSE")).unwrap();
    world.must("undo", json!({}));
}

#[test]
fn a_request_is_one_change_however_many_records_it_concerns() {
    let (mut world, first, second) = world();
    let before = world.tree();
    let count = world.log().len();
    world.must(
        "save",
        json!({"summary": "All of it", "body": "# Body\n", "tasks": [
            {"id": first, "status": "review"}, {"id": second, "move_to": first}, {"title": "New"},
        ]}),
    );
    assert_eq!(world.log().len(), count + 1);
    world.must("undo", json!({}));
    assert_same(&world.tree(), &before, "all of it at once");
}

#[test]
fn a_dry_run_changes_nothing_and_shows_the_difference() {
    let (mut world, ..) = world();
    let before = world.tree();
    let shown = world.must("undo", json!({"change": 2, "dry_run": true})).json();
    assert_same(&world.tree(), &before, "a dry run");
    let diff = shown["diff"].as_str().unwrap();
    assert!(diff.contains("-status = \"in_progress\"\n+status = \"todo\"\n"), "{diff}");
    assert!(diff.contains("rename tasks/01-in_progress--first/\n    to tasks/01-todo--first/\n"), "{diff}");
    assert!(diff.contains("--- tasks/02-todo--second/task.toml\n+++ /dev/null\n"), "{diff}");
    assert_eq!(world.log().len(), 3);
}

#[test]
fn the_overview_follows_what_was_taken_back() {
    let mut world = World::new(false);
    world.must("save", json!({"summary": "The first one"}));
    let first = fs::read_to_string(world.path("current-state.md")).unwrap();
    world.must("save", json!({"summary": "The second one"}));
    world.must("undo", json!({}));
    assert_eq!(fs::read_to_string(world.path("current-state.md")).unwrap(), first);
}

#[test]
fn an_empty_directory_goes_with_the_file_that_brought_it() {
    let mut world = World::new(false);
    fs::remove_dir(world.path("sessions")).unwrap();
    let before = world.tree();
    world.must("save", json!({"summary": "Begun"}));
    assert!(world.path("sessions").is_dir());
    world.must("undo", json!({}));
    assert_same(&world.tree(), &before, "the directory of sessions");
}
