//! Many questions answered by few runs of git, counted; and a repository that is too slow.
//!
//! Which git is found depends on `PATH`, so each case runs in a process of its own: this test program, once more.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use handoff_model::name::Layout;
use handoff_model::session::GitFacts;
use handoff_store::git::{Baseline, DriftRequest, Git, Pointed, SurveyRequest};
use handoff_store::{NewStore, Store};

use crate::repository::{Answered, PATIENCE, Repository};

const PLACE: &str = "HANDOFF_TEST_SURVEYED";
const LIMIT: &str = "HANDOFF_TEST_SURVEY_LIMIT";
const HANDOFFS: usize = 14;

/// A repository with a handoff at each of its commits, and a git that counts how often it is run.
struct Counted {
    repository: Repository,
    programs: tempfile::TempDir,
}

impl Counted {
    /// A git that runs `script` before it does what it is asked for.
    fn with(script: &str) -> Counted {
        let repository = Repository::new();
        let new = NewStore { config: "[project]\nname = \"x\"\n", layout: Layout::Status, private: true };
        Store::create(&repository.root().join(".handoff"), &new).unwrap();
        for number in 0..HANDOFFS {
            repository.write(&format!("src/{number}.rs"), "one\n");
            repository.write("src/all.rs", &number.to_string());
            repository.commit_all(&format!("commit {number}"));
        }
        repository.write("src/0.rs", "changed\n");
        repository.write("new.rs", "new\n");
        let programs = tempfile::tempdir().unwrap();
        let program = programs.path().join("git");
        let real = std::env::split_paths(&std::env::var_os("PATH").unwrap())
            .map(|dir| dir.join("git"))
            .find(|file| file.is_file())
            .unwrap();
        let (count, real) = (programs.path().join("count"), real.display().to_string());
        let script = format!("#!/bin/sh\necho \"$*\" >> {}\n{script}\nexec {real} \"$@\"\n", count.display());
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        Counted { repository, programs }
    }

    /// What the survey said, and the runs of git that it took.
    fn survey(&self, limit: Duration) -> (String, Vec<String>) {
        let _ = fs::remove_file(self.programs.path().join("count"));
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "surveyed::asks_about_many_handoffs", "--ignored", "--nocapture"])
            .env("PATH", format!("{}:/usr/bin:/bin", self.programs.path().display()))
            .env(PLACE, self.repository.root())
            .env(LIMIT, limit.as_millis().to_string())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        let said = text.lines().find_map(|line| Some(line.split_once("survey:")?.1.trim().to_owned())).unwrap();
        let runs = fs::read_to_string(self.programs.path().join("count")).unwrap_or_default();
        let commands = ["status", "cat-file", "diff-tree", "rev-list", "log", "hash-object", "ls-files"];
        let command = |line: &str| line.split(' ').find(|word| commands.contains(word)).unwrap_or(line).to_owned();
        (said, runs.lines().map(command).collect())
    }
}

#[test]
#[ignore = "run by the tests beside it, with another PATH"]
fn asks_about_many_handoffs() {
    let Some(place) = std::env::var_os(PLACE) else { return };
    let place = Path::new(&place);
    let limit = Duration::from_millis(std::env::var(LIMIT).unwrap().parse().unwrap());
    let git = Git::around(place).unwrap();
    let commits = fs::read_to_string(place.join(".git/logs/HEAD")).unwrap();
    let commits: Vec<String> = commits.lines().map(|line| line.split(' ').nth(1).unwrap()[..7].to_owned()).collect();
    let facts = |commit: &String| GitFacts {
        commit: Some(commit.clone()),
        branch: Some("main".to_owned()),
        dirty: vec!["M src/0.rs".to_owned()],
        ..GitFacts::default()
    };
    let facts: Vec<GitFacts> = commits.iter().map(facts).collect();
    let pointers = vec![
        Pointed { path: "src/1.rs", blob: None, lines: None },
        Pointed { path: "src/all.rs", blob: None, lines: None },
    ];
    let drift = facts.iter().map(|facts| DriftRequest {
        since: Baseline::of(facts),
        pointers: pointers.clone(),
        governed: vec!["src/"],
    });
    let request =
        SurveyRequest { drift: drift.collect(), since: Some(&commits[2]), saved: Some(&facts[2]), now: Some(1_000) };
    let store = Store::open(&place.join(".handoff")).unwrap();
    let survey = git.survey(Some(&store), &request, limit);
    let changed: usize =
        survey.drift.iter().flatten().flat_map(|drift| &drift.governed).map(|governed| governed.changes.len()).sum();
    let commits = survey.changes.as_ref().map(|changes| changes.commits);
    let kept = survey.uncommitted.map(|uncommitted| uncommitted.kept);
    println!("survey: {changed} changes, {commits:?} commits, {kept:?} kept, {:?}", survey.skipped);
}

