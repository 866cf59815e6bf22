//! Time that is logged by hand: how it is said, what is refused, what it comes to.

use handoff_testkit::{Answer, TestProject, project};
use serde_json::{Value, json};

const NOW: &str = "2026-11-16T15:00:00Z";

fn two_tasks() -> TestProject {
    let project = project!()
        .task("k7f3q2ma", |task| task.title("Implement auth").field("schedule = { estimate_hours = 4 }"))
        .task("m2x9a4te", |task| task.title("=Write docs").parent("k7f3q2ma"));
    project.json("config set calendar.time_zone Europe/Berlin");
    project
}

fn now(project: &TestProject, line: &str) -> Answer {
    project.call(line).env("HANDOFF_CLOCK", NOW).run()
}

fn json_of(project: &TestProject, line: &str) -> Value {
    now(project, &format!("{line} --json")).succeeded().json()
}

#[test]
fn hours_are_logged_however_they_are_said_and_the_answer_says_what_they_come_to() {
    let project = two_tasks();
    let logged = now(&project, "time log 1 1.5");
    assert_eq!(logged.succeeded().stdout, "✓ logged 1 h 30 min on 01 Implement auth; 1.5 h in all, 2.5 h remaining\n");
    for (line, minutes, actual) in
        [("1 30m", 30, 2.0), ("1 1h15m", 75, 3.25), ("1 --minutes 45", 45, 4.0), ("1 2h", 120, 6.0)]
    {
        let logged = json_of(&project, &format!("time log {line}"));
        assert_eq!((&logged["minutes"], &logged["actual_hours"]), (&json!(minutes), &json!(actual)), "{line}");
    }
    assert_eq!(json_of(&project, "task show 1")["remaining_hours"], 0.0);
    let mut client = project.mcp().env("HANDOFF_CLOCK", NOW).word("--tools").word("core,time").connect();
    let text = client.text("handoff_log_time", json!({"task_id": "k7f3q2ma", "hours": 0.5}));
    assert!(text.contains("logged 30 min on 01 Implement auth; 6.5 h in all, 0 h remaining"), "{text}");
    assert!(client.text("handoff_get_task", json!({"task_id": "1"})).contains("6.5 h"));
    assert!(client.text("handoff_list_tasks", json!({})).contains("6.5 h logged"));
    client.close();
}

#[test]
fn a_stretch_is_logged_by_its_ends_in_the_zone_of_the_project() {
    let project = two_tasks();
    let ends = |line: &str| {
        let logged = json_of(&project, &format!("time log 1.1 {line} --note review --who bob"));
        (logged["started_at"].as_str().unwrap().to_owned(), logged["ended_at"].as_str().unwrap_or("").to_owned())
    };
    let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    assert_eq!(ends("--from 09:00 --to 10:30"), pair("2026-11-16T08:00:00Z", "2026-11-16T09:30:00Z"));
    assert_eq!(ends("1h --from 11:00"), pair("2026-11-16T10:00:00Z", "2026-11-16T11:00:00Z"));
    assert_eq!(ends("30m --to 2026-11-16T12:30:00Z"), pair("2026-11-16T12:00:00Z", "2026-11-16T12:30:00Z"));
    assert_eq!(ends("--from 23:30 --to 23:45 --day 2026-11-14"), pair("2026-11-14T22:30:00Z", "2026-11-14T22:45:00Z"));
    assert_eq!(ends("2 --day 2026-11-13"), pair("2026-11-13T11:00:00Z", ""));
    let days = json_of(&project, "time --who bob");
    let days: Vec<String> =
        days["by_day"].as_array().unwrap().iter().map(|it| format!("{} {}", it["day"], it["minutes"])).collect();
    assert_eq!(days, ["\"2026-11-13\" 120", "\"2026-11-14\" 15", "\"2026-11-16\" 180"]);
}

#[test]
fn what_cannot_have_been_worked_is_refused_and_nothing_is_written() {
    let project = two_tasks();
    let before = project.records();
    for (line, says) in [
        ("1", "say how long it was"),
        ("1 0", "is no length of work"),
        ("1 -1", "is no length of work"),
        ("1 NaN", "is no length of work"),
        ("1 1e9", "is no length of work"),
        ("1 5000", "is no length of work"),
        ("1 --minutes 0", "is no number of minutes"),
        ("1 --minutes -5", "is no number of minutes"),
        ("1 1 --minutes 5", "not both"),
        ("1 --from 09:00", "go together"),
        ("1 1 --from 09:00 --to 10:00", "leave out the hours"),
        ("1 --from 10:00 --to 09:00", "before it begins"),
        ("1 --from 17:00 --to 18:00", "lies in the future"),
        ("1 1 --day 2026-11-17", "lies in the future"),
        ("1 --from 2026-11-10T09:00 --to 2026-11-12T09:00", "longer than a day"),
        ("1 --from noon --to 13:00", "is no time"),
    ] {
        let answer = now(&project, &format!("time log {line}"));
        answer.failed(2).says(says);
    }
    now(&project, "time log nothing 1").failed(3);
    for hours in [json!(0), json!(-2), json!(1e300), json!("NaN"), json!(null)] {
        let request = json!({"task_id": "1", "hours": hours});
        project.call("time log").env("HANDOFF_CLOCK", NOW).request(&request).run().failed(2);
    }
    project.records().assert_same(&before, "refused");
}

