//! `handoff render`, as the command and as the tool of agents: what it finds, where the rendering goes, what it refuses.

use handoff_testkit::{TestProject, project};
use serde_json::json;

/// The record with something of every kind.
const RICH: &str = include_str!("../../../fixtures/render/2026-11-15-a3f9c12e.toml");
const RICH_BODY: &str = include_str!("../../../fixtures/render/2026-11-15-a3f9c12e.md");
/// The record with as little as there can be.
const MINIMAL: &str = include_str!("../../../fixtures/render/2026-11-14-77c01b9d.toml");
fn with_records() -> TestProject {
    let project = project!()
        .task("k7f3q2ma", |task| {
            task.title("Implement auth").status("in_progress").criterion("refresh flow has a test")
        })
        .task("m2x9a4te", |task| task.title("Design schema").status("done"))
        .task("q4w8e2rt", |task| task.title("Deploy staging").status("blocked").depends_on(&["k7f3q2ma"]));
    project.write(".handoff/sessions/2026-11-15-a3f9c12e.toml", RICH);
    project.write(".handoff/sessions/2026-11-15-a3f9c12e.md", RICH_BODY);
    project.write(".handoff/sessions/2026-11-14-77c01b9d.toml", MINIMAL);
    project
}

fn rendered(project: &TestProject, line: &str) -> String {
    let answer = project.call(line).run();
    answer.succeeded();
    assert_eq!(answer.stderr, "", "nothing beside the rendering");
    answer.stdout
}

#[test]
fn standard_output_is_the_rendering_and_nothing_else() {
    let project = with_records();
    for target in ["generic", "standup"] {
        let line = format!("render --target {target}");
        let first = rendered(&project, &line);
        let other = project.call(&line).env("COLUMNS", "20").env("LANG", "tr_TR.UTF-8").env("TZ", "Asia/Tokyo");
        let other = other.env("CLICOLOR_FORCE", "1").word("--color").word("always").within(".handoff").run();
        assert_eq!(other.stdout, first, "{target}");
        assert_eq!(project.json(&line)["text"], first, "{target}");
    }
    let state = rendered(&project, "resume --for codex");
    assert_eq!(project.json("resume --for codex")["rendered"], state);
    assert!(state.starts_with("This is where the project stands after session `2026-11-15-a3f9c12e`"), "{state}");
    let other = project.call("resume --budget 300").request(&json!({"for": "codex"})).run();
    other.failed(2);
    assert_eq!(project.call("resume").request(&json!({"for": "codex"})).run().stdout, state);
}

#[test]
fn a_record_is_named_in_every_way_a_session_is() {
    let project = with_records();
    let latest = rendered(&project, "render");
    for line in [
        "render --id latest",
        "render --id LATEST --target generic",
        "render --id a3f9c12e",
        "render --id a3f",
        "render --id 2026-11-15",
        "render --id 2026-11-15-a3f9c12e",
        "render --id auth-refactor",
        "render a3f9c12e",
        "render latest --target generic",
    ] {
        assert_eq!(rendered(&project, line), latest, "{line}");
    }
    let by_json = project.call("render").request(&json!({"session_id": "a3f9c12e", "target": "generic"})).run();
    assert_eq!(by_json.stdout, latest);
    project.call("render --id 2026-11").run().failed(4).says("2026-11-15-a3f9c12e").says("2026-11-14-77c01b9d");
    project.call("render --id ffffffff").run().failed(3);
    project.call("render ffffffff").run().failed(3);
    project.call("render a3f9c12e --id 77c01b9d").run().failed(2);
    project.call("render --id no-such-name").run().failed(3);
    project.call("render --id ''").run().failed(2).says("names no session");
    project.call("render --id ../x").run().failed(2).says("names no session");
    let nothing = project!();
    nothing.call("render").run().failed(3);
}

