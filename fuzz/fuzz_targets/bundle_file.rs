#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| handoff_fuzz::bundle_file::run(data));
