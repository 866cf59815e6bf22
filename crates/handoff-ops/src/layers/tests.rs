//! What is written, what is never touched, and what comes back.
#![expect(clippy::disallowed_methods, reason = "tests change files as a person would")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::compact::{self, Compacted, Compaction};
use super::{MirrorDeed, MirrorTo, Mirrored};
use crate::{Door, Environment, ErrorKind, OpError, Place, Project, Request, dispatch, registry};
use serde_json::{Value, json};

struct Scratch {
    dir: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Scratch {
        let dir = tempfile::tempdir().unwrap();
        for part in ["home", "app"] {
            fs::create_dir(dir.path().join(part)).unwrap();
        }
        let scratch = Scratch { dir };
        scratch.ask("init", json!({"name": "app"}));
        scratch
    }

    fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join("app").join(below)
    }

    fn project(&self) -> Project {
        let env = Environment::new([("HOME", self.dir.path().join("home"))]);
        let cwd = self.dir.path().join("app").canonicalize().unwrap();
        Project::new(Place { cwd, env, ..Place::default() }, Some("alice".to_owned()), Door::Cli)
    }

    fn ask(&self, name: &str, request: Value) -> Value {
        dispatch(registry::find(name).unwrap(), &mut self.project(), Request::Json(request)).unwrap().json()
    }

    /// A closed session of that day, with these lines.
    fn put(&self, name: &str, lines: &str) {
        let (day, id) = (&name[..10], &name[11..]);
        let text = format!(
            "format = 1\nid = \"{id}\"\nstatus = \"closed\"\nauthor = \"alice\"\ntool = \"codex\"\nstarted_at = \
             {day}T09:00:00Z\nended_at = {day}T10:00:00Z\n{lines}"
        );
        fs::create_dir_all(self.path(".handoff/sessions")).unwrap();
        fs::write(self.path(&format!(".handoff/sessions/{name}.toml")), text).unwrap();
    }

    fn to(&self, dir: &str) -> MirrorTo {
        let inside = self.dir.path().join("app").canonicalize().unwrap();
        MirrorTo { dir: inside.join(dir), inside, tag: "general".to_owned() }
    }

    fn try_mirror(&self, to: &MirrorTo) -> Result<Mirrored, OpError> {
        let mut project = self.project();
        project.open()?;
        let plan = super::plan(&project, to)?;
        let planned = plan.steps.clone();
        let mirrored = super::write(&project, &plan)?;
        assert_eq!(planned, mirrored.steps, "what a dry run tells is what happens");
        Ok(mirrored)
    }

    fn mirror(&self) -> Mirrored {
        self.try_mirror(&self.to("memory")).unwrap()
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path("memory").join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path("memory").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn files(&self) -> BTreeMap<String, (Vec<u8>, SystemTime)> {
        let mut files = BTreeMap::new();
        collect(&self.path("memory"), &self.path("memory"), &mut files);
        files
    }

    fn names(&self) -> Vec<String> {
        self.files().into_keys().collect()
    }
}

fn collect(root: &Path, dir: &Path, files: &mut BTreeMap<String, (Vec<u8>, SystemTime)>) {
    for entry in fs::read_dir(dir).into_iter().flatten().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            collect(root, &entry.path(), files);
        } else {
            let name = entry.path().strip_prefix(root).unwrap().display().to_string();
            files.insert(name, (fs::read(entry.path()).unwrap(), entry.metadata().unwrap().modified().unwrap()));
        }
    }
}

const NOTE: &str = "layer1/2026-10/auth-2026-10-03.md";
const STATE: &str = "layer2/current-state.md";

