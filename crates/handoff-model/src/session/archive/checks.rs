//! Checksums of archived sessions.
//!
//! The checksum stands in a line of its own that names the session: when the block of a session is damaged so that it is
//! not recognised any more, that line still says that a session was here.

use std::collections::BTreeMap;

use super::fence::is_full_name;
use super::{Archive, Archived, Piece};
use crate::entry_check::entry_check;
use crate::problem::Problem;

const OPENING: &str = "<!-- check ";
const CLOSING: &str = " -->";
/// Last line of an archive with checksums. It is the same for all writers, so that it merges.
pub(super) const END_LINE: &str = "<!-- end of archive -->\n";

pub(super) fn of(name: &str, toml_text: &str, body: Option<&str>) -> String {
    let body = body.map(|body| ("body", body));
    entry_check([("name", name), ("toml", toml_text)].into_iter().chain(body))
}

pub(super) fn line(name: &str, check: &str) -> String {
    format!("{OPENING}{name} {check}{CLOSING}\n")
}

/// The session and its checksum that a line tells.
pub(super) fn read(line: &str) -> Option<(&str, &str)> {
    let (name, check) = line.trim_end().strip_prefix(OPENING)?.strip_suffix(CLOSING)?.split_once(' ')?;
    is_full_name(name).then_some((name, check))
}

pub(super) fn is_end(line: &str) -> bool {
    line.trim_end() == END_LINE.trim_end()
}

impl Archive {
    /// Returns whether a session is as it was archived, as far as the archive can tell.
    pub fn is_intact(&self, session: &Archived<'_>) -> bool {
        let check = self.pieces.iter().find_map(|piece| match piece {
            Piece::Check { name, check, .. } if name == session.name => Some(check),
            _ => None,
        });
        check.is_none_or(|check| *check == of(session.name, session.toml_text, session.body))
    }

    pub(super) fn broken_checks(&self, path: &str) -> Vec<Problem> {
        let computed: BTreeMap<&str, String> =
            self.sessions().map(|it| (it.name, of(it.name, it.toml_text, it.body))).collect();
        let (mut problems, mut has_checks, mut has_end, mut last) = (Vec::new(), false, false, 1);
        for (piece, line) in self.with_lines() {
            last = line;
            match piece {
                Piece::End(_) => has_end = true,
                Piece::Check { name, check, .. } => {
                    has_checks = true;
                    let problem = match computed.get(name.as_str()) {
                        Some(computed) if computed == check => continue,
                        Some(_) => {
                            let reason =
                                format!("session `{name}` is not as it was archived: its checksum does not match");
                            Problem::mended(path, reason)
                        }
                        None => {
                            Problem::damaged(path, format!("session `{name}` was here and cannot be found any more"))
                        }
                    };
                    problems.push(problem.at_line(Some(line)));
                }
                _ => {}
            }
        }
        if has_checks && !has_end {
            let reason = format!("the end is missing: `{}` should be the last line", END_LINE.trim_end());
            problems.push(Problem::damaged(path, reason).at_line(Some(last)));
        }
        problems
    }
}
