//! A git that is missing, slow, mute, talkative or broken: a reason, and no process left behind.
//!
//! Which git is found depends on `PATH`, so each case runs in a process of its own: this test program, once more.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use handoff_store::git::{Asked, Git};

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

/// Processes that this one started and that are there still, dead or alive.
fn children() -> String {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let of_thread = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    of_thread.collect::<String>().trim().to_owned()
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

    /// What is answered; no process may be left.
    fn ask(&self, path: &str, limit: Option<Duration>) -> String {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "unwilling::asks_whichever_git_there_is", "--ignored", "--nocapture"]);
        command.env("PATH", path).env(PLACE, self.repository.root()).current_dir(self.repository.root());
        if let Some(limit) = limit {
            command.env(LIMIT, limit.as_millis().to_string());
        }
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        let said = |key: &str| text.lines().find_map(|line| Some(line.split_once(key)?.1.trim().to_owned()));
        assert_eq!(said("children:").unwrap(), "", "processes are left behind");
        said("answer:").map(|files| format!("answer: {files}")).unwrap_or_else(|| said("skipped:").unwrap())
    }

    fn asked(&self, limit: Option<Duration>) -> String {
        self.ask(self.programs.path().to_str().unwrap(), limit)
    }

    /// Whether the process whose number a script noted is dead.
    fn is_dead(&self, note: &str) -> bool {
        let number = fs::read_to_string(self.programs.path().join(note)).unwrap();
        let status = fs::read_to_string(format!("/proc/{}/stat", number.trim())).unwrap_or_default();
        status.is_empty() || status.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z'))
    }
}

#[test]
fn a_git_that_hangs_is_ended_with_all_that_it_started() {
    let case = Case::with_git("sleep 600 & echo $! > $HERE/started; echo $$ > $HERE/itself; wait");
    assert_eq!(case.asked(Some(Duration::from_millis(700))), "git took longer than 700 ms");
    if cfg!(target_os = "linux") {
        assert!(case.is_dead("itself") && case.is_dead("started"));
    }
}

#[test]
fn a_git_that_closes_its_output_and_hangs_is_ended() {
    let case = Case::with_git("exec >&- 2>&-; sleep 600");
    assert_eq!(case.asked(Some(Duration::from_millis(300))), "git took longer than 300 ms");
}

#[test]
fn a_git_that_never_stops_talking_is_ended() {
    let case = Case::with_git("yes $(seq 1 5000)");
    assert_eq!(case.asked(None), "git said more than 64 MB");
    let case = Case::with_git("yes >&2");
    assert_eq!(case.asked(Some(Duration::from_millis(300))), "git took longer than 300 ms");
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
