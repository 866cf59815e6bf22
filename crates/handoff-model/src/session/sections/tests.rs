use proptest::prelude::*;

use super::*;

fn kinds(body: &str) -> Vec<SectionKind> {
    Sections::find(body).found.iter().map(|section| section.kind).collect()
}

fn items(section: &Section) -> Vec<&str> {
    section.items.iter().map(|item| item.text.as_str()).collect()
}

#[test]
fn the_template_has_every_section_once() {
    assert_eq!(kinds(TEMPLATE), SectionKind::ALL);
    for section in Sections::find(TEMPLATE).found {
        assert_eq!(section.heading, section.kind.title());
        assert!(!section.text.is_empty());
    }
    assert_eq!(Sections::find(TEMPLATE).rest, "");
}

#[test]
fn headings_are_known_by_what_people_call_them() {
    use SectionKind::{Context, CurrentState, Files, KeyDecisions, NextSteps, Warnings};
    for (heading, kind) in [
        ("# CONTEXT", Context),
        ("###### 1. Background ######", Context),
        ("## 2) Decisions made", KeyDecisions),
        ("## 🔑 Key Decisions 🔑", KeyDecisions),
        ("Current status\n==============", CurrentState),
        ("What's next?\n---", NextSteps),
        ("## What’s next", NextSteps),
        ("## `TODO`:", NextSteps),
        ("## To-Do", NextSteps),
        ("## Next Steps (in this order)", NextSteps),
        ("**Next steps:**", NextSteps),
        ("__Next steps__:", NextSteps),
        ("🚀 **Next steps**", NextSteps),
        ("## Warnings & Gotchas", Warnings),
        ("## 5.2 Gotchas", Warnings),
        ("## Status: half done", CurrentState),
        ("## *Files* of Note", Files),
        ("## Key files — where to look", Files),
    ] {
        assert_eq!(kinds(heading), [kind], "{heading}");
    }
    for heading in [
        "## Open questions",
        "## Notes",
        "## Decisions we still need",
        "Next steps",
        "**Next** steps",
        "## ",
        "## 3",
        "> ## Context",
    ] {
        assert_eq!(kinds(heading), [], "{heading}");
    }
}

#[test]
fn lists_and_prose_are_told_apart() {
    let body = "\
# Handoff

Intro.

## Next Steps
First read this:

1. [ ] Fix the `refresh` test
   in [the matrix](tests/x.md)
   - [x] nested, done
   * nested, open

   More about it.
2. Run race tests

```sh
# TODO
- not an item
```
";
    let sections = Sections::find(body);
    assert_eq!(sections.rest, "# Handoff\n\nIntro.");
    let section = &sections.found[0];
    assert_eq!(
        items(section),
        [
            "Fix the `refresh` test\nin [the matrix](tests/x.md)\nMore about it.",
            "nested, done",
            "nested, open",
            "Run race tests"
        ]
    );
    let state: Vec<_> = section.items.iter().map(|item| (item.checked, item.depth)).collect();
    assert_eq!(state, [(Some(false), 0), (Some(true), 1), (None, 1), (None, 0)]);
    assert_eq!(section.prose, "First read this:\n\n```sh\n# TODO\n- not an item\n```");
}

#[test]
fn a_section_ends_at_a_heading_of_its_level_and_keeps_those_below() {
    let body = "## State\nfine\n### Backend\nalso\n### Gotchas\n- slow\n### Frontend\nlast\n## Open questions\nwhy?\n# Other\n";
    let sections = Sections::find(body);
    assert_eq!(kinds(body), [SectionKind::CurrentState, SectionKind::Warnings]);
    assert_eq!(sections.found[0].text, "fine\n### Backend\nalso\n### Frontend\nlast");
    assert_eq!(items(&sections.found[1]), ["slow"]);
    assert_eq!(sections.rest, "## Open questions\nwhy?\n# Other");
}

#[test]
fn bold_lines_are_headings_too() {
    let body = "**Context**\nwe move\nto JWT\n\n**Next steps:**\n- a\n- b\n\n**Open questions**\n\nwhy?\n";
    let sections = Sections::find(body);
    assert_eq!(sections.found[0].prose, "we move\nto JWT");
    assert_eq!(items(&sections.found[1]), ["a", "b"]);
    assert_eq!(sections.found.len(), 2);
    assert_eq!(sections.rest, "**Open questions**\n\nwhy?");
    assert_eq!(sections.of(SectionKind::NextSteps).count(), 1);
}

#[test]
fn front_matter_and_windows_line_ends_are_borne() {
    let body = "---\ntitle: x\n---\r\n\r\n## Context\r\n\r\n    code\r\n\r\n## TODO\r\n- a\r\n- b\r\n";
    let sections = Sections::find(body);
    assert_eq!(sections.found[0].text, "    code");
    assert_eq!(items(&sections.found[1]), ["a", "b"]);
    assert!(sections.rest.contains("title: x"));
}

proptest! {
    #[test]
    fn nothing_of_any_text_is_lost(
        parts in proptest::collection::vec(
            prop_oneof![
                "(#{1,7} |- |[0-9]\\. |> |    |\\*\\*|```|~~~|---\n|===\n|\\[x\\] |\n\n|\r\n|\t|\\|a\\|b\\|\n|<b>|\\[a\\]: x\n)",
                "(Context|TODO|next|\\PC{0,6})\n?",
            ],
            0..20,
        ),
    ) {
        let body = parts.concat();
        let blocks = blocks::blocks(&body);
        let together: String = blocks.iter().map(|(_, written)| *written).collect();
        prop_assert_eq!(&together, &body);

        let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
        let sections = Sections::find(&body);
        let inside: usize = sections.found.iter().map(|section| letters(&section.text)).sum();
        let is_heading = |block: &Block| matches!(block, Block::Heading { text, .. } if names::meaning(text).is_some());
        let headings: usize = blocks.iter().filter(|(block, _)| is_heading(block)).map(|(_, text)| letters(text)).sum();
        prop_assert_eq!(inside + headings + letters(&sections.rest), letters(&body));
    }
}
