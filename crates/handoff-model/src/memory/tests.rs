use proptest::prelude::*;

use super::*;
use crate::document::Unreadable;
use crate::when::Moment;

const FILE: &str = r#"+++
format = 1
id = "k7f3q2ma"
kind = "rule"
title = "No terraform from a laptop"
tags = ["infra"]
paths = ["infra/"]
branches = ["main", "release/*"]
confidence = "confirmed"
author = "ada"
created_at = 2026-11-15T09:15:03Z
session = "2026-11-15-a3f9c12e"
+++

Never run terraform from a laptop.

The state lock is held by CI.
"#;

fn at(text: &str) -> Moment {
    text.parse().unwrap()
}

fn memory(id: &str, kind: MemoryKind, text: &str) -> MemoryRecord {
    MemoryRecord::new(id.parse().unwrap(), kind, text.to_owned(), at("2026-11-15T09:00:00Z"))
}

fn rule(text: &str) -> MemoryRecord {
    memory("k7f3q2ma", MemoryKind::Rule, text)
}

#[test]
fn the_documented_file_reads_and_prints_to_the_same_bytes() {
    let memory = MemoryRecord::read(FILE).unwrap();
    assert_eq!(memory.kind, MemoryKind::Rule);
    assert_eq!(memory.text, "Never run terraform from a laptop.\n\nThe state lock is held by CI.");
    assert_eq!(memory.print(), FILE);
    assert_eq!(memory.file_name(), "no-terraform-from-a-laptop-k7f3q2ma.md");
}

