//! Commands of a handover, watched over by the real program: run once, whoever is killed.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use handoff_ops::run::command::{CommandStep, End, Key, NotRun, Ran, forget, perform};
use handoff_ops::{Door, Environment, Place, Project};
use handoff_testkit::{TestProject, project};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

/// Makes this test binary one that performs a step, to be killed.
const DRIVER: &str = "COMMAND_STEP_DRIVER";
const LONG: Duration = Duration::from_mins(5);

fn opened(dir: &Path, executable: Option<PathBuf>) -> Project {
    let home = dir.join("../../home");
    let path = std::env::var_os("PATH").expect("tests have a PATH");
    let env = Environment::new([("HOME", home.into_os_string()), ("PATH", path)]);
    let mut project = Project::new(Place { cwd: dir.to_owned(), env, ..Place::default() }, None, Door::Cli);
    project.executable = executable;
    project.open().expect("there is a project");
    project
}

fn program() -> PathBuf {
    env!("CARGO_BIN_EXE_handoff").into()
}

fn key(attempt: u32) -> Key {
    Key { run: "r1".to_owned(), step: "push".to_owned(), attempt }
}

fn step(argv: &[&str]) -> CommandStep {
    CommandStep { argv: argv.iter().map(|word| (*word).to_owned()).collect(), timeout: LONG, ..CommandStep::default() }
}

fn shell(script: &str) -> CommandStep {
    step(&["sh", "-c", script])
}

fn performed(project: &TestProject, step: &CommandStep, attempt: u32) -> Result<Ran, NotRun> {
    performed_in(&project.path("."), step, attempt)
}

fn performed_in(dir: &Path, step: &CommandStep, attempt: u32) -> Result<Ran, NotRun> {
    perform(&opened(dir, Some(program())), step, &key(attempt))
}

fn told(not_run: NotRun) -> String {
    let error = not_run.into_error();
    format!("{}\n{}", error.sentence(), error.detail_lines().join("\n"))
}

/// Performs a step in a process of its own.
fn driver(project: &TestProject, step: &CommandStep) -> Child {
    let order = json!({"dir": project.path("."), "step": step, "key": key(1)});
    Command::new(std::env::current_exe().expect("a test knows its program"))
        .args(["the_process_that_performs_a_step", "--exact", "--nocapture"])
        .env(DRIVER, order.to_string())
        .env("HANDOFF_PASSPHRASE", "secret words")
        .env("HOME", project.home())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a test can be started again")
}

#[test]
fn the_process_that_performs_a_step() {
    let Some(order) = std::env::var(DRIVER).ok() else { return };
    let order: serde_json::Value = serde_json::from_str(&order).unwrap();
    let step: CommandStep = serde_json::from_value(order["step"].clone()).unwrap();
    let key: Key = serde_json::from_value(order["key"].clone()).unwrap();
    let dir: PathBuf = serde_json::from_value(order["dir"].clone()).unwrap();
    perform(&opened(&dir, Some(program())), &step, &key).unwrap();
}

/// A command that says that it is there and who watches over it, and goes on when it may.
fn patient() -> CommandStep {
    shell(
        "echo begun >> out; echo $$ $PPID > ids.new; mv ids.new ids; while [ ! -e go ]; do sleep 0.02; done; echo ended >> out",
    )
}

