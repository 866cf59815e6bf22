//! Repositories whose settings try to run programs: asking runs none of them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use handoff_store::git::{Asked, Baseline, Git, Pointed};

use crate::repository::{Answered, PATIENCE, Repository, git_in};

/// A program that leaves a mark when it is run.
fn trap(repository: &Repository) -> String {
    let program = repository.root().join(".git/trap.sh");
    let mark = mark(repository);
    fs::write(&program, format!("#!/bin/sh\necho \"$0 $@\" >> {}\ncat\n", mark.display())).unwrap();
    fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    program.to_str().unwrap().to_owned()
}

fn mark(repository: &Repository) -> std::path::PathBuf {
    repository.root().join(".git/was-run")
}

fn project() -> Repository {
    let repository = Repository::new();
    for name in ["a.rs", "b.rs", "c.bin"] {
        repository.write(name, "text\n");
    }
    repository.commit_all("start");
    repository
}

/// Makes every file look as if it might have changed, so that git has to read it.
fn unsettle(repository: &Repository) {
    repository.write("a.rs", "changed\n");
    repository.write("b.rs", "text\n");
    repository.write("new.rs", "new\n");
}

/// Asks everything there is to ask.
fn ask_all(git: &Git) -> Asked<()> {
    git.head();
    let facts = match git.facts(&["a.rs", "b.rs", "new.rs"], PATIENCE) {
        Asked::Answer(facts) => facts,
        Asked::Skipped(why) => return Asked::Skipped(why),
    };
    assert_eq!(facts.skipped, None);
    let pointers = ["a.rs", "b.rs", "gone.rs"].map(|path| Pointed { path, blob: Some("0123456789ab"), lines: None });
    git.drift(&Baseline::of(&facts.git), &pointers, &["."], PATIENCE).answered();
    let first = git_in(git.root(), &["rev-list", "--max-parents=0", "HEAD"]);
    git.changes_since(Some(&first), PATIENCE).answered();
    git.changes_between(&first, &git.head().commit.unwrap_or_default(), PATIENCE).answered();
    git.history(None, PATIENCE).answered();
    for path in ["a.rs", "c.bin", "new.rs"] {
        git.blame(path, (1, 1), PATIENCE).answered();
    }
    git.path_history("b.rs", PATIENCE).answered();
    let blob = git_in(git.root(), &["rev-parse", "HEAD:a.rs"]);
    git.lines_now("a.rs", &blob, &[(1, 1)], PATIENCE).answered();
    git.tracked_files(PATIENCE).answered();
    Asked::Answer(())
}

fn ran(repository: &Repository) -> Option<String> {
    fs::read_to_string(mark(repository)).ok()
}

#[test]
fn monitors_hooks_pagers_aliases_and_diff_programs_do_not_run() {
    let repository = project();
    let trap = trap(&repository);
    for key in [
        "core.fsmonitor",
        "core.pager",
        "pager.status",
        "pager.log",
        "diff.external",
        "diff.bin.command",
        "diff.bin.textconv",
        "core.sshCommand",
        "core.askPass",
        "core.editor",
        "credential.helper",
        "gpg.program",
    ] {
        git_in(repository.root(), &["config", key, &trap]);
    }
    for name in ["status", "diff", "log", "ls-files", "hash-object", "rev-parse", "blame"] {
        git_in(repository.root(), &["config", &format!("alias.{name}"), &format!("!{trap}")]);
    }
    let hooks = repository.root().join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    for hook in ["post-index-change", "pre-auto-gc", "fsmonitor-watchman", "query-watchman", "reference-transaction"] {
        fs::copy(&trap, hooks.join(hook)).unwrap();
    }
    git_in(repository.root(), &["config", "core.hooksPath", hooks.to_str().unwrap()]);
    repository.write(".gitattributes", "*.bin diff=bin\n");
    unsettle(&repository);
    ask_all(&repository.git()).answered();
    assert_eq!(ran(&repository), None);
    // The trap works: git by itself falls into it.
    repository.run("status");
    assert!(ran(&repository).is_some());
}

#[test]
fn signatures_are_not_checked() {
    let repository = project();
    let trap = trap(&repository);
    let commit = repository.run("cat-file commit HEAD");
    let signed =
        commit.replacen("\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n", 1);
    repository.write(".git/signed", &signed);
    let id = repository.run("hash-object -t commit -w .git/signed");
    git_in(repository.root(), &["update-ref", "refs/heads/main", &id]);
    git_in(repository.root(), &["config", "gpg.program", &trap]);
    repository.run("config log.showSignature true");
    ask_all(&repository.git()).answered();
    assert_eq!(ran(&repository), None);
    repository.run("log");
    assert!(ran(&repository).is_some());
}

