//! What git says when a session is saved, and what became of pointed-to files when it is resumed.
#![expect(clippy::needless_pass_by_value, reason = "`json!(…)` at the call needs no reference before it")]

use handoff_testkit::{TestProject, list_in, project, text_in};
use serde_json::{Value, json};

const SAVE: &str = "save --json";

/// A repository with two commits and three files.
fn repository() -> TestProject {
    let project = project!();
    project.init_git();
    let long = |name: &str| (1..=40).map(|n| format!("line {n} of {name}\n")).collect::<Vec<_>>().concat();
    for name in ["src/auth.rs", "src/main.rs", "src/old.rs", "docs/guide.md"] {
        project.write(name, long(name));
    }
    project.commit_all("start");
    project.write("README.md", "# App\n");
    project.commit_all("say what it is");
    project
}

fn save(project: &TestProject, request: Value) -> Value {
    project.call(SAVE).request(&request).run().succeeded().json()
}

fn pointed(project: &TestProject) -> Value {
    save(
        project,
        json!({
            "summary": "Parser extracted",
            "context_pointers": [
                {"path": "src/auth.rs", "lines": "3-7", "reason": "edited"}, {"path": "src/main.rs"}, {"path": "src/old.rs"},
                {"path": "docs/guide.md"},
            ],
            "decisions": [{"decision": "JWT", "paths": ["src/"]}, {"decision": "Plain words", "paths": ["docs/"]}],
        }),
    )
}

/// What a context says of each pointer.
fn states(project: &TestProject) -> Vec<String> {
    let context = project.json("resume");
    let state = |pointer: &Value| {
        let moved = pointer["moved_to"].as_str().map(|to| format!(" to {to}")).unwrap_or_default();
        format!("{} {}{moved}", text_in(pointer, "path"), text_in(pointer, "state"))
    };
    list_in(&context, "pointers").iter().map(state).collect()
}

/// The files governed by a decision that changed since.
fn changed(project: &TestProject, decision: &str) -> Value {
    let context = project.json("resume");
    let found = list_in(&context, "decisions").iter().find(|known| known["decision"] == decision);
    found.expect("it is in force")["changed"].clone()
}

#[test]
fn a_save_notes_branch_commit_dirty_files_and_what_pointed_to_files_were() {
    let project = repository();
    project.write("src/auth.rs", "changed\n");
    project.write("new.txt", "new\n");
    let saved = pointed(&project);
    let git = &saved["git"];
    assert_eq!(git["branch"], "main");
    let head = project.git("rev-parse HEAD");
    assert!(head.starts_with(git["commit"].as_str().unwrap()), "{git}");
    assert!(git["recent"][0].as_str().unwrap().ends_with("say what it is"), "{git}");
    assert_eq!(git["recent"].as_array().unwrap().len(), 2);
    let dirty = git["dirty"].to_string();
    assert!(dirty.contains("src/auth.rs") && dirty.contains("new.txt"), "{git}");
    for pointer in saved["pointers"].as_array().unwrap() {
        let blob = project.git(&format!("hash-object {}", pointer["path"].as_str().unwrap()));
        let noted = pointer["blob"].as_str().unwrap_or_else(|| panic!("no blob in {pointer}"));
        assert!(blob.starts_with(noted), "{pointer}: {blob}");
    }
    let text = project.file(&project.session_file(saved["id"].as_str().unwrap()));
    assert!(text.contains("[git]") && text.contains("branch = \"main\""), "{text}");
}

#[test]
fn a_save_says_how_far_the_branch_is_from_where_it_came_from() {
    let project = repository();
    project.git("branch upstream");
    project.git("branch --set-upstream-to=upstream main");
    project.commit_all("ahead");
    let git = save(&project, json!({"summary": "Work"}))["git"].clone();
    assert_eq!((&git["ahead"], git["behind"].as_u64().unwrap_or(0)), (&json!(1), 0), "{git}");
}

