//! Where tasks lie: under which parent, with which number, in which layout.

use std::collections::BTreeMap;

use handoff_model::MAX_DEPTH;
use handoff_model::heal::{Finding, Kind};
use handoff_model::id::TaskId;
use handoff_model::name::{Layout, read_name, stable_name, status_name};
use handoff_model::number::{MAX_ORDINAL, Number};
use handoff_model::task::Task;

use super::super::cure::KnownVersion;
use super::super::mend::Mend;
use super::super::picture::Content;
use super::super::scene::Scene;
use super::Findings;
use super::copies::free_name;
use super::values::said;
use crate::layout::{TASK_FILE, TASKS};
use crate::root::{join, split};
use crate::task::forest::Node;
use crate::task::read::is_ignored;

/// Tasks whose parent is gone, and directories without a task.
pub(super) fn orphans(scene: &Scene<'_>, findings: &mut Findings) {
    let mut next = NextNumber::of(scene);
    for node in scene.forest.walk() {
        let Some(parent) = node.task.parent.filter(|_| node.parent.is_none() && split(&node.dir).0 == TASKS) else {
            continue;
        };
        if scene.forest.get(parent).is_some() {
            continue;
        }
        let (file, text) = (join(&node.dir, TASK_FILE), scene.task_text(&node.dir));
        let line = text.and_then(|text| super::line_of_key(text, "parent"));
        let what = format!("its parent `{parent}` is not there; it is shown at the top");
        let finding = Finding::new(Kind::Orphan, file.as_str(), what).at_line(line);
        if scene.is_in_trash(parent) {
            let advice = format!("the parent is in the trash: `handoff task restore {parent}` brings it back");
            findings.tell(finding.advising(advice));
        } else if scene.is_known(parent) || scene.may_be_hidden() {
            findings.tell(finding.advising("mend the files that cannot be read first: its parent may be one of them"));
        } else {
            let freed = freed(node, &mut next);
            let why = format!("its parent `{parent}` was not there any more");
            match text.and_then(|text| said(scene, text, freed, &why)) {
                Some(text) => {
                    findings.mend(
                        finding,
                        "put at the top, with a note on where it was",
                        Mend::Put { path: file, text },
                    );
                }
                None => findings.tell(finding.advising("take the field `parent` out")),
            }
        }
    }
    directories(scene, &mut next, findings);
}

/// The task of a node without its parent. Its number was one below that, and is not taken from anybody at the top.
fn freed(node: &Node, next: &mut NextNumber<'_>) -> Task {
    let mut task = Task { parent: None, ..Task::clone(&node.task) };
    if task.number.is_some() && read_name(split(&node.dir).1).number.is_none() {
        task.number = next.below(None).or(task.number);
    }
    task
}

/// Gives out numbers that nobody has or had.
struct NextNumber<'a> {
    scene: &'a Scene<'a>,
    last: BTreeMap<Option<TaskId>, u32>,
}

impl<'a> NextNumber<'a> {
    fn of(scene: &'a Scene<'_>) -> NextNumber<'a> {
        NextNumber { scene, last: BTreeMap::new() }
    }

    /// The next number below a task, or at the top; `None` at the end of all numbers.
    fn below(&mut self, parent: Option<TaskId>) -> Option<u32> {
        let last = self.last.entry(parent).or_insert_with(|| highest(self.scene, parent));
        *last = last.checked_add(1).filter(|next| *next <= MAX_ORDINAL)?;
        Some(*last)
    }
}

