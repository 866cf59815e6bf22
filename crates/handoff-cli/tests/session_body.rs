//! The free-form text of a session: kept byte for byte, and understood where it follows the template.

use handoff_testkit::{TestProject, project, text_in};
use serde_json::{Value, json};

fn save(project: &TestProject, body: &str) -> String {
    let saved = project.call("save --json").request(&json!({"summary": "Done", "body": body})).run().succeeded().json();
    text_in(&saved, "name").to_owned()
}

#[test]
fn a_body_is_kept_byte_for_byte() {
    let project = project!();
    for body in [
        "plain\n",
        "no newline",
        "windows\r\nlines\r\n",
        "\u{feff}byte order mark\n",
        "old mac\rlines\r",
        "tabs\t and  blanks   \n\n\n\n",
        "\u{1b}[31mred\u{1b}[0m \u{0} \u{202e}olleh\u{2066}\n",
        "任務を続ける 👩‍👩‍👧\n",
        "```toml\nid = 1\n```\n~~~~\n---\n+++\n",
        "\n",
        " ",
    ] {
        let name = save(&project, body);
        assert_eq!(project.file(&format!(".handoff/sessions/{name}.md")), body, "on disk");
        let shown = project.json(&format!("session show {name}"));
        assert_eq!(shown["body"], body, "in the answer");
    }
    let long = "one very long line ".repeat(50_000);
    let name = save(&project, &long);
    assert_eq!(project.file(&format!(".handoff/sessions/{name}.md")), long);
}

#[test]
fn a_body_is_kept_until_another_is_given() {
    let project = project!();
    let start = json!({"summary": "Begin", "session_status": "active", "body": "first\r\n"});
    let saved = project.call("save --json").request(&start).run().json();
    let file = format!(".handoff/sessions/{}.md", saved["name"].as_str().unwrap());
    project.handoff("save --summary 'Still at it' --status active");
    assert_eq!(project.file(&file), "first\r\n");
    project.write(&file, "edited by hand");
    project.handoff("session update --next 'A step'");
    assert_eq!(project.file(&file), "edited by hand");
    project.call("save").request(&json!({"summary": "Over", "body": "second"})).run().succeeded();
    assert_eq!(project.file(&file), "second");
}

#[test]
fn the_template_offers_the_recommended_sections() {
    insta::assert_snapshot!(project!().handoff("session template"), @"
    ## Context

    What this work is for, and what led to it.

    ## Key Decisions

    - What was decided, and why that and not the other way.

    ## Current State

    What works, what does not, what is half done.

    ## Next Steps

    1. What to do first, small enough to begin at once.

    ## Warnings / Gotchas

    - What would cost the next one an hour to find out.

    ## Files of Note

    - `path/to/file`: what is in it, and where to look.
    ");
}

#[test]
fn a_filled_in_template_is_understood_when_resuming() {
    let project = project!();
    let body = "## Context\n\nThe parser is half done.\n\n## Key Decisions\n\n- Use a hand-written lexer\n\n\
                ## Current State\n\nNumbers work, strings do not.\n\n## Next Steps\n\n1. Escape sequences\n2. Error messages\n\n\
                ## Warnings / Gotchas\n\n- The old lexer is still linked\n\n## Files of Note\n\n- `src/lexer.rs`\n";
    save(&project, body);
    insta::assert_snapshot!(project.handoff("resume"), @"
    Handoff of my-app
    last handoff: c15c0289, closed 2026-11-15T09:00:01Z
      Done (by alice)

    Open
    - Escape sequences
    - Error messages

    Cautions
    - The old lexer is still linked

    Notes
    - Use a hand-written lexer
    - The parser is half done.
    - Numbers work, strings do not.

    Pointers
    - `src/lexer.rs`
    to go on: run `handoff session reopen c15c0289`
    ");
}

#[test]
fn sections_are_recognised_in_the_forms_people_write() {
    let project = project!();
    save(
        &project,
        "# NEXT STEPS:\r\n\r\n* [ ] Write the docs\r\n* [x] Rest\r\n\r\nGotchas\r\n-------\r\n\r\n- Mind the cache\r\n",
    );
    let answer = project.call("resume").run();
    answer.says("Write the docs").says("Mind the cache").hides("Rest");
}

#[test]
fn what_a_session_says_in_its_own_lists_is_not_said_again_from_the_body() {
    let project = project!();
    let request = json!({"summary": "Done", "next": ["From the list"], "body": "## Next Steps\n\n- From the body\n"});
    project.call("save").request(&request).run().succeeded();
    project.call("resume").run().says("From the list").hides("From the body");
}

#[test]
fn headings_inside_code_are_no_sections() {
    let project = project!();
    save(&project, "```\n## Next Steps\n\n- Not a step\n```\n\n    ## Next Steps\n    - Nor this\n");
    assert_eq!(project.json("resume")["next"], Value::Null);
}
