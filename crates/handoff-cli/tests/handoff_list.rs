//! `list` and `select` over packages, records and sessions, and `save` as those know it who kept records elsewhere.

use handoff_testkit::{TestProject, project};
use serde_json::Value;

/// What is listed, by title or name.
fn titles(list: &Value) -> Vec<&str> {
    let list = list["handoffs"].as_array().expect("a list");
    list.iter().map(|one| one["title"].as_str().or(one["name"].as_str()).expect("a title")).collect()
}

/// Three records and a package, a second apart.
fn filled() -> TestProject {
    let project = project!();
    let save = "save --tool codex --title 'Fix the parser' --summary 'Tokens are read' --next 'Test it' --tag api";
    project.call(save).run().succeeded();
    project
        .call("save --tool Claude-Code --title Docs --summary 'Guide written' --body 'see the Appendix'")
        .run()
        .succeeded();
    project
        .call("save --title Auth --summary 'Login works' --next 'Ship the LOGIN page' --tags api,auth")
        .run()
        .succeeded();
    project.call("store --name notes --summary 'For later' --tags auth").stdin("nothing but notes").run().succeeded();
    project
}

#[test]
fn filters_narrow_the_list() {
    let project = filled();
    for (filters, expected) in [
        ("", vec!["notes", "Auth", "Docs", "Fix the parser"]),
        ("--tool CODEX", vec!["Fix the parser"]),
        ("--tag api", vec!["Auth", "Fix the parser"]),
        ("--tag api --tag auth", vec!["Auth"]),
        ("--kind package", vec!["notes"]),
        ("--name notes", vec!["notes"]),
        ("--query TOKENS", vec!["Fix the parser"]),
        ("--query appendix", vec!["Docs"]),
        ("--query 'login page'", vec!["Auth"]),
        ("--query 'but notes'", vec!["notes"]),
        ("--latest", vec!["notes"]),
        ("--latest --kind record", vec!["Auth"]),
        ("--limit 2", vec!["notes", "Auth"]),
        ("--limit 0", vec!["notes", "Auth", "Docs", "Fix the parser"]),
        ("--since 1d12h", vec!["notes", "Auth", "Docs", "Fix the parser"]),
        ("--since 2026-11-15 --until 2026-11-15", vec!["notes", "Auth", "Docs", "Fix the parser"]),
        ("--until 2026-11-14", vec![]),
        ("--project my-app", vec!["notes", "Auth", "Docs", "Fix the parser"]),
        ("--project .", vec!["notes", "Auth", "Docs", "Fix the parser"]),
        ("--project elsewhere", vec![]),
    ] {
        assert_eq!(titles(&project.json(&format!("list {filters}"))), expected, "{filters}");
    }
    let id = project.json("list --latest")["handoffs"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(titles(&project.json(&format!("list --id {}", &id[..7]))), ["notes"]);
}

#[test]
fn filters_that_make_no_sense_are_refused() {
    let project = filled();
    project.call("list --latest --limit 3").run().failed(2).says("latest");
    project.call("list --limit -1").run().failed(2).says("`-1` is no limit");
    for wrong in ["7", "1.5h", "-3d", "12h1d", "yesterday", "2026-13-01"] {
        project.call("list").word(format!("--since={wrong}")).run().failed(2).says("is no point in time");
    }
}

#[test]
fn an_empty_list_says_why() {
    project!().call("list").run().succeeded().says("nothing is saved here yet");
    filled().call("list --tool cursor").run().succeeded().says("none of the 4 that are saved matches");
    assert_eq!(project!().json("list")["handoffs"], Value::Array(Vec::new()));
}

#[test]
fn a_project_is_found_by_any_path_into_it() {
    let project = filled();
    project.make_directory("src/deep");
    project.make_directory("../elsewhere");
    let from_elsewhere = |path: &str| {
        let call = project.call("list").word("--project").word(path).word("--json").within("../elsewhere");
        call.run().succeeded().json()["matches"].as_u64()
    };
    for path in ["../my-app", "../my-app/src/deep", "my-app", project.path(".").to_str().unwrap()] {
        assert_eq!(from_elsewhere(path), Some(4), "{path}");
    }
    assert_eq!(project.call("list --json").within("../elsewhere").run().succeeded().json()["matches"], 0);
    assert_eq!(project.call("list --all --json").within("../elsewhere").run().succeeded().json()["matches"], 4);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(project.path("."), project.path("../link")).unwrap();
        assert_eq!(from_elsewhere("../link/src"), Some(4), "through a link");
    }
}

