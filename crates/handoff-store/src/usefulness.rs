//! What sessions made of the handoffs they were given: a line each, on this machine only, as many as are worth keeping.

use handoff_model::problem::Problem;

use crate::error::{Result, StoreError};
use crate::layout::{STATE, USEFULNESS};
use crate::root::join;
use crate::store::Store;

/// The list is begun anew when it is this long; the one before is kept.
const MOST_BYTES: u64 = 256 * 1024;
const FILE: &str = "usefulness.jsonl";
const BEFORE: &str = "usefulness.jsonl.1";

impl Store {
    /// Adds a line, in one piece. A crash may lose it and nothing else.
    pub fn note_usefulness(&self, line: &str) -> Result<()> {
        let add = || {
            let dir = self.root.dir_made(STATE)?;
            if dir.stamp(FILE)?.is_some_and(|stamp| stamp.size > MOST_BYTES) {
                dir.replace(FILE, &dir, BEFORE)?;
            }
            // The break in front ends a line that a crash cut short.
            dir.append_loose(FILE, format!("\n{}\n", line.replace('\n', " ")).as_bytes())
        };
        add().map_err(|source| StoreError::write(USEFULNESS, source))
    }

    /// The lines, the oldest first, and which files could not be read. A byte that is none of a text spoils its line alone.
    pub fn usefulness_notes(&self) -> (Vec<String>, Vec<Problem>) {
        let (mut lines, mut problems) = (Vec::new(), Vec::new());
        for name in [BEFORE, FILE] {
            let path = join(STATE, name);
            match self.root.read(&path) {
                Ok(bytes) => {
                    let text = String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned();
                    lines.extend(text.lines().filter(|line| !line.is_empty()).map(str::to_owned));
                }
                Err(error) => problems.push(Problem::damaged(&path, error.to_string())),
            }
        }
        (lines, problems)
    }
}

#[cfg(test)]
mod tests {
    use handoff_model::name::Layout;

    use super::*;
    use crate::NewStore;

    #[test]
    fn lines_are_kept_in_order_and_within_a_bound() {
        let dir = tempfile::tempdir().unwrap();
        let new = NewStore { config: "[project]\nname = \"x\"\n", layout: Layout::Status, private: true };
        let store = Store::create(&dir.path().join(".handoff"), &new).unwrap();
        let notes = || store.usefulness_notes().0;
        assert!(notes().is_empty());
        store.note_usefulness("one").unwrap();
        let file = dir.path().join(".handoff").join(USEFULNESS);
        let mut bytes = std::fs::read(&file).unwrap();
        bytes.extend_from_slice(b"{\"half");
        std::fs::OpenOptions::new()
            .write(true)
            .open(&file)
            .and_then(|mut file| std::io::Write::write_all(&mut file, &bytes))
            .unwrap();
        store.note_usefulness("two\nlines").unwrap();
        assert_eq!(notes(), ["one", "{\"half", "two lines"]);
        let long = "x".repeat(40_000);
        for _ in 0..30 {
            store.note_usefulness(&long).unwrap();
        }
        let kept: u64 = [FILE, BEFORE]
            .iter()
            .map(|name| std::fs::metadata(dir.path().join(".handoff").join(STATE).join(name)).unwrap().len())
            .sum();
        assert!(kept <= 2 * (MOST_BYTES + 41_000), "{kept}");
        assert_eq!(notes().last(), Some(&long));
    }
}
