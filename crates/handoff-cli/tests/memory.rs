//! `handoff memory`: what lasts over sessions, from the command line and over MCP.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use handoff_testkit::{Agent, TestProject, project, shared_project};
use serde_json::{Value, json};

/// The id of a memory that is added.
fn add(project: &TestProject, line: &str) -> String {
    let saved = project.json(&format!("memory add {line}"));
    assert_eq!(saved["status"], "saved", "{saved}");
    saved["id"].as_str().unwrap().to_owned()
}

fn texts(found: &Value) -> Vec<&str> {
    found["memories"].as_array().unwrap().iter().map(|memory| memory["text"].as_str().unwrap()).collect()
}

#[test]
fn a_memory_is_added_listed_shown_edited_and_retired() {
    for project in [project!(), shared_project!()] {
        let id = add(&project, "'Never run terraform from a laptop' --kind rule --path infra/ --tag ops");
        let listed = project.handoff("memory");
        assert!(listed.contains("rule Never run terraform from a laptop") && listed.contains("infra/"), "{listed}");
        let shown = project.json(&format!("memory show {}", &id[..4]));
        assert_eq!(
            (&shown["kind"], &shown["tags"], &shown["paths"]),
            (&json!("rule"), &json!(["ops"]), &json!(["infra/"]))
        );
        assert_eq!(shown["file"], format!("memory/never-run-terraform-from-a-laptop-{id}.md"));
        let file = project.file(&format!(".handoff/{}", shown["file"].as_str().unwrap()));
        assert!(file.starts_with("+++\nformat = 1\n") && file.ends_with("+++\n\nNever run terraform from a laptop\n"));
        project.call(&format!("memory edit {id} 'Terraform runs in CI only' --title none")).run().succeeded();
        assert_eq!(project.json(&format!("memory show {id}"))["text"], "Terraform runs in CI only");
        let retired = project.call(&format!("memory retire {id} --because 'CI is gone'")).run();
        retired.succeeded().says("retired rule");
        assert_eq!(project.json("memory list")["total"], 0);
        let all = project.json("memory list --retired");
        assert_eq!(all["memories"][0]["retired_because"], "CI is gone");
        let again = project.call(&format!("memory retire {id}")).run();
        assert_eq!(again.code, 4, "{again}");
        project.call("undo").run().succeeded();
        assert_eq!(project.json("memory list")["total"], 1);
        let log = project.handoff("log");
        assert!(log.contains(&format!("memory {id}")) && log.contains("added"), "{log}");
        project.call("doctor").run().succeeded();
    }
}

#[test]
fn what_is_nearly_the_same_or_contradicts_is_handed_back_and_not_stored() {
    let project = project!();
    let old = add(&project, "'The test database listens on port 5433' --kind gotcha --tag db");
    let same = project.json("memory add 'the test database  listens on port 5433.'");
    assert_eq!((&same["status"], &same["existing_id"]), (&json!("duplicate_exact"), &json!(old)));
    let contrary = project.call("memory add 'The test database listens on port 5432' --json").run();
    assert_eq!(contrary.code, 4, "{contrary}");
    let told = contrary.json();
    assert_eq!(told["status"], "conflict");
    assert_eq!((&told["similar"][0]["id"], &told["similar"][0]["relation"]), (&json!(old), &json!("contradicts")));
    assert_eq!(project.json("memory list")["total"], 1);
    let replaced = project.json(&format!("memory add 'The test database listens on port 5432' --replace {old}"));
    assert_eq!((&replaced["status"], &replaced["absorbed_ids"]), (&json!("merged"), &json!([old])));
    let listed = project.json("memory list");
    assert_eq!((&listed["total"], &listed["memories"][0]["tags"]), (&json!(1), &json!(["db"])));
    assert_eq!(project.json(&format!("memory show {old}"))["replaced_by"], replaced["id"]);
    let forced = project.json("memory add 'The test database listens on port 5434' --force");
    assert_eq!(forced["status"], "saved");
}

#[test]
fn each_door_says_in_its_own_words_what_to_do_about_a_conflict() {
    let project = project!();
    let old = add(&project, "'The test database listens on port 5433' --kind gotcha");
    let refused = project.call("memory add 'The test database listens on port 5432'").run();
    refused.says(&format!("to replace the old one: run `handoff memory add '…' --replace {old}`"));
    refused.says(&format!("to write one text for both: run `handoff memory edit {old} '…'`"));
    refused.says("to store yours beside it: run `handoff memory add '…' --force`");
    for argument in ["absorb_ids", "merge_into"] {
        assert!(!refused.to_string().contains(argument), "{refused}");
    }
    let mut client = project.mcp().connect();
    let told = client.call("handoff_memory_save", json!({"text": "The test database listens on port 5432"}));
    let told = &told["structuredContent"];
    assert_eq!(told["status"], "conflict");
    let instruction = told["instruction"].as_str().unwrap();
    for argument in ["absorb_ids", "merge_into", "force"] {
        assert!(instruction.contains(argument), "{instruction}");
    }
    assert!(!instruction.contains("--"), "{instruction}");
    client.close();
}

