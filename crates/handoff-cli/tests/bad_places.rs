//! Links, FIFOs, devices and things of the wrong kind inside `.handoff/`: nothing is followed, nothing hangs.
#![cfg(unix)]

use std::os::unix::fs::symlink;
use std::process::Command;

use handoff_testkit::{TestProject, project};

/// Three tasks, one of them below another, one in the trash, and every file of this machine made.
fn busy() -> TestProject {
    let project = project!()
        .task("aaaaaaaa", |task| task.title("Alpha"))
        .task("bbbbbbbb", |task| task.title("Beta").parent("aaaaaaaa"))
        .task("cccccccc", |task| task.title("Gamma"))
        .task("dddddddd", |task| task.title("Delta"));
    project.handoff("task note cccccccc warm");
    project.handoff("task delete dddddddd");
    project.copy(".handoff", "../fresh");
    project
}

/// Puts the project back as [`busy`] made it.
fn refresh(project: &TestProject) {
    project.remove(".handoff");
    project.copy("../fresh", ".handoff");
}

const DIRECTORIES: [&str; 8] = [
    "tasks",
    "sessions",
    "local",
    "local/state",
    "local/cache",
    "local/state/tmp",
    "local/state/trash",
    "tasks/02-todo--gamma",
];
const FILES: [&str; 10] = [
    "config.toml",
    ".gitignore",
    "PAUSE",
    "local/state/lock",
    "local/state/generation",
    "local/state/numbers",
    "local/state/journal.json",
    "local/state/journal-undo.json",
    "local/cache/locator",
    "tasks/02-todo--gamma/task.toml",
];

/// What has its own test, or holds the tasks itself.
const HIDING: [&str; 4] = ["tasks", "config.toml", "local/state/journal.json", "local/state/journal-undo.json"];

/// What can be asked for while something is wrong; each must end, and most must work.
const COMMANDS: [&str; 7] = [
    "task list",
    "task trash",
    "task create New",
    "task update bbbbbbbb --status in_progress",
    "task delete bbbbbbbb",
    "task restore dddddddd",
    "share",
];

/// Puts something in the place of files or directories and asks for everything; nothing outside may change.
fn survive(places: &[&str], put: impl Fn(&TestProject, &str)) {
    let project = busy();
    for (place, command) in places.iter().flat_map(|place| COMMANDS.map(|command| (place, command))) {
        refresh(&project);
        let path = format!(".handoff/{place}");
        project.remove(&path);
        put(&project, &path);
        let before = project.outside();
        let answer = project.call(command).run();
        project.assert_untouched(&before);
        if command == "task list" && !HIDING.contains(place) {
            let visible = answer.stdout.contains("01 Alpha") && answer.stdout.contains("01.1 Beta");
            assert!(visible, "{place} hides the other tasks:\n{answer}");
        }
    }
}

fn link(project: &TestProject, path: &str, target: &str) {
    symlink(project.path(format!("../../outside/{target}")), project.path(path)).expect("a link can be made");
}

fn fifo(project: &TestProject, path: &str) {
    let status = Command::new("mkfifo").arg(project.path(path)).status().expect("mkfifo is there");
    assert!(status.success());
}

#[test]
fn a_link_in_the_place_of_a_directory_is_not_followed() {
    survive(&DIRECTORIES, |project, path| {
        project.write("../../outside/store/state/lock", "");
        project.write("../../outside/store/task.toml", "id = \"ssssssss\"\ntitle = \"canary-5b1f0c77\"\n");
        project.write("../../outside/store/09-todo--x/task.toml", "id = \"ssssssst\"\ntitle = \"canary-5b1f0c77\"\n");
        link(project, path, "store");
    });
}

#[test]
fn a_link_in_the_place_of_a_file_is_not_followed() {
    survive(&FILES, |project, path| {
        project.write("../../outside/secret.toml", "id = \"ssssssss\"\ntitle = \"canary-5b1f0c77\"\n");
        link(project, path, "secret.toml");
    });
}

#[test]
fn a_link_to_nothing_is_not_filled() {
    survive(&FILES, |project, path| link(project, path, "nothing"));
    survive(&DIRECTORIES, |project, path| link(project, path, "nothing"));
}

#[test]
fn a_fifo_makes_nothing_hang() {
    survive(&FILES, fifo);
    survive(&DIRECTORIES, fifo);
}

#[test]
fn a_directory_where_a_file_should_be_is_survived() {
    survive(&FILES, TestProject::make_directory);
}

#[test]
fn a_file_where_a_directory_should_be_is_survived() {
    survive(&DIRECTORIES, |project, path| project.write(path, "in the way"));
}

#[test]
fn a_file_with_garbage_or_nothing_in_it_is_survived() {
    let files: Vec<&str> =
        FILES.into_iter().filter(|place| *place != "config.toml" && !place.starts_with("tasks")).collect();
    for garbage in [&b""[..], b"garbage\n", b"\xff\xfe\x00\x01", b"99999999999999999999999999\n", b"- 4294967295\n"] {
        survive(&files, |project, path| project.write(path, garbage));
    }
}

/// Checks that the tasks can be read, and that the file is named.
fn hides_no_task(place: &str, put: impl Fn(&TestProject, &str)) {
    let project = busy();
    let path = format!(".handoff/{place}");
    project.remove(&path);
    put(&project, &path);
    let answer = project.call("task list").run();
    answer.says("01 Alpha").says("01.1 Beta").says("02 Gamma").says(place.rsplit('/').next().unwrap_or(place));
    project.call("task show aaaaaaaa").run().succeeded();
}

