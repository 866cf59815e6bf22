//! Random histories, compared with a second implementation of the rules that keeps one list and walks through it.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::id::SessionId;
use crate::session::{ChecklistItem, ItemEnding, SettledBy};

/// A deed of a history. Numbers choose words and items, whatever there is of them.
#[derive(Clone, Debug)]
enum Deed {
    /// A session that names these next steps, blockers, questions and checklist items
    Save { next: Vec<usize>, blockers: Vec<usize>, questions: Vec<usize>, checklist: Vec<(usize, bool)> },
    /// A session that settles items that are open
    Settle { chosen: Vec<usize>, how: SettledHow },
    /// A session whose next steps are all there are
    Replace { next: Vec<usize> },
    /// A session that turns an item into a task
    MakeTask { chosen: usize },
    /// A task is finished
    Finish { chosen: usize },
    /// The sessions so far lose the ids beside their lists, as if an earlier version had written them
    Forget,
}

const WORDS: &[&str] = &["Fix the matrix", "Run race tests", "Write docs", "Ask ops for the key", "Deploy to staging"];
/// The same items, said differently.
const OTHER_WORDS: &[&str] =
    &["fix matrix.", "run the race test", "Write the docs", "ask ops for key", "deploy to staging!"];

fn words(choice: usize) -> &'static str {
    if choice < WORDS.len() { WORDS[choice] } else { OTHER_WORDS[choice % WORDS.len()] }
}

fn choices() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0..2 * WORDS.len(), 0..3)
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let how = prop_oneof![Just(SettledHow::Done), Just(SettledHow::Dropped), Just(SettledHow::Resolved)];
    let checklist = prop::collection::vec((0..2 * WORDS.len(), any::<bool>()), 0..3);
    let save = (choices(), choices(), choices(), checklist)
        .prop_map(|(next, blockers, questions, checklist)| Deed::Save { next, blockers, questions, checklist });
    let deed = prop_oneof![
        4 => save,
        2 => (prop::collection::vec(0..8_usize, 1..3), how).prop_map(|(chosen, how)| Deed::Settle { chosen, how }),
        1 => choices().prop_map(|next| Deed::Replace { next }),
        1 => (0..8_usize).prop_map(|chosen| Deed::MakeTask { chosen }),
        1 => (0..8_usize).prop_map(|chosen| Deed::Finish { chosen }),
    ];
    prop::collection::vec(deed, 1..14)
}

/// The rules once more, as simply as they can be said: a list of what is open, in words.
#[derive(Default)]
struct NaiveList {
    open: Vec<NaiveItem>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct NaiveItem {
    /// Next steps and checklist items are one kind: something to do
    kind: &'static str,
    item: usize,
    task: Option<TaskId>,
}

impl NaiveList {
    fn name(&mut self, kind: &'static str, choice: usize) {
        let item = choice % WORDS.len();
        if !self.open.iter().any(|known| known.kind == kind && known.item == item) {
            self.open.push(NaiveItem { kind, item, task: None });
        }
    }

    fn end(&mut self, kind: &str, item: usize) {
        self.open.retain(|known| known.kind != kind || known.item != item);
    }

    fn set(&self) -> BTreeSet<(&'static str, usize)> {
        self.open.iter().map(|known| (known.kind, known.item)).collect()
    }
}

fn naive_kind(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::Next | ItemKind::Checklist => "to do",
        ItemKind::Blocker => "blocker",
        ItemKind::Question => "question",
        ItemKind::Caution => "caution",
    }
}

fn naive_item(text: &str) -> usize {
    (0..2 * WORDS.len()).find(|choice| words(*choice) == text).expect("every text is one of the words") % WORDS.len()
}

/// A history, by the real rules and by the naive ones.
#[derive(Default)]
struct History {
    sessions: Vec<(String, Session)>,
    finished: BTreeSet<TaskId>,
    tasks: Vec<TaskId>,
    naive: NaiveList,
    day: u32,
}

