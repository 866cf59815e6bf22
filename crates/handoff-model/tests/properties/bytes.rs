//! The fuzz targets, tried on their seeds, on damaged copies of them, and on anything.

use std::path::Path;

use handoff_model::config::Keys;
use handoff_model::session::Session;
use handoff_model::task::Task;
use handoff_model::time_log::TimeLog;
use proptest::prelude::*;

use crate::choices::Choices;
use crate::{archive_file, bytes, cases, config_file, conflict_markers, ids_and_refs, record_file, slug_and_names};

type Target = (&'static str, fn(&[u8]));

const TARGETS: &[Target] = &[
    ("task_file", record_file::run::<Task>),
    ("session_file", record_file::run::<Session>),
    ("time_log_file", record_file::run::<TimeLog>),
    ("archive_file", archive_file::run),
    ("config_file", config),
    ("conflict_markers", conflict_markers::run),
    ("ids_and_refs", ids_and_refs::run),
    ("slug_and_names", slug_and_names::run),
];

fn config(data: &[u8]) {
    thread_local! {
        static KEYS: Keys = Keys::new();
    }
    KEYS.with(|keys| config_file::run(data, keys));
}

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let mut paths: Vec<_> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// Cuts, copies and changes of a few bytes, and a tail that chooses what is done.
fn damaged(choices: &mut Choices, mut data: Vec<u8>) -> Vec<u8> {
    while !choices.is_spent() {
        let place = (choices.below(256) * 256 + choices.below(256)) % (data.len() + 1);
        match choices.below(6) {
            0 => data.insert(place, choices.byte()),
            1 if place < data.len() => _ = data.remove(place),
            2 => data.truncate(place),
            3 => {
                let end = data.len().min(place + 40);
                data.extend_from_within(place..end);
            }
            4 => data.extend(choices.pick(&[&b"\0\x05\x01\x01"[..], b"[[notes]]\n", b"a = 1\n", b"\"\"\"", b"\r\n"])),
            _ if place < data.len() => data[place] ^= 1 << choices.below(8),
            _ => data.push(0),
        }
    }
    data
}

#[test]
fn every_target_takes_its_seeds() {
    for (name, run) in TARGETS {
        let seeds = seeds(name);
        assert!(!seeds.is_empty(), "{name}");
        for seed in seeds {
            run(&seed);
        }
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn every_target_takes_damaged_seeds(which in 0..1_000_usize, bytes in bytes(60)) {
        for (name, run) in TARGETS {
            let mut seeds = seeds(name);
            let seed = seeds.swap_remove(which % seeds.len());
            run(&damaged(&mut Choices::new(&bytes), seed));
        }
    }

    #[test]
    fn every_target_takes_anything(bytes in bytes(80), text in "\\PC{0,80}|([a-z.=\\[\\]{}\"'#\n<>|0-9]){0,120}") {
        for (_, run) in TARGETS {
            run(&bytes);
            run(text.as_bytes());
        }
    }
}
