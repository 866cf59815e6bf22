//! A repository with a story, of which every turn is known.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::repository::Repository;

/// Every file with its content, by its path from the project.
pub(crate) type Files = BTreeMap<String, String>;

pub(crate) struct Generated {
    pub(crate) repository: Repository,
    /// Whether the commit that the handoff was saved at is gone at the end
    pub(crate) forgets: bool,
    seed: u64,
    random: Random,
    inside: bool,
    /// Which file of the time of saving each present file is, through all moves and copies
    identities: BTreeMap<String, String>,
    /// The same, as of each commit that can be gone back to, and what was in it
    commits: Vec<BTreeMap<String, String>>,
    /// The files at the time of saving
    then: Option<Files>,
    log: Vec<String>,
}

const DIRECTORIES: [&str; 6] = ["src", "src/core", "src/core/deep", "lib", "docs", "lib/inner"];

impl Generated {
    /// A repository with some commits and some changes that are not committed.
    pub(crate) fn start(seed: u64) -> Generated {
        let inside = seed % 4 == 1;
        let mut story = Generated {
            repository: Repository::with_project(if inside { "app" } else { "" }),
            forgets: seed % 6 == 5,
            seed,
            random: Random(seed),
            inside,
            identities: BTreeMap::new(),
            commits: Vec::new(),
            then: None,
            log: Vec::new(),
        };
        story.write(".gitignore", "build/\n");
        story.write("build/out.txt", "out\n");
        story.write("shared.txt", "shared\n");
        let first = text(&mut story.random);
        story.write("src/f1.rs", &first);
        story.identities.insert("src/f1.rs".to_owned(), "src/f1.rs".to_owned());
        for _ in 0..10 {
            story.add();
        }
        if inside {
            for name in ["../top.rs", "../other/o.rs"] {
                let text = text(&mut story.random);
                story.write(name, &text);
                story.identities.insert(name.to_owned(), name.to_owned());
            }
        }
        story.commit("start");
        for _ in 0..2 {
            story.edit();
            story.add();
        }
        story.commit("second");
        for _ in 0..story.random.below(5) {
            story.turn(Turn::UNCOMMITTED);
        }
        story
    }

    /// Some files that are there, one that git ignores, and one that never was.
    pub(crate) fn choose_pointers(&mut self) -> Vec<String> {
        let files: Vec<String> = self.files().into_keys().collect();
        let mut chosen: BTreeSet<String> = ["build/out.txt", "never/was.rs"].map(str::to_owned).into();
        for _ in 0..16 {
            chosen.insert(self.random.one_of(&files).clone());
        }
        chosen.into_iter().collect()
    }

    /// The moment of saving: from here on every file goes by the name it has now.
    pub(crate) fn save(&mut self) -> Files {
        let files = self.files();
        let names: BTreeMap<String, String> =
            self.identities.iter().map(|(path, identity)| (identity.clone(), path.clone())).collect();
        let renamed =
            |(path, identity): (&String, &String)| (path.clone(), names.get(identity).unwrap_or(path).clone());
        let committed = self.commits.last().map(|commit| commit.iter().map(renamed).collect());
        self.commits = committed.into_iter().collect();
        self.identities = files.keys().map(|path| (path.clone(), path.clone())).collect();
        self.then = Some(files.clone());
        self.log.push("= saved".to_owned());
        files
    }

    pub(crate) fn go_on(&mut self) {
        if self.forgets {
            self.repository.run("add -A");
            self.repository.run("commit -q --amend --allow-empty -m amended");
            self.commits = vec![self.identities.clone()];
        }
        for _ in 0..8 + self.random.below(8) {
            self.turn(Turn::ALL);
        }
        self.write(".handoff/local/state/x", "the store changes, too\n");
        if self.forgets {
            self.repository.run("stash clear");
            self.repository.run("reflog expire --expire=now --all");
            self.repository.run("prune --expire=now");
        }
    }

    pub(crate) fn is_inside(&self) -> bool {
        self.inside
    }

