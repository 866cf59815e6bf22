//! Sessions through the store's own interface.
#![expect(clippy::unwrap_used, reason = "a test fails where it must")]

use std::time::Duration;

use handoff_model::id::{SessionId, SessionRef};
use handoff_model::name::Layout;
use handoff_model::session::{Session, SessionKind};
use handoff_store::{NewStore, Store, StoreError};

fn change<T>(store: &mut Store, change: impl FnOnce(&mut Store) -> Result<T, StoreError>) -> T {
    store.lock("test", Duration::from_secs(5)).unwrap();
    let value = change(store).and_then(|value| store.commit(|_, _| {}).map(|()| value)).unwrap();
    store.unlock();
    value
}

#[test]
fn what_was_found_before_it_went_to_the_archive_keeps_its_body() {
    let dir = tempfile::tempdir().unwrap();
    let new = NewStore { config: "[project]\nname = \"x\"\n", layout: Layout::Status, private: true };
    let mut store = Store::create(&dir.path().join(".handoff"), &new).unwrap();
    let now = "2026-11-15T12:00:00Z".parse().unwrap();
    let mut session = Session::new(SessionId::from_random([1, 2, 3, 4]), SessionKind::Record, now);
    session.close(now).unwrap();
    let body = "# Context\n\nAs said.\n";
    let found = change(&mut store, |store| store.create_session(session, Some(body.to_owned())));
    change(&mut store, |store| store.archive_session(&found));
    assert!(store.sessions().unwrap().list.is_empty());
    assert_eq!(store.session_body(&found).unwrap().as_deref(), Some(body));
    let archived = store.session(&SessionRef::Name(found.name.clone())).unwrap();
    assert!(archived.archive.is_some());
    change(&mut store, |store| store.restore_session(&archived));
    assert_eq!(store.session_body(&archived).unwrap().as_deref(), Some(body));
    assert_eq!(store.session_body(&found).unwrap().as_deref(), Some(body));
}
