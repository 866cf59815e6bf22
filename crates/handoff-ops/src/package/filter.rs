//! Which packages and records are meant: what `list` and `select` have in common.

use std::path::{Path, PathBuf};

use handoff_model::problem::Problem;
use handoff_model::session::SessionKind;
use handoff_model::when::{Moment, PointInTime};
use handoff_store::git::Git;
use handoff_store::{SessionSummary, discover};

use super::shelf::{Kept, Reach, Shelf, shelves};
use crate::{OpError, Project};

/// Declares a request with the filters that narrow a list, and fields of its own.
macro_rules! filtered_request {
    ($(#[$about:meta])* $name:ident { $($(#[$field_about:meta])* $visible:vis $field:ident: $kind:ty,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, clap::Args, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// Only those whose id begins like this
            #[arg(long, value_name = "PREFIX")]
            pub id: Option<String>,
            /// Only those of this tool
            #[arg(long, value_name = "NAME")]
            pub tool: Option<String>,
            /// Only those of this project: its name, or a directory in it
            #[arg(long, value_name = "NAME|PATH")]
            pub project: Option<String>,
            /// Only those with this name
            #[arg(long, value_name = "NAME")]
            pub name: Option<String>,
            /// Only those with this tag; given several times, with all of them
            #[arg(long = "tag", value_name = "TAG")]
            #[serde(default)]
            pub tags: Vec<String>,
            /// Only those of this kind
            #[arg(long, value_name = "KIND")]
            pub kind: Option<handoff_model::session::SessionKind>,
            /// Only those with this text in title, summary, next steps or body
            #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
            pub query: Option<String>,
            /// Only those from then on: `7d`, `1d12h`, `2026-11-15` or `2026-11-15T09:15:03Z`
            #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
            pub since: Option<handoff_model::when::PointInTime>,
            /// Only those up to then
            #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
            pub until: Option<handoff_model::when::PointInTime>,
            /// Only the newest
            #[arg(long)]
            #[serde(default)]
            pub latest: bool,
            /// At most this many; 0 is all
            #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true)]
            pub limit: Option<i64>,
            /// Those of every known project too
            #[arg(long)]
            #[serde(default)]
            pub all: bool,
            /// Those whose lifetime is over too
            #[arg(long)]
            #[serde(default)]
            pub expired: bool,
            /// Those in the archives too
            #[arg(long)]
            #[serde(default)]
            pub archived: bool,
            $($(#[$field_about])* $visible $field: $kind,)*
        }

        impl $name {
            fn filter(&self) -> $crate::package::filter::Filter {
                let asked = self.clone();
                $crate::package::filter::Filter {
                    id: asked.id,
                    tool: asked.tool,
                    project: asked.project,
                    name: asked.name,
                    tags: asked.tags,
                    kind: asked.kind,
                    query: asked.query,
                    since: asked.since,
                    until: asked.until,
                    latest: asked.latest,
                    limit: asked.limit,
                    all: asked.all,
                    expired: asked.expired,
                    archived: asked.archived,
                }
            }
        }
    };
}
pub(super) use filtered_request;

/// What narrows a list.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct Filter {
    pub(super) id: Option<String>,
    pub(super) tool: Option<String>,
    pub(super) project: Option<String>,
    pub(super) name: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) kind: Option<SessionKind>,
    pub(super) query: Option<String>,
    pub(super) since: Option<PointInTime>,
    pub(super) until: Option<PointInTime>,
    pub(super) latest: bool,
    pub(super) limit: Option<i64>,
    pub(super) all: bool,
    pub(super) expired: bool,
    pub(super) archived: bool,
}

/// What a filter let through, the newest first.
pub(super) struct Chosen {
    pub(super) shelves: Vec<Shelf>,
    pub(super) list: Vec<Kept>,
    /// How many it let through before the limit
    pub(super) matches: usize,
    /// How many there are altogether
    pub(super) total: usize,
    /// How many only their lifetime hides
    pub(super) hidden: usize,
    pub(super) problems: Vec<Problem>,
}

impl Filter {
    /// Looks for what is meant.
    pub(super) fn choose(self, project: &mut Project) -> Result<Chosen, OpError> {
        let most = self.most()?;
        let now = project.now();
        let (since, until) = self.bounds(project.instant())?;
        let reach = if self.all || self.project.is_some() { Reach::Everywhere } else { Reach::Near };
        let shelves = shelves(project, reach)?;
        let wanted = self.project.as_deref().map(|text| WantedProject::of(project, text));
        let query = self.query.as_deref().map(str::to_lowercase);
        let mut chosen = Chosen { shelves, list: Vec::new(), matches: 0, total: 0, hidden: 0, problems: Vec::new() };
        for (index, shelf) in chosen.shelves.iter().enumerate() {
            let contents = shelf.contents(index, now)?;
            chosen.problems.extend(contents.problems);
            let mut list = contents.list;
            if self.archived {
                list.extend(shelf.archived(index)?);
            }
            chosen.total += list.len();
            for kept in list {
                let at = kept.summary.last_active();
                let is_meant = self.accepts(&kept.summary)
                    && since.is_none_or(|since| at.is_some_and(|at| at >= since))
                    && until.is_none_or(|until| at.is_some_and(|at| at <= until))
                    && wanted.as_ref().is_none_or(|wanted| wanted.accepts(shelf, kept.summary.project()));
                if !is_meant {
                    continue;
                }
                if kept.is_expired(now) && !self.expired {
                    chosen.hidden += 1;
                    continue;
                }
                if let Some(query) = &query
                    && !says(&kept, shelf, query)
                {
                    continue;
                }
                chosen.list.push(kept);
            }
        }
        chosen.list.sort_by(|a, b| a.order().cmp(&b.order()));
        chosen.matches = chosen.list.len();
        chosen.list.truncate(most);
        Ok(chosen)
    }

