//! A project with everything around it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::{Answer, Call, TaskDraft, Tree};

/// A directory to run `handoff` in, with a home, a clock and ids of its own.
///
/// Beside the project lies `outside/`, with a file nobody may touch.
pub struct TestProject {
    /// Removed with all that is in it when the test ends.
    root: TempDir,
    program: PathBuf,
    calls: Cell<u32>,
    layout: Layout,
    places: RefCell<BTreeMap<String, Place>>,
    /// How many tasks were made at the top.
    tops: Cell<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    Status,
    Stable,
}

/// Where a task was put.
#[derive(Clone)]
struct Place {
    directory: String,
    number: String,
    children: u32,
}

/// What stands in `outside/canary.txt`; it must never be seen anywhere else.
const CANARY: &str = "canary-5b1f0c77";

impl TestProject {
    /// A directory that is no project yet.
    pub fn empty(program: impl Into<PathBuf>) -> TestProject {
        let root = temporary_directory();
        let project = TestProject {
            root,
            program: program.into(),
            calls: Cell::new(0),
            layout: Layout::Status,
            places: RefCell::default(),
            tops: Cell::new(0),
        };
        for directory in ["home", "work/my-app", "outside"] {
            fs::create_dir_all(project.root().join(directory)).expect("a directory can be made");
        }
        project.write("../../outside/canary.txt", CANARY);
        project
    }

    /// A new project, as `handoff init my-app` makes it.
    pub fn private(program: impl Into<PathBuf>) -> TestProject {
        let project = TestProject::empty(program);
        project.call("init my-app").run().succeeded();
        project
    }

    /// A new project, as `handoff init my-app --shared` makes it.
    pub fn shared(program: impl Into<PathBuf>) -> TestProject {
        let project = TestProject { layout: Layout::Stable, ..TestProject::empty(program) };
        project.call("init my-app --shared").run().succeeded();
        project
    }

    /// A project with a copy of a tree in `fixtures/`, such as `format-1/private`.
    pub fn fixture(program: impl Into<PathBuf>, name: &str) -> TestProject {
        let project = TestProject::empty(program);
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
        copy(&fixtures.join(name), &project.path(".handoff"));
        // Under its own name it would hide the fixture from git.
        let ignored = project.path(".handoff/gitignore");
        fs::rename(ignored, project.path(".handoff/.gitignore")).expect("every fixture has one");
        project
    }

    /// Runs a command and shows what it answered.
    pub fn handoff(&self, line: &str) -> String {
        self.call(line).run().to_string()
    }

    /// Runs a command with `--json` and reads what it answered.
    pub fn json(&self, line: &str) -> Value {
        self.call(line).word("--json").run().succeeded().json()
    }