fn wait_for(project: &TestProject, path: &str) {
    let until = std::time::Instant::now() + LONG;
    while !project.exists(path) {
        assert!(std::time::Instant::now() < until, "{path} never came");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn kill(id: &str) {
    let id = id.parse().ok().and_then(Pid::from_raw).expect("it is the id of a process");
    kill_process(id, Signal::KILL).expect("it is there");
}

fn kill_driver(mut driver: Child) {
    driver.kill().expect("a child can be killed");
    driver.wait().expect("a child can be waited for");
}

#[test]
fn a_command_runs_once_and_its_end_is_told_again() {
    let project = project!();
    let step = shell("echo line >> out; echo said; echo complained >&2");
    let first = performed(&project, &step, 1).unwrap();
    assert_eq!(
        (first.end.clone(), first.stdout.as_str(), first.stderr.as_str()),
        (End::Exit(0), "said\n", "complained\n")
    );
    assert!(!first.was_there);
    let again = performed(&project, &step, 1).unwrap();
    assert_eq!(again, Ran { was_there: true, ..first });
    assert_eq!(project.file("out"), "line\n");
    performed(&project, &step, 2).unwrap();
    assert_eq!(project.file("out"), "line\nline\n", "another attempt is another time");
}

#[test]
fn a_bad_end_is_told_again_as_well() {
    let project = project!();
    let step = shell("echo line >> out; echo no such host >&2; exit 3");
    for _ in 0..2 {
        let Err(NotRun::Failed(error)) = performed(&project, &step, 1) else { panic!("it fails") };
        assert_eq!(error.message(), "the command `sh` of step `push` ended with exit code 3");
        assert_eq!(error.detail_lines(), ["no such host"]);
    }
    assert_eq!(project.file("out"), "line\n");
}

#[test]
fn whoever_waits_may_be_killed_and_the_command_is_still_run_once() {
    let project = project!();
    let driver = driver(&project, &patient());
    wait_for(&project, "ids");
    kill_driver(driver);
    let dir = project.path(".");
    std::thread::scope(|scope| {
        let resumed = scope.spawn(|| performed_in(&dir, &patient(), 1));
        project.write("go", "");
        assert_eq!(resumed.join().unwrap().unwrap().end, End::Exit(0));
    });
    assert_eq!(project.file("out"), "begun\nended\n");
}

/// Leaves a command of which nobody knows the end.
fn kill_everybody(project: &TestProject, step: &CommandStep) {
    let driver = driver(project, step);
    wait_for(project, "ids");
    kill_driver(driver);
    let ids = project.file("ids");
    let (command, supervisor) = ids.trim().split_once(' ').expect("there are two ids");
    kill(supervisor);
    kill(command);
}

#[test]
fn where_nobody_saw_the_end_nothing_is_run_again_by_itself() {
    let project = project!();
    kill_everybody(&project, &patient());
    project.write("go", "");
    for _ in 0..2 {
        let Err(NotRun::Unknown(error)) = performed(&project, &patient(), 1) else { panic!("nobody can know") };
        assert!(error.message().contains("it may have happened or not"), "{}", error.message());
        let hints: Vec<String> = error.hints().iter().map(|hint| hint.at(Door::Cli)).collect();
        assert!(hints.iter().any(|hint| hint.contains("--skip push")), "{hints:?}");
        assert!(hints.iter().any(|hint| hint.contains("--from push")), "{hints:?}");
        assert!(hints.iter().any(|hint| hint.contains("repeatable = true")), "{hints:?}");
    }
    assert_eq!(project.file("out"), "begun\n");
    performed(&project, &patient(), 2).unwrap();
    assert_eq!(project.file("out"), "begun\nbegun\nended\n", "another attempt is asked for");
}

#[test]
fn a_command_that_may_be_repeated_is() {
    let project = project!();
    let step = CommandStep { repeatable: true, ..patient() };
    kill_everybody(&project, &step);
    project.write("go", "");
    assert_eq!(performed(&project, &step, 1).unwrap().end, End::Exit(0));
    assert_eq!(project.file("out"), "begun\nbegun\nended\n");
    performed(&project, &step, 1).unwrap();
    assert_eq!(project.file("out"), "begun\nbegun\nended\n", "its end is known now");
}

#[test]
fn of_several_who_ask_at_once_one_runs_it() {
    let project = project!();
    let step = shell("echo line >> out; sleep 0.2");
    let dir = project.path(".");
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| assert_eq!(performed_in(&dir, &step, 1).unwrap().end, End::Exit(0)));
        }
    });
    assert_eq!(project.file("out"), "line\n");
}

