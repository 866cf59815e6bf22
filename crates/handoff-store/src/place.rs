//! Finding and making stores: projects, the user store, the registry of known projects.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use handoff_model::entry_check::emptied;
use handoff_model::name::{Layout, read_name};
use handoff_model::problem::Problem;
use handoff_model::{MAX_FILE_BYTES, document};
use serde::{Deserialize, Serialize};

use crate::commit;
use crate::error::{Result, StoreError};
use crate::layout::{CONFIG, GITIGNORE, LOG, REGISTRY, SESSIONS, STATE, TASKS, TIME, TMP};
use crate::local::LocalRules;
use crate::lock::Lock;
use crate::log::Log;
use crate::pause;
use crate::root::Root;
use crate::step::Step;
use crate::stop::Stop;
use crate::store::Store;
use crate::sys::{Kind, not_a_file, too_large};
use crate::task::convert::{PRIVATE_GITIGNORE, SHARED_GITIGNORE};

/// The directory a project keeps its memory in.
pub const DIRECTORY: &str = ".handoff";

const WAIT: Duration = Duration::from_secs(10);

/// Looks for a project in a directory and those above it; the home directory never is one.
///
/// A linked git work tree is a checkout of its own, so the search ends at its top. A project that a stranger left in a
/// directory above, such as `/tmp`, is passed over.
pub fn discover(start: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let home = home.map(|home| home.canonicalize().unwrap_or_else(|_| home.to_owned()));
    for dir in start.ancestors() {
        if Some(dir) != home.as_deref() && holds_project(dir) && !is_of_stranger(start, dir) {
            return Some(dir.to_owned());
        }
        if is_linked_worktree(dir) {
            return None;
        }
    }
    None
}

/// Whether the project in `dir` belongs to neither the user, root nor the owner of the directory that the search began
/// in: whoever enters the directory of somebody else means to work in what is theirs.
#[cfg(unix)]
fn is_of_stranger(start: &Path, dir: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let owner = |path: &Path| path.symlink_metadata().map(|metadata| metadata.uid()).ok();
    let us = rustix::process::geteuid().as_raw();
    owner(&dir.join(DIRECTORY)).is_some_and(|theirs| ![us, 0].contains(&theirs) && owner(start) != Some(theirs))
}

#[cfg(not(unix))]
fn is_of_stranger(_: &Path, _: &Path) -> bool {
    false
}

/// Whether a directory holds a project. One behind a link counts, so that opening it can say what is wrong.
pub fn is_project(dir: &Path) -> bool {
    let store = dir.join(DIRECTORY);
    match store.symlink_metadata() {
        Ok(metadata) if metadata.is_symlink() => store.join(CONFIG).exists(),
        Ok(_) => store.join(CONFIG).symlink_metadata().is_ok(),
        Err(_) => false,
    }
}

/// Whether a directory holds a project, or what is left of one that lost its settings.
pub fn holds_project(dir: &Path) -> bool {
    is_project(dir) || has_records(&dir.join(DIRECTORY))
}

/// Whether tasks or sessions lie in a directory. Making a project leaves none, wherever it is cut off.
pub(crate) fn has_records(store: &Path) -> bool {
    let has_some = |dir: PathBuf| !dir.is_symlink() && std::fs::read_dir(dir).is_ok_and(|mut dir| dir.next().is_some());
    let is_dir = store.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    is_dir && [TASKS, SESSIONS].iter().any(|name| has_some(store.join(name)))
}

/// Whether tasks lie in a project as they do in one that is shared.
pub fn holds_shared_tasks(dir: &Path) -> bool {
    let names = std::fs::read_dir(dir.join(DIRECTORY).join(TASKS)).into_iter().flatten().flatten();
    names.filter_map(|entry| entry.file_name().into_string().ok()).any(|name| read_name(&name).id.is_some())
}

