//! The timer through the command line and MCP: what it counts, what it leaves out, and what it refuses.

use handoff_testkit::{Agent, Answer, Call, TestProject, project};
use serde_json::{Value, json};

const LOG: &str = ".handoff/time/2026-11-alice.toml";

fn two_tasks() -> TestProject {
    project!()
        .task("k7f3q2ma", |task| {
            task.title("Implement auth").status("in_progress").field("schedule = { estimate_hours = 4 }")
        })
        .task("m2x9a4te", |task| task.title("Write docs"))
        .task("q4w8e2rt", |task| task.title("Old work").status("done"))
}

/// So many minutes after nine on 2026-11-16.
fn clock(minutes: i64) -> String {
    let (day, minutes) = (16 + (540 + minutes).div_euclid(1_440), (540 + minutes).rem_euclid(1_440));
    format!("2026-11-{day:02}T{:02}:{:02}:00Z", minutes / 60, minutes % 60)
}

fn machine(minutes: i64) -> String {
    format!("one:{}", 100_000_000 + minutes * 60_000)
}

/// A command, with both clocks so many minutes after nine.
fn at<'p>(project: &'p TestProject, minutes: i64, line: &str) -> Call<'p> {
    clocks(project, minutes, minutes, line)
}

/// The same with clocks that do not agree: the wall's and the machine's.
fn clocks<'p>(project: &'p TestProject, wall: i64, awake: i64, line: &str) -> Call<'p> {
    project.call(line).env("HANDOFF_CLOCK", clock(wall)).env("HANDOFF_MACHINE_CLOCK", machine(awake))
}

fn done(project: &TestProject, minutes: i64, line: &str) -> Value {
    at(project, minutes, line).word("--json").run().succeeded().json()
}

/// Signs of life of an editor every five minutes.
fn busy(project: &TestProject, from: i64, to: i64) {
    for minutes in (from..=to).step_by(5) {
        done(project, minutes, "timer activity");
    }
}

/// The entries of the log: minutes, task, note.
fn entries(project: &TestProject) -> Vec<(i64, String, String)> {
    let list = project.call("time list --json").env("HANDOFF_CLOCK", clock(10_000)).run().succeeded().json();
    let entry = |it: &Value| {
        let text = |name: &str| it[name].as_str().unwrap_or_default().to_owned();
        (it["minutes"].as_i64().expect("minutes"), text("task_id"), text("note"))
    };
    list["entries"].as_array().expect("entries").iter().map(entry).collect()
}

fn minutes(project: &TestProject) -> Vec<i64> {
    entries(project).into_iter().map(|(minutes, _, _)| minutes).collect()
}

#[test]
fn start_and_stop_log_the_time_and_say_what_it_comes_to() {
    let project = two_tasks();
    let started = at(&project, 0, "timer start k7f").run();
    assert_eq!(started.succeeded().stdout, "✓ the timer runs on 01 Implement auth\n");
    let stopped = at(&project, 90, "timer stop").run();
    assert_eq!(
        stopped.succeeded().stdout,
        "✓ stopped 01 Implement auth: 1 h 30 min logged; 1.5 h in all, 2.5 h remaining\n"
    );
    assert_eq!(
        project.file(LOG),
        "format = 1\n\n[[intervals]]\ntask = \"k7f3q2ma\"\nwho = \"alice\"\nsource = \"timer\"\nstarted_at = \
         2026-11-16T09:00:00Z\nended_at = 2026-11-16T10:30:00Z\ncheck = \"1eb622eb\"\n# end of log\n"
    );
    assert_eq!(project.tree(".handoff/local/state/timers").files(), Vec::<&str>::new());
    let shown = project.json("task show k7f");
    assert_eq!((&shown["actual_hours"], &shown["remaining_hours"]), (&json!(1.5), &json!(2.5)));
}

#[test]
fn a_pause_is_in_the_log_at_once_and_a_switch_goes_on_elsewhere() {
    let project = two_tasks();
    done(&project, 0, "timer start 1");
    let paused = done(&project, 30, "timer pause");
    assert_eq!((&paused["state"], &paused["logged_minutes"]), (&json!("paused"), &json!(30)));
    assert_eq!(minutes(&project), [30]);
    at(&project, 31, "timer pause").run().failed(4).says("is paused already");
    assert_eq!(done(&project, 50, "timer resume")["state"], "running");
    at(&project, 51, "timer resume").run().failed(4).says("is not paused");
    let switched = at(&project, 60, "timer switch 2").run();
    switched
        .succeeded()
        .says("stopped 01 Implement auth, and the timer runs on 02 Write docs: 10 min logged; 0.67 h in all");
    switched.says("its status is todo; to change that, run `handoff task update m2x9a4te --status in_progress`");
    assert_eq!(project.json("task show 2")["status"], "todo", "a timer changes no status");
    done(&project, 75, "timer stop 2");
    let expected = [(30, "k7f3q2ma"), (10, "k7f3q2ma"), (15, "m2x9a4te")];
    assert_eq!(entries(&project), expected.map(|(minutes, task)| (minutes, task.to_owned(), String::new())));
}

