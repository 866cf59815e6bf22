//! `handoff team`, `milestone` and `label`: who works, towards what, and that settings and tasks change together.

use handoff_testkit::{TestProject, project};
use serde_json::{Value, json};

const CONFIG: &str = ".handoff/config.toml";
const USER: &str = "../../home/config/handoff/config.toml";

/// A project with tasks of two people, of whom the settings know one.
fn crew() -> TestProject {
    let project = project!();
    project.call("team add alice --name 'Alice A.' --hours 6").run().succeeded();
    project
        .task("aaaaaaaa", |task| {
            task.title("Parent").field("assignee = \"alice\"").table("[schedule]\nestimate_hours = 99.0\n")
        })
        .task("bbbbbbbb", |task| {
            task.title("Leaf")
                .parent("aaaaaaaa")
                .field("assignee = \"alice\"")
                .table("[schedule]\nestimate_hours = 3.0\nmilestone = \"beta\"\n")
        })
        .task("cccccccc", |task| {
            task.title("Over")
                .status("done")
                .field("assignee = \"alice\"")
                .table("[schedule]\nestimate_hours = 2.0\nmilestone = \"beta\"\n")
        })
        .task("dddddddd", |task| task.title("Loose").field("assignee = \"bob\"").labels(&["api"]))
}

fn assignee(project: &TestProject, task: &str) -> Value {
    project.json(&format!("task show {task}"))["assignee"].clone()
}

#[test]
fn somebody_is_added_changed_and_removed() {
    let project = project!();
    insta::assert_snapshot!(
        project.handoff("team add alice --hours 6 --closed-weekday fri --off 2026-12-24 --off 2026-12-27..2026-12-29"),
        @r#"
    ✓ added `alice` to the team
    - assignees.alice.work_hours_per_day: not set → 6.0  (.handoff/config.toml:20)
    - assignees.alice.closed_weekdays: not set → fri  (.handoff/config.toml:21)
    - assignees.alice.closed_dates: not set → 2026-12-24, 2026-12-27, 2026-12-28, 2026-12-29  (.handoff/config.toml:22)
    "#
    );
    project
        .call("team add alice")
        .run()
        .failed(4)
        .says("there is a person `alice` already")
        .says("handoff team update alice");
    project.call("team add Alice").run().succeeded().says("there is also a person `alice`");
    project
        .call("team update alice --remove-off 2026-12-27..2026-12-28 --add-off 2026-12-24,2026-12-31")
        .run()
        .succeeded();
    let alice = project.json("team list")["assignees"]["alice"].clone();
    assert_eq!(alice["closed_dates"], json!(["2026-12-24", "2026-12-29", "2026-12-31"]));
    assert_eq!(alice["hours_per_week"], 36.0, "six days of six hours: only friday is closed: {alice}");
    project.call("team update alice --off none --closed-weekday none --day-hours wed=2,fri=4").run().succeeded();
    project.call("team update alice --day-hours wed=none").run().succeeded();
    let alice = project.json("team list")["assignees"]["alice"].clone();
    assert_eq!((&alice["closed_dates"], &alice["closed_weekdays"]), (&Value::Null, &Value::Null), "{alice}");
    assert_eq!((&alice["day_hours"], &alice["hours_per_week"]), (&json!({"fri": 4.0}), &json!(28.0)), "{alice}");
    project.call("team update alice --hours 6").run().succeeded().says("nothing to change in `alice`");
    project.call("team update alice").run().succeeded().says("nothing to change in `alice`");
    project.call("team update alcie --hours 5").run().failed(3).says("there is no person `alcie`").says("close: alice");
    project.call("team remove alcie").run().failed(3).says("close: alice");
    project.call("team remove alice").run().succeeded().says("no open task was theirs");
    assert!(!project.file(CONFIG).contains("alice"), "{}", project.file(CONFIG));
}

#[test]
fn somebody_with_nothing_of_their_own_stays_on_the_team() {
    let project = project!();
    project.call("team add alice").run().succeeded();
    assert!(project.file(CONFIG).contains("[assignees.alice]"), "{}", project.file(CONFIG));
    project.call("team update alice --display-color '#4A90D9'").run().succeeded();
    project.call("team update alice --display-color none").run().succeeded();
    let alice = project.json("team list")["assignees"]["alice"].clone();
    assert_eq!((&alice["configured"], &alice["hours_per_week"]), (&json!(true), &json!(40.0)), "{alice}");
    project.write(CONFIG, "assignees.alice.color = \"#112233\"\n");
    project.call("team update alice --display-color none").run().succeeded();
    assert_eq!(project.json("team list")["assignees"]["alice"]["configured"], true, "{}", project.file(CONFIG));
}

