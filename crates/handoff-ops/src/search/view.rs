//! Finding, and what was found as it is told.

use handoff_model::number::Number;
use handoff_model::problem::Problem;
use handoff_model::search::{Item, Kind, Query, Snippet};
use handoff_model::when::Moment;
use schemars::JsonSchema;
use serde::Serialize;

use super::Search;
use super::corpus::{Corpus, Seen};
use super::index::IndexedRecords as _;
use super::order::{Answer, Kinship};
use super::scope::Searched;
use super::{field, filter};

/// The records that answer, the best first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Matches {
    pub results: Vec<Match>,
    /// How many records answer
    pub matches: usize,
    /// Give this back as `cursor` to see more
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Words that are there, for those that are not
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub did_you_mean: Vec<String>,
    /// What is wrong in the files
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// Whether the last word counts as the beginning of one, since it is no whole word anywhere
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_beginning: bool,
    #[serde(skip)]
    pub(super) left: usize,
    /// The request, for asking again with more
    #[serde(skip)]
    pub(super) asked: Search,
    #[serde(skip)]
    pub(super) warnings: Vec<String>,
}

/// One record that answers.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Match {
    pub kind: Kind,
    /// The id of the task or memory, or the name of the session, with `#d1` for a decision and `#n2` for the second note
    #[serde(rename = "ref")]
    pub reference: String,
    /// Number of the task
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<Number>,
    /// Status of the task or session; `in force` or `retired` for a memory
    pub status: String,
    /// Whether a decision is in force, or superseded
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_force: Option<bool>,
    /// What it is about; for a note, what it is a note of
    pub title: String,
    /// The part of its text that has most of the words
    #[serde(skip_serializing_if = "String::is_empty")]
    pub snippet: String,
    /// What that part is: a description, a reason, a next step
    #[serde(skip_serializing_if = "str::is_empty")]
    pub field: &'static str,
    /// What was looked for, as it stands in the snippet
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub matched: Vec<String>,
    /// When it was last changed
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Moment>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
    /// Other sessions that have it too, since one took it over from another
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_in: Vec<String>,
    /// The project it is in, where that is another
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Where that project is
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_dir: Option<String>,
    /// How well it answers, compared with the others; 0 where no words were asked for
    pub score: f64,
    #[serde(skip)]
    pub(super) marked_title: Snippet,
    #[serde(skip)]
    pub(super) marked_text: Snippet,
}

/// How many characters of a title are shown.
const TITLE: usize = 100;

/// What a match is called.
pub(super) fn reference(seen: Seen<'_>, item: Item) -> String {
    let record = match seen {
        Seen::Task(node) | Seen::Packed(node) => node.task.id.to_string(),
        Seen::Session(found) => found.name.clone(),
        Seen::Memory(found) => found.record.id.to_string(),
    };
    match (seen, item) {
        (_, Item::Task | Item::Session | Item::Memory) => record,
        (Seen::Session(found), Item::Decision(place)) => {
            let id = found.session.decision_ids().into_iter().nth(place).unwrap_or_default();
            format!("{record}#{id}")
        }
        (_, Item::TaskNote(place) | Item::SessionNote(place) | Item::Decision(place)) => {
            format!("{record}#n{}", place + 1)
        }
    }
}

impl Match {
    pub(super) fn new(
        query: &Query,
        searched: &Searched<'_>,
        corpus: &Corpus<'_>,
        kinship: &Kinship<'_>,
        answer: &Answer,
    ) -> Match {
        let Answer { record, item, score, ref also_in, .. } = *answer;
        let seen = corpus.see(record);
        let mut documents = corpus.documents(record);
        let found = documents.iter().position(|document| document.item == item).unwrap_or_default();
        let document = &mut documents[found];
        let title = match (seen, item) {
            (Seen::Session(found), Item::Decision(place)) => {
                let decision = found.session.decisions.get(place).map_or("", |decision| &decision.decision);
                // It is its own title, so the rest is what there is to show.
                document.fields.retain(|(_, text)| text != decision);
                decision.to_owned()
            }
            (Seen::Session(found), _) => found.session.headline(TITLE),
            (Seen::Memory(found), _) => found.record.summary(),
            (Seen::Task(node) | Seen::Packed(node), _) => node.task.title.clone(),
        };
        let marked_title = query.marked_up_to(&title, TITLE);
        let (mut field, mut marked_text) = field::best(query, seen, document);
        // What only repeats the title, as a summary without one, is not shown twice.
        if marked_text.text.trim_end_matches([' ', '…']) == marked_title.text.trim_end_matches([' ', '…']) {
            (field, marked_text) = Default::default();
        }
        let reference = reference(seen, item);
        let is_known = item.kind() == Kind::Decision && kinship.decisions().get(&reference).is_some();
        let also_in = also_in.iter().map(|record| self::reference(corpus.see(*record), Item::Session));
        Match {
            kind: item.kind(),
            in_force: is_known.then(|| kinship.decisions().holds(&reference)),
            also_in: also_in.collect(),
            reference,
            number: match seen {
                Seen::Task(node) | Seen::Packed(node) => Some(node.number.clone()),
                Seen::Session(_) | Seen::Memory(_) => None,
            },
            status: filter::status(seen).to_owned(),
            title: marked_title.text.clone(),
            snippet: marked_text.text.clone(),
            field,
            matched: marked_text.words().into_iter().map(String::from).collect(),
            at: filter::at(seen, item),
            archived: seen.is_archived(),
            project: searched.name.clone(),
            project_dir: searched.dir.clone(),
            score,
            marked_title,
            marked_text,
        }
    }

    /// The record it is part of.
    pub(super) fn record(&self) -> &str {
        self.reference.split('#').next().unwrap_or_default()
    }
}
