//! Everything that sessions record for those that come after them: decisions and open items.

use std::sync::Arc;

use handoff_model::id::TaskId;
use handoff_model::problem::Problem;
use handoff_model::session::open_items::{OpenItem, OpenItems, item_ids_in_damaged};
use handoff_model::session::{Decisions, ItemId, Packages};
use handoff_store::{Forest, FoundSession, Node, Sessions};

use crate::{OpError, Project};

/// Every session that decided something, names an item or settles one, those in the archives too.
pub(crate) struct Recorded {
    pub(crate) sessions: Sessions,
    archived: Sessions,
    forest: Arc<Forest>,
    /// Items in files that cannot be read, as far as their ids can be seen there
    hidden_items: Vec<ItemId>,
}

impl Recorded {
    /// Reads it. Files that cannot be read are named beside the answer.
    pub(crate) fn read(project: &Project) -> Result<Recorded, OpError> {
        let store = project.store();
        let mut recorded = store.at_one_moment(|| {
            let (sessions, archived) = (store.handoffs()?, store.archived_threads()?);
            Ok(Recorded { sessions, archived, forest: store.open_forest()?, hidden_items: Vec::new() })
        })?;
        let problems = recorded.sessions.problems.iter().chain(&recorded.archived.problems);
        let hiding: Vec<&Problem> = problems.filter(|problem| problem.hides()).collect();
        store.notice(hiding.iter().copied());
        let texts = hiding.iter().filter_map(|problem| store.damaged_text(&problem.path));
        recorded.hidden_items = texts.flat_map(|text| item_ids_in_damaged(&text).collect::<Vec<_>>()).collect();
        Ok(recorded)
    }

    /// All decisions there are, those in packages too.
    pub(crate) fn decisions(&self) -> Decisions<'_> {
        Decisions::of(named(self.all()), Packages::Include)
    }

    /// All items there are. The ids of those in files that cannot be read are not given again.
    pub(crate) fn items(&self) -> OpenItems<'_> {
        let mut items = items(self.all(), &self.forest);
        items.reserve(self.hidden_items.iter().copied());
        items
    }

    /// The open task that an item became.
    pub(crate) fn task_of(&self, item: &OpenItem<'_>) -> Option<&Node> {
        self.forest.get(item.task?)
    }

    fn all(&self) -> impl Iterator<Item = &Arc<FoundSession>> {
        self.sessions.list.iter().chain(&self.archived.list)
    }
}

/// The items of some sessions. A task that is not among the open ones is finished or gone.
pub(crate) fn items<'a>(found: impl Iterator<Item = &'a Arc<FoundSession>>, forest: &Forest) -> OpenItems<'a> {
    let is_open = |task: &TaskId| forest.get(*task).is_some_and(|node| node.task.status.is_open());
    OpenItems::of(named(found), is_open)
}

fn named<'a>(
    found: impl Iterator<Item = &'a Arc<FoundSession>>,
) -> impl Iterator<Item = (&'a str, &'a handoff_model::session::Session)> {
    found.map(|found| (found.name.as_str(), &found.session))
}
