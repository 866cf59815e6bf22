//! What a session made of the handoff it was given.
//!
//! **Invariant:** these are counts of what was seen, never a judgement. What cannot be seen is counted as unknown, not
//! as a failure, and nothing is added up into one number.
//!
//! - A *pointer* was used when its file, or one in its directory, was looked at or changed, or a command named it.
//! - A *next step* is open when the handoff that the session left, or its list of things to do, still has it. Otherwise
//!   it is done when a thing to do that was completed or a task that was finished says the same, or when it names a
//!   file that was changed. Else nobody can tell.
//! - A *file* that was looked at or changed counts as named when anything in the handoff named it. Files that the session
//!   itself made, and by-products such as lock files, could not be named and do not count.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Digest, FileChange, TodoStatus};
use crate::likely::is_by_product;
use crate::relevant::{paths_in, says_same};
use crate::session::{Outside, inside};
use crate::when::Moment;

/// What a session was given of a handoff, as far as its use can be seen later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// Full name of the session that left the handoff
    pub handoff: String,
    pub at: Moment,
    /// What it cost
    pub tokens: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
    /// Paths of its pointers
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pointers: Vec<String>,
    /// Every other file that was named
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// What the session left behind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Left<'a> {
    /// The next steps of the handoff it left
    pub next: &'a [String],
    /// Titles of the tasks that were finished meanwhile
    pub finished: &'a [String],
    /// Ways to write the project's directory
    pub roots: &'a [&'a str],
}

/// What was used of a handoff.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Usefulness {
    /// What the handoff cost
    pub tokens: u64,
    /// Pointers that were used
    pub pointers: Share,
    /// Next steps that were done
    pub next: Share,
    /// Next steps of which nobody can tell; they are among those given
    pub next_unknown: u64,
    /// Files that were looked at or changed and that the handoff named
    pub files: Share,
}

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    pub part: u64,
    pub of: u64,
}

impl Usefulness {
    /// What a session made of what it was given.
    pub fn of(given: &Given, worked: &Digest, left: &Left<'_>) -> Usefulness {
        let touched = Touched::by(worked, left.roots);
        let named: BTreeSet<&str> = given.pointers.iter().chain(&given.files).map(String::as_str).collect();
        let is_named = |path: &&str| named.iter().any(|named| is_at_or_below(named, path));
        let steps: Vec<Step> = given.next.iter().map(|step| Step::of(step, worked, left, &touched)).collect();
        let count = |wanted: Step| number(steps.iter().filter(|step| **step == wanted).count());
        Usefulness {
            tokens: given.tokens,
            pointers: Share::of(&given.pointers, |pointer| touched.has(pointer) || is_in_command(worked, pointer)),
            next: Share { part: count(Step::Done), of: number(steps.len()) },
            next_unknown: count(Step::Unknown),
            files: Share::of(&touched.there_before(), is_named),
        }
    }
}

impl Share {
    fn of<T>(all: &[T], is_part: impl Fn(&T) -> bool) -> Share {
        Share { part: number(all.iter().filter(|one| is_part(one)).count()), of: number(all.len()) }
    }

    /// Both counts of several, added up.
    pub fn sum(shares: impl IntoIterator<Item = Share>) -> Share {
        let add = |one: Share, other: Share| Share { part: one.part + other.part, of: one.of + other.of };
        shares.into_iter().fold(Share::default(), add)
    }

    /// In a hundred, where there is anything to share.
    pub fn percent(self) -> Option<u64> {
        (self.of > 0).then(|| (100 * self.part + self.of / 2) / self.of)
    }
}

/// What became of a next step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Open,
    Done,
    Unknown,
}

impl Step {
    fn of(step: &str, worked: &Digest, left: &Left<'_>, touched: &Touched<'_>) -> Step {
        let todo = |is_done: bool| {
            worked.todos.iter().any(|todo| {
                let counts = match todo.status {
                    TodoStatus::Completed => is_done,
                    TodoStatus::Pending | TodoStatus::InProgress => !is_done,
                    TodoStatus::Cancelled => false,
                };
                counts && says_same(step, &todo.text)
            })
        };
        if left.next.iter().any(|next| next == step || says_same(step, next)) || todo(false) {
            return Step::Open;
        }
        let is_finished = todo(true) || left.finished.iter().any(|title| says_same(step, title));
        let has_changed = || paths_in(step).iter().any(|path| touched.has_changed(path));
        if is_finished || has_changed() { Step::Done } else { Step::Unknown }
    }
}

/// The files of the project that a session looked at or changed.
struct Touched<'a> {
    paths: Vec<(String, Option<&'a FileChange>)>,
}

