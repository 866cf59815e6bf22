//! Finding one package by its id or its name.

use handoff_model::close::close_matches;
use handoff_model::id::SessionRef;
use handoff_model::session::SessionKind;
use handoff_model::when::Moment;
use handoff_store::TrashedSession;
use serde_json::json;

use super::filter::{WantedProject, is_same};
use super::shelf::{Kept, Reach, Shelf, Spot, shelves};
use super::{ExtendPackage, ListHandoffs};
use crate::{Breaks, Hint, OpError, Project, visible};

/// What names a package. An id counts before a name.
pub(super) struct Wanted<'a> {
    pub(super) id: Option<&'a SessionRef>,
    pub(super) name: Option<&'a str>,
    /// Only of this project
    pub(super) project: Option<&'a str>,
    /// Whether one whose lifetime is over will do
    pub(super) expired: bool,
}

/// Those that a name or id means, the newest first, and the stores they lie in. Never empty.
pub(super) struct Hits {
    pub(super) shelves: Vec<Shelf>,
    pub(super) list: Vec<Kept>,
}

impl Hits {
    /// The newest, and where it lies.
    pub(super) fn first(&self) -> (&Kept, &Shelf) {
        let kept = self.list.first().expect("there is at least one hit");
        (kept, &self.shelves[kept.shelf])
    }
}

impl Wanted<'_> {
    /// Looks in the project, then in the user store, then in the other known projects.
    pub(super) fn find(&self, project: &mut Project) -> Result<Hits, OpError> {
        let now = project.now();
        let wanted_project = self.project.map(|text| WantedProject::of(project, text));
        let of_project = |kept: &Kept, shelf: &Shelf| {
            wanted_project.as_ref().is_none_or(|wanted| wanted.accepts(shelf, kept.summary.project()))
        };
        let shelves = shelves(project, Reach::Everywhere)?;
        match (self.id, self.name) {
            (Some(SessionRef::Given(name)), _) => self.by_name(shelves, name, now, of_project),
            (Some(SessionRef::Latest), _) => self.latest(shelves, now, of_project),
            (Some(id), _) => self.by_id(shelves, id, now),
            (None, Some(name)) => self.by_name(shelves, name, now, of_project),
            (None, None) => Err(OpError::usage("say which one: give its id, or its name with `--name`")
                .hint(Hint::run::<ListHandoffs>())),
        }
    }

    fn latest(
        &self,
        shelves: Vec<Shelf>,
        now: Moment,
        of_project: impl Fn(&Kept, &Shelf) -> bool,
    ) -> Result<Hits, OpError> {
        for (index, shelf) in shelves.iter().enumerate() {
            let mut list = shelf.contents(index, now)?.list;
            let is_shown = |kept: &Kept| self.expired || !kept.is_expired(now);
            list.retain(|kept| {
                kept.summary.kind() == SessionKind::Package && is_shown(kept) && of_project(kept, shelf)
            });
            list.sort_by(|a, b| a.order().cmp(&b.order()));
            if !list.is_empty() {
                return Ok(Hits { shelves, list });
            }
        }
        Err(OpError::not_found("no package is stored").hint(Hint::run::<ListHandoffs>()))
    }

    /// Those with a name in the first store that has any: packages before others, with the very name before one that
    /// only differs in case.
    fn by_name(
        &self,
        shelves: Vec<Shelf>,
        name: &str,
        now: Moment,
        of_project: impl Fn(&Kept, &Shelf) -> bool,
    ) -> Result<Hits, OpError> {
        let mut over: Option<Kept> = None;
        let mut names = Vec::new();
        for (index, shelf) in shelves.iter().enumerate() {
            let mut list = shelf.contents(index, now)?.list;
            list.retain(|kept| of_project(kept, shelf));
            names.extend(
                list.iter()
                    .filter(|kept| !kept.is_expired(now))
                    .filter_map(|kept| kept.summary.name().map(str::to_owned)),
            );
            list.retain(|kept| kept.summary.name().is_some_and(|other| is_same(name, other)));
            keep_best(&mut list, |kept| kept.summary.name().map(str::trim) == Some(name.trim()));
            keep_best(&mut list, |kept| kept.summary.kind() == SessionKind::Package);
            list.sort_by(|a, b| a.order().cmp(&b.order()));
            if !self.expired {
                let (hidden, shown): (Vec<Kept>, Vec<Kept>) = list.into_iter().partition(|kept| kept.is_expired(now));
                over = over.or_else(|| hidden.into_iter().next());
                list = shown;
            }
            if !list.is_empty() {
                return Ok(Hits { shelves, list });
            }
        }
        if let Some(kept) = over {
            return Err(expired(&kept));
        }
        let close = close_matches(name, names.iter().map(String::as_str), 5);
        let close = close.iter().map(|name| format!("close: `{}`", visible(name, Breaks::Mark)));
        let shown = visible(name, Breaks::Mark);
        Err(OpError::not_found(format!("no package is called `{shown}`"))
            .details(close)
            .hint(Hint::run::<ListHandoffs>()))
    }

    /// The one with an id. The beginning of one is enough where it lies near: elsewhere it could be anybody's.
    fn by_id(&self, shelves: Vec<Shelf>, id: &SessionRef, now: Moment) -> Result<Hits, OpError> {
        let mut list = Vec::new();
        let mut known = Vec::new();
        let near = shelves.iter().position(|shelf| shelf.dir.is_none()).unwrap_or(0);
        let is_whole = id.is_whole();
        for (index, shelf) in shelves.iter().enumerate() {
            if index > near && !list.is_empty() {
                break;
            }
            let contents = shelf.contents(index, now)?.list;
            // What is close is told only where nothing is meant.
            if !contents.iter().any(|kept| id.matches(kept.summary.full_name())) {
                known.extend(contents.iter().map(|kept| (kept.summary.id().to_string(), kept.line())));
            }
            if index <= near || is_whole {
                list.extend(contents.into_iter().filter(|kept| id.matches(kept.summary.full_name())));
                for trashed in also_trashed(shelf, id, now)? {
                    list.extend(shelf.trashed(index, &trashed)?);
                }
            }
            if list.is_empty() && (index <= near || is_whole) {
                list.extend(shelf.archived(index)?.into_iter().filter(|kept| id.matches(kept.summary.full_name())));
            }
        }
        // The beginning of an id means one that is shown, where there is such a one.
        if !is_whole {
            keep_best(&mut list, |kept| !kept.is_expired(now));
        }
        list.sort_by(|a, b| a.order().cmp(&b.order()));
        match list.as_slice() {
            [] => {
                let close = close_matches(&id.to_string(), known.iter().map(|(id, _)| id.as_str()), 5);
                let line =
                    |id: &&str| known.iter().find(|(other, _)| other == id).map(|(_, line)| format!("close: {line}"));
                let close: Vec<String> = close.iter().filter_map(line).collect();
                Err(OpError::not_found(format!("nothing has the id `{id}`"))
                    .details(close)
                    .hint(Hint::run::<ListHandoffs>()))
            }
            [kept] if kept.is_expired(now) && !self.expired => Err(expired(kept)),
            [_] => Ok(Hits { shelves, list }),
            several => Err(OpError::refused(format!("`{id}` could be any of {}", several.len()))
                .details(several.iter().map(|kept| visible(&kept.line(), Breaks::Mark).into_owned()))
                .hint(Hint::say("give more of the id"))),
        }
    }
}

