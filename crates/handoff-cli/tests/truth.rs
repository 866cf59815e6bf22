//! Random histories through the program, compared with a list that is kept by hand: every door has the same items open.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::collections::BTreeSet;

use handoff_testkit::{Agent, McpClient, TestProject, project};
use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::{Value, json};

#[derive(Clone, Debug)]
enum Deed {
    /// `handoff save` with items of these kinds
    Save(Vec<(Kind, usize)>),
    /// `handoff save --replace-next`
    Replace(Vec<usize>),
    /// An agent saves over MCP and settles items by their ids
    AgentSaves {
        next: Vec<usize>,
        done: Vec<usize>,
    },
    Done(usize),
    Drop(usize),
    Ask(usize),
    Answer(usize),
    /// A task is made of an item, and perhaps finished
    Task {
        chosen: usize,
        is_finished: bool,
    },
    /// A commit says that an item is done
    Commit(usize),
    /// A session is paused after it named a step
    Pause(usize),
    /// An agent starts, works and is killed without saving
    Killed,
    /// What happened last is taken back and done again
    UndoRedo,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Next,
    Blocker,
    Question,
}

impl Kind {
    fn flag(self) -> &'static str {
        match self {
            Kind::Next => "--next",
            Kind::Blocker => "--blocker",
            Kind::Question => "--question",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Kind::Next => "next",
            Kind::Blocker => "blocker",
            Kind::Question => "question",
        }
    }
}

const WORDS: &[&str] = &["Fix the matrix", "Run race tests", "Write docs", "Ask ops for the key", "Measure start-up"];

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let kind = prop_oneof![Just(Kind::Next), Just(Kind::Blocker), Just(Kind::Question)];
    let word = 0..WORDS.len();
    let chosen = 0..6_usize;
    let deed = prop_oneof![
        4 => prop::collection::vec((kind, word.clone()), 1..4).prop_map(Deed::Save),
        1 => prop::collection::vec(word.clone(), 0..2).prop_map(Deed::Replace),
        2 => (prop::collection::vec(word.clone(), 0..2), prop::collection::vec(chosen.clone(), 0..2))
            .prop_map(|(next, done)| Deed::AgentSaves { next, done }),
        2 => chosen.clone().prop_map(Deed::Done),
        1 => chosen.clone().prop_map(Deed::Drop),
        1 => word.clone().prop_map(Deed::Ask),
        1 => chosen.clone().prop_map(Deed::Answer),
        1 => (chosen.clone(), any::<bool>()).prop_map(|(chosen, is_finished)| Deed::Task { chosen, is_finished }),
        1 => chosen.prop_map(Deed::Commit),
        1 => word.prop_map(Deed::Pause),
        1 => Just(Deed::Killed),
        1 => Just(Deed::UndoRedo),
    ];
    prop::collection::vec(deed, 2..9)
}