impl History {
    fn items(&self) -> OpenItems<'_> {
        let finished = &self.finished;
        let sessions = self.sessions.iter().map(|(name, session)| (name.as_str(), session));
        OpenItems::of(sessions, |task| !finished.contains(task))
    }

    fn begin(&mut self) -> (String, Session) {
        self.day += 1;
        let at: Moment = format!("2026-{:02}-{:02}T09:00:00Z", 1 + self.day / 28, 1 + self.day % 28).parse().unwrap();
        let [a, b, c, d] = self.day.to_be_bytes();
        let mut session = Session::new(SessionId::from_random([a ^ 0xa0, b, c, d]), SessionKind::Session, at);
        session.close(at).unwrap();
        (session.full_name(), session)
    }

    fn keep(&mut self, name: String, mut session: Session) {
        session.allot_items(&name, &self.items());
        self.sessions.push((name, session));
    }

    fn ending(
        &self,
        chosen: usize,
        how: SettledHow,
        task: Option<TaskId>,
    ) -> Option<(ItemEnding, &'static str, usize)> {
        let items = self.items();
        let open = items.open();
        let item = open.get(chosen % open.len().max(1))?;
        let ending = ItemEnding { item: items.target(item), how, because: None, task };
        Some((ending, naive_kind(item.kind), naive_item(item.text)))
    }

    fn apply(&mut self, deed: Deed) {
        let (name, mut session) = self.begin();
        match deed {
            Deed::Save { next, blockers, questions, checklist } => {
                let texts = |choices: &[usize]| {
                    let mut texts: Vec<String> = choices.iter().map(|choice| words(*choice).to_owned()).collect();
                    texts.dedup();
                    texts
                };
                session.next = texts(&next);
                session.blockers = texts(&blockers);
                session.questions = texts(&questions);
                // One list says one thing about an item: open, or ticked.
                let mut said: BTreeSet<usize> = next.iter().map(|choice| choice % WORDS.len()).collect();
                for (choice, checked) in checklist {
                    if said.insert(choice % WORDS.len()) {
                        session.checklist.push(ChecklistItem { item: words(choice).to_owned(), checked, owner: None });
                    }
                }
                for (kind, choices) in [("to do", &next), ("blocker", &blockers), ("question", &questions)] {
                    for choice in choices {
                        self.naive.name(kind, *choice);
                    }
                }
                for item in &session.checklist {
                    if item.checked {
                        self.naive.end("to do", naive_item(&item.item));
                    } else {
                        self.naive.name("to do", naive_item(&item.item));
                    }
                }
                self.keep(name, session);
            }
            Deed::Settle { chosen, how } => {
                let mut endings = Vec::new();
                for chosen in chosen {
                    if let Some((ending, kind, item)) = self.ending(chosen, how, None) {
                        self.naive.end(kind, item);
                        endings.push(ending);
                    }
                }
                session.settle(&name, &endings, SettledBy::default());
                self.keep(name, session);
            }
            Deed::Replace { next } => {
                session.next = next.iter().map(|choice| words(*choice).to_owned()).collect();
                session.next.dedup();
                let named: BTreeSet<usize> = next.iter().map(|choice| choice % WORDS.len()).collect();
                let endings: Vec<ItemEnding> = {
                    let items = self.items();
                    let gone = items.open().into_iter().filter(|item| item.kind == ItemKind::Next);
                    let gone = gone.filter(|item| !named.contains(&naive_item(item.text)));
                    let end = |item| ItemEnding {
                        item: items.target(item),
                        how: SettledHow::Replaced,
                        because: None,
                        task: None,
                    };
                    gone.map(end).collect()
                };
                for ending in &endings {
                    self.naive.end("to do", naive_item(&ending.item.text));
                }
                session.settle(&name, &endings, SettledBy::default());
                for choice in next {
                    self.naive.name("to do", choice);
                }
                self.keep(name, session);
            }
            Deed::MakeTask { chosen } => {
                let task = TaskId::from_random([u8::try_from(self.day).unwrap(), 1, 2, 3, 4, 5, 6, 7]);
                if let Some((ending, kind, item)) = self.ending(chosen, SettledHow::Task, Some(task)) {
                    let known = self.naive.open.iter_mut().find(|known| known.kind == kind && known.item == item);
                    known.expect("both have it").task = Some(task);
                    self.tasks.push(task);
                    session.settle(&name, &[ending], SettledBy::default());
                }
                self.keep(name, session);
            }
            Deed::Finish { chosen } => {
                if let Some(task) = self.tasks.get(chosen % self.tasks.len().max(1)).copied() {
                    self.finished.insert(task);
                    self.naive.open.retain(|known| known.task != Some(task));
                }
            }
            Deed::Forget => self.sessions.iter_mut().for_each(|(_, session)| session.items.clear()),
        }
    }

    fn open(&self) -> BTreeSet<(&'static str, usize)> {
        self.items().open().iter().map(|item| (naive_kind(item.kind), naive_item(item.text))).collect()
    }
}

proptest! {
    #[test]
    fn what_is_open_is_what_a_list_that_is_walked_through_has(deeds in deeds()) {
        let mut history = History::default();
        for deed in deeds {
            history.apply(deed.clone());
            prop_assert_eq!(history.open(), history.naive.set(), "after {:?}", deed);
        }
    }

    #[test]
    fn no_two_open_items_say_the_same_and_each_is_found_by_its_id(deeds in deeds()) {
        let mut history = History::default();
        for deed in deeds {
            history.apply(deed);
        }
        let items = history.items();
        let open = items.open();
        prop_assert_eq!(open.len(), history.open().len(), "{:?}", open);
        for item in open {
            let shown = items.shown_id(item);
            let found = items.find(&shown.parse().unwrap()).unwrap();
            prop_assert_eq!(found.reference(), item.reference());
        }
    }

    #[test]
    fn the_order_in_which_sessions_are_read_makes_no_difference(deeds in deeds(), turn in 0..20_usize) {
        let mut history = History::default();
        for deed in deeds {
            history.apply(deed);
        }
        let shown = |history: &History| -> Vec<String> {
            let items = history.items();
            items.all().iter().map(|item| format!("{} {:?} {:?}", item.reference(), item.text, item.is_open())).collect()
        };
        let before = shown(&history);
        let length = history.sessions.len().max(1);
        history.sessions.rotate_left(turn % length);
        prop_assert_eq!(shown(&history), before);
    }

    /// Files of earlier versions have no ids and no ends; every entry of their lists is open, and stays so.
    #[test]
    fn sessions_without_ids_have_the_items_that_their_lists_name(deeds in deeds()) {
        let mut history = History::default();
        let saves = deeds.into_iter().filter(|deed| matches!(deed, Deed::Save { .. }));
        for deed in saves {
            history.apply(deed);
        }
        let with_ids = history.open();
        history.apply(Deed::Forget);
        prop_assert_eq!(history.open(), with_ids);
    }
}
