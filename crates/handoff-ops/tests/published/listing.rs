//! `handoff_list_tasks` and `handoff_get_task`: what they show, and within what.

use serde_json::{Value, json};

use crate::place::Scratch;

const LIST: &str = "handoff_list_tasks";

fn sample() -> Scratch {
    let scratch = Scratch::new();
    let auth = scratch.task(json!({"title": "Auth", "status": "in_progress", "priority": "high"}));
    scratch.call(
        "handoff_update_task",
        json!({"task": {"title": "Schema", "assignee": "alice", "labels": ["db", "api"], "done_criteria": ["c"],
            "schedule": {"milestone": "beta", "due_date": "2026-11-18"}}, "parent_id": auth}),
    );
    scratch.task(json!({"title": "Deploy", "status": "blocked", "dependencies": [auth]}));
    scratch.task(json!({"title": "Later", "dependencies": [auth]}));
    scratch.task(json!({"title": "Old", "status": "done"}));
    scratch
}

fn titles(reply: &handoff_ops::Reply) -> Vec<String> {
    let json = reply.json();
    let tasks = json["tasks"].as_array().unwrap();
    tasks.iter().map(|task| task["title"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_tree_is_compact_and_the_summary_counts_everything() {
    let scratch = sample();
    let page = scratch.call(LIST, json!({})).page().to_markdown(None);
    let ids: Vec<String> =
        ["1", "1.1", "2", "3", "4"].map(|number| scratch.get(number)["id"].as_str().unwrap().to_owned()).into();
    assert_eq!(
        page,
        format!(
            "- [in_progress] 01 Auth (high) · {}\n  - [todo] 01.1 Schema · {} · 0/1 checked · due 2026-11-18 · @alice · milestone beta · #db · #api\n\
             - [blocked] 02 Deploy · {}\n- [todo] 03 Later · {}\n- [done] 04 Old · {}\n\n\
             5 tasks, 2 todo, 1 in_progress, 1 done, 1 blocked",
            ids[0], ids[1], ids[2], ids[3], ids[4]
        )
    );
}

#[test]
fn each_filter_works_and_the_tasks_above_a_match_stay() {
    let scratch = sample();
    for (filter, expected) in [
        (json!({"status_filter": "blocked"}), vec!["Deploy"]),
        (json!({"status_filter": "blocked, done"}), vec!["Deploy", "Old"]),
        (json!({"status_filter": ["blocked", "done"]}), vec!["Deploy", "Old"]),
        (json!({"assignee_filter": "alice"}), vec!["Auth", "Schema"]),
        (json!({"milestone_filter": "beta"}), vec!["Auth", "Schema"]),
        (json!({"priority_filter": "high"}), vec!["Auth"]),
        (json!({"label_filter": "api"}), vec!["Auth", "Schema"]),
        (json!({"label_filter": ["api", "db"]}), vec!["Auth", "Schema"]),
        (json!({"label_filter": "api,none"}), vec![]),
        (json!({"query": "sche"}), vec!["Auth", "Schema"]),
        (json!({"ready": true}), vec!["Auth", "Schema"]),
        (
            json!({"status_filter": "", "assignee_filter": "", "query": " "}),
            vec!["Auth", "Schema", "Deploy", "Later", "Old"],
        ),
    ] {
        let reply = scratch.call(LIST, filter.clone());
        assert_eq!(titles(&reply), expected, "{filter}");
        assert_eq!(reply.json()["summary"]["total"], 5, "{filter}");
    }
    let reply = scratch.call(LIST, json!({"query": "sche"}));
    assert_eq!((&reply.json()["tasks"][0]["matched"], reply.json()["tasks"][1].get("matched")), (&json!(false), None));
    let said = scratch.refused(LIST, json!({"status_filter": "todo,open"}));
    assert!(said.contains("`open` is not a status: use one of todo, in_progress"), "{said}");
}

#[test]
fn an_argument_that_is_not_needed_is_accepted_and_mentioned() {
    let reply = sample().call(LIST, json!({"include_children": true}));
    assert_eq!(reply.warnings, ["`include_children` is accepted and not needed"]);
}

#[test]
fn nothing_to_show_is_said() {
    let scratch = Scratch::new();
    assert_eq!(scratch.call(LIST, json!({})).page().to_markdown(None), "no tasks yet\n0 tasks");
    scratch.task(json!({"title": "A"}));
    let page = scratch.call(LIST, json!({"status_filter": "done"})).page().to_markdown(None);
    assert_eq!(page, "no task matches\n1 task, 1 todo");
}

/// A project with many tasks, put on disk at once.
fn crowded(tasks: usize, title: &str) -> Scratch {
    let scratch = Scratch::new();
    for number in 1..=tasks {
        let dir = scratch.path(&format!(".handoff/tasks/{number:02}-todo--task"));
        std::fs::create_dir_all(&dir).unwrap();
        let text = format!("format = 1\nid = \"t{number:07}\"\ntitle = \"{title} {number}\"\nstatus = \"todo\"\n");
        std::fs::write(dir.join("task.toml"), text).unwrap();
    }
    scratch
}

#[test]
fn an_answer_keeps_its_budget_in_both_forms_and_the_cursor_leads_through_everything() {
    for (count, title) in [(700, "A task with quite an ordinary title"), (150, &*"任務".repeat(20))] {
        let scratch = crowded(count, title);
        for format in ["markdown", "json"] {
            let mut seen = Vec::new();
            let mut arguments = json!({"format": format});
            for page in 1.. {
                assert!(page < 100, "it leads in a circle");
                let reply = scratch.call(LIST, arguments.clone());
                let text = if format == "json" { reply.json().to_string() } else { reply.page().to_markdown(None) };
                assert!(text.len() <= 9_500, "{} bytes", text.len());
                assert!(text.chars().filter(|c| !c.is_ascii()).count() <= 2_000, "more than 2,000 tokens");
                assert_eq!(reply.json()["summary"]["total"], count);
                assert_eq!(reply.json()["matches"], count);
                seen.extend(titles(&reply));
                let Some(cursor) = reply.json().get("next_cursor").cloned() else { break };
                assert!(
                    format == "json" || text.contains(&format!("more: call `{LIST}` with `{{\"cursor\":{cursor}}}`")),
                    "{text}"
                );
                arguments["cursor"] = cursor;
            }
            let expected: Vec<String> = (1..=count).map(|number| format!("{title} {number}")).collect();
            assert_eq!(seen, expected, "{format}");
        }
    }
}

#[test]
fn the_budget_is_the_one_that_is_set() {
    let scratch = crowded(200, "A task");
    let shown = |scratch: &Scratch| scratch.call(LIST, json!({})).json()["tasks"].as_array().unwrap().len();
    let before = shown(&scratch);
    scratch.call("handoff_update_config", json!({"updates": {"settings.budget_tokens": 200}}));
    let few = shown(&scratch);
    assert!(few >= 1 && few < before, "{few} of {before}");
    let limited = scratch.call(LIST, json!({"limit": 2}));
    assert_eq!((titles(&limited).len(), &limited.json()["next_cursor"]), (2, &json!("t0000002")));
    assert!(
        limited
            .page()
            .to_markdown(None)
            .ends_with(r#"198 more: call `handoff_list_tasks` with `{"limit":2,"cursor":"t0000002"}`"#)
    );
}

#[test]
fn finished_tasks_beyond_the_limit_are_counted_with_the_call_that_shows_them() {
    let scratch = Scratch::new();
    for number in 0..13 {
        scratch.task(json!({"title": format!("Done {number}"), "status": "done"}));
    }
    let reply = scratch.call(LIST, json!({}));
    assert_eq!((&reply.json()["hidden_finished"], titles(&reply).len()), (&json!(3), 10));
    let page = reply.page().to_markdown(None);
    assert!(page.contains(r#"3 more: call `handoff_list_tasks` with `{"status_filter":"done,skipped"}`"#), "{page}");
    assert_eq!(titles(&scratch.call(LIST, json!({"status_filter": "done,skipped"}))).len(), 13);
}

#[test]
fn files_that_cannot_be_read_are_named_within_the_budget() {
    let scratch = crowded(40, "A task");
    for number in 1..=30 {
        std::fs::write(scratch.path(&format!(".handoff/tasks/{number:02}-todo--task/task.toml")), "id = 5").unwrap();
    }
    let reply = scratch.call(LIST, json!({"format": "json"}));
    assert_eq!(titles(&reply).len(), 10);
    assert_eq!(reply.warnings.len(), 6);
    assert!(reply.warnings[0].contains("not shown: tasks/01-todo--task/task.toml:1"), "{:?}", reply.warnings);
    assert_eq!(reply.warnings[5], "25 more files are not in order");
    assert!(reply.json().to_string().len() <= 9_500);
}

#[test]
fn a_task_is_shown_whole_with_long_texts_cut() {
    let scratch = Scratch::new();
    let id = scratch.task(json!({"title": "A", "notes": "long words ".repeat(2_000), "notes_append": "first"}));
    for number in 0..12 {
        scratch.call("handoff_update_task", json!({"task": {"id": id, "notes_append": format!("note {number}")}}));
    }
    let reply = scratch.call("handoff_get_task", json!({"task_id": id}));
    let page = reply.page().to_markdown(None);
    assert!(page.len() <= 9_000, "{} bytes", page.len());
    assert!(page.contains("> long words") && page.contains("more characters in .handoff/tasks/"), "{page}");
    assert!(
        page.contains("> note 11") && !page.contains("> first") && page.contains("5 earlier notes are in"),
        "{page}"
    );
    assert_eq!(reply.json()["notes"].as_array().map(Vec::len), Some(13));
    assert_eq!(reply.json().get("dependents"), None::<&Value>);
}

#[test]
fn what_others_wrote_cannot_pose_as_ours() {
    let scratch = Scratch::new();
    scratch.task(json!({"title": "# Ignore [this](http://x) `now`", "notes": "## Do it\nnow"}));
    let list = scratch.call(LIST, json!({})).page().to_markdown(None);
    assert!(list.starts_with(r"- [todo] 01 # Ignore [this\](http://x) `now` · "), "{list}");
    let page = scratch.call("handoff_get_task", json!({"task_id": "1"})).page().to_markdown(None);
    assert!(page.contains("> ## Do it\n> now"), "{page}");
}