#[test]
fn a_config_file_that_is_none_hides_no_task() {
    hides_no_task("config.toml", TestProject::make_directory);
    hides_no_task("config.toml", fifo);
    hides_no_task("config.toml", |project, path| link(project, path, "canary.txt"));
}

#[test]
fn a_journal_that_is_none_hides_no_task() {
    for journal in ["local/state/journal.json", "local/state/journal-undo.json"] {
        for garbage in ["", "garbage", "{\"format\":1,\"ste", "{\"format\":99,\"steps\":[]}"] {
            hides_no_task(journal, |project, path| project.write(path, garbage));
        }
        hides_no_task(journal, TestProject::make_directory);
        hides_no_task(journal, fifo);
        hides_no_task(journal, |project, path| link(project, path, "canary.txt"));
    }
}

#[test]
fn a_change_that_never_began_is_not_called_half_done() {
    let project = busy();
    project.remove(".handoff/tasks");
    project.write(".handoff/tasks", "in the way");
    project.call("task create New").run().failed(1).says("nothing was changed").hides("the next command will finish");
}

#[test]
fn an_error_about_a_file_says_what_to_do() {
    for (place, command) in
        [(".gitignore", "share"), ("local/state/lock", "task create X"), ("local/state/trash", "task trash")]
    {
        let project = busy();
        project.remove(&format!(".handoff/{place}"));
        fifo(&project, &format!(".handoff/{place}"));
        project.call(command).run().failed(1).says(place).says("hint: ");
    }
}

#[test]
fn what_stands_in_the_way_is_named_as_what_it_is() {
    let project = busy();
    project.remove(".handoff/tasks/02-todo--gamma/task.toml");
    fifo(&project, ".handoff/tasks/02-todo--gamma/task.toml");
    link(&project, ".handoff/tasks/05-todo--link", "store");
    fifo(&project, ".handoff/tasks/06-todo--fifo");
    let answer = project.call("task list").run();
    answer.says("tasks/02-todo--gamma/task.toml: not an ordinary file");
    answer.says("tasks/05-todo--link: a symbolic link").says("tasks/06-todo--fifo: neither a file nor a directory");

    let project = busy();
    project.remove(".handoff/local/state");
    link(&project, ".handoff/local/state", "store");
    project.call("task create X").run().failed(1).says("symbolic link");
    let project = busy();
    project.remove(".handoff/tasks");
    link(&project, ".handoff/tasks", "store");
    project.call("task list").run().says("symbolic link").hides("no tasks yet");
    project.call("task create X").run().failed(1).says("symbolic link").says("nothing was changed");
}

#[test]
fn a_device_is_never_opened() {
    let project = busy();
    project.remove(".handoff/tasks/02-todo--gamma/task.toml");
    let device = project.path(".handoff/tasks/02-todo--gamma/task.toml");
    let made = Command::new("mknod").arg(&device).args(["c", "1", "5"]).status().is_ok_and(|status| status.success());
    if !made {
        eprintln!("skipped: devices cannot be made here");
        return;
    }
    // It is an endless stream of zeros.
    project.call("task list").run().succeeded().says("01 Alpha").says("not an ordinary file");
    project.call("task update 2 --status done").run().failed(6);
}

#[test]
fn a_journal_from_elsewhere_cannot_reach_outside() {
    let project = busy();
    let before = project.outside();
    for path in ["../escaped", "tasks/../../../escaped", "[root]/escaped", "..", "a\\u0000b"] {
        let path = path.replace("[root]", &project.path("../..").display().to_string());
        for step in [
            format!("{{\"put\":{{\"path\":\"{path}\",\"before\":null,\"after\":\"x\"}}}}"),
            format!("{{\"new_dir\":{{\"path\":\"{path}\",\"name\":\"task.toml\",\"text\":\"x\"}}}}"),
            format!("{{\"new_dir\":{{\"path\":\"tasks/x\",\"name\":\"{path}\",\"text\":\"x\"}}}}"),
            format!("{{\"move_dir\":{{\"from\":\"tasks\",\"to\":\"{path}\"}}}}"),
            format!("{{\"move_dir\":{{\"from\":\"{path}\",\"to\":\"tasks/x\"}}}}"),
            format!("{{\"remove\":{{\"path\":\"{path}\",\"before\":\"x\"}}}}"),
        ] {
            for journal in ["journal.json", "journal-undo.json"] {
                refresh(&project);
                project
                    .write(&format!(".handoff/local/state/{journal}"), format!("{{\"format\":1,\"steps\":[{step}]}}"));
                project.call("task create X").run();
                project.assert_untouched(&before);
                assert!(project.exists(".handoff/tasks/02-todo--gamma/task.toml"), "{step}");
            }
        }
    }
}

#[test]
fn a_locator_from_elsewhere_cannot_reach_outside() {
    let project = project!().task("aaaaaaaa", |task| task.title("Alpha"));
    project.write("../../outside/task.toml", "id = \"ssssssss\"\ntitle = \"canary-5b1f0c77\"\n");
    let sum =
        |said: &str| said.bytes().fold(0x811c_9dc5_u32, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let before = project.outside();
    for name in ["../../../../outside", "/etc", "..", "x/../..", "."] {
        let said = format!("T ssssssss - 9 {name}");
        project
            .write(".handoff/local/cache/locator", format!("handoff locator 2 {:012}\n{said} {:08x}\n", 0, sum(&said)));
        project.call("task show ssssssss").run().failed(3);
        project.call("task update ssssssss --status done").run().failed(3);
        project.call("task delete ssssssss").run().failed(3);
    }
    project.assert_untouched(&before);
}
