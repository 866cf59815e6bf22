//! The session and time files in `fixtures/` are what the format says, and survive being read and written.

use std::path::{Path, PathBuf};

use handoff_model::session::Session;
use handoff_model::time_log::TimeLog;

/// The files in one directory of every sample tree.
fn files(below: &str, ending: &str) -> Vec<PathBuf> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let trees = listed(&fixtures).into_iter().filter(|version| version.is_dir()).flat_map(|version| listed(&version));
    let files = trees
        .map(|tree| tree.join(below))
        .filter(|directory| directory.is_dir())
        .flat_map(|directory| listed(&directory));
    let found: Vec<PathBuf> = files.filter(|path| path.to_string_lossy().ends_with(ending)).collect();
    assert!(!found.is_empty(), "there are samples of {below}");
    found
}

fn listed(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).expect("a directory can be listed");
    entries.map(|entry| entry.expect("a directory can be listed").path()).collect()
}

#[test]
fn every_session_loads_and_writing_it_unchanged_changes_no_byte() {
    for path in files("sessions", ".toml") {
        let text = std::fs::read_to_string(&path).unwrap();
        let session = Session::read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(session.write_over(&text).unwrap(), text, "{}", path.display());
        let mut changed = session.clone();
        changed.summary = "Another summary".to_owned();
        let edited = changed.write_over(&text).unwrap();
        assert_eq!(edited.lines().count(), text.lines().count());
        assert!(edited.contains("# Left by hand.") && edited.contains("x_mood = \"good\""), "{edited}");
    }
}

#[test]
fn every_time_log_loads() {
    for path in files("time", ".toml") {
        let text = std::fs::read_to_string(&path).unwrap();
        let log = TimeLog::read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(log.intervals.len(), 2);
    }
}
