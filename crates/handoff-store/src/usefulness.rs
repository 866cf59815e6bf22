//! What sessions made of the handoffs they were given: a line each, on this machine only, as many as are worth keeping.

use handoff_model::problem::Problem;

use crate::error::Result;
use crate::line_log::LineLog;
use crate::store::Store;

const LOG: LineLog = LineLog { file: "usefulness.jsonl", before: "usefulness.jsonl.1" };

impl Store {
    /// Adds a line, in one piece. A crash may lose it and nothing else.
    pub fn note_usefulness(&self, line: &str) -> Result<()> {
        LOG.add(&self.root, line)
    }

    /// The lines, the oldest first, and which files could not be read. A byte that is none of a text spoils its line alone.
    pub fn usefulness_notes(&self) -> (Vec<String>, Vec<Problem>) {
        LOG.lines(&self.root)
    }
}

#[cfg(test)]
mod tests {
    use handoff_model::name::Layout;

    use super::*;
    use crate::NewStore;
    use crate::layout::{STATE, USEFULNESS};
    use crate::line_log::MAX_LOG_BYTES;

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
        let kept: u64 = [LOG.file, LOG.before]
            .iter()
            .map(|name| std::fs::metadata(dir.path().join(".handoff").join(STATE).join(name)).unwrap().len())
            .sum();
        assert!(kept <= 2 * (MAX_LOG_BYTES + 41_000), "{kept}");
        assert_eq!(notes().last(), Some(&long));
    }
}
