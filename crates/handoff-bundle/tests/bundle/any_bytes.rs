//! The fuzz target, tried on its seeds, on damaged copies of them, and on anything.

use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::bundle_file;

fn seeds() -> Vec<Vec<u8>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/bundle_file");
    let mut paths: Vec<_> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

#[test]
fn seeds_are_understood() {
    for seed in seeds() {
        bundle_file::run(&seed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn damaged_seeds_do_no_harm(
        seed in any::<Index>(),
        changes in vec((any::<Index>(), any::<u8>(), 0_usize..4), 1..8),
    ) {
        let mut data = seed.get(&seeds()).clone();
        for (place, byte, kind) in changes {
            let place = place.index(data.len() + 1);
            match kind {
                0 => data.insert(place, byte),
                1 => data.truncate(place),
                _ if place == data.len() => data.push(byte),
                2 => data[place] = byte,
                _ => drop(data.remove(place)),
            }
        }
        bundle_file::run(&data);
    }

    #[test]
    fn anything_at_all_does_no_harm(data in vec(any::<u8>(), 0..200)) {
        bundle_file::run(&data);
    }
}
