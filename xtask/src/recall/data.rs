//! Questions with known answers, made of public histories and handoff notes.
//!
//! A question only ever sees what was written before it. Names that would give the answer away (task ids, numbers of
//! pull requests, file names) are taken out of the question.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use handoff_model::search::Item;
use handoff_model::session::Session;
use serde_json::{Value, json};

/// A question, and the records that answer it.
pub(crate) struct RecallQuestion {
    pub(crate) text: String,
    /// Number of units that were written before it
    pub(crate) known: usize,
    pub(crate) answers: BTreeSet<usize>,
}

/// Texts that are searched, with questions about them.
pub(crate) struct RecallSet {
    pub(crate) name: String,
    pub(crate) shape: UnitShape,
    pub(crate) units: Vec<TextUnit>,
    pub(crate) questions: Vec<RecallQuestion>,
}

/// One text that can be found: a commit, a note or a paragraph.
pub(crate) struct TextUnit {
    pub(crate) text: String,
    pub(crate) paths: Vec<String>,
    /// Units with the same number were written in one session.
    pub(crate) session: usize,
}

/// The kind of record that a unit is stored as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitShape {
    Decision,
    Note,
    Body,
}

const SESSION_PAUSE_SECONDS: i64 = 3 * 60 * 60;
const MAX_SESSION_COMMITS: usize = 40;
/// Paths kept of one commit, as a person would name them with a decision.
const MAX_PATHS: usize = 5;
/// Questions are asked only once this much can be found.
const WARM_UP: usize = 50;
/// A question that names more has no particular answer.
const MAX_ANSWERS: usize = 3;
const MIN_QUESTION_WORDS: usize = 4;
/// One pair of paragraphs in this many is asked for.
const CONVERSATION_STEP: usize = 10;
/// Words that a line shares with a commit it names; with fewer, the number is of another repository.
const MIN_COMMON_WORDS: usize = 2;

impl RecallSet {
    /// All sets, from the histories and notes that are kept with the project.
    pub(crate) fn all(root: &Path) -> Result<Vec<RecallSet>, String> {
        let histories = root.join("fixtures/likely");
        let backlog = lines(&histories.join("backlog-md.jsonl.gz"))?;
        let ripr = lines(&histories.join("ripr.jsonl.gz"))?;
        let notes = lines(&root.join("fixtures/recall/notes-ripr.jsonl.gz"))?;
        let notes: Vec<(&str, &str)> = notes
            .iter()
            .filter_map(|note| Some((note["file"].as_str()?, note["note"].as_str()?)))
            .filter(|(file, _)| *file != "README.md")
            .collect();
        Ok(vec![
            tasks(&backlog, UnitShape::Decision),
            tasks(&backlog, UnitShape::Note),
            pulls(&ripr, &notes, UnitShape::Decision),
            pulls(&ripr, &notes, UnitShape::Note),
            citations(&notes),
            conversations(&notes),
        ])
    }

    /// The first `known` units as sessions, with the number of the unit behind each record.
    pub(crate) fn sessions(&self, known: usize) -> Vec<(Session, Option<String>, BTreeMap<Item, usize>)> {
        let mut grouped: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (number, unit) in self.units.iter().enumerate().take(known) {
            grouped.entry(unit.session).or_default().push(number);
        }
        grouped.into_iter().map(|(session, units)| self.session(session, &units)).collect()
    }

    fn session(&self, number: usize, units: &[usize]) -> (Session, Option<String>, BTreeMap<Item, usize>) {
        let texts = || units.iter().map(|unit| &self.units[*unit]);
        let mut record = json!({"id": format!("{number:08x}")});
        let (mut body, mut items) = (None, BTreeMap::new());
        match self.shape {
            UnitShape::Decision => {
                let decision = |(place, unit): (usize, &TextUnit)| json!({"id": format!("d{}", place + 1), "decision": unit.text, "paths": unit.paths});
                record["decisions"] = texts().enumerate().map(decision).collect();
                items.extend(units.iter().enumerate().map(|(place, unit)| (Item::Decision(place), *unit)));
            }
            UnitShape::Note => {
                record["notes"] = texts().map(|unit| json!({"note": unit.whole()})).collect();
                items.extend(units.iter().enumerate().map(|(place, unit)| (Item::SessionNote(place), *unit)));
            }
            UnitShape::Body => {
                body = texts().next().map(|unit| unit.text.clone());
                items.extend(units.iter().map(|unit| (Item::Session, *unit)));
            }
        }
        (serde_json::from_value(record).expect("a session of these fields is valid"), body, items)
    }
}