    /// A command to be run, with more to say about it.
    pub fn call(&self, line: &str) -> Call<'_> {
        Call::new(self, line)
    }

    /// Puts a task on disk, the next one below its parent or at the top, without the program under test.
    #[must_use]
    pub fn task(self, id: &str, draft: impl FnOnce(TaskDraft) -> TaskDraft) -> TestProject {
        let draft = draft(TaskDraft::new(id));
        let place = self.next_place(&draft, id);
        let fields = match self.layout {
            Layout::Status => String::new(),
            Layout::Stable => {
                let parent = draft.parent.as_ref().map(|parent| format!("parent = {parent:?}\n")).unwrap_or_default();
                let ordinal =
                    place.number.rsplit('.').next().expect("a number has a last part").trim_start_matches('0');
                format!("{parent}number = {ordinal}\n")
            }
        };
        self.write(&format!("{}/task.toml", place.directory), draft.text(id, &fields));
        self.places.borrow_mut().insert(id.to_owned(), place);
        self
    }

    /// Puts a task from the top into the trash, as if it had been deleted.
    #[must_use]
    pub fn deleted_task(self, id: &str, draft: impl FnOnce(TaskDraft) -> TaskDraft) -> TestProject {
        let draft = draft(TaskDraft::new(id));
        let ordinal = self.tops.get() + 1;
        self.tops.set(ordinal);
        let entry = format!(".handoff/local/state/trash/20261114T080000Z-{id}-root-{ordinal}");
        self.write(&format!("{entry}/task.toml"), draft.text(id, ""));
        self
    }

    fn next_place(&self, draft: &TaskDraft, id: &str) -> Place {
        let mut places = self.places.borrow_mut();
        let (number, above) = match &draft.parent {
            None => {
                self.tops.set(self.tops.get() + 1);
                (format!("{:02}", self.tops.get()), ".handoff/tasks".to_owned())
            }
            Some(parent) => {
                let parent = places.get_mut(parent).expect("the parent was made before");
                parent.children += 1;
                (format!("{}.{}", parent.number, parent.children), parent.directory.clone())
            }
        };
        let directory = match self.layout {
            Layout::Status => format!("{above}/{number}-{}--{}", draft.status, draft.slug()),
            Layout::Stable => format!(".handoff/tasks/{}-{id}", draft.slug()),
        };
        Place { directory, number, children: 0 }
    }

    /// Where a task that was put on disk lies, relative to the project, as long as nothing moved it.
    pub fn task_file(&self, id: &str) -> String {
        let places = self.places.borrow();
        format!("{}/task.toml", places.get(id).expect("the task was made by the test").directory)
    }

    /// The text of a file.
    pub fn file(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("cannot read {path}: {error}"))
    }

    /// Writes a file, making its directory.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a file lies in a directory")).expect("a directory can be made");
        fs::write(&path, text).unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
    }

    /// Replaces a text in a file, which must be there once.
    pub fn edit(&self, path: &str, from: &str, to: &str) {
        let text = self.file(path);
        assert_eq!(text.matches(from).count(), 1, "`{from}` must stand once in {path}:\n{text}");
        self.write(path, text.replace(from, to));
    }

    /// Makes a directory, and those above it.
    pub fn make_directory(&self, path: &str) {
        fs::create_dir_all(self.path(path)).unwrap_or_else(|error| panic!("cannot make {path}: {error}"));
    }

    /// Removes a file or a directory with all that is in it; what is not there is fine.
    pub fn remove(&self, path: &str) {
        let path = self.path(path);
        let Ok(metadata) = path.symlink_metadata() else { return };
        if metadata.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) }
            .unwrap_or_else(|error| panic!("cannot remove {}: {error}", path.display()));
    }

    /// Renames a file or directory.
    pub fn rename(&self, from: &str, to: &str) {
        fs::rename(self.path(from), self.path(to)).unwrap_or_else(|error| panic!("cannot rename {from}: {error}"));
    }

    /// Copies a directory with all that is in it.
    pub fn copy(&self, from: &str, to: &str) {
        copy(&self.path(from), &self.path(to));
    }

    /// Whether something has this name.
    pub fn exists(&self, path: &str) -> bool {
        self.path(path).symlink_metadata().is_ok()
    }

    /// What is in a directory of the project.
    pub fn tree(&self, path: &str) -> Tree {
        Tree::of(&self.path(path))
    }

    /// All of `.handoff/` that does not belong to this machine alone.
    pub fn records(&self) -> Tree {
        self.tree(".handoff").without(&["local"])
    }

    /// The only directory below `.handoff/tasks` whose name ends like this, with its parents.
    pub fn directory(&self, ending: &str) -> String {
        let tree = self.tree(".handoff/tasks");
        let suffix = format!("{ending}/task.toml");
        let found: Vec<&str> = tree.files().into_iter().filter(|file| file.ends_with(&suffix)).collect();
        let [file] = found.as_slice() else { panic!("not one directory ends in `{ending}`:\n{tree}") };
        format!(".handoff/tasks/{}", file.trim_end_matches("/task.toml"))
    }

    /// Everything around `.handoff/` except the user store, which a command may write too.
    pub fn outside(&self) -> Tree {
        Tree::of(&self.root()).without(&["work/my-app/.handoff", "home/data"])
    }

    /// Checks that what lies outside is as it was, and that none of it came inside.
    pub fn assert_untouched(&self, before: &Tree) {
        self.outside().assert_same(before, "something outside the project was changed");
        assert_eq!(self.tree(".handoff").containing(CANARY), Vec::<&str>::new(), "something outside was read");
    }

    /// A path on this machine: relative to the project, or absolute.
    pub fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        let directory = self.root().join("work/my-app");
        if path == Path::new(".") { directory } else { directory.join(path) }
    }

    /// The home directory.
    pub fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    fn root(&self) -> PathBuf {
        self.root.path().canonicalize().expect("the directory is there until the test ends")
    }

    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// The environment of the next command: one second later, with ids of its own.
    pub(crate) fn next_environment(&self) -> Vec<(String, OsString)> {
        let call = self.calls.get();
        self.calls.set(call + 1);
        let home = self.home();
        let clock = format!("2026-11-15T{:02}:{:02}:{:02}Z", 9 + call / 3600, call / 60 % 60, call % 60);
        let mut env: Vec<(String, OsString)> = vec![
            ("HOME".into(), home.clone().into()),
            ("XDG_DATA_HOME".into(), home.join("data").into()),
            ("XDG_CONFIG_HOME".into(), home.join("config").into()),
            ("HANDOFF_CLOCK".into(), clock.into()),
            ("HANDOFF_ID_SEED".into(), call.to_string().into()),
            // A busy machine is no reason for another answer.
            ("HANDOFF_PATIENCE".into(), "40".into()),
            ("USER".into(), "alice".into()),
            ("NO_COLOR".into(), "1".into()),
            ("COLUMNS".into(), "100".into()),
        ];
        // Programs cannot start without these on some systems.
        for name in ["PATH", "SystemRoot"] {
            env.extend(std::env::var_os(name).map(|value| (name.to_owned(), value)));
        }
        env
    }

    /// A text without the paths of this machine.
    pub(crate) fn anonymous(&self, text: &str) -> String {
        let places = [(self.path("."), "[project]"), (self.home(), "[home]"), (self.root(), "[root]")];
        places.iter().fold(text.to_owned(), |text, (path, name)| {
            let text = text.replace(&*path.to_string_lossy(), name);
            text.replace(path.to_string_lossy().replace('\\', "\\\\").as_str(), name)
        })
    }

    pub(crate) fn check_no_leftovers(&self, answer: &Answer) {
        let staging = self.path(".handoff/local/state/tmp");
        if staging.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
            let left = Tree::of(&staging);
            assert_eq!(left.files(), Vec::<&str>::new(), "a temporary file was left behind after\n{answer}");
        }
        assert!(!answer.to_string().contains(CANARY), "something outside the project was read:\n{answer}");
    }
}

/// A new directory: in memory where there is such a place and `TMPDIR` names no other, since a sync costs nothing there.
fn temporary_directory() -> TempDir {
    let mut builder = tempfile::Builder::new();
    builder.prefix("handoff-");
    let in_memory = std::env::var_os("TMPDIR").is_none().then(|| builder.tempdir_in("/dev/shm").ok()).flatten();
    in_memory.unwrap_or_else(|| builder.tempdir().expect("there is room for a directory"))
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory can be made");
    for entry in fs::read_dir(from).unwrap_or_else(|error| panic!("cannot list {}: {error}", from.display())) {
        let entry = entry.expect("a directory can be listed");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("an entry has a type").is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).expect("a file can be copied");
        }
    }
}
