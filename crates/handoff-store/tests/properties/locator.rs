//! The locator is a cache: whatever stands in it, every answer is the same.

use std::fs;
use std::path::Path;
use std::time::Duration;

use handoff_model::id::TaskId;
use handoff_model::name::Layout;
use handoff_model::task::Task;
use handoff_store::{NewStore, Store};
use proptest::prelude::*;

use crate::choices::Choices;
use crate::sequence::{check_finding, wait_for_the_clock};
use crate::{bytes, cases, noon, scratch};

const LOCATOR: &str = "local/cache/locator";

/// A store of some tasks whose ids are the same in every such store, and whose places are not.
fn store(root: &Path, layout: Layout, choices: &mut Choices) -> Store {
    let word = if layout == Layout::Stable { "stable" } else { "status" };
    let config = format!("[settings]\ntask_dirs = \"{word}\"\n");
    let mut store = Store::create(root, &NewStore { config: &config, layout, private: true }).unwrap();
    for index in 0..6_u8 {
        let id: TaskId = format!("{}ask0000", char::from(b'a' + index)).parse().unwrap();
        let title = choices.pick(&["a", "b c", "12"]).parse().unwrap();
        store.lock("test", Duration::from_secs(5)).unwrap();
        let above = (index > 0 && choices.flag()).then(|| char::from(b'a' + choices.byte() % index).to_string());
        let above = above.map(|prefix| store.find(&prefix.parse().unwrap()).unwrap());
        store.create_task(above.as_ref(), Task::new(id, &title, noon())).unwrap();
        store.commit(|_, _| {}).unwrap();
        store.unlock();
    }
    // A look at everything under the lock writes the locator anew.
    store.lock("test", Duration::from_secs(5)).unwrap();
    store.find(&"a".parse().unwrap()).unwrap();
    store.unlock();
    store
}

/// What may stand in the file of a locator.
fn spoiled(choices: &mut Choices, own: &[u8], foreign: &[u8]) -> Vec<u8> {
    let lines =
        |bytes: &[u8]| -> Vec<Vec<u8>> { bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect() };
    match choices.below(7) {
        0 => choices.list(80, Choices::byte),
        1 => own[..choices.below(256) * 4 % (own.len() + 1)].to_vec(),
        2 => foreign.to_vec(),
        3 => [own, foreign.split(|&byte| byte == b'\n').nth(1).unwrap_or_default(), b"\n"].concat(),
        4 => {
            let mut lines = lines(own);
            if let Some(all_but_header) = lines.get_mut(1..) {
                choices.shuffle(all_but_header);
            }
            lines.concat()
        }
        5 => {
            let mut mixed = lines(own);
            mixed.extend(lines(foreign).into_iter().skip(1));
            if let Some(all_but_header) = mixed.get_mut(1..) {
                choices.shuffle(all_but_header);
            }
            mixed.concat()
        }
        _ => {
            let mut bytes = own.to_vec();
            for _ in 0..3 {
                let place = choices.below(256) * 4 % (bytes.len() + 1);
                bytes.get_mut(place).into_iter().for_each(|byte| *byte ^= 1 << choices.below(8));
            }
            bytes
        }
    }
}

fn run(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    let layout = if choices.flag() { Layout::Stable } else { Layout::Status };
    let dir = scratch();
    let foreign_root = dir.path().join("foreign");
    drop(store(&foreign_root, layout, &mut choices));
    wait_for_the_clock();
    let root = dir.path().join("own");
    drop(store(&root, layout, &mut choices));
    let (own, foreign) = (fs::read(root.join(LOCATOR)).unwrap(), fs::read(foreign_root.join(LOCATOR)).unwrap());
    assert!(own.len() > 100 && foreign.len() > 100, "there is something to spoil");
    while !choices.is_spent() {
        fs::write(root.join(LOCATOR), spoiled(&mut choices, &own, &foreign)).unwrap();
        let reader = Store::open(&root).unwrap();
        let forest = reader.forest().unwrap();
        check_finding(&reader, &forest);
        let mut writer = Store::open(&root).unwrap();
        writer.lock("test", Duration::from_secs(5)).unwrap();
        check_finding(&writer, &forest);
    }
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn a_spoiled_locator_changes_no_answer(bytes in bytes(60)) {
        run(&bytes);
    }
}
