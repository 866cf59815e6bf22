use super::*;

const MARKED: &str = "<!-- agent-handover:begin -->\n## Handing over\n\n```bash\nagent-handover check\n```\n<!-- agent-handover:end -->\n";

const MCP: &str = "## Session Handoff\n\nCall `handoff_load_context` first.\n\n### At the end\n\nCall \
                   `handoff_save_context`.\n\n";

const PACKAGES: &str = "# Handoff\n\nFirst run `handoff list`.\n\n## Storing\n\n```bash\necho x | handoff store --name \
                        y\n```\n\n## Fetching\n\n`handoff retrieve ID`\n";

/// What is found, as the text it covers.
fn found(text: &str) -> Vec<(Tool, &str, usize, bool)> {
    let told = |f: Foreign| (f.tool, &text[f.range], f.line, f.is_whole);
    find(text).into_iter().map(told).collect()
}

#[test]
fn a_block_between_marks_is_found_with_them() {
    let text = format!("# House rules\n\nBe kind.\n\n{MARKED}\nMore.\n");
    assert_eq!(found(&text), [(Tool::AgentHandover, MARKED, 5, true)]);
    let windows = text.replace('\n', "\r\n");
    assert_eq!(found(&windows), [(Tool::AgentHandover, &*MARKED.replace('\n', "\r\n"), 5, true)]);
    assert_eq!(found(MARKED.trim_end()), [(Tool::AgentHandover, MARKED.trim_end(), 1, true)]);
}

#[test]
fn two_blocks_are_two() {
    let text = format!("{MARKED}\n{MARKED}");
    assert_eq!(found(&text), [(Tool::AgentHandover, MARKED, 1, true), (Tool::AgentHandover, MARKED, 9, true)]);
}

#[test]
fn a_mark_without_its_other_half_is_shown_alone() {
    let [begin, end] = ["<!-- agent-handover:begin -->\n", "<!-- agent-handover:end -->\n"];
    let reversed = format!("{end}text\n{begin}");
    assert_eq!(found(&reversed), [(Tool::AgentHandover, end, 1, false), (Tool::AgentHandover, begin, 3, false)]);
    let twice = format!("{begin}mine\n{MARKED}{end}");
    assert_eq!(
        found(&twice),
        [
            (Tool::AgentHandover, begin, 1, false),
            (Tool::AgentHandover, MARKED, 3, true),
            (Tool::AgentHandover, end, 10, false)
        ]
    );
}

#[test]
fn what_is_shown_in_a_code_block_is_an_example() {
    assert_eq!(found(&format!("~~~~\n{MARKED}~~~~\n")), []);
    assert_eq!(found("```\n## Session Handoff\nhandoff_load_context\n```\n"), []);
}

#[test]
fn a_section_of_handoff_mcp_reaches_to_the_next_heading_of_its_rank() {
    let text = format!("# App\n\n{MCP}## Style\n\nTabs.\n");
    assert_eq!(found(&text), [(Tool::HandoffMcp, MCP, 3, true)]);
    let last = format!("# App\n\n{MCP}");
    assert_eq!(found(&last), [(Tool::HandoffMcp, MCP, 3, true)]);
}

#[test]
fn what_a_person_wrote_below_it_is_not_theirs() {
    let rules = "# My project: rules and session handoff\n\nCall handoff_load_context at start.\n\n## Build\n\nUse make.\n\n\
                 ## Secrets\n\nKeep them.\n";
    assert_eq!(found(rules), [(Tool::HandoffMcp, "Call handoff_load_context at start.\n\n", 3, true)]);
    let between = format!("# App\n\n{MCP}### Style\n\nTabs.\n\n### After a handoff\n\nRest.\n");
    let (_, body) = MCP.split_once("\n\n").unwrap();
    assert_eq!(found(&between), [(Tool::HandoffMcp, body, 5, true)], "the heading stays for what stays below it");
    let later = "# Session handoff\n\nMine.\n\n## Build\n\nUse make.\n\n## End\n\nhandoff_save_context\n";
    assert_eq!(found(later), []);
    let packages = "# Handoff and style\n\n`handoff list`, `handoff store`\n\n## Style\n\nTabs.\n";
    assert_eq!(found(packages), [(Tool::HandoffCli, "`handoff list`, `handoff store`\n\n", 3, true)]);
}

#[test]
fn of_two_sections_within_each_other_the_inner_one_is_theirs() {
    let text = format!("# Handoff: session handoff rules\n\nhandoff rules.\n\n{MCP}## Handoff notes\n\nMine.\n");
    assert_eq!(found(&text), [(Tool::HandoffMcp, MCP, 5, true)]);
}

#[test]
fn a_heading_alone_does_not_make_it_theirs() {
    assert_eq!(found("## Session Handoff\n\nWrite to docs/handoff.md.\n"), []);
    assert_eq!(found("## Notes\n\n`handoff_load_context` is nice.\n"), []);
}

#[test]
fn a_section_on_packages_is_found_in_a_file_of_its_own_and_behind_others() {
    assert_eq!(found(PACKAGES), [(Tool::HandoffCli, PACKAGES, 1, true)]);
    let lower = PACKAGES.replace("# ", "## ").replace("### ", "## ");
    assert_eq!(found(&format!("# App\n\n{PACKAGES}")), [(Tool::HandoffCli, PACKAGES, 3, true)]);
    // Its parts stand beside it: no section holds all, so nothing is sure.
    assert_eq!(found(&format!("# App\n\n{lower}## Style\n")), []);
    let nested = "# my-handoff-app\n\nWords.\n\n## Handoff\n\n`handoff list`, `handoff retrieve ID`\n\n## Style\n";
    let section = "## Handoff\n\n`handoff list`, `handoff retrieve ID`\n\n";
    assert_eq!(found(nested), [(Tool::HandoffCli, section, 5, true)]);
    assert_eq!(found("# Commands\n\n`handoff list`, `handoff store`\n"), []);
    assert_eq!(found("# Handoff\n\n`handoff list`\n"), []);
}

#[test]
fn what_is_ours_is_not_theirs() {
    let ours = format!("<!-- handoff:begin v1 -->\n{MCP}{PACKAGES}<!-- handoff:end -->\n");
    assert_eq!(found(&ours), []);
    assert_eq!(found(crate::text::BLOCK), []);
    assert_eq!(found(include_str!("../../../../README.md")), []);
}

#[test]
fn files_that_another_tool_wrote_whole_are_known() {
    let owner = |path: &str, text: &str| owner(Path::new(path), text);
    assert_eq!(owner(".clinerules/00-agent-handover.md", "anything"), Some(Tool::AgentHandover));
    let skill = format!("---\nname: handoff\ndescription: packages\n---\n{PACKAGES}");
    assert_eq!(owner(".claude/skills/handoff/SKILL.md", &skill), Some(Tool::HandoffCli));
    assert_eq!(owner(".cursor/rules/handoff.mdc", &skill), Some(Tool::HandoffCli));
    assert_eq!(owner(".claude/skills/handoff/SKILL.md", crate::text::SKILL), None);
    assert_eq!(owner(".claude/skills/handoff/SKILL.md", "---\nname: handoff\n---\nMy own.\n"), None);
}
