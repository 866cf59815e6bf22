//! One operation as the changes it asked the file system for, in order.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use crate::rig::Rng;
use crate::torture::strace::{Arg, Call};

use super::disk::{Bytes, Image, Inode, Node};

/// A name in a directory that from now on leads to an inode, or nowhere.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    directory: Inode,
    name: String,
    target: Option<Inode>,
}

#[derive(Debug, Clone)]
pub(crate) enum Event {
    /// Steps that happen together or not at all.
    Entries(Vec<Step>),
    /// A file's whole contents after a write.
    Data {
        file: Inode,
        content: Bytes,
    },
    /// Contents of a file, or entries of a directory, are on disk.
    Sync(Inode),
    SyncEverything,
    /// The operation said that it succeeded.
    Answer,
}

#[derive(Debug)]
pub(crate) struct Recording {
    initial: Image,
    pub(crate) events: Vec<Event>,
    labels: Vec<String>,
}

impl Recording {
    /// Translates calls into changes of `initial`, which shows `root` as it was before.
    pub(crate) fn of(initial: &Image, calls: &[Call], root: &Path) -> Result<Self, String> {
        let mut recorder = Recorder {
            root,
            live: initial.clone(),
            positions: HashMap::new(),
            recording: Self { initial: initial.clone(), events: Vec::new(), labels: Vec::new() },
        };
        for call in calls.iter().filter(|call| !call.failed()) {
            recorder.take(call).map_err(|why| format!("{}: {why}", call.describe(root)))?;
        }
        let Recorder { live, mut recording, .. } = recorder;
        // Files and directories made on the way exist from the start, until an entry leads to them unseen.
        recording.initial.adopt_inodes(&live);
        Ok(recording)
    }

    /// The last call before a cut.
    pub(crate) fn describe(&self, cut: usize) -> String {
        match cut.checked_sub(1) {
            Some(last) => format!("call {cut} of {}, {}", self.events.len(), self.labels[last]),
            None => "nothing".to_owned(),
        }
    }

    /// The directory changes that a cut loses, for a report.
    pub(crate) fn lost(&self, cut: usize, kept: &BTreeSet<usize>) -> String {
        let missing = self.changes(cut).into_iter().filter(|change| !kept.contains(change));
        let labels: Vec<&str> = missing.map(|change| self.labels[change].as_str()).collect();
        match labels.as_slice() {
            [] => "no directory change lost".to_owned(),
            [first, _, _, _, .., last] => format!("without {} changes from {first} to {last}", labels.len()),
            few => format!("without {}", few.join(", ")),
        }
    }

    /// Changes of directories before a cut, as indices of events.
    fn changes(&self, cut: usize) -> Vec<usize> {
        (0..cut).filter(|index| matches!(self.events[*index], Event::Entries(_))).collect()
    }

    /// Files with contents that no sync has covered yet.
    pub(crate) fn unsynced_files(&self, cut: usize) -> Vec<Inode> {
        let mut pending = BTreeSet::new();
        for event in &self.events[..cut] {
            match event {
                Event::Data { file, .. } => {
                    pending.insert(*file);
                }
                Event::Sync(inode) => {
                    pending.remove(inode);
                }
                Event::SyncEverything => pending.clear(),
                Event::Entries(_) | Event::Answer => {}
            }
        }
        pending.into_iter().collect()
    }

    /// The disk when the directory changes that `kept` names survive and `choose` picks among a file's versions,
    /// of which the first is the synced one.
    pub(crate) fn survivors(
        &self,
        cut: usize,
        kept: impl Fn(usize) -> bool,
        choose: impl Fn(Inode, &[Bytes]) -> Option<Bytes>,
    ) -> Image {
        let mut image = self.initial.clone();
        let mut versions: HashMap<Inode, Vec<Bytes>> = HashMap::new();
        for (index, event) in self.events[..cut].iter().enumerate() {
            match event {
                Event::Entries(steps) if kept(index) => {
                    for step in steps {
                        image.point(step.directory, &step.name, step.target);
                    }
                }
                Event::Entries(_) | Event::Answer => {}
                Event::Data { file, content } => {
                    let old = image.content(*file).cloned();
                    versions.entry(*file).or_insert_with(|| old.into_iter().collect()).push(content.clone());
                }
                Event::Sync(inode) => {
                    versions.entry(*inode).and_modify(settle);
                }
                Event::SyncEverything => versions.values_mut().for_each(settle),
            }
        }
        for (file, versions) in versions {
            if let Some(content) = choose(file, &versions) {
                image.fill(file, content);
            }
        }
        image
    }