impl TextUnit {
    /// The text with its paths.
    pub(crate) fn whole(&self) -> String {
        [std::slice::from_ref(&self.text), self.paths.as_slice()].concat().join("\n")
    }
}

fn lines(path: &Path) -> Result<Vec<Value>, String> {
    let cannot = |error: &dyn std::fmt::Display| format!("cannot read `{}`: {error}", path.display());
    let file = File::open(path).map_err(|error| cannot(&error))?;
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).map_err(|error| cannot(&error))?;
    text.lines().map(|line| serde_json::from_str(line).map_err(|error| cannot(&error))).collect()
}

/// Commits as units, in the sessions they were made in.
fn commits(history: &[Value]) -> Vec<TextUnit> {
    let mut open: BTreeMap<u64, (usize, i64, usize)> = BTreeMap::new();
    let mut sessions = 0;
    let unit = |commit: &Value| {
        let (author, time) = (commit["a"].as_u64().unwrap_or(0), commit["t"].as_i64().unwrap_or(0));
        let going_on = open
            .get(&author)
            .filter(|(_, last, count)| time - last <= SESSION_PAUSE_SECONDS && *count < MAX_SESSION_COMMITS);
        let (session, count) = going_on.map_or_else(
            || {
                sessions += 1;
                (sessions, 1)
            },
            |(session, _, count)| (*session, count + 1),
        );
        open.insert(author, (session, time, count));
        let paths = commit["f"].as_array().into_iter().flatten().filter_map(|file| file[1].as_str());
        TextUnit {
            text: commit["s"].as_str().unwrap_or_default().to_owned(),
            paths: paths.take(MAX_PATHS).map(str::to_owned).collect(),
            session,
        }
    };
    history.iter().map(unit).collect()
}

/// A commit that names a task asks for the earlier commits about the task.
fn tasks(history: &[Value], shape: UnitShape) -> RecallSet {
    let units = commits(history);
    let mut known: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    let mut questions = Vec::new();
    for (number, unit) in units.iter().enumerate() {
        let Some((task, rest)) = task_of(&unit.text) else { continue };
        let answers = known.entry(task).or_default();
        let text = without_pulls(rest);
        let is_new = answers.iter().all(|answer| task_of(&units[*answer].text).is_none_or(|(_, told)| told != rest));
        if number >= WARM_UP && !answers.is_empty() && answers.len() <= MAX_ANSWERS && is_new && is_telling(&text) {
            questions.push(RecallQuestion { text, known: number, answers: answers.clone() });
        }
        answers.insert(number);
    }
    RecallSet { name: format!("commits of one task, as {}", shape.plural()), shape, units, questions }
}

/// The task that a subject begins with, and the rest of it: `BACK-419 - Add …`.
fn task_of(subject: &str) -> Option<(String, &str)> {
    let end = subject.find(|c: char| c.is_whitespace() || c == ':').unwrap_or(subject.len());
    let (word, rest) = subject.split_at(end);
    let number = word
        .split_once('-')
        .map(|(_, number)| number)
        .filter(|number| number.starts_with(|c: char| c.is_ascii_digit()))?;
    Some((number.to_ascii_lowercase(), rest.trim_start_matches([' ', '-', ':', '–'])))
}

/// A line of a handoff note that names pull requests asks for their commits.
fn pulls(history: &[Value], notes: &[(&str, &str)], shape: UnitShape) -> RecallSet {
    let mut units = commits(history);
    let mut of_pull: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (number, unit) in units.iter_mut().enumerate() {
        for pull in pulls_in(&unit.text) {
            of_pull.entry(pull).or_default().push(number);
        }
        unit.text = without_pulls(&unit.text);
    }
    let mut questions = Vec::new();
    for line in notes.iter().flat_map(|(_, note)| paragraphs(note)) {
        let named = pulls_in(&line);
        // Two histories were joined there: a number that both used names no particular commit.
        let answers: Option<BTreeSet<usize>> =
            named.iter().map(|pull| of_pull.get(pull).filter(|found| found.len() == 1).map(|found| found[0])).collect();
        let Some(answers) = answers.filter(|answers| (1..=MAX_ANSWERS).contains(&answers.len())) else { continue };
        let text = without_pulls(&line);
        let told = words(&text);
        let is_meant = |answer: &usize| words(&units[*answer].text).intersection(&told).count() >= MIN_COMMON_WORDS;
        let is_quoted = answers.iter().any(|answer| text.contains(units[*answer].text.as_str()));
        if !is_quoted && answers.iter().all(is_meant) && is_telling(&text) {
            questions.push(RecallQuestion { text, known: units.len(), answers });
        }
    }
    RecallSet { name: format!("commits that a note names, as {}", shape.plural()), shape, units, questions }
}