#[test]
fn select_takes_the_newest_without_asking_and_needs_a_terminal_otherwise() {
    let project = filled();
    let newest = project.json("list --latest --tag api")["handoffs"][0]["id"].as_str().unwrap().to_owned();
    let answer = project.call("select --print-id --tag api").run();
    assert_eq!(answer.succeeded().stdout, format!("{newest}\n"));
    project.call("select").run().failed(2).says("no terminal").says("--print-id");
    project.call("select --print-id --tool nobody").run().failed(3);
}

#[test]
fn a_record_is_refused_where_something_is_blank_or_missing() {
    let project = project!();
    project.call("save --title T").run().failed(2).says("summary");
    project.call("save --title '' --summary S").run().failed(2).says("must not be empty");
    project.call("save --title T --summary ' '").run().failed(2).says("must not be empty");
    project.call("save --title T --summary S --next ' '").run().failed(2).says("must not be empty");
    assert_eq!(project.json("list")["matches"], 0);
}

#[test]
fn a_project_that_is_no_work_tree_is_refused_with_the_words_of_git() {
    let project = project!();
    project.make_directory("../plain");
    project.call("save --summary S --project ../plain").run().failed(4).says("not a git repository");
    project.call("save --summary S --project ../missing").run().failed(3).says("no directory `../missing`");
    assert_eq!(project.json("list --all")["matches"], 0);
}

#[test]
fn a_summary_or_a_body_comes_from_standard_input() {
    let project = project!();
    project.call("save -").stdin("From a pipe\n").run().succeeded();
    project.call("save --title T --summary S --body -").stdin("# Body\r\n").run().succeeded();
    assert_eq!(project.json("list --query 'from a pipe'")["matches"], 1);
    let answer = project.call("retrieve").word(project.json("list --latest")["handoffs"][0]["id"].as_str().unwrap());
    assert_eq!(answer.run_unchecked().succeeded().stdout, "# Body\r\n");
    project.call("save - --body -").stdin("x").run().failed(2).says("not both");
    project.call("save -").run().failed(2).says("it is empty");
}

#[cfg(unix)]
#[test]
fn a_record_is_written_in_an_editor() {
    let project = project!();
    project.write("edit.sh", "printf '# Parser\\n\\nIt is done.\\n\\n## Next Steps\\n\\n- Ship it\\n' > \"$1\"\n");
    let script = format!("sh {}", project.path("edit.sh").display());
    project.call("save --edit").env("EDITOR", &script).run().succeeded();
    let one = project.json("list --latest")["handoffs"][0].clone();
    assert_eq!((one["title"].as_str(), one["summary"].as_str()), (Some("Parser"), Some("It is done.")));
    assert_eq!(one["next"], serde_json::json!(["Ship it"]));
    project.call("save --edit").env("EDITOR", "true").run().failed(1).says("nothing was written");
    project.call("save --edit").env("EDITOR", "false").run().failed(1).says("nothing was saved");
    project.call("save --edit").run().failed(2).says("EDITOR");
}

#[test]
fn completion_scripts_can_leave_out_the_descriptions() {
    let project = project!();
    let with = project.call("completion fish").run_unchecked().succeeded().stdout.clone();
    let without = project.call("completion fish --no-descriptions").run_unchecked().succeeded().stdout.clone();
    assert!(with.contains("Store a named package") && !without.contains("Store a named package"));
    assert!(without.contains("retrieve"));
}