fn is_linked_worktree(dir: &Path) -> bool {
    let git = dir.join(".git");
    git.symlink_metadata().is_ok_and(|metadata| metadata.is_file())
        && std::fs::read_to_string(&git).is_ok_and(|text| {
            text.strip_prefix("gitdir:").is_some_and(|at| at.replace('\\', "/").contains("/worktrees/"))
        })
}

/// What a new store is made of.
pub struct NewStore<'a> {
    pub config: &'a str,
    pub layout: Layout,
    /// Whether git must see nothing of it
    pub private: bool,
}

impl Store {
    /// Makes a store in a directory. What is there already is kept; a store that is there already is refused.
    pub fn create(path: &Path, new: &NewStore<'_>) -> Result<Store> {
        let unusable = |source| StoreError::Unusable { path: path.to_owned(), source };
        let fresh = match path.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => false,
            Ok(metadata) => {
                let what = if metadata.is_symlink() { "it is a symbolic link" } else { "it is not a directory" };
                return Err(unusable(io::Error::new(io::ErrorKind::NotADirectory, what)));
            }
            Err(_) => {
                let is_of_user = path.file_name().is_some_and(|name| name != DIRECTORY);
                let made = if is_of_user { make_own_dirs(path) } else { make_dirs(path) };
                made.map_err(unusable)?;
                true
            }
        };
        let (root, _) = Root::open(path)?.guarded(&LocalRules::default());
        let made = root.make_dirs(TMP).map_err(|source| StoreError::write(TMP, source)).and_then(|()| fill(&root, new));
        if let Err(error) = made {
            if fresh && !matches!(error, StoreError::AlreadyProject { .. }) {
                remove_new(path, &root);
            }
            return Err(error);
        }
        Store::open(path)
    }

    /// Notes in the user store that this project exists, if it is not known yet.
    pub fn register(&self, user_store: &Path, name: impl FnOnce() -> String) -> Result<()> {
        let Some(project) = self.path().parent() else { return Ok(()) };
        let project = project.canonicalize().unwrap_or_else(|_| project.to_owned());
        // A path that is not UTF-8 cannot stand in a TOML file; such a project works, but is not listed.
        let Some(written) = project.to_str().map(toml_edit::Value::from) else { return Ok(()) };
        let known = Root::open(user_store).ok().and_then(|root| root.read_text(REGISTRY).ok().flatten());
        // Looking for the text is enough, and quicker than reading all of it.
        if known.is_some_and(|known| known.contains(written.to_string().trim())) {
            return Ok(());
        }
        Registry::add(user_store, &Known { name: name(), path: project })
    }
}

/// `config.toml` comes last: a directory without it is no project, so a cut before it leaves none.
fn fill(root: &Root, new: &NewStore<'_>) -> Result<()> {
    let _lock = Lock::take(root, "making a project", WAIT, &Stop::never())?;
    commit::recover(root)?;
    pause::refuse(&root.path)?;
    if root.exists(CONFIG) {
        return Err(StoreError::AlreadyProject { path: root.path.clone() });
    }
    for dir in [TASKS, SESSIONS, TIME] {
        root.make_dirs(dir).map_err(|source| StoreError::write(dir, source))?;
    }
    Log::new(root).create().map_err(|source| StoreError::write(LOG, source))?;
    let gitignore = if new.private { PRIVATE_GITIGNORE } else { SHARED_GITIGNORE };
    for (path, text) in [(GITIGNORE, gitignore), (CONFIG, new.config)] {
        if !root.exists(path) {
            let step = Step::Put { path: path.to_owned(), before: None, after: text.to_owned() };
            commit::commit(root, &[step], None, |_, _| {})?;
        }
    }
    Ok(())
}

