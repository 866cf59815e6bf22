//! Sessions by their index are those that reading every file gives, whatever happens to the files and to the index.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests change files as a person would, and stop at the first surprise"
)]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use handoff_model::id::{SessionId, SessionRef};
use handoff_model::name::Layout;
use handoff_model::session::{Decision, Session, SessionKind, SessionStatus};
use handoff_store::{NewStore, Store, StoreError, Summaries};

#[path = "warm/numbers.rs"]
mod numbers;

use numbers::Numbers;

const INDEX: &str = "local/cache/sessions";
const KINDS: [SessionKind; 3] = [SessionKind::Session, SessionKind::Record, SessionKind::Package];

fn id(number: usize) -> SessionId {
    format!("{number:08x}").parse::<SessionRef>().map(|id| id.to_string().try_into().unwrap()).unwrap()
}

fn session(number: usize, kind: SessionKind) -> Session {
    let day = number % 28 + 1;
    let now = format!("2026-11-{day:02}T12:{:02}:00Z", number % 60).parse().unwrap();
    let mut session = Session::new(id(number), kind, now);
    session.title = (!number.is_multiple_of(5)).then(|| format!("Title {number}"));
    session.summary = format!("Zusammenfassung № {number}");
    session.name = number.is_multiple_of(3).then(|| format!("name-{}", number % 9));
    session.label = number.is_multiple_of(4).then(|| format!("label-{}", number % 8));
    session.tags = (0..number % 4).map(|tag| format!("tag{tag}")).collect();
    session.next = (0..number % 3).map(|step| format!("step {step}\nmore")).collect();
    if number.is_multiple_of(7) {
        let decision: Decision = toml::from_str("decision = \"So it is\"").unwrap();
        session.decisions.push(decision);
    }
    if number % 6 != 1 {
        session.close(now).unwrap();
    }
    session
}

fn change<T>(root: &Path, change: impl FnOnce(&mut Store) -> Result<T, StoreError>) -> Result<T, StoreError> {
    let mut store = Store::open(root)?;
    store.lock("test", Duration::from_secs(30))?;
    change(&mut store).and_then(|value| store.commit(|_, _| {}).map(|()| value))
}

fn create(root: &Path, number: usize, kind: SessionKind) {
    change(root, |store| store.create_session(session(number, kind), Some("body\n".to_owned()))).unwrap();
}

fn project(sessions: usize) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let root = dir.path().join(".handoff");
    let new = NewStore { config: "[project]\nname = \"x\"\n", layout: Layout::Status, private: true };
    Store::create(&root, &new).unwrap();
    for number in 0..sessions {
        create(&root, number, KINDS[number % 3]);
    }
    (dir, root)
}

/// Waits until the times of all files tell whether they change, and has the index written.
fn settle(root: &Path) {
    std::thread::sleep(Duration::from_millis(150));
    Store::open(root).unwrap().rebuild_index().unwrap();
}

fn indexed(sessions: usize) -> (tempfile::TempDir, PathBuf) {
    let (dir, root) = project(sessions);
    settle(&root);
    (dir, root)
}

fn by_index(root: &Path) -> Store {
    Store::open(root).unwrap()
}

fn by_file(root: &Path) -> Store {
    Store::open(root).unwrap().without_index()
}

fn shown(summaries: &Summaries) -> String {
    format!("{summaries:#?}")
}

fn found(store: &Store, wanted: &str) -> String {
    match store.session(&wanted.parse().unwrap()) {
        Ok(found) => format!("{} {} {:?}", found.name, found.rev, found.session.title),
        Err(error) => format!("{error:?}"),
    }
}

#[track_caller]
fn compare(truth: &str, told: &str, after: &str) {
    if truth != told {
        let differs = truth.lines().zip(told.lines()).find(|(truth, told)| truth != told);
        panic!("after {after}:\n{differs:?}\n--- files\n{truth}\n--- index\n{told}");
    }
}

/// Everything that is asked by the index is what reading every file says.
#[track_caller]
fn same(root: &Path, after: &str) {
    let truth = by_file(root).session_summaries().unwrap();
    for wanted in ["latest", "00000007", "0000000", "2026-11-04", "name-3", "label-4", "no-such"] {
        compare(&found(&by_file(root), wanted), &found(&by_index(root), wanted), &format!("{after}, {wanted}"));
    }
    let handoffs = |store: Store| format!("{:#?}", store.handoffs().unwrap().list);
    compare(&handoffs(by_file(root)), &handoffs(by_index(root)), after);
    // What is shown at a glance is so, or it is known that it is not.
    let store = by_index(root);
    let glance = store.summaries_at_a_glance().unwrap();
    for some in glance.list.chunks(3).filter(|some| store.are_still_so(*some)) {
        assert!(some.iter().all(|one| truth.list.contains(one)), "after {after}: {some:#?} is not what files say");
    }
    for one in truth.list.iter().filter(|one| one.status() != SessionStatus::Closed) {
        let has_twin = truth.problems.iter().any(|problem| problem.reason.contains("has the id"));
        assert!(has_twin || glance.list.contains(one), "after {after}: {one:#?} is missing");
    }
    compare(&shown(&truth), &shown(&by_index(root).session_summaries().unwrap()), after);
}