#[test]
fn the_list_has_what_tasks_come_to_and_who_is_only_there() {
    let project = crew();
    project.call("task update bbbbbbbb --status in_progress").run().succeeded();
    let people = project.json("team list")["assignees"].clone();
    let figures = |who: &str| {
        let person = &people[who];
        [&person["task_count"], &person["active_task_count"], &person["total_estimate_hours"], &person["configured"]]
            .map(Clone::clone)
    };
    assert_eq!(figures("alice"), [json!(3), json!(2), json!(5.0), json!(true)], "a parent's estimate counts nowhere");
    assert_eq!(figures("bob"), [json!(1), json!(1), json!(0.0), json!(false)]);
    insta::assert_snapshot!(project.handoff("team"), @r"
    People
    name   shown as  h/week  open  tasks  estimate  logged
    alice  Alice A.      30     2      3       5 h     0 h
    bob                  40     1      1       0 h     0 h  only in tasks

    Milestones
    milestone  done  left
    beta        1/2   3 h  only in tasks

    Calendar
    hours:       8 a day, 40 a week
    closed:      sat, sun
    week begins: mon

    Labels
    api (1)
    ");
}

#[test]
fn removing_somebody_is_one_change_with_their_open_tasks() {
    let project = crew();
    let before = project.records();
    let answer = project.call("team remove alice --json").run().succeeded().json();
    assert_eq!(answer["tasks"], json!(["aaaaaaaa", "bbbbbbbb"]), "{answer}");
    assert_eq!(answer["message"], "removed `alice` from the team; 2 open tasks are no longer assigned");
    assert_eq!((assignee(&project, "aaaaaaaa"), assignee(&project, "cccccccc")), (Value::Null, json!("alice")));
    assert_eq!(
        project.json("team list")["assignees"]["alice"]["configured"],
        false,
        "what is finished still names them"
    );
    project.call("undo").run().succeeded();
    project.records().assert_same(&before, "one undo brings settings and tasks back");

    project.call("team remove alice --reassign-to carol").run().failed(3).says("there is no person `carol`");
    project
        .call("team remove alice --reassign-to bob")
        .run()
        .failed(3)
        .says("1 task names them")
        .says("handoff team add bob");
    project.call("team remove alice --reassign-to alice").run().failed(2);
    project.call("team remove bob").run().failed(3).says("`bob` is not in the settings");
    project.records().assert_same(&before, "nothing is half done");
    project.call("team add carol").run().succeeded();
    project.call("team remove alice --reassign-to carol").run().succeeded().says("2 open tasks are now `carol`'s");
    assert_eq!((assignee(&project, "bbbbbbbb"), assignee(&project, "cccccccc")), (json!("carol"), json!("alice")));
    project.call("team remove carol --keep-tasks").run().succeeded();
    assert_eq!(assignee(&project, "bbbbbbbb"), "carol");
}

#[test]
fn another_name_is_one_change_too() {
    let project = crew();
    let before = project.records();
    project.call("team rename alice").word("Ann-Marie O'Neil").run().succeeded().says("also in 2 open tasks");
    let renamed = project.records();
    assert_eq!(assignee(&project, "aaaaaaaa"), "Ann-Marie O'Neil");
    assert_eq!(assignee(&project, "cccccccc"), "alice", "what is finished stays as it was");
    let people = project.json("team list")["assignees"].clone();
    assert_eq!(people["Ann-Marie O'Neil"]["display_name"], "Alice A.", "{people}");
    project.call("team add bob").run().succeeded();
    project.call("team rename bob").word("Ann-Marie O'Neil").run().failed(4);
    project.call("team rename eve mallory").run().failed(3);
    project.call("undo").run().succeeded();
    project.records().assert_same(&renamed, "adding is taken back");
    project.call("undo").run().succeeded();
    project.records().assert_same(&before, "and renaming as a whole");
}

const WRITTEN: &str = r##"# how we work
format = 1
labels = ["api"] # short
mystery = { kept = true }

# people
[assignees.alice] # boss
# she likes mornings
work_hours_per_day = 6.0 # six
odd = 1

[assignees."Ann-Marie O'Neil"]
color = "#112233"

# the clock
[calendar]
closed_dates = ["2026-12-25"] # xmas
day_hours = { Friday = 4, odd = 3 } # short fridays

[milestones]
# soon
beta.date = "2026-12-18" # really
beta.odd = 2
"v1.0".color = "#445566"

[own]
x = [ 1,
  2 ] # mine
"##;

/// Every line that the change need not touch is still there.
fn assert_kept(project: &TestProject, gone: &[&str]) {
    let text = project.file(CONFIG);
    for line in WRITTEN.lines().filter(|line| !gone.contains(line)) {
        assert!(text.lines().any(|kept| kept == line), "`{line}` is gone:\n{text}");
    }
}

#[test]
fn comments_and_what_nobody_knows_survive_every_change() {
    let alike: &[(&str, &[&str])] = &[
        ("team add bob --hours 7", &[]),
        ("team update alice --hours 5 --add-off 2026-12-24", &["work_hours_per_day = 6.0 # six"]),
        ("team update alice --hours none", &["work_hours_per_day = 6.0 # six"]),
        ("team remove alice", &["[assignees.alice] # boss", "work_hours_per_day = 6.0 # six", "odd = 1"]),
        ("team rename alice ann", &["[assignees.alice] # boss"]),
        ("team budget 400", &[]),
        ("milestone add gamma --date 2027-02-01", &[]),
        ("milestone update beta --date 2026-12-21", &["beta.date = \"2026-12-18\" # really"]),
        (
            "milestone update beta --rename gamma",
            &["# soon", "beta.date = \"2026-12-18\" # really", "beta.odd = 2", "\"v1.0\".color = \"#445566\""],
        ),
        ("milestone update v1.0 --description 'the end'", &["\"v1.0\".color = \"#445566\""]),
        ("milestone remove v1.0", &["\"v1.0\".color = \"#445566\""]),
        ("calendar update --hours 7 --add-off 2026-12-26", &["closed_dates = [\"2026-12-25\"] # xmas"]),
        ("calendar update --day-hours fri=5", &["day_hours = { Friday = 4, odd = 3 } # short fridays"]),
        ("calendar update --time-zone Europe/Berlin --week-start sun", &[]),
        ("label add ui", &["labels = [\"api\"] # short"]),
        ("label remove api", &["labels = [\"api\"] # short"]),
    ];
    for (line, gone) in alike {
        for text in [WRITTEN.to_owned(), WRITTEN.replace('\n', "\r\n")] {
            let project = project!();
            project.write(CONFIG, &text);
            project.call(line).run().succeeded();
            assert_ne!(project.file(CONFIG), text, "{line}");
            assert_kept(&project, gone);
            project.call("undo").run().succeeded();
            assert_eq!(project.file(CONFIG), text, "{line} is taken back to the byte");
        }
    }
    let project = project!();
    project.write(CONFIG, WRITTEN);
    project.call("team update").word("Ann-Marie O'Neil").word("--display-color=none").run().succeeded();
    assert_kept(&project, &["color = \"#112233\""]);
    assert_eq!(project.json("team list")["assignees"]["Ann-Marie O'Neil"]["configured"], true);
    project.call("team remove").word("Ann-Marie O'Neil").run().succeeded();
    assert_kept(&project, &["[assignees.\"Ann-Marie O'Neil\"]", "color = \"#112233\""]);
    project.call("milestone update beta --rename gamma").run().succeeded();
    assert!(project.file(CONFIG).contains("# really"), "a comment goes along:\n{}", project.file(CONFIG));
}

#[test]
fn names_may_be_anything_that_can_be_read() {
    let long = "n".repeat(100);
    for name in
        ["__proto__", "a.b.c", "\"quoted\"", "Зоя", "日本", "a=b", "[x]", "#1", "back\\slash", "constructor", &long]
    {
        let project = project!();
        project.call("team add").word(name).word("--hours=6").run().succeeded();
        project.call("milestone add").word(name).run().succeeded();
        project.call("label add").word(name).run().succeeded();
        let people = project.json("team list")["assignees"].clone();
        assert_eq!(people[name]["work_hours_per_day"], 6.0, "{name}: {people}");
        project.call("team update").word(name).word("--hours=5").run().succeeded();
        assert_eq!(project.json("milestone list")["milestones"][name]["configured"], true, "{name}");
        assert_eq!(project.json("label list")["labels"][0]["label"], name);
        project.call("team rename").word(name).word("x").run().succeeded();
        project.call("team remove x").run().succeeded();
        project.call("milestone remove").word(name).run().succeeded();
        project.call("label remove").word(name).run().succeeded();
        assert_eq!(project.json("team list")["assignees"], json!({}));
    }
    for (name, why) in [
        ("", "must not be empty"),
        ("  ", "must not be empty"),
        (&"n".repeat(101), "at most 100"),
        ("a\u{1b}[31m", "U+001B"),
        ("two\nlines", "U+000A"),
        ("a\u{202e}b", "U+202E"),
        ("none", "it stands for nobody"),
    ] {
        let project = project!();
        let before = project.records();
        for request in [json!({"key": name}), json!({"key": "x", "new_key": name})] {
            let command = if request.get("new_key").is_some() { "team rename" } else { "team add" };
            project.call(command).request(&request).run().failed(2).says(why);
        }
        project.call("milestone add").request(&json!({"name": name})).run().failed(2).says(why);
        project.call("label add").request(&json!({"labels": ["x", name]})).run().failed(2).says(why);
        project.records().assert_same(&before, name);
    }
}

#[test]
fn wrong_values_name_their_field_and_nothing_is_written() {
    let project = crew();
    let before = project.records();
    for (field, value, why) in [
        ("work_hours_per_day", json!(25), "a number from 0 to 24"),
        ("work_hours_per_day", json!(-1), "a number from 0 to 24"),
        ("work_hours_per_day", json!("6"), "a number from 0 to 24"),
        ("closed_weekdays", json!(["freitag"]), "`freitag` is not a day of the week"),
        ("closed_weekdays", json!([7]), "`7` is not a day of the week"),
        ("closed_weekdays", json!(true), "expected a list"),
        ("closed_dates", json!(["2026-02-30"]), "2026-02-30"),
        ("closed_dates", json!(["2026-12-31..2026-12-27"]), "ends before it begins"),
        ("add_closed_dates", json!(["2026-01-01..2036-01-01"]), "more than a year"),
        ("open_dates", json!([5]), "`5`"),
        ("day_hours", json!({"fri": 25}), "a number from 0 to 24"),
        ("day_hours", json!({"freitag": 4}), "`freitag` is neither"),
        ("day_hours", json!([4]), "expected hours by day"),
        ("color", json!("red"), "not a colour"),
        ("display_name", json!(5), "display_name"),
        ("if_rev", json!("x"), "if_rev"),
        ("hours", json!(5), "unknown field `hours`"),
    ] {
        let mut request = json!({"key": "alice", "color": "#112233"});
        request[field] = value;
        project.call("team update").request(&request).run().failed(2).says(why).says(field);
    }
    for line in [
        "team update alice --hours 25",
        "team update alice --hours -1",
        "team update alice --off 2026-02-30",
        "team update alice --closed-weekday freitag",
        "team update alice --day-hours fri",
        "calendar update --hours 25",
        "calendar update --week-start freitag",
        "calendar update --time-zone Mars/Olympus",
        "milestone add beta --date 2026-13-01",
        "milestone add beta --display-color red",
        "team budget -5",
        "team budget",
        "label add",
        "label set",
    ] {
        project.call(line).run().failed(2);
    }
    project.call("team budget").request(&json!({})).run().failed(2).says("`total_hours` is missing");
    project.records().assert_same(&before, "nothing was written");
}

#[test]
fn a_change_on_an_older_state_is_refused() {
    let project = crew();
    let rev = project.json("team")["rev"].as_str().unwrap().to_owned();
    project.call(&format!("team update alice --hours 5 --if-rev {rev}")).run().succeeded();
    let before = project.records();
    for line in ["team update alice --hours 4", "team remove alice", "team budget 5", "milestone add x", "label add x"]
    {
        project.call(&format!("{line} --if-rev {rev}")).run().failed(4);
    }
    project.records().assert_same(&before, "nothing was written");
}

#[test]
fn eight_at_once_are_all_there() {
    let project = project!();
    let running: Vec<_> =
        (0..8).map(|who| project.call(&format!("team add person-{who} --hours {who}")).start()).collect();
    for running in running {
        running.end().succeeded();
    }
    let people = project.json("team list")["assignees"].clone();
    for who in 0..8 {
        assert_eq!(people[format!("person-{who}")]["work_hours_per_day"], f64::from(who), "{people}");
    }
    let running: Vec<_> = (1..9)
        .map(|day| project.call(&format!("team update person-0 --add-off 2026-12-0{day}")).start())
        .chain((1..9).map(|label| project.call(&format!("label add l{label}")).start()))
        .collect();
    for running in running {
        running.end().succeeded();
    }
    let dates = project.json("team list")["assignees"]["person-0"]["closed_dates"].clone();
    assert_eq!(dates.as_array().map(Vec::len), Some(8), "{dates}");
    assert_eq!(project.json("label list")["labels"].as_array().map(Vec::len), Some(8));
}

#[test]
fn milestones_tell_how_far_they_are() {
    let project = crew();
    insta::assert_snapshot!(project.handoff("milestone"), @r"
    milestone  done  left
    beta        1/2   3 h  only in tasks
    ");
    project.call("milestone add beta --date 2026-11-01 --description 'all of it'").run().succeeded();
    project.call("milestone add later").run().succeeded();
    project.call("milestone add beta").run().failed(4).says("there is a milestone `beta` already");
    insta::assert_snapshot!(project.handoff("milestone list"), @r"
    milestone  date        done  left  description
    beta       2026-11-01   1/2   3 h  all of it    overdue
    later                   0/0
    ");
    let beta = project.json("milestone list")["milestones"]["beta"].clone();
    assert_eq!((&beta["open"], &beta["done"], &beta["remaining_hours"]), (&json!(1), &json!(1), &json!(3.0)));

    let before = project.records();
    project.call("milestone update beta --rename gamma --date 2026-12-01").run().succeeded();
    let gamma = project.json("milestone list")["milestones"].clone();
    assert_eq!((&gamma["gamma"]["open"], &gamma["gamma"]["done"]), (&json!(1), &json!(1)), "progress is kept: {gamma}");
    assert_eq!((&gamma["gamma"]["date"], gamma.get("beta")), (&json!("2026-12-01"), None));
    project.call("undo").run().succeeded();
    project.records().assert_same(&before, "one undo takes it all back");
    project.call("milestone update beta --rename later").run().failed(4);
    project.call("milestone update betta --date none").run().failed(3).says("close: beta");

    project.call("milestone remove beta").run().succeeded().says("open tasks that still name it: 1");
    assert_eq!(project.json("milestone list")["milestones"]["beta"]["configured"], false);
    project.call("undo").run().succeeded();
    project.call("milestone remove beta --clear-tasks").run().succeeded().says("open tasks it was taken from: 1");
    let beta = project.json("milestone list")["milestones"]["beta"].clone();
    assert_eq!((&beta["open"], &beta["done"]), (&json!(0), &json!(1)), "what is finished stays as it was");
}

#[test]
fn labels_are_counted_set_added_and_removed() {
    let project = crew();
    project.call("label set ui api ui").run().succeeded().says("the list has now 2 labels");
    project.call("label add docs").run().succeeded().says("the list has now 3 labels");
    project.call("label add docs").run().succeeded().says("nothing to change");
    project.call("task create X --label spare").run().succeeded();
    insta::assert_snapshot!(project.handoff("label"), @r"
    label  open  tasks
    ui        0      0
    api       1      1
    docs      0      0
    spare     1      1  only in tasks
    ");
    project.call("label remove spore").run().failed(3);
    project.call("label remove api").run().succeeded();
    assert_eq!(project.json("task show dddddddd")["labels"], json!(["api"]), "tasks keep it");
    project.call("label remove api --clear-tasks").run().succeeded();
    assert_eq!(project.json("task show dddddddd").get("labels"), None);
    project.call("label set none").run().succeeded();
    assert_eq!(
        project.json("label list")["labels"].as_array().map(Vec::len),
        Some(1),
        "only the one of a task is left"
    );
}

#[test]
fn who_could_never_work_is_told_with_what_would_help() {
    let project = crew();
    project
        .call("team update alice --hours 0")
        .run()
        .succeeded()
        .says("`alice` has no working time")
        .says("work_hours_per_day");
    project.call("team update alice --hours 6").run().succeeded().hides("no working time");
    let closed = project.call("calendar update --closed-weekday sun,mon,tue,wed,thu,fri,sat").run();
    closed.succeeded().says("the calendar has no working time").hides("alice");
    project.call("team update alice --open 2026-12-01 --hours 4").run().succeeded().hides("no working time");
    project.call("team budget 5").run().succeeded().hides("no working time");
}

#[test]
fn what_the_users_own_settings_say_is_not_removed_from_the_project() {
    let project = project!();
    project.write(USER, "[assignees.alice]\nwork_hours_per_day = 5\n");
    assert_eq!(project.json("team list")["assignees"]["alice"]["work_hours_per_day"], 5.0);
    let (before, own) = (project.records(), project.file(USER));
    project.call("team remove alice").run().failed(4).says("not said by the project").says("config set");
    project.call("team rename alice ann").run().failed(4);
    project.records().assert_same(&before, "nothing was written");
    assert_eq!(project.file(USER), own);
    project.call("team update alice --display-color '#112233'").run().succeeded();
    assert_eq!(project.json("team list")["assignees"]["alice"]["work_hours_per_day"], 5.0, "both count together");
    project.call("team remove alice").run().succeeded().says("`assignees.alice` is still said by");
    assert_eq!(project.json("team list")["assignees"]["alice"]["configured"], true, "their own are still there");
}

#[test]
fn a_budget_is_set_shown_and_cleared() {
    let project = project!();
    project.call("team budget 400").run().succeeded().says("the project may cost 400 h");
    project.call("team").run().succeeded().says("400 h left");
    project.call("team budget none").run().succeeded();
    assert_eq!(project.json("team").get("budget"), None);
}

#[test]
fn every_setting_of_the_team_is_explained() {
    let project = project!();
    for section in ["assignees.alice", "milestones.beta", "calendar", "effort_budget"] {
        for setting in project.json(&format!("config explain {section}"))["settings"].as_array().unwrap() {
            assert!(setting["meaning"].as_str().is_some_and(|meaning| meaning.len() > 10), "{setting}");
        }
    }
}

#[test]
fn agents_that_know_handoff_mcp_are_understood() {
    let project = crew();
    let mut client = project.mcp().connect();
    let text = client.text(
        "handoff_update_calendar",
        json!({"work_hours_per_day": 7, "closed_weekdays": [0, "sat"], "closed_dates": ["2026-12-25"],
               "day_hours": {"fri": 4, "2026-12-24": 0}, "schedule_mode": "auto", "max_utilization": 0.8}),
    );
    assert!(text.contains("`schedule_mode` is accepted and not needed"), "{text}");
    client.text("handoff_update_calendar", json!({"max_utilization": 0.8}));
    client.text("handoff_add_assignee", json!({"key": "bob", "closed_weekdays": [5]}));
    client.text("handoff_update_assignee", json!({"key": "bob", "closed_weekdays": null, "work_hours_per_day": 4}));
    client.text("handoff_add_milestone", json!({"name": "beta", "date": "2026-12-18", "color": "#112233"}));
    client.text("handoff_update_milestone", json!({"name": "beta", "color": null}));
    client.text("handoff_update_labels", json!({"labels": ["a", "b"]}));
    let text = client.failure("handoff_update_assignee", json!({"key": "bobb"}));
    assert!(text.contains("close: bob"), "{text}");
    let text = client.failure("handoff_add_assignee", json!({"key": "bob"}));
    assert!(text.contains("handoff_update_assignee"), "{text}");
    let people = client.call("handoff_list_assignees", json!({"format": "json"}))["structuredContent"].clone();
    for field in [
        "display_name",
        "color",
        "work_hours_per_day",
        "closed_weekdays",
        "task_count",
        "active_task_count",
        "total_estimate_hours",
        "total_actual_hours",
    ] {
        assert!(people["assignees"]["bob"].get(field).is_some(), "{field}: {people}");
    }
    let text = client.text("handoff_remove_assignee", json!({"key": "alice"}));
    assert!(text.contains("2 open tasks are no longer assigned"), "{text}");
    client.text("handoff_remove_milestone", json!({"name": "beta"}));
    client.close();
    let calendar = project.json("calendar")["calendar"].clone();
    assert_eq!(calendar["closed_weekdays"], json!(["sun", "sat"]), "{calendar}");
}
