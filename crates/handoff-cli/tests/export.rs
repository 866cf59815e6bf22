//! What leaves as a bundle comes in elsewhere as it was, and nothing forged comes in at all.
#![expect(clippy::unwrap_used, reason = "tests look at files as a person would")]

use handoff_testkit::{TestProject, project, shared_project};
use serde_json::json;

/// A project with a tree of tasks, sessions with and without bodies, and a key.
fn full(project: TestProject) -> TestProject {
    for title in ["First", "Second --parent 1", "Third --parent 1", "Fourth"] {
        project.call(&format!("task create {title}")).run().succeeded();
    }
    project.call("task delete 1.1").run().succeeded();
    let body = "free text\r\n\u{202e}odd\u{200b}\n";
    let one = json!({"summary": "Parser done", "body": body, "tags": ["api"], "add_next": ["Fix the tests"]});
    project.call("save").request(&one).run().succeeded();
    project.call("save --summary 'Second handoff' --decision 'JWT over sessions'").run().succeeded();
    let file = project
        .tree(".handoff/sessions")
        .files()
        .into_iter()
        .find(|name| name.strip_suffix(".toml").is_some())
        .unwrap()
        .to_owned();
    let path = format!(".handoff/sessions/{file}");
    let text = format!("# by hand\n{}own_key = [1, 2]\n", project.file(&path));
    // A key of somebody else stands in front of the tables.
    let text = text.replacen("format = 1\n", "format = 1\nanother = \"kept\"\n", 1).replace("own_key = [1, 2]\n", "");
    project.write(&path, text);
    project
}

#[test]
fn a_whole_project_comes_out_as_it_went_in() {
    for (from, to) in [(project!(), project!()), (shared_project!(), shared_project!())] {
        let from = full(from);
        from.call("keys new --comment alice").run().succeeded();
        let key = from.home().join("config/handoff/keys/handoff_ed25519");
        let call = from.call("export --all --format json --output ../bundle.json --signer alice --sign-key").word(&key);
        call.run().succeeded();
        let bundle = from.path("../bundle.json");
        let refused = to.call("import --input").word(&bundle).run();
        assert_eq!(refused.code, 4, "{refused}");
        assert!(refused.to_string().contains("the signer of the bundle is unknown: SHA256:"), "{refused}");
        let public = std::fs::read_to_string(from.home().join("config/handoff/keys/handoff_ed25519.pub")).unwrap();
        to.call("trust add alice").word(public.trim()).run().succeeded();
        let taken = to.call("import --json --input").word(&bundle).run().succeeded().json();
        assert_eq!(taken["signer"]["verdict"], "trusted");
        for dir in [".handoff/tasks", ".handoff/sessions"] {
            to.tree(dir).assert_same(&from.tree(dir), "the same bytes in the same places");
        }
        let again = to.call("import --json --input").word(&bundle).run().succeeded().json();
        assert_eq!(again["counts"]["new"], 0);
        to.call("undo").run().succeeded();
        assert_eq!(to.tree(".handoff/tasks").files(), Vec::<&str>::new());
    }
}

#[test]
fn unsigned_bundles_need_a_word_and_changed_ones_are_refused() {
    let project = full(project!());
    project.call("export --format json --output ../one.json").run().succeeded();
    let other = project!();
    let path = project.path("../one.json");
    let refused = other.call("import --input").word(&path).run();
    assert_eq!(refused.code, 4, "{refused}");
    assert!(refused.to_string().contains("--allow-unsigned"), "{refused}");
    let bytes = std::fs::read(&path).unwrap();
    let piped = other.call("import --json --allow-unsigned --input -").stdin(&bytes).run().succeeded().json();
    assert_eq!((&piped["counts"]["new"], &piped["signer"]["verdict"]), (&json!(1), &json!("unsigned")));
    let text = String::from_utf8(bytes).unwrap();
    for wrong in
        [text.replace("Second handoff", "Forged handoff"), text[..text.len() / 2].to_owned(), format!("{text} ")]
    {
        let refused = other.call("import --allow-unsigned --input -").stdin(wrong).run();
        assert_eq!(refused.code, 6, "{refused}");
    }
    assert_eq!(other.call("import --allow-unsigned --input ../none.json").run().code, 3);
    assert_eq!(other.call("import --allow-unsigned --input .").run().code, 1);
    assert_eq!(other.call("import").run().code, 2);
}

