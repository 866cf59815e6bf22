//! Telling a client that something it reads has changed.
//!
//! **Invariant:** files are looked at only while somebody has subscribed, and a change is told once, whoever made it:
//! what counts is what the client was last shown or told of.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use handoff_ops::Marks;
use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{RequestContext, SubscriptionContext};

use crate::resource;
use crate::server::Server;

/// How often files are looked at while somebody has subscribed.
const BETWEEN: Duration = Duration::from_millis(500);
/// Addresses whose text is remembered; a client reads few.
const REMEMBERED: usize = 256;

/// The subscriptions of one connection.
#[derive(Default)]
pub(crate) struct Watch(Mutex<State>);

#[derive(Default)]
struct State {
    /// What the client was last shown at an address.
    seen: HashMap<String, u64>,
    /// Subscriptions of the handshake era, with what was last told.
    subscribed: BTreeMap<String, u64>,
    is_polling: bool,
    /// Somebody came who may not know how things stand.
    is_new: bool,
}

/// What somebody wants to hear of, and what they know.
struct Known {
    resources: BTreeMap<String, u64>,
    list: Option<u64>,
    /// How the store stood when it was last looked at.
    marks: Option<Marks>,
}

impl Watch {
    /// Remembers what the client was shown.
    pub(crate) fn saw(&self, uri: &str, text: &str) {
        let mut state = self.state();
        if state.seen.len() >= REMEMBERED {
            state.seen.clear();
        }
        let mark = mark(&text);
        state.seen.insert(uri.to_owned(), mark);
        if let Some(told) = state.subscribed.get_mut(uri) {
            *told = mark;
        }
    }

    /// Begins to watch an address for a client of the handshake era.
    pub(crate) async fn subscribe(&self, server: &Server, uri: String, context: RequestContext<RoleServer>) {
        let now = mark_of(server, &uri, &context).await;
        let list = Some(mark_of_list(server, &context).await);
        let known = Known { resources: BTreeMap::new(), list, marks: None };
        let starts = {
            let mut state = self.state();
            let mark = state.seen.get(&uri).copied().unwrap_or(now);
            state.subscribed.insert(uri, mark);
            state.is_new = true;
            !std::mem::replace(&mut state.is_polling, true)
        };
        if starts {
            let server = server.clone();
            tokio::spawn(async move { server.watch().poll(&server, known, context).await });
        }
    }

    pub(crate) fn unsubscribe(&self, uri: &str) {
        self.state().subscribed.remove(uri);
    }

    /// Tells of changes until nobody wants to hear of any.
    async fn poll(&self, server: &Server, mut known: Known, context: RequestContext<RoleServer>) {
        // The subscription outlives the request that made it.
        let context = RequestContext::new(context.id.clone(), context.peer.clone());
        loop {
            tokio::select! {
                () = server.ended().cancelled() => return,
                () = tokio::time::sleep(BETWEEN) => {}
            }
            {
                let mut state = self.state();
                if state.subscribed.is_empty() {
                    state.is_polling = false;
                    return;
                }
                known.resources = state.subscribed.clone();
                if std::mem::take(&mut state.is_new) {
                    known.marks = None;
                }
            }
            let (changed, list) = known.changes(server, &context).await;
            for (uri, mark) in changed {
                let is_wanted = self.state().subscribed.get_mut(&uri).map(|told| std::mem::replace(told, mark) != mark);
                if is_wanted == Some(true) {
                    // A client that is gone is noticed elsewhere.
                    let _ = context.peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await;
                }
            }
            if list {
                let _ = context.peer.notify_resource_list_changed().await;
            }
        }
    }

    /// Serves one subscription of the stateless era until it is given up.
    pub(crate) async fn listen(&self, server: &Server, subscription: &SubscriptionContext) {
        let context = subscription.request_context();
        let accepted = subscription.accepted();
        let uris: BTreeSet<String> = accepted.resource_subscriptions.iter().flatten().cloned().collect();
        let wants_list = accepted.resources_list_changed == Some(true);
        let mut known = Known { resources: BTreeMap::new(), list: None, marks: None };
        for uri in uris {
            let seen = self.state().seen.get(&uri).copied();
            let mark = match seen {
                Some(seen) => seen,
                None => mark_of(server, &uri, context).await,
            };
            known.resources.insert(uri, mark);
        }
        if wants_list {
            known.list = Some(mark_of_list(server, context).await);
        }
        let has_work = wants_list || !known.resources.is_empty();
        loop {
            tokio::select! {
                () = subscription.cancelled() => return,
                () = server.ended().cancelled() => return,
                () = tokio::time::sleep(BETWEEN), if has_work => {}
            }
            let (changed, list) = known.changes(server, context).await;
            for (uri, mark) in changed {
                let _ = subscription.sink().notify_resource_updated(uri.as_str()).await;
                known.resources.insert(uri, mark);
            }
            if list {
                let _ = subscription.sink().notify_resource_list_changed().await;
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// The addresses whose text is another now, and whether the list of them is.
    async fn changes(&mut self, server: &Server, context: &RequestContext<RoleServer>) -> (Vec<(String, u64)>, bool) {
        let mut changed = Vec::new();
        // Looked at before the files are: what changes in between is found the next time.
        let marks = server.runner().marks().await;
        if marks.is_some() && std::mem::replace(&mut self.marks, marks) == marks {
            return (changed, false);
        }
        for (uri, told) in &self.resources {
            let now = mark_of(server, uri, context).await;
            if now != *told {
                changed.push((uri.clone(), now));
            }
        }
        let list = match self.list {
            None => false,
            Some(told) => {
                let now = mark_of_list(server, context).await;
                self.list = Some(now);
                now != told
            }
        };
        (changed, list)
    }
}

/// A mark of what is at an address now; an error is a state like any other.
async fn mark_of(server: &Server, uri: &str, context: &RequestContext<RoleServer>) -> u64 {
    match resource::text(server, uri, context).await {
        Ok((text, _)) => mark(&text),
        Err(error) => mark(&error.message),
    }
}

async fn mark_of_list(server: &Server, context: &RequestContext<RoleServer>) -> u64 {
    let list = resource::list(server, context).await;
    mark(&list.iter().map(|resource| (&resource.uri, &resource.title)).collect::<Vec<_>>())
}

fn mark(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
