//! A machine that does not play along: full or read-only disks, clocks that jump, locks left behind, a pause.

use handoff_testkit::{TestProject, project};

fn small() -> TestProject {
    project!()
        .task("aaaaaaaa", |task| task.title("Alpha"))
        .task("bbbbbbbb", |task| task.title("Beta").parent("aaaaaaaa"))
}

const WRITES: [&str; 6] = [
    "task create New",
    "task update aaaaaaaa --status in_progress",
    "task note bbbbbbbb hello",
    "task move bbbbbbbb --to root",
    "task delete bbbbbbbb",
    "share",
];

#[test]
fn a_lock_file_left_behind_holds_nobody_up() {
    for garbage in ["process 1, task.create, since 2020-01-01T00:00:00Z\n", "", "\u{0}garbage\u{1b}", "99999999999"] {
        let project = small();
        project.write(".handoff/local/state/lock", garbage);
        project.call("task create New").run().succeeded();
    }
}

#[test]
fn a_lock_that_is_held_is_waited_for_and_told_with_its_holder() {
    let project = small();
    project.edit(".handoff/config.toml", "[settings]\n", "[settings]\nlock_wait_seconds = 0\n");
    let lock = std::fs::OpenOptions::new().write(true).open(project.path(".handoff/local/state/lock")).unwrap();
    lock.lock().unwrap();
    project.write(".handoff/local/state/lock", "process 42, task.create\u{1b}[31m, since long ago\n");
    let answer = project.call("task create New").run();
    answer.failed(4).says("another handoff is writing here").says("process 42, task.create");
    project.call("task list").run().succeeded().says("01 Alpha");
    project.call("task show 1").run().succeeded();
    lock.unlock().unwrap();
    project.call("task create New").run().succeeded();
}

#[test]
fn what_a_crash_left_in_the_staging_directory_is_swept() {
    let project = small();
    project.write(".handoff/local/state/tmp/4711-0", "half a file");
    project.write(".handoff/local/state/tmp/4711-1/task.toml", "half a task");
    project.call("task note aaaaaaaa hello").run().succeeded();
    assert_eq!(project.tree(".handoff/local/state/tmp").to_string(), "");
}

#[test]
fn a_change_that_was_cut_off_is_finished_or_undone_by_the_next_command() {
    let journal = r#"{"format":1,"steps":[
        {"put":{"path":"tasks/01-todo--alpha/task.toml","before":"[before]","after":"[after]"}},
        {"move_dir":{"from":"tasks/01-todo--alpha","to":"tasks/05-todo--alpha"}}]}"#;
    for line in ["task list", "task show aaaaaaaa", "task create New"] {
        let project = small();
        let before = project.file(&project.task_file("aaaaaaaa"));
        let quoted = |text: &str| serde_json::Value::from(text).to_string().trim_matches('"').to_owned();
        let after = before.replace("Alpha", "Finished");
        let journal = journal.replace("[before]", &quoted(&before)).replace("[after]", &quoted(&after));
        project.write(".handoff/local/state/journal.json", &journal);
        project.call(line).run().succeeded();
        assert_eq!(project.file(".handoff/tasks/05-todo--alpha/task.toml"), after, "{line}");
        assert!(!project.exists(".handoff/local/state/journal.json"));

        project.write(".handoff/local/state/journal-undo.json", &journal);
        project.call(line).run().succeeded();
        assert_eq!(project.file(".handoff/tasks/01-todo--alpha/task.toml"), before, "{line}");
        assert!(!project.exists(".handoff/local/state/journal-undo.json"));
    }
}

#[test]
fn a_pause_stops_writing_and_nothing_else() {
    let project = small();
    project.write(".handoff/PAUSE", "");
    for line in WRITES {
        project.call(line).run().failed(5).says("writing is paused").says("remove `.handoff/PAUSE`");
    }
    project.call("task list").run().succeeded().says("01 Alpha");
    project.call("task show 1").run().succeeded();
    project.call("task trash").run().succeeded();
    assert!(project.exists(".handoff/PAUSE"));
    project.remove(".handoff/PAUSE");
    project.call("task create New").run().succeeded();
}

