//! `handoff dashboard`: all projects at a glance.
#![expect(clippy::unwrap_used, reason = "tests prepare files as a person would")]

use handoff_testkit::{TestProject, empty_directory, project};
use serde_json::{Value, json};

/// A second project beside the first.
fn neighbour(project: &TestProject, name: &str) {
    project.make_directory(&format!("../{name}"));
    project.call("init").word(name).within(format!("../{name}")).run().succeeded();
}

/// A project that nobody has worked in on this machine.
fn unknown(project: &TestProject, path: &str) {
    let name = path.rsplit('/').next().unwrap();
    project.write(&format!("{path}/.handoff/config.toml"), format!("[project]\nname = \"{name}\"\n"));
}

fn names(answer: &Value) -> Vec<&str> {
    answer["projects"].as_array().unwrap().iter().map(|project| project["name"].as_str().unwrap()).collect()
}

fn scanned(project: &TestProject, line: &str) -> Vec<String> {
    let answer = project.call(&format!("dashboard {line}")).word("--json").run().succeeded().json();
    names(&answer).into_iter().map(str::to_owned).collect()
}

const SESSION: &str = r#"format = 1
id = "a3f9c12e"
status = "closed"
title = "Refactor auth middleware"
summary = "Token parser extracted"
started_at = 2026-11-14T09:00:00Z
ended_at = 2026-11-14T12:10:00Z
blockers = ["waiting for the staging key"]
"#;

fn sample() -> TestProject {
    let project = project!()
        .task("k7f3q2ma", |task| task.title("Implement auth").status("in_progress").field("priority = \"high\""))
        .task("m2x9a4te", |task| task.title("Design schema").status("done").parent("k7f3q2ma"))
        .task("q4w8e2rt", |task| task.title("Write docs"))
        .task("r5e8t1ed", |task| task.title("Deploy staging").status("blocked"));
    project.write(".handoff/sessions/2026-11-14-a3f9c12e.toml", SESSION);
    let active = SESSION.replace("a3f9c12e", "b4f9c12e").replace("closed", "active").replace("Refactor", "Test");
    let active = active.lines().filter(|line| !line.starts_with("ended_at") && !line.starts_with("blockers"));
    let active = active.collect::<Vec<_>>().join("\n").replace("2026-11-14T09", "2026-11-13T09");
    project.write(".handoff/sessions/2026-11-13-b4f9c12e.toml", active);
    project.make_directory(".git/objects");
    project.write(".git/HEAD", "ref: refs/heads/feature/auth\n");
    project
}