#[test]
fn what_makes_no_sense_is_refused_and_says_what_runs() {
    let project = two_tasks();
    at(&project, 0, "timer stop").run().failed(4).says("alice has no timer here");
    at(&project, 0, "timer start 3").run().failed(4).says("03 Old work is done: a timer is for work that is open");
    at(&project, 0, "timer start nowhere").run().failed(3);
    done(&project, 0, "timer start 1");
    let busy = at(&project, 5, "timer start 2").run();
    busy.failed(4).says("the timer of alice is running on 01 Implement auth since 2026-11-16T09:00:00Z");
    at(&project, 5, "timer stop 2")
        .run()
        .failed(4)
        .says("the timer is running on 01 Implement auth, not on 02 Write docs");
    let timer = || {
        let tree = project.tree(".handoff/local/state/timers");
        let name = tree.files().into_iter().find(|name| name.contains(".toml")).unwrap();
        project.file(&format!(".handoff/local/state/timers/{name}"))
    };
    let before = timer();
    at(&project, 5, "timer start 1").run().succeeded().says("was running already");
    assert_eq!(timer(), before, "there is nothing to take back");
    let discarded = at(&project, 12, "timer discard").run();
    discarded.succeeded().says("discarded the timer on 01 Implement auth: 12 min thrown away");
    assert_eq!(minutes(&project), Vec::<i64>::new());
}

#[test]
fn everybody_has_one_timer_and_the_own_one_is_shown_first() {
    let project = two_tasks();
    done(&project, 0, "timer start 1 --who Zoe");
    // Both names give one file name, but not one timer.
    done(&project, 0, "timer start 1 --who zoe");
    done(&project, 10, "timer start 2");
    let status = done(&project, 30, "timer");
    let people: Vec<&str> = status["timers"].as_array().unwrap().iter().map(|it| it["who"].as_str().unwrap()).collect();
    assert_eq!(people, ["alice", "Zoe", "zoe"]);
    assert_eq!((&status["task_id"], &status["elapsed_ms"]), (&json!("m2x9a4te"), &json!(1_200_000)));
    assert_eq!((&status["state"], &status["elapsed_hours"]), (&json!("running"), &json!(0.33)));
    assert_eq!(status["authority"], json!({"owner": "handoff", "alive": true}));
    let on_first = done(&project, 30, "timer status --task 1");
    assert_eq!((on_first["timers"].as_array().unwrap().len(), &on_first["who"]), (2, &json!("Zoe")));
    done(&project, 30, "timer stop --who zoe");
    assert_eq!(done(&project, 40, "timer status --who zoe")["state"], "stopped");
    assert_eq!(done(&project, 40, "timer stop --who Zoe")["logged_minutes"], 40);
    assert_eq!(done(&project, 40, "timer status --task 1")["base_hours"], 1.17);
}

#[test]
fn silence_beyond_ten_minutes_is_left_out_kept_or_split_off() {
    for (choice, expected) in [("discard", vec![20]), ("keep", vec![50]), ("split", vec![20, 30])] {
        let project = two_tasks();
        done(&project, 0, "timer start 1");
        busy(&project, 5, 20);
        let status = done(&project, 50, "timer");
        assert_eq!((&status["elapsed_ms"], &status["paused_by_idle"]), (&json!(1_200_000), &json!(true)));
        let stopped = at(&project, 50, &format!("timer stop --idle {choice}")).run();
        if choice == "discard" {
            stopped.says("20 min logged; 0.33 h in all, 3.67 h remaining; 30 min in doubt left out");
            stopped.says("left out: 30 min without a sign of life, 2026-11-16T09:20:00Z to 2026-11-16T09:50:00Z");
            stopped.says("run `handoff time log k7f3q2ma --from 2026-11-16T09:20:00Z --to 2026-11-16T09:50:00Z`");
        }
        stopped.succeeded();
        assert_eq!(minutes(&project), expected, "{choice}");
        let note = entries(&project).last().unwrap().2.clone();
        assert_eq!(note, if choice == "split" { "idle" } else { "" });
    }
}

