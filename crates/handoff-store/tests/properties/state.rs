//! What a store keeps for itself may be lost or spoiled: nothing else suffers.

use std::path::Path;

use handoff_model::name::Layout;
use handoff_store::Store;
use proptest::prelude::*;

use crate::sequence::World;
use crate::{bytes, cases, scratch, store_state};

fn seeds() -> Vec<Vec<u8>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/store_state");
    let mut paths: Vec<_> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

#[test]
fn the_seeds_are_survived_in_every_file() {
    let scratch = scratch();
    for seed in seeds() {
        for file in 0..8 {
            let data: Vec<u8> = [file].into_iter().chain(seed.iter().skip(1).copied()).collect();
            store_state::run(&data, scratch.path());
        }
    }
}

#[test]
fn a_spoiled_mark_for_readers_works_again_after_the_next_move() {
    let mut world = World::new(Layout::Status);
    world.create(None, "a");
    let generation = world.root.join("local/state/generation");
    std::fs::write(&generation, "x".repeat(100)).unwrap();
    let id = world.picture.ids()[0];
    world.delete(id);
    let text = std::fs::read_to_string(&generation).unwrap();
    assert!(text.lines().next().unwrap().parse::<u64>().unwrap() > 0, "{text}");
    // Odd while records change places: a reader must notice that the writer died meanwhile, and put it right.
    std::fs::write(&generation, text.replacen("00000000000000000002", "00000000000000000003", 1)).unwrap();
    Store::open(&world.root).unwrap().forest().unwrap();
    assert!(std::fs::read_to_string(&generation).unwrap().starts_with("00000000000000000004\n"));
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn anything_is_survived_in_every_file(which in 0..1_000_usize, place in 0..1_000_usize, bytes in bytes(40)) {
        let mut seeds = seeds();
        let mut data = seeds.swap_remove(which % seeds.len());
        let place = 1 + place % data.len().max(1);
        data.splice(place.min(data.len()).., bytes.iter().copied());
        data[0] = bytes.first().copied().unwrap_or(data[0]);
        store_state::run(&data, scratch().path());
    }
}