/// Directories that should be a task's and hold none; the tasks below them come up.
fn directories(scene: &Scene<'_>, next: &mut NextNumber<'_>, findings: &mut Findings) {
    for (path, entry) in scene.picture.below(TASKS) {
        let (above, name) = split(path);
        let is_hidden = path.split('/').any(is_ignored);
        if is_hidden || !matches!(entry.content, Content::Directory) || scene.picture.exists(&join(path, TASK_FILE)) {
            continue;
        }
        let parts = read_name(name);
        let is_named = parts.number.is_some() || parts.id.is_some();
        // Directories above it are looked at first, and what lies in them again afterwards.
        let is_below_another =
            split(above).0 != TASKS && above != TASKS && !scene.picture.exists(&join(above, TASK_FILE));
        let inner: Vec<&str> = scene
            .picture
            .inside(path)
            .into_iter()
            .filter(|(name, entry)| matches!(entry.content, Content::Directory) && !is_ignored(name))
            .map(|(name, _)| name)
            .filter(|name| scene.picture.below(&join(path, name)).any(|(file, _)| split(file).1 == TASK_FILE))
            .collect();
        if is_below_another || (inner.is_empty() && !is_named) {
            continue;
        }
        let finding = Finding::new(Kind::Orphan, path, "a directory of tasks without a task.toml");
        if let Some(known) = lost_file(scene, path) {
            let mend = Mend::NewFile { path: join(path, TASK_FILE), text: known.text.clone() };
            findings.mend(finding, format!("restored as it was in {}", known.from), mend);
            continue;
        }
        let mut mends = Vec::new();
        for name in &inner {
            let wanted = lifted_name(scene, next, above, &join(path, name)).unwrap_or_else(|| (*name).to_owned());
            // A name that is taken becomes a wrong one, which is put right afterwards.
            let Some(to) = free_name(scene, above, &wanted) else { continue };
            mends.push(Mend::Move { from: join(path, name), to: join(above, &to) });
        }
        let mut fix = "the tasks in it come up one level".to_owned();
        if is_named {
            mends.push(Mend::Aside(path.to_owned()));
            let moved = "moved into the backup";
            fix = if inner.is_empty() { moved.to_owned() } else { format!("{fix}, the rest is {moved}") };
        }
        findings.mend(finding, fix, Mend::All(mends));
    }
}

/// What the log says was last in the file of a task that is gone, if that task is nowhere else.
fn lost_file<'a>(scene: &'a Scene<'_>, dir: &str) -> Option<&'a KnownVersion> {
    let origin = scene.picture.at_first(dir)?;
    let known = scene.around.versions.get(&join(origin, TASK_FILE)).filter(|known| known.is_last)?;
    let (task, _) = Task::read(&known.text).ok()?;
    (!scene.is_known(task.id)).then_some(known)
}

/// What a task is called when it comes up one level: the number it had was one below what is gone.
fn lifted_name(scene: &Scene<'_>, next: &mut NextNumber<'_>, above: &str, dir: &str) -> Option<String> {
    let task = scene.picture.task(&join(dir, TASK_FILE)).filter(|_| scene.layout == Layout::Status)?;
    let parent = match above {
        TASKS => None,
        _ => Some(scene.picture.task(&join(above, TASK_FILE))?.id),
    };
    let above = match parent {
        None => None,
        Some(id) => Some(scene.forest.get(id)?.number.clone()),
    };
    let number = Number::under(above.as_ref(), next.below(parent)?);
    Some(status_name(&number, task.status, &task.title))
}

/// Tasks that lie under themselves by their fields: the one that is shown at the top is put there.
pub(super) fn cycles(scene: &Scene<'_>, findings: &mut Findings) {
    let mut next = NextNumber::of(scene);
    for node in scene.forest.walk() {
        let is_cut = node.parent.is_none() && node.task.parent.is_some_and(|id| scene.forest.get(id).is_some());
        let Some(parent) = node.task.parent.filter(|_| is_cut) else { continue };
        let (file, text) = (join(&node.dir, TASK_FILE), scene.task_text(&node.dir));
        let line = text.and_then(|text| super::line_of_key(text, "parent"));
        let what = format!("it lies under itself, by way of its parent `{parent}`; it is shown at the top");
        let finding = Finding::new(Kind::Cycle, file.as_str(), what).at_line(line);
        let freed = freed(node, &mut next);
        let why = format!("it lay under itself; its parent was `{parent}`");
        match text.and_then(|text| said(scene, text, freed, &why)) {
            Some(text) => {
                findings.mend(finding, "put at the top, with a note on where it was", Mend::Put { path: file, text });
            }
            None => findings.tell(finding.advising("take the field `parent` out")),
        }
    }
}