#[test]
fn work_after_silence_can_be_decided_about_before_the_end() {
    for (choice, expected) in [("discard", vec![20, 20, 5]), ("keep", vec![85]), ("split", vec![20, 40, 20, 5])] {
        let project = two_tasks();
        done(&project, 0, "timer start 1");
        busy(&project, 5, 20);
        busy(&project, 60, 80);
        done(&project, 80, &format!("timer decide {choice}"));
        done(&project, 85, "timer stop");
        assert_eq!(minutes(&project), expected, "{choice}");
    }
}

#[test]
fn the_limit_is_a_setting_and_without_a_client_that_reports_silence_means_little() {
    let project = two_tasks();
    done(&project, 0, "timer start 1");
    // Changes on the command line are signs of life, and no promise of more.
    done(&project, 60, "task note 2 seen");
    done(&project, 400, "timer stop");
    assert_eq!(minutes(&project), [400]);
    project.json("config set settings.timer_idle_timeout_minutes 45");
    done(&project, 500, "timer start 1");
    busy(&project, 505, 505);
    done(&project, 540, "timer stop");
    assert_eq!(minutes(&project), [400, 40]);
}

#[test]
fn sleep_a_restart_and_clocks_that_are_put_forward_or_back_are_noticed() {
    let stopped = |wall: i64, awake: i64, boot: &str| {
        let project = two_tasks();
        done(&project, 0, "timer start 1");
        busy(&project, 5, 10);
        let call = project.call("timer stop --json").env("HANDOFF_CLOCK", clock(wall));
        let call = call.env("HANDOFF_MACHINE_CLOCK", machine(awake).replace("one", boot));
        (call.run().succeeded().json(), minutes(&project))
    };
    // An hour asleep within eight minutes of work.
    let (slept, logged) = stopped(78, 18, "one");
    assert_eq!(
        (&slept["left_out"][0]["kind"], &slept["left_out"][0]["seconds"], logged),
        (&json!("asleep"), &json!(3_600), vec![18])
    );
    // The clock was put forward by a day: nobody can tell that from sleep.
    let (forward, logged) = stopped(1_455, 15, "one");
    assert_eq!((&forward["left_out"][0]["kind"], logged), (&json!("asleep"), vec![15]));
    // Put back by an hour: what was worked is as long as it was.
    let (back, logged) = stopped(-45, 15, "one");
    assert_eq!((&back["clock_put_back_minutes"], logged), (&json!(60), vec![15]));
    assert!(back["warnings"][0].as_str().unwrap().contains("the clock was put back by 60 min"), "{back}");
    // Another start of the machine: up to the last sign of life.
    let (restarted, logged) = stopped(13, 1, "two");
    assert_eq!((&restarted["left_out"][0]["kind"], logged), (&json!("restarted"), vec![10]));
}

#[test]
fn when_every_client_has_crashed_the_timer_ends_with_the_last_sign_of_life() {
    let project = two_tasks();
    done(&project, 0, "timer start 1");
    busy(&project, 5, 35);
    let status = at(&project, 600, "timer").run();
    status.succeeded().says("running  01 Implement auth  k7f3q2ma   35 min").says("9 h 25 min without a sign of life");
    done(&project, 600, "timer stop");
    assert_eq!(minutes(&project), [35]);
}

#[test]
fn calls_of_tools_and_hooks_are_signs_of_life_and_looking_at_timers_is_none() {
    let calls = |tool: &str, minutes: i64, project: &TestProject| {
        let start = project.mcp().env("HANDOFF_CLOCK", clock(minutes)).env("HANDOFF_MACHINE_CLOCK", machine(minutes));
        let mut client = start.connect();
        client.text(tool, json!({}));
        client.close();
    };
    let project = two_tasks();
    done(&project, 0, "timer start 1");
    calls("handoff_timer_get_time", 9, &project);
    assert_eq!(project.tree(".handoff/local/state/timers").files().len(), 1, "nothing was noted");
    calls("handoff_list_tasks", 9, &project);
    let agent = Agent::claude(&project, "c1");
    let said = json!({"hook_event_name": "UserPromptSubmit", "prompt": "go on"});
    let heard = agent.call("prompt", &said).env("HANDOFF_CLOCK", clock(18)).env("HANDOFF_MACHINE_CLOCK", machine(18));
    heard.run().succeeded();
    done(&project, 40, "timer stop");
    assert_eq!(minutes(&project), [18]);
}

#[test]
fn while_writing_is_paused_nothing_is_noted() {
    let project = two_tasks();
    done(&project, 0, "timer start 1");
    project.write(".handoff/PAUSE", "release\n");
    let before = project.tree(".handoff");
    let mut client = project.mcp().env("HANDOFF_CLOCK", clock(5)).connect();
    client.text("handoff_list_tasks", json!({}));
    client.close();
    at(&project, 5, "timer activity").run().failed(5);
    at(&project, 5, "timer stop").run().failed(5);
    at(&project, 5, "timer").run().succeeded();
    project.tree(".handoff").assert_same(&before, "a paused project");
}

