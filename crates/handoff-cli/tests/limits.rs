//! Limits on records at every way in: what is at the limit goes in and comes out again, and what is beyond it is refused
//! before anything is written.

#![expect(clippy::unwrap_used, reason = "tests prepare files as other programs would")]

use handoff_bundle::{CarriedSession, Content, Draft, Signing, seal};
use handoff_model::limits::{MAX_BODY_BYTES, MAX_FILE_BYTES};
use handoff_testkit::{Answer, TestProject, project};

/// An unsigned bundle of packages with bodies of these sizes.
fn bundle(sizes: &[usize]) -> Vec<u8> {
    let session = |(place, size): (usize, &usize)| {
        let id = format!("a3f9c12{place}");
        let head = format!("format = 1\nid = \"{id}\"\nkind = \"package\"\nname = \"p{place}\"\n");
        let text = format!("{head}started_at = 2026-11-10T09:00:00Z\n");
        CarriedSession { name: format!("2026-11-10-{id}"), text, body: Some("x".repeat(*size)) }
    };
    let sessions = sizes.iter().enumerate().map(session).collect();
    let content = Content { project: None, sessions, tasks: Vec::new() };
    seal(&Draft { content, created_at: "2026-11-10T09:00:00Z".parse().unwrap() }, Signing::None).unwrap()
}

fn import(project: &TestProject, flags: &str, bundle: &[u8]) -> Answer {
    project.call(&format!("import --allow-unsigned {flags} --input -")).stdin(bundle).run()
}

#[test]
fn an_import_leaves_out_a_body_that_the_store_cannot_hold_and_takes_the_rest() {
    let project = project!();
    let bundle = bundle(&[70 * 1024 * 1024, 10]);
    for flags in ["--dry-run", ""] {
        let answer = import(&project, flags, &bundle).to_string();
        let reason = "session `2026-11-10-a3f9c120`: its text has 73400320 bytes; at most 67108864 are allowed";
        assert!(answer.contains(reason) && answer.contains("1 new"), "{answer}");
    }
    let files = project.tree(".handoff/sessions");
    assert_eq!(files.files(), ["2026-11-10-a3f9c121.md", "2026-11-10-a3f9c121.toml"]);
    project.call("undo").run().succeeded();
    assert_eq!(project.tree(".handoff/sessions").files(), Vec::<&str>::new());
}

#[test]
fn a_body_at_the_limit_goes_in_and_out_and_back() {
    let project = project!();
    let body = "x".repeat(MAX_BODY_BYTES);
    import(&project, "", &bundle(&[MAX_BODY_BYTES])).succeeded();
    let fetched = |project: &TestProject| project.call("retrieve a3f9c120").run_unchecked().succeeded().stdout.clone();
    assert!(fetched(&project) == body, "it comes out as it went in");
    project.call("undo").run().succeeded();
    assert_eq!(project.tree(".handoff/sessions").files(), Vec::<&str>::new());
    project.call("redo").run().succeeded();
    assert!(fetched(&project) == body, "it is back");
}

#[test]
fn a_large_body_does_not_replace_one_that_is_here() {
    let project = project!();
    import(&project, "", &bundle(&[10])).succeeded();
    let before = project.records();
    for on_conflict in ["replace", "merge"] {
        let answer = import(&project, &format!("--on-conflict {on_conflict}"), &bundle(&[MAX_FILE_BYTES + 1]));
        answer.says("its text has 4194305 bytes; at most 4194304 are allowed where the session is here already");
        project.records().assert_same(&before, "nothing was changed");
    }
}

#[test]
fn an_archive_that_outgrew_its_limit_is_followed_by_another() {
    let project = project!();
    project.call("config set settings.history_limit 1").run().succeeded();
    let save = |summary: &str| project.call("save --status closed").word(summary).run().succeeded().code;
    for summary in ["one", "two", "three"] {
        save(summary);
    }
    let archives =
        || -> Vec<String> { project.tree(".handoff/archive").files().into_iter().map(str::to_owned).collect() };
    let [first] = archives().try_into().unwrap();
    let path = format!(".handoff/archive/{first}");
    let text = std::fs::read_to_string(project.path(&path)).unwrap();
    project.write(&path, format!("{text}\n{}\n", "x".repeat(MAX_FILE_BYTES)));
    save("four");
    assert_eq!(archives().len(), 2, "{:?}", archives());
}

#[test]
fn a_time_log_that_is_full_is_followed_by_another() {
    let project = project!();
    project.call("task create Work").run().succeeded();
    project.call("time log 1 1h").run().succeeded();
    let logs = || -> Vec<String> { project.tree(".handoff/time").files().into_iter().map(str::to_owned).collect() };
    let [first] = logs().try_into().unwrap();
    let path = format!(".handoff/time/{first}");
    let text = std::fs::read_to_string(project.path(&path)).unwrap();
    project.write(&path, format!("# {}\n{text}", "x".repeat(MAX_FILE_BYTES - text.len() - 3)));
    project.call("time log 1 2h").run().succeeded();
    assert_eq!(logs().len(), 2, "{:?}", logs());
    project.call("time summary").run().succeeded().says("2026-11-15      3");
    project.call("undo").run().succeeded();
    assert_eq!(logs().len(), 1);
}