#[test]
fn a_package_is_its_text_and_never_the_latest() {
    let project = project!();
    project.put_session(
        "2026-11-10-11111111",
        "status = \"closed\"\nsummary = \"Older\"\nended_at = 2026-11-10T09:00:00Z\n",
    );
    project.write(
        ".handoff/sessions/2026-11-14-22222222.toml",
        "format = 1\nid = \"22222222\"\nkind = \"package\"\nstatus = \"closed\"\nname = \"api-notes\"\nended_at = 2026-11-14T09:00:00Z\n",
    );
    project.write(".handoff/sessions/2026-11-14-22222222.md", "# API\n\n````\nGET /a\n````\n");
    let text = rendered(&project, "render --id api-notes");
    assert!(text.contains("\n> `````markdown\n> # API\n>\n> ````\n> GET /a\n> ````\n> `````\n"), "{text}");
    assert!(text.contains("package `2026-11-14-22222222`, stored 2026-11-14T09:00:00Z"), "{text}");
    assert!(text.ends_with("Use this as background for what you are asked to do.\n"), "{text}");
    assert!(rendered(&project, "render").contains("2026-11-10-11111111"));
}

#[test]
fn records_of_the_archive_and_of_other_projects_are_rendered_too() {
    let project = handoff_testkit::sample_project!();
    assert!(rendered(&project, "render --id 2026-10").contains("\n> First sketch\n"));
    project.write(
        "../old-app/.handoff/sessions/2026-11-01-abcdef01.toml",
        "format = 1\nid = \"abcdef01\"\nstatus = \"closed\"\nsummary = \"Elsewhere\"\nended_at = 2026-11-01T09:00:00Z\n",
    );
    project.write("../old-app/.handoff/sessions/2026-11-01-abcdef01.md", "body of elsewhere\n");
    let text = rendered(&project, "render --id abcdef01");
    assert!(text.contains("> Elsewhere\n") && text.contains("> body of elsewhere\n"), "{text}");
    project.call("render --id abcdef0").run().failed(3);
}

#[test]
fn an_unknown_target_is_answered_with_all_of_them() {
    let project = with_records();
    let answer = project.call("render --target codx").run();
    answer.failed(2).says("did you mean `codex`?").says("pr-description, standup");
    project.call("resume --for nobody").run().failed(2).says("use one of generic, claude-code");
    let answer = project.call("render").request(&json!({"target": "claud-code"})).run();
    answer.failed(2).says("did you mean `claude-code`?");
    assert_eq!(rendered(&project, "render --target Claude"), rendered(&project, "render --target claude-code"));
}

#[test]
fn superseded_decisions_do_not_pass_for_valid_ones() {
    let project = with_records();
    project.put_session(
        "2026-11-16-5eed5eed",
        "status = \"closed\"\nsummary = \"Later\"\nended_at = 2026-11-16T09:00:00Z\n\n[[decisions]]\nid = \"d1\"\n\
         decision = \"Server sessions after all\"\nsupersedes = \"2026-11-15-a3f9c12e#d1\"\n",
    );
    let text = rendered(&project, "render --id a3f9c12e");
    assert!(text.contains("> - superseded since: a3f#d1 JWT over server sessions"), "{text}");
    assert!(!rendered(&project, "render --id a3f9c12e --target pr-description").contains("JWT"));
}

/// Two handoffs, of which the first left something open and decided something.
fn with_two_handoffs() -> TestProject {
    let project = project!();
    project
        .call("save First --next 'Write the parser' --blocker 'Vendor key missing' --blocker 'No staging yet'")
        .word("--decision")
        .word("Use the new queue")
        .word("--caution")
        .word("never run terraform from a laptop")
        .run()
        .succeeded();
    project.call("save Second --next 'Write the docs'").run().succeeded();
    project.call("done b1").run().succeeded();
    project.call("memory add 'Releases are cut on Tuesdays only' --kind rule").run().succeeded();
    project
}

const TARGETS: [&str; 11] = handoff_ops::render::Target::WORDS;

