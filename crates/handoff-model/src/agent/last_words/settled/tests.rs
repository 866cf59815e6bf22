use super::*;
use crate::agent::LastWords;

fn said(answer: &str) -> Vec<String> {
    let settled = LastWords::read(answer).settled;
    let how = |mention: &SettledMention| if mention.is_dropped { "dropped" } else { "done" };
    settled.iter().map(|mention| format!("{} {}", how(mention), mention.item)).collect()
}

#[test]
fn items_are_settled_by_their_ids() {
    for (answer, expected) in [
        ("n1 and n2 are done. The security review passed, so b1 is resolved.", &["done n1", "done n2", "done b1"][..]),
        ("Done: n1, n2", &["done n1", "done n2"]),
        ("Done: n1, n2.\nNext: nothing left to do.", &["done n1", "done n2"]),
        ("✓ n1", &["done n1"]),
        ("✅ n1 and n2", &["done n1", "done n2"]),
        ("n1 ✓", &["done n1"]),
        ("Closed n1", &["done n1"]),
        ("I've fixed n1, n2 and b1 in `src/a.rs`.", &["done n1", "done n2", "done b1"]),
        ("The parser is split. Resolved blocker b1.", &["done b1"]),
        ("`n1` is now done and tested.", &["done n1"]),
        ("**n1** (Handle duplicate rows) is done.", &["done n1"]),
        ("n1: done", &["done n1"]),
        ("n1 done.", &["done n1"]),
        ("n1 is done, n2 is still open.", &["done n1"]),
        ("n1 is done, but n2 is not.", &["done n1"]),
        ("n3 is no longer needed.", &["dropped n3"]),
        ("b1 is no longer blocking.", &["done b1"]),
        ("Dropped n3.", &["dropped n3"]),
        ("a3f9c12e#n7 has been completed.", &["done a3f9c12e#n7"]),
        ("## Done\n- n1: rows are merged\n- n2 Write the docs", &["done n1", "done n2"]),
        ("- [x] n1 Write the docs\n- [ ] n2 Ship", &["done n1"]),
    ] {
        assert_eq!(said(answer), expected, "{answer}");
    }
    let long = format!("{} n1 and n2 are done. n3 is no longer needed.", "The parser was slow here. ".repeat(60));
    assert_eq!(said(&LastWords::condensed(&long, 400)), ["done n1", "done n2", "dropped n3"]);
}

#[test]
fn doubt_settles_nothing() {
    for answer in [
        "n1 is not done.",
        "n1 isn't done",
        "Once n1 is done, deploy.",
        "Deploy once n1 is done",
        "Wait until b1 is resolved.",
        "Is n1 done?",
        "n1 is done?",
        "n1 is almost done",
        "n1 is done except for the docs.",
        "n1 is done, but only on Linux.",
        "n1 is done, but not tested.",
        "n1 is done for Postgres",
        "n1 is half done",
        "n1 will be done tomorrow",
        "n1 should be fixed by now",
        "I doubt that n1 is done",
        "I started to fix n1",
        "Not all of n1 and n2 are done.",
        "Neither n1 nor n2 is done.",
        "Fixed the n1 parser",
        "Fixed n1 partially",
        "Next: n1 is done in the morning",
        "## Next steps\n- Close n1\n- once n2 is done, ship",
        "Fix n1",
        "n1 is next",
        "Done with the parser, n1 is next",
        "Summary:\n- n1 is still open\n- n2 needs tests",
        "```\nn1 is done\n```",
        "> n1 is done",
        "http/1 is done",
        "",
    ] {
        assert_eq!(said(answer), [] as [&str; 0], "{answer}");
    }
}

#[test]
fn a_statement_stands_in_the_past_form() {
    let of = |sentence: &str| {
        let all = statements(sentence).into_iter().flat_map(imperatives).collect::<Vec<_>>();
        ["fix the skew in `src/auth.rs`", "stop the clock", "handle rows", "apply it", "write docs"]
            .into_iter()
            .filter(|wanted| all.iter().any(|form| form == wanted))
            .collect::<Vec<_>>()
    };
    for (sentence, expected) in [
        ("Fixed the skew in `src/auth.rs`.", &["fix the skew in `src/auth.rs`"][..]),
        ("I have fixed the skew in `src/auth.rs`, and all tests pass.", &["fix the skew in `src/auth.rs`"]),
        ("Stopped the clock and handled rows", &["stop the clock", "handle rows"]),
        ("We applied it; wrote docs", &["apply it", "write docs"]),
        ("Started to fix the skew in `src/auth.rs`", &[]),
        ("Fixed half of the skew in `src/auth.rs`", &[]),
        ("Fixed the skew in `src/auth.rs`, but not on Windows", &[]),
        ("Handled rows, except empty ones", &[]),
        ("Handled rows?", &[]),
        ("fix the skew in `src/auth.rs`", &[]),
        ("Embed it", &[]),
    ] {
        assert_eq!(of(sentence), expected, "{sentence}");
    }
}
