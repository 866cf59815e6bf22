use super::*;
use crate::id::SessionId;
use crate::session::{Session, SessionKind};

/// Sessions by one letter each, the last first, each with what it continues and what it was forked from.
fn shape(given: &[(&str, &str, &str)]) -> String {
    let name = |letter: &str| format!("2026-11-01-{}", letter.repeat(8));
    let sessions: Vec<(String, Session)> = given
        .iter()
        .map(|(letter, continues, forked_from)| {
            let id = SessionId::try_from(letter.repeat(8)).unwrap();
            let mut session = Session::new(id, SessionKind::Session, "2026-11-01T09:00:00Z".parse().unwrap());
            session.continues = (!continues.is_empty()).then(|| name(continues));
            session.forked_from = (!forked_from.is_empty()).then(|| name(forked_from));
            (name(letter), session)
        })
        .collect();
    let parties: Vec<Party<'_>> = sessions.iter().map(|(name, session)| Party { name, session }).collect();
    let placed = tree(&parties);
    let mut seen: Vec<usize> = placed.iter().map(|placed| placed.index).collect();
    seen.sort_unstable();
    assert_eq!(seen, (0..given.len()).collect::<Vec<_>>(), "each once");
    let lines: Vec<String> =
        placed.iter().map(|placed| format!("{}{}", ".".repeat(placed.depth), given[placed.index].0)).collect();
    lines.join(" ")
}

#[test]
fn a_line_goes_on_at_one_depth_and_what_branches_off_lies_deeper() {
    // a ── b ── e,  a fork of a (c) that is continued (d), a fork of c (f)
    let given = [("f", "", "c"), ("e", "b", ""), ("d", "c", ""), ("c", "", "a"), ("b", "a", ""), ("a", "", "")];
    assert_eq!(shape(&given), "a .c ..f .d b e");
}

#[test]
fn a_second_continuation_is_a_branch_and_the_latest_line_comes_first() {
    let given = [("c", "a", ""), ("d", "", ""), ("b", "a", ""), ("a", "", "")];
    assert_eq!(shape(&given), "a .c b d");
    let given = [("d", "", ""), ("b", "a", ""), ("a", "", "")];
    assert_eq!(shape(&given), "d a b");
}

#[test]
fn what_is_not_there_is_no_origin_and_circles_begin_with_the_oldest() {
    assert_eq!(shape(&[("b", "e", ""), ("a", "", "f")]), "b a");
    let round = [("d", "c", ""), ("c", "b", ""), ("b", "a", ""), ("a", "c", "")];
    assert_eq!(shape(&round), "a b c d");
    assert_eq!(shape(&[("a", "a", "")]), "a");
}

#[test]
fn a_family_is_all_that_comes_from_one_another_whichever_way() {
    let name = |letter: char| format!("2026-11-01-{}", letter.to_string().repeat(8));
    let mut sessions: Vec<(String, Session)> = "abcdef"
        .chars()
        .map(|letter| {
            let id = SessionId::try_from(letter.to_string().repeat(8)).unwrap();
            (name(letter), Session::new(id, SessionKind::Session, "2026-11-01T09:00:00Z".parse().unwrap()))
        })
        .collect();
    sessions[1].1.forked_from = Some(name('a'));
    sessions[2].1.merged_from = vec![name('b'), name('9')];
    sessions[3].1.merged_into = Some(name('c'));
    sessions[5].1.continues = Some(name('e'));
    let parties: Vec<Party<'_>> = sessions.iter().map(|(name, session)| Party { name, session }).collect();
    let families = families(&parties);
    assert!(families[..4].iter().all(|family| *family == families[0]), "{families:?}");
    assert_eq!(families[4], families[5]);
    assert_ne!(families[0], families[4]);
}