    /// Sets of directory changes that may survive a cut under the POSIX model, at most `limit` of them.
    pub(crate) fn posix_sets(&self, cut: usize, limit: usize, random: &mut Rng) -> Vec<BTreeSet<usize>> {
        let changes = self.changes(cut);
        let forced = self.forced(&changes, cut);
        let mut sets = vec![BTreeSet::new()];
        for change in &changes {
            let mut longer = Vec::new();
            for set in &sets {
                if self.predecessors(*change, &changes).all(|earlier| set.contains(&earlier)) {
                    longer.push(set.iter().copied().chain([*change]).collect());
                }
            }
            if forced.contains(change) {
                sets.clear();
            }
            sets.extend(longer);
            sets = random.sample(sets, limit);
        }
        sets
    }

    /// Sets under the ext4 model: one order for all directories, and any sync keeps what came before it.
    pub(crate) fn ordered_sets(&self, cut: usize) -> Vec<BTreeSet<usize>> {
        let changes = self.changes(cut);
        let synced = (0..cut)
            .rev()
            .find(|index| matches!(self.events[*index], Event::Sync(_) | Event::SyncEverything))
            .unwrap_or(0);
        let least = changes.iter().filter(|change| **change < synced).count();
        (least..=changes.len()).map(|count| changes[..count].iter().copied().collect()).collect()
    }

    /// Changes that a sync of one of their directories has made certain, with all those they rest on.
    fn forced(&self, changes: &[usize], cut: usize) -> BTreeSet<usize> {
        let mut forced: BTreeSet<usize> = changes
            .iter()
            .copied()
            .filter(|change| {
                let directories = self.directories(*change);
                self.events[*change..cut].iter().any(|event| match event {
                    Event::Sync(inode) => directories.contains(inode),
                    Event::SyncEverything => true,
                    _ => false,
                })
            })
            .collect();
        for change in changes.iter().rev() {
            if forced.contains(change) {
                forced.extend(self.predecessors(*change, changes).collect::<Vec<_>>());
            }
        }
        forced
    }

    /// Earlier changes of the same directories: a directory never forgets the first of two changes alone.
    fn predecessors<'a>(&'a self, change: usize, changes: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
        let directories = self.directories(change);
        changes
            .iter()
            .copied()
            .take_while(move |earlier| *earlier < change)
            .filter(move |earlier| self.directories(*earlier).iter().any(|directory| directories.contains(directory)))
    }

    fn directories(&self, change: usize) -> Vec<Inode> {
        match &self.events[change] {
            Event::Entries(steps) => steps.iter().map(|step| step.directory).collect(),
            _ => Vec::new(),
        }
    }
}

/// After a sync the last version is the one that is certain.
fn settle(versions: &mut Vec<Bytes>) {
    if let Some(last) = versions.pop() {
        *versions = vec![last];
    }
}

/// Calls on modes, times and reading change nothing that a crash state shows.
const HARMLESS: &[&str] =
    &["read", "pread64", "getdents64", "flock", "chmod", "fchmod", "fchmodat", "utimensat", "sync_file_range"];

struct Recorder<'a> {
    root: &'a Path,
    live: Image,
    /// Where the next write through a descriptor goes; absent for one opened to append.
    positions: HashMap<i64, usize>,
    recording: Recording,
}

