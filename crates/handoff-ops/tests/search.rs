//! What is remembered of words, in memory and in a file, changes how quickly an answer comes, and nothing else.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests change files as a person would, and stop at the first surprise"
)]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use handoff_ops::{Door, Environment, Place, Project, Request, ServerCache, dispatch, registry};
use handoff_store::Store;
use proptest::prelude::*;
use serde_json::{Value, json};

/// What happens to a store.
#[derive(Clone, Debug)]
enum Step {
    Task {
        number: usize,
        words: Vec<&'static str>,
        is_done: bool,
    },
    /// Written into the file that is there, as some editors do
    WriteInto {
        number: usize,
        word: &'static str,
    },
    RemoveTask(usize),
    Session {
        number: usize,
        words: Vec<&'static str>,
        has_body: bool,
    },
    RemoveSession(usize),
    Damage(u8),
}

const WORDS: &[&str] =
    &["token", "tokens", "refreshToken", "cache", "migrate", "migration", "認証トークン", "the", "staging"];
const QUERIES: &[&str] =
    &["token", "refresh token cache", "\"token cache\"", "migrating -staging", "トークン", "sta*", "tokne"];

fn step() -> impl Strategy<Value = Step> {
    let words = || prop::collection::vec(prop::sample::select(WORDS), 0..5);
    prop_oneof![
        6 => (0..400_usize, words(), any::<bool>()).prop_map(|(number, words, is_done)| Step::Task { number, words, is_done }),
        3 => (0..300_usize, prop::sample::select(WORDS)).prop_map(|(number, word)| Step::WriteInto { number, word }),
        1 => (0..400_usize).prop_map(Step::RemoveTask),
        3 => (0..6_usize, words(), any::<bool>()).prop_map(|(number, words, has_body)| Step::Session { number, words, has_body }),
        1 => (0..6_usize).prop_map(Step::RemoveSession),
        1 => any::<u8>().prop_map(Step::Damage),
    ]
}

struct Scratch {
    dir: tempfile::TempDir,
}

impl Scratch {
    /// A store with so many tasks that their words are kept.
    fn new() -> Scratch {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        for part in ["home", "app"] {
            fs::create_dir(dir.path().join(part)).unwrap();
        }
        let scratch = Scratch { dir };
        scratch.ask(None, "init", json!({"name": "app"}));
        for number in 0..300 {
            scratch.apply(&Step::Task { number, words: vec![WORDS[number % WORDS.len()]], is_done: number % 2 == 0 });
        }
        scratch
    }

    fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join("app/.handoff").join(below)
    }

    fn ask(&self, cache: Option<&Arc<ServerCache>>, name: &str, request: Value) -> Value {
        let env = Environment::new([("HOME", self.dir.path().join("home"))]);
        let place = Place { cwd: self.dir.path().join("app").canonicalize().unwrap(), env, ..Place::default() };
        let mut project = Project::new(place, Some("alice".to_owned()), Door::Mcp);
        project.server_cache = cache.cloned();
        dispatch(registry::find(name).unwrap(), &mut project, Request::Json(request)).unwrap().json()
    }

    fn apply(&self, step: &Step) {
        match step {
            Step::Task { number, words, is_done } => {
                let dir = self.path(&format!("tasks/{:03}-todo--task", number + 1));
                fs::create_dir_all(&dir).unwrap();
                let status = if *is_done { "done" } else { "todo" };
                let said = words.join(" ");
                let text = format!("id = \"a{number:07}\"\ntitle = \"Task {said}\"\nstatus = \"{status}\"\n");
                // As editors do: an edit in place of a finished task shows by nothing but itself.
                fs::write(dir.join("new"), text).unwrap();
                fs::rename(dir.join("new"), dir.join("task.toml")).unwrap();
            }
            Step::WriteInto { number, word } => {
                let file = self.path(&format!("tasks/{:03}-todo--task/task.toml", number + 1));
                let Ok(text) = fs::read_to_string(&file) else { return };
                fs::write(file, text.replace("Task", &format!("Task {word}"))).unwrap();
                // Of a finished task nobody else can know.
                Store::open(&self.path("")).unwrap().sweep().unwrap();
            }
            Step::RemoveTask(number) => {
                let _ = fs::remove_dir_all(self.path(&format!("tasks/{:03}-todo--task", number + 1)));
            }
            Step::Session { number, words, has_body } => {
                let file = self.path(&format!("sessions/2026-11-1{number}-0000000{number}.toml"));
                let (first, rest) = words.split_at(words.len() / 2);
                // Each comes from the one before, so that some have notes of others.
                let before = number.saturating_sub(1);
                let text = format!(
                    "id = \"0000000{number}\"\nsummary = \"{}\"\nstarted_at = 2026-11-1{number}T09:00:00Z\n\
                     forked_from = \"2026-11-1{before}-0000000{before}\"\n[[notes]]\nnote = \"{}\"\n\
                     [[decisions]]\nid = \"d1\"\ndecision = \"token\"\nsame_as = [\"2026-11-10-00000000#d1\"]\n",
                    first.join(" "),
                    rest.join(" ")
                );
                fs::write(&file, text).unwrap();
                let body = file.with_extension("md");
                if *has_body { fs::write(body, words.join("\n")).unwrap() } else { drop(fs::remove_file(body)) }
            }
            Step::RemoveSession(number) => {
                let file = self.path(&format!("sessions/2026-11-1{number}-0000000{number}.toml"));
                drop((fs::remove_file(&file), fs::remove_file(file.with_extension("md"))));
            }
            Step::Damage(how) => {
                let path = self.path("local/cache/search");
                let Ok(mut bytes) = fs::read(&path) else { return };
                match how % 3 {
                    0 => drop(fs::remove_file(path)),
                    1 => fs::write(path, &bytes[..bytes.len() * usize::from(*how) / 256]).unwrap(),
                    _ => {
                        let place = bytes.len() * usize::from(*how) / 256;
                        bytes[place] ^= 0x10;
                        fs::write(path, bytes).unwrap();
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_answer_with_words_that_were_kept_is_the_answer_without(steps in prop::collection::vec(step(), 1..20)) {
        let scratch = Scratch::new();
        let cache = ServerCache::new();
        for (round, steps) in steps.chunks(4).enumerate() {
            for step in steps {
                scratch.apply(step);
            }
            let request = json!({"query": QUERIES[round % QUERIES.len()], "limit": 1000});
            let remembered = scratch.ask(Some(&cache), "search", request.clone());
            let by_file = scratch.ask(None, "search", request.clone());
            let kept = fs::read(scratch.path("local/cache/search")).ok();
            let _ = fs::remove_dir_all(scratch.path("local/cache"));
            let fresh = scratch.ask(None, "search", request);
            prop_assert_eq!(&remembered, &fresh, "from memory");
            prop_assert_eq!(&by_file, &fresh, "from the file");
            // An old file is as good as any, whatever happened since.
            if let Some(kept) = kept {
                fs::create_dir_all(scratch.path("local/cache")).unwrap();
                fs::write(scratch.path("local/cache/search"), kept).unwrap();
            }
        }
    }
}