#[test]
fn a_memory_that_takes_the_place_of_others_applies_where_they_did() {
    let project = project!();
    let everywhere = add(&project, "'Use nextest for the suite'");
    let limited = add(&project, "'Something else entirely for now'");
    let edit = format!("memory edit {limited} 'use nextest for the suite' --path tests/ --branch main");
    project.call(&edit).run().succeeded();
    assert_eq!(project.json("memory cleanup")["auto_merged_exact"], 1);
    let kept = project.json(&format!("memory show {everywhere}"));
    assert_eq!((&kept["paths"], &kept["branches"]), (&Value::Null, &Value::Null), "it stays without a limit");
    let old = add(&project, "'Freeze the schema' --path db/ --branch 'release/*'");
    let new = project.json(&format!("memory add 'No change of tables after the freeze' --replace {old}"));
    let new = project.json(&format!("memory show {}", new["id"].as_str().unwrap()));
    assert_eq!((&new["paths"], &new["branches"]), (&json!(["db/"]), &json!(["release/*"])));
    let id = new["id"].as_str().unwrap();
    let said = project.json(&format!("memory add 'Tables change in spring only' --path sql/ --replace {id}"));
    let said = project.json(&format!("memory show {}", said["id"].as_str().unwrap()));
    assert_eq!((&said["paths"], &said["branches"]), (&json!(["sql/"]), &json!(["release/*"])));
}

#[test]
fn search_ranks_by_words_and_filters_by_scope() {
    let project = project!();
    add(&project, "'Refresh tokens expire while the staging clock drifts' --path src/auth/");
    add(&project, "'Use nextest for the suite' --kind convention --tag tests");
    add(&project, "'Freeze the schema' --kind rule --branch 'release/*'");
    assert_eq!(
        texts(&project.json("memory search refresh token")),
        ["Refresh tokens expire while the staging clock drifts"]
    );
    assert_eq!(texts(&project.json("memory search suite --tag tests")), ["Use nextest for the suite"]);
    assert!(texts(&project.json("memory search suite --tag auth")).is_empty());
    let by_path = project.json("memory search anything --path src/auth/token.rs");
    assert_eq!(texts(&by_path), ["Refresh tokens expire while the staging clock drifts"]);
    assert!(texts(&project.json("memory search refresh --path src/api/x.rs")).is_empty());
    assert!(texts(&project.json("memory search schema --branch main")).is_empty());
    assert_eq!(texts(&project.json("memory search schema --branch release/2")), ["Freeze the schema"]);
    assert_eq!(project.json("memory list --path src/api/x.rs")["total"], 2, "those for other paths are left out");
    let found = project.json("search nextest");
    assert_eq!((&found["results"][0]["kind"], &found["results"][0]["status"]), (&json!("memory"), &json!("in force")));
}

#[test]
fn a_damaged_file_is_named_and_hides_nothing_else() {
    let project = project!();
    add(&project, "'Use nextest for the suite'");
    project.write(".handoff/memory/broken-aaaaaaaa.md", "+++\nid = \n");
    let listed = project.call("memory list").run();
    listed.succeeded().says("Use nextest").says("memory/broken-aaaaaaaa.md:1: there is no second line of `+++`");
    assert_eq!(project.call("memory show aaaaaaaa").run().code, 6);
    let doctor = project.call("doctor").run();
    assert_eq!(doctor.code, 6, "{doctor}");
    doctor.says("memory/broken-aaaaaaaa.md");
    project.call("resume").run().succeeded().says("memory/broken-aaaaaaaa.md");
}

#[test]
fn the_doctor_names_both_sides_of_a_merge_in_a_text() {
    let project = project!();
    let id = add(&project, "'Use tabs'");
    let path = format!(".handoff/memory/use-tabs-{id}.md");
    let sides = "<<<<<<< HEAD\nUse tabs\n=======\nUse spaces\n>>>>>>> other";
    project.write(&path, project.file(&path).replace("Use tabs", sides));
    let doctor = project.call("doctor").run();
    assert_eq!(doctor.code, 6, "{doctor}");
    doctor.says(&format!("{path}:9 conflict markers"));
}

