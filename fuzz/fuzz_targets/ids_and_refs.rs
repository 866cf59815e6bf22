#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| handoff_fuzz::ids_and_refs::run(data));