#[test]
fn outside_git_nothing_is_said_of_it() {
    let project = project!();
    let saved = save(&project, json!({"summary": "Parser written", "next": ["Fix refresh tests"]}));
    assert_eq!(saved["git"], Value::Null);
    assert_eq!(saved["warnings"], Value::Null, "that is no reason for a warning");
    project.call("resume").run().succeeded().hides("git");
}

#[test]
fn git_is_left_alone_where_the_settings_say_so() {
    let project = repository();
    project.handoff("config set settings.auto_git_summary false");
    assert_eq!(pointed(&project)["git"], Value::Null);
    project.write("src/auth.rs", "changed\n");
    project.call("resume").run().hides("Changed since").hides("likely");
}

#[test]
fn a_repository_without_commits_is_no_obstacle() {
    let project = project!();
    project.init_git();
    project.write("src/main.rs", "fn main() {}\n");
    let saved = save(&project, json!({"summary": "Work", "context_pointers": ["src/main.rs"]}));
    assert_eq!(saved["git"]["commit"], Value::Null);
    project.call("resume").run().succeeded().says("src/main.rs");
}

#[test]
fn a_damaged_repository_is_no_obstacle() {
    let project = repository();
    project.write(".git/HEAD", "nonsense\n");
    save(&project, json!({"summary": "Work", "context_pointers": ["src/main.rs"]}));
    project.call("resume").run().succeeded().says("src/main.rs");
}

#[test]
fn a_pointer_to_a_file_that_is_not_there_is_kept_with_a_warning() {
    let project = project!();
    project.write("src/main.rs", "fn main() {}\n");
    let next = ["Fix refresh tests"];
    let pointers = ["src/main.rs", "src/missing.rs:4"];
    let request = json!({"summary": "Parser written", "next": next, "context_pointers": pointers});
    let saved = save(&project, request);
    assert_eq!(saved["warnings"], json!(["the pointer `src/missing.rs` leads to no file; it is kept"]));
    assert_eq!(saved["pointers"][1]["path"], "src/missing.rs");
    project.call("resume").run().says("src/missing.rs:4 [gone]");
}

#[test]
fn absolute_paths_inside_the_project_are_understood_and_others_refused() {
    let project = project!();
    project.write("src/main.rs", "fn main() {}\n");
    let inside = project.path("src/main.rs").to_string_lossy().into_owned();
    let saved = save(&project, json!({"summary": "Work", "context_pointers": [inside]}));
    assert_eq!(saved["pointers"][0]["path"], "src/main.rs");
    let before = project.records();
    for outside in ["/etc/passwd", "../../outside/canary.txt", "src/../../x", ""] {
        let request = json!({"summary": "Work", "context_pointers": [{"path": outside}]});
        project.call("save").request(&request).run().failed(2);
    }
    project.records().assert_same(&before, "all were refused");
}

#[test]
fn nothing_has_changed_where_nothing_was_touched() {
    let project = repository();
    pointed(&project);
    assert_eq!(states(&project), ["src/auth.rs same", "src/main.rs same", "src/old.rs same", "docs/guide.md same"]);
    project.call("resume").run().hides("changed since").hides("Changed since");
}

#[test]
fn edits_renames_and_deletions_are_seen_whether_committed_or_not() {
    for commits in [false, true] {
        let project = repository();
        pointed(&project);
        project.write("src/auth.rs", project.file("src/auth.rs").replace("line 5 ", "line five "));
        project.rename("src/main.rs", "src/entry.rs");
        project.remove("src/old.rs");
        if commits {
            project.commit_all("rework");
        }
        let expected =
            ["src/auth.rs changed", "src/main.rs moved to src/entry.rs", "src/old.rs gone", "docs/guide.md same"];
        assert_eq!(states(&project), expected, "committed: {commits}");
        let governed = changed(&project, "JWT").to_string();
        assert!(governed.contains("src/auth.rs") && governed.contains("src/old.rs"), "{governed}");
        assert_eq!(changed(&project, "Plain words"), Value::Null, "nothing that this one governs was touched");
        let answer = project.call("resume").run();
        answer.says("src/auth.rs:3-7 — edited [changed since]");
        answer.says("[moved to src/entry.rs]").says("src/old.rs [gone]");
        if commits {
            answer.says("1 commit since").says("rework").hides("uncommitted");
        } else {
            answer.says("uncommitted since: src/auth.rs, src/entry.rs, src/main.rs, src/old.rs");
        }
    }
}