/// Siblings with one number: the one that had it first keeps it.
pub(super) fn numbers(scene: &Scene<'_>, findings: &mut Findings) {
    let mut siblings: BTreeMap<Option<TaskId>, Vec<&Node>> = BTreeMap::new();
    for node in scene.forest.walk().into_iter().filter(|node| !scene.is_below_damage(&node.dir)) {
        siblings.entry(node.parent).or_default().push(node);
    }
    let mut next = NextNumber::of(scene);
    for (parent, mut nodes) in siblings {
        nodes.sort_by_key(|node| (node.number.ordinal(), node.task.id));
        for same in nodes.chunk_by_mut(|one, other| one.number.ordinal() == other.number.ordinal()) {
            if same.len() < 2 {
                continue;
            }
            same.sort_by_cached_key(|node| claim(scene, node));
            let [first, others @ ..] = &*same else { continue };
            for node in others {
                tell_number(scene, findings, node, first, next.below(parent));
            }
        }
    }
}

/// What speaks for a task's having its number, the strongest first: the smallest keeps it.
fn claim(scene: &Scene<'_>, node: &Node) -> impl Ord + use<> {
    let (task, ordinal) = (&node.task, node.number.ordinal());
    let is_cut_off = node.parent.is_none() && task.parent.is_some();
    let remembered =
        (!scene.numbers.was_given(task.id, ordinal), !scene.numbers.was_seen(task.id, node.parent, ordinal));
    // What one machine remembers must not count before what everybody sees, where all put the same files right.
    let (before, after) = match scene.layout {
        Layout::Status => (Some(remembered), None),
        Layout::Stable => (None, Some(remembered)),
    };
    // One without a time was made by hand, and later than those with one.
    let made = (task.created_at.is_none(), task.created_at);
    let wanted = match scene.layout {
        Layout::Status => status_name(&node.number, task.status, &task.title),
        Layout::Stable => stable_name(&task.title, task.id),
    };
    (is_cut_off, before, made, after, split(&node.dir).1 != wanted, task.id)
}

/// The highest number that is, or was, below a task or at the top, those that cannot be read included.
fn highest(scene: &Scene<'_>, parent: Option<TaskId>) -> u32 {
    let (dir, children) = match parent.and_then(|id| scene.forest.get(id)) {
        Some(node) => (node.dir.as_str(), &node.children),
        None => (TASKS, &scene.forest.roots),
    };
    let named = scene.picture.inside(dir).into_iter().filter_map(|(name, _)| Some(read_name(name).number?.ordinal()));
    let shown = children.iter().filter_map(|id| scene.forest.get(*id)).map(|node| node.number.ordinal());
    named.chain(shown).chain([scene.numbers.floor(parent)]).max().unwrap_or(0)
}

fn tell_number(scene: &Scene<'_>, findings: &mut Findings, node: &Node, first: &Node, next: Option<u32>) {
    let ordinal = node.number.ordinal();
    let what = format!("has the number {ordinal} that its sibling `{}` has too", first.task.id);
    let file = join(&node.dir, TASK_FILE);
    let text = scene.task_text(&node.dir);
    let line = text.and_then(|text| super::line_of_key(text, "number"));
    let finding = Finding::new(Kind::SameNumber, file.as_str(), what).at_line(line);
    let Some(next) = next else {
        findings.tell(finding.advising("all numbers are used up: give one of them a smaller number that is free"));
        return;
    };
    let fix = format!("gets the number {next}; ids stay as they are");
    if scene.layout == Layout::Stable || node.task.number.is_some() {
        let numbered = Task { number: Some(next), ..Task::clone(&node.task) };
        match text.and_then(|text| numbered.write_over(text).ok()) {
            Some(text) => findings.mend(finding, fix, Mend::Put { path: file, text }),
            None => findings.tell(finding.advising("give one of them another number")),
        }
        return;
    }
    let name =
        status_name(&Number::under(parent_number(&node.number).as_ref(), next), node.task.status, &node.task.title);
    let to = join(split(&node.dir).0, &name);
    findings.mend(finding, fix, Mend::Move { from: node.dir.to_string(), to });
}