    pub(crate) fn name(&self) -> String {
        format!("repository {}", self.seed)
    }

    pub(crate) fn log(&self) -> String {
        self.log.join("\n")
    }

    /// Where a file of the time of saving is now, apart from its own place.
    pub(crate) fn places_of(&self, path: &str) -> BTreeSet<String> {
        let places = self.identities.iter().filter(|(place, identity)| *identity == path && *place != path);
        let mut places: BTreeSet<String> = places.map(|(place, _)| place.clone()).collect();
        // Undoing a move that was not committed puts the content where it came from.
        if let Some(was) = self.then.as_ref().and_then(|then| Some((then, then.get(path)?))) {
            let same = self.files().into_iter().filter(|(place, text)| text == was.1 && was.0.get(place) != Some(text));
            places.extend(same.map(|(place, _)| place));
        }
        places
    }

    /// All files, with the ignored one, without git's and handoff's.
    pub(crate) fn files(&self) -> Files {
        let mut files = Files::new();
        collect(self.repository.root(), "", &mut files);
        files.into_iter().map(|(path, content)| (self.outward(&path), content)).collect()
    }

    fn outward(&self, path: &str) -> String {
        match path.strip_prefix("app/") {
            _ if !self.inside => path.to_owned(),
            Some(below) => below.to_owned(),
            None => format!("../{path}"),
        }
    }

    fn inward(&self, path: &str) -> String {
        match path.strip_prefix("../") {
            _ if !self.inside => path.to_owned(),
            Some(above) => above.to_owned(),
            None => format!("app/{path}"),
        }
    }

    fn write(&self, path: &str, text: &str) {
        self.repository.write(&self.inward(path), text);
    }

    fn read(&self, path: &str) -> String {
        self.repository.read(&self.inward(path)).unwrap()
    }

    fn turn(&mut self, among: &[Turn]) {
        let turn = *self.random.one_of(among);
        self.log.push(format!("- {turn:?}"));
        match turn {
            Turn::Edit => self.edit(),
            Turn::Add => self.add(),
            Turn::Delete => self.delete(),
            Turn::Rename => self.rename(Edited::No),
            Turn::RenameAndEdit => self.rename(Edited::Yes),
            Turn::RenameOver => self.rename_over(),
            Turn::Copy => self.copy(),
            Turn::Swap => self.swap(),
            Turn::Touch => self.touch(),
            Turn::Build => self.build(),
            Turn::Stage => drop(self.repository.run("add -A")),
            Turn::Commit => self.commit("more"),
            Turn::Amend => self.amend(),
            Turn::Revert => self.revert(),
            Turn::Reset => self.reset(),
            Turn::Stash => self.stash(),
            Turn::StashAndBack => self.stash_and_back(),
            Turn::Rebase => self.rebase(),
            Turn::OtherBranch => self.other_branch(),
        }
    }

    /// A file to do something with.
    fn some_file(&mut self) -> Option<String> {
        let mut files: Vec<String> = self.files().into_keys().collect();
        files.retain(|path| !path.contains("build/") && !path.contains("shared.txt") && !path.ends_with(".gitignore"));
        (!files.is_empty()).then(|| self.random.one_of(&files).clone())
    }

    fn new_name(&mut self) -> String {
        let ending = if self.random.below(4) == 0 { "md" } else { "rs" };
        format!("{}/f{}.{ending}", self.random.clone().one_of(&DIRECTORIES), self.random.next() % 100_000)
    }

    /// Whether a file is what it was at the time of saving, wherever it is now.
    fn is_as_then(&self, path: &str) -> bool {
        let Some(then) = &self.then else { return true };
        let was = self.identities.get(path).and_then(|identity| then.get(identity));
        was.is_none_or(|was| *was == self.read(path))
    }

    /// Whether a file can still be found when it is edited, too: not where another one was, nor without its commit.
    fn may_be_edited(&self, path: &str) -> bool {
        let Some(then) = &self.then else { return true };
        let stays = self.identities.get(path).is_none_or(|identity| identity == path);
        stays || !(self.forgets || then.contains_key(path))
    }