impl Recorder<'_> {
    fn take(&mut self, call: &Call) -> Result<(), String> {
        if call.speaks() {
            if call.args[0].number() == Some(1) {
                self.note(call, Event::Answer);
            }
            return Ok(());
        }
        let paths: Vec<PathBuf> = call
            .paths(&self.root.join("project"))
            .iter()
            .filter_map(|path| path.strip_prefix(self.root).ok().map(Path::to_path_buf))
            .collect();
        match (call.name.as_str(), paths.as_slice()) {
            ("sync" | "syncfs", _) => self.note(call, Event::SyncEverything),
            ("open" | "openat" | "openat2" | "creat", [_]) => return self.opened(call),
            ("write" | "writev" | "pwrite64" | "pwritev" | "pwritev2", [path]) => return self.written(call, path),
            ("lseek", [_]) => self.moved(call),
            ("mkdir" | "mkdirat", [path]) => {
                let made = self.live.add(Node::Directory(std::collections::BTreeMap::new()));
                return self.change(call, &[(path, Some(made))]);
            }
            ("rename" | "renameat" | "renameat2", [from, to]) => {
                let source = self.live.find(from).ok_or("renames what is not there")?;
                let target = if call.flag("RENAME_EXCHANGE") { self.live.find(to) } else { None };
                return self.change(call, &[(from, target), (to, Some(source))]);
            }
            ("link" | "linkat", [from, to]) => {
                let source = self.live.find(from).ok_or("links what is not there")?;
                return self.change(call, &[(to, Some(source))]);
            }
            ("unlink" | "unlinkat" | "rmdir", [path]) => return self.change(call, &[(path, None)]),
            ("fsync" | "fdatasync", [path]) => {
                if let Some(inode) = self.live.find(path) {
                    self.note(call, Event::Sync(inode));
                }
            }
            ("ftruncate" | "truncate", [path]) => {
                let length = call.args.last().and_then(Arg::number).and_then(|length| usize::try_from(length).ok());
                return self.edit(call, path, |content| content.resize(length.unwrap_or(0), 0));
            }
            ("copy_file_range", [from, to]) => return self.copied(call, from, to, 2),
            ("sendfile", [to, from]) => return self.copied(call, from, to, 0),
            _ if paths.is_empty() || HARMLESS.contains(&call.name.as_str()) => {}
            _ => return Err("the replay does not model this call".to_owned()),
        }
        Ok(())
    }

    fn note(&mut self, call: &Call, event: Event) {
        self.recording.events.push(event);
        self.recording.labels.push(call.describe(self.root));
    }

    /// Lets names lead elsewhere, as one change.
    fn change(&mut self, call: &Call, entries: &[(&PathBuf, Option<Inode>)]) -> Result<(), String> {
        let mut steps = Vec::new();
        for (path, target) in entries {
            let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
                return Err("works on the root".to_owned());
            };
            let directory = self.live.find(parent).ok_or("works in a directory that is not there")?;
            let name = name.to_string_lossy().into_owned();
            self.live.point(directory, &name, *target);
            steps.push(Step { directory, name, target: *target });
        }
        self.note(call, Event::Entries(steps));
        Ok(())
    }

    fn opened(&mut self, call: &Call) -> Result<(), String> {
        let Some(path) = call.opened.as_ref().and_then(|path| path.strip_prefix(self.root).ok()) else {
            return Ok(());
        };
        let path = path.to_path_buf();
        if call.flag("O_APPEND") {
            self.positions.remove(&call.result);
        } else {
            self.positions.insert(call.result, 0);
        }
        match self.live.find(&path) {
            None if call.flag("O_CREAT") || call.name == "creat" => {
                let made = self.live.add(Node::File(Vec::new().into()));
                self.change(call, &[(&path, Some(made))])
            }
            None => Err("opens a file without a name".to_owned()),
            Some(_) if call.flag("O_TRUNC") || call.name == "creat" => self.edit(call, &path, Vec::clear),
            Some(_) => Ok(()),
        }
    }

    fn moved(&mut self, call: &Call) {
        if let (Some(descriptor), Ok(position)) = (call.args[0].number(), usize::try_from(call.result)) {
            self.positions.entry(descriptor).and_modify(|current| *current = position);
        }
    }

    fn written(&mut self, call: &Call, path: &Path) -> Result<(), String> {
        let mut data: Vec<u8> = call.args.iter().skip(1).flat_map(|arg| arg.strings.concat()).collect();
        data.truncate(usize::try_from(call.result).unwrap_or(0));
        if call.name.starts_with('p') {
            let position = call.args.get(3).and_then(Arg::number).and_then(|position| usize::try_from(position).ok());
            let position = position.ok_or("writes at an unknown position")?;
            return self.edit(call, path, |content| overwrite(content, position, &data));
        }
        self.append(call, path, call.args[0].number(), &data)
    }

    /// Writes at a descriptor's position and moves it on.
    fn append(&mut self, call: &Call, path: &Path, descriptor: Option<i64>, data: &[u8]) -> Result<(), String> {
        let position = descriptor.and_then(|descriptor| self.positions.get(&descriptor).copied());
        if let (Some(position), Some(descriptor)) = (position, descriptor) {
            self.positions.insert(descriptor, position + data.len());
        }
        self.edit(call, path, |content| overwrite(content, position.unwrap_or(content.len()), data))
    }

    fn copied(&mut self, call: &Call, from: &Path, to: &Path, target: usize) -> Result<(), String> {
        let source = self.live.find(from).and_then(|inode| self.live.content(inode)).ok_or("copies from nothing")?;
        let length = usize::try_from(call.result).unwrap_or(0).min(source.len());
        let data = source[..length].to_vec();
        self.append(call, to, call.args[target].number(), &data)
    }

    fn edit(&mut self, call: &Call, path: &Path, edit: impl FnOnce(&mut Vec<u8>)) -> Result<(), String> {
        let file = self.live.find(path).ok_or("writes to what is not there")?;
        let mut content = self.live.content(file).ok_or("writes to a directory")?.to_vec();
        edit(&mut content);
        let content: Bytes = content.into();
        self.live.fill(file, content.clone());
        self.note(call, Event::Data { file, content });
        Ok(())
    }
}

