//! Kinds of repositories, settings and surroundings.

use std::path::Path;
use std::process::Command;

use handoff_store::git::Git;

use crate::world::{Place, World, committing, git_in, is_done, output_in, pushing};

const PLACE: &str = "HANDOFF_TEST_REPOSITORY";

#[test]
#[ignore = "run by other tests, with another environment"]
fn publishes_wherever_it_is() {
    let Some(place) = std::env::var_os(PLACE) else { return };
    match Git::publish(Path::new(&place), &committing("notes", "r1")) {
        Ok(published) => println!("\nsaid: published {:?}", published.commit),
        Err(error) => println!("\nsaid: {error}"),
    }
}

/// Publishes in a process of its own: this test program, once more.
pub(crate) fn publish_elsewhere(root: &Path, settle: impl FnOnce(&mut Command)) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "places::publishes_wherever_it_is", "--ignored", "--nocapture"]);
    command.env(PLACE, root).current_dir(root);
    settle(&mut command);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text.lines().find_map(|line| line.strip_prefix("said: ").map(str::to_owned)).unwrap()
}

#[test]
fn a_hostile_environment_does_not_lead_git_elsewhere() {
    let world = World::new();
    let (place, other) = (world.clone_as("work"), world.clone_as("other"));
    place.write("notes/a.md", "a\n");
    let before = other.run("for-each-ref");
    let said = publish_elsewhere(&place.root, |command| {
        command.env("GIT_DIR", other.root.join(".git")).env("GIT_WORK_TREE", &other.root);
        command.env("GIT_INDEX_FILE", "/nowhere/index").env("GIT_OBJECT_DIRECTORY", "/nowhere");
        command.env("GIT_NAMESPACE", "x").env("GIT_EDITOR", "false").env("GIT_CONFIG_PARAMETERS", "'core.bare=true'");
    });
    assert!(said.starts_with("published Some"), "{said}");
    assert_eq!((place.subjects()[0].as_str(), other.run("for-each-ref")), ("note r1", before));
}

#[cfg(unix)]
#[test]
fn a_repository_of_somebody_else_is_refused_in_the_words_of_git() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write("notes/a.md", "a\n");
    let programs = world.dir.path().join("programs");
    let script = "GIT_TEST_ASSUME_DIFFERENT_OWNER=1 PATH=/usr/bin:/bin exec git \"$@\"";
    crate::world::program(&programs.join("git"), script);
    let said = publish_elsewhere(&place.root, |command| {
        command.env("PATH", &programs).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    });
    assert!(said.contains("detected dubious ownership in repository"), "{said}");
    assert_eq!(place.subjects(), ["start"]);
}

#[test]
fn what_a_sparse_checkout_leaves_out_can_be_published() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write("src/lib.rs", "x\n");
    place.run("add src");
    place.run("commit -q -m src");
    place.run("sparse-checkout set --cone src");
    place.write("notes/a.md", "a\n");
    let published = place.publish_notes("r1");
    assert!(is_done(&published), "{published:?}");
    assert_eq!(place.files_of("HEAD"), ["notes/a.md"]);
    place.write("notes/a.md", "changed\n");
    assert!(is_done(&place.publish_notes("r2")));
    assert_eq!(world.there("main", "notes/a.md").as_deref(), Some("changed\n"));
}

#[test]
fn a_missing_git_is_told() {
    let world = World::new();
    let place = world.clone_as("work");
    let empty = tempfile::tempdir().unwrap();
    let said = publish_elsewhere(&place.root, |command| {
        command.env("PATH", empty.path());
    });
    assert_eq!(said, "git is not installed");
}

#[test]
fn nobody_is_invented_where_git_does_not_know_who_commits() {
    let world = World::new();
    let place = world.clone_as("work");
    place.run("config --unset user.name");
    place.run("config --unset user.email");
    place.run("config user.useConfigOnly true");
    place.write("notes/a.md", "a\n");
    let home = tempfile::tempdir().unwrap();
    let alone = |command: &mut Command| {
        for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL"] {
            command.env_remove(name);
        }
        command.env("HOME", home.path()).env("XDG_CONFIG_HOME", home.path()).env("GIT_CONFIG_NOSYSTEM", "1");
        command.env_remove("GIT_CONFIG_GLOBAL");
    };
    let said = publish_elsewhere(&place.root, alone);
    assert!(said.contains("no email was given") || said.contains("tell me who you are"), "{said}");
    assert_eq!(place.subjects(), ["start"]);
    let said = publish_elsewhere(&place.root, |command| {
        alone(command);
        for (name, value) in [("NAME", "Eve"), ("EMAIL", "eve@example.com")] {
            command.env(format!("GIT_AUTHOR_{name}"), value).env(format!("GIT_COMMITTER_{name}"), value);
        }
    });
    assert!(said.starts_with("published Some"), "{said}");
    assert_eq!(place.run("log -1 --format=%an"), "Eve");
}