struct Storm {
    root: PathBuf,
    numbers: Numbers,
    early: Option<Vec<u8>>,
    made: usize,
}

impl Storm {
    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = fs::read_dir(self.root.join("sessions"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|end| end == "toml"))
            .collect();
        files.sort();
        files
    }

    fn step(&mut self) -> String {
        let files = self.files();
        let (Some(one), Some(other)) = (self.numbers.of(&files).cloned(), self.numbers.of(&files).cloned()) else {
            create(&self.root, 7, SessionKind::Package);
            return "made one".to_owned();
        };
        let new = one.with_file_name(format!("2026-11-30-{:08x}.toml", self.numbers.below(64)));
        let index = self.root.join(INDEX);
        let kind = self.numbers.below(17);
        let done: std::io::Result<()> = match kind {
            0 => {
                self.made += 1;
                create(&self.root, 100 + self.made, KINDS[self.made % 3]);
                Ok(())
            }
            1 => {
                self.save();
                Ok(())
            }
            2 => fs::rename(&one, &new),
            3 => swap(&one, &other),
            4 => fs::remove_file(&one).or_else(|_| fs::remove_dir(&one)),
            5 => {
                File::options().append(true).open(&one).and_then(|file| file.set_modified(std::time::SystemTime::now()))
            }
            6 | 7 => in_place(&one, "Title", "Tidle"),
            8 => in_place(&one, "Zusammen", "zUSAMMEN"),
            9 => fs::copy(&one, &new).map(drop),
            10 => fs::read(&one).and_then(|bytes| fs::write(&one, &bytes[..bytes.len() / 2])),
            11 => std::os::unix::fs::symlink(&other, &new),
            12 => fs::create_dir(&new),
            13 => fs::read(&index).and_then(|bytes| fs::write(&index, &bytes[..bytes.len() / 2])),
            14 => fs::remove_file(&index),
            15 => match self.early.take() {
                Some(early) => fs::write(&index, early),
                None => fs::read(&index).map(|bytes| self.early = Some(bytes)),
            },
            _ => fs::rename(&one, &other),
        };
        format!("{kind} {} {} {done:?}", one.display(), other.display())
    }

    fn save(&mut self) {
        let all = by_file(&self.root).sessions().unwrap();
        let Some(found) = self.numbers.of(&all.list) else { return };
        let _ = change(&self.root, |store| {
            let mut session = found.session.clone();
            session.tags.push("more".to_owned());
            store.save_session(found, &session)
        });
    }
}

/// Writes into a file: as long as it was, and with the time it had.
fn in_place(path: &Path, from: &str, to: &str) -> std::io::Result<()> {
    let time = fs::metadata(path)?.modified()?;
    let text = fs::read_to_string(path)?.replace(from, to);
    let mut file = File::options().write(true).open(path)?;
    std::io::Write::write_all(&mut file, text.as_bytes())?;
    file.set_modified(time)
}

fn swap(one: &Path, other: &Path) -> std::io::Result<()> {
    let aside = one.with_file_name("aside");
    fs::rename(one, &aside)?;
    fs::rename(other, one)?;
    fs::rename(&aside, other)
}

fn weather(seed: u32) {
    let (_dir, root) = indexed(24);
    let mut storm = Storm { root: root.clone(), numbers: Numbers(seed), early: None, made: 0 };
    let mut steps = Vec::new();
    for step in 0..90 {
        steps.push(storm.step());
        same(&root, &format!("step {step} of {seed}, {:#?}", &steps[steps.len().saturating_sub(8)..]));
        if step % 9 == 8 {
            settle(&root);
            same(&root, &format!("writing the index after step {step} of {seed}"));
        }
    }
}

#[test]
fn files_and_index_agree_after_every_step_of_a_storm() {
    weather(1);
}

#[test]
fn files_and_index_agree_after_every_step_of_another_storm() {
    weather(2);
}

