#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| handoff_fuzz::record_file::run::<handoff_model::time_log::TimeLog>(data));