#[test]
fn many_handoffs_take_few_runs_of_git_and_fewer_the_next_time() {
    let counted = Counted::with("");
    let (first, runs) = counted.survey(PATIENCE);
    // Of each handoff: the files that came after it, the one that all commits change, and the one that is changed now.
    let changed: usize = (1..HANDOFFS).map(|later| later + 1 + usize::from(later != HANDOFFS)).sum::<usize>() + 1;
    assert!(first.starts_with(&format!("{changed} changes, Some(11) commits, Some([\"src/0.rs\"]) kept")), "{first}");
    assert!(runs.len() <= 7, "{runs:#?}");
    let (second, runs) = counted.survey(PATIENCE);
    assert_eq!(second, first);
    assert!(runs.len() <= 3 && runs.contains(&"status".to_owned()), "{runs:#?}");
    // Only the work tree is asked about again, and so what changes in it is seen.
    counted.repository.run("checkout -q src/0.rs");
    let (third, _) = counted.survey(PATIENCE);
    assert!(third.contains("Some([]) kept"), "{third}");
}

#[test]
fn a_work_tree_that_takes_too_long_leaves_what_commits_say_and_is_not_waited_for_again() {
    let counted = Counted::with("case \"$*\" in *status*) sleep 60;; esac");
    counted.survey(Duration::from_secs(8));
    let (said, runs) = counted.survey(Duration::from_secs(8));
    assert!(said.contains("Some(11) commits, None kept, Some(\"git did not answer in time\")"), "{said}");
    assert_eq!(runs, Vec::<String>::new(), "all of it was known");
}

#[test]
fn answers_that_are_damaged_are_asked_for_again() {
    let counted = Counted::with("");
    let (first, _) = counted.survey(PATIENCE);
    let cache = counted.repository.root().join(".handoff/local/cache/git-answers");
    let whole = fs::read(&cache).unwrap();
    fs::write(&cache, &whole[..whole.len() / 2]).unwrap();
    let (again, runs) = counted.survey(PATIENCE);
    assert_eq!(again, first);
    assert!(runs.contains(&"diff-tree".to_owned()));
    let (_, runs) = counted.survey(PATIENCE);
    assert!(!runs.contains(&"diff-tree".to_owned()), "it was written again");
}

#[test]
fn a_commit_that_arrives_later_is_found() {
    let repository = Repository::new();
    repository.write("a.rs", "one\n");
    repository.commit_all("start");
    let new = NewStore { config: "[project]\nname = \"x\"\n", layout: Layout::Status, private: true };
    let store = Store::create(&repository.root().join(".handoff"), &new).unwrap();
    let other = Repository::new();
    other.write("b.rs", "two\n");
    other.commit_all("elsewhere");
    let then = other.git().facts(&[], PATIENCE).answered().git.commit.unwrap();
    let known = || {
        let request = SurveyRequest { since: Some(&then), ..SurveyRequest::default() };
        repository.git().survey(Some(&store), &request, PATIENCE).changes.unwrap().known
    };
    assert!(!known());
    repository.run(&format!("fetch -q {} main", other.root().display()));
    assert!(known());
}
