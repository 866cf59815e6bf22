//! `handoff search`: the records that answer some words, best first.
//!
//! **Invariant:** what is returned is as it lies on disk at that moment. What is remembered, here or in a file, only
//! says where to look: a record that is no longer what it was is taken in anew, and one that is gone is not found.

mod corpus;
mod field;
mod filter;
pub(crate) mod index;
mod order;
mod page;
mod run;
mod scope;
mod view;

use clap::Args;
use handoff_model::close::is_slip;
use handoff_model::search::{Archives, Kind, Query, Scope};
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use filter::Filter;
pub use view::{Match, Matches};

use crate::published::{schema, several};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Search what was decided, noted, planned or done
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize, JsonSchema)]
#[command(after_help = HOW_TO_ASK)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct Search {
    /// Words, "exact phrase", begin*, -not
    #[arg(value_name = "WORDS", num_args = 0..)]
    #[serde(default, deserialize_with = "words", serialize_with = "said", skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schema::text")]
    pub query: Vec<String>,
    /// Without this word or phrase; may be given several times
    #[arg(long = "not", value_name = "WORD", allow_hyphen_values = true)]
    #[serde(skip)]
    pub not: Vec<String>,
    /// task,session,decision,note,memory
    #[arg(
        long,
        value_name = "KIND",
        value_delimiter = ',',
        help = "Only these kinds: task, session, decision, note, memory"
    )]
    #[serde(default, deserialize_with = "several", skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schema::text")]
    pub kind: Vec<Kind>,
    #[arg(long, value_name = "STATUS", value_delimiter = ',', help = "Only of tasks and sessions with this status")]
    #[serde(default, deserialize_with = "several", skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schema::text")]
    pub status: Vec<String>,
    #[arg(long, visible_alias = "tag", value_name = "LABEL", value_delimiter = ',')]
    #[arg(help = "Only of tasks with this label and sessions with this tag; with all, if several are given")]
    #[serde(default, deserialize_with = "several", skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schema::text")]
    pub label: Vec<String>,
    #[arg(long, value_name = "DATE", help = "Only what was last changed on this day or later")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::text")]
    pub since: Option<Day>,
    #[arg(long, value_name = "DATE", help = "Only what was last changed on this day or before")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::text")]
    pub until: Option<Day>,
    #[arg(long, value_name = "PATH", help = "Only what names this file or directory, or one in or around it")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::text")]
    pub path: Option<String>,
    /// project, user, all
    #[arg(long, value_name = "SCOPE", conflicts_with = "all")]
    #[arg(
        help = "Where to look: project (as if not given), user (your user store), all (these and all known projects)"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::text")]
    pub scope: Option<Scope>,
    /// The same as `--scope all`
    #[arg(long)]
    #[serde(skip)]
    pub all: bool,
    /// include, only, exclude
    #[arg(long, value_name = "HOW", help = "What of the archives: include (as if not given), only, exclude")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::text")]
    pub archived: Option<Archives>,
    #[arg(long, short = 'n', value_name = "N", help = "At most this many, 10 if not given")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::integer")]
    pub limit: Option<usize>,
    #[arg(long, value_name = "REF", help = "Go on after this match, as told at the end of the page before")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::text")]
    pub cursor: Option<String>,
}

const HOW_TO_ASK: &str = "Any of the words will do, and the more of them the better. In quotes of their own, as in \
'\"exact words\"', they must stand there like this. `begin*` is the beginning of a word. `-word` or `--not word` leaves out what has it. \
Without words, all that the options leave is listed, newest first.";

impl Operation for Search {
    const NAME: &'static str = "search";
    const TOOL: &'static str = "handoff_search";
    const SET: ToolSet = ToolSet::Core;
    const EFFECT: Effect = Effect::Look;
    type Outcome = Matches;

    fn example() -> Value {
        json!({"query": "auth tokens -staging", "kind": "task,decision", "limit": 5})
    }

    fn run(mut self, project: &mut Project) -> Result<Matches, OpError> {
        let not = std::mem::take(&mut self.not);
        let left_out = |word: &String| match word.strip_suffix('*') {
            Some(beginning) if beginning.chars().all(char::is_alphanumeric) => format!("-\"{beginning}\"*"),
            _ => format!("-\"{}\"", word.replace('"', " ")),
        };
        self.query.extend(not.iter().map(left_out));
        if std::mem::take(&mut self.all) {
            self.scope = Some(Scope::All);
        }
        let filter = Filter::of(&self)?;
        let query = self.understood(&filter)?;
        run::run(self, &query, &filter, project)
    }
}

impl Search {
    /// The query, if it asks for anything. One without words does where the filters leave something out.
    fn understood(&self, filter: &Filter) -> Result<Query, OpError> {
        if self.limit == Some(0) {
            return Err(OpError::usage("a limit of 0 shows nothing: give 1 or more"));
        }
        let text = self.query.join(" ");
        let query = Query::parse(&text);
        if query.is_empty() && (filter.is_open() || !text.trim().is_empty()) {
            return Err(OpError::usage(
                "there is no word to look for: give some, such as `token \"exact words\" begin*`, or only say what \
                 kind, status, label, date or path it has",
            ));
        }
        Ok(query)
    }

    /// The words as they were given.
    fn words(&self) -> impl Iterator<Item = &str> {
        self.query.iter().flat_map(|given| given.split_whitespace())
    }

    /// The same request with other words for those that may have meant them.
    fn with(&self, meant: &[String]) -> Search {
        let word =
            |typed: &str| meant.iter().find(|word| is_slip(typed, word)).map_or(typed, String::as_str).to_owned();
        Search { query: self.words().map(word).collect(), cursor: None, ..self.clone() }
    }
}

fn words<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected the words to look for, as one text")]
    enum Words {
        One(String),
        Several(Vec<String>),
    }
    Ok(match Words::deserialize(deserializer)? {
        Words::One(text) => vec![text],
        Words::Several(words) => words,
    })
}

fn said<S: serde::Serializer>(words: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&words.join(" "))
}