fn filled() -> Scratch {
    let scratch = Scratch::new();
    scratch.put(
        "2026-10-03-a3f9c12e",
        "title = \"Refactor\"\nsummary = \"Parser extracted\"\ntags = [\"auth\"]\nnext = [\"Fix the tests\"]\nblockers = \
         [\"no key\"]\n[[decisions]]\nid = \"d1\"\ndecision = \"JWT\"\nreason = \"stateless\"\n[[notes]]\nnote = \"port \
         5433\"\ncategory = \"caution\"\n[[pointers]]\npath = \"src/a.rs\"\nlines = \"4-7\"\nreason = \"here\"\n",
    );
    fs::write(scratch.path(".handoff/sessions/2026-10-03-a3f9c12e.md"), "# Body\n\n<script>x</script>\n").unwrap();
    scratch
        .put("2026-10-03-b3f9c12e", "summary = \"Second of the day\"\ntags = [\"auth\", \"api\"]\nkind = \"record\"\n");
    scratch.put("2026-10-04-c3f9c12e", "summary = \"No tag\"\n");
    scratch.put("2026-10-05-d3f9c12e", "summary = \"A package\"\nkind = \"package\"\n");
    scratch
}

#[test]
fn every_handoff_of_a_day_and_tag_is_in_one_note() {
    let scratch = filled();
    let mirrored = scratch.mirror();
    assert_eq!(scratch.names(), [NOTE, "layer1/2026-10/general-2026-10-04.md", STATE]);
    assert!(mirrored.steps.iter().all(|step| step.deed == MirrorDeed::Write) && mirrored.steps.len() == 3);
    let note = scratch.read(NOTE);
    let (mark, text) = note.split_once('\n').unwrap();
    assert!(
        mark.starts_with("<!-- handoff: layer 1, 2026-10-03; made from .handoff/, so edit there; check "),
        "{mark}"
    );
    insta::assert_snapshot!(text, @"
    # Handoffs of 2026-10-03

    ## 2026-10-03T10:00:00Z Refactor (codex, alice, a3f9c12e)

    Session `2026-10-03-a3f9c12e`

    > tags: auth

    > Parser extracted

    ### Next steps

    > - Fix the tests

    ### Decisions

    > - d1: JWT — stateless (unverified)

    ### Blockers

    > - no key

    ### Notes

    > - caution: port 5433

    ### Pointers

    > - src/a.rs:4-7 here

    ### Body

    > # Body
    >
    > <script>x</script>

    ## 2026-10-03T10:00:00Z Second of the day (codex, alice, b3f9c12e)

    Session `2026-10-03-b3f9c12e`

    > tags: auth, api

    > Second of the day
    ");
}

#[test]
fn while_nothing_changed_nothing_is_written_and_a_clone_has_the_same_bytes() {
    let scratch = filled();
    scratch.mirror();
    let before = scratch.files();
    let again = scratch.mirror();
    assert_eq!((again.steps.len(), again.unchanged), (0, 3));
    assert_eq!(scratch.files(), before, "times too");
    let clone = Scratch::new();
    for file in fs::read_dir(scratch.path(".handoff/sessions")).unwrap().map(Result::unwrap) {
        fs::create_dir_all(clone.path(".handoff/sessions")).unwrap();
        fs::copy(file.path(), clone.path(".handoff/sessions").join(file.file_name())).unwrap();
    }
    clone.mirror();
    let bytes = |files: BTreeMap<String, (Vec<u8>, SystemTime)>| -> Vec<(String, Vec<u8>)> {
        files.into_iter().map(|(name, (bytes, _))| (name, bytes)).collect()
    };
    assert_eq!(bytes(clone.files()), bytes(before));
}

#[test]
fn the_state_has_the_words_that_were_given_as_they_are_and_no_secret() {
    let scratch = filled();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    scratch
        .put("2026-10-06-e3f9c12e", &format!("summary = \"Told\"\nstate = \"# Where we are\\n\\n**Beta** {token}\"\n"));
    scratch.put("2026-10-07-f3f9c12e", &format!("summary = \"Key {token}\"\nnext = [\"Go on\"]\n"));
    scratch.mirror();
    let state = scratch.read(STATE);
    assert!(state.starts_with("<!-- handoff: layer 2, 2026-10-07; made from .handoff/"), "{state}");
    assert!(state.contains("-->\n# Where we are\n\n**Beta** [redacted: github-token]\n\n"), "{state}");
    assert!(state.contains("Go on") && state.matches("**Beta**").count() == 1, "{state}");
    for (name, (bytes, _)) in scratch.files() {
        assert!(!String::from_utf8(bytes).unwrap().contains(&token), "{name}");
    }
}

#[test]
fn the_notes_of_others_stay_byte_for_byte_above_ours() {
    let scratch = filled();
    let theirs = "<!-- agent-handover | L1 | 2026-10-03 -->\r\nTheir note, no line end";
    scratch.write(NOTE, theirs);
    scratch.write("layer1/2026-10/codex-2026-10-03.md", "another of theirs");
    scratch.write("layer1/loose.md", "theirs, too");
    scratch.mirror();
    let note = scratch.read(NOTE);
    assert!(note.starts_with(theirs) && note.contains("\n<!-- handoff: layer 1") && note.contains("Second of the day"));
    let before = scratch.files();
    assert!(scratch.mirror().steps.is_empty() && scratch.files() == before);
    scratch.put("2026-10-03-03f9c12e", "summary = \"Third\"\ntags = [\"auth\"]\n");
    scratch.mirror();
    let note = scratch.read(NOTE);
    assert!(note.starts_with(theirs) && note.contains("Third") && note.matches("# Handoffs of").count() == 1, "{note}");
    for name in ["2026-10-03-03f9c12e", "2026-10-03-a3f9c12e", "2026-10-03-b3f9c12e"] {
        fs::remove_file(scratch.path(&format!(".handoff/sessions/{name}.toml"))).unwrap();
    }
    scratch.mirror();
    assert_eq!(scratch.read(NOTE), theirs, "what was there before is there again");
    assert_eq!(scratch.read("layer1/2026-10/codex-2026-10-03.md"), "another of theirs");
    assert_eq!(scratch.read("layer1/loose.md"), "theirs, too");
}

#[test]
fn a_state_of_others_is_saved_once_and_never_written_over() {
    let scratch = filled();
    scratch.write(STATE, b"their state \xff");
    scratch.write("layer2/current-state.before-handoff.md", "an older one");
    let mirrored = scratch.mirror();
    let kept = mirrored.steps.iter().find_map(|step| step.kept_as.clone()).unwrap();
    assert!(kept.ends_with("memory/layer2/current-state.before-handoff-2.md"), "{kept}");
    assert_eq!(fs::read(scratch.path("memory/layer2/current-state.before-handoff-2.md")).unwrap(), b"their state \xff");
    assert_eq!(scratch.read("layer2/current-state.before-handoff.md"), "an older one");
    assert!(scratch.read(STATE).starts_with("<!-- handoff: layer 2"));
    let before = scratch.files();
    scratch.mirror();
    assert_eq!(scratch.files(), before);
}

#[test]
fn what_somebody_edited_is_kept_beside_and_told() {
    let scratch = filled();
    scratch.mirror();
    let ours = scratch.read(NOTE);
    for (edit, kept) in [("mine\n", "auth-2026-10-03.edited.md"), ("again\n", "auth-2026-10-03.edited-2.md")] {
        scratch.write(NOTE, format!("{ours}{edit}"));
        let mirrored = scratch.mirror();
        let [step] = &mirrored.steps[..] else { panic!("{mirrored:?}") };
        assert!(step.kept_as.as_ref().unwrap().ends_with(kept), "{step:?}");
        assert_eq!(scratch.read(&format!("layer1/2026-10/{kept}")), format!("{ours}{edit}"));
        assert_eq!(scratch.read(NOTE), ours);
    }
    scratch.write(NOTE, format!("{ours}mine\n"));
    scratch.mirror();
    assert_eq!(scratch.names().iter().filter(|name| name.contains("edited")).count(), 2, "the same is not kept twice");
    assert!(scratch.mirror().steps.is_empty(), "copies are left in peace");
    scratch.write(STATE, scratch.read(STATE) + "mine\n");
    scratch.mirror();
    assert!(scratch.read("layer2/current-state.edited.md").ends_with("mine\n"));
}

#[test]
fn what_corresponds_to_nothing_goes_if_it_is_ours_and_untouched() {
    let scratch = filled();
    scratch.mirror();
    let note = scratch.read(NOTE);
    scratch.write("layer1/2026-10/my-copy.md", &note);
    let third = "layer1/2026-10/general-2026-10-04.md";
    for name in ["2026-10-03-a3f9c12e", "2026-10-03-b3f9c12e", "2026-10-04-c3f9c12e"] {
        fs::remove_file(scratch.path(&format!(".handoff/sessions/{name}.toml"))).unwrap();
    }
    scratch.write(third, scratch.read(third) + "mine\n");
    let mirrored = scratch.mirror();
    let deeds: Vec<MirrorDeed> = mirrored.steps.iter().map(|step| step.deed).collect();
    assert!(deeds.contains(&MirrorDeed::Remove) && deeds.contains(&MirrorDeed::Leave), "{mirrored:?}");
    assert_eq!(scratch.names(), [third, "layer1/2026-10/my-copy.md", STATE]);
    fs::write(scratch.path(".handoff/sessions/2026-10-09-c3f9c12e.toml"), "id = ").unwrap();
    scratch.put("2026-10-08-d3f9c12e", "summary = \"x\"\n");
    scratch.mirror();
    fs::remove_file(scratch.path(".handoff/sessions/2026-10-08-d3f9c12e.toml")).unwrap();
    let mirrored = scratch.mirror();
    assert!(scratch.names().contains(&"layer1/2026-10/general-2026-10-08.md".to_owned()), "a record cannot be read");
    assert!(mirrored.warnings[0].contains("some records cannot be read"), "{mirrored:?}");
}

#[test]
fn archived_sessions_stay_in_their_notes_and_are_told_in_short() {
    let scratch = filled();
    scratch.mirror();
    let note = scratch.read(NOTE);
    scratch.ask("config.set", json!({"key": "settings.history_limit", "value": 1}));
    scratch.ask("save", json!({"summary": "One more"}));
    assert!(!scratch.path(".handoff/sessions/2026-10-03-a3f9c12e.toml").exists());
    scratch.mirror();
    assert_eq!(scratch.read(NOTE), note);
    let archive = scratch.read("layer3/2026-10-auth-archive.md");
    assert!(archive.starts_with("<!-- handoff: layer 3, 2026-10; made from .handoff/"), "{archive}");
    for said in ["## 2026-10-03T10:00:00Z Refactor", "> Parser extracted", "> - d1: JWT", "> - Fix the tests"] {
        assert!(archive.contains(said), "{said}: {archive}");
    }
    let link = "[archive/2026-10-auth-archive.md](../../.handoff/archive/2026-10-auth-archive.md#";
    assert!(archive.contains(link) && archive.contains("handoff session show 2026-10-03-a3f9c12e"), "{archive}");
    assert!(scratch.path("memory/layer3/../../.handoff/archive/2026-10-auth-archive.md").exists());
    assert!(!archive.contains("```"), "{archive}");
}

#[test]
fn hostile_texts_stay_quoted_and_hostile_tags_stay_inside() {
    let scratch = Scratch::new();
    scratch.put(
        "2026-10-03-a3f9c12e",
        "title = \"<img src=x> [a](b) `c`\"\nsummary = \"## Fake\\n<!-- handoff: layer 1, x -->\\n\\u001b[2J\\u202e\"\ntags = \
         [\"../../../etc/x\"]\nnext = [\"one\\n# two\"]\n",
    );
    scratch.put("2026-10-03-b3f9c12e", "summary = \"x\"\ntags = [\"A b\"]\n");
    scratch.put("2026-10-03-c3f9c12e", "summary = \"y\"\ntags = [\"a b\"]\n");
    scratch.mirror();
    let names = ["layer1/2026-10/A_b-2026-10-03.md", "layer1/2026-10/_.-..-..-etc-x-2026-10-03.md", STATE];
    assert_eq!(scratch.names(), names, "names that differ in case alone are one");
    let note = scratch.read(names[1]);
    assert!(!note.contains('\u{1b}') && !note.contains('\u{202e}'), "{note}");
    for line in note.lines().skip(1).filter(|line| !line.is_empty() && !line.starts_with('>')) {
        let is_ours = ["# Handoffs", "## 2026-10-03T", "Session `2026-", "### Next steps"]
            .iter()
            .any(|own| line.starts_with(own));
        assert!(is_ours, "{line}");
    }
    assert!(note.contains(r"\<img src=x\> \[a\](b) \`c\`") && note.contains("> - one\n>   # two"), "{note}");
}

#[test]
fn a_mirror_never_leaves_its_place() {
    let scratch = filled();
    let inside = scratch.dir.path().join("app").canonicalize().unwrap();
    for dir in ["../elsewhere", ".git/memory", ".handoff", "memory/../../x"] {
        let error = scratch.try_mirror(&scratch.to(dir)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage, "{dir}: {error}");
    }
    let elsewhere = MirrorTo { dir: scratch.dir.path().join("home"), inside, tag: String::new() };
    assert_eq!(scratch.try_mirror(&elsewhere).unwrap_err().kind(), ErrorKind::Usage);
    assert_eq!(
        fs::read_dir(scratch.dir.path().join("home"))
            .unwrap()
            .filter(|it| it.as_ref().unwrap().file_name() == "layer1")
            .count(),
        0
    );
}

#[cfg(unix)]
#[test]
fn links_and_directories_in_the_way_are_named_and_the_rest_is_written() {
    let scratch = filled();
    let outside = scratch.dir.path().join("home");
    fs::create_dir_all(scratch.path("memory/layer2/current-state.md")).unwrap();
    let error = scratch.try_mirror(&scratch.to("memory")).unwrap_err().to_string();
    assert!(error.contains("layer2/current-state.md") && error.contains("a directory stands"), "{error}");
    fs::remove_dir(scratch.path("memory/layer2/current-state.md")).unwrap();
    std::os::unix::fs::symlink(&outside, scratch.path("memory/layer1")).unwrap();
    let error = scratch.try_mirror(&scratch.to("memory")).unwrap_err().to_string();
    assert!(error.contains("memory/layer1` is a symbolic link"), "{error}");
    assert!(!outside.join("2026-10").exists());
    fs::remove_file(scratch.path("memory/layer1")).unwrap();
    scratch.mirror();
    assert_eq!(scratch.names().len(), 3);
}

/// Compacts as a handover does, under the lock.
fn compact(scratch: &Scratch, rule: Compaction) -> Compacted {
    let mut project = scratch.project();
    project.open_for_writing().unwrap();
    project.lock("a test").unwrap();
    let planned = compact::plan(&project, rule).unwrap();
    let compacted = compact::compact(&mut project, rule).unwrap();
    assert_eq!(planned, compacted.moved, "what a dry run tells is what happens");
    project.commit().unwrap();
    compacted
}

const ALL: Compaction = Compaction { older_than_days: Some(0), keep: Some(1) };

#[test]
fn compaction_moves_what_is_old_and_beyond_what_stays() {
    let scratch = filled();
    scratch.ask("save", json!({"summary": "Just now"}));
    let untouched = Compaction { older_than_days: Some(36_500), keep: Some(1) };
    assert!(compact(&scratch, untouched).moved.is_empty(), "nothing is a hundred years old");
    assert!(compact(&scratch, Compaction::default()).moved.is_empty(), "the newest stay");
    let names =
        |compacted: &Compacted| -> Vec<String> { compacted.moved.iter().map(|it| it.session.clone()).collect() };
    let three = Compaction { older_than_days: Some(0), keep: Some(3) };
    assert_eq!(names(&compact(&scratch, three)), ["2026-10-03-a3f9c12e"]);
    assert_eq!(names(&compact(&scratch, Compaction { keep: Some(0), ..ALL })).len(), 2, "the last one stays");
    assert_eq!(compact(&scratch, ALL), Compacted::default(), "nothing is left to do");
    assert!(scratch.path(".handoff/sessions/2026-10-05-d3f9c12e.toml").exists(), "packages go by their lifetime");
    let archives: Vec<_> =
        fs::read_dir(scratch.path(".handoff/archive")).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(archives.len(), 2);
}

#[test]
fn archives_lead_to_what_a_session_comes_from_and_what_came_of_it() {
    let scratch = Scratch::new();
    let [one, two, three, four] =
        ["2026-09-03-a3f9c12e", "2026-10-03-b3f9c12e", "2026-10-04-c3f9c12e", "2026-10-05-d3f9c12e"];
    scratch.put(one, "summary = \"One\"\ntags = [\"auth\"]\n[[decisions]]\nid = \"d1\"\ndecision = \"Old\"\n");
    scratch.put(two, &format!("summary = \"Two\"\ntags = [\"auth\"]\ncontinues = \"{one}\"\n"));
    scratch.put(three, &format!("summary = \"Three\"\ntags = [\"auth\"]\ncontinues = \"{two}\"\n"));
    scratch.put(
        four,
        &format!("summary = \"Four\"\ncontinues = \"{three}\"\n[[decisions]]\nid = \"d1\"\ndecision = \"New\"\nsupersedes = \"{one}#d1\"\n"),
    );
    let file = fs::read_to_string(scratch.path(&format!(".handoff/sessions/{two}.toml"))).unwrap();
    compact(&scratch, Compaction { keep: Some(2), ..ALL });
    let read = |name: &str| fs::read_to_string(scratch.path(&format!(".handoff/archive/{name}"))).unwrap();
    assert!(read("2026-10-auth-archive.md").contains(&format!(
        "<a id=\"{two}\"></a>continued by [{three}](../sessions/{three}.toml); continues [{one}](2026-09-auth-archive.md#{one})"
    )));
    scratch.ask("save", json!({"summary": "Five"}));
    compact(&scratch, ALL);
    let october = read("2026-10-auth-archive.md");
    assert!(october.contains(&format!("continued by [{three}](#{three})")), "{october}");
    assert!(october.contains(&format!("continued by [{four}](2026-10-general-archive.md#{four})")), "{october}");
    assert!(october.contains(&format!("- [{two}](#{two}): Two\n- [{three}](#{three}): Three\n")), "{october}");
    for name in [one, two, three, four] {
        assert_eq!(scratch.ask("session.show", json!({"session": name}))["archived"], true);
        assert_eq!(scratch.ask("resume", json!({"session_id": name}))["handoff"]["name"], name);
    }
    let context = scratch.ask("resume", json!({}));
    let decisions: Vec<&str> =
        context["decisions"].as_array().unwrap().iter().map(|it| it["decision"].as_str().unwrap()).collect();
    assert_eq!(decisions, ["New"], "what it superseded is found in the archive");
    scratch.ask("session.restore", json!({"session": two}));
    assert_eq!(fs::read_to_string(scratch.path(&format!(".handoff/sessions/{two}.toml"))).unwrap(), file);
    assert!(!read("2026-10-auth-archive.md").contains(&format!("- [{two}]")));
    assert_eq!(compact(&scratch, Compaction { keep: Some(2), ..ALL }).linked, 2, "the others lead to its file again");
    assert!(read("2026-09-auth-archive.md").contains(&format!("continued by [{two}](../sessions/{two}.toml)")));
}

#[test]
fn compaction_leaves_what_a_person_wrote_and_can_be_undone() {
    let scratch = filled();
    scratch.ask("save", json!({"summary": "Just now"}));
    let before = fs::read_to_string(scratch.path(".handoff/sessions/2026-10-03-a3f9c12e.toml")).unwrap();
    compact(&scratch, Compaction { keep: Some(3), ..ALL });
    let archive = scratch.path(".handoff/archive/2026-10-auth-archive.md");
    let mine =
        fs::read_to_string(&archive).unwrap().replace("<!-- contents", "My words.\n\n<!-- contents") + "More of mine.";
    fs::write(&archive, &mine).unwrap();
    compact(&scratch, ALL);
    let text = fs::read_to_string(&archive).unwrap();
    assert!(text.contains("My words.\n\n<!-- contents -->\n") && text.contains("More of mine."), "{text}");
    scratch.ask("undo", json!({}));
    assert_eq!(fs::read_to_string(&archive).unwrap(), mine);
    fs::write(&archive, mine.replace("My words.\n\n", "").replace("More of mine.", "")).unwrap();
    scratch.ask("undo", json!({}));
    assert_eq!(fs::read_to_string(scratch.path(".handoff/sessions/2026-10-03-a3f9c12e.toml")).unwrap(), before);
}
