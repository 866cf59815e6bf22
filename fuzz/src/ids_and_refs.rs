//! Any text in place of an id, a number, a revision, a time or a reference to a task.

use handoff_model::id::{SessionId, TaskId, TaskRef};
use handoff_model::number::Number;
use handoff_model::rev::Rev;
use handoff_model::when::{Day, Moment};

pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    check_ids(text);
    check_number(text);
    check_reference(text);
    check_times(text);
}

/// Ids and revisions are accepted exactly when they have the published pattern.
fn check_ids(text: &str) {
    let lower_or_digit = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    let is_id = text.chars().count() == 8
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(lower_or_digit);
    let id = text.parse::<TaskId>();
    assert_eq!(id.is_ok(), is_id, "{text:?}");
    if let Ok(id) = id {
        assert_eq!(id.to_string(), text);
    }
    let is_session = text.chars().count() == 8 && text.chars().all(hex);
    assert_eq!(SessionId::try_from(text.to_owned()).is_ok(), is_session, "{text:?}");
    let is_rev = text.chars().count() == 16 && text.to_ascii_lowercase().chars().all(hex);
    let rev = text.parse::<Rev>();
    assert_eq!(rev.is_ok(), is_rev, "{text:?}");
    if let Ok(rev) = rev {
        assert_eq!(rev.to_string(), text.to_ascii_lowercase());
    }
}

/// A number prints and reads back, and leads nowhere but down the tree.
fn check_number(text: &str) {
    let Ok(number) = text.parse::<Number>() else { return };
    assert_eq!(number.to_string().parse(), Ok(number.clone()), "{text:?}");
    assert!(!number.ordinals().is_empty() && number.ordinals().len() <= handoff_model::MAX_DEPTH);
    assert!(number.ordinals().iter().all(|&ordinal| ordinal > 0));
    assert!(text.chars().all(|c| c.is_ascii_digit() || c == '.'), "{text:?}");
}

/// A reference never has a character that means something in a path.
fn check_reference(text: &str) {
    let Ok(reference) = text.parse::<TaskRef>() else { return };
    let shown = reference.to_string();
    assert_eq!(shown.parse(), Ok(reference.clone()), "{text:?}");
    match reference {
        TaskRef::Number(_) => assert!(shown.chars().all(|c| c.is_ascii_digit() || c == '.') && !shown.contains("..")),
        TaskRef::Id(_) | TaskRef::Prefix(_) => {
            assert!(shown.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()) && shown.len() <= 8);
        }
    }
}

/// Times print and read back to the same.
fn check_times(text: &str) {
    if let Ok(moment) = text.parse::<Moment>() {
        assert_eq!(moment.to_string().parse(), Ok(moment), "{text:?}");
    }
    if let Ok(day) = text.parse::<Day>() {
        assert_eq!(day.to_string(), text.trim());
    }
}
