//! Uncommitted work, compared with what a handoff left uncommitted.

use handoff_model::session::GitFacts;
use handoff_store::git::{SurveyRequest, UncommittedFiles};

use crate::repository::{Answered, PATIENCE, Repository};

/// A repository with three committed files, of which one is changed, and a new file.
fn repository() -> Repository {
    let repository = Repository::new();
    for name in ["a.rs", "b.rs", "c.rs"] {
        repository.write(name, &format!("{name}\n"));
    }
    repository.commit_all("start");
    repository.write("a.rs", "changed\n");
    repository.write("new.rs", "new\n");
    repository
}

fn save(repository: &Repository) -> GitFacts {
    repository.git().facts(&[], PATIENCE).answered().git
}

fn compare(repository: &Repository, saved: &GitFacts) -> UncommittedFiles {
    let request = SurveyRequest { saved: Some(saved), ..SurveyRequest::default() };
    let survey = repository.git().survey(None, &request, PATIENCE);
    survey.uncommitted.unwrap_or_else(|| panic!("{:?}", survey.skipped))
}

fn lists(kept: &[&str], new: &[&str], gone: &[&str]) -> UncommittedFiles {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    UncommittedFiles { kept: owned(kept), new: owned(new), gone: owned(gone), stash: None }
}

#[test]
fn work_that_is_still_there_is_told_from_new_work() {
    let repository = repository();
    let saved = save(&repository);
    assert_eq!(compare(&repository, &saved), lists(&["a.rs", "new.rs"], &[], &[]));
    repository.write("b.rs", "changed too\n");
    repository.write("a.rs", "changed again\n");
    assert_eq!(compare(&repository, &saved), lists(&["a.rs", "new.rs"], &["b.rs"], &[]));
}

#[test]
fn work_that_was_reset_or_removed_is_gone() {
    let repository = repository();
    let saved = save(&repository);
    repository.run("checkout -q a.rs");
    repository.remove("new.rs");
    assert_eq!(compare(&repository, &saved), lists(&[], &[], &["a.rs", "new.rs"]));
}

#[test]
fn work_that_was_stashed_is_gone_and_the_stash_is_named() {
    let repository = repository();
    let saved = save(&repository);
    repository.run("stash push -q -u -m later");
    let found = compare(&repository, &saved);
    assert_eq!(found.gone, ["a.rs", "new.rs"]);
    let stash = found.stash.unwrap();
    assert!(stash.subject.contains("later") && stash.at > 1_600_000_000, "{stash:?}");
    repository.run("stash pop -q");
    assert_eq!(compare(&repository, &saved), lists(&["a.rs", "new.rs"], &[], &[]));
}

#[test]
fn work_that_was_committed_is_not_gone_even_after_further_changes() {
    let repository = repository();
    let saved = save(&repository);
    repository.commit_all("as it was");
    assert_eq!(compare(&repository, &saved), lists(&[], &[], &[]));
    repository.write("a.rs", "changed again\n");
    assert_eq!(compare(&repository, &saved), lists(&[], &["a.rs"], &[]), "this change began after the commit");
    repository.run("reset -q --hard HEAD~1");
    repository.write("a.rs", "quite another change\n");
    repository.write("new.rs", "quite another file\n");
    repository.commit_all("changed further before it was committed");
    assert_eq!(compare(&repository, &saved), lists(&[], &[], &[]));
}

#[test]
fn work_that_was_amended_or_rebased_is_not_gone() {
    let repository = repository();
    let saved = save(&repository);
    repository.run("add -A");
    repository.run("commit -q --amend -m amended");
    assert_eq!(compare(&repository, &saved), lists(&[], &[], &[]));
}

#[test]
fn work_that_was_moved_or_is_ignored_now_is_not_gone() {
    let repository = repository();
    let saved = save(&repository);
    repository.rename("new.rs", "lib/new.rs");
    assert_eq!(compare(&repository, &saved), lists(&["a.rs"], &["lib/new.rs"], &[]));
    repository.rename("lib/new.rs", "new.rs");
    repository.write(".gitignore", "new.rs\n");
    assert_eq!(compare(&repository, &saved), lists(&["a.rs"], &[".gitignore"], &[]));
}

#[test]
fn a_deletion_that_was_undone_is_gone_and_one_that_was_committed_is_not() {
    let repository = repository();
    repository.remove("c.rs");
    let saved = save(&repository);
    repository.run("checkout -q c.rs");
    assert_eq!(compare(&repository, &saved), lists(&["a.rs", "new.rs"], &[], &["c.rs"]));
    repository.remove("c.rs");
    repository.commit_all("without it");
    assert_eq!(compare(&repository, &saved), lists(&[], &[], &[]));
}

#[test]
fn nothing_is_called_gone_where_the_commit_of_then_is_not_known() {
    let repository = repository();
    let saved = GitFacts { commit: Some("1234567".to_owned()), ..save(&repository) };
    repository.run("checkout -q a.rs");
    assert_eq!(compare(&repository, &saved), lists(&["new.rs"], &[], &[]));
}

#[test]
fn work_before_the_first_commit_is_compared_too() {
    let repository = Repository::new();
    repository.write("a.rs", "a\n");
    repository.write("b.rs", "b\n");
    let saved = save(&repository);
    assert_eq!(compare(&repository, &saved), lists(&["a.rs", "b.rs"], &[], &[]));
    repository.remove("b.rs");
    repository.commit_all("start");
    assert_eq!(compare(&repository, &saved), lists(&[], &[], &["b.rs"]));
}

#[test]
fn paths_are_seen_from_the_project() {
    let repository = Repository::with_project("app");
    repository.write("app/a.rs", "a\n");
    repository.write("top.rs", "t\n");
    repository.commit_all("start");
    repository.write("app/a.rs", "changed\n");
    repository.write("top.rs", "changed too\n");
    let saved = save(&repository);
    repository.run("checkout -q app/a.rs");
    assert_eq!(compare(&repository, &saved), lists(&["../top.rs"], &[], &["a.rs"]));
}