fn overwrite(content: &mut Vec<u8>, position: usize, data: &[u8]) {
    let end = position + data.len();
    if content.len() < end {
        content.resize(end, 0);
    }
    content[position..end].copy_from_slice(data);
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::super::disk::Contents;
    use super::*;
    use crate::torture::strace::parse;

    /// A trace of `calls`, in which `/r` is the sandbox and paths are written plainly.
    fn recording(calls: &[&str]) -> Recording {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir(place.path().join("d")).unwrap();
        let before = Image::load(place.path()).unwrap();
        let mut trace = String::new();
        for call in calls {
            trace.push_str("1 ");
            // Every second piece stands between backticks and is a path or data.
            for (number, piece) in call.split('`').enumerate() {
                if number % 2 == 1 {
                    piece.bytes().for_each(|byte| write!(trace, "\\x{byte:02x}").unwrap());
                } else {
                    trace.push_str(piece);
                }
            }
            trace.push('\n');
        }
        Recording::of(&before, &parse(&trace), Path::new("/r")).unwrap()
    }

    fn fates(recording: &Recording, contents: Contents) -> BTreeSet<Option<String>> {
        let cut = recording.events.len();
        let sets = recording.posix_sets(cut, 100, &mut Rng::new(1));
        sets.iter()
            .map(|kept| {
                let image = recording.survivors(
                    cut,
                    |change| kept.contains(&change),
                    |file, versions| contents.choose(file, versions),
                );
                let found = image.find(Path::new("d/a"))?;
                Some(String::from_utf8_lossy(image.content(found)?).into_owned())
            })
            .collect()
    }

    const CREATE: &str = "openat(AT_FDCWD<`/r`>, \"`/r/d/tmp`\", O_WRONLY|O_CREAT|O_EXCL, 0666) = 3<`/r/d/tmp`>";
    const WRITE: &str = "write(3<`/r/d/tmp`>, \"`new`\", 3) = 3";
    const SYNC: &str = "fsync(3<`/r/d/tmp`>) = 0";
    const RENAME: &str = "rename(\"`/r/d/tmp`\", \"`/r/d/a`\") = 0";
    const SYNC_DIRECTORY: &str = "fsync(4<`/r/d`>) = 0";

    #[test]
    fn a_write_that_syncs_file_and_directory_has_one_fate() {
        let recording = recording(&[CREATE, WRITE, SYNC, RENAME, SYNC_DIRECTORY]);
        for contents in [Contents::Complete, Contents::Old, Contents::Half, Contents::Zeros] {
            assert_eq!(fates(&recording, contents), BTreeSet::from([Some("new".to_owned())]));
        }
    }

    #[test]
    fn without_a_sync_of_the_directory_the_rename_may_be_lost() {
        let recording = recording(&[CREATE, WRITE, SYNC, RENAME]);
        assert_eq!(fates(&recording, Contents::Complete), BTreeSet::from([None, Some("new".to_owned())]));
    }

    #[test]
    fn without_a_sync_of_the_file_its_contents_may_be_lost() {
        let recording = recording(&[CREATE, WRITE, RENAME, SYNC_DIRECTORY]);
        assert_eq!(fates(&recording, Contents::Old), BTreeSet::from([Some(String::new())]));
        assert_eq!(fates(&recording, Contents::Half), BTreeSet::from([Some("n".to_owned())]));
    }
}
