//! Random sequences, taken back and made again.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::choices::Choices;
use crate::deeds::choose;
use crate::world::{Tree, World, assert_same};
use crate::{bytes, cases};

/// Changes that are made before they are taken back.
const CHANGES: usize = 100;

/// Works until so many changes are made. The tree before each, the first one first, and the last.
fn work(world: &mut World, choices: &mut Choices, changes: usize) -> Vec<Tree> {
    let mut trees = vec![world.tree()];
    let mut tried = 0;
    while trees.len() <= changes {
        tried += 1;
        assert!(tried < changes * 20, "hardly anything is accepted");
        let (name, request) = choose(world, choices);
        let before = trees.last().unwrap();
        let answer = world.ask(name, request.clone());
        let after = world.tree();
        match answer {
            Ok(_) if after == *before => {}
            Ok(_) => trees.push(after),
            Err(error) => assert_same(&after, before, &format!("refused {name} {request}: {}", error.sentence())),
        }
    }
    trees
}

fn undone_one_by_one_and_made_again(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    let mut world = World::new(choices.flag());
    if choices.flag() {
        world = world.with_memory();
    }
    let trees = work(&mut world, &mut choices, CHANGES);
    let log = world.log();
    assert_eq!(log.len(), CHANGES, "one entry for each change");
    for (back, expected) in trees.iter().rev().skip(1).enumerate() {
        world.must("undo", json!({}));
        assert_same(&world.tree(), expected, &format!("after {} steps back, taking back {}", back + 1, log[back]));
    }
    assert!(world.ask("undo", json!({})).is_err(), "nothing is left");
    for (forth, expected) in trees.iter().skip(1).enumerate() {
        world.must("redo", json!({}));
        assert_same(&world.tree(), expected, &format!("after {} steps forward", forth + 1));
    }
    assert!(world.ask("redo", json!({})).is_err(), "nothing is left");
    let some = 1 + choices.below(CHANGES - 1);
    world.must("undo", json!({"change": some}));
    assert_same(&world.tree(), &trees[CHANGES - some], &format!("{some} in one step"));
    world.must("redo", json!({}));
    assert_same(&world.tree(), trees.last().unwrap(), "and forward in one");
}

/// One change out of many: taken back it is gone and the rest is as it was, or it is refused and everything is.
fn any_one_of_them(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    let mut world = World::new(choices.flag());
    let trees = work(&mut world, &mut choices, 40);
    let last = trees.last().unwrap();
    let log = world.log();
    let mut taken = 0;
    for change in &log {
        let id = change["id"].as_str().unwrap();
        match world.ask("undo", json!({"change": id})) {
            Err(error) => {
                assert_same(&world.tree(), last, &format!("refused {change}: {}", error.sentence()));
                assert_eq!(error.kind().exit_code(), 4, "{}", error.sentence());
                assert_ne!(
                    id,
                    log[0]["id"].as_str().unwrap(),
                    "the last one can always be taken back: {}",
                    error.sentence()
                );
            }
            Ok(_) => {
                taken += 1;
                assert_ne!(&world.tree(), last, "{change}");
                let problems = world.must("task.list", json!({"all": true})).json()["problems"].clone();
                assert_eq!(problems, Value::Null, "after taking back {change}");
                let undo = world.log()[0]["id"].clone();
                world.must("undo", json!({"change": undo}));
                assert_same(&world.tree(), last, &format!("{change} taken back and made again"));
            }
        }
    }
    assert!(taken > 0);
}

/// Work, undo and redo in any order do what an editor does.
fn interleaved(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    let mut world = World::new(choices.flag());
    // What stands and what could be made again, as trees.
    let (mut past, mut future): (Vec<Tree>, Vec<Tree>) = (vec![world.tree()], Vec::new());
    for step in 0..120 {
        match choices.below(4) {
            0 if past.len() > 1 => {
                let most = (past.len() - 1).min(3);
                let count = 1 + choices.below(most);
                world.must("undo", json!({"change": count}));
                future.push(past.last().unwrap().clone());
                past.truncate(past.len() - count);
                assert_same(&world.tree(), past.last().unwrap(), &format!("step {step}: undo {count}"));
            }
            1 if !future.is_empty() => {
                world.must("redo", json!({}));
                let tree = future.pop().unwrap();
                assert_same(&world.tree(), &tree, &format!("step {step}: redo"));
                // An undo of several is made again as a whole, so what lies between is not stepped through any more.
                past = standing(&mut world, past, tree);
            }
            _ => {
                let (name, request) = choose(&mut world, &mut choices);
                let answer = world.ask(name, request);
                let tree = world.tree();
                if answer.is_ok() && tree != *past.last().unwrap() {
                    past.push(tree);
                    future.clear();
                    let error = world.ask("redo", json!({})).unwrap_err();
                    assert_eq!(error.kind().exit_code(), 4, "{}", error.sentence());
                }
            }
        }
    }
}

/// The trees before each standing change after a redo: found out by taking them back and making them again.
fn standing(world: &mut World, past: Vec<Tree>, tree: Tree) -> Vec<Tree> {
    let made_again = world.log()[0]["redoes"].as_array().unwrap().len();
    let mut trees = past;
    let mut between = vec![tree];
    for _ in 1..made_again {
        world.must("undo", json!({}));
        between.push(world.tree());
    }
    for _ in 1..made_again {
        world.must("redo", json!({}));
    }
    trees.extend(between.into_iter().rev());
    trees
}

proptest! {
    #![proptest_config(cases(1))]

    #[test]
    fn the_last_hundred_changes_are_undone_and_made_again_to_the_byte(bytes in bytes(1200)) {
        undone_one_by_one_and_made_again(&bytes);
    }
}

proptest! {
    #![proptest_config(cases(2))]

    #[test]
    fn any_one_change_is_undone_to_the_byte_or_refused(bytes in bytes(600)) {
        any_one_of_them(&bytes);
    }

    #[test]
    fn work_and_undo_and_redo_in_any_order_do_what_an_editor_does(bytes in bytes(1200)) {
        interleaved(&bytes);
    }
}
