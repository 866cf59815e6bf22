//! Ends of items that follow from something else than a word about them: a list that replaces, a commit, a check.

use std::time::Duration;

use handoff_model::session::open_items::{CommitMention, OpenItem, OpenItems, commit_mentions};
use handoff_model::session::{ItemEnding, ItemKind, Session, SettledHow};
use handoff_model::when::Moment;
use handoff_store::git::{Asked, Git};

use crate::Project;

/// A commit that says that items are settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClosingCommit {
    /// The short hash
    pub(crate) commit: String,
    pub(crate) at: i64,
    pub(crate) mentions: Vec<CommitMention>,
}

/// The commits that may settle items, as far as git says so in time.
pub(crate) fn closing_commits(project: &Project, since: Option<Moment>, limit: Duration) -> Vec<ClosingCommit> {
    if !project.config().settings.auto_git_summary {
        return Vec::new();
    }
    let Some(git) = project.dir().and_then(|dir| Git::around(&dir)) else { return Vec::new() };
    let since = since.map(|at| at.timestamp().as_second());
    let Asked::Answer(messages) = git.closing_messages(since, project.patient(limit)) else { return Vec::new() };
    let closing = messages.into_iter().map(|message| ClosingCommit {
        mentions: commit_mentions(&message.message),
        commit: message.commit,
        at: message.at,
    });
    closing.filter(|commit| !commit.mentions.is_empty()).collect()
}

/// The ends that commits record, each named once.
pub(crate) fn by_commits(commits: &[ClosingCommit], items: &OpenItems<'_>) -> Vec<ItemEnding> {
    let mut endings: Vec<ItemEnding> = Vec::new();
    for commit in commits {
        for mention in &commit.mentions {
            let Ok(item) = items.find(&mention.item) else { continue };
            // An id of an earlier time meant something else.
            let is_later = item.since.is_none_or(|since| since.timestamp().as_second() <= commit.at);
            if !item.is_open() || !is_later {
                continue;
            }
            let ending = ItemEnding {
                item: items.target(item),
                how: if mention.how == SettledHow::Done { item.id.kind.end() } else { mention.how },
                because: Some(format!("commit {}", commit.commit)),
                task: None,
            };
            if endings.iter().all(|known| known.item != ending.item) {
                endings.push(ending);
            }
        }
    }
    endings
}

/// The next steps of other sessions that a whole list does not name.
pub(super) fn replaced(name: &str, session: &Session, items: &OpenItems<'_>) -> Vec<ItemEnding> {
    let is_named = |item: &OpenItem<'_>| {
        session.next.iter().any(|text| {
            let named = items.of_entry(name, session, ItemKind::Next, text);
            named.is_some_and(|named| named.reference() == item.reference())
        })
    };
    let steps = items.open().into_iter().filter(|item| item.kind == ItemKind::Next && item.home != name);
    let gone = steps.filter(|item| !is_named(item));
    gone.map(|item| ItemEnding { item: items.target(item), how: SettledHow::Replaced, because: None, task: None })
        .collect()
}

/// The sentence that names what a whole list dropped.
pub(super) fn replacement(endings: &[ItemEnding]) -> Option<String> {
    let named: Vec<String> = endings
        .iter()
        .map(|ending| format!("{} `{}`", ending.item.shown, super::change::shortened(&ending.item.text)))
        .collect();
    (!named.is_empty()).then(|| format!("dropped, because the list given is all of them: {}", named.join(", ")))
}