#[test]
fn taking_back_a_stop_takes_back_its_entry_and_the_timer_runs_as_before() {
    let project = two_tasks();
    done(&project, 0, "timer start 1");
    busy(&project, 5, 30);
    done(&project, 32, "timer stop");
    let log = at(&project, 33, "log --limit 1").run();
    log.succeeded().says("timer of alice ended");
    at(&project, 33, "undo").run().succeeded();
    assert_eq!(minutes(&project), Vec::<i64>::new());
    let status = done(&project, 36, "timer");
    assert_eq!((&status["elapsed_ms"], &status["since"]), (&json!(2_160_000), &json!(clock(0))));
    done(&project, 38, "timer stop");
    assert_eq!(minutes(&project), [38]);
    at(&project, 39, "undo").run().succeeded();
    at(&project, 39, "undo").run().succeeded();
    assert_eq!(done(&project, 40, "timer")["state"], "stopped", "taking back the start throws the timer away");
}

#[test]
fn a_damaged_timer_is_told_with_a_way_out_and_everything_else_works() {
    let project = two_tasks();
    done(&project, 0, "timer start 1 --who bob");
    done(&project, 0, "timer start 1");
    let tree = project.tree(".handoff/local/state/timers");
    let name = tree.files().into_iter().find(|name| name.starts_with("alice-")).unwrap().to_owned();
    project.write(&format!(".handoff/local/state/timers/{name}"), "task = ");
    at(&project, 5, "timer stop").run().failed(6).says("handoff doctor");
    at(&project, 5, "timer").run().succeeded().says("bob");
    at(&project, 5, "time log 1 1.5").run().succeeded();
    at(&project, 5, "save Done").run().succeeded();
    at(&project, 5, "doctor").run().succeeded().says("a timer that cannot be read");
    at(&project, 5, "doctor --fix").run().succeeded();
    done(&project, 6, "timer start 1");
    assert_eq!(done(&project, 10, "timer stop")["logged_minutes"], 4);
}

fn warnings(answer: &Answer) -> String {
    answer.succeeded().json()["warnings"].to_string()
}

#[test]
fn a_timer_that_still_runs_is_told_when_work_is_saved_closed_resumed_and_handed_over() {
    let project = two_tasks();
    done(&project, 0, "session start Auth");
    done(&project, 1, "timer start 1");
    let entry = project.json("session list")["sessions"][0]["name"].clone();
    let words = "the timer of alice is still running on 01 Implement auth (30 min)";
    assert!(warnings(&at(&project, 31, "save Auth --status active --json").run()).contains(words));
    assert!(warnings(&at(&project, 31, "resume --json").run()).contains(words));
    project.declare(&["kind = \"collect\"\nfrom = [\"timers\"]"]);
    let run = at(&project, 31, "run --json").run();
    assert!(run.stdout.contains("still running on 01 Implement auth"), "{run}");
    done(&project, 32, "timer stop");
    let list = project.call("time list --json").env("HANDOFF_CLOCK", clock(40)).run().succeeded().json();
    assert_eq!(list["entries"][0]["session"], entry);
}

#[test]
fn time_asleep_is_left_out_of_every_sum_and_blocks_no_other_entry() {
    let project = two_tasks();
    clocks(&project, 0, 0, "timer start k7f").run().succeeded();
    let stopped = clocks(&project, 120, 30, "timer stop").word("--json").run().succeeded().json();
    assert_eq!((&stopped["actual_hours"], &stopped["remaining_hours"]), (&json!(0.5), &json!(3.5)), "{stopped}");
    let logged = done(&project, 125, "time log m2x --from 10:00 --to 11:00");
    assert_eq!(logged["actual_hours"], 1.0, "{logged}");
    let split = two_tasks();
    clocks(&split, 0, 0, "timer start k7f").run().succeeded();
    clocks(&split, 120, 30, "timer stop --idle split").run().succeeded();
    assert_eq!(minutes(&split), [30, 90]);
    assert_eq!(done(&split, 130, "time")["minutes"], 120);
}

#[test]
fn what_was_decided_to_be_kept_is_kept() {
    let project = two_tasks();
    done(&project, 0, "timer start k7f");
    done(&project, 5, "timer activity");
    done(&project, 30, "timer decide keep");
    done(&project, 31, "timer stop");
    assert_eq!(minutes(&project), [31]);
}

#[test]
fn silence_of_just_the_limit_is_no_doubt() {
    let project = two_tasks();
    done(&project, 0, "timer start k7f");
    done(&project, 5, "timer activity");
    done(&project, 15, "timer stop");
    assert_eq!(minutes(&project), [15]);
}
