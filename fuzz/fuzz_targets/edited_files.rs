#![no_main]

use handoff_fuzz::choices::Choices;
use handoff_fuzz::edited;
use handoff_model::session::Session;
use handoff_model::task::Task;
use handoff_model::time_log::TimeLog;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    let mut choices = Choices::new(rest);
    match first % 4 {
        0 => edited::a_change_keeps_the_rest::<Task>(&mut choices),
        1 => edited::a_change_keeps_the_rest::<Session>(&mut choices),
        2 => edited::a_change_keeps_the_rest::<TimeLog>(&mut choices),
        _ => handoff_fuzz::configs::a_change_keeps_the_rest(&mut choices),
    }
});