#[test]
fn an_index_that_is_cut_or_changed_anywhere_changes_no_answer() {
    let (_dir, root) = indexed(6);
    let whole = fs::read(root.join(INDEX)).unwrap();
    let truth = shown(&by_file(&root).session_summaries().unwrap());
    let read = || shown(&by_index(&root).session_summaries().unwrap());
    for length in (0..whole.len()).step_by(7) {
        fs::write(root.join(INDEX), &whole[..length]).unwrap();
        assert_eq!(read(), truth, "cut at {length}");
    }
    for place in (0..whole.len()).step_by(3) {
        let mut spoiled = whole.clone();
        spoiled[place] ^= 1 << (place % 8);
        fs::write(root.join(INDEX), &spoiled).unwrap();
        assert_eq!(read(), truth, "changed at {place}");
    }
    fs::write(root.join(INDEX), [whole.as_slice(), b"more"].concat()).unwrap();
    assert_eq!(read(), truth);
    fs::remove_file(root.join(INDEX)).unwrap();
    fs::create_dir(root.join(INDEX)).unwrap();
    assert_eq!(read(), truth);
}

#[test]
fn the_index_of_another_store_changes_no_answer() {
    let (_other, other) = indexed(9);
    let (_dir, root) = indexed(6);
    fs::copy(other.join(INDEX), root.join(INDEX)).unwrap();
    same(&root, "the index of another");
}

#[test]
fn a_file_that_did_not_change_is_not_read_again() {
    let (_dir, root) = indexed(6);
    let bytes = fs::read(root.join(INDEX)).unwrap();
    let told = by_index(&root).session_summaries().unwrap();
    // Nothing but the index can know this title.
    let title = told.list.iter().find_map(|one| one.title()).unwrap().to_owned();
    let place = bytes.windows(title.len()).position(|bytes| bytes == title.as_bytes()).unwrap();
    let mut other = bytes.clone();
    other[place] = b'K';
    seal(&mut other);
    fs::write(root.join(INDEX), other).unwrap();
    let told = by_index(&root).session_summaries().unwrap();
    let kept = format!("K{}", &title[1..]);
    assert!(told.list.iter().any(|one| one.title() == Some(&kept)), "{told:#?}");
}

/// Makes the checksums of an index right.
fn seal(bytes: &mut [u8]) {
    let (header, rest) = bytes.split_at_mut(104);
    header[32..40].copy_from_slice(&handoff_model::checksum::checksum(rest).to_le_bytes());
    let sum = handoff_model::checksum::checksum(&header[..96]);
    header[96..].copy_from_slice(&sum.to_le_bytes());
}

#[test]
fn whatever_an_index_says_reading_ends() {
    let (_dir, root) = indexed(4);
    let whole = fs::read(root.join(INDEX)).unwrap();
    for place in 104..whole.len() {
        for value in [0, 0x7f, 0xff] {
            let mut changed = whole.clone();
            changed[place] = value;
            seal(&mut changed);
            fs::write(root.join(INDEX), &changed).unwrap();
            let told = by_index(&root).session_summaries().unwrap();
            assert!(told.list.len() <= 4 && !shown(&told).is_empty());
        }
    }
}

#[test]
fn many_sessions_are_kept_by_the_first_who_lists_them_and_few_by_nobody() {
    let (_few, few) = project(12);
    by_index(&few).session_summaries().unwrap();
    assert!(!few.join(INDEX).exists());
    let text = session(0, SessionKind::Package).print();
    for number in 1000..1300 {
        let text = text.replace("00000000", &format!("{number:08x}"));
        fs::write(few.join(format!("sessions/2026-11-01-{number:08x}.toml")), text).unwrap();
    }
    by_index(&few).session_summaries().unwrap();
    assert!(few.join(INDEX).exists());
    same(&few, "three hundred files came");
}

#[test]
fn a_package_that_others_go_on_from_is_among_the_handoffs() {
    let (_dir, root) = project(0);
    for number in [2, 5, 6] {
        create(&root, number, SessionKind::Package);
    }
    let mut next = session(9, SessionKind::Record);
    next.continues = Some("2026-11-06-00000005".to_owned());
    change(&root, |store| store.create_session(next, None)).unwrap();
    settle(&root);
    for store in [by_index(&root), by_file(&root)] {
        let names: Vec<String> = store.handoffs().unwrap().list.iter().map(|found| found.name.clone()).collect();
        assert_eq!(names, ["2026-11-10-00000009", "2026-11-06-00000005"]);
    }
}

#[test]
fn the_index_is_kept_also_while_writing_is_paused() {
    let (_dir, root) = project(3);
    fs::write(root.join("PAUSE"), "").unwrap();
    by_index(&root).rebuild_index().unwrap();
    assert!(root.join(INDEX).exists());
}

#[test]
fn an_edit_in_place_that_no_answer_showed_is_found_by_the_sweep() {
    let (_dir, root) = indexed(6);
    let file = root.join("sessions/2026-11-06-00000005.toml");
    in_place(&file, "Zusammen", "zUSAMMEN").unwrap();
    assert_eq!(by_index(&root).sweep().unwrap(), ["sessions/2026-11-06-00000005.toml"]);
    std::thread::sleep(Duration::from_millis(150));
    by_index(&root).rebuild_index().unwrap();
    assert_eq!(by_index(&root).sweep().unwrap(), Vec::<String>::new());
}
