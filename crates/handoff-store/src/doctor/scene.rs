//! A picture understood: the tree of tasks, sessions, archives, and which ids are known anywhere.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use handoff_model::id::TaskId;
use handoff_model::name::{Layout, read_name};
use handoff_model::session::archive::is_file_name;
use handoff_model::session::{Archive, Session};
use handoff_model::task::archive;

use super::cure::Circumstances;
use super::numbers::Numbers;
use super::picture::{Content, Picture};
use crate::layout::{ARCHIVE, CONFIG, SESSIONS, TASK_FILE, TASKS, TRASH};
use crate::root::{join, split};
use crate::session::read::{SUFFIX, read_leniently};
use crate::store::told_layout;
use crate::task::forest::Forest;
use crate::task::lazy::LazyTask;
use crate::task::read::is_ignored;
use crate::task::tree::{Branch, Key, Record, Tree, Trouble};

/// A picture understood, at the beginning of a round.
pub(crate) struct Scene<'a> {
    pub(crate) picture: &'a Picture,
    pub(crate) around: &'a Circumstances,
    pub(crate) numbers: &'a Numbers<'a>,
    pub(crate) layout: Layout,
    pub(crate) forest: Forest,
    /// Every directory with a readable task, copies included
    pub(crate) tasks: Vec<TaskDir>,
    pub(crate) sessions: Vec<SessionFile>,
    /// Full names of archived sessions, with the texts of their bodies
    pub(crate) archived: BTreeMap<String, (Session, Option<String>)>,
    known: HashSet<TaskId>,
    /// Whether a damaged file may be any task
    has_nameless: bool,
}

/// A directory with a readable task.
pub(crate) struct TaskDir {
    pub(crate) task: Arc<LazyTask>,
    pub(crate) dir: String,
}

/// A file with a readable session.
pub(crate) struct SessionFile {
    pub(crate) session: Session,
    pub(crate) file: String,
    pub(crate) text: Arc<str>,
}

impl TaskDir {
    pub(crate) fn file(&self) -> String {
        join(&self.dir, TASK_FILE)
    }
}

impl SessionFile {
    pub(crate) fn stem(&self) -> &str {
        split(&self.file).1.trim_end_matches(SUFFIX)
    }
}

impl<'a> Scene<'a> {
    pub(crate) fn of(picture: &'a Picture, around: &'a Circumstances, numbers: &'a Numbers<'a>) -> Scene<'a> {
        let layout = layout_of(picture);
        let scan = tree(picture).scan_below();
        let tasks: Vec<TaskDir> =
            scan.tasks.iter().map(|raw| TaskDir { task: raw.task.clone(), dir: raw.dir.to_string() }).collect();
        let mut scene = Scene {
            picture,
            around,
            numbers,
            layout,
            forest: Forest::build(scan, layout),
            tasks,
            sessions: sessions(picture),
            archived: archived(picture),
            known: HashSet::new(),
            has_nameless: false,
        };
        scene.note_known();
        scene
    }

    /// Whether a task of this id is anywhere: in the tree, in the trash, archived, or in a file that cannot be read.
    pub(crate) fn is_known(&self, id: TaskId) -> bool {
        self.known.contains(&id)
    }

    /// Whether an id that is not known may belong to a file that cannot be read.
    pub(crate) fn may_be_hidden(&self) -> bool {
        self.has_nameless
    }

    /// Whether a task of this id is in the trash.
    pub(crate) fn is_in_trash(&self, id: TaskId) -> bool {
        let is_it = |path: &str| self.picture.task(path).is_some_and(|task| task.id == id);
        self.picture.below(TRASH).any(|(path, _)| split(path).1 == TASK_FILE && is_it(path))
    }

    /// The text of a task's file.
    pub(crate) fn task_text(&self, dir: &str) -> Option<&'a Arc<str>> {
        self.picture.text(&join(dir, TASK_FILE))
    }

    /// Whether a directory between a task and the one it is shown under has a file that cannot be read.
    pub(crate) fn is_below_damage(&self, dir: &str) -> bool {
        let mut above = split(dir).0;
        while above != TASKS && !above.is_empty() {
            let file = join(above, TASK_FILE);
            if self.picture.task(&file).is_some() {
                return false;
            }
            if self.picture.exists(&file) {
                return true;
            }
            above = split(above).0;
        }
        false
    }

    fn note_known(&mut self) {
        self.known.extend(self.tasks.iter().map(|task| task.task.id));
        // Where the whole directory is gone, so are tasks that nobody meant to lose.
        self.has_nameless = !matches!(self.picture.get(TASKS).map(|entry| &entry.content), Some(Content::Directory));
        for (path, entry) in self.picture.below(TASKS).chain(self.picture.below(TRASH)) {
            let (dir, name) = split(path);
            if name != TASK_FILE && !is_ignored(name) {
                continue;
            }
            let named = read_name(split(dir).1).id;
            self.known.extend(named);
            match (&entry.content, self.picture.task(path)) {
                (_, Some(task)) => {
                    self.known.insert(task.id);
                }
                (Content::Directory | Content::Odd(_) | Content::Unread, None) => {}
                (content, None) => {
                    let ids = ids_in(content);
                    self.has_nameless |= ids.is_empty() && named.is_none() && path.starts_with(TASKS);
                    self.known.extend(ids);
                }
            }
        }
        for (name, _) in self.picture.inside(TRASH) {
            self.known.extend(name.split('-').filter_map(|part| part.parse::<TaskId>().ok()));
        }
        for (name, entry) in self.picture.inside(ARCHIVE) {
            match &entry.content {
                Content::Text(text) if archive::is_file_name(name) => {
                    self.known.extend(archive::Archive::read(name, text).0.tasks().map(|packed| packed.id));
                    self.known.extend(ids_in(&entry.content));
                }
                content => self.known.extend(ids_in(content)),
            }
        }
    }
}

