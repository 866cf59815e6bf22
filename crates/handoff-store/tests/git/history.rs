//! The last commits, and the cache they are kept in.

use std::fs;
use std::path::Path;
use std::time::Duration;

use handoff_model::likely::{Commit, Touched};
use handoff_model::name::Layout;
use handoff_store::git::History;
use handoff_store::{NewStore, Store};

use crate::repository::{Answered, PATIENCE, Repository, git_in};

fn store(dir: &Path) -> Store {
    let new = NewStore { config: "[project]\nname = \"x\"\n", layout: Layout::Status, private: true };
    Store::create(&dir.join(".handoff"), &new).unwrap()
}

fn subjects(history: &History) -> Vec<&str> {
    history.commits.iter().map(|commit| commit.subject.as_str()).collect()
}

fn touched(change: char, path: &str, from: Option<&str>) -> Touched {
    Touched { change, path: path.to_owned(), from: from.map(str::to_owned) }
}

#[test]
fn commits_are_told_with_their_files_the_oldest_first() {
    let repository = Repository::with_project("app");
    repository.write("app/a.rs", "one\ntwo\nthree\n");
    repository.write("top.rs", "t\n");
    repository.commit_all("start");
    repository.run("mv app/a.rs app/b.rs");
    repository.remove("top.rs");
    repository.write("app/.handoff/config.toml", "x");
    repository.commit_all("move it");
    git_in(repository.root(), &["commit", "-q", "--allow-empty", "--author=b <b@example.com>", "-m", "by another"]);
    repository.run("config user.email b@example.com");
    let history = repository.git().history(None, PATIENCE).answered();
    let files: Vec<&[Touched]> = history.commits.iter().map(|commit| commit.files.as_slice()).collect();
    assert_eq!(subjects(&history), ["start", "move it", "by another"]);
    assert_eq!(files[0], [touched('A', "a.rs", None), touched('A', "../top.rs", None)]);
    assert_eq!(files[1], [touched('R', "b.rs", Some("a.rs")), touched('D', "../top.rs", None)]);
    assert_eq!(files[2], []);
    let authors: Vec<u32> = history.commits.iter().map(|commit| commit.author).collect();
    assert_eq!(authors[0], authors[1]);
    assert_eq!(history.me, Some(authors[2]));
    assert_ne!(authors[1], authors[2]);
    assert!(history.commits.iter().all(|Commit { time, .. }| *time > 1_600_000_000));
}

#[test]
fn what_is_cached_is_extended_when_the_branch_moves_on_and_read_anew_when_it_is_rewritten() {
    let repository = Repository::new();
    let store = store(repository.root());
    let cache = repository.root().join(".handoff/local/cache/git-history");
    let ask = || repository.git().history(Some(&store), PATIENCE).answered();
    assert_eq!(ask(), History::default());
    for (number, subject) in ["one", "two", "three"].iter().enumerate() {
        repository.write("a.rs", &number.to_string());
        repository.commit_all(subject);
        assert_eq!(ask(), repository.git().history(None, PATIENCE).answered());
    }
    assert_eq!(subjects(&ask()), ["one", "two", "three"]);
    // No git could answer within no time at all: this comes from the cache.
    let at_once = repository.git().history(Some(&store), Duration::ZERO).answered();
    assert_eq!(subjects(&at_once), ["one", "two", "three"]);
    repository.run("commit -q --amend --allow-empty -m THREE");
    assert_eq!(subjects(&ask()), ["one", "two", "THREE"]);
    // What is damaged is read anew.
    let whole = fs::read(&cache).unwrap();
    for damaged in [whole[..whole.len() / 2].to_vec(), Vec::new(), vec![0xff; 100]] {
        fs::write(&cache, damaged).unwrap();
        assert_eq!(subjects(&ask()), ["one", "two", "THREE"]);
        assert_eq!(fs::read(&cache).unwrap(), whole);
    }
    fs::remove_file(&cache).unwrap();
    assert_eq!(subjects(&ask()), ["one", "two", "THREE"]);
}