#[test]
fn what_a_person_logs_twice_counts_once_and_is_told() {
    let project = two_tasks();
    json_of(&project, "time log 1 --from 09:00 --to 11:00");
    let twice = now(&project, "time log 1.1 --from 10:00 --to 12:00 --json");
    let answer = twice.succeeded().json();
    assert_eq!((&answer["hours"], &answer["actual_hours"]), (&json!(2.0), &json!(1.0)));
    assert!(answer["warnings"][0].as_str().unwrap().contains("alice logged 1 h twice"), "{answer}");
    json_of(&project, "time log 1 --from 10:00 --to 11:00 --who bob");
    assert_eq!(json_of(&project, "task show 1.1")["actual_hours"], 1.0);
    assert_eq!(json_of(&project, "task show 1")["actual_hours"], 3.0);
    let summary = json_of(&project, "time");
    assert_eq!((&summary["minutes"], summary["overlaps"].as_array().unwrap().len()), (&json!(240), 1));
    assert_eq!(
        summary["by_person"],
        json!([
            {"who": "alice", "minutes": 180, "hours": 3.0},
            {"who": "bob", "minutes": 60, "hours": 1.0},
        ])
    );
    let list = json_of(&project, "time list --task 1.1");
    assert_eq!(
        (&list["matches"], &list["minutes"], list["overlaps"].as_array().unwrap().len()),
        (&json!(1), &json!(60), 1)
    );
}

#[test]
fn corrections_are_entries_and_what_was_logged_stays() {
    let project = two_tasks();
    json_of(&project, "time log 1 2");
    let taken = now(&project, "time correct 1 --minutes -30 --note lunch");
    assert_eq!(taken.succeeded().stdout, "✓ took off 30 min on 01 Implement auth; 1.5 h in all, 2.5 h remaining\n");
    assert_eq!(json_of(&project, "time correct 1 --total 2h15m")["minutes"], 45);
    assert_eq!(json_of(&project, "time correct 1 --total 0")["actual_hours"], 0.0);
    now(&project, "time correct 1 --total 0").failed(4).says("nothing to correct");
    now(&project, "time correct 1 --minutes -10").failed(4).says("less than nothing");
    now(&project, "time correct 1").failed(2);
    now(&project, "time correct 1 --minutes 5 --total 3").failed(2);
    let lengths = json_of(&project, "time list");
    let lengths: Vec<i64> =
        lengths["entries"].as_array().unwrap().iter().map(|it| it["minutes"].as_i64().unwrap()).collect();
    assert_eq!(lengths.len(), 4);
    assert_eq!(lengths.iter().sum::<i64>(), 0);
    project.call("undo").run().succeeded();
    assert_eq!(json_of(&project, "task show 1")["actual_hours"], 2.25);
}

#[test]
fn lists_are_filtered_and_go_into_spreadsheets() {
    let project = two_tasks();
    json_of(&project, "time log 1.1 --from 09:00 --to 10:00 --note \"=1+1, twice\"");
    json_of(&project, "time log 1 2 --day 2026-11-02 --who bob");
    let csv = now(&project, "time list --csv");
    assert_eq!(
        csv.succeeded().stdout,
        "started_at,ended_at,minutes,task,number,title,who,source,session,note\n\
         2026-11-02T11:00:00Z,,120,k7f3q2ma,01,Implement auth,bob,manual,,\n\
         2026-11-16T08:00:00Z,2026-11-16T09:00:00Z,60,m2x9a4te,01.1,'=Write docs,alice,manual,,\"'=1+1, twice\"\n"
    );
    let count = |line: &str| json_of(&project, &format!("time list {line}"))["matches"].as_u64().unwrap();
    let counts = ["--who bob", "--task 1.1", "--since 7d", "--until 2026-11-15", "--source timer", ""].map(count);
    assert_eq!(counts, [1, 1, 1, 1, 0, 2]);
    now(&project, "time list --since 2026-11-10 --until 2026-11-01").failed(2);
    let summary = now(&project, "time --csv --since 7d");
    assert_eq!(
        summary.succeeded().stdout,
        "day,task,number,title,who,minutes,hours\n2026-11-16,m2x9a4te,01.1,'=Write docs,alice,60,1\n"
    );
    let shown = now(&project, "time");
    shown.succeeded().says("3 h logged").says("2026-11-02  █▁▁▁▁▁▁▁▁▁▁▁▁▁▅  2026-11-16");
}

#[test]
fn a_log_that_cannot_be_read_is_told_and_the_others_count() {
    let project = two_tasks();
    json_of(&project, "time log 1 2");
    project.write(".handoff/time/2026-10-bob.toml", "intervals = 5\n");
    now(&project, "time").succeeded().says("2 h logged");
    let answer = now(&project, "time list --json");
    assert!(answer.succeeded().json()["warnings"][0].as_str().unwrap().contains("2026-10-bob.toml"));
    assert_eq!(json_of(&project, "task show 1")["actual_hours"], 2.0, "nobody in it has to do with the task");
}

#[test]
fn the_damaged_log_of_one_person_does_not_stop_another() {
    let project = project!().task("k7f3q2ma", |task| task.title("Implement auth"));
    project.call("time log k7f 1h --who bob").run().succeeded();
    let log = ".handoff/time/2026-11-bob.toml";
    project.write(log, format!("<<<<<<< ours\n{}", project.file(log)));
    let answer = project.call("time log k7f 1h --who ann").run();
    assert!(answer.succeeded().stderr.contains("2026-11-bob.toml"), "{answer}");
    project.call("time log k7f 1h --who bob").run().failed(6);
}