/// Items that are open by the plain rules: named, and not ended since.
type OpenList = BTreeSet<(Kind, &'static str)>;

struct History {
    project: TestProject,
    open: OpenList,
    minute: u32,
}

impl History {
    fn new() -> History {
        let project = project!();
        project.init_git();
        project.write("src/lib.rs", "fn main() {}\n");
        project.commit_all("first version");
        History { project, open: OpenList::new(), minute: 0 }
    }

    /// The time of the next deed: later than all before.
    fn clock(&mut self) -> String {
        self.minute += 7;
        format!("2027-01-02T{:02}:{:02}:00Z", self.minute / 60, self.minute % 60)
    }

    fn run(&mut self, words: &[&str]) -> Value {
        let clock = self.clock();
        let call = words.iter().fold(self.project.call(""), handoff_testkit::Call::word);
        call.word("--json").env("HANDOFF_CLOCK", clock).without("HANDOFF_ID_SEED").run().succeeded().json()
    }

    /// An open item by its place in the list of `handoff open`.
    fn chosen(&mut self, chosen: usize) -> Option<(String, Kind, &'static str)> {
        let items = self.run(&["open"]);
        let items = items["items"].as_array().cloned().unwrap_or_default();
        let item = items.get(chosen % items.len().max(1))?;
        Some((item["id"].as_str()?.to_owned(), kind(item["kind"].as_str()?)?, word(item["text"].as_str()?)?))
    }

    fn apply(&mut self, deed: &Deed) {
        match deed {
            Deed::Save(items) => {
                let mut words = vec!["save", "--summary", "a stretch of work"];
                for (kind, word) in items {
                    words.extend([kind.flag(), WORDS[*word]]);
                }
                self.run(&words);
                self.open.extend(items.iter().map(|(kind, word)| (*kind, WORDS[*word])));
            }
            Deed::Replace(next) => {
                let mut words = vec!["save", "--summary", "these are all", "--replace-next"];
                words.extend(next.iter().flat_map(|word| ["--next", WORDS[*word]]));
                self.run(&words);
                self.open.retain(|(kind, _)| *kind != Kind::Next);
                self.open.extend(next.iter().map(|word| (Kind::Next, WORDS[*word])));
            }
            Deed::AgentSaves { next, done } => {
                let done: Vec<_> = done.iter().filter_map(|chosen| self.chosen(*chosen)).collect();
                let ids: Vec<&String> = done.iter().map(|(id, ..)| id).collect();
                let next: Vec<&str> = next.iter().map(|word| WORDS[*word]).collect();
                let clock = self.clock();
                let mut agent = self.project.mcp().env("HANDOFF_CLOCK", clock).connect();
                agent.facts("handoff_save_context", json!({"summary": "an agent's work", "next": next, "done": ids}));
                agent.close();
                for (_, kind, word) in done {
                    self.open.remove(&(kind, word));
                }
                self.open.extend(next.into_iter().map(|text| (Kind::Next, word(text).unwrap())));
            }
            Deed::Done(chosen) => self.settle(*chosen, &["done"], &[]),
            Deed::Drop(chosen) => self.settle(*chosen, &["drop"], &["--because", "not needed"]),
            Deed::Ask(word) => {
                self.run(&["ask", WORDS[*word]]);
                self.open.insert((Kind::Question, WORDS[*word]));
            }
            Deed::Answer(chosen) => {
                if let Some((id, Kind::Question, word)) = self.chosen(*chosen) {
                    self.run(&["answer", &id, "yes"]);
                    self.open.remove(&(Kind::Question, word));
                }
            }
            Deed::Task { chosen, is_finished } => {
                let Some((id, kind, word)) = self.chosen(*chosen) else { return };
                let task = self.run(&["task", "create", "--from", &id]);
                if *is_finished {
                    self.run(&["task", "update", task["id"].as_str().unwrap(), "--status", "done"]);
                    self.open.remove(&(kind, word));
                }
            }
            Deed::Commit(chosen) => {
                let Some((id, kind, word)) = self.chosen(*chosen) else { return };
                let text = format!("// {}\n", self.minute);
                self.project.write("src/lib.rs", text);
                // Commits have the machine's clock, which is behind that of the test.
                let clock = self.clock();
                self.project.commit_all_at(&format!("lib: change it\n\nCloses {id}."), &clock);
                self.open.remove(&(kind, word));
            }
            Deed::Pause(word) => {
                self.run(&["save", "--summary", "under way", "--status", "active", "--next", WORDS[*word]]);
                self.run(&["session", "pause"]);
                self.open.insert((Kind::Next, WORDS[*word]));
            }
            Deed::Killed => {
                let mut agent = Agent::claude(&self.project, &format!("killed-{}", self.minute));
                agent.starts("startup");
                agent.is_asked("look at src/lib.rs");
                agent.edits("src/lib.rs");
                agent.is_killed();
            }
            Deed::UndoRedo => {
                // Nothing may have happened yet.
                if !self.open.is_empty() {
                    self.run(&["undo"]);
                    self.run(&["redo"]);
                }
            }
        }
    }

    fn settle(&mut self, chosen: usize, verb: &[&str], more: &[&str]) {
        let Some((id, kind, word)) = self.chosen(chosen) else { return };
        self.run(&[verb, &[id.as_str()], more].concat());
        self.open.remove(&(kind, word));
    }

    /// The items that each door calls open.
    fn at_every_door(&mut self) -> Vec<(&'static str, Vec<String>)> {
        let listed = self.run(&["open"]);
        let listed = listed["items"].as_array().into_iter().flatten();
        // What is compiled of a conversation that was killed has words of its own.
        let listed = listed.filter(|item| item["text"].as_str().and_then(word).is_some());
        let listed =
            listed.map(|item| format!("{} {}", item["kind"].as_str().unwrap(), item["text"].as_str().unwrap()));
        let listed = listed.collect();
        let resumed = in_context(&self.run(&["resume", "--budget", "8000"]));
        let clock = self.clock();
        let mut agent: McpClient<'_> = self.project.mcp().env("HANDOFF_CLOCK", clock).connect();
        let loaded = agent.text("handoff_load_context", json!({"format": "json", "budget_tokens": 8000}));
        let read = agent.text("handoff_load_context", json!({"budget_tokens": 8000}));
        agent.close();
        let loaded = in_context(&serde_json::from_str(&loaded).unwrap());
        let read = in_text(&read);
        let state =
            self.project.exists(".handoff/current-state.md").then(|| self.project.file(".handoff/current-state.md"));
        let mut doors = vec![("open", listed), ("resume", resumed), ("MCP, JSON", loaded), ("MCP, text", read)];
        // It is made when something is saved, without git, so a commit shows in it after the next save.
        if let Some(state) = state.filter(|_| !self.has_commit()) {
            doors.push(("current-state.md", in_text(&state)));
        }
        for (_, items) in &mut doors {
            items.sort();
        }
        doors
    }

    fn has_commit(&self) -> bool {
        self.project.git("log --format=%B").contains("Closes")
    }
}

fn kind(word: &str) -> Option<Kind> {
    [Kind::Next, Kind::Blocker, Kind::Question].into_iter().find(|kind| kind.word() == word)
}

fn word(text: &str) -> Option<&'static str> {
    WORDS.iter().copied().find(|word| *word == text)
}

