use super::super::document::Kind;
use super::super::{Part, Query, search};
use super::*;
use crate::search::Document;

fn sample() -> Segment {
    let mut builder = Builder::default();
    for (key, title, text) in [
        ("b", "Refresh token", "rotates with each request, and the token before it ends"),
        ("a", "Cache", "of tokens and refreshes"),
        ("c", "", ""),
    ] {
        let fields = vec![(Weight::Title, title.into()), (Weight::Plain, text.into())];
        builder.add(key, 7, &[Document { item: Item::Task, fields }]);
    }
    builder.finish()
}

#[test]
fn what_is_written_is_found_again() {
    let segment = Segment::open(sample().bytes().to_vec()).expect("it is whole");
    assert_eq!((segment.sources(), segment.documents()), (3, 3));
    assert_eq!([0, 1, 2].map(|source| segment.key(source).to_owned()), ["a", "b", "c"]);
    assert_eq!((segment.find("b"), segment.find("d"), segment.mark(1)), (Some(1), None, 7));
    assert_eq!(segment.item(0).kind(), Kind::Task);
    let word = segment.find_word("token").expect("it is there");
    let places: Vec<_> =
        segment.postings(word).map(|posting| (posting.document, posting.place, posting.weight)).collect();
    assert_eq!(places, [(0, 1, Weight::Title), (0, 10, Weight::Plain)]);
    let forms: Vec<&str> = segment.words_of("token").map(|word| segment.word(word)).collect();
    assert_eq!(forms, ["token", "tokens"]);
    let beginning: Vec<&str> = segment.words_from("re").map(|word| segment.word(word)).collect();
    assert_eq!(beginning, ["refresh", "refreshes", "request"]);
    assert_eq!(segment.words_from("zz").count() + segment.words_of("zz").count(), 0);
}

#[test]
fn bytes_that_are_cut_short_changed_or_of_another_version_are_no_segment() {
    let whole = sample().bytes().to_vec();
    for end in 0..whole.len() {
        assert!(Segment::open(whole[..end].to_vec()).is_none(), "cut at {end}");
    }
    for place in 0..whole.len() {
        let mut changed = whole.clone();
        changed[place] ^= 0x40;
        assert!(Segment::open(changed).is_none(), "changed at {place}");
    }
    let mut longer = whole.clone();
    longer.push(0);
    assert!(Segment::open(longer).is_none());
}

// Whoever can write the file can also make its checksum right.
#[test]
fn whatever_whole_bytes_say_reading_stays_within_them() {
    let whole = sample().bytes().to_vec();
    for place in HEADER..whole.len() {
        for value in [0, 1, 0x7f, 0x80, 0xff] {
            let mut changed = whole.clone();
            changed[place] = value;
            let sum = checksum(&changed[24..]);
            changed[16..24].copy_from_slice(&sum.to_le_bytes());
            let Some(segment) = Segment::open(changed) else { continue };
            let is_live = vec![true; segment.sources()];
            for query in ["token", "\"refresh token\"", "re*", "tokne"] {
                let parts = [Part { segment: &segment, is_live: &is_live }];
                search(&Query::parse(query), &parts, |part: usize, source: usize| Some((part, source)));
            }
        }
    }
}