#[test]
fn an_edit_keeps_comments_unknown_fields_and_an_unchanged_text() {
    let text = FILE
        .replace("kind = \"rule\"", "# ours\nkind = \"rule\" # binding\nreviewer = \"bob\"")
        .replace("by CI.\n", "by CI.\n\n\n+++ not a fence\n");
    let mut memory = MemoryRecord::read(&text).unwrap();
    memory.edit(MemoryEdit { tags: Some(vec!["infra".into(), "ci".into(), "ci".into()]), ..MemoryEdit::default() });
    let written = memory.write_over(&text).unwrap();
    assert_eq!(written, text.replace("tags = [\"infra\"]", "tags = [\"infra\", \"ci\"]"));
    memory.text = "Terraform runs in CI.".to_owned();
    let written = memory.write_over(&written).unwrap();
    assert!(written.ends_with("+++\n\nTerraform runs in CI.\n"), "{written}");
    assert!(written.contains("# ours\nkind = \"rule\" # binding\nreviewer = \"bob\""), "{written}");
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_stay() {
    let text = format!("\u{feff}{}", FILE.replace('\n', "\r\n"));
    let mut memory = MemoryRecord::read(&text).unwrap();
    memory.text = "one\ntwo".to_owned();
    let written = memory.write_over(&text).unwrap();
    assert!(written.starts_with("\u{feff}+++\r\n"), "{written:?}");
    assert!(written.ends_with("+++\r\n\r\none\r\ntwo\r\n"), "{written:?}");
    assert_eq!(written.matches('\n').count(), written.matches("\r\n").count());
}

#[test]
fn a_file_that_cannot_be_read_says_why_and_on_which_line() {
    let fault = |text: &str| MemoryRecord::read(text).unwrap_err();
    assert!(fault("just a text\n").reason.starts_with("the first line is not `+++`"));
    assert!(fault("+++\nid = \"k7f3q2ma\"\n").reason.contains("the fields do not end"));
    let Unreadable { line, .. } = fault("+++\nid = \"k7f3q2ma\"\nkind = \n+++\ntext\n");
    assert_eq!(line, Some(3));
    assert!(fault("+++\nid = \"k7f3q2ma\"\n+++\n\n").reason.contains("neither a text nor a title"));
    assert!(fault("+++\nid = \"k7f3q2ma\"\nformat = 9\n+++\nx\n").reason.contains("format 9"));
    assert!(fault("+++\nid = \"../../../x\"\n+++\nx\n").reason.contains("is not an id"));
}

#[test]
fn an_unknown_kind_is_read_as_a_fact_reported_and_left_in_the_file() {
    let text = FILE.replace("\"rule\"", "\"ruling\"");
    let mut memory = MemoryRecord::read(&text).unwrap();
    assert_eq!(memory.kind, MemoryKind::Fact);
    let problems = memory_problems("memory/x.md", &text);
    assert_eq!(problems.len(), 1);
    assert!(problems[0].to_string().starts_with("memory/x.md:4: `ruling` is not a kind of memory"), "{}", problems[0]);
    memory.text.push_str(" More.");
    assert!(memory.write_over(&text).unwrap().contains("kind = \"ruling\""));
}

#[test]
fn a_misspelled_key_is_reported_on_its_line() {
    let problems = memory_problems("memory/x.md", &FILE.replace("title", "tjtle"));
    assert!(problems[0].to_string().starts_with("memory/x.md:5: `tjtle`"), "{problems:?}");
    assert_eq!(memory_problems("memory/x.md", FILE), []);
}

#[test]
fn a_summary_is_the_title_or_the_first_sentence() {
    let mut memory = rule("# Use port 5433. The other one is taken.");
    assert_eq!(memory.summary(), "Use port 5433. The other one is taken.");
    memory.text = format!("Read main.rs first. {}", "word ".repeat(60));
    assert_eq!(memory.summary(), "Read main.rs first.");
    memory.text = "word ".repeat(60).trim().to_owned();
    assert!(memory.summary().ends_with("word…") && memory.summary().chars().count() <= 161);
    memory.title = Some("Words".to_owned());
    assert_eq!(memory.summary(), "Words");
}

#[test]
fn a_memory_without_letters_still_has_a_file_name() {
    assert_eq!(rule("…!").file_name(), "memory-k7f3q2ma.md");
    assert_eq!(rule("../../etc/passwd").file_name(), "etc-passwd-k7f3q2ma.md");
}

#[test]
fn branches_limit_where_a_memory_applies() {
    let mut memory = rule("x");
    assert!(memory.applies_on(Some("anything")));
    memory.branches = vec!["main".to_owned(), "release/*".to_owned()];
    assert!(memory.applies_on(None), "nobody knows the branch");
    assert!(memory.applies_on(Some("main")) && memory.applies_on(Some("release/2.1")));
    assert!(!memory.applies_on(Some("maintenance")));
}

#[test]
fn a_retired_memory_says_when_why_and_what_replaced_it() {
    let mut memory = rule("x");
    let other = "m2x9a4te".parse().unwrap();
    assert_eq!(
        memory.retire(at("2026-11-16T09:00:00Z"), None, Some(memory.id)),
        Err(RetireRefusal::ByItself(memory.id))
    );
    memory.retire(at("2026-11-16T09:00:00Z"), Some("outdated".to_owned()), Some(other)).unwrap();
    assert!(!memory.is_in_force());
    assert_eq!(memory.retire(at("2026-11-17T09:00:00Z"), None, None), Err(RetireRefusal::Already(memory.id)));
    assert!(memory.print().contains("retired_at = 2026-11-16T09:00:00Z\nretired_because = \"outdated\"\n"));
}

#[test]
fn a_memory_is_named_by_id_beginning_file_or_former_id() {
    let mut memory = rule("Use port 5433");
    memory.origin = Some(Origin {
        system: "handoff-mcp".to_owned(),
        id: "m-20260301-091503-824051".to_owned(),
        digest: None,
        fields: serde_json::Map::new(),
    });
    let named = |text: &str| text.parse::<MemoryRef>().unwrap();
    assert!(named("K7F3q2ma").is_name_of(&memory));
    assert!(named("memory/use-port-5433-k7f3q2ma.md").is_name_of(&memory));
    assert!(named("m-20260301-091503-824051").is_name_of(&memory));
    assert!(named("k7f").is_beginning_of(&memory) && !named("k7f").is_name_of(&memory));
    for wrong in ["", " ", "a b", "../x", "a/b", "x\0", &"x".repeat(200)] {
        assert!(wrong.parse::<MemoryRef>().is_err(), "{wrong:?}");
    }
}

fn likeness(one: &str, other: &str) -> Option<MemoryLikeness> {
    let (one, other) = (rule(one), memory("m2x9a4te", MemoryKind::Fact, other));
    let found = similar_memories(&one, [&other]);
    let back = similar_memories(&other, [&one]);
    assert_eq!(found, back, "whichever is compared with the other");
    found.first().map(|found| found.likeness)
}

#[test]
fn the_same_words_in_another_form_are_the_same_memory() {
    for (one, other) in [
        ("Never run terraform from a laptop", "never run Terraform  from a laptop."),
        ("Write files through a temp file, then rename", "write files through a temp file then rename"),
        ("テスト用データベースは5433番", "テスト用データベースは5433番。"),
    ] {
        assert_eq!(likeness(one, other), Some(MemoryLikeness::Same), "{one} / {other}");
    }
}

#[test]
fn a_negation_a_number_or_an_opposite_makes_a_contradiction() {
    for (one, other) in [
        ("Run the migrations before deploying the api", "Do not run the migrations before deploying the api"),
        ("The test database listens on port 5433", "The test database listens on port 5432"),
        ("Enable telemetry in staging builds", "Disable telemetry in staging builds"),
        ("Always rebase feature branches", "Never rebase feature branches"),
        ("Indent shell scripts with tabs", "Indent shell scripts with spaces"),
    ] {
        assert_eq!(likeness(one, other), Some(MemoryLikeness::Contradicts), "{one} / {other}");
    }
}

#[test]
fn most_of_the_words_make_a_similar_memory_and_another_subject_makes_none() {
    let one = "Write record files through a temporary file and rename it into place";
    let near = "Write each record file through a temporary file, then rename it into its place";
    assert_eq!(likeness(one, near), Some(MemoryLikeness::Similar));
    for other in ["Write tests for the parser", "Rename the staging server", "Files over 4 MB are refused", "…"] {
        assert_eq!(likeness(one, other), None, "{other}");
    }
    assert_eq!(likeness("…", "!!"), None);
}

#[test]
fn groups_are_those_that_comparing_every_pair_finds() {
    let texts = [
        "Write record files through a temporary file and rename it into place",
        "The test database listens on port 5433",
        "Write each record file through a temporary file, then rename it into its place",
        "Use nextest for the suite",
        "The test database listens on port 5432",
    ];
    let ids = ["aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd", "eeeeeeee"];
    let memories: Vec<MemoryRecord> =
        ids.iter().zip(texts).map(|(id, text)| memory(id, MemoryKind::Fact, text)).collect();
    let groups = groups_of_similar(&memories.iter().collect::<Vec<_>>());
    assert_eq!(groups, [(MemoryLikeness::Contradicts, vec![1, 4]), (MemoryLikeness::Similar, vec![0, 2])]);
}

fn chosen(at_hand: &MemorySurroundings<'_>, memories: &[MemoryRecord], budget: usize) -> Vec<(usize, MemoryReason)> {
    let memories: Vec<&MemoryRecord> = memories.iter().collect();
    let found = relevant_memories(at_hand, &memories, budget, |_| 10);
    found.into_iter().map(|found| (found.place, found.reason)).collect()
}

#[test]
fn memories_for_the_files_at_hand_come_before_standing_rules() {
    let mut governing = memory("aaaaaaaa", MemoryKind::Convention, "Handlers return Problem values");
    governing.paths = vec!["src/api/".to_owned()];
    let mut labelled = memory("bbbbbbbb", MemoryKind::Lesson, "Ask ops before a release");
    labelled.tags = vec!["Deploy".to_owned()];
    let standing = memory("cccccccc", MemoryKind::Rule, "Never push to main");
    let fact = memory("dddddddd", MemoryKind::Fact, "The office is in Oslo");
    let mut elsewhere = memory("eeeeeeee", MemoryKind::Rule, "Freeze the schema");
    elsewhere.branches = vec!["release/*".to_owned()];
    let mut retired = memory("ffffffff", MemoryKind::Rule, "Use tabs");
    retired.retired_at = Some(at("2026-11-16T09:00:00Z"));
    let all = [standing, fact, labelled, governing, elsewhere, retired];
    let (paths, labels) = (["src/api/users.rs".to_owned()], ["deploy".to_owned()]);
    let at_hand =
        MemorySurroundings { paths: &paths, branch: Some("main"), labels: &labels, ..MemorySurroundings::default() };
    assert_eq!(
        chosen(&at_hand, &all, 1000),
        [
            (3, MemoryReason::Governs("src/api/users.rs".to_owned())),
            (2, MemoryReason::Label("Deploy".to_owned())),
            (0, MemoryReason::Standing),
        ]
    );
    assert_eq!(chosen(&at_hand, &all, 20).len(), 2, "the budget holds");
    assert_eq!(
        chosen(&MemorySurroundings::default(), &all, 1000).len(),
        2,
        "rules of any branch, where it is not known"
    );
}

#[test]
fn the_words_of_a_prompt_find_a_memory_and_small_talk_finds_none() {
    let mut all: Vec<MemoryRecord> = (0..40)
        .map(|number| {
            let id = format!("m{number:07}");
            memory(&id, MemoryKind::Fact, &format!("Module {number} keeps its settings in file number {number}"))
        })
        .collect();
    all.push(memory(
        "kkkkkkkk",
        MemoryKind::Lesson,
        "Refresh tokens expire while the clock of the staging gateway drifts",
    ));
    let find = |words| chosen(&MemorySurroundings { words, ..MemorySurroundings::default() }, &all, 1000);
    let found = find("why do refresh tokens fail on the staging gateway?");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, 40);
    assert_eq!(find("ok thanks, go on"), []);
}