/// A paragraph of a handoff note that names another note asks for that.
fn citations(notes: &[(&str, &str)]) -> RecallSet {
    let units: Vec<TextUnit> = notes
        .iter()
        .enumerate()
        .map(|(session, (_, text))| TextUnit { text: (*text).to_owned(), paths: Vec::new(), session })
        .collect();
    let mut questions = Vec::new();
    for (number, (_, text)) in notes.iter().enumerate() {
        for paragraph in paragraphs(text) {
            let is_named = |(place, (file, _)): &(usize, &(&str, &str))| *place < number && paragraph.contains(file);
            let answers: BTreeSet<usize> = notes.iter().enumerate().filter(is_named).map(|(place, _)| place).collect();
            let told: Vec<&str> = paragraph.split_whitespace().filter(|word| !word.contains(".md")).collect();
            let text = told.join(" ");
            if (1..=MAX_ANSWERS).contains(&answers.len()) && is_telling(&text) {
                questions.push(RecallQuestion { text, known: number, answers });
            }
        }
    }
    RecallSet {
        name: "handoff notes that a note names, as bodies".to_owned(),
        shape: UnitShape::Body,
        units,
        questions,
    }
}

/// Notes as conversations: a question takes two words of a paragraph and two of the one before.
fn conversations(notes: &[(&str, &str)]) -> RecallSet {
    let mut units = Vec::new();
    for (session, (_, text)) in notes.iter().enumerate() {
        let said = paragraphs(text).into_iter().filter(|paragraph| is_telling(paragraph));
        units.extend(said.map(|text| TextUnit { text, paths: Vec::new(), session }));
    }
    let mut frequency: BTreeMap<String, usize> = BTreeMap::new();
    for unit in &units {
        for word in words(&unit.text) {
            *frequency.entry(word).or_default() += 1;
        }
    }
    // Neither a name that stands only there nor a word that stands everywhere: what a person remembers.
    let remembered = |unit: &TextUnit| -> Vec<String> {
        let mut words: Vec<String> =
            words(&unit.text).into_iter().filter(|word| (3..=60).contains(&frequency[word])).collect();
        words.sort_by_key(|word| std::cmp::Reverse((frequency[word], word.clone())));
        words.into_iter().take(2).collect()
    };
    let mut questions = Vec::new();
    for (number, pair) in units.windows(2).enumerate().step_by(CONVERSATION_STEP) {
        let told: Vec<String> = pair.iter().flat_map(remembered).collect();
        if pair[0].session == pair[1].session && told.len() == 4 {
            let answers = BTreeSet::from([number, number + 1]);
            questions.push(RecallQuestion { text: told.join(" "), known: units.len(), answers });
        }
    }
    RecallSet { name: "neighbouring paragraphs, as notes".to_owned(), shape: UnitShape::Note, units, questions }
}

/// Words of four letters and more, in small letters, each once.
fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() > 3);
    words.map(str::to_lowercase).collect()
}

/// Items of lists, rows of tables and paragraphs.
fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        let line = line.trim();
        let begins = line.starts_with(['-', '*', '|', '#'])
            || line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
        match paragraphs.last_mut().filter(|_| is_open && !begins) {
            Some(last) if !line.is_empty() => {
                last.push('\n');
                last.push_str(line);
            }
            _ if line.is_empty() || line.starts_with('#') => is_open = false,
            _ => {
                paragraphs.push(line.to_owned());
                is_open = true;
            }
        }
    }
    paragraphs
}

/// Numbers of pull requests: `#491`.
fn pulls_in(text: &str) -> BTreeSet<u32> {
    let after = text.split('#').skip(1);
    after
        .filter_map(|rest| rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse().ok())
        .collect()
}

fn without_pulls(text: &str) -> String {
    let mut parts = text.split('#');
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.len() == part.len() {
            kept.push('#');
        }
        kept.push_str(rest);
    }
    kept.replace("()", "").trim().to_owned()
}

fn is_telling(text: &str) -> bool {
    words(text).len() >= MIN_QUESTION_WORDS
}

impl UnitShape {
    fn plural(self) -> &'static str {
        match self {
            UnitShape::Decision => "decisions",
            UnitShape::Note => "notes",
            UnitShape::Body => "bodies",
        }
    }
}
