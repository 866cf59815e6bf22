//! Finding what answers, and making sure that it still is what is told of it.

use handoff_model::close::is_slip;
use handoff_model::id::TaskId;
use handoff_model::search::{Found, Part, Query, Scope, search};
use handoff_store::Registry;
use serde_json::json;

use super::Search;
use super::corpus::Corpus;
use super::filter::Filter;
use super::index::{Index, IndexedRecords as _};
use super::order::{Answer, Kinship, fold, newest_first};
use super::scope::{self, Searched};
use super::view::{Match, Matches, reference};
use crate::{ErrorKind, Hint, OpError, Project};

/// How many are shown unless more are asked for.
const USUAL_LIMIT: usize = 10;
/// How often it is looked again because a record that would be shown changed meanwhile.
const ATTEMPTS: usize = 4;

pub(super) fn run(asked: Search, query: &Query, filter: &Filter, project: &mut Project) -> Result<Matches, OpError> {
    let scope = asked.scope.unwrap_or_default();
    if project.store_if_open().is_none() && scope == Scope::Project {
        project.open().map_err(|error| elsewhere(error, &asked, project))?;
    }
    if project.store_if_open().is_some() {
        project.note_config_problems();
    }
    let mut warnings = Vec::new();
    if query.is_cut {
        warnings.push("the query is long: only its first words are looked for".to_owned());
    }
    let stores = scope::stores(project, scope, &mut warnings)?;
    let mut looked_at = vec![Vec::new(); stores.len()];
    let mut attempt = 1;
    loop {
        let corpora = stores.iter().zip(&looked_at).map(|(store, looked_at)| Corpus::of(store, looked_at));
        let corpora = corpora.collect::<Result<Vec<_>, _>>()?;
        let looked = Looked::new(&corpora, &stores, project, query);
        let found = looked.find(query);
        project.stop.check()?;
        let answers = if query.is_empty() { looked.all(filter) } else { looked.accepted(&found, filter) };
        let mut answers = fold(answers, &looked.kinship);
        let (start, end) = looked.bounds(&mut answers, &asked)?;
        let outdated = looked.outdated(&answers[start..end]);
        if outdated.iter().all(Vec::is_empty) || attempt == ATTEMPTS {
            return Ok(looked.matches(&answers, (start, end), &found, query, asked, warnings));
        }
        for (looked_at, outdated) in looked_at.iter_mut().zip(outdated) {
            looked_at.extend(outdated);
        }
        attempt += 1;
    }
}

/// All that is looked through.
struct Looked<'a> {
    corpora: &'a [Corpus<'a>],
    stores: &'a [Searched<'a>],
    indexes: Vec<Index>,
    /// For each part the store it is of, and which part of that
    parts: Vec<(usize, usize)>,
    /// For each store what its sessions are to one another
    kinship: Vec<Kinship<'a>>,
}