#[test]
fn filters_do_not_run_wherever_the_repository_hides_them() {
    for (file, key) in [
        ("config", "filter.evil.clean"),
        ("config", "filter.evil.process"),
        ("hidden", "filter.a.b c.clean"),
        ("config.worktree", "filter.evil.clean"),
    ] {
        let repository = project();
        let trap = trap(&repository);
        let file = repository.root().join(".git").join(file);
        git_in(repository.root(), &["config", "-f", file.to_str().unwrap(), key, &trap]);
        match file.file_name().and_then(|name| name.to_str()) {
            Some("hidden") => repository.run("config include.path hidden"),
            Some("config.worktree") => repository.run("config extensions.worktreeConfig true"),
            _ => String::new(),
        };
        let name = key.strip_prefix("filter.").unwrap().rsplit_once('.').unwrap().0;
        if name.contains(' ') {
            // A name with a blank cannot be named in attributes; it must not disturb either.
            repository.write(".gitattributes", "*.rs filter=evil\n");
        } else {
            repository.write(".gitattributes", &format!("*.rs filter={name}\n"));
        }
        unsettle(&repository);
        ask_all(&repository.git()).answered();
        assert_eq!(ran(&repository), None, "{key}");
        if !name.contains(' ') && !key.ends_with("process") {
            repository.run("status");
            assert!(ran(&repository).is_some(), "{key}");
        }
    }
}

#[test]
fn a_filter_whose_name_cannot_be_told_to_git_is_reason_enough_to_ask_nothing() {
    let repository = project();
    let trap = trap(&repository);
    repository.write(".gitattributes", "*.rs filter=a=b\n");
    git_in(repository.root(), &["config", "filter.a=b.clean", &trap]);
    unsettle(&repository);
    assert!(matches!(ask_all(&repository.git()), Asked::Skipped(why) if why.contains("strange name")));
    assert_eq!(ran(&repository), None);
}

#[test]
fn the_filters_of_a_submodule_do_not_run() {
    let inner = project();
    let outer = project();
    let trap = trap(&outer);
    git_in(outer.root(), &["submodule", "--quiet", "add", inner.root().to_str().unwrap(), "inner"]);
    outer.commit_all("with a submodule");
    git_in(&outer.root().join("inner"), &["config", "filter.evil.clean", &trap]);
    git_in(&outer.root().join("inner"), &["config", "core.fsmonitor", &trap]);
    outer.write("inner/.gitattributes", "* filter=evil\n");
    outer.write("inner/a.rs", "text\n");
    ask_all(&outer.git()).answered();
    assert_eq!(ran(&outer), None);
    outer.run("status");
    assert!(ran(&outer).is_some());
}

#[test]
fn nothing_is_fetched() {
    let repository = project();
    let trap = trap(&repository);
    for (key, value) in [
        ("extensions.partialClone", "origin"),
        ("core.repositoryFormatVersion", "1"),
        ("remote.origin.url", &format!("ext::{trap}")),
        ("remote.origin.promisor", "true"),
        ("remote.origin.partialCloneFilter", "blob:none"),
        ("protocol.ext.allow", "always"),
    ] {
        git_in(repository.root(), &["config", key, value]);
    }
    let blob = repository.run("rev-parse HEAD:a.rs");
    repository.remove(&format!(".git/objects/{}/{}", &blob[..2], &blob[2..]));
    let git = repository.git();
    repository.remove("a.rs");
    repository.write("similar.rs", "texts\n");
    let facts = git.facts(&["b.rs"], PATIENCE).answered();
    let pointers = [Pointed { path: "a.rs", blob: Some(&blob), lines: None }];
    let _ = git.drift(&Baseline::of(&facts.git), &pointers, &["."], PATIENCE);
    let _ = git.history(None, PATIENCE);
    assert_eq!(ran(&repository), None);
}

#[test]
fn a_work_tree_elsewhere_is_not_looked_into() {
    let repository = project();
    let other = tempfile::tempdir().unwrap();
    git_in(repository.root(), &["config", "core.worktree", other.path().to_str().unwrap()]);
    assert!(matches!(repository.git().facts(&[], PATIENCE), Asked::Skipped(why) if why.contains("elsewhere")));
}