#[test]
fn a_rebase_changes_only_what_it_changes() {
    let project = repository();
    project.git("checkout -q -b feature");
    project.write("src/main.rs", project.file("src/main.rs") + "feature\n");
    project.commit_all("feature work");
    pointed(&project);
    project.git("checkout -q main");
    for name in ["src/auth.rs", "src/old.rs"] {
        project.write(name, project.file(name) + "from main\n");
    }
    project.commit_all("main work");
    project.git("checkout -q feature");
    project.git("rebase -q main");
    let expected = ["src/auth.rs same", "src/main.rs same", "src/old.rs changed", "docs/guide.md same"];
    assert_eq!(states(&project), expected, "lines that are pointed to are the same while the file around them changed");
    project.call("resume").run().says("not on this branch");
}

#[test]
fn what_was_dirty_when_it_was_saved_is_no_news() {
    let project = repository();
    project.write("src/auth.rs", "half done\n");
    pointed(&project);
    assert_eq!(states(&project)[0], "src/auth.rs same");
    project.call("resume").run().says("still uncommitted: src/auth.rs").hides("uncommitted since");
    project.write("notes.txt", "new\n");
    project.call("resume").run().says("still uncommitted: src/auth.rs").says("uncommitted since: notes.txt");
}

#[test]
fn a_pointer_of_several_handoffs_is_compared_with_the_last_of_them() {
    let project = repository();
    for edit in ["one\n", "two\n"] {
        project.write("src/auth.rs", edit);
        save(
            &project,
            json!({"summary": edit, "context_pointers": ["src/auth.rs"], "next": [format!("go on {edit}")]}),
        );
    }
    assert_eq!(states(&project), ["src/auth.rs same"]);
    project.write("src/auth.rs", "three\n");
    assert_eq!(states(&project), ["src/auth.rs changed"]);
}

#[test]
fn a_commit_that_is_not_known_here_is_said_and_no_error() {
    let project = repository().session(
        "2026-11-14-aaaaaaaa",
        "status = \"closed\"\nsummary = \"From elsewhere\"\nended_at = 2026-11-14T10:00:00Z\n\n[[pointers]]\npath = \"src/auth.rs\"\n\n\
         [git]\nbranch = \"main\"\ncommit = \"1234567\"\n",
    );
    project.call("resume").run().succeeded().says("1234567").says("not known here").says("src/auth.rs");
}

#[test]
fn a_project_below_the_root_of_its_repository_points_into_itself() {
    let project = project!();
    project.make_directory("../mono");
    project.write("../mono/app/src/main.rs", "fn main() {}\n");
    project.write("../mono/other/lib.rs", "\n");
    for line in ["-C ../mono init -q --template= -b main", "-C ../mono add -A", "-C ../mono commit -q -m start"] {
        project.git(line);
    }
    project.call("init app").within("../mono/app").run().succeeded();
    let request = json!({"summary": "Work", "context_pointers": ["src/main.rs"]});
    let saved = project.call(SAVE).within("../mono/app").request(&request).run().succeeded().json();
    assert!(saved["pointers"][0]["blob"].is_string(), "{saved:#}");
    project.write("../mono/app/src/main.rs", "fn main() { changed() }\n");
    project.write("../mono/other/lib.rs", "changed\n");
    let context = project.call("resume --json").within("../mono/app").run().json();
    assert_eq!(context["pointers"][0]["state"], "changed");
}
