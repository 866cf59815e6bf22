//! `handoff plan`: what is shown, what is written, and that it can be taken back. 2026-11-15 is a Sunday.

use handoff_testkit::{TaskDraft, TestProject, project};
use serde_json::{Value, json};

/// A task of so many hours.
fn hours(hours: f64) -> impl FnOnce(TaskDraft) -> TaskDraft {
    move |task| task.table(&format!("[schedule]\nestimate_hours = {hours:?}\n"))
}

fn schedule(task: TaskDraft, lines: &str) -> TaskDraft {
    task.table(&format!("[schedule]\n{lines}\n"))
}

/// A project whose days are those of one zone, wherever the test runs.
fn in_utc() -> TestProject {
    configured("")
}

fn configured(more: &str) -> TestProject {
    let project = project!();
    let config = project.file(".handoff/config.toml");
    project.write(".handoff/config.toml", format!("{config}\n[calendar]\ntime_zone = \"UTC\"\n{more}"));
    project
}

/// A chain of two under a parent, one task of somebody else, and one that is pinned.
fn sample() -> TestProject {
    configured("[milestones.beta]\ndate = 2026-11-20\n")
        .task("parentxx", |task| task.title("Auth"))
        .task("designxx", |task| {
            schedule(task.title("Design").parent("parentxx").field("assignee = \"ann\""), "estimate_hours = 12.0")
        })
        .task("buildxxx", |task| {
            let task = task.title("Build").parent("parentxx").field("assignee = \"ann\"").depends_on(&["designxx"]);
            schedule(task, "estimate_hours = 10.0\nmilestone = \"beta\"")
        })
        .task("docsxxxx", |task| {
            schedule(
                task.title("Write docs").field("assignee = \"bob\""),
                "estimate_hours = 3.0\ndue_date = 2026-11-10",
            )
        })
        .task("reviewxx", |task| {
            let task = task.title("Review").field("assignee = \"bob\"");
            schedule(task, "estimate_hours = 4.0\nstart_date = 2026-11-19\ndue_date = 2026-11-19\npinned = true")
        })
}

fn dates(project: &TestProject, id: &str) -> (Value, Value) {
    let schedule = project.json(&format!("task show {id}"))["schedule"].clone();
    (schedule["start_date"].clone(), schedule["due_date"].clone())
}

