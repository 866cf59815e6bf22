//! Finished tasks in the archive: packed whole, listed on request, brought back as they were.

use handoff_testkit::{TestProject, project, shared_project};

/// A finished subtree, one under an open task, one that was finished yesterday, and an open task.
fn both() -> [TestProject; 2] {
    [project!(), shared_project!()].map(|project| {
        let old = "completed_at = 2026-10-03T12:00:00Z";
        project.make_directory(".handoff/archive");
        project
            .task("aaaaaaaa", |task| {
                task.title("Old").status("done").field(old).field("# a comment").table("[extra]\nfuture = 1\n")
            })
            .task("bbbbbbbb", |task| task.title("Old child").parent("aaaaaaaa").status("skipped").field(old))
            .task("cccccccc", |task| task.title("Open").status("in_progress").depends_on(&["aaaaaaaa"]))
            .task("dddddddd", |task| task.title("Old part").parent("cccccccc").status("done").field(old))
            .task("eeeeeeee", |task| task.title("New").status("done").field("completed_at = 2026-11-14T12:00:00Z"))
    })
}

#[test]
fn old_finished_tasks_go_into_the_archive_and_come_back_as_they_were() {
    for project in both() {
        let before = project.records();
        let answer = project.call("gc").run();
        answer.succeeded().says("packed 3 tasks finished more than 30 days ago").says("01 Old").says("02.1 Old part");
        assert!(project.exists(".handoff/archive/tasks-2026-10.toml"));
        assert_eq!(project.json("task list --all")["summary"]["total"], 2);
        project.call("task list --all").run().says("2 tasks").says("; 3 archived").hides("Old");
        let listed = project.call("task list --archived").run();
        listed.says("01 Old").says("01.1 Old child").says("02.1 Old part").hides("Open").says("3 tasks");
        project.call("task show aaaaaaaa").run().says("Old").says("done, archived").says("Old child");
        project.call("task show bbbb").run().succeeded().says("Old child");
        project.call("task list --ready").run().says("Open");
        project.call("task restore aaaaaaaa").run().succeeded().says("restored 01 Old");
        project.call("task restore dddddddd").run().succeeded().says("restored 02.1 Old part");
        project.records().assert_same(&before, "something changed on the way");
    }
}

#[test]
fn the_log_tells_what_was_archived_and_undo_brings_it_back() {
    for project in both() {
        let before = project.records();
        project.call("task list --archived").run().says("no task is archived");
        project.handoff("gc");
        project.call("log -n 1").run().says("3 tasks archived");
        project.call("dashboard").run().says("3 archived");
        project.call("undo").run().succeeded();
        project.records().assert_same(&before, "undo left something");
        project.call("redo").run().succeeded();
        project.call("task restore dddddddd").run().succeeded();
        project.call("log -n 1").run().says("Old part brought back from the archive");
        project.call("task restore dddddddd").run().succeeded().says("not deleted: 02.1 Old part");
    }
}

#[test]
fn archived_tasks_are_searched_too() {
    for project in both() {
        project.handoff("gc");
        project.call("search child").run().succeeded().says("Old child").says("archived");
        project.call("search child --archived exclude").run().hides("Old child");
        project.call("search open --archived only").run().hides("Open");
        project.handoff("task restore aaaaaaaa");
        project.call("search child").run().succeeded().says("Old child").hides("archived");
    }
}

#[test]
fn a_dry_run_changes_nothing_and_says_what_it_would_do() {
    for project in both() {
        let before = project.records();
        let answer = project.call("gc --dry-run").run();
        answer.succeeded().says("would pack 3 tasks").says("nothing was changed");
        project.records().assert_same(&before, "a dry run wrote something");
        assert_eq!(project.json("gc --dry-run --older-than 0")["count"], 4);
        project.call("gc --older-than 400").run().succeeded().says("nothing to pack");
        project.records().assert_same(&before, "nothing was old enough");
    }
}

#[test]
fn a_long_list_is_cut_for_readers_and_whole_for_programs() {
    let mut project = project!();
    for number in 0..60 {
        let id = format!("finish{}{}", number / 10, number % 10);
        project =
            project.task(&id, |task| task.title("Old").status("done").field("completed_at = 2026-01-01T00:00:00Z"));
    }
    let listed = project.call("gc --dry-run").run();
    listed.succeeded().says("would pack 60 tasks").says("10 more");
    assert_eq!(listed.stdout.matches(" Old ").count(), 50, "{listed}");
    assert_eq!(project.json("gc --dry-run")["packed"].as_array().expect("a list").len(), 60);
}

#[test]
fn a_number_that_is_in_the_archive_is_not_given_out_again() {
    for project in both() {
        project.handoff("gc --older-than 0");
        project.remove(".handoff/local/state/numbers");
        project.call("task create Next").run().says("04 Next");
        project.call("task create Part --parent cccccccc").run().says("02.2 Part");
    }
}

#[test]
fn what_was_packed_later_joins_what_was_packed_before() {
    for project in both() {
        let before = project.records();
        project.handoff("gc");
        project.handoff("gc --older-than 0");
        assert!(project.exists(".handoff/archive/tasks-2026-11.toml"));
        let ids = ["aaaaaaaa", "dddddddd", "eeeeeeee"];
        for id in ids {
            project.call(&format!("task restore {id}")).run().succeeded();
        }
        project.records().assert_same(&before, "something changed on the way");
    }
}