#[test]
fn a_clock_that_jumps_loses_nothing() {
    let project = small();
    let at = |clock: &str, line: &str| project.call(line).env("HANDOFF_CLOCK", clock).run();
    at("9999-12-30T22:00:00Z", "task update aaaaaaaa --status in_progress").succeeded();
    at("1970-01-01T00:00:00Z", "task update aaaaaaaa --status review").succeeded();
    at("0001-01-01T00:00:00Z", "task note aaaaaaaa early").succeeded();
    at("-009999-01-02T01:59:59Z", "task note aaaaaaaa earliest").succeeded();
    at("0000-01-01T00:00:00Z", "task delete bbbbbbbb").succeeded();
    at("9999-12-30T22:00:00Z", "task restore bbbbbbbb").succeeded();
    at("9999-12-30T22:00:00Z", "task delete bbbbbbbb").succeeded();
    at("1970-01-01T00:00:00Z", "task restore bbbbbbbb").succeeded();
    let task = project.json("task show aaaaaaaa");
    assert_eq!(task["history"].as_array().map(Vec::len), Some(2));
    assert_eq!(task["notes"].as_array().map(Vec::len), Some(2));
    project.call("task list").run().succeeded().says("01.1 Beta").hides("warning");
}

#[test]
fn a_file_from_the_future_is_seen() {
    let project = small();
    project.handoff("task note aaaaaaaa warm");
    let future = std::time::SystemTime::now() + std::time::Duration::from_secs(1_000_000_000);
    let path = project.path(".handoff/tasks/01-todo--alpha");
    std::fs::File::open(&path).unwrap().set_modified(future).unwrap();
    project.edit(&project.task_file("aaaaaaaa"), "title = \"Alpha\"", "title = \"Changed\"");
    project.call("task show aaaaaaaa").run().says("Changed");
    project.call("task create Child --parent aaaaaaaa").run().says("created 01.2");
}

#[cfg(unix)]
mod on_unix {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::process::Command;

    use super::*;

    const SETPRIV: &str = "setpriv --reuid 65534 --regid 65534 --clear-groups";

