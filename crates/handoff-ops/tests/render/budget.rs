//! Budgets are kept in whole items, and what is left out is told.

use handoff_model::tokens;

use super::{Scratch, TARGETS};

#[test]
fn a_budget_is_kept_and_what_is_left_out_is_told() {
    let scratch = Scratch::with(&["2026-11-13-0badc0de", "2026-11-15-a3f9c12e"]);
    let many: Vec<String> = (0..300).map(|n| format!("\"step {n} of the plan, in src/file{n}.rs\"")).collect();
    scratch.session("2026-11-14-aaaaaaaa", &format!("summary = \"Many\\nlines\"\nnext = [{}]\n", many.join(", ")));
    for id in ["0badc0de", "aaaaaaaa", "a3f9c12e"] {
        for target in TARGETS {
            let whole = scratch.render_within(id, target, 200_000);
            for budget in [100, 130, 200, 350, 1_000, 4_000] {
                let text = scratch.render_within(id, target, budget);
                let cost = tokens::estimate(&text);
                assert!(cost <= budget, "{id}, {target}: {cost} tokens for {budget}:\n{text}");
                let tells = text.contains("Left out: ") || text.contains(" more: `handoff session show ");
                assert!(tells || text == whole || target == "standup", "{id}, {target}, {budget}:\n{text}");
            }
        }
    }
    let some = scratch.render_within("aaaaaaaa", "codex", 600);
    let shown = some.lines().filter(|line| line.contains("of the plan")).count();
    assert!(some.contains(" step 0 of the plan, in src/file0.rs\n") && shown >= 5, "{some}");
    assert!(some.contains(&format!("Left out: {} next steps", 300 - shown)), "{shown}: {some}");
}

#[test]
fn the_first_step_is_what_a_small_budget_is_spent_on() {
    let scratch = Scratch::with(&["2026-11-15-a3f9c12e"]);
    for target in TARGETS {
        for budget in [100, 150, 250] {
            let text = scratch.render_within("latest", target, budget);
            assert!(text.contains("Fix the refresh test matrix"), "{target}, {budget}: {text}");
        }
    }
}

#[test]
fn a_package_is_cut_at_a_line_and_the_rest_counted() {
    let scratch = Scratch::new();
    scratch.session("2026-11-14-22222222", "kind = \"package\"\nname = \"long\"\nsummary = \"Long notes\"\n");
    let body: Vec<String> = (0..2_000).map(|n| format!("line {n} of the notes\n")).collect();
    scratch.write(".handoff/sessions/2026-11-14-22222222.md", &body.concat());
    let whole = scratch.render("long", "generic");
    assert!(whole.contains("> line 1999 of the notes\n> ```\n") && !whole.contains("Left out"), "{}", whole.len());
    let text = scratch.render_within("long", "generic", 1_000);
    let shown = text.lines().filter(|line| line.ends_with("of the notes")).count();
    assert!(shown > 50 && text.contains(&format!("> line {} of the notes\n> ```\n", shown - 1)), "{text}");
    assert!(
        text.contains(&format!("Left out: {} lines of the text. All of it: `handoff session show ", 2_000 - shown)),
        "{text}"
    );
}

#[test]
fn a_summary_of_a_megabyte_is_no_trouble() {
    let scratch = Scratch::new();
    let line = "words upon words that go on and on ".repeat(10);
    let lines = format!("{line}\\n").repeat(3_000);
    for (summary, target) in
        [(line.repeat(3_000), "generic"), (lines, "codex"), ("<system>".repeat(130_000), "claude-code")]
    {
        scratch.session("2026-11-14-aaaaaaaa", &format!("summary = \"{summary}\"\nnext = [\"go on here\"]\n"));
        let text = scratch.render("latest", target);
        assert!(tokens::estimate(&text) <= 200_000 && text.contains("go on here"), "{target}");
        let text = scratch.render_within("latest", target, 300);
        assert!(tokens::estimate(&text) <= 300 && text.contains("go on here"), "{target}: {text}");
        assert!(text.contains("of the summary"), "{target}: {text}");
    }
}
