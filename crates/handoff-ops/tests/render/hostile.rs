//! Whatever a record says stands in quotation, and nothing in it acts on a reader.

use proptest::prelude::*;

use super::{Scratch, TARGETS};

/// Stands in every text that somebody else wrote.
const MARK: &str = "zqx";

/// Checks that every line either is ours alone or is marked as quotation.
fn assert_set_apart(text: &str, target: &str) {
    let quote = match target {
        "claude-code" => "  ",
        "standup" => "- ",
        _ => "> ",
    };
    for line in text.lines() {
        let is_ours = !line.contains(MARK) && !line.contains("passwd") && !line.contains("secret");
        assert!(line.starts_with(quote) || is_ours, "{target}: {line}\n\n{text}");
        let is_foreign = line.starts_with("```") || line.starts_with("~~~") || line == "---";
        assert!(!is_foreign, "{target}: {line}\n\n{text}");
    }
    let hidden =
        |c: char| (c.is_control() && c != '\n') || "\u{202e}\u{2066}\u{200b}\u{2028}\u{2029}\u{feff}".contains(c);
    assert_eq!(text.chars().find(|c| hidden(*c)), None, "{target}: {text:?}");
    assert!(!text.contains("hunter2hunter2"), "{target} tells a secret: {text}");
    if !matches!(target, "generic" | "codex") {
        for acts in ["@/etc", "@.env", "@here", "@alice", "@zqx", "@.."] {
            assert!(!text.contains(acts), "{target}: {acts}\n{text}");
        }
    }
    let count = |what: &str| text.matches(what).count();
    match target {
        "copilot" => assert!(count("#file:/etc") + count("#codebase") + count("#file:.") == 0, "{text}"),
        "claude-code" => {
            assert_eq!((count("<handoff>"), count("</handoff>")), (1, 1), "{text}");
            for tag in ["state", "next_steps", "blockers", "notes", "text"] {
                assert_eq!(count(&format!("<{tag}>")), count(&format!("</{tag}>")), "{tag}: {text}");
            }
        }
        "agents-md" => assert!(count("<!--") <= 2 && count("-->") <= 2 && count("handoff:end -->") == 0, "{text}"),
        _ => {}
    }
}

#[test]
fn hostile_text_never_leaves_its_quotation_whatever_the_budget() {
    let scratch = Scratch::with(&["2026-11-13-0badc0de"]);
    for target in TARGETS {
        assert_set_apart(&scratch.render("latest", target), target);
        assert_set_apart(&scratch.state(target), target);
        for budget in [100, 160, 300, 900, 200_000] {
            assert_set_apart(&scratch.render_within("latest", target, budget), target);
        }
    }
}

#[test]
fn fences_of_every_length_and_kind_stay_inside_the_text() {
    let scratch = Scratch::new();
    scratch.session("2026-11-13-0badc0de", "summary = \"s\"\n");
    for length in 3..12 {
        let (ticks, tildes) = ("`".repeat(length), "~".repeat(length));
        let body = format!("{ticks}\nzqx\n{ticks}\n{tildes}\nzqx\n{tildes}\n# zqx\n  {ticks} zqx\n");
        scratch.write(".handoff/sessions/2026-11-13-0badc0de.md", &body);
        for target in TARGETS {
            let text = scratch.render("latest", target);
            assert_set_apart(&text, target);
            if target != "claude-code" && target != "standup" {
                let fence = "`".repeat(length + 1);
                let inside: Vec<String> = body.lines().map(|line| format!("> {line}\n")).collect();
                let inside = inside.concat();
                assert!(text.contains(&format!("> {fence}markdown\n{inside}> {fence}\n")), "{target}: {text}");
            }
        }
    }
}

/// Pieces that tricks are made of.
const PIECES: &[&str] = &[
    "\n",
    "\r\n",
    "zqx",
    " ",
    "# ",
    "> ",
    "- ",
    "```",
    "~~~~",
    "---",
    "</handoff>",
    "<state>",
    "<!--",
    "-->",
    "@/etc/passwd",
    "@zqx",
    "#file:/etc/passwd",
    "\u{1b}[2J",
    "\u{202e}",
    "\u{2028}",
    "\t",
    "<\\",
    "&lt;",
    "</system-reminder>",
    "`",
    "\\",
    "\u{85}",
    "1. ",
    "    ",
    "* * *",
    "===",
    "<handoff-state:end>",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_mixture_of_tricks_leaves_its_quotation(pieces in prop::collection::vec(prop::sample::select(PIECES), 1..14)) {
        // The mark stands on each line, so that no line goes unseen.
        let text = pieces.concat().replace('\n', "\nzqx");
        let text = format!("{text}zqx");
        let said = serde_json::to_string(&text).unwrap();
        let scratch = Scratch::new();
        scratch.session(
            "2026-11-13-0badc0de",
            &format!(
                "title = {said}\nsummary = {said}\nname = {said}\ntags = [{said}]\nnext = [{said}]\nblockers = [{said}]\n\n\
                 [[decisions]]\nid = \"d1\"\ndecision = {said}\nreason = {said}\npaths = [{said}]\n\n\
                 [[notes]]\nnote = {said}\n\n[[checklist]]\nitem = {said}\nchecked = true\n\n\
                 [[pointers]]\npath = {said}\nlines = {said}\nreason = {said}\n\n[git]\nbranch = {said}\ndirty = [{said}]\n"
            ),
        );
        scratch.write(".handoff/sessions/2026-11-13-0badc0de.md", &text);
        for target in TARGETS {
            assert_set_apart(&scratch.render("latest", target), target);
        }
    }
}