    fn edit(&mut self) {
        let Some(path) = self.some_file() else { return };
        if self.may_be_edited(&path) {
            self.edit_at(&path);
        }
    }

    fn edit_at(&mut self, path: &str) {
        let text = self.read(path);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let at = self.random.below(lines.len());
        lines[at] = format!("edited {}", self.random.next());
        self.log.push(format!("edit {path}"));
        self.write(path, &(lines.join("\n") + "\n"));
    }

    fn add(&mut self) {
        let path = self.new_name();
        let text = text(&mut self.random);
        self.log.push(format!("add {path}"));
        self.write(&path, &text);
        self.identities.insert(path.clone(), path);
    }

    fn delete(&mut self) {
        let Some(path) = self.some_file() else { return };
        self.log.push(format!("delete {path}"));
        self.repository.remove(&self.inward(&path));
        self.identities.remove(&path);
    }

    fn rename(&mut self, edited: Edited) {
        let Some(from) = self.some_file() else { return };
        if self.forgets && !self.is_as_then(&from) {
            return;
        }
        let to = self.new_name();
        self.move_file(&from, &to);
        if edited == Edited::Yes && self.may_be_edited(&to) {
            self.edit_at(&to);
        }
    }

    fn rename_over(&mut self) {
        let (Some(from), Some(to)) = (self.some_file(), self.some_file()) else { return };
        if from != to && self.is_as_then(&from) {
            self.move_file(&from, &to);
        }
    }

    fn move_file(&mut self, from: &str, to: &str) {
        self.log.push(format!("move {from} to {to}"));
        self.repository.rename(&self.inward(from), &self.inward(to));
        self.identities.remove(to);
        if let Some(identity) = self.identities.remove(from) {
            self.identities.insert(to.to_owned(), identity);
        }
    }

    fn copy(&mut self) {
        let Some(from) = self.some_file() else { return };
        let to = self.new_name();
        self.log.push(format!("copy {from} to {to}"));
        self.write(&to, &self.read(&from));
        if let Some(identity) = self.identities.get(&from).cloned() {
            self.identities.insert(to, identity);
        }
    }

    fn swap(&mut self) {
        let (Some(one), Some(other)) = (self.some_file(), self.some_file()) else { return };
        if one != other && self.is_as_then(&one) && self.is_as_then(&other) {
            self.move_file(&one, "lib/between.rs");
            self.move_file(&other, &one);
            self.move_file("lib/between.rs", &other);
        }
    }

    /// Writes what is there already, so that git has to look.
    fn touch(&mut self) {
        let Some(path) = self.some_file() else { return };
        self.write(&path, &self.read(&path));
    }

    fn build(&mut self) {
        let text = format!("out {}\n", self.random.next());
        self.write("build/out.txt", &text);
    }

    fn commit(&mut self, subject: &str) {
        self.repository.commit_all(subject);
        self.commits.push(self.identities.clone());
    }

    fn amend(&mut self) {
        self.repository.run("add -A");
        self.repository.run("commit -q --amend --allow-empty -m amended");
        self.commits.pop();
        self.commits.push(self.identities.clone());
    }

    /// Undoes one file.
    fn revert(&mut self) {
        let Some(path) = self.some_file() else { return };
        let Some(identity) = self.commits.last().and_then(|commit| commit.get(&path)).cloned() else { return };
        self.log.push(format!("revert {path}"));
        self.repository.run(&format!("checkout -q HEAD -- {}", self.inward(&path)));
        self.identities.insert(path, identity);
    }

    fn reset(&mut self) {
        self.repository.run("reset -q --hard");
        self.as_committed();
    }