fn in_context(context: &Value) -> Vec<String> {
    let of = |list: &str, kind: Kind| -> Vec<String> {
        let items = context[list].as_array().into_iter().flatten();
        let items = items.filter_map(|text| word(text.as_str()?));
        items.map(|text| format!("{} {text}", kind.word())).collect()
    };
    [of("next", Kind::Next), of("blockers", Kind::Blocker), of("questions", Kind::Question)].concat()
}

/// The items of a page, by their ids.
fn in_text(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("> "));
    let items = lines.filter_map(|line| {
        let (id, rest) = line.split_once(' ')?;
        let id = id.rsplit('#').next()?;
        let (letter, number) = id.split_at_checked(1)?;
        number.parse::<u32>().ok()?;
        let kind = match letter {
            "n" => Kind::Next,
            "b" => Kind::Blocker,
            "q" => Kind::Question,
            _ => return None,
        };
        let word = WORDS.iter().find(|word| rest.contains(**word))?;
        Some(format!("{} {word}", kind.word()))
    });
    items.collect()
}

proptest! {
    #![proptest_config(Config { cases: 10, max_shrink_iters: 30, ..Config::default() })]

    #[test]
    fn every_door_has_the_same_items_open(deeds in deeds()) {
        let mut history = History::new();
        for deed in &deeds {
            history.apply(deed);
        }
        let expected: Vec<String> = history.open.iter().map(|(kind, word)| format!("{} {word}", kind.word())).collect();
        let mut expected = expected;
        expected.sort();
        for (door, items) in history.at_every_door() {
            prop_assert_eq!(&items, &expected, "{} after {:?}", door, deeds);
        }
    }
}
