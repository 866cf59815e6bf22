//! Reading isolates faults: every task file is shown or told about, whatever the others look like.

use std::collections::BTreeSet;

use handoff_store::Store;
use proptest::prelude::*;

use crate::choices::Choices;
use crate::mixture::{Copies, write_tree};
use crate::{bytes, cases, scratch};

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn every_task_file_is_shown_or_told_about(bytes in bytes(80)) {
        let dir = scratch();
        let files = write_tree(dir.path(), &mut Choices::new(&bytes), Copies::Some);
        let forest = Store::open(dir.path()).unwrap().forest().unwrap();
        let shown: BTreeSet<String> = forest.walk().iter().map(|node| format!("{}/task.toml", node.dir())).collect();
        prop_assert_eq!(shown.len(), forest.len(), "each task is shown once");
        prop_assert!(shown.is_subset(&files));
        for file in files.difference(&shown) {
            let dir = file.strip_suffix("/task.toml").unwrap();
            let told = forest.problems.iter().any(|problem| problem.path == *file || problem.path == dir);
            prop_assert!(told, "{file} is neither shown nor told about: {:?}", forest.problems);
        }
    }
}
