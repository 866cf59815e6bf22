//! Ends of items that follow from something else than a word about them: a list that replaces, a commit, a check.

use std::time::Duration;

use handoff_model::session::open_items::{CommitMention, OpenItem, OpenItems, commit_mentions, reverted_commits};
use handoff_model::session::{ItemEnding, ItemKind, ItemRef, Session, SettledHow};
use handoff_model::when::Moment;
use handoff_store::git::{Asked, CommitMessage};

use crate::Project;

/// A commit that says that items are settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClosingCommit {
    /// The short hash
    pub(crate) commit: String,
    pub(crate) at: i64,
    pub(crate) author: String,
    pub(crate) mentions: Vec<CommitMention>,
}

/// The commits that may settle items, as far as git says so in time.
pub(crate) fn closing_commits(project: &Project, since: Option<Moment>, limit: Duration) -> Vec<ClosingCommit> {
    ask_closing_commits(project, since, limit).answer().unwrap_or_default()
}

/// The commits that may settle an open item, or the reason why git does not tell.
pub(crate) fn commits_closing(project: &Project, items: &OpenItems<'_>, limit: Duration) -> Asked<Vec<ClosingCommit>> {
    let mut since: Vec<Option<Moment>> =
        items.all().iter().filter(|item| item.is_open()).map(|item| item.since).collect();
    since.sort();
    match since.first() {
        None => Asked::Answer(Vec::new()),
        Some(since) => ask_closing_commits(project, *since, limit),
    }
}

/// Takes the ends that commits tell into account. The answer is a warning where git does not tell.
pub(crate) fn settle_by_commits(project: &Project, items: &mut OpenItems<'_>, limit: Duration) -> Option<String> {
    match commits_closing(project, items, limit) {
        Asked::Answer(commits) => {
            let endings = by_commits(&commits, items);
            items.settle(&endings);
            None
        }
        Asked::Skipped(why) => {
            Some(format!("git was not asked: {why}; items that a commit settles may be listed as open"))
        }
    }
}

fn ask_closing_commits(project: &Project, since: Option<Moment>, limit: Duration) -> Asked<Vec<ClosingCommit>> {
    let git = project.git().filter(|_| project.config().settings.auto_git_summary);
    let Some(git) = git else { return Asked::Answer(Vec::new()) };
    let since = since.map(|at| at.timestamp().as_second());
    let messages = match git.closing_messages(since, project.patient(limit)) {
        Asked::Answer(messages) => messages,
        Asked::Skipped(why) => return Asked::Skipped(why),
    };
    let mut standing = without_reverted(messages);
    standing.retain(|(_, mentions)| !mentions.is_empty());
    // The ids of a private project mean nothing to others, who may use the same ones for items of their own.
    if !standing.is_empty() && !project.is_shared() {
        match git.current_user(project.patient(limit)) {
            Asked::Answer(user) => standing.retain(|(message, _)| user.made(message)),
            Asked::Skipped(why) => return Asked::Skipped(why),
        }
    }
    let closing = standing.into_iter().map(|(message, mentions)| ClosingCommit {
        commit: message.commit,
        at: message.at,
        author: message.author.name,
        mentions,
    });
    Asked::Answer(closing.collect())
}

/// The commits, given the newest first, that no later one reverts, with the items they settle. A revert that is reverted
/// itself takes nothing back.
fn without_reverted(messages: Vec<CommitMessage>) -> Vec<(CommitMessage, Vec<CommitMention>)> {
    let mut reverted: Vec<String> = Vec::new();
    let mut standing = Vec::new();
    for message in messages {
        if reverted.iter().any(|id| message.id.starts_with(id.as_str())) {
            continue;
        }
        reverted.extend(reverted_commits(&message.message));
        let mentions = commit_mentions(&message.message);
        standing.push((message, mentions));
    }
    standing
}

/// The ends that commits record, each named once.
pub(crate) fn by_commits(commits: &[ClosingCommit], items: &OpenItems<'_>) -> Vec<ItemEnding> {
    let mut endings: Vec<ItemEnding> = Vec::new();
    for commit in commits {
        let because = format!("commit {}", commit.commit);
        // A session that records what the commit settled knew which item was meant.
        let is_recorded = |mention: &CommitMention| {
            let is_it = |item: &OpenItem<'_>| matches!(mention.item, ItemRef::Id { id, .. } if id == item.id);
            let names_it = |item: &OpenItem<'_>| {
                item.end.as_ref().is_some_and(|end| end.because.as_deref() == Some(because.as_str()))
            };
            items.all().iter().any(|item| is_it(item) && names_it(item))
        };
        for mention in commit.mentions.iter().filter(|mention| !is_recorded(mention)) {
            let Some(item) = items.meant_at(&mention.item, commit.at, &commit.author) else { continue };
            // A caution stays in force until it is dropped by name.
            if !item.is_open() || item.kind == ItemKind::Caution {
                continue;
            }
            let ending = ItemEnding {
                item: items.target(item),
                how: if mention.how == SettledHow::Done { item.id.kind.end() } else { mention.how },
                because: Some(because.clone()),
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