    /// How many are shown.
    fn most(&self) -> Result<usize, OpError> {
        match self.limit {
            Some(limit) if limit < 0 => Err(OpError::usage(format!("`{limit}` is no limit: give 0 for all, or more"))),
            Some(limit) if limit > 0 && self.latest => {
                Err(OpError::usage("`latest` shows one, so a limit cannot be given beside it: leave out one of them"))
            }
            _ if self.latest => Ok(1),
            None | Some(0) => Ok(usize::MAX),
            Some(limit) => Ok(usize::try_from(limit).unwrap_or(usize::MAX)),
        }
    }

    fn bounds(&self, now: Moment) -> Result<(Option<Moment>, Option<Moment>), OpError> {
        let too_far = || OpError::usage("that is before all time: give a shorter time");
        let since = self.since.map(|since| since.beginning(now).ok_or_else(too_far)).transpose()?;
        let until = self.until.map(|until| until.end(now).ok_or_else(too_far)).transpose()?;
        Ok((since, until))
    }

    fn accepts(&self, summary: &SessionSummary) -> bool {
        let same = |wanted: &Option<String>, value: Option<&str>| {
            wanted.as_ref().is_none_or(|wanted| value.is_some_and(|value| is_same(wanted, value)))
        };
        let begins = |prefix: &String| {
            let prefix = prefix.trim().to_ascii_lowercase();
            summary.id_text().starts_with(&prefix) || summary.full_name().starts_with(&prefix)
        };
        self.id.as_ref().is_none_or(begins)
            && same(&self.tool, summary.tool())
            && same(&self.name, summary.name())
            && self.tags.iter().all(|tag| summary.tags().iter().any(|other| is_same(tag, other)))
            && self.kind.is_none_or(|kind| summary.kind() == kind)
    }
}

/// Whether two names are the same, whatever the case of their letters.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

/// Whether a text stands in what a session says, or in its body, which is read last.
fn says(kept: &Kept, shelf: &Shelf, query: &str) -> bool {
    let summary = &kept.summary;
    let texts = summary.title().into_iter().chain(summary.name()).chain([summary.summary()]).chain(summary.next());
    if texts.into_iter().any(|text| text.to_lowercase().contains(query)) {
        return true;
    }
    // A body that cannot be read says nothing, and hides nothing else.
    kept.body(shelf).ok().flatten().is_some_and(|body| body.to_lowercase().contains(query))
}

/// A project that is named, or shown by a path.
pub(super) struct WantedProject {
    text: String,
    /// The directory of the project around the path
    dir: Option<PathBuf>,
    /// The work tree around the path, the main one where there are several
    tree: Option<PathBuf>,
}

impl WantedProject {
    pub(super) fn of(project: &Project, text: &str) -> WantedProject {
        let home = project.home_dir();
        let path = match (text.strip_prefix("~/"), &home) {
            (Some(below), Some(home)) => home.join(below),
            _ => project.place.cwd.join(text.trim()),
        };
        let real = path.canonicalize().ok().filter(|real| real.is_dir());
        let tree = real.as_deref().and_then(main_tree);
        let around = |dir: &Path| discover(dir, home.as_deref());
        let dir = real.as_deref().and_then(around).or_else(|| tree.as_deref().and_then(around));
        WantedProject { text: text.trim().to_owned(), dir, tree }
    }

    pub(super) fn accepts(&self, shelf: &Shelf, label: Option<&str>) -> bool {
        let is_here = self.dir.as_ref().is_some_and(|dir| shelf.is_in(dir));
        let is_named = |name: &str| is_same(name, &self.text);
        let is_labelled = |label: &str| {
            let path = Path::new(label);
            let last = path.file_name().map(|name| name.to_string_lossy());
            is_named(label)
                || (path.is_absolute()
                    && (Some(path) == self.tree.as_deref() || last.is_some_and(|last| is_named(&last))))
        };
        is_here || shelf.name.as_deref().is_some_and(is_named) || label.is_some_and(is_labelled)
    }
}

/// The top of the work tree around a directory; of several that share a repository, the main one.
pub(crate) fn main_tree(dir: &Path) -> Option<PathBuf> {
    Git::around(dir).map(|git| git.main_root())
}
