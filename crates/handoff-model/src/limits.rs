//! Limits on records, in one table.
//!
//! **Invariant:** whatever is within them can be read back, undone, exported and imported again. Every way in checks them
//! before anything is written; the store checks them once more where changes are committed.

/// Bytes of a record file: task, session, archive, time log, `config.toml`.
pub const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;

/// Bytes of the free-form body of a package, or of a session that was imported.
///
/// Other bodies are part of a change with its journal and log entry, and are limited by [`MAX_FILE_BYTES`].
pub const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;

/// Bytes at which an archive is full and the next part is begun.
pub const MAX_ARCHIVE_PART_BYTES: usize = 2 * 1024 * 1024;

/// Bytes of a session with its body that still goes into an archive; a larger one stays a file of its own.
pub const MAX_ARCHIVED_SESSION_BYTES: usize = 3 * 1024 * 1024;

/// Bytes of a bundle that is not encrypted.
pub const MAX_BUNDLE_BYTES: usize = 160 * 1024 * 1024;

/// Sessions and tasks in one bundle.
pub const MAX_BUNDLE_RECORDS: usize = 200_000;

/// Levels of the task tree; a root task has depth 1.
pub const MAX_DEPTH: usize = 16;

/// Highest place among siblings.
pub const MAX_ORDINAL: u32 = 999_999_999;

/// Characters of a title.
pub const MAX_TITLE_CHARS: usize = 500;

/// Characters of a name: a label, a person, a milestone, a project.
pub const MAX_NAME_CHARS: usize = 100;

/// Characters of a text on one line, such as a criterion.
pub const MAX_LINE_CHARS: usize = 2_000;

/// Characters of a text of several lines, such as a description.
pub const MAX_PROSE_CHARS: usize = 1_500_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_has_the_same_table() {
        let limits: [(&str, usize); 12] = [
            ("MAX_FILE_BYTES", MAX_FILE_BYTES),
            ("MAX_BODY_BYTES", MAX_BODY_BYTES),
            ("MAX_ARCHIVE_PART_BYTES", MAX_ARCHIVE_PART_BYTES),
            ("MAX_ARCHIVED_SESSION_BYTES", MAX_ARCHIVED_SESSION_BYTES),
            ("MAX_BUNDLE_BYTES", MAX_BUNDLE_BYTES),
            ("MAX_BUNDLE_RECORDS", MAX_BUNDLE_RECORDS),
            ("MAX_DEPTH", MAX_DEPTH),
            ("MAX_ORDINAL", MAX_ORDINAL as usize),
            ("MAX_TITLE_CHARS", MAX_TITLE_CHARS),
            ("MAX_NAME_CHARS", MAX_NAME_CHARS),
            ("MAX_LINE_CHARS", MAX_LINE_CHARS),
            ("MAX_PROSE_CHARS", MAX_PROSE_CHARS),
        ];
        let declared = include_str!("limits.rs").lines().filter(|line| line.starts_with("pub const MAX_")).count();
        assert_eq!(declared, limits.len(), "every limit is in the list above");
        let page = include_str!("../../../docs/format.md");
        let documented: Vec<(&str, usize)> = page
            .lines()
            .filter_map(|line| line.strip_prefix("| `MAX_").map(|_| line))
            .map(|line| {
                let mut cells = line.split('|').map(str::trim).skip(1);
                let name = cells.next().unwrap_or_default().trim_matches('`');
                (name, cells.next().unwrap_or_default().replace(',', "").parse().unwrap_or(0))
            })
            .collect();
        assert_eq!(documented, limits);
    }
}
