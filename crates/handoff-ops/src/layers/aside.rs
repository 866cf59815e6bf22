//! Names beside a file, for texts of others that it held.
//!
//! **Invariant:** a name is never used for two texts, and a text that is kept already is not kept twice.

use std::io;

use handoff_store::OutsideTree;

use super::decide::Aside;

/// More copies of one file than anybody makes.
const MOST: u32 = 10_000;

/// Where a text is kept.
pub(super) struct Kept {
    pub(super) path: String,
    /// Whether it lies there already
    pub(super) is_there: bool,
}

/// Where these bytes of a file are kept, or will be.
pub(super) fn name_for(tree: &OutsideTree, path: &str, why: Aside, bytes: Option<&[u8]>) -> io::Result<Kept> {
    for number in 1..MOST {
        let path = named(path, why, number);
        match tree.read(&path) {
            Ok(None) => return Ok(Kept { path, is_there: false }),
            Ok(Some(there)) if Some(&there[..]) == bytes => return Ok(Kept { path, is_there: true }),
            // Whatever it is, its name is taken.
            Ok(Some(_)) => {}
            Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::FileTooLarge) => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("there are too many copies beside it"))
}

/// `auth-2026-11-15.edited.md`, and with a number from the second on.
fn named(path: &str, why: Aside, number: u32) -> String {
    let stem = path.strip_suffix(".md").unwrap_or(path);
    let number = if number > 1 { format!("-{number}") } else { String::new() };
    format!("{stem}.{}{number}.md", word(why))
}

fn word(why: Aside) -> &'static str {
    match why {
        Aside::Edited => "edited",
        Aside::Before => "before-handoff",
    }
}

/// Whether a file has such a name.
pub(super) fn is_aside(path: &str) -> bool {
    let stem = path.strip_suffix(".md").unwrap_or(path);
    let last = stem.rsplit_once('.').map_or("", |(_, last)| last);
    [Aside::Edited, Aside::Before].into_iter().any(|why| {
        let rest = last.strip_prefix(word(why));
        rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('-').is_some_and(|n| n.parse::<u32>().is_ok()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beside_a_file_are_known_again() {
        for (number, name) in
            [(1, "layer1/2026-11/a-2026-11-15.edited.md"), (3, "layer1/2026-11/a-2026-11-15.edited-3.md")]
        {
            assert_eq!(named("layer1/2026-11/a-2026-11-15.md", Aside::Edited, number), name);
            assert!(is_aside(name));
        }
        assert!(is_aside("layer2/current-state.before-handoff.md") && !is_aside("layer2/v1.edited-by-me.md"));
    }
}
