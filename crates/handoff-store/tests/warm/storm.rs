//! All that may happen to a store, by the store itself and by hand.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use handoff_model::id::TaskId;
use handoff_model::name::Layout;
use handoff_model::task::{Status, Task};
use handoff_store::{Store, StoreError};

use crate::numbers::Numbers;
use crate::{change, create, make};

pub(crate) struct Storm {
    outside: PathBuf,
    pub(crate) root: PathBuf,
    pub(crate) numbers: Numbers,
    next: usize,
}

impl Storm {
    pub(crate) fn new(dir: &Path, seed: u32) -> Storm {
        let outside = dir.join("outside");
        fs::create_dir(&outside).unwrap();
        Storm { outside, root: dir.join(".handoff"), numbers: Numbers(seed), next: 100 }
    }

    /// Does something, and says what it was.
    pub(crate) fn step(&mut self) -> String {
        match self.numbers.below(4) {
            0 | 1 => self.by_the_store(),
            2 => self.by_hand_in_files(),
            _ => self.by_hand_in_directories(),
        }
    }

    fn by_the_store(&mut self) -> String {
        let Ok(mut store) = Store::open(&self.root) else {
            let _ = fs::remove_dir_all(&self.root);
            make(&self.root);
            return "making it anew".to_owned();
        };
        let known: Vec<TaskId> = store.forest().unwrap().walk().iter().map(|node| node.task.id).collect();
        let (Some(&one), Some(&other)) = (self.numbers.of(&known), self.numbers.of(&known)) else {
            self.next += 1;
            create(&mut store, self.next, None);
            return "a first task".to_owned();
        };
        let numbers = &mut self.numbers;
        let (what, result) = match numbers.below(16) {
            0..=3 => {
                self.next += 1;
                let parent = (numbers.below(2) == 0).then_some(one);
                create(&mut store, self.next, parent);
                ("a new task", Ok(()))
            }
            4..=6 => {
                let status = Status::ALL[numbers.below(Status::ALL.len())];
                ("a status", save(&mut store, one, |task| task.status = status))
            }
            7 | 8 => {
                let title = format!("Title {}", numbers.below(1000));
                ("a title", save(&mut store, one, |task| task.title = title))
            }
            9..=11 => {
                let result = change(&mut store, |store| {
                    let found = store.find(&one.into())?;
                    let target = store.find(&other.into())?;
                    store.move_task(&found, (one != other).then_some(&target)).map(|_| ())
                });
                ("a move", result)
            }
            12 => {
                let result = change(&mut store, |store| {
                    let found = store.find(&one.into())?;
                    store.delete_task(&found, "2026-11-15T12:00:00Z".parse().unwrap()).map(|_| ())
                });
                ("a deletion", result)
            }
            13 => {
                let result = change(&mut store, |store| {
                    let Some(trashed) = store.trash()?.into_iter().next() else { return Ok(()) };
                    store.restore_task(&trashed, None).map(|_| ())
                });
                ("a return from the trash", result)
            }
            14 => {
                let to = if store.layout() == Layout::Status { Layout::Stable } else { Layout::Status };
                ("a conversion", change(&mut store, |store| store.convert(to).map(|_| ())))
            }
            _ => {
                let text = format!("# {}\n", numbers.below(100));
                ("a file at the top", change(&mut store, |store| store.put_file("current-state.md", text)))
            }
        };
        match result {
            Ok(()) => format!("{what} {one} {other}"),
            // What lies about after a while stands in the way of many a change.
            Err(error) => format!("{what} that was refused: {error}"),
        }
    }

    fn by_hand_in_files(&mut self) -> String {
        let files = find(&self.root.join("tasks"), true);
        let sessions = find(&self.root.join("sessions"), true);
        let numbers = &mut self.numbers;
        let number = numbers.below(100);
        let session = self.root.join(format!("sessions/{}.toml", numbers.below(5)));
        let (Some(file), what) = (numbers.of(&files).cloned(), numbers.below(14)) else { return "nothing".to_owned() };
        let text = fs::read_to_string(&file).unwrap_or_default();
        let done = match what {
            // Of the same length, so that only the time tells.
            0 | 1 => fs::write(&file, text.replacen("Task", "Tosk", 1).replacen("Title", "Totle", 1)),
            2 => replace(&file, &text.replacen("status = \"todo\"", "status = \"blocked\"", 1)),
            3 => fs::write(&file, &text[..text.len() / 2]),
            4 => fs::write(&file, format!("{text}\n<<<<<<< ours\n")),
            5 => fs::remove_file(&file),
            6 => fs::write(file.with_file_name(".task.toml.swp"), &text),
            7 => replace(&file, &format!("{text}number = {number}\n")),
            8 => fs::remove_file(&file).and_then(|()| symlink("/etc/hostname", &file)),
            9 => fs::write(self.root.join("config.toml"), "[settings]\ntask_dirs = \"stable\"\n"),
            10 | 11 => fs::write(&session, format!("title = \"{number}\"\n")),
            12 => sessions.first().map_or(Ok(()), fs::remove_file),
            _ => sessions.first().map_or(Ok(()), |first| fs::rename(first, self.root.join("sessions/x.toml"))),
        };
        format!("file {what} {} {done:?}", file.display())
    }