fn parent_number(number: &Number) -> Option<Number> {
    let ordinals = number.ordinals();
    ordinals[..ordinals.len() - 1].iter().fold(None, |above, ordinal| Some(Number::under(above.as_ref(), *ordinal)))
}

/// Tasks whose place is told as the other layout tells it.
pub(super) fn misplaced(scene: &Scene<'_>, findings: &mut Findings) {
    for node in scene.forest.walk().into_iter().filter(|node| !scene.is_below_damage(&node.dir)) {
        let task = &node.task;
        // One whose parent is gone waits for it to come back, or for a person.
        if task.parent.is_some_and(|parent| scene.forest.get(parent).is_none()) {
            continue;
        }
        let above = node.parent.and_then(|id| scene.forest.get(id)).map_or(TASKS, |parent| parent.dir.as_str());
        let dir = split(&node.dir).0;
        let (placed, to, what) = match scene.layout {
            Layout::Status => {
                let is_right = task.parent.is_none() && task.number.is_none() && dir == above;
                if is_right {
                    continue;
                }
                let placed = Task { parent: None, number: None, ..Task::clone(task) };
                let name = status_name(&node.number, task.status, &task.title);
                // The number must stand in the name before it goes from the file.
                let told = read_name(split(&node.dir).1).number.map(|number| number.ordinal());
                let is_there = dir == above && told == Some(node.number.ordinal());
                let to = if is_there { node.dir.to_string() } else { join(above, &name) };
                (placed, to, "its place is told by fields; here directories tell it")
            }
            Layout::Stable => {
                let is_right = task.number == Some(node.number.ordinal()) && task.parent == node.parent && dir == TASKS;
                if is_right {
                    continue;
                }
                let placed = Task { parent: node.parent, number: Some(node.number.ordinal()), ..Task::clone(task) };
                let to =
                    if dir == TASKS { node.dir.to_string() } else { join(TASKS, &stable_name(&task.title, task.id)) };
                (placed, to, "its place is not told by `parent` and `number`, as it is in this layout")
            }
        };
        let finding = Finding::new(Kind::Misplaced, join(&node.dir, TASK_FILE), what);
        let Some(text) = scene.task_text(&node.dir).and_then(|text| placed.write_over(text).ok()) else {
            findings.tell(finding.advising("mend its file first"));
            continue;
        };
        let put = Mend::Put { path: join(&node.dir, TASK_FILE), text };
        let moved = Mend::Move { from: node.dir.to_string(), to: to.clone() };
        // Fields are written before a directory leaves its parent, and taken out after it came under it.
        let mends = match scene.layout {
            _ if *to == *node.dir => vec![put],
            Layout::Status => vec![moved, put],
            Layout::Stable => vec![put, moved],
        };
        findings.mend(finding, "told as the layout has it", Mend::All(mends));
    }
}

/// Tasks more levels down than are allowed.
pub(super) fn depth(scene: &Scene<'_>, findings: &mut Findings) {
    for node in scene.forest.walk() {
        let depth = node.number.ordinals().len();
        if depth > MAX_DEPTH {
            let what = format!("lies {depth} levels deep; at most {MAX_DEPTH} are allowed");
            let advice = format!("`handoff task move {} --to root`, or under another", node.task.id);
            findings.tell(Finding::new(Kind::TooDeep, node.dir.as_str(), what).advising(advice));
        }
    }
}