fn any_memory() -> impl Strategy<Value = MemoryRecord> {
    let line = "[ -~é語\\t]{0,30}[a-z\"'\\\\+]";
    let list = || proptest::collection::vec(line, 0..3);
    let text = "(?s)[a-z+].{0,200}[a-z+]|\\+\\+\\+\n[a-z]+";
    let fields = (line, proptest::option::of("(?s)[a-z].{0,60}"), list(), list(), list(), list());
    let kinds = proptest::sample::select(MemoryKind::ALL);
    (any::<[u8; 8]>(), kinds, text, fields, any::<bool>()).prop_map(|(id, kind, text, fields, is_retired)| {
        let text = text.replace('\r', "").trim().to_owned();
        let mut memory = MemoryRecord::new(MemoryId::from_random(id), kind, text, at("2026-11-15T09:00:00Z"));
        (memory.title, memory.retired_because) = (Some(fields.0), fields.1);
        (memory.tags, memory.keywords, memory.paths, memory.branches) = (fields.2, fields.3, fields.4, fields.5);
        memory.retired_at = is_retired.then(|| at("2026-11-16T09:00:00Z"));
        memory
    })
}

proptest! {
    #[test]
    fn a_printed_memory_reads_back_as_it_was(memory in any_memory()) {
        let read = MemoryRecord::read(&memory.print());
        prop_assert_eq!(read.as_ref(), Ok(&memory), "{}", memory.print());
    }

    #[test]
    fn a_memory_written_over_another_says_what_it_should(old in any_memory(), new in any_memory()) {
        let new = MemoryRecord { id: old.id, ..new };
        let written = new.write_over(&old.print()).unwrap();
        prop_assert_eq!(MemoryRecord::read(&written), Ok(new), "{}", written);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(?s)(\\+\\+\\+\n)?.{0,200}") {
        let _ = MemoryRecord::read(&text);
        let _ = memory_problems("memory/x.md", &text);
    }
}

#[test]
fn a_secret_never_gets_into_the_name_of_the_file() {
    let token = format!("{}{}", "ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let at = "2026-11-15T09:15:03Z".parse().unwrap();
    let id = "n7b2c4de".parse().unwrap();
    let memory = MemoryRecord::new(id, MemoryKind::Fact, format!("{token} is the deploy token"), at);
    assert!(!memory.file_name().contains("a1b2c3"), "{}", memory.file_name());
}