#[test]
fn an_archived_task_whose_parent_is_archived_comes_back_with_it() {
    for project in both() {
        let before = project.records();
        project.handoff("gc");
        let answer = project.call("task restore bbbbbbbb").run();
        answer.succeeded().says("restored 01.1 Old child").says("the task above it was in the archive too");
        project.handoff("task restore dddddddd");
        project.records().assert_same(&before, "something changed on the way");
    }
}

#[test]
fn a_task_comes_back_elsewhere_when_asked_and_at_the_top_when_its_parent_is_gone() {
    for project in both() {
        project.handoff("gc");
        project.call("task restore dddddddd --to root").run().succeeded().says("restored 04 Old part");
        project.handoff("task delete dddddddd");
        project.handoff("task restore dddddddd --to cccccccc");
        project.handoff("gc");
        project.handoff("task delete cccccccc");
        let answer = project.call("task restore dddddddd").run();
        answer.succeeded().says("warning: its parent `cccccccc` is gone, so it stands at the top now");
    }
}

#[test]
fn a_task_with_other_files_beside_it_stays_and_says_why() {
    for project in both() {
        let file = project.task_file("dddddddd").replace("task.toml", "sketch.png");
        project.write(&file, "no task");
        let answer = project.call("gc").run();
        answer.succeeded().says("packed 2 tasks").says("02.1 Old part stays").says("sketch.png is no task");
        assert!(project.exists(&file));
        project.call("task show dddddddd").run().hides("archived");
    }
}

#[test]
fn a_task_that_came_back_by_other_means_is_not_packed_over_its_older_version() {
    for project in both() {
        let (file, text) = (project.task_file("dddddddd"), project.file(&project.task_file("dddddddd")));
        project.handoff("gc");
        project.write(&file, text.replace("Old part", "Newer part"));
        let answer = project.call("gc").run();
        answer
            .succeeded()
            .says("02.1 Newer part stays: another version of `dddddddd` is in archive/tasks-2026-10.toml");
        project.call("task restore dddddddd").run().says("not deleted: 02.1 Newer part");
        assert!(project.file(&file).contains("Newer part"));
    }
}

#[test]
fn a_finished_task_with_an_open_one_below_it_stays() {
    for project in both() {
        let file = project.task_file("bbbbbbbb");
        project.edit(&file, "status = \"skipped\"", "status = \"todo\"");
        project.call("gc").run().succeeded().says("packed 1 task ").hides("01 Old");
    }
}

#[test]
fn a_change_of_an_archived_task_says_how_to_bring_it_back() {
    for project in both() {
        project.handoff("gc");
        let answer = project.call("task note aaaaaaaa more").run();
        answer.failed(4).says("task `aaaaaaaa` is in the archive").says("run `handoff task restore aaaaaaaa`");
        project.call("task restore zzzzzzzz").run().failed(3);
    }
}

#[test]
fn a_damaged_archive_hides_only_what_is_damaged() {
    for project in both() {
        project.handoff("gc");
        project.edit(".handoff/archive/tasks-2026-10.toml", "id = \"bbbbbbbb\"\nnumber", "id = bbbbbbbb\nnumber");
        let answer = project.call("task list --archived").run();
        answer.succeeded().says("01 Old").says("archive/tasks-2026-10.toml:").hides("Old child");
        project.call("task restore aaaaaaaa").run().succeeded();
        assert!(
            project.file(".handoff/archive/tasks-2026-10.toml").contains("bbbbbbbb"),
            "what cannot be read is kept"
        );
    }
}

#[test]
fn both_sides_of_a_merged_archive_are_kept_by_the_doctor() {
    for project in both() {
        project.handoff("gc");
        let path = ".handoff/archive/tasks-2026-10.toml";
        let text = project.file(path);
        let (head, tables) = text.split_at(text.find("[[tasks]]").unwrap());
        let (first, rest) = tables.split_at(tables[1..].find("[[tasks]]").unwrap() + 1);
        project.write(path, format!("{head}<<<<<<< ours\n{first}=======\n{rest}>>>>>>> theirs\n"));
        project.call("task list --archived").run().says("Old child").says("Old part").says("conflict marker");
        project.call("doctor --fix").run().succeeded();
        assert_eq!(project.file(path), text);
        project.call("doctor").run().succeeded();
    }
}

#[test]
fn a_table_with_the_file_of_another_task_is_told() {
    for project in both() {
        project.handoff("gc");
        project.edit(".handoff/archive/tasks-2026-10.toml", "id = \"bbbbbbbb\"\nnumber", "id = \"zzzzzzzz\"\nnumber");
        project
            .call("task list --archived")
            .run()
            .says("the table of task `zzzzzzzz` holds the file of task `bbbbbbbb`");
        project.call("doctor").run().says("its checksum does not match").says("holds the file of task `bbbbbbbb`");
    }
}

#[test]
fn what_is_packed_in_one_layout_comes_back_in_the_other() {
    let [private, shared] = both();
    for (project, convert) in [(private, "share"), (shared, "unshare")] {
        let before = project.json("task list --all");
        project.handoff("gc");
        project.handoff(convert);
        project.handoff("task restore aaaaaaaa");
        project.handoff("task restore dddddddd");
        assert_eq!(project.json("task list --all"), before);
    }
}