#[test]
fn the_last_handoff_is_rendered_with_all_that_is_open_or_in_force() {
    let project = with_two_handoffs();
    let standup = rendered(&project, "render --target standup");
    assert!(standup.contains("Today:\n- n2 Write the docs\n- n1 Write the parser\n"), "{standup}");
    assert!(standup.ends_with("Blockers:\n- b2 No staging yet\n"), "{standup}");
    for target in TARGETS.iter().filter(|target| **target != "standup") {
        for line in [format!("render --target {target}"), format!("resume --for {target}")] {
            let text = rendered(&project, &line);
            for said in
                ["Write the docs", "Write the parser", "No staging yet", "Use the new queue", "never run terraform"]
            {
                assert_eq!(text.matches(said).count(), 1, "{line}: {said}\n{text}");
            }
            assert!(!text.contains("Vendor key"), "{line}\n{text}");
            let is_for_agents = *target != "pr-description";
            assert_eq!(text.contains("rule: Releases are cut on Tuesdays only"), is_for_agents, "{line}\n{text}");
        }
    }
}

#[test]
fn an_earlier_record_is_rendered_alone_and_nothing_in_it_passes_for_open() {
    let project = with_two_handoffs();
    let sessions = project.json("session list");
    let earlier = sessions["sessions"].as_array().and_then(|list| list.last()).map(|view| view["id"].clone());
    let earlier = earlier.and_then(|id| id.as_str().map(str::to_owned)).unwrap_or_default();
    let text = rendered(&project, &format!("render {earlier}"));
    assert!(text.contains("Write the parser") && text.contains("No staging yet"), "{text}");
    assert!(!text.contains("Vendor key") && !text.contains("Write the docs"), "{text}");
}

#[test]
fn a_rendering_goes_into_a_file_whole() {
    let project = with_records();
    let text = rendered(&project, "render --target codex");
    let answer = project.call("render --target codex --output out/prompt.md").run();
    assert_eq!(answer.succeeded().stdout, "rendered 2026-11-15-a3f9c12e for codex into out/prompt.md\n");
    assert_eq!(project.file("out/prompt.md"), text);
    project.write("out/prompt.md", "something longer than it was before".repeat(1000));
    project.call("render --target codex -o out/prompt.md").run().succeeded();
    assert_eq!(project.file("out/prompt.md"), text);
    assert_eq!(rendered(&project, "render --target codex --output -"), text);
    project.call("render --output out").run().failed(1).says("cannot write `out`");
    let before = project.records();
    project
        .call("render --output .handoff/sessions/2026-11-15-a3f9c12e.toml")
        .run()
        .failed(4)
        .says("lies in the store");
    project.call("render --output .handoff/new.md").run().failed(4).says("lies in the store");
    project.records().assert_same(&before, "the store");
}

#[test]
fn agents_get_the_rendering_as_the_text_of_a_tool() {
    let project = with_records();
    let text = rendered(&project, "render --target claude-code");
    let mut client = project.mcp().connect();
    let told = client.text("handoff_render_session", json!({"target": "claude-code"}));
    assert_eq!(format!("{told}\n"), text);
    let wrong = client.call("handoff_render_session", json!({"target": "emacs"}));
    assert_eq!(wrong["isError"], true, "{wrong}");
    project.write(".handoff/sessions/2026-11-15-a3f9c12e.md", "a line of the text\n".repeat(3_000));
    let told = client.text("handoff_render_session", json!({"target": "codex"}));
    assert!(told.len() <= 9_500 && told.contains("Left out: ") && told.contains("> a line of the text\n"), "{told}");
    assert!(told.ends_with("Run the project's tests before you call a step done."), "{told}");
    let told = client.text("handoff_render_session", json!({"target": "codex", "budget_tokens": 30_000}));
    assert!(told.len() > 40_000 && !told.contains("Left out: "), "{}", told.len());
    client.close();
}