impl<'a> Touched<'a> {
    fn by(worked: &'a Digest, roots: &[&str]) -> Touched<'a> {
        let cwd = worked.about.cwd.as_deref();
        let place = |path: &str| {
            let is_absolute = path.starts_with(['/', '\\']) || path.as_bytes().get(1) == Some(&b':');
            let whole = cwd.filter(|_| !is_absolute).map(|cwd| format!("{cwd}/{path}"));
            let inside = |path: &str| match inside(path, roots) {
                Ok(path) | Err(Outside::Detour { right: path, .. }) => Some(path),
                Err(_) => None,
            };
            whole.and_then(|whole| inside(&whole)).or_else(|| inside(path))
        };
        let mut paths: Vec<(String, Option<&FileChange>)> = Vec::new();
        for file in &worked.files {
            paths.extend(place(&file.path).map(|path| (path, file.change.as_ref())));
            if let Some(FileChange::Moved { to }) = &file.change {
                paths.extend(place(to).map(|path| (path, file.change.as_ref())));
            }
        }
        paths.retain(|(path, _)| !path.starts_with(".handoff/"));
        Touched { paths }
    }

    fn has(&self, wanted: &str) -> bool {
        self.paths.iter().any(|(path, _)| is_at_or_below(wanted, path))
    }

    /// Whether a file that a sentence names was changed; it may be written by the end of its path alone.
    fn has_changed(&self, named: &str) -> bool {
        let is_it = |path: &str| path == named || path.strip_suffix(named).is_some_and(|front| front.ends_with('/'));
        self.paths.iter().any(|(path, change)| change.is_some() && is_it(path))
    }

    /// Those that a handoff could have named.
    fn there_before(&self) -> Vec<&str> {
        let is_new = |change: Option<&FileChange>| matches!(change, Some(FileChange::Added));
        let paths = self.paths.iter().filter(move |(path, change)| !is_new(*change) && !is_by_product(path));
        paths.map(|(path, _)| path.as_str()).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

fn is_at_or_below(place: &str, path: &str) -> bool {
    crate::governed::is_at_or_below(place.trim_end_matches('/'), path) && !place.is_empty()
}

fn is_in_command(worked: &Digest, pointer: &str) -> bool {
    let is_end = |c: char| c.is_whitespace() || "\"'`=:;,()<>|&".contains(c);
    worked.commands.iter().any(|ran| ran.command.split(is_end).any(|word| word.trim_start_matches("./") == pointer))
}

fn number(count: usize) -> u64 {
    count as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::{About, Ran, Todo, TouchedFile};

    fn given() -> Given {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Given {
            handoff: "2026-11-15-a3f9c12e".to_owned(),
            at: "2026-11-15T09:00:00Z".parse().unwrap(),
            tokens: 800,
            next: texts(&[
                "Fix refresh test matrix",
                "Extract the token parser from src/auth/middleware.rs",
                "Run race tests on staging",
                "Write the release notes",
            ]),
            pointers: texts(&["src/auth/middleware.rs", "docs/", "src/db.rs", "tests/race.rs"]),
            files: texts(&["src/auth/token.rs"]),
        }
    }

    fn touched(path: &str, change: Option<FileChange>) -> TouchedFile {
        TouchedFile { path: path.to_owned(), looks: 1, change, ..TouchedFile::default() }
    }

    fn todo(text: &str, status: TodoStatus) -> Todo {
        Todo { id: None, text: text.to_owned(), status, line: None }
    }

    fn worked() -> Digest {
        Digest {
            about: About { cwd: Some("/home/me/app/src".to_owned()), ..About::default() },
            files: vec![
                touched("/home/me/app/src/auth/middleware.rs", Some(FileChange::Updated)),
                touched("auth/token.rs", None),
                touched("../docs/guide.md", None),
                touched("/home/me/app/src/auth/new.rs", Some(FileChange::Added)),
                touched("/home/me/app/Cargo.lock", Some(FileChange::Updated)),
                touched("/home/me/app/src/other.rs", None),
                touched("/etc/hosts", None),
                touched("/home/me/app/.handoff/config.toml", None),
            ],
            commands: vec![Ran { command: "cat ./tests/race.rs | head".to_owned(), ..Ran::default() }],
            todos: vec![
                todo("Fix the refresh test matrix", TodoStatus::Completed),
                todo("Run the race tests on staging", TodoStatus::Pending),
            ],
            ..Digest::default()
        }
    }

    const ROOTS: &[&str] = &["/home/me/app"];

    #[test]
    fn what_was_used_is_counted() {
        let used = Usefulness::of(&given(), &worked(), &Left { roots: ROOTS, ..Left::default() });
        assert_eq!(used.pointers, Share { part: 3, of: 4 }, "src/db.rs was not used");
        assert_eq!(used.next, Share { part: 2, of: 4 }, "a todo says one, a changed file the other");
        assert_eq!(used.next_unknown, 1, "one is still to do, of the release notes nobody can tell");
        assert_eq!(used.files, Share { part: 3, of: 4 }, "new files, by-products and the store do not count");
        assert_eq!(used.tokens, 800);
    }

    #[test]
    fn a_step_that_is_handed_on_is_not_done() {
        let next = ["Extract the token parser from src/auth/middleware.rs".to_owned()];
        let finished = ["Release notes".to_owned()];
        let left = Left { next: &next, finished: &finished, roots: ROOTS };
        let used = Usefulness::of(&given(), &worked(), &left);
        assert_eq!((used.next.part, used.next_unknown), (1, 1));
        let finished = ["Write release notes".to_owned()];
        let used = Usefulness::of(&given(), &worked(), &Left { finished: &finished, ..left });
        assert_eq!((used.next.part, used.next_unknown), (2, 0));
    }

    #[test]
    fn a_session_that_did_nothing_used_nothing() {
        let used = Usefulness::of(&given(), &Digest::default(), &Left::default());
        assert_eq!((used.pointers.part, used.next.part, used.next_unknown), (0, 0, 4));
        assert_eq!(used.files.percent(), None, "nothing was touched, so nothing can be said");
    }

    #[test]
    fn counts_are_added_before_they_are_shared() {
        let sum = Share::sum([Share { part: 1, of: 2 }, Share { part: 0, of: 8 }]);
        assert_eq!((sum, sum.percent()), (Share { part: 1, of: 10 }, Some(10)));
    }
}