#[test]
fn rules_are_loaded_with_the_context() {
    let project = project!();
    add(&project, "'Never push to main' --kind rule");
    add(&project, "'The office is in Oslo' --kind fact");
    project.call("save 'Parser done' --next 'Fix the tests'").run().succeeded();
    let resumed = project.handoff("resume");
    assert!(resumed.contains("rule: Never push to main"), "{resumed}");
    assert!(!resumed.contains("Oslo"), "a fact about something else is not loaded: {resumed}");
}

#[test]
fn a_conversation_is_told_what_matters_once() {
    let project = project!();
    project.call("save 'Begun' --next 'Go on'").run().succeeded();
    let agent = Agent::claude(&project, "s1");
    agent.starts("startup");
    add(&project, "'Refresh tokens expire while the clock of the staging gateway drifts'");
    add(&project, "'Handlers return Problem values' --kind convention --path src/api/");
    let asked = "Why do refresh tokens fail on the staging gateway?";
    let told = agent.is_asked(asked);
    assert!(told.contains("lesson: Refresh tokens expire"), "{told}");
    assert_eq!(agent.is_asked(asked), "", "it was said");
    assert_eq!(agent.is_asked("ok thanks, go on"), "");
    let told = agent.edits("src/api/users.rs");
    assert!(told.contains("convention: Handlers return Problem values"), "{told}");
    assert_eq!(agent.edits("src/api/users.rs"), "", "it was said");
    add(&project, "'Never push to main' --kind rule");
    let other = Agent::claude(&project, "s2");
    assert!(other.starts("startup").contains("rule: Never push to main"));
    assert_eq!(other.is_asked("May I push my commits to the main branch? Never?"), "", "the start said it");
}

#[test]
fn a_rule_for_a_directory_is_told_once_on_a_prompt_that_names_it() {
    for prompt in ["run terraform in infra", "why does infra/main.tf fail?", "what is in the Infra folder?"] {
        let project = project!();
        add(&project, "'Apply changes through the pipeline only' --kind rule --path infra/");
        project.call("save 'Begun' --next 'Go on'").run().succeeded();
        let agent = Agent::claude(&project, "s1");
        agent.starts("startup");
        assert_eq!(agent.is_asked("run the tests again"), "");
        let told = agent.is_asked(prompt);
        assert!(told.contains("rule: Apply changes through the pipeline only"), "{prompt}: {told}");
        assert_eq!(agent.is_asked(prompt), "", "it was said");
        let mut client = project.mcp().connect();
        for is_new in [true, false] {
            let asked = json!({"text": prompt, "session_id": "hook-1"});
            let found = client.call("handoff_memory_query", asked).to_string();
            assert_eq!(found.contains("Apply changes"), is_new, "{prompt}: {found}");
        }
        client.close();
    }
}

#[test]
fn a_start_counts_the_memories_that_do_not_apply() {
    let project = project!();
    add(&project, "'Apply changes through the pipeline only' --kind rule --path infra/");
    let told = Agent::claude(&project, "s1").starts("startup");
    assert!(told.contains("1 memory is recorded in this project") && !told.contains("nothing is recorded"), "{told}");
    add(&project, "'The office is in Oslo' --kind fact");
    let told = Agent::claude(&project, "s2").starts("startup");
    assert!(told.contains("2 memories are recorded in this project"), "{told}");
}

#[test]
fn a_retired_memory_is_found_only_where_memories_are_asked_for() {
    let project = project!();
    let id = add(&project, "'Use nextest for the suite'");
    project.call(&format!("memory retire {id}")).run().succeeded();
    assert_eq!(project.json("search nextest")["results"], json!([]));
    assert_eq!(project.json("search nextest --kind memory")["results"][0]["status"], "retired");
}

#[test]
fn arguments_that_are_null_are_as_good_as_absent() {
    let project = project!();
    let mut client = project.mcp().connect();
    let none = json!({"kind": null, "title": null, "tags": null, "keywords": null, "scope_paths": null,
        "scope_branches": null, "merge_into": null, "absorb_ids": null, "force": null, "text": "Use nextest"});
    assert_eq!(client.call("handoff_memory_save", none)["structuredContent"]["status"], "saved");
    for (tool, arguments) in [
        ("handoff_memory_list", json!({"kind": null, "tags": null, "path": null, "retired": null, "limit": null})),
        ("handoff_memory_cleanup", json!({"apply_exact_merges": null, "stale_days": null})),
        ("handoff_memory_query", json!({"text": "x", "session_id": null, "file_paths": null, "mark_injected": null})),
    ] {
        let answer = client.call(tool, arguments);
        assert_ne!(answer["isError"], true, "{tool}: {answer:#}");
    }
    client.close();
}