#[test]
fn where_the_program_cannot_be_started_again_nothing_has_begun() {
    let project = project!();
    let step = shell("echo line >> out");
    for executable in [None, Some(PathBuf::from("/bin/false"))] {
        let not_run = perform(&opened(&project.path("."), executable), &step, &key(1));
        assert!(matches!(not_run, Err(NotRun::NotStarted(_))), "{not_run:?}");
    }
    performed(&project, &step, 1).unwrap();
    assert_eq!(project.file("out"), "line\n");
}

#[cfg(target_os = "linux")]
#[test]
fn at_the_limit_the_command_is_ended_with_all_that_it_started() {
    let project = project!();
    let stubborn = "trap '' TERM; sh -c 'trap \"\" TERM; echo $$ > grandchild; while :; do sleep 1; done' & \
                    echo last words >&2; while :; do sleep 1; done";
    let step = CommandStep { timeout: Duration::from_secs(1), ..shell(stubborn) };
    let Err(NotRun::Failed(error)) = performed(&project, &step, 1) else { panic!("it takes too long") };
    assert!(error.message().contains("took longer than 1 s"), "{}", error.message());
    assert_eq!(error.detail_lines(), ["last words"]);
    let grandchild = project.file("grandchild");
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", grandchild.trim())).unwrap_or_default();
    assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
}

#[test]
fn much_output_fills_neither_memory_nor_disk() {
    let project = project!();
    let ran = performed(&project, &shell("yes | head -c 200000000; echo; echo the end"), 1).unwrap();
    assert!(ran.stdout.len() <= 16 * 1024 && ran.stdout.ends_with("the end\n"));
    let kept = std::fs::read_dir(project.path(".handoff/local/state/steps")).unwrap();
    assert!(kept.map(|entry| entry.unwrap().metadata().unwrap().len()).sum::<u64>() < 100_000);
}

#[test]
fn arguments_arrive_as_they_are() {
    let project = project!();
    let odd = ["a b", "\"'", "x\ny", "-n", "--help", "$HOME", "*", "", "`id`", "ä\u{1b}[1m"];
    let argv: Vec<&str> = ["sh", "-c", "printf '%s|' \"$@\"", "sh"].into_iter().chain(odd).collect();
    let ran = performed(&project, &step(&argv), 1).unwrap();
    assert_eq!(ran.stdout, odd.map(|word| format!("{word}|")).concat());
}

#[test]
fn a_command_knows_its_key_and_not_our_passphrases() {
    let project = project!();
    let mut step = shell("env > variables; pwd > directory");
    step.env.insert("TOKEN".to_owned(), "a=b \"c\"\n$d".to_owned());
    assert!(driver(&project, &step).wait().unwrap().success());
    let variables = project.file("variables");
    for line in ["HANDOFF_RUN_ID=r1", "HANDOFF_STEP_ID=push", "HANDOFF_ATTEMPT=1", "TOKEN=a=b \"c\"", "$d"] {
        assert!(variables.lines().any(|found| found == line), "{line} is not in\n{variables}");
    }
    let root = project.path(".").canonicalize().unwrap();
    assert!(variables.contains(&format!("HANDOFF_PROJECT_DIR={}\n", project.path(".").display())), "{variables}");
    assert!(!variables.contains("secret words") && !variables.contains("PASSPHRASE"), "{variables}");
    assert_eq!(project.file("directory").trim(), root.to_str().unwrap());
}

#[test]
fn only_the_variables_that_are_kept_are_inherited() {
    let project = project!();
    let step = CommandStep { inherit: Some(["PATH".to_owned()].into()), ..step(&["env"]) };
    let ran = performed(&project, &step, 1).unwrap();
    let names: Vec<&str> = ran.stdout.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    assert_eq!(names, ["HANDOFF_ATTEMPT", "HANDOFF_PROJECT_DIR", "HANDOFF_RUN_ID", "HANDOFF_STEP_ID", "PATH"]);
}

