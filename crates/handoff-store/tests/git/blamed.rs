//! Which commits made a file and lines of it, and where lines went.

use handoff_store::git::Asked;

use crate::repository::{Answered, PATIENCE, Repository, git_in};

fn lines(count: usize, changed: &[(usize, &str)]) -> String {
    let line =
        |n: usize| changed.iter().find(|(at, _)| *at == n).map_or(format!("line {n}"), |(_, text)| (*text).to_owned());
    (1..=count).map(|n| line(n) + "\n").collect()
}

#[test]
fn lines_are_told_by_the_commits_that_made_them() {
    let repository = Repository::with_project("app");
    repository.write("app/a.rs", &lines(9, &[]));
    repository.commit_all("start");
    repository.write("app/a.rs", &lines(9, &[(4, "new"), (5, "new")]));
    git_in(repository.root(), &["commit", "-qam", "change two\n\nfor k7f3q2ma"]);
    repository.write("app/a.rs", &lines(9, &[(4, "new"), (5, "new"), (6, "dirty")]));
    let blamed = repository.git().blame("a.rs", (3, 6), PATIENCE).answered();
    let told: Vec<_> =
        blamed.iter().map(|it| (it.lines, it.commit.as_ref().map(|commit| commit.subject().to_owned()))).collect();
    assert_eq!(told, [((3, 3), Some("start".to_owned())), ((4, 5), Some("change two".to_owned())), ((6, 6), None)]);
    let commit = blamed[1].commit.as_ref().unwrap();
    assert!(commit.message.ends_with("for k7f3q2ma") && commit.author == "a" && commit.time > 0, "{commit:?}");
    assert_eq!(commit.id, repository.run("rev-parse HEAD"));
}

#[test]
fn what_is_not_committed_or_not_there_is_no_obstacle() {
    let repository = Repository::new();
    repository.write("a.rs", "one\n");
    let none = repository.git().blame("a.rs", (1, 1), PATIENCE).answered();
    assert!(none.len() == 1 && none[0].commit.is_none(), "without any commit");
    repository.commit_all("start");
    repository.write("new.rs", "one\ntwo\n");
    let none = repository.git().blame("new.rs", (1, 2), PATIENCE).answered();
    assert!(none.len() == 1 && none[0].commit.is_none(), "git does not follow it yet");
    let beyond = repository.git().blame("a.rs", (9, 9), PATIENCE);
    assert!(matches!(beyond, Asked::Skipped(why) if why.contains("has only 1 line")));
    assert_eq!(repository.git().path_history("never.rs", PATIENCE).answered().commits.len(), 0);
}

#[test]
fn a_file_is_followed_through_its_names_and_after_its_end() {
    let repository = Repository::with_project("app");
    repository.write("app/old.rs", &lines(20, &[]));
    repository.write("app/other.rs", "x\n");
    repository.commit_all("start");
    repository.rename("app/old.rs", "app/new.rs");
    repository.commit_all("rename it");
    repository.write("app/new.rs", &lines(20, &[(3, "new")]));
    repository.commit_all("change it");
    let subjects = |path: &str| {
        let history = repository.git().path_history(path, PATIENCE).answered();
        (history.commits.iter().map(|it| it.subject().to_owned()).collect::<Vec<_>>(), history.names)
    };
    let all = ["change it", "rename it", "start"].map(str::to_owned).to_vec();
    assert_eq!(subjects("new.rs"), (all, vec!["old.rs".to_owned()]));
    assert_eq!(subjects("old.rs").0, ["rename it", "start"]);
    repository.remove("app/new.rs");
    repository.commit_all("drop it");
    assert_eq!(subjects("new.rs").0[..2], ["drop it", "change it"]);
    assert_eq!(subjects(".").0.len(), 4, "of a directory all that touched it");
}

#[test]
fn lines_are_found_again_after_edits_above_them() {
    let repository = Repository::new();
    repository.write("a.rs", &lines(20, &[]));
    repository.commit_all("start");
    let blob = repository.run("rev-parse HEAD:a.rs");
    let text = "new\nnew\n".to_owned() + &lines(20, &[(10, "changed")]);
    repository.write("a.rs", &text);
    let git = repository.git();
    let now = git.lines_now("a.rs", &blob[..12], &[(5, 7), (9, 11), (20, 20)], PATIENCE).answered();
    assert_eq!(now, [Some((7, 9)), Some((11, 13)), Some((22, 22))]);
    for unknown in ["0123456789ab", "HEAD", "--output=x"] {
        assert!(matches!(git.lines_now("a.rs", unknown, &[(1, 1)], PATIENCE), Asked::Skipped(_)), "{unknown}");
    }
    assert!(repository.read("x").is_none());
}