#[test]
fn the_published_form_has_a_heading_for_each_project_and_a_line_for_each_task() {
    let project = sample();
    insta::assert_snapshot!(project.handoff("dashboard"), @r"
    ## my-app (3 tasks)
    - [in_progress] Implement auth (high)
    - [blocked] Deploy staging
    - [todo] Write docs
    - open: 1 blocker
    - blocker: b1 waiting for the staging key
    - active session: Test auth middleware
    - last session: 2026-11-14 Refactor auth middleware (closed)
    - branch: feature/auth
    - in [project]
    ");
    let all = project.call("dashboard --include-completed").run();
    all.says("## my-app (4 tasks)\n").says("- [done] Design schema\n");
}

#[test]
fn the_json_has_every_fact() {
    let project = sample();
    let answer = project.json("dashboard");
    let mut view = answer["projects"][0].clone();
    assert_eq!(view["tasks"].as_array().map(Vec::len), Some(3));
    view.as_object_mut().unwrap().remove("tasks");
    assert_eq!(
        view,
        json!({
            "name": "my-app", "path": "[project]", "state": "ok",
            "summary": {"total": 4, "by_status": {"blocked": 1, "done": 1, "in_progress": 1, "todo": 1}},
            "open": {"next": 0, "blockers": 1, "checklist": 0, "questions": 0,
                "items": [{"id": "b1", "kind": "blocker", "text": "waiting for the staging key"}]},
            "blockers": ["waiting for the staging key"], "active_sessions": ["Test auth middleware"],
            "last_session": {"name": "2026-11-14-a3f9c12e", "date": "2026-11-14T12:10:00Z",
                "title": "Refactor auth middleware", "summary": "Token parser extracted", "status": "closed"},
            "branch": "feature/auth", "last_activity": "2026-11-14T12:10:00Z",
        })
    );
}

#[test]
fn what_is_open_in_any_session_is_shown_and_what_is_settled_is_not() {
    let project = project!();
    project.call("save First --blocker 'Vendor key missing' --blocker 'No staging' --next 'Write the parser'").run();
    project.call("save Second --next 'Write the docs'").run().succeeded();
    project.call("done b1").run().succeeded();
    project.call("ask 'Which port?'").run().succeeded();
    let shown = project.call("dashboard").run().succeeded().stdout.clone();
    let open = "- open: 2 next steps, 1 blocker, 1 question\n- blocker: b2 No staging\n\
                - next step: n2 Write the docs\n- next step: n1 Write the parser\n";
    assert!(shown.contains(open), "{shown}");
    assert!(!shown.contains("Vendor key"), "{shown}");
    // The same from elsewhere.
    neighbour(&project, "other");
    assert!(project.call("dashboard").within("../other").run().stdout.contains(open));
    let view = project.json("dashboard")["projects"].as_array().unwrap().clone();
    let view = view.iter().find(|view| view["name"] == "my-app").unwrap();
    assert_eq!(view["blockers"], json!(["No staging"]));
    assert_eq!((&view["open"]["next"], &view["open"]["questions"]), (&json!(2), &json!(1)));
    assert_eq!(view["open"]["items"][0], json!({"id": "b2", "kind": "blocker", "text": "No staging"}));
}

#[test]
fn many_open_items_are_counted_and_the_first_are_shown() {
    let project = project!();
    let blockers: Vec<String> = (1..=9).map(|n| format!("--blocker 'Obstacle number {n}'")).collect();
    project.call(&format!("save Work {}", blockers.join(" "))).run().succeeded();
    let shown = project.call("dashboard").run().succeeded().stdout.clone();
    assert!(shown.contains("- open: 9 blockers\n") && shown.contains("b3 Obstacle number 3"), "{shown}");
    assert!(!shown.contains("Obstacle number 4"), "{shown}");
}

#[test]
fn projects_come_by_recent_activity_then_by_name() {
    let project = project!();
    for name in ["beta", "alpha", "late"] {
        neighbour(&project, name);
    }
    project.call("task create A").within("../late").run().succeeded();
    assert_eq!(names(&project.json("dashboard")), ["late", "alpha", "beta", "my-app"]);
    project.call("task create B").run().succeeded();
    assert_eq!(names(&project.json("dashboard")), ["my-app", "late", "alpha", "beta"]);
}

#[test]
fn a_project_at_hand_is_shown_though_it_is_not_known() {
    let project = project!();
    project.handoff("project forget my-app");
    assert_eq!(names(&project.json("dashboard")), ["my-app"]);
    project.make_directory("../elsewhere");
    let answer = project.call("dashboard").within("../elsewhere").run();
    answer.succeeded().says("no project is known on this machine yet");
}

#[test]
fn directories_are_searched_when_asked_and_when_set() {
    let project = project!();
    for path in ["../found", "../deep/er/app", "found-inside"] {
        unknown(&project, path);
    }
    assert_eq!(scanned(&project, ""), ["my-app"]);
    assert_eq!(scanned(&project, "--scan .."), ["app", "found", "found-inside", "my-app"]);
    assert_eq!(scanned(&project, "--scan .. --max-depth 1"), ["found", "my-app"]);
    assert_eq!(scanned(&project, "--scan .. --exclude deep --exclude found"), ["found-inside", "my-app"]);
    let deep = project.path("../deep");
    project.call(&format!("config set --user dashboard.scan_dirs '{}'", deep.display())).run().succeeded();
    assert_eq!(scanned(&project, ""), ["app", "my-app"]);
    assert_eq!(scanned(&project, "--scan ../found"), ["found", "my-app"]);
    project.call("config set dashboard.exclude_patterns er").run().succeeded();
    assert_eq!(scanned(&project, ""), ["my-app"]);
    unknown(&project, "../../home/work/mine");
    assert_eq!(scanned(&project, "--scan '~/work'"), ["mine", "my-app"]);
}

#[test]
fn what_a_projects_file_names_is_searched_inside_the_project_only() {
    let project = project!();
    for path in ["../found", "apps/inside"] {
        unknown(&project, path);
    }
    let outside = project.path("..");
    for dir in ["..", "apps/../..", &outside.display().to_string(), "~"] {
        project.call(&format!("config set dashboard.scan_dirs '{dir}' apps")).run().succeeded();
        assert_eq!(scanned(&project, ""), ["inside", "my-app"], "{dir}");
        project.call("dashboard").run().says("is not searched").says("--user dashboard.scan_dirs");
    }
    // What the user set counts where nothing of the project's own is left.
    project.call(&format!("config set --user dashboard.scan_dirs '{}'", outside.display())).run().succeeded();
    project.call("config set dashboard.scan_dirs /").run().succeeded();
    assert_eq!(scanned(&project, ""), ["found", "inside", "my-app"]);
}

#[cfg(unix)]
#[test]
fn a_link_in_a_project_does_not_lead_the_search_out_of_it() {
    let project = project!();
    unknown(&project, "../found");
    std::os::unix::fs::symlink("..", project.path("out")).unwrap();
    project.call("config set dashboard.scan_dirs out").run().succeeded();
    assert_eq!(scanned(&project, ""), ["my-app"]);
}

#[test]
fn what_was_fetched_or_built_is_never_searched_and_the_home_directory_is_no_project() {
    let project = project!();
    for left_out in ["node_modules", ".git", "target", "dist", ".next", "vendor", ".venv", "__pycache__"] {
        unknown(&project, &format!("../{left_out}/app"));
    }
    unknown(&project, "../../home");
    unknown(&project, "../../home/real");
    assert_eq!(scanned(&project, "--scan .. --scan ~"), ["my-app", "real"]);
}

#[cfg(unix)]
#[test]
fn each_project_is_listed_once_however_it_is_reached() {
    use std::os::unix::fs::symlink;
    let project = project!();
    symlink("my-app", project.path("../alias")).unwrap();
    symlink("..", project.path("../my-app/up")).unwrap();
    symlink("nowhere", project.path("../dangling")).unwrap();
    assert_eq!(scanned(&project, "--scan .. --scan ../my-app --scan ../alias --max-depth 60"), ["my-app"]);
}

#[test]
fn a_directory_that_cannot_be_searched_is_named_and_the_others_are() {
    let project = project!();
    unknown(&project, "../found/app");
    let answer = project.call("dashboard --scan ../nowhere --scan ../found").run();
    answer.succeeded().says("## app (0 tasks)").says("cannot search [project]/../nowhere");
}

#[test]
fn a_broken_project_is_listed_as_broken_with_the_reason() {
    let project = project!();
    for name in ["bad-config", "bad-task", "bad-session", "no-store"] {
        neighbour(&project, name);
    }
    project.write("../bad-config/.handoff/config.toml", "[project\nname = \"x\"\n");
    project.write("../bad-task/.handoff/tasks/01-todo--a/task.toml", "id = 5\n");
    project.write("../bad-session/.handoff/sessions/2026-11-14-a3f9c12e.toml", "summary = [\n");
    project.rename("../no-store/.handoff", "../no-store/real");
    let answer = project.json("dashboard");
    let view = |name: &str| answer["projects"].as_array().unwrap().iter().find(|view| view["name"] == name).unwrap();
    for (name, reason) in [
        ("bad-config", "config.toml:1"),
        ("bad-task", "tasks/01-todo--a/task.toml:1"),
        ("bad-session", "sessions/2026-11-14-a3f9c12e.toml"),
    ] {
        assert_eq!(view(name)["state"], "broken", "{name}");
        assert!(view(name)["problem"].as_str().unwrap().contains(reason), "{}", view(name));
    }
    assert_eq!(view("my-app")["state"], "ok");
    let answer = project.call("dashboard").run();
    answer
        .succeeded()
        .says("## bad-task (0 tasks, broken)\n- broken: tasks/01-todo--a/task.toml:1")
        .says("## my-app (0 tasks)");
}

#[cfg(unix)]
#[test]
fn a_store_behind_a_link_is_listed_as_broken() {
    let project = project!();
    neighbour(&project, "linked");
    project.rename("../linked/.handoff", "../linked/real");
    std::os::unix::fs::symlink("real", project.path("../linked/.handoff")).unwrap();
    let answer = project.call("dashboard").run();
    answer.succeeded().says("## linked (0 tasks, broken)\n- broken: ").says("## my-app (0 tasks)");
}

#[test]
fn a_project_that_is_gone_is_listed_as_gone_at_the_end() {
    let project = project!();
    neighbour(&project, "aaa-gone");
    project.remove("../aaa-gone");
    let answer = project.call("dashboard").run();
    answer.succeeded();
    assert!(answer.stdout.ends_with("\n\n## aaa-gone (gone)\n- was in [root]/work/aaa-gone\n"), "{answer}");
    let answer = project.json("dashboard");
    assert_eq!(answer["projects"][1]["state"], "gone");
}

#[test]
fn many_tasks_and_projects_keep_to_the_budget_and_all_projects_are_named() {
    let project = project!();
    for number in 0..30 {
        let name = format!("app-{number:02}");
        unknown(&project, &format!("../more/{name}"));
        for task in 1..=40 {
            let file = format!("../more/{name}/.handoff/tasks/{task:02}-todo--t/task.toml");
            project.write(
                &file,
                format!("id = \"a{number:03}b{task:03}\"\ntitle = \"Quite an ordinary task, number {task}\"\n"),
            );
        }
    }
    let answer = project.call("dashboard --scan ../more").run();
    answer.succeeded();
    // The paths of this machine are longer than what stands for them here.
    assert!(answer.stdout.len() <= 9_500, "{} bytes", answer.stdout.len());
    assert_eq!(answer.stdout.matches("\n## app-").count() + usize::from(answer.stdout.starts_with("## app-")), 30);
    answer.says("(40 tasks)");
    let answer = project.json("dashboard --scan ../more");
    assert_eq!(answer["summary"], json!({"total": 1200, "by_status": {"todo": 1200}}));
}

#[test]
fn more_projects_than_fit_are_counted() {
    let project = empty_directory!();
    for number in 0..300 {
        unknown(&project, &format!("many/app-{number:03}"));
    }
    let answer = project.call("dashboard --scan many").run();
    answer.succeeded();
    assert!(answer.stdout.len() <= 9_500, "{} bytes", answer.stdout.len());
    let shown = answer.stdout.matches("## app-").count();
    answer.says(&format!("\n{} more\n", 300 - shown));
}

#[test]
fn looking_changes_nothing_anywhere() {
    let project = sample();
    neighbour(&project, "other");
    let before = project.tree("../..");
    project.call("dashboard --scan ..").run().succeeded();
    project.tree("../..").assert_same(&before, "looking changed something");
}

#[test]
fn a_damaged_registry_is_named_and_the_project_at_hand_is_shown() {
    let project = project!();
    project.write("../../home/data/handoff/projects.toml", "projects = 5\n");
    let answer = project.call("dashboard").run();
    answer.succeeded().says("## my-app (0 tasks)").says("the known projects are not listed: projects.toml:1");
}
