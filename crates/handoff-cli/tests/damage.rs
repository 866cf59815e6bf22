//! Damaged files: every answer they affect names them, the doctor finds and mends them, and work goes on.
#![expect(clippy::disallowed_methods, reason = "tests damage files as nothing else may")]

use std::fs;
use std::path::PathBuf;

use handoff_testkit::{TestProject, project, text_in};
use serde_json::json;

/// A project with sessions in an archive, an hour in a time log and a task in an archive.
fn used() -> TestProject {
    let project = project!();
    project.handoff("config set settings.history_limit 1");
    project.handoff("config set settings.archive_after_days 0");
    let task = project.json("task create Alpha");
    project.handoff(&format!("time log {} 1h", text_in(&task, "id")));
    project.handoff("task create Old --status done");
    for number in 1..=3 {
        let request = json!({"summary": format!("saved {number}"), "body": format!("# Body {number}\n")});
        project.call("save --json").request(&request).run().succeeded();
    }
    project.handoff("gc");
    project
}

/// The only file in a directory of the store with this ending.
fn only(project: &TestProject, directory: &str, ending: &str) -> String {
    let names = project.tree(&format!(".handoff/{directory}"));
    let name = names.files().into_iter().find(|name| name.ends_with(ending)).expect("there is one").to_owned();
    format!(".handoff/{directory}/{name}")
}

fn path(project: &TestProject, file: &str) -> PathBuf {
    project.path(file)
}

#[test]
fn an_emptied_or_zeroed_archive_or_time_log_is_reported_and_comes_back_from_the_log() {
    let cases = [
        ("archive", ".md", "session list --archived"),
        ("archive", ".toml", "task list --archived"),
        ("time", ".toml", "time summary"),
    ];
    for (directory, ending, command) in cases {
        let project = used();
        let file = only(&project, directory, ending);
        let whole = project.file(&file);
        for (content, reason) in [(Vec::new(), "the file is empty"), (vec![0; 300], "overwritten with zeros")] {
            fs::write(path(&project, &file), content).unwrap();
            project.call(command).run().says(reason);
            project.call("doctor").run().says(reason);
            project.call("doctor --fix").run().succeeded();
            assert_eq!(project.file(&file), whole, "{command}");
            project.call("doctor").run().succeeded();
        }
    }
}

#[test]
fn a_damaged_byte_in_an_archive_stops_no_save_and_hides_no_other_session() {
    let project = used();
    let file = only(&project, "archive", ".md");
    let mut bytes = project.file(&file).into_bytes();
    let place = bytes.windows(6).position(|part| part == b"Body 1").unwrap();
    bytes[place] = 0xff;
    fs::write(path(&project, &file), bytes).unwrap();
    let request = json!({"summary": "saved after the damage"});
    project.call("save").request(&request).run().succeeded().says("-archive.md").says("left as it is");
    project.call("session list --archived").run().says("saved 1").says("saved 2").says("saved 3").says("not UTF-8");
    project.call("doctor --fix").run().succeeded().says("restored as it was in the log");
    project.call("session list --archived").run().says("saved 1").says("saved after the damage").hides("not UTF-8");
    project.call("doctor").run().succeeded();
}

#[test]
fn a_directory_in_the_place_of_a_file_is_reported_and_the_file_comes_back() {
    let cases = [
        ("archive", ".md", "session list --archived"),
        ("time", ".toml", "time summary"),
        ("sessions", ".toml", "session list"),
    ];
    for (directory, ending, command) in cases {
        let project = used();
        let file = only(&project, directory, ending);
        let whole = project.file(&file);
        fs::remove_file(path(&project, &file)).unwrap();
        fs::create_dir(path(&project, &file)).unwrap();
        project.call(command).run().says("a directory stands where a file should be");
        project.call("doctor --fix").run().succeeded();
        assert_eq!(project.file(&file), whole, "{command}");
    }
}

#[test]
fn a_lost_body_is_reported_where_it_would_be_shown_and_comes_back() {
    let project = used();
    let file = only(&project, "sessions", ".md");
    let whole = project.file(&file);
    fs::write(path(&project, &file), "").unwrap();
    project.call("session show latest").run().says("the body is lost");
    project.call("doctor").run().says("lost body").says(&file);
    project.call("doctor --fix").run().succeeded();
    assert_eq!(project.file(&file), whole);
    fs::remove_file(path(&project, &file)).unwrap();
    project.call("session show latest").run().says("the body is missing");
    project.call("doctor --fix").run().succeeded();
    assert_eq!(project.file(&file), whole);
}

#[test]
fn a_key_with_a_damaged_name_is_reported_and_put_right() {
    let project = used();
    let file = only(&project, "tasks", "task.toml");
    project.edit(&file, "title = ", "tjtle = ");
    project.call("task list").run().says("did you mean `title`?");
    project.call("doctor --fix").run().succeeded().says("misspelled key");
    assert!(project.file(&file).contains("title = \"Alpha\""));
    project.edit(".handoff/config.toml", "[settings]", "[settjngs]");
    project.call("task list").run().says("did you mean `settings`?");
}

#[test]
fn a_deleted_time_log_is_found_by_the_doctor() {
    let project = used();
    let file = only(&project, "time", ".toml");
    let whole = project.file(&file);
    fs::remove_file(path(&project, &file)).unwrap();
    project.call("doctor").run().says("missing file").says(&file);
    project.call("doctor --fix").run().succeeded();
    assert_eq!(project.file(&file), whole);
}

#[test]
fn a_damaged_session_hides_items_with_a_word_and_keeps_their_ids() {
    let project = project!();
    let request = json!({"summary": "Parser split in two", "next": ["Enable TLS"], "blockers": ["CI is down"]});
    project.call("save").request(&request).run().succeeded();
    let file = only(&project, "sessions", ".toml");
    project.edit(&file, "summary = \"Parser", "summary = Parser");
    let name = file.trim_start_matches(".handoff/");
    for (command, words) in [
        ("open", "nothing is open in what can be read"),
        ("open --kind next", "no next step is open in what can be read"),
        ("open TLS", "no open item matches \"TLS\" in what can be read"),
    ] {
        project.call(command).run().succeeded().says(words).says(name);
    }
    let request = json!({"summary": "Grammar written", "next": ["Write docs"], "blockers": ["No staging key"]});
    project.call("save").request(&request).run().succeeded().says("open here: n2, b2").says(name);
    project.call("drop b2").run().succeeded().says(name);
    project.call("done n2").run().succeeded().says("nothing is open in what can be read").says(name);
    project.edit(&file, "summary = Parser", "summary = \"Parser");
    project.call("open").run().succeeded().says("n1 Enable TLS").says("b1 CI is down").hides(name);
}
