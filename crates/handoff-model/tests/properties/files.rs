//! Record files: what is printed reads back, and what is written over a file leaves the rest of it alone.

use handoff_model::session::Session;
use handoff_model::task::Task;
use handoff_model::time_log::TimeLog;
use proptest::prelude::*;

use crate::choices::Choices;
use crate::edited::{a_change_keeps_the_rest, prints_and_reads_back, unchanged_is_untouched};
use crate::session_edits::an_edit_is_whole;
use crate::{bytes, cases};

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn tasks_print_and_read_back(bytes in bytes(400)) {
        prints_and_reads_back::<Task>(&mut Choices::new(&bytes));
    }

    #[test]
    fn sessions_print_and_read_back(bytes in bytes(400)) {
        prints_and_reads_back::<Session>(&mut Choices::new(&bytes));
    }

    #[test]
    fn time_logs_print_and_read_back(bytes in bytes(200)) {
        prints_and_reads_back::<TimeLog>(&mut Choices::new(&bytes));
    }

    #[test]
    fn saving_an_unchanged_task_changes_no_byte(bytes in bytes(600)) {
        unchanged_is_untouched::<Task>(&mut Choices::new(&bytes));
    }

    #[test]
    fn saving_an_unchanged_session_changes_no_byte(bytes in bytes(600)) {
        unchanged_is_untouched::<Session>(&mut Choices::new(&bytes));
    }

    #[test]
    fn saving_an_unchanged_time_log_changes_no_byte(bytes in bytes(400)) {
        unchanged_is_untouched::<TimeLog>(&mut Choices::new(&bytes));
    }

    #[test]
    fn changing_a_task_keeps_comments_and_unknown_keys(bytes in bytes(700)) {
        a_change_keeps_the_rest::<Task>(&mut Choices::new(&bytes));
    }

    #[test]
    fn changing_a_session_keeps_comments_and_unknown_keys(bytes in bytes(700)) {
        a_change_keeps_the_rest::<Session>(&mut Choices::new(&bytes));
    }

    #[test]
    fn a_session_is_edited_whole_or_not_at_all(bytes in bytes(600)) {
        an_edit_is_whole(&mut Choices::new(&bytes));
    }

    #[test]
    fn changing_a_time_log_keeps_comments_and_unknown_keys(bytes in bytes(500)) {
        a_change_keeps_the_rest::<TimeLog>(&mut Choices::new(&bytes));
    }
}
