//! A git that is missing, slow, mute, talkative or broken: a reason, and no process left behind.
//!
//! Which git is found depends on `PATH`, so each case runs in a process of its own: this test program, once more.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use handoff_model::name::Layout;
use handoff_store::git::{Asked, Git};
use handoff_store::{NewStore, Store};

use crate::repository::{PATIENCE, Repository};

const PLACE: &str = "HANDOFF_TEST_REPOSITORY";
const LIMIT: &str = "HANDOFF_TEST_LIMIT";

#[test]
#[ignore = "run by the tests beside it, with another PATH"]
fn asks_whichever_git_there_is() {
    let Some(place) = std::env::var_os(PLACE) else { return };
    let limit = std::env::var(LIMIT).map_or(PATIENCE, |limit| Duration::from_millis(limit.parse().unwrap()));
    let git = Git::around(Path::new(&place)).unwrap();
    assert_eq!(git.head().branch.as_deref(), Some("main"), "this needs no git");
    match git.tracked_files(limit) {
        Asked::Answer(files) => println!("answer: {}", files.join(" ")),
        Asked::Skipped(why) => println!("skipped: {why}"),
    }
    println!("children: {}", children());
}

#[test]
#[ignore = "run by the tests beside it, with another PATH"]
fn reads_the_history_with_whichever_git_there_is() {
    let Some(place) = std::env::var_os(PLACE) else { return };
    let limit = std::env::var(LIMIT).map_or(PATIENCE, |limit| Duration::from_millis(limit.parse().unwrap()));
    let store = Store::open(&Path::new(&place).join(".handoff")).unwrap();
    let history = Git::around(Path::new(&place)).unwrap().history(Some(&store), limit);
    let subjects = history.map(|history| history.commits.into_iter().map(|commit| commit.subject).collect::<Vec<_>>());
    match subjects {
        Asked::Answer(subjects) => println!("answer: {}", subjects.join(" ")),
        Asked::Skipped(why) => println!("skipped: {why}"),
    }
    println!("children: {}", children());
}

/// Processes that this one started and that stay, dead or alive.
fn children() -> String {
    let now = || {
        let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
        let of_thread = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
        of_thread.collect::<String>().trim().to_owned()
    };
    eventually(|| now().is_empty());
    now()
}

/// Whether something comes true. Who was killed is gone once the machine comes round to it, and that may take a while.
fn eventually(is_true: impl Fn() -> bool) -> bool {
    let until = Instant::now() + PATIENCE;
    while !is_true() {
        if Instant::now() >= until {
            return false;
        }
        thread::sleep(Duration::from_millis(5));
    }
    true
}

/// How long git may take, longer and longer: how far it gets in a time, nobody can say on a busy machine.
fn limits() -> impl Iterator<Item = Duration> {
    (0..8).map(|doubled| Duration::from_millis(500 << doubled))
}

struct Case {
    repository: Repository,
    programs: tempfile::TempDir,
}

impl Case {
    /// A git that is a script; in it, `$HERE` is a directory for notes.
    fn with_git(script: &str) -> Case {
        let case = Case::without_git();
        let program = case.programs.path().join("git");
        let here = case.programs.path().display();
        fs::write(&program, format!("#!/bin/sh\nHERE={here}\nPATH=/usr/bin:/bin\n{script}\n")).unwrap();
        fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        case
    }

    fn without_git() -> Case {
        let repository = Repository::new();
        repository.write("a.rs", "a\n");
        repository.commit_all("start");
        Case { repository, programs: tempfile::tempdir().unwrap() }
    }

    fn ask(&self, path: &str, limit: Option<Duration>) -> String {
        self.run("asks_whichever_git_there_is", path, limit)
    }

    /// What is answered; no process may be left.
    fn run(&self, test: &str, path: &str, limit: Option<Duration>) -> String {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", &format!("unwilling::{test}"), "--ignored", "--nocapture"]);
        command.env("PATH", path).env(PLACE, self.repository.root()).current_dir(self.repository.root());
        if let Some(limit) = limit {
            command.env(LIMIT, limit.as_millis().to_string());
        }
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        let said = |key: &str| text.lines().find_map(|line| Some(line.split_once(key)?.1.trim().to_owned()));
        assert_eq!(said("children:").unwrap(), "", "processes are left behind");
        said("answer:").map_or_else(|| said("skipped:").unwrap(), |files| format!("answer: {files}"))
    }

    fn asked(&self, limit: Option<Duration>) -> String {
        self.ask(self.programs.path().to_str().unwrap(), limit)
    }