#[test]
fn passphrases_come_from_everywhere_but_end_up_nowhere() {
    let project = full(project!());
    project.write("../secret", "correct horse\r\nignored\n");
    project.call("export --format json --passphrase-file ../secret -o ../age.json").run().succeeded();
    assert!(project.file("../age.json").starts_with("-----BEGIN AGE ENCRYPTED FILE-----"));
    let import = |flags: &str| project.call(&format!("import --allow-unsigned --dry-run --input ../age.json {flags}"));
    let missing = import("").run();
    assert_eq!(missing.code, 2, "{missing}");
    assert!(missing.to_string().contains("HANDOFF_PASSPHRASE"), "{missing}");
    import("").env("HANDOFF_PASSPHRASE", "correct horse").run().succeeded();
    let typed = import("--passphrase 'correct horse'").run();
    assert_eq!(typed.code, 0);
    assert!(typed.to_string().contains("can see a passphrase on the command line"), "{typed}");
    let wrong = import("--passphrase wrong-battery").run();
    assert_eq!(wrong.code, 4, "{wrong}");
    assert!(!wrong.stderr.contains("wrong-battery"), "{wrong}");
    let refused = project.call("export --passphrase-file ../secret").run();
    assert_eq!(refused.code, 2, "{refused}");
    assert!(refused.to_string().contains("Markdown can be neither signed nor encrypted"), "{refused}");
    for flags in ["--format json", "--compat session-handoff"] {
        let call = project.call(&format!("export --json {flags}")).env("HANDOFF_PASSPHRASE", "correct horse");
        let exported = call.run().succeeded().json();
        assert_eq!(exported["encrypted"], true);
        assert!(!exported.to_string().contains("Second handoff"), "{exported}");
    }
    let refused = project.call("export").env("HANDOFF_PASSPHRASE", "correct horse").run();
    assert_eq!(refused.code, 2, "{refused}");
    assert!(refused.to_string().contains("HANDOFF_PASSPHRASE"), "{refused}");
}

#[cfg(unix)]
#[test]
fn files_are_written_whole_and_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = full(project!());
    let mode = |path: &str| std::fs::metadata(project.path(path)).unwrap().permissions().mode() & 0o777;
    project.write("../out.md", "old");
    std::fs::set_permissions(project.path("../out.md"), std::fs::Permissions::from_mode(0o644)).unwrap();
    project.call("export --output ../out.md").run().succeeded();
    assert_eq!(mode("../out.md"), 0o600);
    assert!(project.file("../out.md").contains("Second handoff"));
    std::os::unix::fs::symlink(project.path("../out.md"), project.path("../link.md")).unwrap();
    for path in ["../link.md", ".handoff/out.md", ".handoff", ".."] {
        assert_eq!(project.call(&format!("export --output {path}")).run().code, 4, "{path}");
    }
    assert_eq!(project.call("export --output ../none/out.md").run().code, 3);
    project.call("keys new --output ../key").run().succeeded();
    assert_eq!(mode("../key"), 0o600);
    assert_eq!(project.call("keys new --output ../key").run().code, 4, "a key is never replaced");
}

#[test]
fn records_are_chosen_by_time_and_tag() {
    let project = full(project!());
    let names =
        |flags: &str| project.json(&format!("export --format json {flags}"))["sessions"].as_array().unwrap().len();
    assert_eq!((names(""), names("--tag API"), names("--since 7d"), names("--since 2026-11-15")), (1, 1, 2, 2));
    assert_eq!(project.call("export --since 2026-11-16").run().code, 3);
    assert_eq!(project.call("export --since tomorrow").run().code, 2);
    assert_eq!(project.call("export --id nothing-here").run().code, 3);
    assert_eq!(project.call("export --target nobody").run().code, 2);
}

