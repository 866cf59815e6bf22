//! Figures about the work: the same at every door, on every clone, before and after the archive.

use handoff_testkit::{TestProject, list_in, project, shared_project, text_in};
use serde_json::{Value, json};

/// Monday; the weeks before begin on 2, 9 and 16 November.
const NOW: &str = "2026-11-23T12:00:00Z";

/// A project of three weeks: a parent with two parts, one late and one done, a task that was done, one that was opened
/// again, one given up, and one that nobody estimated.
fn worked(project: TestProject) -> TestProject {
    let config = project.file(".handoff/config.toml");
    let team = "\n[calendar]\ntime_zone = \"UTC\"\n\n[milestones.beta]\ndate = 2026-11-27\n\n[effort_budget]\ntotal_hours = 30\n";
    project.write(".handoff/config.toml", config + team);
    let project = project
        .task("pppppppp", |task| {
            task.title("Login")
                .status("in_progress")
                .field("assignee = \"ann\"")
                .field("created_at = 2026-11-02T08:00:00Z")
                .table("[schedule]\nestimate_hours = 99.0\ndue_date = 2026-11-20\nmilestone = \"beta\"\n")
        })
        .task("aaaaaaaa", |task| {
            task.title("Form")
                .parent("pppppppp")
                .status("done")
                .labels(&["web"])
                .field("created_at = 2026-11-02T08:00:00Z")
                .field("completed_at = 2026-11-04T08:00:00Z")
                .table("[schedule]\nestimate_hours = 8.0\n")
                .table(&history("2026-11-02T08:00:00Z", "estimate_hours = 8.0"))
                .table(&history("2026-11-03T08:00:00Z", "status = \"in_progress\""))
                .table(&history("2026-11-04T08:00:00Z", "status = \"done\""))
        })
        .task("bbbbbbbb", |task| {
            task.title("Tokens")
                .parent("pppppppp")
                .status("in_progress")
                .field("created_at = 2026-11-02T08:00:00Z")
                .table("[schedule]\nestimate_hours = 6.0\n")
                .table(&history("2026-11-02T08:00:00Z", "estimate_hours = 4.0"))
                .table(&history("2026-11-11T08:00:00Z", "status = \"in_progress\"\nestimate_hours = 6.0"))
        })
        .task("cccccccc", |task| {
            task.title("Deploy")
                .status("done")
                .labels(&["web"])
                .field("assignee = \"bob\"")
                .field("created_at = 2026-11-02T09:00:00Z")
                .field("completed_at = 2026-11-18T08:00:00Z")
                .table("[schedule]\nestimate_hours = 2.0\n")
                .table(&history("2026-11-02T09:00:00Z", "estimate_hours = 2.0"))
                .table(&history("2026-11-05T08:00:00Z", "status = \"done\""))
                .table(&history("2026-11-09T08:00:00Z", "status = \"todo\""))
                .table(&history("2026-11-18T08:00:00Z", "status = \"done\""))
        })
        .task("dddddddd", |task| {
            task.title("Idea")
                .status("skipped")
                .field("created_at = 2026-11-10T08:00:00Z")
                .field("completed_at = 2026-11-12T08:00:00Z")
                .table("[schedule]\nestimate_hours = 1.0\n")
                .table(&history("2026-11-10T08:00:00Z", "estimate_hours = 1.0"))
                .table(&history("2026-11-12T08:00:00Z", "status = \"skipped\""))
        })
        .task("eeeeeeee", |task| task.title("Docs").field("created_at = 2026-11-16T08:00:00Z"));
    project.write(".handoff/time/2026-11-ann.toml", TIME);
    project.put_session("2026-11-03-5e551001", SESSION);
    project
}

fn history(at: &str, what: &str) -> String {
    format!("[[history]]\nat = {at}\n{what}\n")
}

const TIME: &str = r#"format = 1

[[intervals]]
task = "aaaaaaaa"
who = "ann"
source = "timer"
started_at = 2026-11-03T09:00:00Z
ended_at = 2026-11-03T15:00:00Z
session = "2026-11-03-5e551001"

