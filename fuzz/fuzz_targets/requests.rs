#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;

static SCRATCH: LazyLock<PathBuf> = LazyLock::new(handoff_fuzz::scratch);

fuzz_target!(|data: &[u8]| handoff_fuzz::requests::run(data, &SCRATCH));
