//! Finding what answers, and making sure that it still is what is told of it.

use handoff_model::id::TaskId;
use handoff_model::search::{Found, Item, Part, Query, Scope, search};

use super::Search;
use super::corpus::Corpus;
use super::filter::Filter;
use super::index::Index;
use super::scope::{self, Searched};
use super::view::{Match, Matches, reference};
use crate::{OpError, Project};

/// How many are shown unless more are asked for.
const USUAL_LIMIT: usize = 10;
/// How often it is looked again because a record that would be shown changed meanwhile.
const ATTEMPTS: usize = 4;

pub(super) fn run(asked: Search, query: &Query, filter: &Filter, project: &mut Project) -> Result<Matches, OpError> {
    let scope = asked.scope.unwrap_or_default();
    if project.store_if_open().is_none() && scope == Scope::Project {
        project.open()?;
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
        let looked = Looked::new(&corpora, &stores, project);
        let found = looked.find(query);
        project.stop.check()?;
        let answers = looked.accepted(&found, filter);
        let (start, end) = looked.bounds(&answers, &asked)?;
        let outdated = looked.outdated(&answers[start..end]);
        if outdated.iter().all(Vec::is_empty) || attempt == ATTEMPTS {
            return Ok(looked.matches(&answers, (start, end), found, query, asked, warnings));
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
}

/// A record that answers.
#[derive(Clone, Copy)]
struct Answer {
    store: usize,
    record: usize,
    item: Item,
    score: f64,
}

impl<'a> Looked<'a> {
    fn new(corpora: &'a [Corpus<'a>], stores: &'a [Searched<'a>], project: &Project) -> Looked<'a> {
        let indexes: Vec<Index> = corpora.iter().map(|corpus| Index::of(corpus, project)).collect();
        let parts = indexes.iter().enumerate();
        let parts = parts.flat_map(|(store, index)| (0..index.len()).map(move |part| (store, part))).collect();
        Looked { corpora, stores, indexes, parts }
    }

    fn find(&self, query: &Query) -> Found {
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
            Answer { store, record, item: ranked.item, score: ranked.score }
        });
        let is_open = filter.is_open();
        answers
            .filter(|answer| is_open || filter.accepts(self.corpora[answer.store].see(answer.record), answer.item))
            .collect()
    }

    /// Which of the answers are shown.
    fn bounds(&self, answers: &[Answer], asked: &Search) -> Result<(usize, usize), OpError> {
        let start = match &asked.cursor {
            None => 0,
            Some(cursor) => {
                let is_it =
                    |answer: &Answer| reference(self.corpora[answer.store].see(answer.record), answer.item) == *cursor;
                let place = answers.iter().position(is_it);
                let gone = || OpError::usage(format!("`{cursor}` is none of the matches: ask without `cursor`"));
                place.ok_or_else(gone)? + 1
            }
        };
        let limit = asked.limit.unwrap_or(USUAL_LIMIT);
        Ok((start, start.saturating_add(limit).min(answers.len())))
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
        found: Found,
        query: &Query,
        asked: Search,
        mut warnings: Vec<String>,
    ) -> Matches {
        let results: Vec<Match> = answers[start..end]
            .iter()
            .map(|answer| {
                let (searched, corpus) = (&self.stores[answer.store], &self.corpora[answer.store]);
                Match::new(query, searched, corpus, answer.record, answer.item, answer.score)
            })
            .collect();
        let problems: Vec<_> = self.corpora.iter().flat_map(|corpus| corpus.problems.iter().cloned()).collect();
        warnings.extend(problems.iter().map(ToString::to_string));
        let left = answers.len() - end;
        let next_cursor = if left > 0 { results.last().map(|last| last.reference.clone()) } else { None };
        let (matches, did_you_mean, by_beginning) = (answers.len(), found.close, found.by_beginning);
        Matches { results, matches, next_cursor, did_you_mean, problems, by_beginning, left, asked, warnings }
    }
}