[[intervals]]
task = "bbbbbbbb"
who = "ann"
source = "manual"
started_at = 2026-11-12T09:00:00Z
minutes = 90

[[intervals]]
task = "cccccccc"
who = "ann"
source = "manual"
started_at = 2026-11-05T09:00:00Z
minutes = 180
"#;

const SESSION: &str = r#"status = "closed"
summary = "The form"
tool = "codex"
tasks = ["aaaaaaaa"]
started_at = 2026-11-03T09:00:00Z
ended_at = 2026-11-03T16:00:00Z

[environment.compiled]
host = "codex"
agent_session = "c1"
input_tokens = 120000
output_tokens = 9000
seconds = 5400
"#;

fn now(project: &TestProject, line: &str) -> Value {
    project.call(line).word("--json").env("HANDOFF_CLOCK", NOW).run().succeeded().json()
}

#[test]
fn the_figures_are_those_worked_out_by_hand() {
    let project = worked(project!());
    let shown = now(&project, "metrics");
    for (key, expected) in [
        // Leaves alone: the parent's 99 hours count nothing.
        ("total", json!(5)),
        ("by_status", json!({"blocked": 0, "done": 2, "in_progress": 1, "review": 0, "skipped": 1, "todo": 1})),
        ("completion_percent", json!(50.0)),
        ("total_estimate_hours", json!(16.0)),
        ("total_actual_hours", json!(10.5)),
        ("total_remaining_hours", json!(4.5)),
        ("overdue_count", json!(1)),
        ("budget", json!({"total_hours": 30.0, "used_hours": 10.5, "expected_hours": 15.0, "over_hours": -15.0})),
    ] {
        assert_eq!(shown[key], expected, "{key}");
    }
    // The parent is due, so its open leaf is.
    let overdue = json!([{"id": "bbbbbbbb", "title": "Tokens", "due_date": "2026-11-20", "days_overdue": 3}]);
    assert_eq!(shown["overdue_tasks"], overdue);
    let beta = json!({"name": "beta", "date": "2026-11-27", "defined": true, "total": 2, "done": 1,
        "completion_percent": 50.0, "remaining_hours": 4.5, "overdue": false});
    assert_eq!(shown["milestones"], json!([beta]));
    let figures = &shown["figures"];
    let weeks: Vec<_> = list_in(&figures["velocity"]["value"]["known"], "weeks")
        .iter()
        .map(|week| (text_in(week, "start").to_owned(), week["tasks"].clone(), week["minutes"].clone()))
        .collect();
    let by_hand = [("2026-11-02", 1, 480), ("2026-11-09", 0, 0), ("2026-11-16", 1, 120)];
    assert_eq!(weeks, by_hand.map(|(start, tasks, minutes)| (start.to_owned(), json!(tasks), json!(minutes))));
    assert_eq!(figures["lead_time"]["value"]["not_enough"], json!({"have": 2, "need": 3}));
    assert!(text_in(&figures["lead_time"], "how").contains("calendar time"));
    let sessions = &shown["sessions"]["value"]["known"]["all"];
    assert_eq!((&sessions["minutes"], &sessions["logged"]), (&json!(420), &json!(360)));
    assert_eq!((&sessions["input_tokens"], &sessions["with_tokens"]), (&json!(120_000), &json!(1)));
}