    /// How to run a command as somebody who is not almighty; `None` where that cannot be arranged.
    fn as_nobody(project: &TestProject) -> Option<&'static str> {
        let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
        if !is_root {
            return Some("env");
        }
        open_up(&project.path("../.."));
        let mut works = Command::new("sh");
        works.arg("-c").arg(format!("{SETPRIV} {} --version", env!("CARGO_BIN_EXE_handoff")));
        works.output().is_ok_and(|output| output.status.success()).then_some(SETPRIV)
    }

    /// Lets everybody write everywhere below.
    fn open_up(directory: &Path) {
        set_modes(directory, 0o777, 0o666);
    }

    /// Gives everything below these rights, directories last, so that they can be gone through.
    fn set_modes(directory: &Path, directories: u32, files: u32) {
        for entry in fs::read_dir(directory).expect("a directory can be listed") {
            let entry = entry.expect("a directory can be listed");
            if entry.file_type().expect("an entry has a type").is_dir() {
                set_modes(&entry.path(), directories, files);
            } else {
                set_mode(&entry.path(), files);
            }
        }
        set_mode(directory, directories);
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("the owner may change rights");
    }

    #[test]
    fn where_nothing_may_be_written_reading_works_and_writing_says_why() {
        let project = small();
        let Some(nobody) = as_nobody(&project) else {
            eprintln!("skipped: no other user to run as");
            return;
        };
        set_modes(&project.path(".handoff"), 0o555, 0o444);
        let before = project.tree(".handoff");
        for line in ["task list", "task show 1", "task trash"] {
            project.call(line).through(nobody).run().succeeded();
        }
        for line in WRITES {
            let answer = project.call(line).through(nobody).run();
            answer.failed(1).says("nothing was changed").says("Permission denied").says("hint: ");
        }
        project.tree(".handoff").assert_same(&before, "it changed");
        open_up(&project.path(".handoff"));
        project.call("task create New").through(nobody).run().succeeded();
    }

    #[test]
    fn tasks_that_may_not_be_read_are_named_and_hide_no_others() {
        let project = small().task("cccccccc", |task| task.title("Gamma"));
        let Some(nobody) = as_nobody(&project) else {
            eprintln!("skipped: no other user to run as");
            return;
        };
        set_mode(&project.path(project.task_file("cccccccc")), 0);
        set_mode(&project.path(".handoff/tasks/01-todo--alpha/01.1-todo--beta"), 0);
        let answer = project.call("task list").through(nobody).run();
        answer
            .succeeded()
            .says("01 Alpha")
            .says("02-todo--gamma/task.toml")
            .says("01.1-todo--beta")
            .says("Permission denied");
        project.call("task update aaaaaaaa --status review").through(nobody).run().succeeded();
        set_mode(&project.path(".handoff/tasks/01-review--alpha/01.1-todo--beta"), 0o777);
    }

    #[test]
    fn a_directory_where_no_project_can_be_made_is_left_as_it_was() {
        let project = handoff_testkit::empty_directory!();
        let Some(nobody) = as_nobody(&project) else {
            eprintln!("skipped: no other user to run as");
            return;
        };
        set_mode(&project.path("."), 0o555);
        project.call("init").through(nobody).run().failed(1).says("Permission denied");
        set_mode(&project.path("."), 0o777);
        assert!(!project.exists(".handoff"));
    }

    /// A small disk under the project, as long as this is in scope.
    struct Disk<'p>(&'p TestProject);

    impl<'p> Disk<'p> {
        fn mount(project: &'p TestProject, options: &str) -> Option<Disk<'p>> {
            let mut mount = Command::new("mount");
            mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(project.path("."));
            mount.output().is_ok_and(|output| output.status.success()).then_some(Disk(project))
        }

        fn remount(&self, options: &str) -> bool {
            let mut mount = Command::new("mount");
            mount.args(["-o", options]).arg(self.0.path("."));
            mount.output().is_ok_and(|output| output.status.success())
        }
    }

    impl Drop for Disk<'_> {
        fn drop(&mut self) {
            let _ = Command::new("umount").arg("-l").arg(self.0.path(".")).output();
        }
    }

    #[test]
    fn a_full_disk_loses_nothing_and_says_what_to_do() {
        let project = handoff_testkit::empty_directory!();
        let Some(_disk) = Disk::mount(&project, "size=256k") else {
            eprintln!("skipped: nothing can be mounted here");
            return;
        };
        project.call("init my-app").run().succeeded();
        project.call("task create Alpha").run().succeeded();
        project.call("task create Beta --parent 1").run().succeeded();
        // All that is left is taken.
        let _ = Command::new("dd")
            .arg("if=/dev/zero")
            .arg(format!("of={}", project.path("filler").display()))
            .arg("bs=1k")
            .output();
        let before = project.records();
        for line in ["task create New", "task update 1 --status in_progress", "task note 1 hello", "share"] {
            let answer = project.call(line).run();
            answer.failed(1).says("nothing was changed").says("the disk is full");
        }
        project.records().assert_same(&before, "it changed");
        project.call("task list").run().succeeded().says("01.1 Beta");
        project.remove("filler");
        project.call("task create New").run().succeeded();
        project.call("task list").run().says("01 Alpha").says("01.1 Beta").says("02 New").hides("warning");
    }

    #[test]
    fn a_read_only_disk_can_be_read() {
        let project = handoff_testkit::empty_directory!();
        let Some(disk) = Disk::mount(&project, "size=1m") else {
            eprintln!("skipped: nothing can be mounted here");
            return;
        };
        project.call("init my-app").run().succeeded();
        project.call("task create Alpha").run().succeeded();
        assert!(disk.remount("remount,ro"));
        project.call("task list").run().succeeded().says("01 Alpha");
        project.call("task show 1").run().succeeded();
        for line in ["task create New", "task update 1 --status done", "share", "task delete 1"] {
            project.call(line).run().failed(1).says("nothing was changed").says("can only be read");
        }
    }
}
