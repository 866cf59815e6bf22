//! What holds for every request and every text that is shown.
//!
//! `PROPTEST_CASES` sets how many are tried. The bodies are those of the fuzz targets in `fuzz/`.
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests prepare files as a person would")]

#[path = "../../../../fuzz/src/choices.rs"]
pub mod choices;
#[path = "../../../../fuzz/src/requests.rs"]
pub mod requests;
#[path = "../../../../fuzz/src/texts.rs"]
pub mod texts;

use std::path::Path;

use handoff_ops::{Breaks, registry, visible};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::choices::Choices;

/// This many cases, unless the environment says otherwise.
fn cases(count: u32) -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, max_shrink_iters: 400, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() { config } else { ProptestConfig { cases: count, ..config } }
}

/// Bytes to choose with.
fn bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(proptest::num::u8::ANY, 0..most)
}

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let mut paths: Vec<_> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// A value where another was expected, now and then one that means something.
fn value(choices: &mut Choices, depth: usize) -> Value {
    match choices.below(if depth == 0 { 7 } else { 9 }) {
        0 => json!(choices.pick(&["1", "1.1", "2", "top", "done", "todo", "high", "none", "2026-11-15", "a"])),
        1 => json!(texts::any(choices)),
        2 => json!(choices.byte()),
        3 => json!(choices.pick(&[-1.0, 0.5, 1e300, 18_446_744_073_709_551_615.0])),
        4 => json!(choices.flag()),
        5 | 6 => Value::Null,
        7 => Value::Array(choices.list(3, |choices| value(choices, depth - 1))),
        _ => json!({ "item": value(choices, depth - 1), "target": value(choices, depth - 1) }),
    }
}

/// A request with fields of the operation, most of them of the right kind.
fn request(choices: &mut Choices) -> String {
    let entry = &registry::ALL[choices.below(registry::ALL.len())];
    let schema = entry.schema();
    let fields: Vec<&String> = schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name).collect();
    let mut request = entry.example();
    for _ in 0..choices.below(4) {
        if !fields.is_empty() {
            request[fields[choices.below(fields.len())].as_str()] = value(choices, 2);
        }
    }
    if request.get("id").is_some() && choices.flag() {
        request["id"] = json!(choices.pick(&["1", "2", "1.1"]));
    }
    format!("{} {request}", entry.name)
}

#[test]
fn every_target_takes_its_seeds() {
    for seed in seeds("request_json") {
        requests::read_only(&seed);
    }
    for seed in seeds("requests") {
        requests::run(&seed, scratch().path());
    }
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn what_is_shown_has_no_control_characters(bytes in bytes(60), any in "\\PC{0,40}|.{0,40}") {
        let text = texts::odd(&mut Choices::new(&bytes)) + &any;
        for breaks in [Breaks::Keep, Breaks::Mark] {
            let shown = visible(&text, breaks);
            let is_break = |c: char| c == '\n' && breaks == Breaks::Keep;
            prop_assert!(!shown.chars().any(|c| c.is_control() && !is_break(c)), "{:?}", shown);
            prop_assert!(!shown.contains(['\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}', '\u{2028}']), "{:?}", shown);
            prop_assert_eq!(visible(&shown, breaks), shown.as_ref(), "shown twice");
        }
    }

    #[test]
    fn no_request_is_a_surprise(bytes in bytes(60)) {
        requests::read_only(request(&mut Choices::new(&bytes)).as_bytes());
        requests::read_only(&bytes);
    }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn requests_leave_a_project_whole(bytes in bytes(160)) {
        let mut choices = Choices::new(&bytes);
        let lines: Vec<String> = (0..8).map(|_| request(&mut choices)).collect();
        let start = "task.create {\"title\":\"a\"}\ntask.create {\"title\":\"b\",\"parent\":\"1\"}\n";
        requests::run(format!("{start}{}", lines.join("\n")).as_bytes(), scratch().path());
    }
}