/// Makes a directory that nobody else is to look into: what a user saves belongs to them alone.
pub(crate) fn make_own_dirs(path: &Path) -> io::Result<()> {
    let is_new = !path.exists();
    make_dirs(path)?;
    #[cfg(unix)]
    if is_new {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Makes a directory and those above it that are missing, and puts their names on disk.
pub fn make_dirs(path: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = path.ancestors().take_while(|dir| !dir.exists()).collect();
    std::fs::create_dir_all(path)?;
    for dir in missing {
        if let Some(parent) = dir.parent().filter(|parent| cfg!(unix) && !parent.as_os_str().is_empty()) {
            std::fs::File::open(parent)?.sync_all()?;
        }
    }
    Ok(())
}

/// Takes back a directory that was made for a store that could not be.
fn remove_new(path: &Path, root: &Root) {
    for name in ["local", TASKS, SESSIONS, TIME, GITIGNORE, CONFIG] {
        let _ = root.remove_tree(name);
    }
    let _ = std::fs::remove_dir(path);
}

/// The projects this user has worked in.
pub struct Registry;

/// A project the registry knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    pub name: String,
    pub path: PathBuf,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct RegistryFile {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    projects: Vec<Known>,
}

/// The registry of a user who knows no project any more.
const NO_PROJECTS: &str = "# Projects that this user has worked in; there are none.\n";

impl Registry {
    /// The known projects, in the order they were met. A registry that cannot be read is said to be so.
    pub fn read(user_store: &Path) -> Result<Vec<Known>> {
        let root = match Root::open(user_store) {
            Ok(root) => root,
            Err(StoreError::Unusable { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return Ok(Vec::new());
            }
            Err(error) => return Err(error),
        };
        Ok(Self::read_file(&root)?.1.projects)
    }

    fn read_file(root: &Root) -> Result<(Option<String>, RegistryFile)> {
        let text = root.read_text(REGISTRY).map_err(|source| StoreError::read(REGISTRY, source))?;
        let file = match &text {
            Some(text) => Self::file_in(text).map_err(|error| {
                StoreError::Damaged(Problem::damaged(REGISTRY, error.reason.clone()).at_line(error.line))
            })?,
            None => RegistryFile::default(),
        };
        Ok((text, file))
    }

    fn file_in(text: &str) -> std::result::Result<RegistryFile, document::Unreadable> {
        // The file is made for its first project, so one without content lost it.
        match emptied(text) {
            Some(error) => Err(error),
            None => document::read(text),
        }
    }

    fn change(user_store: &Path, change: impl FnOnce(&mut Vec<Known>)) -> Result<()> {
        let unusable = |source| StoreError::Unusable { path: user_store.to_owned(), source };
        make_own_dirs(user_store).map_err(unusable)?;
        let root = Root::open(user_store)?;
        root.make_dirs(STATE).map_err(|source| StoreError::write(STATE, source))?;
        let _lock = Lock::take(&root, "noting a project", WAIT, &Stop::never())?;
        commit::recover(&root)?;
        pause::refuse(user_store)?;
        let (before, old) = match Self::read_file(&root) {
            // Nothing is left to keep of a file that was emptied: it fills again as projects are worked in.
            Err(StoreError::Damaged(_)) if matches!(root.read_text(REGISTRY), Ok(Some(text)) if emptied(&text).is_some()) => {
                (root.read_text(REGISTRY).ok().flatten(), RegistryFile::default())
            }
            read => read?,
        };
        let mut new = old.clone();
        change(&mut new.projects);
        if new == old {
            return Ok(());
        }
        let present = before.as_deref().filter(|text| emptied(text).is_none()).unwrap_or_default();
        let after = document::edit(present, &old, &new)
            .map_err(|error| StoreError::read(REGISTRY, io::Error::new(io::ErrorKind::InvalidData, error)))?;
        // A file without content would pass for one that lost it.
        let after = if after.trim().is_empty() { NO_PROJECTS.to_owned() } else { after };
        commit::commit(&root, &[Step::Put { path: REGISTRY.to_owned(), before, after }], None, |_, _| {})
    }

    /// The text of a registry without some of its projects; `None` where it cannot be read.
    pub(crate) fn without(text: &str, gone: &[PathBuf]) -> Option<String> {
        let old: RegistryFile = document::read(text).ok()?;
        let mut new = old.clone();
        new.projects.retain(|known| !gone.contains(&known.path));
        let text = document::edit(text, &old, &new).ok()?;
        Some(if text.trim().is_empty() { NO_PROJECTS.to_owned() } else { text })
    }

    /// The projects a registry with this text tells of, or why it cannot be read.
    pub(crate) fn projects_in(text: &str) -> std::result::Result<Vec<Known>, document::Unreadable> {
        Self::file_in(text).map(|file| file.projects)
    }

    fn add(user_store: &Path, known: &Known) -> Result<()> {
        Self::change(user_store, |projects| match projects.iter_mut().find(|other| other.path == known.path) {
            Some(present) => present.name.clone_from(&known.name),
            None => projects.push(known.clone()),
        })
    }

    /// Forgets a project; its files stay. Says whether it was known.
    pub fn forget(user_store: &Path, path: &Path) -> Result<bool> {
        let mut known = false;
        Self::change(user_store, |projects| {
            let before = projects.len();
            projects.retain(|project| project.path != path);
            known = projects.len() != before;
        })?;
        Ok(known)
    }
}

/// A file of the user's outside any store, such as the user's configuration.
pub struct UserFile<'a> {
    path: &'a Path,
}

impl<'a> UserFile<'a> {
    pub fn new(path: &'a Path) -> Self {
        UserFile { path }
    }

    /// Its text; `None` when there is no such file. It may be a link: people keep such files elsewhere.
    pub fn read(&self) -> Result<Option<String>> {
        let fail = |source| StoreError::Read { path: self.path.display().to_string(), source };
        let metadata = match std::fs::metadata(self.path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fail(error)),
        };
        if !metadata.is_file() {
            let kind = if metadata.is_dir() { Kind::Directory } else { Kind::Other };
            return Err(fail(not_a_file(kind)));
        }
        let size = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
        if size > MAX_FILE_BYTES {
            return Err(fail(too_large(size, MAX_FILE_BYTES)));
        }
        std::fs::read(self.path).and_then(crate::root::into_text).map(Some).map_err(fail)
    }

    /// Replaces what it said with a new text, whole and on disk before this returns; makes the directory when missing.
    pub fn write(&self, before: Option<String>, after: String, wait: Duration, stop: &Stop) -> Result<()> {
        let unusable = |source| StoreError::Unusable { path: self.path.to_owned(), source };
        // Behind a link, the file it leads to is replaced, and the link stays.
        let path = self.path.canonicalize().unwrap_or_else(|_| self.path.to_owned());
        let (Some(dir), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
            return Err(unusable(io::Error::from(io::ErrorKind::InvalidInput)));
        };
        make_dirs(dir).map_err(unusable)?;
        let root = Root::open(dir)?;
        let _lock = Lock::take(&root, "writing the user's configuration", wait, stop)?;
        commit::recover(&root)?;
        pause::refuse(self.path.parent().unwrap_or(dir))?;
        let step = Step::Put { path: name.to_owned(), before, after };
        commit::commit(&root, &[step], None, |_, _| {})
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::chown;

    use super::*;

    const SOMEBODY: u32 = 54_321;

    #[test]
    fn a_project_that_a_stranger_left_in_a_directory_above_is_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let work = top.join("work");
        std::fs::create_dir_all(&work).unwrap();
        std::fs::create_dir_all(top.join(".handoff/tasks/x")).unwrap();
        assert_eq!(discover(&work, None).as_deref(), Some(&*top));
        // Only root can give a file away.
        if chown(top.join(DIRECTORY), Some(SOMEBODY), None).is_err() {
            return;
        }
        assert_eq!(discover(&work, None), None);
        assert_eq!(discover(&top, None), None);
        chown(&work, Some(SOMEBODY), None).unwrap();
        assert_eq!(discover(&work, None).as_deref(), Some(&*top), "this is their directory all along");
    }
}