#[test]
fn the_burndown_is_the_one_worked_out_by_hand() {
    let project = worked(project!());
    let answer = project.call("metrics burndown --csv").env("HANDOFF_CLOCK", NOW).run();
    let rows: Vec<Vec<&str>> = answer.succeeded().stdout.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["day", "remaining_hours", "scope_hours", "scope_change_hours", "ideal_hours"]);
    let on = |day: &str| {
        let row = rows.iter().find(|row| row[0] == day).unwrap_or_else(|| panic!("no {day}: {answer}"));
        row[1..].to_vec()
    };
    // From Tuesday 3 to Friday 27 there are 19 working days for 14 hours.
    for (day, expected) in [
        ("2026-11-02", ["14", "14", "0", "14"]),
        ("2026-11-04", ["6", "14", "0", "12.53"]),
        ("2026-11-05", ["4", "14", "0", "11.78"]),
        ("2026-11-09", ["6", "14", "0", "10.32"]),
        ("2026-11-10", ["7", "15", "1", "9.58"]),
        ("2026-11-11", ["9", "17", "2", "8.85"]),
        ("2026-11-12", ["8", "16", "-1", "8.1"]),
        ("2026-11-18", ["6", "16", "0", "5.15"]),
        ("2026-11-23", ["6", "16", "0", "2.95"]),
        ("2026-11-27", ["", "", "", "0"]),
    ] {
        assert_eq!(on(day), expected, "{day}");
    }
    let beta = now(&project, "metrics burndown --milestone beta");
    assert_eq!(beta["burndown"]["value"]["known"]["target"], json!({"day": "2026-11-27", "by": "milestone beta"}));
    let last = list_in(&beta["burndown"]["value"]["known"], "days").last().unwrap().clone();
    assert_eq!((&last["remaining"], &last["scope"]), (&json!(360), &json!(840)));
}

fn page(project: &TestProject, line: &str) -> String {
    project.call(line).env("HANDOFF_CLOCK", NOW).run().to_string()
}

