//! The last check before a change is written: no record may become larger than its reader accepts.

use handoff_model::{MAX_BODY_BYTES, MAX_FILE_BYTES};

use crate::error::{Result, StoreError};
use crate::layout::{LOCAL, SESSIONS, TRASHED_SESSIONS};
use crate::root::{join, split};
use crate::session::read::BODY;
use crate::step::Step;

/// Bytes that are read of the file at this path.
pub(crate) fn max_bytes_at(path: &str) -> usize {
    let (dir, name) = split(path);
    let is_body = matches!(dir, SESSIONS | TRASHED_SESSIONS) && name.ends_with(BODY);
    if is_body { MAX_BODY_BYTES } else { MAX_FILE_BYTES }
}

/// Refuses a change that would write a record which cannot be read back.
pub(crate) fn check_change(steps: &[Step], bodies: &[(String, String)]) -> Result<()> {
    for step in steps {
        match step {
            Step::Put { path, after, .. } => check_record(path, after.len())?,
            Step::NewDir { path, name, text } => check_record(&join(path, name), text.len())?,
            Step::MoveDir { .. } | Step::Remove { .. } | Step::RemoveDir { .. } => {}
        }
    }
    bodies.iter().try_for_each(|(path, body)| check_record(path, body.len()))
}

fn check_record(path: &str, size: usize) -> Result<()> {
    // State of this machine is no record; each file there has a limit of its own.
    if size <= max_bytes_at(path) || path.split('/').next() == Some(LOCAL) {
        return Ok(());
    }
    let path = path.to_owned();
    if max_bytes_at(&path) == MAX_BODY_BYTES {
        return Err(StoreError::BodyTooLarge { path, size });
    }
    Err(StoreError::TooLarge { path, size })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(path: &str, size: usize) -> Result<()> {
        let step = Step::Put { path: path.to_owned(), before: None, after: "x".repeat(size) };
        check_change(&[step], &[])
    }

    #[test]
    fn a_record_at_the_limit_is_written_and_a_larger_one_is_refused_by_name() {
        for path in
            ["tasks/1_x/task.toml", "sessions/a.toml", "archive/2026-11-general-archive.md", "time/2026-11-a.toml"]
        {
            put(path, MAX_FILE_BYTES).unwrap();
            let error = put(path, MAX_FILE_BYTES + 1).unwrap_err().to_string();
            assert_eq!(error, format!("{path} would have 4194305 bytes; at most 4194304 are allowed"));
        }
        let step = |size| Step::NewDir { path: "time".to_owned(), name: "a.toml".to_owned(), text: "x".repeat(size) };
        check_change(&[step(MAX_FILE_BYTES)], &[]).unwrap();
        assert!(matches!(check_change(&[step(MAX_FILE_BYTES + 1)], &[]), Err(StoreError::TooLarge { .. })));
    }

    #[test]
    fn a_body_may_have_sixty_four_megabytes() {
        put("sessions/a.md", MAX_BODY_BYTES).unwrap();
        assert!(matches!(put("sessions/a.md", MAX_BODY_BYTES + 1), Err(StoreError::BodyTooLarge { .. })));
        let body = |size| [("sessions/a.md".to_owned(), "x".repeat(size))];
        check_change(&[], &body(MAX_BODY_BYTES)).unwrap();
        assert!(matches!(check_change(&[], &body(MAX_BODY_BYTES + 1)), Err(StoreError::BodyTooLarge { .. })));
    }
}