/// Ids that a file gives, read line by line, whatever else is wrong with it.
fn ids_in(content: &Content) -> Vec<TaskId> {
    let text = match content {
        Content::Text(text) => text.to_string(),
        Content::Bytes(bytes, _) => String::from_utf8_lossy(bytes).into_owned(),
        _ => return Vec::new(),
    };
    let id = |line: &str| -> Option<TaskId> {
        let value = line.trim().strip_prefix("id")?.trim_start().strip_prefix('=')?.trim();
        value.trim_matches(['"', '\'']).parse().ok()
    };
    text.lines().filter_map(id).collect()
}

fn layout_of(picture: &Picture) -> Layout {
    let told = picture.text(CONFIG).and_then(|text| told_layout(text));
    told.unwrap_or_else(|| {
        let is_stable = picture.inside(TASKS).iter().any(|(name, _)| read_name(name).id.is_some());
        if is_stable { Layout::Stable } else { Layout::Status }
    })
}

/// The directories of tasks, as they are read from disk elsewhere.
fn tree(picture: &Picture) -> Tree {
    let mut names: BTreeMap<&str, Vec<(&str, bool)>> = BTreeMap::new();
    for (path, entry) in picture.below(TASKS) {
        let (dir, name) = split(path);
        names.entry(dir).or_default().push((name, matches!(entry.content, Content::Directory)));
    }
    for inside in names.values_mut() {
        inside.sort_unstable();
    }
    let mut tree = Tree::default();
    let top = add(&mut tree, picture, &names, TASKS, TASKS, None);
    tree.top = Some(top);
    tree
}

fn add(
    tree: &mut Tree,
    picture: &Picture,
    names: &BTreeMap<&str, Vec<(&str, bool)>>,
    path: &str,
    name: &str,
    above: Option<Key>,
) -> Key {
    let inside = names.get(path).map(Vec::as_slice).unwrap_or_default();
    let is_there = inside.iter().any(|(name, _)| *name == TASK_FILE);
    let task = if is_there { picture.task(&join(path, TASK_FILE)) } else { None };
    let record = Record { is_there, task, mark: 0, stamp: None, trouble: Trouble::default() };
    let directories: Vec<&str> = inside.iter().filter(|(_, is_dir)| *is_dir).map(|(name, _)| *name).collect();
    let has_directories = !directories.is_empty();
    let (trouble, below) = (Trouble::default(), Vec::new());
    let key = tree.add(Branch {
        name: name.to_owned(),
        above,
        below,
        record,
        trouble,
        has_directories,
        stamp: None,
        watch: None,
    });
    let below = directories
        .into_iter()
        .filter(|name| !is_ignored(name))
        .map(|name| add(tree, picture, names, &join(path, name), name, Some(key)))
        .collect();
    if let Some(branch) = tree.get_mut(key) {
        branch.below = below;
    }
    key
}

fn sessions(picture: &Picture) -> Vec<SessionFile> {
    let mut sessions = Vec::new();
    for (name, _) in picture.inside(SESSIONS) {
        let file = join(SESSIONS, name);
        if let Some(text) = picture.text(&file).filter(|_| name.ends_with(SUFFIX) && !is_ignored(name))
            && let (Some(session), _) = read_leniently(text, &file)
        {
            sessions.push(SessionFile { session, file, text: text.clone() });
        }
    }
    sessions
}

fn archived(picture: &Picture) -> BTreeMap<String, (Session, Option<String>)> {
    let mut archived = BTreeMap::new();
    for (name, _) in picture.inside(ARCHIVE).into_iter().filter(|(name, _)| is_file_name(name)) {
        let Some(text) = picture.text(&join(ARCHIVE, name)) else { continue };
        for session in Archive::read(name, text).0.sessions() {
            if let Ok(read) = Session::read(session.toml_text) {
                archived.insert(session.name.to_owned(), (read, session.body.map(str::to_owned)));
            }
        }
    }
    archived
}