#[test]
fn people_read_a_page_with_pictures() {
    let project = worked(project!());
    insta::assert_snapshot!(page(&project, "metrics"), @r"
    Metrics, 2026-11-23
    tasks:        5: 2 done, 1 in_progress, 1 todo, 1 skipped; 1 parent not counted
    completion:   50 %
    effort:       16 h estimated, 10.5 h worked, 4.5 h left; 1 open task without an estimate
    budget:       10.5 h of 30 h used; 15 h when all is done, 15 h below
    velocity:     2 h (median of 3; 0 h to 8 h) a week; this week 0 h so far
    burndown:     6 h left, 3 h by the ideal line to 2026-11-27 (milestone beta); 14 h on 2026-11-02
    lead time:    not enough data (2 of 3)
    cycle time:   not enough data (1 of 3)
    blocked time: not enough data (0 of 3)
    accuracy:     not enough data (2 of 3)
    sessions:     1, 7 h open, 6 h logged; 120k tokens in, 9000 out in 1 of them

    done by week  █▁▃
    left by day   ██▄▃▃▃▃▄▅▆▅▅▅▅▅▅▄▄▄▄▄▄

    Overdue: 1
    due         task  title   late
    2026-11-20  01.2  Tokens  3 days

    Milestones
    milestone  date        done            left
    beta       2026-11-27  1 of 2 (50 %)  4.5 h

    Estimates and actual time
    estimates of  name  tasks  actual by estimate
    person        ann       1  not enough data (1 of 3)
    person        bob       1  not enough data (1 of 3)
    label         web       2  not enough data (2 of 3)

    How
    completion: leaves that are done, as a share of all leaves that are not skipped
    effort: estimates of the leaves that are not skipped, and all time logged; remaining is what a task says, or else its estimate less the time logged on it; adjusted: estimates times `ai_estimate_multiplier`
    budget: all time logged, and with it what remains, by adjusted estimates where there is a multiplier
    velocity: estimates of the leaves done in each complete week since the first task was made; a week in which nothing was done counts too
    burndown: estimates, as they were on each day, of the leaves that were open at its end; ideal: the work of the first day, going down evenly with working time until the target
    lead time: from the making of a task to its being done, in calendar time, over leaves that are done
    cycle time: from the first time a task is in progress to its being done, in calendar time, over leaves that are done
    blocked time: time spent blocked, in calendar time, over leaves that ever were
    accuracy: time logged by estimate, over leaves that are done and have both; above 1 it took longer
    overdue: open leaves whose due date, or else that of their nearest parent, lies before today
    stale: leaves that are in progress, in review or blocked, without a change, a note or logged time for 14 days
    milestones: leaves that belong to a milestone themselves or by a parent; those that are skipped do not count
    sessions: open: from the beginning of each session to its end, where it has both; logged: time log entries that name it, each minute of a person once; a session with several tasks is shared out equally among them; tokens where the transcript told them; sessions side by side count each
    ");
    insta::assert_snapshot!(page(&project, "metrics burndown"), @r"
    Burndown
    17 h ┤                                ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
         │•••▂▂▂▂╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
         │███•••••••
         │███████   ••••••••••••••••••
         │███████                     ••••••••
         │███████                     ▁▁▁▁████••••••••••••••▆▆▆▆▆▆▆
         │███████▄▄▄               ▄▄▄██████████████████████•••••••▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄
         │██████████▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃████████████████████████████████••••••••••••••••••████
         │███████████████████████████████████████████████████████████████████████████••••••••
       0 ┤███████████████████████████████████████████████████████████████████████████████    •••••••••••
                                      ▲   ▲   ▼
          2026-11-02                                                                          2026-11-27
    █ left  • ideal  ╌ scope  ▲▼ scope changes
    left:      6 h, of 14 h on 2026-11-02
    scope:     16 h, 14 h on 2026-11-02
    ideal:     3.1 h behind (3 h by the ideal line)
    target:    2026-11-27, by milestone beta
    not shown: 1 task without an estimate

    scope changed    by    to
    2026-11-10     +1 h  15 h
    2026-11-11     +2 h  17 h
    2026-11-12     -1 h  16 h

    how: estimates, as they were on each day, of the leaves that were open at its end; ideal: the work of the first day, going down evenly with working time until the target
    ");
}

#[test]
fn weeks_states_estimates_and_sessions_have_a_page_each() {
    let project = worked(project!());
    insta::assert_snapshot!(page(&project, "metrics velocity"), @r"
    Velocity by week
    2026-11-02  ████████████████████████████████████████████████████████████ 8 h, 1 task
    2026-11-09                                                               0 h, 0 tasks
    2026-11-16  ███████████████                                              2 h, 1 task
    2026-11-23                                                               0 h, 0 tasks
    estimates:   2 h (median of 3; 0 h to 8 h) a week
    middle half: 1 to 5 h; deviation 4.2 h
    tasks:       1 (median of 3; 0 to 1) a week

    how: estimates of the leaves done in each complete week since the first task was made; a week in which nothing was done counts too
    ");
    insta::assert_snapshot!(page(&project, "metrics flow"), @r"
    Tasks by state
    5 ┤                                                        ································
      │                                                        ································
      │                                ░░░░░░░░················░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      │                                ░░░░░░░░················░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      │░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
      │░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
      │░░░░░░░░░░░░████████████████░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒████████████████████████
      │░░░░░░░░░░░░████████████████░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒████████████████████████
      │░░░░▒▒▒▒████████████████████████████████████████████████████████████████████████████████
    0 ┤░░░░▒▒▒▒████████████████████████████████████████████████████████████████████████████████
       2026-11-02                                                                    2026-11-23
    █ done  ▒ in_progress  ░ todo  · skipped

    day         todo  in_progress  done  skipped
    2026-11-02     3
    2026-11-09     2                  1
    2026-11-16     2            1     1        1
    2026-11-23     1            1     2        1

    how: leaves in each state at the end of each day, of the last year at most
    ");
    insta::assert_snapshot!(page(&project, "metrics accuracy"), @r"
    Estimates and actual time
    estimates of  name  tasks  actual by estimate
    all                     2  not enough data (2 of 3)
    person        ann       1  not enough data (1 of 3)
    person        bob       1  not enough data (1 of 3)
    label         web       2  not enough data (2 of 3)

    Farthest off
    task  title   estimate  actual   ratio
    02    Deploy       2 h     3 h   × 1.5
    01.1  Form         8 h     6 h  × 0.75

    how: time logged by estimate, over leaves that are done and have both; above 1 it took longer
    ");
    insta::assert_snapshot!(page(&project, "metrics sessions"), @r"
    Sessions
    tool   sessions  open  logged  tokens in   out  told by
    codex         1   7 h     6 h       120k  9000   1 of 1

    task       sessions  open  logged  tokens in   out  told by
    01.1 Form         1   7 h     6 h       120k  9000   1 of 1

    how: open: from the beginning of each session to its end, where it has both; logged: time log entries that name it, each minute of a person once; a session with several tasks is shared out equally among them; tokens where the transcript told them; sessions side by side count each
    ");
}

#[test]
fn a_model_reads_the_figures_and_no_pictures() {
    let project = worked(project!());
    let mut client = project.mcp().word("--tools=planning").env("HANDOFF_CLOCK", NOW).connect();
    let metrics = client.text("handoff_get_metrics", json!({"assignee": "ann"}));
    insta::assert_snapshot!(metrics.split("How").next().unwrap_or_default(), @r"
    ## Metrics of ann, 2026-11-23

    - tasks: 2: 1 done, 1 in_progress; 1 parent not counted
    - completion: 50 %
    - effort: 14 h estimated, 7.5 h worked, 4.5 h left
    - velocity: 0 h (median of 3; 0 h to 8 h) a week; this week 0 h so far
    - burndown: 6 h left, 2.5 h by the ideal line to 2026-11-27 (milestone beta); 12 h on 2026-11-02
    - lead time: not enough data (1 of 3)
    - cycle time: not enough data (1 of 3)
    - blocked time: not enough data (0 of 3)
    - accuracy: not enough data (1 of 3)


    ## Overdue: 1

    | due | task | title | late |
    |---|---|---|---|
    | 2026-11-20 | `01.2` | Tokens | 3 days |

    ## Milestones

    | milestone | date | done | left |
    |---|---|---|---|
    | beta | 2026-11-27 | 1 of 2 (50 %) | 4.5 h |

    ## Estimates and actual time

    | estimates of | name | tasks | actual by estimate |
    |---|---|---|---|
    | person | ann | 1 | not enough data (1 of 3) |
    | label | web | 1 | not enough data (1 of 3) |

    ##
    ");
    let burndown = client.text("handoff_get_burndown", json!({}));
    assert!(burndown.contains("left by week: 2026-11-02 14 h"), "{burndown}");
    let velocity = client.text("handoff_get_velocity", json!({}));
    assert!(velocity.contains("2026-11-02 8 h, 1 task"), "{velocity}");
    for text in [metrics, burndown, velocity, client.text("handoff_get_flow", json!({}))] {
        assert!(!text.contains(['█', '▁', '•', '░']), "{text}");
    }
    client.close();
}

#[test]
fn one_persons_figures_are_of_the_leaves_that_are_theirs() {
    let project = worked(project!());
    let anns = now(&project, "metrics --assignee ann");
    // Both parts of the parent that is hers, which name nobody themselves.
    assert_eq!((&anns["total"], &anns["total_actual_hours"]), (&json!(2), &json!(7.5)));
    assert_eq!(anns["budget"], Value::Null);
    assert_eq!(now(&project, "metrics --assignee bob")["total"], 1);
    let both = now(&project, "metrics --assignee bob --milestone beta");
    assert_eq!((&both["total"], &both["completion_percent"]), (&json!(0), &Value::Null));
    let answer = project.call("metrics --assignee anne").env("HANDOFF_CLOCK", NOW).run();
    answer.failed(3).says("there is no person `anne` here").says("known: ann, bob");
    project.call("metrics burndown --milestone ga").env("HANDOFF_CLOCK", NOW).run().failed(3).says("known: beta");
    let answer = project.call("metrics --since 2027-01-01").env("HANDOFF_CLOCK", NOW).run();
    answer.failed(2).says("2027-01-01 is still to come");
    project.call("metrics --since soon").run().failed(2).says("2026-11-15");
}

#[test]
fn metrics_alone_and_in_full_are_the_same() {
    let project = worked(project!());
    assert_eq!(now(&project, "metrics"), now(&project, "metrics show"));
}

/// Every figure there is, as bytes.
fn everything(project: &TestProject, directory: &str) -> String {
    let lines =
        ["metrics", "metrics burndown", "metrics velocity", "metrics flow", "metrics accuracy", "metrics sessions"];
    // Later than the archive is made, so that the clock is no difference.
    let ask = |line: &str| {
        let call = project.call(line).word("--json").within(directory).env("HANDOFF_CLOCK", "2027-01-15T12:00:00Z");
        call.run().succeeded().stdout.clone()
    };
    lines.map(ask).concat()
}

#[test]
fn what_gc_packs_away_counts_all_the_same() {
    for project in [worked(project!()), worked(shared_project!())] {
        let before = everything(&project, ".");
        assert!(before.contains("\"total\":5"), "{before}");
        let packed = project.call("gc").env("HANDOFF_CLOCK", "2027-01-15T12:00:00Z").run();
        packed.succeeded().says("packed 3 tasks");
        assert_eq!(everything(&project, "."), before);
        project.call("task list --archived").run().says("Form").says("Deploy");
    }
}

#[test]
fn a_fresh_clone_shows_the_same_to_the_byte() {
    let project = worked(shared_project!());
    project.init_git();
    // The archive of tasks, and some work that the program itself writes down.
    project.call("gc").env("HANDOFF_CLOCK", "2027-01-10T12:00:00Z").run().succeeded();
    let at = |time: &str, line: &str| {
        project.call(line).env("HANDOFF_CLOCK", format!("2027-01-{time}:00Z")).run().succeeded();
    };
    at("11T09:00", "task update eeeeeeee --estimate 3 --status in_progress");
    at("12T09:00", "task update eeeeeeee --estimate 5");
    at("13T09:00", "task update eeeeeeee --status done");
    at("13T10:00", "save Docs --next Publish --task eeeeeeee");
    project.commit_all("the work");
    project.git("clone --quiet . ../clone");
    let before = everything(&project, ".");
    assert!(before.contains("2027-01-13"), "{before}");
    assert_eq!(everything(&project, "../clone"), before);
}

#[test]
fn too_little_is_said_and_nothing_is_drawn() {
    let project = project!();
    let empty = project.call("metrics").run();
    empty.succeeded().says("no tasks yet").says("velocity:     not enough data (0 of 3)");
    project.handoff("task create First --estimate 2");
    project.call("metrics burndown").run().succeeded().says("not enough data (1 of 3)").hides("█");
    project.call("metrics velocity").run().says("not enough data (0 of 3)");
    project.call("metrics flow").run().says("not enough data (1 of 3)").hides("░");
    project.call("metrics accuracy").run().says("not enough data (0 of 3)");
    project.call("metrics sessions").run().says("not enough data (0 of 1)");
    let rows = project.call("metrics burndown --csv").run();
    assert_eq!(rows.stdout, "day,remaining_hours,scope_hours,scope_change_hours,ideal_hours\n");
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_counts() {
    let project = worked(project!());
    project.write(".handoff/time/2026-11-bob.toml", "[[intervals]\n");
    project.write(".handoff/archive/tasks-2026-10.toml", "[[tasks]\nx");
    let answer = project.call("metrics").env("HANDOFF_CLOCK", NOW).run();
    answer.succeeded().says("10.5 h worked").says("time/2026-11-bob.toml").says("archive/tasks-2026-10.toml");
    project.write(".handoff/sessions/2026-11-03-5e551002.toml", "status = \n");
    let answer = project.call("metrics sessions").env("HANDOFF_CLOCK", NOW).run();
    answer.succeeded().says("codex").says("sessions/2026-11-03-5e551002.toml");
}

#[test]
fn text_in_spreadsheets_is_no_formula() {
    let project = worked(project!());
    project.edit(&project.task_file("aaaaaaaa"), "title = \"Form\"", "title = \"=1+1\"");
    let answer = project.call("metrics accuracy --csv").env("HANDOFF_CLOCK", NOW).run();
    answer.succeeded().says("task,aaaaaaaa,'=1+1,1,8,6,0.75,");
    answer.says("label,web,,2,,,not enough data,");
    let sessions = project.call("metrics sessions --csv").env("HANDOFF_CLOCK", NOW).run();
    sessions.says("tool,codex,,1,1,7,6,1,120000,9000,1.5").says("task,aaaaaaaa,'=1+1,1,1,7,6,1,120000,9000,1.5");
    project.call("metrics --csv").env("HANDOFF_CLOCK", NOW).run().says("velocity,median,2,hours a week,3");
}