#[test]
fn absolute_paths_are_those_of_the_project() {
    let project = project!();
    let dir = project.path(".").canonicalize().unwrap();
    let inside = dir.join("deploy").to_string_lossy().into_owned();
    let mut client = project.mcp().connect();
    let saved = json!({"text": "Two people approve each plan", "scope_paths": [inside, dir.to_string_lossy()]});
    client.call("handoff_memory_save", saved);
    client.close();
    assert_eq!(project.json("memory list")["memories"][0]["paths"], json!(["deploy"]));
    assert_eq!(project.json("memory list --path deploy/x.yml")["total"], 1);
}

#[test]
fn the_published_tools_take_the_known_arguments() {
    let project = project!();
    let mut client = project.mcp().connect();
    let saved = client.call(
        "handoff_memory_save",
        json!({"text": "Write files through a rename", "kind": "rule", "tags": ["io"], "keywords": ["atomic"], "scope_paths": ["src/storage/"]}),
    );
    let id = saved["structuredContent"]["id"].as_str().unwrap().to_owned();
    assert_eq!(saved["structuredContent"]["status"], "saved");
    let same = client.call("handoff_memory_save", json!({"text": "write files through a rename"}));
    assert_eq!(same["structuredContent"]["existing_id"], id);
    let merged = client.call(
        "handoff_memory_save",
        json!({"text": "Write record files through a temporary file and a rename", "merge_into": id, "tags": ["disk"]}),
    );
    assert_eq!(merged["structuredContent"]["status"], "merged");
    let asked = json!({"text": "how are record files written?", "session_id": "hook-1", "tool_name": "Edit",
        "file_paths": ["src/storage/file.rs"], "limit": 5, "mark_injected": true, "format": "json"});
    let first = client.call("handoff_memory_query", asked.clone());
    assert_eq!(first["structuredContent"]["injected_count"], 1, "{first:#}");
    let second = client.call("handoff_memory_query", asked.clone());
    assert_eq!(second["structuredContent"]["injected_count"], 0, "once per conversation: {second:#}");
    let mut other = asked;
    other["session_id"] = json!("hook-2");
    assert_eq!(client.call("handoff_memory_query", other.clone())["structuredContent"]["injected_count"], 1);
    (other["text"], other["file_paths"], other["session_id"]) = (json!("ok thanks, go on"), json!([]), json!("hook-3"));
    assert_eq!(client.call("handoff_memory_query", other)["structuredContent"]["injected_count"], 0, "small talk");
    let cleaned = client.call("handoff_memory_cleanup", json!({"apply_exact_merges": true, "stale_days": 60}));
    assert_eq!(cleaned["structuredContent"]["auto_merged_exact"], 0);
    let listed = client.call("handoff_memory_list", json!({"format": "json"}));
    assert_eq!(listed["structuredContent"]["memories"][0]["tags"], json!(["io", "disk"]));
    client.call("handoff_memory_delete", json!({"id": id}));
    assert_eq!(client.call("handoff_memory_list", json!({"format": "json"}))["structuredContent"]["total"], 0);
    client.close();
    assert_eq!(project.json("memory list --retired")["total"], 1, "nothing is lost");
}

#[test]
fn cleaning_up_unites_what_says_the_same_and_names_the_rest() {
    let project = project!();
    let kept = add(&project, "'Use nextest for the suite' --tag tests");
    let twin = add(&project, "'Something else entirely for now'");
    project.call(&format!("memory edit {twin} 'use nextest for the suite' --tag speed")).run().succeeded();
    add(&project, "'The test database listens on port 5433'");
    project.json("memory add 'The test database listens on port 5432' --force");
    let told = project.json("memory cleanup --dry-run");
    assert_eq!((&told["auto_merged_exact"], project.json("memory list")["total"].as_u64()), (&json!(0), Some(4)));
    let cleaned = project.json("memory cleanup");
    assert_eq!(cleaned["auto_merged_exact"], 1, "{cleaned}");
    assert_eq!(cleaned["cleanup_recommendations"]["similar_clusters"][0]["relation"], "contradicts");
    assert_eq!(project.json(&format!("memory show {twin}"))["replaced_by"], kept);
    assert_eq!(project.json(&format!("memory show {kept}"))["tags"], json!(["tests", "speed"]));
}

#[test]
fn a_memory_that_cannot_be_is_refused() {
    let project = project!();
    for (line, code) in [
        ("memory add ''", 2),
        ("memory add text --kind law", 2),
        ("memory show ../x", 2),
        ("memory show nothere1", 3),
        ("memory edit nothere1 text", 3),
        ("memory search x --limit 0", 2),
    ] {
        let refused = project.call(line).run();
        assert_eq!(refused.code, code, "{line}: {refused}");
    }
    assert!(!project.path(".handoff/memory").exists(), "nothing was written");
}
