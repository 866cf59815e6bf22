//! Whatever a record says, a rendering of it says in quotation, within its budget, and nothing in it acts on a reader.

use handoff_model::tokens;
use handoff_testkit::{TestProject, project};

const TARGETS: [&str; 11] = [
    "generic",
    "claude-code",
    "codex",
    "cursor",
    "gemini",
    "copilot",
    "opencode",
    "cline",
    "agents-md",
    "pr-description",
    "standup",
];
/// Stands in every text that somebody else wrote.
const MARK: &str = "zqx";

fn hostile() -> TestProject {
    let project = project!();
    project.write(
        ".handoff/sessions/2026-11-13-0badc0de.toml",
        include_str!("../../../fixtures/render/2026-11-13-0badc0de.toml"),
    );
    project.write(
        ".handoff/sessions/2026-11-13-0badc0de.md",
        include_str!("../../../fixtures/render/2026-11-13-0badc0de.md"),
    );
    project
}

/// Checks that every line either is ours alone or is marked as quotation.
fn assert_set_apart(text: &str, target: &str, what: &str) {
    let quotes: &[&str] = match target {
        "claude-code" => &["  "],
        "standup" => &["- "],
        _ => &["> "],
    };
    let mentions = ["Read first: @src/plain.rs", "Context: @src/plain.rs", "Files: @src/plain.rs"];
    for line in text.lines() {
        let is_quoted = quotes.iter().any(|quote| line.starts_with(quote));
        let is_ours = !line.contains(MARK) && !line.contains("passwd") && !line.contains("secret");
        assert!(is_quoted || is_ours || mentions.contains(&line), "{what}, {target}: {line}\n\n{text}");
        assert!(!line.starts_with("```") && !line.starts_with("~~~") && line != "---", "{what}, {target}: {line}");
        let is_heading = line.starts_with('#') && !line.starts_with("#file:");
        assert!(!is_heading || !line.contains("Instructions"), "{what}, {target}: {line}");
    }
    assert!(!text.contains("hunter2hunter2"), "{what}, {target}: a secret");
    if !matches!(target, "generic" | "codex") {
        for acts in ["@/etc", "@.env", "@here", "@alice", "@zqx"] {
            assert!(!text.contains(acts), "{what}, {target}: {acts}");
        }
    }
    match target {
        "copilot" => assert!(!text.contains("#file:/etc") && !text.contains("#codebase"), "{what}: {text}"),
        "claude-code" => {
            let tags = |tag: &str| text.matches(tag).count();
            assert_eq!((tags("<handoff>"), tags("</handoff>")), (1, 1), "{what}: {text}");
            assert_eq!(tags("</next_steps>"), tags("<next_steps>"), "{what}: {text}");
        }
        "agents-md" => assert!(text.matches("<!--").count() <= 2 && text.matches("-->").count() <= 2, "{what}: {text}"),
        _ => {}
    }
}

#[test]
fn hostile_text_never_leaves_its_quotation_whatever_the_budget() {
    let project = hostile();
    for target in TARGETS {
        for budget in ["", "--budget 100", "--budget 300", "--budget 900", "--budget 200000"] {
            let answer = project.call(&format!("render --target {target} {budget}")).run();
            assert_set_apart(&answer.succeeded().stdout, target, budget);
        }
        let answer = project.call(&format!("resume --for {target} --budget 9000")).run();
        assert_set_apart(&answer.succeeded().stdout, target, "state");
    }
}

#[test]
fn fences_of_every_length_and_kind_stay_inside_the_text() {
    let project = project!();
    project.put_session("2026-11-13-0badc0de", "status = \"closed\"\nsummary = \"s\"\nended_at = 2026-11-13T09:00:00Z\n");
    for length in 3..12 {
        let (ticks, tildes) = ("`".repeat(length), "~".repeat(length));
        let body = format!("{ticks}\nzqx\n{ticks}\n{tildes}\nzqx\n{tildes}\n# zqx\n  {ticks} zqx\n");
        project.write(".handoff/sessions/2026-11-13-0badc0de.md", &body);
        for target in TARGETS {
            let text = project.call(&format!("render --target {target}")).run().succeeded().stdout.clone();
            assert_set_apart(&text, target, &ticks);
            if target != "claude-code" && target != "standup" {
                let fence = "`".repeat(length + 1);
                let inside: String = body.lines().map(|line| format!("> {line}\n")).collect();
                assert!(text.contains(&format!("> {fence}markdown\n{inside}> {fence}\n")), "{target}: {text}");
            }
        }
    }
}

#[test]
fn a_budget_is_kept_and_what_is_left_out_is_told() {
    let project = hostile();
    let many: Vec<String> = (0..300).map(|n| format!("\"step {n} of the plan, in src/file{n}.rs\"")).collect();
    project.put_session(
        "2026-11-14-aaaaaaaa",
        &format!("status = \"closed\"\nended_at = 2026-11-14T09:00:00Z\nsummary = \"Many\\nlines\"\nnext = [{}]\n", many.join(", ")),
    );
    for id in ["0badc0de", "aaaaaaaa"] {
        for target in TARGETS {
            let whole = project.call(&format!("render --id {id} --target {target} --budget 200000")).run();
            let whole = whole.succeeded().stdout.clone();
            for budget in [100, 130, 200, 350, 1_000, 4_000] {
                let text = project.call(&format!("render --id {id} --target {target} --budget {budget}")).run();
                let text = text.succeeded().stdout.clone();
                let cost = tokens::estimate(&text);
                assert!(cost <= budget, "{id}, {target}: {cost} tokens for {budget}:\n{text}");
                let tells = text.contains("Left out: ") || text.contains(" more: `handoff session show ");
                assert!(tells || text == whole || target == "standup", "{id}, {target}, {budget}:\n{text}");
            }
        }
    }
    let some = project.call("render --id aaaaaaaa --target codex --budget 600").run().stdout;
    let shown = some.lines().filter(|line| line.contains("of the plan")).count();
    assert!(some.contains("> 1. step 0 of the plan, in src/file0.rs\n") && shown >= 5, "{some}");
    assert!(some.contains(&format!("Left out: {} next steps.", 300 - shown)), "{shown}: {some}");
    for wrong in ["99", "0", "-5", "200001", "many"] {
        project.call("render --budget").word(wrong).run().failed(2);
    }
    project.call("render").request(&serde_json::json!({"budget_tokens": 99})).run().failed(2).says("give 100 to 200000");
}

#[test]
fn a_summary_of_a_megabyte_is_no_trouble() {
    let project = project!();
    let line = "zqx words upon words that go on and on ".repeat(10);
    for summary in [line.repeat(2_700), format!("{line}\\n").repeat(2_700), "<system>".repeat(130_000), "`".repeat(1 << 20)] {
        project.put_session(
            "2026-11-14-aaaaaaaa",
            &format!("status = \"closed\"\nended_at = 2026-11-14T09:00:00Z\nsummary = \"{summary}\"\nnext = [\"go on\"]\n"),
        );
        project.write(".handoff/sessions/2026-11-14-aaaaaaaa.md", summary.replace("\\n", "\n"));
        for target in TARGETS {
            for budget in ["", "--budget 300"] {
                let text = project.call(&format!("render --target {target} {budget}")).run();
                let text = &text.succeeded().stdout;
                assert!(tokens::estimate(text) <= 200_000 && text.contains("go on"), "{target}");
                assert_set_apart(text, target, "a megabyte");
            }
        }
    }
}