    /// What is committed is as it was then; other files stay what they are.
    fn as_committed(&mut self) {
        let committed = self.commits.last().cloned().unwrap_or_default();
        let there = self.files();
        let tracked = self.repository.run("ls-files -z");
        let tracked: BTreeSet<String> = tracked.split('\0').map(|path| self.outward(path)).collect();
        self.identities.retain(|path, _| there.contains_key(path) && !tracked.contains(path));
        self.identities.extend(committed.into_iter().filter(|(path, _)| tracked.contains(path)));
    }

    fn stash(&mut self) {
        self.repository.run("stash -q -u");
        self.as_committed();
    }

    fn stash_and_back(&mut self) {
        let stashed = self.repository.run("stash list").lines().count();
        self.repository.run("stash -q -u");
        if self.repository.run("stash list").lines().count() > stashed {
            self.repository.run("stash pop -q");
        }
    }

    /// Puts the commits on top of another's work.
    fn rebase(&mut self) {
        self.commit("before the rebase");
        let base = self.repository.run("rev-list --max-parents=0 HEAD");
        let branch = self.repository.run("branch --show-current");
        self.repository.run(&format!("checkout -q --detach {base}"));
        let shared = format!("shared {}\n", self.random.next());
        self.write("shared.txt", &shared);
        self.repository.run("commit -q -a -m theirs");
        let theirs = self.repository.run("rev-parse HEAD");
        self.repository.run(&format!("checkout -q {branch}"));
        self.repository.run(&format!("rebase -q -X theirs {theirs}"));
        self.commits = self.commits.split_off(self.commits.len() - 1);
    }

    /// Goes on from the commit before the last, on a new branch.
    fn other_branch(&mut self) {
        if self.commits.len() < 2 {
            return;
        }
        self.repository.run("reset -q --hard");
        self.repository.run("clean -q -f -d -e .handoff");
        let name = self.random.next();
        self.repository.run(&format!("checkout -q -b side-{name} HEAD~1"));
        self.commits.pop();
        self.identities = self.commits.last().cloned().unwrap_or_default();
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Edited {
    No,
    Yes,
}

/// Something that happens to a project.
#[derive(Clone, Copy, Debug)]
enum Turn {
    Edit,
    Add,
    Delete,
    Rename,
    RenameAndEdit,
    RenameOver,
    Copy,
    Swap,
    Touch,
    Build,
    Stage,
    Commit,
    Amend,
    Revert,
    Reset,
    Stash,
    StashAndBack,
    Rebase,
    OtherBranch,
}

impl Turn {
    const UNCOMMITTED: &[Turn] =
        &[Turn::Edit, Turn::Edit, Turn::Add, Turn::Delete, Turn::Rename, Turn::Touch, Turn::Stage];
    const ALL: &[Turn] = &[
        Turn::Edit,
        Turn::Edit,
        Turn::Edit,
        Turn::Add,
        Turn::Delete,
        Turn::Delete,
        Turn::Rename,
        Turn::Rename,
        Turn::RenameAndEdit,
        Turn::RenameAndEdit,
        Turn::RenameOver,
        Turn::Copy,
        Turn::Swap,
        Turn::Touch,
        Turn::Build,
        Turn::Stage,
        Turn::Commit,
        Turn::Commit,
        Turn::Amend,
        Turn::Revert,
        Turn::Reset,
        Turn::Stash,
        Turn::StashAndBack,
        Turn::Rebase,
        Turn::OtherBranch,
    ];
}

/// Lines that no other file has.
fn text(random: &mut Random) -> String {
    let lines = 20 + random.below(20);
    (0..lines).fold(String::new(), |text, _| text + &format!("line {}\n", random.next()))
}

fn collect(dir: &Path, prefix: &str, files: &mut Files) {
    for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        match name.as_str() {
            ".git" | ".handoff" => {}
            _ if entry.file_type().unwrap().is_dir() => collect(&entry.path(), &format!("{prefix}{name}/"), files),
            _ => drop(files.insert(format!("{prefix}{name}"), fs::read_to_string(entry.path()).unwrap())),
        }
    }
}

/// Numbers that look random and are the same every time.
#[derive(Clone)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    fn one_of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}
