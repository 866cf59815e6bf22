//! Everything that sessions record for those that come after them: decisions and open items.

use std::sync::Arc;

use handoff_model::id::TaskId;
use handoff_model::session::open_items::{OpenItem, OpenItems};
use handoff_model::session::{Decisions, Packages};
use handoff_store::{Forest, FoundSession, Node, Sessions};

use crate::{OpError, Project};

/// Every session that decided something, names an item or settles one, those in the archives too.
pub(crate) struct Recorded {
    pub(crate) sessions: Sessions,
    archived: Sessions,
    forest: Arc<Forest>,
}

impl Recorded {
    pub(crate) fn read(project: &Project) -> Result<Recorded, OpError> {
        let store = project.store();
        let read = store.at_one_moment(|| {
            let (sessions, archived) = (store.handoffs()?, store.archived_threads()?);
            Ok(Recorded { sessions, archived, forest: store.open_forest()? })
        });
        Ok(read?)
    }

    /// All decisions there are, those in packages too.
    pub(crate) fn decisions(&self) -> Decisions<'_> {
        Decisions::of(named(self.all()), Packages::Include)
    }

    /// All items there are.
    pub(crate) fn items(&self) -> OpenItems<'_> {
        items(self.all(), &self.forest)
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
