//! Configurations: what is printed reads back, and what is set leaves the rest of a file alone.

use proptest::prelude::*;

use crate::choices::Choices;
use crate::configs::{a_change_keeps_the_rest, prints_and_reads_back};
use crate::{bytes, cases};

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn configurations_print_and_read_back(bytes in bytes(300)) {
        prints_and_reads_back(&mut Choices::new(&bytes));
    }

    #[test]
    fn changing_settings_keeps_comments_and_unknown_keys(bytes in bytes(700)) {
        a_change_keeps_the_rest(&mut Choices::new(&bytes));
    }
}
