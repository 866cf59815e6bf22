//! Files in which git left conflict markers.

/// The two versions that a file with conflict markers holds, and where the first marker stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub ours: String,
    pub theirs: String,
    /// What both began with, where git was told to leave that too
    pub base: Option<String>,
    /// Line of the first marker, counted from 1
    pub line: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Both,
    Ours,
    Base,
    Theirs,
}

/// Splits a text at git's conflict markers; `None` when it has none or they do not match up.
pub fn split(text: &str) -> Option<Conflict> {
    let mut ours = String::new();
    let mut theirs = String::new();
    let mut base = Some(String::new());
    let mut side = Side::Both;
    let mut first = None;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let next = match (marker(line), side) {
            (Some('<'), Side::Both) => {
                first.get_or_insert(index + 1);
                Side::Ours
            }
            (Some('|'), Side::Ours) => Side::Base,
            (Some('='), Side::Ours) => {
                base = None;
                Side::Theirs
            }
            (Some('='), Side::Base) => Side::Theirs,
            (Some('>'), Side::Theirs) => Side::Both,
            (Some('<' | '>'), _) => return None,
            _ => {
                if matches!(side, Side::Both | Side::Ours) {
                    ours.push_str(line);
                }
                if matches!(side, Side::Both | Side::Theirs) {
                    theirs.push_str(line);
                }
                if let (Some(base), Side::Both | Side::Base) = (&mut base, side) {
                    base.push_str(line);
                }
                continue;
            }
        };
        side = next;
    }
    if side != Side::Both {
        return None;
    }
    first.map(|line| Conflict { ours, theirs, base, line })
}

/// The line of the first conflict marker, matched up or not.
pub fn first_marker(text: &str) -> Option<usize> {
    text.lines().position(|line| matches!(marker(line), Some('<' | '>'))).map(|index| index + 1)
}

/// The kind of marker a line is: seven equal characters, then the end or a blank and a name.
pub(crate) fn marker(line: &str) -> Option<char> {
    let line = line.trim_end_matches(['\r', '\n']);
    let kind = line.chars().next().filter(|c| "<|=>".contains(*c))?;
    let rest = line.trim_start_matches(kind);
    (line.len() - rest.len() == 7 && (rest.is_empty() || rest.starts_with(' '))).then_some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_come_out_whole() {
        let text = "a = 1\n<<<<<<< HEAD\nb = 2\n||||||| base\nb = 0\n=======\nb = 3\n>>>>>>> topic\nc = 4\n";
        let conflict = split(text).unwrap();
        assert_eq!(conflict.ours, "a = 1\nb = 2\nc = 4\n");
        assert_eq!(conflict.theirs, "a = 1\nb = 3\nc = 4\n");
        assert_eq!(conflict.base.as_deref(), Some("a = 1\nb = 0\nc = 4\n"));
        assert_eq!(conflict.line, 2);
    }

    #[test]
    fn a_lone_marker_is_noticed_but_not_split() {
        let text = "a = 1\n<<<<<<< HEAD\nb = 2\n";
        assert_eq!(split(text), None);
        assert_eq!(first_marker(text), Some(2));
        assert_eq!(split("title = \"======= not a marker\"\n"), None);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "(<{7}|={7}|>{7}|\\|{7}|[a-z =\n]){0,40}") {
            let _ = (split(&text), first_marker(&text));
        }
    }
}