    fn by_hand_in_directories(&mut self) -> String {
        let dirs = find(&self.root.join("tasks"), false);
        let away: Vec<PathBuf> = fs::read_dir(&self.outside).unwrap().map(|entry| entry.unwrap().path()).collect();
        let numbers = &mut self.numbers;
        let number = numbers.below(100);
        let (Some(dir), Some(other)) = (numbers.of(&dirs).cloned(), numbers.of(&dirs).cloned()) else {
            return format!("tasks back {:?}", fs::create_dir_all(self.root.join("tasks")));
        };
        let what = numbers.below(18);
        let done = match what {
            0 | 1 => fs::rename(&dir, dir.with_file_name(format!("{number:02}-todo--by-hand"))),
            2 | 3 => fs::rename(&dir, other.join(format!("{number:02}-done--moved-in"))),
            4 => fs::rename(&dir, self.outside.join(format!("{number}"))),
            5..=7 => numbers
                .of(&away)
                .map_or(Ok(()), |back| fs::rename(back, other.join(format!("{number:02}.1-review--back")))),
            8 => fs::remove_dir_all(&dir),
            9 => fs::create_dir_all(dir.join(format!("{number:02}-todo--empty/deeper/{number}"))),
            10 => copy(&dir, &self.root.join(format!("tasks/{number:02}-blocked--copy"))),
            // The same name for another directory.
            11 => copy(&dir, &self.outside.join("spare"))
                .and_then(|()| fs::remove_dir_all(&dir))
                .and_then(|()| fs::rename(self.outside.join("spare"), &dir)),
            12 => symlink(&self.outside, dir.join("link")),
            // Two change names.
            13 => fs::rename(&dir, self.outside.join("swap")).and_then(|()| {
                let result = fs::rename(&other, &dir);
                fs::rename(self.outside.join("swap"), &other).and(result)
            }),
            14 => fs::remove_dir_all(self.root.join("local")),
            15 => fs::rename(self.root.join("tasks"), self.outside.join("all")).and_then(|()| {
                copy(&self.outside.join("all"), &self.root.join("tasks"))?;
                fs::remove_dir_all(self.outside.join("all"))
            }),
            16 => fs::rename(self.root.join("sessions"), self.outside.join("sessions"))
                .and_then(|()| fs::create_dir(self.root.join("sessions")))
                .and_then(|()| fs::remove_dir_all(self.outside.join("sessions"))),
            _ if number < 20 => fs::rename(&self.root, self.outside.join("store")).map(|()| {
                let _ = fs::remove_dir_all(self.outside.join("store"));
            }),
            _ => fs::rename(self.root.join("tasks"), self.outside.join("all"))
                .and_then(|()| fs::rename(self.outside.join("all"), self.root.join("tasks"))),
        };
        format!("directory {what} {} {} {done:?}", dir.display(), other.display())
    }
}

fn save(store: &mut Store, id: TaskId, edit: impl FnOnce(&mut Task)) -> Result<(), StoreError> {
    change(store, |store| {
        let found = store.find(&id.into())?;
        let mut task = found.task.clone();
        edit(&mut task);
        store.save_task(&found, &task).map(|_| ())
    })
}

pub(crate) fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    let beside = file.with_file_name("beside");
    fs::write(&beside, text).and_then(|()| fs::rename(&beside, file))
}

/// Every file, or every directory, below a place.
pub(crate) fn find(place: &Path, files: bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<_> = fs::read_dir(place).into_iter().flatten().map(Result::unwrap).collect();
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        let is_dir = entry.file_type().unwrap().is_dir();
        if is_dir != files {
            found.push(entry.path());
        }
        if is_dir {
            found.extend(find(&entry.path(), files));
        }
    }
    found
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        match kind.is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name()))?,
            false if kind.is_file() => fs::copy(entry.path(), to.join(entry.file_name())).map(|_| ())?,
            false => {}
        }
    }
    Ok(())
}