#[test]
fn a_bare_repository_at_the_top_is_not_used_in_place_of_a_damaged_one() {
    let repository = project();
    let trap = trap(&repository);
    repository.write(".gitattributes", "*.rs filter=evil\n");
    repository.commit_all("with attributes");
    // Git does not take `.git` without `refs` for a repository, and looks for one in the directory itself.
    let root = repository.root();
    for name in ["HEAD", "config", "objects", "refs", "index"] {
        fs::rename(root.join(".git").join(name), root.join(name)).unwrap();
    }
    git_in(root, &["--git-dir=.", "config", "core.worktree", "."]);
    git_in(root, &["--git-dir=.", "config", "filter.evil.clean", &trap]);
    fs::create_dir(root.join(".git/objects")).unwrap();
    fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    unsettle(&repository);
    let facts = repository.git().facts(&["a.rs"], PATIENCE);
    let skipped = match facts {
        Asked::Answer(facts) => facts.skipped,
        Asked::Skipped(why) => Some(why),
    };
    assert!(skipped.is_some_and(|why| why.contains("it has no `refs`")));
    Git::why_none(root, PATIENCE);
    // Even if the damage is seen by git alone.
    fs::create_dir(root.join(".git/refs")).unwrap();
    fs::write(root.join(".git/HEAD"), "damaged\n").unwrap();
    let facts = repository.git().facts(&["a.rs"], PATIENCE).answered();
    assert!(facts.skipped.is_some());
    assert_eq!(ran(&repository), None);
    repository.run("status");
    assert!(ran(&repository).is_some());
}

#[test]
fn a_git_file_does_not_lead_to_the_repository_of_another_work_tree() {
    let private = project();
    let holder = tempfile::tempdir().unwrap();
    let linked = holder.path().join("linked");
    git_in(private.root(), &["worktree", "add", "-q", linked.to_str().unwrap()]);
    assert!(Git::around(&linked).is_some(), "a linked work tree has a repository");

    let foreign = holder.path().join("unpacked");
    fs::create_dir(&foreign).unwrap();
    let dot_git = foreign.join(".git");
    let private_dir = private.root().join(".git");
    for target in [private_dir.clone(), private_dir.join("worktrees/linked")] {
        fs::write(&dot_git, format!("gitdir: {}\n", target.display())).unwrap();
        assert!(Git::around(&foreign).is_none(), "{}", target.display());
        assert!(Git::why_none(&foreign, PATIENCE).contains("another work tree"));
        fs::remove_file(&dot_git).unwrap();
    }
    std::os::unix::fs::symlink(&private_dir, &dot_git).unwrap();
    assert!(Git::around(&foreign).is_none());
    fs::remove_file(&dot_git).unwrap();
    // A directory of its own that borrows all that matters.
    fs::create_dir_all(dot_git.join("refs")).unwrap();
    fs::write(dot_git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(dot_git.join("commondir"), private_dir.to_str().unwrap()).unwrap();
    assert!(Git::around(&foreign).is_none());
    fs::remove_dir_all(&dot_git).unwrap();
    // A repository without a work tree.
    let bare = holder.path().join("bare.git");
    git_in(private.root(), &["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    fs::write(&dot_git, "gitdir: ../bare.git\n").unwrap();
    assert!(Git::around(&foreign).is_none());
}

#[test]
fn a_repository_with_a_separate_directory_and_a_submodule_are_found() {
    let source = project();
    let holder = tempfile::tempdir().unwrap();
    let (work, apart) = (holder.path().join("work"), holder.path().join("repository"));
    let separate = format!("--separate-git-dir={}", apart.display());
    git_in(source.root(), &["clone", "-q", &separate, ".", work.to_str().unwrap()]);
    ask_all(&Git::around(&work).unwrap()).answered();
    let outer = project();
    git_in(outer.root(), &["submodule", "--quiet", "add", source.root().to_str().unwrap(), "inner"]);
    ask_all(&Git::around(&outer.root().join("inner")).unwrap()).answered();
}

#[test]
fn asking_writes_nothing() {
    let repository = project();
    unsettle(&repository);
    // Only its time is another.
    let same = std::fs::read(repository.root().join("c.bin")).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    std::fs::write(repository.root().join("c.bin"), same).unwrap();
    let before = listing(repository.root());
    ask_all(&repository.git()).answered();
    assert_eq!(listing(repository.root()), before);
}

/// Every file with its time and size.
fn listing(dir: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
        let meta = entry.metadata().unwrap();
        lines.push(format!("{} {} {:?}", entry.path().display(), meta.len(), meta.modified().unwrap()));
        if meta.is_dir() {
            lines.extend(listing(&entry.path()));
        }
    }
    lines.sort();
    lines
}