#[test]
fn secrets_hold_an_export_back() {
    let project = project!();
    let token = ["ghp_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].concat();
    project.call("save --summary").word(format!("The token is {token}")).run().succeeded();
    for flags in ["", "--format json", "--all --format json"] {
        let held = project.call(&format!("export {flags}")).run();
        assert_eq!(held.code, 4, "{held}");
        assert!(!held.to_string().contains(&token), "{held}");
    }
}

#[test]
fn bundles_of_session_handoff_go_out_and_come_in() {
    let project = full(project!());
    project.call("keys new --output ../key --comment alice").run().succeeded();
    project.call("export --compat session-handoff --output ../v2.json").run().succeeded();
    project.call("export --compat session-handoff --sign-key ../key --output ../v3.json").run().succeeded();
    assert_eq!(project.call("export --compat session-handoff --bundle-version 3").run().code, 2);
    assert!(project.file("../v3.json").starts_with("{\n  \"version\": 3,"));
    let other = project!();
    let import =
        |name: &str, flags: &str| other.call(&format!("import {flags} --input")).word(project.path(name)).run();
    assert_eq!(import("../v2.json", "").code, 4);
    import("../v2.json", "--allow-unsigned").succeeded();
    assert_eq!(import("../v3.json", "--on-conflict skip").code, 4, "its signer is unknown");
    let known = import("../v3.json", "--trust-on-first-use --json").succeeded().json();
    assert_eq!((&known["signer"]["verdict"], &known["counts"]["same"]), (&json!("unknown"), &json!(1)));
    assert_eq!(import("../v3.json", "--json").succeeded().json()["signer"]["verdict"], "known");
    let list = other.json("trust list");
    assert_eq!(list["signers"][0]["level"], "known");
}

#[test]
fn records_of_session_handoff_go_back_to_the_byte() {
    let fixture =
        |name: &str| std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/session-handoff").join(name);
    let read = |name: &str| std::fs::read_to_string(fixture(name)).unwrap();
    let cases = [
        ("bundle-v2.json", "--allow-unsigned", false),
        ("bundle-v2-minimal.json", "--allow-unsigned", false),
        ("bundle-v2-escapes.json", "--allow-unsigned", false),
        ("bundle-v2-null-next.json", "--allow-unsigned", false),
        ("bundle-v3.json", "--trust-on-first-use", true),
        ("bundle-v3-escapes-noname.json", "--trust-on-first-use", true),
    ];
    for (name, allowed, sign) in cases {
        let project = project!();
        let expected = read(name);
        let bundle: serde_json::Value = serde_json::from_str(&expected).unwrap();
        project.call(&format!("import {allowed} --input")).word(fixture(name)).run().succeeded();
        let id = bundle["record"]["id"].as_str().unwrap();
        let mut call = project.call(&format!("export --compat session-handoff --id {id}"));
        if sign {
            call = call.word("--sign-key").word(fixture("signing-key.pem"));
            if let Some(signer) = bundle["signer"]["name"].as_str() {
                call = call.word("--signer").word(signer);
            }
        }
        let exported = call.word("--output").word("../back.json").run();
        exported.succeeded();
        // The tool writes a list that is not there as null, where the file was written by hand without it.
        let by_hand = expected.replace("refresh flow\"\n  }", "refresh flow\",\n    \"next\": null\n  }");
        assert_eq!(project.file("../back.json"), by_hand, "{name}");
        assert_eq!(exported.stderr, "", "{name}");
    }
}

#[test]
fn what_session_handoff_has_no_place_for_is_named() {
    let project = full(project!());
    let exported = project.call("export --compat session-handoff").run();
    exported.succeeded();
    assert!(exported.stderr.contains("no place for these") && exported.stderr.contains("decisions"), "{exported}");
}

#[test]
fn a_merge_keeps_both_free_form_texts() {
    let (project, other) = (project!(), project!());
    project.call("save").request(&json!({"summary": "One", "body": "theirs\n"})).run().succeeded();
    project.call("export --format json --output ../one.json").run().succeeded();
    let bundle = project.path("../one.json");
    let import =
        |flags: &str| other.call(&format!("import --json --allow-unsigned {flags} --input")).word(&bundle).run();
    import("").succeeded();
    let sessions = other.tree(".handoff/sessions");
    let body = sessions.files().into_iter().find(|name| name.strip_suffix(".md").is_some()).unwrap().to_owned();
    other.write(&format!(".handoff/sessions/{body}"), "ours\n");
    let planned = import("--dry-run");
    planned.succeeded();
    assert!(planned.to_string().contains("1 record is here already and says something else"), "{planned}");
    import("--on-conflict merge").succeeded();
    let shown = other.json("session show latest");
    assert_eq!(shown["body"], "ours\n");
    assert!(shown["notes"].to_string().contains("theirs"), "{shown}");
    let again = import("--on-conflict merge").succeeded().json();
    assert_eq!((&again["counts"]["same"], &again["counts"]["merged"]), (&json!(1), &json!(0)));
}

#[test]
fn a_record_of_the_future_never_becomes_the_latest() {
    let (project, other) = (project!(), project!());
    let later = project.call("save --summary 'From tomorrow'").env("HANDOFF_CLOCK", "2999-01-01T00:00:00Z");
    later.run().succeeded();
    let export =
        project.call("export --format json --output ../later.json").env("HANDOFF_CLOCK", "2999-01-01T00:00:00Z");
    export.run().succeeded();
    let taken = other.call("import --json --allow-unsigned --input").word(project.path("../later.json")).run();
    let taken = taken.succeeded().json();
    assert_eq!(taken["counts"]["new"], 0);
    assert!(taken["left_out"][0].as_str().unwrap().contains("2999-01-01T00:00:00Z, in the future"), "{taken}");
}

#[test]
fn nobody_poses_as_a_signer_and_a_dry_run_shows_what_would_come() {
    let (alice, mallory, reader) = (full(project!()), full(project!()), project!());
    for project in [&alice, &mallory] {
        project.call("keys new --output ../key --comment alice").run().succeeded();
        let export = "export --format json --sign-key ../key --signer alice --output ../signed.json";
        project.call(export).run().succeeded();
    }
    let key = alice.file("../key.pub");
    let import = |from: &TestProject, flags: &str| {
        reader.call(&format!("import {flags} --input")).word(from.path("../signed.json")).run()
    };
    let planned = import(&alice, "--dry-run");
    planned.succeeded();
    assert!(planned.stdout.contains("1 new") && planned.stderr.contains("the import is refused"), "{planned}");
    let add = |flags: &str| reader.call(&format!("trust add alice {flags}")).word(key.trim()).run();
    add("").succeeded();
    for flags in ["", "--trust-on-first-use"] {
        let refused = import(&mallory, flags);
        assert_eq!(refused.code, 4, "{refused}");
        let told = refused.to_string();
        assert!(told.contains("somebody may be posing") && !told.contains("trust add"), "{refused}");
    }
    import(&alice, "").succeeded();
    add("--level revoked").succeeded();
    assert_eq!(add("").code, 4, "what is revoked stays so");
    assert_eq!(import(&alice, "").code, 4);
    let removed = reader.call("trust remove alice").run();
    removed.succeeded();
    assert!(!removed.stdout.contains("SHA256:"), "{removed}");
    add("").succeeded();
    let hidden = reader.call("trust add").word("bob\u{200b}").word(mallory.file("../key.pub").trim()).run();
    assert_eq!(hidden.code, 2, "{hidden}");
}

#[test]
fn what_is_encrypted_to_keys_asks_for_a_key() {
    let project = full(project!());
    project.call("keys new --output ../key").run().succeeded();
    project.call("export --format json --recipient ../key.pub --output ../to-key.age").run().succeeded();
    let refused = project.call("import --allow-unsigned --input ../to-key.age").run();
    assert_eq!(refused.code, 4, "{refused}");
    assert!(
        refused.to_string().contains("--identity") && !refused.to_string().contains("--passphrase-file"),
        "{refused}"
    );
    project.call("import --allow-unsigned --identity ../key --input ../to-key.age").run().succeeded();
}

#[test]
fn what_an_export_leaves_out_is_told() {
    let project = full(project!());
    let exported = project.call("export --all").run();
    exported.succeeded();
    assert!(exported.stderr.contains("tasks are not in it"), "{exported}");
    assert_eq!(project.call("export --format json --target codex").run().code, 2);
}

/// A bundle as somebody with ill will makes it: tasks that lie under each other, and a session with a name of its own.
fn forged(parents: &[Option<usize>], name: &str) -> Vec<u8> {
    use handoff_bundle::{CarriedSession, CarriedTask, Content, Draft, Signing, seal};
    let id = |place: usize| format!("t{place:07}").parse().unwrap();
    let task = |(place, parent): (usize, &Option<usize>)| {
        let (id, parent) = (id(place), parent.map(id));
        let text = format!("format = 1\nid = \"{id}\"\ntitle = \"Task {place}\"\ncreated_at = 2026-11-01T00:00:00Z\n");
        CarriedTask { id, parent, number: Some(1), text, archived: false }
    };
    let text = "format = 1\nid = \"a3f9c12e\"\nsummary = \"Forged\"\nstarted_at = 2026-11-01T00:00:00Z\n".to_owned();
    let session = CarriedSession { name: name.to_owned(), text, body: None };
    let tasks = parents.iter().enumerate().map(task).collect();
    let content = Content { project: None, sessions: vec![session], tasks };
    seal(&Draft { content, created_at: "2026-11-01T00:00:00Z".parse().unwrap() }, Signing::None).unwrap()
}

#[test]
fn a_dry_run_tells_what_the_deed_does_also_of_forged_trees() {
    let chain: Vec<Option<usize>> = (0..40_usize).map(|place| place.checked_sub(1)).collect();
    let cycle = [Some(1), Some(0), Some(2), Some(99), None];
    for (parents, new, told) in
        [(chain.as_slice(), 17, "more than 16 levels deep"), (cycle.as_slice(), 6, "stands at the top")]
    {
        let project = project!();
        let bundle = forged(parents, "2026-99-99-a3f9c12e");
        let import =
            |flags: &str| project.call(&format!("import --allow-unsigned {flags} --input -")).stdin(&bundle).run();
        let (planned, done) = (import("--dry-run"), import(""));
        for answer in [planned, done] {
            answer.succeeded();
            let answer = answer.to_string();
            assert!(answer.contains(&format!("{new} new")) && answer.contains(told), "{answer}");
            assert!(answer.contains("is called `2026-11-01-a3f9c12e` here"), "{answer}");
        }
        assert!(project.tree(".handoff/sessions").files().contains(&"2026-11-01-a3f9c12e.toml"));
        assert!(!project.handoff("doctor").contains("[exit"), "{}", project.handoff("doctor"));
    }
}