    /// Whether the process is dead, or dies, whose number stands at the end of a note.
    fn dies(&self, note: &str) -> bool {
        let text = fs::read_to_string(self.programs.path().join(note)).unwrap();
        let number = text.split_whitespace().last().unwrap();
        eventually(|| {
            let status = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
            status.is_empty() || status.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z'))
        })
    }
}

#[test]
fn a_git_that_hangs_is_ended_with_all_that_it_started() {
    // Each time it is started it notes the same, and the last note is made when all is there.
    let case = Case::with_git("sleep 600 & echo $! >> $HERE/started; echo $$ >> $HERE/itself; : > $HERE/all; wait");
    let got_there = limits().any(|limit| {
        assert_eq!(case.asked(Some(limit)), "git did not answer in time");
        case.programs.path().join("all").exists()
    });
    assert!(got_there, "it was never started");
    if cfg!(target_os = "linux") {
        assert!(case.dies("itself") && case.dies("started"));
    }
}

#[test]
fn a_git_that_closes_its_output_and_hangs_is_ended() {
    let case = Case::with_git("exec >&- 2>&-; sleep 600");
    assert_eq!(case.asked(Some(Duration::from_millis(300))), "git did not answer in time");
}

#[test]
fn a_git_that_never_stops_talking_is_ended() {
    let case = Case::with_git("yes $(seq 1 5000)");
    assert_eq!(case.asked(None), "git said more than 64 MB");
    let case = Case::with_git("yes >&2");
    assert_eq!(case.asked(Some(Duration::from_millis(300))), "git did not answer in time");
}

#[test]
fn a_history_too_long_for_one_deadline_is_read_in_several() {
    let case = Case::with_git("");
    for number in 1..40 {
        case.repository.commit_all(&format!("c{number}"));
    }
    let new = NewStore { config: "[project]\nname = \"x\"\n", layout: Layout::Status, private: true };
    Store::create(&case.repository.root().join(".handoff"), &new).unwrap();
    let program = case.programs.path().join("git");
    let real = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|dir| dir.join("git"))
        .find(|file| file.is_file())
        .unwrap();
    let real = real.display();
    let slow = format!("case \"$*\" in *' log '*) {real} \"$@\" | head -c 700; sleep 600;; esac\nexec {real} \"$@\"");
    let ask = |script: &str, limit| {
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        let path = format!("{}:/usr/bin:/bin", case.programs.path().display());
        case.run("reads_the_history_with_whichever_git_there_is", &path, limit)
    };
    // Until something is told, there was no time even for what git is asked before.
    let mut parts = limits().map(|limit| ask(&slow, Some(limit)));
    let part = parts.find(|part| part.starts_with("answer: c")).unwrap_or_default();
    assert!(part.ends_with("c38 c39") && !part.contains("c1 "), "the newest come first: {part}");
    case.repository.commit_all("c40");
    let quick = format!("exec {real} \"$@\"");
    let all = (1..=40).fold("answer: start".to_owned(), |all, number| format!("{all} c{number}"));
    assert_eq!(ask(&quick, None), all);
    assert_eq!(ask("exit 1", None), all, "now it is in the cache");
}

#[test]
fn a_git_that_refuses_is_quoted() {
    let case =
        Case::with_git("echo warning: odd >&2; echo 'fatal: detected dubious ownership in repository' >&2; exit 128");
    assert_eq!(case.asked(None), "git refused: detected dubious ownership in repository");
    let case = Case::with_git("printf 'fatal: \\033[31mred\\n' >&2; exit 1");
    assert_eq!(case.asked(None), "git refused: [31mred");
    let case = Case::with_git("kill -9 $$");
    assert_eq!(case.asked(None), "git refused: it ended with signal: 9 (SIGKILL)");
}

#[test]
fn without_git_that_is_said() {
    let case = Case::without_git();
    assert_eq!(case.asked(None), "git is not installed");
}

#[test]
fn a_git_in_the_repository_itself_is_not_run() {
    let case = Case::without_git();
    case.repository.write("git", "#!/bin/sh\ntouch was-run\n");
    fs::set_permissions(case.repository.root().join("git"), PermissionsExt::from_mode(0o755)).unwrap();
    for path in [".", "", ":.:"] {
        assert_eq!(case.ask(path, None), "git is not installed");
    }
    assert!(case.repository.read("was-run").is_none());
}

#[test]
fn settings_of_a_hook_that_is_running_are_not_taken_over() {
    let case = Case::without_git();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "unwilling::asks_whichever_git_there_is", "--ignored", "--nocapture"])
        .env(PLACE, case.repository.root())
        .envs([("GIT_DIR", "/nowhere"), ("GIT_INDEX_FILE", "/nowhere"), ("GIT_WORK_TREE", "/nowhere")])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("answer: a.rs"), "{text}");
}