/// What this means in the trash, where its lifetime is over; the others are among the contents.
fn also_trashed(shelf: &Shelf, id: &SessionRef, now: Moment) -> Result<Vec<TrashedSession>, OpError> {
    let trashed = shelf.store.trashed_sessions()?.into_iter();
    Ok(trashed.filter(|trashed| trashed.expires_at <= now && id.matches(&trashed.name)).collect())
}

/// Keeps those that are better, if any is.
fn keep_best(list: &mut Vec<Kept>, is_better: impl Fn(&Kept) -> bool) {
    if list.iter().any(&is_better) {
        list.retain(is_better);
    }
}

/// The answer where the lifetime of what is wanted is over.
fn expired(kept: &Kept) -> OpError {
    let id = &kept.summary.id();
    let at = kept.summary.expires_at().map(|at| at.to_string()).unwrap_or_default();
    let place = if matches!(kept.spot, Spot::Trash(_)) { ", and `handoff gc` put it into the trash" } else { "" };
    let called: String = kept.called().lines().next().unwrap_or_default().chars().take(60).collect();
    let called = visible(&called, Breaks::Mark);
    OpError::not_found(format!("the {} {id} `{called}` expired at {at}{place}", kept.summary.kind().word()))
        .hint(Hint::run_with::<ExtendPackage>(json!({"id": id, "lifetime": "7d"})))
        .hint(Hint::run_with::<super::RetrievePackage>(json!({"id": id, "expired": true})))
}
