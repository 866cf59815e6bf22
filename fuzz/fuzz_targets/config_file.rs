#![no_main]

use handoff_model::config::Keys;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static KEYS: LazyLock<Keys> = LazyLock::new(Keys::new);

fuzz_target!(|data: &[u8]| handoff_fuzz::config_file::run(data, &KEYS));