#[test]
fn what_it_can_read_is_what_it_is_given() {
    let project = project!();
    let given = "{\"facts\":[1,2]}\n".repeat(50_000);
    let counted = CommandStep { stdin: Some(given.clone()), ..step(&["wc", "-c"]) };
    assert_eq!(performed(&project, &counted, 1).unwrap().stdout.trim(), given.len().to_string());
    let unread = CommandStep { stdin: Some(given), ..step(&["true"]) };
    performed(&project, &unread, 2).unwrap();
    assert_eq!(performed(&project, &step(&["cat"]), 3).unwrap().stdout, "");
}

#[test]
fn something_left_running_does_not_keep_us() {
    let project = project!();
    let ran = performed(&project, &shell("sleep 600 & echo $! > left; echo done"), 1).unwrap();
    assert_eq!((ran.end, ran.stdout.as_str()), (End::Exit(0), "done\n"));
    kill(project.file("left").trim());
}

#[test]
fn a_place_outside_the_project_is_refused_before_anything_begins() {
    let project = project!();
    std::os::unix::fs::symlink("/", project.path("out")).unwrap();
    for cwd in ["..", "/", "out"] {
        let step = CommandStep { cwd: Some(cwd.to_owned()), ..shell("echo line >> ran") };
        let Err(not_run @ NotRun::NotStarted(_)) = performed(&project, &step, 1) else { panic!("{cwd} is outside") };
        assert!(told(not_run).contains("lies outside the project"));
    }
    project.make_directory("sub");
    std::os::unix::fs::symlink("sub", project.path("inside")).unwrap();
    let step = CommandStep { cwd: Some("inside".to_owned()), ..shell("echo line >> ran") };
    performed(&project, &step, 1).unwrap();
    assert_eq!(project.file("sub/ran"), "line\n");
}

#[test]
fn a_program_that_cannot_be_started_is_told_in_words() {
    let project = project!();
    let write = |name: &str, text: &str| {
        use std::os::unix::fs::PermissionsExt as _;
        project.write(name, text);
        std::fs::set_permissions(project.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    write("broken", "#!/no/such/interpreter\n");
    write("foreign", "\u{1}\u{2}\u{3}");
    let mut attempt = 0;
    let mut said = |argv: &[&str]| {
        attempt += 1;
        let Err(not_run @ NotRun::NotStarted(_)) = performed(&project, &step(argv), attempt) else {
            panic!("{argv:?}")
        };
        told(not_run)
    };
    assert!(said(&["no-such-program"]).contains("no program `no-such-program` in the directories of PATH"));
    assert!(said(&["./none"]).contains("there is no program `./none`"));
    assert!(said(&[".handoff/config.toml"]).contains("is not executable"));
    assert!(said(&["./broken"]).contains("interpreter"));
    assert!(said(&["./foreign"]).contains("#!/bin/sh"));
    let long = "x".repeat(8 * 1024 * 1024);
    assert!(said(&["true", &long]).contains("longer than the system allows"));
    write("good", "#!/bin/sh\nexit 0\n");
    performed(&project, &step(&["./good"]), 99).unwrap();
}

#[test]
fn a_run_that_is_over_leaves_nothing() {
    let project = project!();
    performed(&project, &shell("echo line >> out"), 1).unwrap();
    forget(&opened(&project.path("."), None), "r1").unwrap();
    assert_eq!(std::fs::read_dir(project.path(".handoff/local/state/steps")).unwrap().count(), 0);
}

#[test]
fn nobody_else_can_make_use_of_the_one_who_watches() {
    let project = project!();
    let store = project.path(".handoff");
    let store = store.to_str().unwrap();
    project.call("__watch-command").run().failed(2).says("how handoff starts itself");
    project.call("__watch-command").word(store).word("r1.push.1").run().failed(2).says("how handoff starts itself");
    project.call("__watch-command").word(store).word("../x.y.1").run().failed(2);
    project.call("__watch-command /no/such/store r1.push.1").run_unchecked().failed(3);
    for listing in ["help", "completion bash"] {
        let answer = project.call(listing).run();
        assert!(!answer.succeeded().stdout.contains("__watch"), "{listing}");
    }
}