#[test]
fn the_plan_is_a_picture_a_table_and_what_is_to_know() {
    let project = sample();
    let before = project.records();
    insta::assert_snapshot!(project.handoff("plan"), @"
    4 tasks from 2026-11-15, finished on 2026-11-19

                        11-15
                        ▼
    01.1 Design     ann    ▒▒▒▒▒▒
    01.2 Build      ann       ▒▒▒▒▒▒
    02   Write docs bob    ▒▒▒
    03   Review     bob             ▓▓▓
    ◆ beta                             ◆
    █ critical  ▒ can slip  ▓ pinned  · in between  ▼ today  ◆ milestone

    task           who  start       end         work   slack  was
    01.1 Design    ann  2026-11-16  2026-11-17  12 h    10 h  no dates
    01.2 Build     ann  2026-11-17  2026-11-18  10 h    10 h  no dates
    02 Write docs  bob  2026-11-16  2026-11-16   3 h    25 h  until 2026-11-10
    03 Review      bob  2026-11-19  2026-11-19   4 h  pinned

    Milestones
    - beta 2026-11-20: reached on 2026-11-18

    Problems
    - `02 Write docs` ends later than due, by up to 6 days: give work to somebody else, cut it, or move the dates

    4 tasks have other dates than now; to write them run `handoff plan apply`
    ");
    assert_eq!(project.handoff("plan"), project.handoff("plan show"), "the noun alone shows it, and always the same");
    insta::assert_snapshot!(project.handoff("plan --assignee bob --weeks 1"), @"
    2 tasks of bob from 2026-11-15, finished on 2026-11-19

                      11-15
                      ▼
    02 Write docs bob    ▒▒▒
    03 Review     bob             ▓▓▓
    ◆ beta                           ◆
    █ critical  ▒ can slip  ▓ pinned  · in between  ▼ today  ◆ milestone

    task           who  start       end         work   slack  was
    02 Write docs  bob  2026-11-16  2026-11-16   3 h    25 h  until 2026-11-10
    03 Review      bob  2026-11-19  2026-11-19   4 h  pinned

    Milestones
    - beta 2026-11-20: reached on 2026-11-18

    Problems
    - `02 Write docs` ends later than due, by up to 6 days: give work to somebody else, cut it, or move the dates

    1 task has other dates than now; to write them run `handoff plan apply --assignee bob`
    ");
    insta::assert_snapshot!(project.handoff("plan --csv"), @"
    number,id,title,who,start,end,minutes,slack_minutes,critical,pinned
    01.1,designxx,Design,ann,2026-11-16,2026-11-17,720,600,false,false
    01.2,buildxxx,Build,ann,2026-11-17,2026-11-18,600,600,false,false
    02,docsxxxx,Write docs,bob,2026-11-16,2026-11-16,180,1500,false,false
    03,reviewxx,Review,bob,2026-11-19,2026-11-19,240,,true,true
    ");
    project.records().assert_same(&before, "showing a plan changes nothing");
}

#[test]
fn the_json_has_every_day_and_the_names_that_others_know() {
    let project = sample();
    let plan = project.json("plan");
    assert_eq!((&plan["scheduled_count"], &plan["changed_count"]), (&json!(4), &json!(4)));
    assert_eq!(plan["end"], "2026-11-19");
    assert_eq!(
        plan["tasks"][1]["days"],
        json!([{"day": "2026-11-17", "minutes": 240}, {"day": "2026-11-18", "minutes": 360}])
    );
    assert_eq!(
        plan["changes"][3],
        json!({
            "task_id": "docsxxxx", "number": "02", "title": "Write docs", "old_start": null, "new_start": "2026-11-16",
            "old_due": "2026-11-10", "new_due": "2026-11-16", "later_days": 6,
        })
    );
    assert_eq!(plan["critical_path"], json!(["reviewxx"]), "what is pinned last decides about the end");
}

#[test]
fn applying_is_one_change_that_undo_takes_back_and_that_is_not_made_twice() {
    let project = sample();
    let before = project.records();
    insta::assert_snapshot!(project.handoff("plan apply --dry-run"), @"
    would change the dates of 4 tasks; nothing was written
    task           was               becomes                   later
    01 Auth        no dates          2026-11-16 – 2026-11-18
    01.1 Design    no dates          2026-11-16 – 2026-11-17
    01.2 Build     no dates          2026-11-17 – 2026-11-18
    02 Write docs  until 2026-11-10  2026-11-16               6 days

    Milestones
    - beta 2026-11-20: reached on 2026-11-18

    Problems
    - `02 Write docs` ends later than due, by up to 6 days: give work to somebody else, cut it, or move the dates
    ");
    project.records().assert_same(&before, "a dry run changes nothing");
    insta::assert_snapshot!(project.handoff("plan apply"), @"
    ✓ changed the dates of 4 tasks; `handoff undo` takes it back
    task           was               becomes                   later
    01 Auth        no dates          2026-11-16 – 2026-11-18
    01.1 Design    no dates          2026-11-16 – 2026-11-17
    01.2 Build     no dates          2026-11-17 – 2026-11-18
    02 Write docs  until 2026-11-10  2026-11-16               6 days

    Milestones
    - beta 2026-11-20: reached on 2026-11-18

    Problems
    - `02 Write docs` ends later than due, by up to 6 days: give work to somebody else, cut it, or move the dates
    ");
    assert_eq!(dates(&project, "buildxxx"), (json!("2026-11-17"), json!("2026-11-18")));
    assert_eq!(
        dates(&project, "parentxx"),
        (json!("2026-11-16"), json!("2026-11-18")),
        "a parent reaches over its leaves"
    );
    assert_eq!(dates(&project, "reviewxx"), (json!("2026-11-19"), json!("2026-11-19")), "what is pinned stays");
    let applied = project.records();
    project.call("plan apply").run().succeeded().says("nothing to change");
    project.call("plan apply --forget-dates").run().succeeded().says("nothing to change");
    project.records().assert_same(&applied, "the second time there is nothing to write");
    project.call("undo").run().succeeded();
    project.records().assert_same(&before, "one undo takes all of it back");
}

#[test]
fn the_plan_of_one_person_writes_nobody_elses_dates() {
    let project = sample();
    project.call("plan apply --assignee bob").run().succeeded().says("the dates of 1 task");
    assert_eq!(dates(&project, "docsxxxx"), (json!("2026-11-16"), json!("2026-11-16")));
    assert_eq!(dates(&project, "designxx"), (Value::Null, Value::Null));
    project.call("plan --assignee boob").run().failed(3).says("nobody here is called `boob`: there are `ann`, `bob`");
}

#[test]
fn a_plan_begins_today_or_later() {
    let project = sample();
    assert_eq!(project.json("plan --from 2026-12-07")["tasks"][0]["start"], "2026-12-07");
    project.call("plan --from 2026-11-14").run().failed(2).says("2026-11-14 is over");
    project.call("plan --from tomorrow").run().failed(2);
    project.call("plan --limit 0").run().failed(2);
    project.call("plan --weeks 0").run().failed(2);
}

#[test]
fn moving_a_task_shows_what_follows_and_writes_it_only_when_told() {
    let project = sample();
    project.call("plan apply").run().succeeded();
    let before = project.records();
    insta::assert_snapshot!(project.handoff("plan move 1.1 --to 2026-11-18"), @"
    moving 01.1 would move 2 others; nothing was written
    task         was                      becomes                   later
    01 Auth      2026-11-16 – 2026-11-18  2026-11-18 – 2026-11-23  5 days
    01.1 Design  2026-11-16 – 2026-11-17  2026-11-18 – 2026-11-19  2 days
    01.2 Build   2026-11-17 – 2026-11-18  2026-11-20 – 2026-11-23  5 days

    Problems
    - milestone `beta` of 2026-11-20 will be reached on 2026-11-23, 3 days late, when `01.2 Build` ends: move the date, or take work out of it

    to write this run `handoff plan move designxx --apply --to 2026-11-18`
    ");
    project.records().assert_same(&before, "a preview changes nothing");
    let moved = project.json("plan move designxx --to 2026-11-18");
    assert_eq!(moved["moved"][2]["because_of"], "designxx");
    project.call("plan move 1.1 --to 2026-11-18 --apply").run().succeeded().says("moved 01.1 and 2 others");
    assert_eq!(dates(&project, "buildxxx"), (json!("2026-11-20"), json!("2026-11-23")));
    project.call("undo").run().succeeded();
    project.records().assert_same(&before, "one undo takes all of it back");
    project.call("plan move 1.1").run().failed(2).says("say where to");
    project.call("plan move 1 --to 2026-11-18").run().failed(4).says("its dates follow from them");
    project.call("plan move 9 --to 2026-11-18").run().failed(3);
    project.call("plan move 1.1 --to 2026-11-18 --due 2026-11-17").run().failed(2).says("cannot be done on 2026-11-17");
    project.call("task update 2 --status done").run().succeeded();
    project.call("plan move 2 --to 2026-11-18").run().failed(4).says("is finished");
}

#[test]
fn capacity_is_told_by_person_and_by_day() {
    let project = sample();
    insta::assert_snapshot!(project.handoff("plan capacity --from 2026-11-16 --to 2026-11-22"), @"
    2026-11-16 – 2026-11-22: 80 h on 5 days, 29 h planned, 51 h free
    who  days  time  planned  free
    ann     5  40 h     22 h  18 h
    bob     5  40 h      7 h  33 h
    for the days of one person run `handoff plan capacity --from 2026-11-16 --to 2026-11-22 --assignee ann`
    ");
    insta::assert_snapshot!(project.handoff("plan capacity --from 2026-11-16 --to 2026-11-22 --assignee ann"), @"
    ann, 2026-11-16 – 2026-11-22: 40 h on 5 days, 22 h planned, 18 h free
    date        time  planned
    2026-11-16   8 h      8 h
    2026-11-17   8 h      8 h
    2026-11-18   8 h      6 h
    2026-11-19   8 h      0 h
    2026-11-20   8 h      0 h
    ");
    insta::assert_snapshot!(project.handoff("plan capacity --from 2026-11-16 --to 2026-11-18 --assignee bob --csv"), @"
    who,date,capacity_minutes,allocated_minutes,overbooked_minutes
    bob,2026-11-16,480,180,0
    bob,2026-11-17,480,0,0
    bob,2026-11-18,480,0,0
    ");
    let long = project.json("plan capacity --from 2026-11-16 --to 2036-11-16 --assignee ann");
    assert!(long["days"].as_array().unwrap().len() < 366 && long["unlisted_days"].as_u64().unwrap() > 3_000);
    project.call("plan capacity --from 2026-11-16 --to 2026-11-15").run().failed(2).says("before it starts");
    project.call("plan capacity --assignee boob").run().failed(3);
}

#[test]
fn a_day_with_more_than_can_be_done_is_marked() {
    let project = in_utc()
        .task("taskaaaa", |task| {
            schedule(
                task.field("assignee = \"ann\""),
                "estimate_hours = 6.0\nstart_date = 2026-11-16\ndue_date = 2026-11-16",
            )
        })
        .task("taskbbbb", |task| {
            schedule(
                task.field("assignee = \"ann\""),
                "estimate_hours = 6.0\nstart_date = 2026-11-16\ndue_date = 2026-11-16",
            )
        });
    let range = "--from 2026-11-16 --to 2026-11-17 --assignee ann";
    let capacity = project.json(&format!("plan capacity {range}"));
    assert_eq!((&capacity["total_hours"], &capacity["allocated_hours"]), (&json!(16.0), &json!(12.0)));
    assert_eq!(capacity["days"][0]["overbooked_minutes"], 240);
    project.call(&format!("plan capacity {range}")).run().succeeded().says("4 h overbooked");
    project.call("plan apply").run().succeeded();
    project.call(&format!("plan capacity {range}")).run().succeeded().hides("overbooked");
}

#[test]
fn what_is_next_is_told_with_its_reasons() {
    let project = sample();
    insta::assert_snapshot!(project.handoff("plan next"), @"
    - 02 Write docs docsxxxx todo for bob: overdue since 2026-11-10
    - 01.1 Design designxx todo for ann: 1 task waits for it
    ");
    insta::assert_snapshot!(project.handoff("plan next --assignee ann --limit 1"), @"- 01.1 Design designxx todo for ann: 1 task waits for it");
    let next = project.json("plan next --limit 1");
    assert_eq!((&next["tasks"][0]["reasons"][0]["kind"], &next["more"]), (&json!("overdue"), &json!(1)));
    project.call("plan next --limit 0").run().failed(2);
    insta::assert_snapshot!(in_utc().handoff("plan next"), @"nothing to do: no task is open");
    let stuck = in_utc().task("taskaaaa", |task| task.status("blocked"));
    insta::assert_snapshot!(stuck.handoff("plan next"), @"no task can be done now: what is open is blocked, waits, is pinned to a later day, or is somebody else's");
}

#[test]
fn calendars_on_which_nothing_can_be_done_are_told_with_what_would_help() {
    for closed in ["closed_weekdays = [0, 1, 2, 3, 4, 5, 6]", "work_hours_per_day = 0"] {
        let project = configured(&format!("{closed}\n")).task("taskaaaa", hours(8.0));
        project.call("plan").run().succeeded().says("no working time from 2026-11-15 on").says("`work_hours_per_day`");
        project.call("plan apply").run().succeeded().says("nothing to change");
        project.call("plan capacity").run().succeeded();
        project.call("plan next").run().succeeded().says("taskaaaa");
        project.call("plan start 2026-11-16 --shift-dates").run().succeeded();
    }
}

#[test]
fn too_much_work_before_a_milestone_is_told_with_the_day_that_would_do() {
    let project = configured("[milestones.beta]\ndate = 2026-11-17\n")
        .task("taskaaaa", |task| schedule(task, "estimate_hours = 20.0\nmilestone = \"beta\""));
    let answer = project.call("plan").run();
    answer.succeeded().says("4 h short by 2026-11-17").says("move the date to 2026-11-18").says("1 day late");
}

#[test]
fn tasks_that_wait_for_each_other_are_told_and_the_rest_is_planned() {
    let project = in_utc()
        .task("taskaaaa", |task| schedule(task.depends_on(&["taskbbbb"]), "estimate_hours = 1.0"))
        .task("taskbbbb", |task| schedule(task.depends_on(&["taskaaaa"]), "estimate_hours = 1.0"))
        .task("taskcccc", hours(8.0));
    project.call("plan").run().succeeded().says("these wait for each other").says("remove one of the dependencies");
    project.call("plan apply").run().succeeded().says("the dates of 1 task");
    assert_eq!(dates(&project, "taskcccc"), (json!("2026-11-16"), json!("2026-11-16")));
    assert_eq!(dates(&project, "taskaaaa"), (Value::Null, Value::Null));
}

#[test]
fn thousands_of_tasks_are_cut_with_a_count_and_the_json_has_all() {
    let project = in_utc();
    for number in 0..1_200 {
        let text = format!(
            "format = 1\nid = \"t{number:07}\"\ntitle = \"Task {number}\"\nstatus = \"todo\"\n[schedule]\nestimate_hours = 2.0\n"
        );
        project.write(&format!(".handoff/tasks/{:04}-todo--task-{number}/task.toml", number + 1), text);
    }
    let shown = project.handoff("plan");
    assert!(shown.contains("1160 more tasks: run `handoff plan show --limit 1200`"), "{shown}");
    assert!(shown.lines().count() < 120, "{}", shown.lines().count());
    assert_eq!(shown, project.handoff("plan"), "the same bytes");
    let plan = project.json("plan");
    assert_eq!(plan["tasks"].as_array().unwrap().len(), 1_200);
    assert_eq!(plan["end"], "2028-01-07", "1,200 tasks are 300 days, which are 60 weeks");
    project.call("plan apply").run().succeeded().says("the dates of 1200 tasks");
    project.call("plan apply").run().succeeded().says("nothing to change");
    project.call("undo").run().succeeded();
    assert_eq!(dates(&project, "t0000000"), (Value::Null, Value::Null));
}

#[test]
fn a_project_is_started_on_a_day_and_its_dates_move_by_working_days() {
    let project = in_utc()
        .task("taskaaaa", |task| schedule(task, "start_date = 2026-11-02\ndue_date = 2026-11-03"))
        .task("taskbbbb", |task| schedule(task, "start_date = 2026-11-05\ndue_date = 2026-11-05"))
        .task("taskcccc", |task| schedule(task, "start_date = 2026-11-06\ndue_date = 2026-11-06\npinned = true"));
    let before = project.records();
    project.call("plan start 2026-11-18").run().succeeded().says("the project starts on 2026-11-18");
    assert_eq!(project.json("config get project.started_at")["settings"][0]["value"], "2026-11-18");
    assert_eq!(dates(&project, "taskaaaa"), (json!("2026-11-02"), json!("2026-11-03")));
    project.call("undo").run().succeeded();
    insta::assert_snapshot!(project.handoff("plan start 2026-11-18 --shift-dates"), @"
    ✓ the project starts on 2026-11-18; moved the dates of 2 tasks
    task              was                      becomes                    later
    01 Task taskaaaa  2026-11-02 – 2026-11-03  2026-11-18 – 2026-11-19  16 days
    02 Task taskbbbb  2026-11-05               2026-11-23               18 days
    ");
    project.call("plan start 2026-11-18 --shift-dates").run().succeeded().says("as before").says("no date had to move");
    project.call("undo").run().succeeded();
    project.records().assert_same(&before, "setting and dates are one change");
    project.call("plan start 2026-02-30").run().failed(2);
}

#[test]
fn the_start_that_the_published_tool_wrote_is_known() {
    let project = project!();
    let config = project.file(".handoff/config.toml");
    project.write(".handoff/config.toml", format!("started_at = \"2026-05-04\"\n{config}"));
    assert_eq!(project.json("plan start 2026-11-18")["before"], "2026-05-04");
    assert_eq!(project.json("plan start 2026-05-04")["before"], "2026-11-18");
    assert!(
        project.file(".handoff/config.toml").starts_with("started_at = \"2026-05-04\"\n"),
        "what others wrote stays"
    );
}

#[test]
fn agents_plan_with_the_published_tool_and_write_only_when_they_say_so() {
    let project = sample();
    let before = project.records();
    let mut client = project.mcp().connect();
    let facts = client.facts("handoff_auto_schedule", json!({}));
    assert_eq!(
        (&facts["dry_run"], &facts["scheduled_count"], &facts["changed_count"]),
        (&json!(true), &json!(4), &json!(4))
    );
    assert_eq!(facts["changes"][1]["new_start"], "2026-11-16");
    project.records().assert_same(&before, "nothing is written unless it is said");
    let facts = client.facts("handoff_auto_schedule", json!({"dry_run": false, "assignee_filter": "ann"}));
    assert_eq!((&facts["dry_run"], &facts["changed_count"]), (&json!(false), &json!(3)));
    let facts = client.facts("handoff_auto_schedule", json!({"dry_run": false, "assignee_filter": "ann"}));
    assert_eq!(facts["changed_count"], 0);
    let text = client.text("handoff_next_task", json!({"limit": 1}));
    assert!(text.contains("overdue since 2026-11-10"), "{text}");
    let wrong = client.failure("handoff_auto_schedule", json!({"start_date": "soon"}));
    assert!(wrong.contains("`start_date` is not valid"), "{wrong}");
    client.close();
}
