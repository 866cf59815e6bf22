//! Where a server works: in no project, in several, in one that comes later, in one that is gone.

use handoff_testkit::{empty_directory, project, sample_project};
use serde_json::{Value, json};

#[test]
fn without_a_project_every_tool_says_how_to_start() {
    let project = empty_directory!();
    let mut client = project.mcp().connect();
    assert!(!client.result("tools/list", json!({}))["tools"].as_array().unwrap().is_empty());
    for (tool, request) in [
        ("handoff_list_tasks", json!({})),
        ("handoff_get_task", json!({"task_id": "k7f3q2ma"})),
        ("handoff_read_config_file", json!({})),
    ] {
        let text = client.failure(tool, request);
        assert!(text.contains("no handoff project here"), "{tool}: {text}");
        assert!(text.contains("hint: call `handoff_init`"), "{tool}: {text}");
    }
    client.close();
}

#[test]
fn a_project_that_appears_later_is_found_without_a_restart() {
    let project = empty_directory!();
    let mut client = project.mcp().connect();
    client.failure("handoff_list_tasks", json!({}));
    project.call("init my-app").run().succeeded();
    project.call("task create 'Implement auth'").run().succeeded();
    assert!(client.text("handoff_list_tasks", json!({})).contains("Implement auth"));
    client.close();
}

#[test]
fn an_agent_can_make_the_project_itself() {
    let project = empty_directory!();
    let mut client = project.mcp().connect();
    client.text("handoff_init", json!({"project_name": "my-app"}));
    assert!(project.exists(".handoff/config.toml"));
    let before = project.records();
    client.failure("handoff_init", json!({"project_name": "my-app"}));
    project.records().assert_same(&before, "saying it twice changes nothing");
    client.close();
}

#[test]
fn one_server_works_in_several_projects() {
    let project = sample_project!();
    let other = project.path("../old-app");
    let mut client = project.mcp().connect();
    for place in [other.to_string_lossy().into_owned(), "../old-app".to_owned(), "../old-app/.handoff".to_owned()] {
        client.text("handoff_create_task", json!({"title": format!("In {}", place.len()), "project_dir": place}));
    }
    let listed = |tasks: Value| tasks["tasks"].as_array().unwrap().len();
    assert_eq!(listed(project.call("task list --json").within("../old-app").run().json()), 3);
    assert_eq!(listed(project.json("task list")), 3, "the three of the sample");
    for nothing in [json!(""), json!("${workspaceFolder}"), json!(null)] {
        let text = client.text("handoff_list_tasks", json!({"project_dir": nothing}));
        assert!(text.contains("Implement auth"), "{nothing} is no directory: {text}");
    }
    client.close();
}

#[test]
fn a_directory_that_is_no_project_is_an_error_that_names_it() {
    let project = sample_project!();
    let mut client = project.mcp().connect();
    for place in ["../new-app", "no/such/place"] {
        let text = client.failure("handoff_list_tasks", json!({"project_dir": place}));
        assert!(text.contains("no handoff project in") && text.contains(place), "{text}");
    }
    client.close();
}

#[test]
fn a_server_may_start_below_its_project() {
    let project = sample_project!();
    project.make_directory("src/deep");
    let mut client = project.mcp().within("src/deep").connect();
    assert!(client.text("handoff_list_tasks", json!({})).contains("Implement auth"));
    client.close();
}

#[test]
fn a_flag_names_the_project_of_calls_that_name_none() {
    let project = sample_project!();
    let mut client = project.mcp().within("../new-app").word("--project-dir").word("../my-app").connect();
    assert!(client.text("handoff_list_tasks", json!({})).contains("Implement auth"));
    client.close();
}

#[cfg(unix)]
#[test]
fn a_project_that_is_deleted_is_an_error_and_one_made_in_its_place_works() {
    let project = sample_project!();
    project.make_directory("../gone");
    project.call("init gone").within("../gone").run().succeeded();
    let mut client = project.mcp().within("../gone").connect();
    client.text("handoff_create_task", json!({"title": "Implement auth"}));
    project.rename("../gone", "../elsewhere");
    let text = client.failure("handoff_list_tasks", json!({}));
    assert!(text.contains("no handoff project"), "{text}");
    assert!(
        client.text("handoff_list_tasks", json!({"project_dir": project.path(".").to_string_lossy()})).contains("auth")
    );
    project.rename("../elsewhere", "../gone");
    assert!(client.text("handoff_list_tasks", json!({})).contains("Implement auth"));
    client.close();
}

#[cfg(unix)]
#[test]
fn what_one_writes_the_others_show_in_their_next_answer() {
    let project = project!();
    let (mut one, mut other) = (project.mcp().connect(), project.mcp().connect());
    for round in 0..5 {
        let by_one = one.text("handoff_create_task", json!({"title": format!("One {round}")}));
        assert!(other.text("handoff_list_tasks", json!({})).contains(&format!("One {round}")), "{by_one}");
        project.call(&format!("task create 'Two {round}'")).run().succeeded();
        for client in [&mut one, &mut other] {
            assert!(client.text("handoff_list_tasks", json!({})).contains(&format!("Two {round}")));
        }
    }
    one.close();
    other.close();
}
