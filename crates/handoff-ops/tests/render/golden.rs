//! The bytes of each rendering, kept in `fixtures/render/golden`.

use super::{Scratch, TARGETS, fixtures};

/// Compares a rendering with the one that is kept. With `HANDOFF_UPDATE_RENDERINGS=1` it is written anew.
fn assert_kept(name: &str, text: &str) {
    let path = fixtures().join("golden").join(name);
    if std::env::var_os("HANDOFF_UPDATE_RENDERINGS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == text,
        "{name} is rendered differently. If that is meant, run this test with HANDOFF_UPDATE_RENDERINGS=1 and look at \
         the difference in git. It was\n{kept}\nand is\n{text}"
    );
}

#[test]
fn every_record_has_its_bytes_for_every_target() {
    let usual = Scratch::with(&["2026-11-15-a3f9c12e", "2026-11-14-77c01b9d"]);
    // What is open in it would be part of the others.
    let hostile = Scratch::with(&["2026-11-13-0badc0de"]);
    for (record, id, scratch) in
        [("rich", "a3f9c12e", &usual), ("minimal", "77c01b9d", &usual), ("hostile", "0badc0de", &hostile)]
    {
        let mut seen: Vec<String> = Vec::new();
        for target in TARGETS {
            let text = scratch.render(id, target);
            assert_eq!(scratch.render(id, target), text, "the same again, {record} for {target}");
            assert_kept(&format!("{record}.{target}.md"), &text);
            assert!(!seen.contains(&text), "{record} for {target} is like another");
            seen.push(text);
        }
    }
}

#[test]
fn the_current_state_has_its_bytes_for_every_target() {
    let scratch = Scratch::with(&["2026-11-15-a3f9c12e", "2026-11-14-77c01b9d"]);
    scratch.write("src/auth/middleware.rs", "fn main() {}\n");
    for target in TARGETS {
        let text = scratch.state(target);
        assert_eq!(scratch.state(target), text, "the same again, for {target}");
        assert_kept(&format!("state.{target}.md"), &text);
    }
}