#[test]
fn a_project_below_the_root_names_its_paths_from_there() {
    let world = World::new();
    let place = world.clone_as("work");
    place.write("apps/web/notes/a.md", "a\n");
    place.write("notes/other.md", "x\n");
    let published = Git::publish(&place.root.join("apps/web"), &pushing("notes", "r1")).unwrap();
    assert!(is_done(&published));
    assert_eq!(published.files[0].path, "apps/web/notes/a.md");
    assert_eq!(place.status(), "?? notes/other.md");
}

#[test]
fn line_ends_are_kept_as_the_person_set_them() {
    let world = World::new();
    let place = world.clone_as("work");
    place.run("config core.autocrlf true");
    place.run("config core.safecrlf true");
    place.write("notes/lf.md", "a\nb\n");
    place.write("notes/crlf.md", "a\r\nb\r\n");
    assert!(is_done(&place.publish_notes("r1")));
    assert_eq!(world.there("main", "notes/crlf.md").as_deref(), Some("a\nb\n"));
    assert_eq!(place.status(), "");
}

#[test]
fn a_repository_with_long_ids_works_alike() {
    works_in_a_repository_with("--object-format=sha256", 64);
}

#[test]
fn a_repository_that_keeps_its_branches_in_tables_works_alike() {
    works_in_a_repository_with("--ref-format=reftable", 40);
}

/// A git that knows no such repositories has nothing to show.
fn works_in_a_repository_with(format: &str, letters: usize) {
    let dir = tempfile::tempdir().unwrap();
    if !output_in(dir.path(), &["init", "-q", "--template=", format, "-b", "main", "work"]).status.success() {
        return;
    }
    git_in(dir.path(), &["init", "-q", "--template=", format, "--bare", "-b", "main", "remote.git"]);
    let clone = |name: &str| {
        git_in(dir.path(), &["clone", "-q", "--template=", "remote.git", name]);
        Place::settled(dir.path().join(name))
    };
    let place = Place::settled(dir.path().join("work"));
    place.run("remote add origin ../remote.git");
    place.write("notes/a.md", "a\n");
    let published = place.publish_notes("r1");
    assert!(is_done(&published) && published.commit.unwrap().len() == letters);
    let other = clone("other");
    std::fs::remove_file(other.root.join("notes/a.md")).unwrap();
    other.write("notes/b.md", "b\n");
    place.write("notes/c.md", "c\n");
    assert!(is_done(&place.publish_notes("r2")));
    assert!(is_done(&other.publish_notes("r3")));
    assert_eq!(other.status(), "");
    assert_eq!(other.run("ls-tree -r --name-only HEAD"), "notes/b.md\nnotes/c.md");
}

#[cfg(unix)]
#[test]
fn programs_that_the_repository_sets_up_for_every_look_do_not_run() {
    let world = World::new();
    let place = world.clone_as("work");
    let trap = world.dir.path().join("trap");
    crate::world::program(&trap, &format!("touch {}/sprung; cat", world.dir.path().display()));
    place.run(&format!("config core.fsmonitor {}", trap.display()));
    place.run(&format!("config filter.evil.clean {}", trap.display()));
    place.run("config filter.evil.required true");
    place.write("notes/.gitattributes", "* filter=evil\n");
    place.write("notes/a.md", "a\n");
    assert!(is_done(&place.publish_notes("r1")));
    assert!(!world.dir.path().join("sprung").exists());
}

#[cfg(unix)]
#[test]
fn filters_that_the_person_set_up_for_themselves_run() {
    let world = World::new();
    let place = world.clone_as("work");
    let settings = world.dir.path().join("settings");
    std::fs::write(&settings, "[filter \"shout\"]\n\tclean = tr a-z A-Z\n\tsmudge = cat\n\trequired = true\n").unwrap();
    place.write("notes/.gitattributes", "*.md filter=shout\n");
    place.write("notes/a.md", "quiet\n");
    let said = publish_elsewhere(&place.root, |command| {
        command.env("GIT_CONFIG_GLOBAL", &settings);
    });
    assert!(said.starts_with("published Some"), "{said}");
    assert_eq!(place.run("cat-file blob HEAD:notes/a.md"), "QUIET");
}