impl<'a> Looked<'a> {
    fn new(corpora: &'a [Corpus<'a>], stores: &'a [Searched<'a>], project: &Project, query: &Query) -> Looked<'a> {
        // Where no words are asked for, none need to be known.
        let asked = corpora.iter().filter(|_| !query.is_empty());
        let indexes: Vec<Index> = asked.map(|corpus| Index::of(corpus, project)).collect();
        let parts = indexes.iter().enumerate();
        let parts = parts.flat_map(|(store, index)| (0..index.len()).map(move |part| (store, part))).collect();
        let kinship = corpora.iter().map(Kinship::of).collect();
        Looked { corpora, stores, indexes, parts, kinship }
    }

    fn find(&self, query: &Query) -> Found {
        if query.is_empty() {
            return Found::default();
        }
        let parts: Vec<Part<'_>> = self.indexes.iter().flat_map(Index::parts).collect();
        search(query, &parts, |part: usize, source: usize| {
            let (store, own) = self.parts[part];
            let index = &self.indexes[store];
            let above = self.corpora[store].above(index.record(own, source))?;
            let (above, source) = index.place(above);
            Some((part - own + above, source))
        })
    }

    fn accepted(&self, found: &Found, filter: &Filter) -> Vec<Answer> {
        let answers = found.ranked.iter().map(|ranked| {
            let (store, part) = self.parts[ranked.part];
            let record = self.indexes[store].record(part, ranked.source);
            Answer::new(store, record, ranked.item, ranked.score)
        });
        answers.filter(|answer| filter.accepts(self.corpora[answer.store].see(answer.record), answer.item)).collect()
    }

    /// Everything that is wanted.
    fn all(&self, filter: &Filter) -> Vec<Answer> {
        let mut answers = Vec::new();
        for (store, corpus) in self.corpora.iter().enumerate() {
            for record in 0..corpus.len() {
                let items = corpus.items(record).into_iter().filter(|item| filter.accepts(corpus.see(record), *item));
                answers.extend(items.map(|item| Answer::new(store, record, item, 0.0)));
            }
        }
        answers
    }

    /// Which of the answers are shown. Those are in their final order then.
    fn bounds(&self, answers: &mut [Answer], asked: &Search) -> Result<(usize, usize), OpError> {
        let start = match &asked.cursor {
            None => 0,
            Some(cursor) => {
                let is_it =
                    |answer: &Answer| reference(self.corpora[answer.store].see(answer.record), answer.item) == *cursor;
                let place = answers.iter().position(is_it).ok_or_else(|| {
                    let anew = Search { cursor: None, ..asked.clone() };
                    let wrong = OpError::usage(format!("the cursor `{cursor}` is none of the matches"));
                    wrong.hint(Hint::run_with::<Search>(json!(anew)))
                })?;
                let equal = newest_first(answers, place, &self.kinship);
                answers[equal.clone()].iter().position(is_it).map_or(place, |within| equal.start + within) + 1
            }
        };
        let end = start.saturating_add(asked.limit.unwrap_or(USUAL_LIMIT)).min(answers.len());
        let mut ordered = start;
        while ordered < end {
            ordered = newest_first(answers, ordered, &self.kinship).end;
        }
        Ok((start, end))
    }

    /// For each store the tasks among these that no longer say what was read.
    fn outdated(&self, answers: &[Answer]) -> Vec<Vec<TaskId>> {
        let mut outdated = vec![Vec::new(); self.corpora.len()];
        for answer in answers {
            outdated[answer.store].extend(self.corpora[answer.store].outdated(answer.record));
        }
        outdated
    }

    fn matches(
        &self,
        answers: &[Answer],
        (start, end): (usize, usize),
        found: &Found,
        query: &Query,
        asked: Search,
        mut warnings: Vec<String>,
    ) -> Matches {
        let results: Vec<Match> = answers[start..end]
            .iter()
            .map(|answer| {
                let (searched, kinship) = (&self.stores[answer.store], &self.kinship[answer.store]);
                Match::new(query, searched, &self.corpora[answer.store], kinship, answer)
            })
            .collect();
        let problems: Vec<_> = self.corpora.iter().flat_map(|corpus| corpus.problems.iter().cloned()).collect();
        warnings.extend(problems.iter().map(ToString::to_string));
        let left = answers.len() - end;
        let next_cursor = if left > 0 { results.last().map(|last| last.reference.clone()) } else { None };
        let (matches, did_you_mean, by_beginning) = (answers.len(), meant(&found.close, &asked), found.by_beginning);
        Matches { results, matches, next_cursor, did_you_mean, problems, by_beginning, left, asked, warnings }
    }
}

/// Of the words that are there those that may have been meant by one of the query.
fn meant(close: &[String], asked: &Search) -> Vec<String> {
    let is_meant = |word: &&String| asked.words().any(|typed| is_slip(typed, word));
    close.iter().filter(is_meant).cloned().collect()
}

/// Where there is no project at hand, there may be others to look through.
fn elsewhere(error: OpError, asked: &Search, project: &Project) -> OpError {
    let known = project.user_dir().ok().and_then(|user| Registry::read(&user).ok()).unwrap_or_default();
    if error.kind() != ErrorKind::NotFound || known.is_empty() {
        return error;
    }
    error.hint(Hint::run_with::<Search>(json!(Search { scope: Some(Scope::All), ..asked.clone() })))
}
