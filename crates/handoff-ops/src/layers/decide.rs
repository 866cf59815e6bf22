//! What becomes of one file, from what it says and what it should say. Pure.

use handoff_model::layers::{Layer, Parts, put_together, take_apart, unix_lines};

use super::content::Wanted;

/// What to do with a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Deed {
    Nothing,
    /// What it said is first kept aside, where somebody else wrote it
    Write {
        bytes: Vec<u8>,
        aside: Option<Aside>,
    },
    Remove,
    /// It would go, but somebody edited it
    Leave,
}

/// Why a text is kept aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aside {
    /// It is ours, and somebody edited it
    Edited,
    /// It was there before we came
    Before,
}

impl Deed {
    pub(super) fn aside(&self) -> Option<Aside> {
        match self {
            Deed::Write { aside, .. } => *aside,
            Deed::Nothing | Deed::Remove | Deed::Leave => None,
        }
    }
}

pub(super) fn decide(path: &str, layer: Layer, wanted: Option<&Wanted>, present: Option<&[u8]>) -> Deed {
    let parts = present.and_then(|bytes| take_apart(path, layer, bytes));
    match (wanted, present, parts) {
        (Some(wanted), None, _) => write(wanted, b"", None),
        (Some(wanted), Some(bytes), Some(parts)) => match parts {
            Parts { above, is_intact: true, .. } => {
                let made = write(wanted, above, None);
                let is_same = |now: &[u8]| matches!(&made, Deed::Write { bytes, .. } if bytes == now);
                let is_same = is_same(bytes) || unix_lines(bytes).is_some_and(|bytes| is_same(&bytes));
                if is_same { Deed::Nothing } else { made }
            }
            Parts { above, is_intact: false, .. } => write(wanted, above, Some(Aside::Edited)),
        },
        (Some(wanted), Some(_), None) if layer == Layer::State => write(wanted, b"", Some(Aside::Before)),
        (Some(wanted), Some(bytes), None) => write(wanted, bytes, None),
        (None, Some(_), Some(Parts { above: b"", is_intact: true, .. })) => Deed::Remove,
        (None, Some(_), Some(Parts { above, is_intact: true, .. })) => {
            Deed::Write { bytes: above.to_vec(), aside: None }
        }
        (None, Some(_), Some(Parts { is_intact: false, .. })) if !super::aside::is_aside(path) => Deed::Leave,
        (None, _, _) => Deed::Nothing,
    }
}

fn write(wanted: &Wanted, above: &[u8], aside: Option<Aside>) -> Deed {
    let Wanted { path, layer, date, text } = wanted;
    Deed::Write { bytes: put_together(path, above, *layer, date, text), aside }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "layer3/2026-10-auth-archive.md";

    fn wanted(text: &str) -> Wanted {
        Wanted { path: PATH.to_owned(), layer: Layer::Archive, date: "2026-10".to_owned(), text: text.to_owned() }
    }

    fn written(deed: Deed) -> (Vec<u8>, Option<Aside>) {
        match deed {
            Deed::Write { bytes, aside } => (bytes, aside),
            other => panic!("nothing is written: {other:?}"),
        }
    }

    fn with(text: &str, present: Option<&[u8]>) -> Deed {
        decide(PATH, Layer::Archive, Some(&wanted(text)), present)
    }

    fn gone(present: &[u8]) -> Deed {
        decide(PATH, Layer::Archive, None, Some(present))
    }

    #[test]
    fn only_what_follows_the_mark_is_replaced() {
        let (first, _) = written(with("one\n", Some(b"theirs")));
        assert!(first.starts_with(b"theirs\n<!-- handoff: layer 3, 2026-10;") && first.ends_with(b"-->\none\n"));
        assert_eq!(with("one\n", Some(&first)), Deed::Nothing);
        let (second, aside) = written(with("two\n", Some(&first)));
        assert!(second.starts_with(b"theirs\n<!--") && second.ends_with(b"-->\ntwo\n") && aside.is_none());
        assert_eq!(written(gone(&second)).0, b"theirs", "what was there before stays, byte for byte");
    }

    #[test]
    fn an_edited_text_is_kept_aside_and_never_removed() {
        let (first, _) = written(with("one\n", None));
        assert_eq!(gone(&first), Deed::Remove);
        let edited = [&first[..], b"mine\n"].concat();
        assert_eq!(gone(&edited), Deed::Leave);
        let (second, aside) = written(with("one\n", Some(&edited)));
        assert_eq!((second, aside), (first, Some(Aside::Edited)));
        assert_eq!(gone(b"theirs"), Deed::Nothing);
    }

    #[test]
    fn other_line_ends_are_no_edit() {
        let (first, _) = written(with("one\ntwo\n", None));
        let windows = String::from_utf8(first).unwrap().replace('\n', "\r\n");
        assert_eq!(with("one\ntwo\n", Some(windows.as_bytes())), Deed::Nothing);
        assert_eq!(written(with("three\n", Some(windows.as_bytes()))).1, None);
    }
}
