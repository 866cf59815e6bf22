use super::*;

fn refused(text: &str) -> String {
    Handover::read(text).unwrap_err().to_string()
}

#[test]
fn the_template_says_what_is_done_anyway() {
    assert_eq!(Handover::read(TEMPLATE).unwrap(), Handover::usual());
}

#[test]
fn what_the_template_only_mentions_can_be_said_too() {
    let uncommented: String = TEMPLATE
        .lines()
        .map(|line| match line.strip_prefix("# ") {
            Some(rest) if rest.starts_with("[[step]]") || (rest.contains(" = ") && !rest.starts_with("  ")) => rest,
            _ => line,
        })
        .flat_map(|line| [line, "\n"])
        .collect();
    let read = Handover::read(&uncommented).unwrap();
    assert_eq!(read.steps.len(), 10);
    assert_eq!(read.commands().map(|(id, command)| (id, command.run.len())).collect::<Vec<_>>(), [("index", 2)]);
}

#[test]
fn a_step_says_when_how_long_and_how_often() {
    let text = "[[step]]\nid = \"tell\"\nkind = \"command\"\nrun = [\"make\", \"docs\"]\nwhen = { branch = \"main\" }\n\
                timeout = \"5m\"\nretries = 3\nbackoff = \"500ms\"\n";
    let read = Handover::read(text).unwrap();
    let step = &read.steps[0];
    assert_eq!(
        (step.id.as_str(), step.act.timeout_seconds, step.retries, step.backoff_milliseconds),
        ("tell", 300, 3, 500)
    );
    assert_eq!(step.act.when.branch.as_deref(), Some("main"));
}

#[test]
fn mistakes_are_told_with_their_place() {
    assert_eq!(
        refused("[[step]]\nkind = \"colect\"\n"),
        "line 1: step 1: there is no kind `colect`; did you mean `collect`?"
    );
    assert_eq!(
        refused("[[step]]\nkind = \"close\"\n\n[[step]]\nkind = \"note\"\ntags = 1\n").split(',').next().unwrap(),
        "line 4: step 2: unknown field `tags`"
    );
    assert_eq!(
        refused("[[step]]\nkind = \"close\"\n[[step]]\nkind = \"close\"\n"),
        "line 3: two steps have the id `close`: give one of them an `id` of its own"
    );
    assert_eq!(refused("[[steps]]\nkind = \"close\"\n"), "line 1: there is no `steps` here; did you mean `step`?");
    assert!(refused("[[step]\n").starts_with("line 1: "));
    assert!(refused("").contains("declares no step"));
    assert!(refused("step = []").contains("declares no step"));
    assert_eq!(
        refused("format = 2\n[[step]]\nkind = \"close\"\n"),
        "line 1: it is of format 2, and this version of handoff reads format 1: a newer one is needed"
    );
    assert!(refused("[[step]]\nkind = \"close\"\ntimeout = \"soon\"\n").contains("`timeout` is no length of time"));
    assert!(refused("[[step]]\nkind = \"close\"\ntimeout = \"0s\"\n").contains("between 1s and 24h"));
    assert!(refused("[[step]]\nkind = \"close\"\nid = \"../x\"\n").contains("cannot be an id"));
    assert!(refused("[[step]]\nkind = \"command\"\nrun = []\n").contains("`run` is empty"));
    assert!(refused("[[step]]\nkind = \"command\"\n").contains("missing field `run`"));
}

#[test]
fn no_path_leaves_the_project() {
    for (key, kind, rest) in
        [("to", "mirror", ""), ("output", "export", ""), ("directory", "command", "run = [\"x\"]\n")]
    {
        for path in ["/etc", "../x", "a/../../b", "~/x", "", "a\\..\\b"] {
            let quoted = path.replace('\\', "\\\\");
            let text = format!("[[step]]\nkind = \"{kind}\"\n{rest}{key} = \"{quoted}\"\n");
            assert!(refused(&text).contains("must be a path below the project"), "{text}");
        }
    }
}

#[test]
fn agent_handovers_keys_become_steps() {
    let text = include_str!("../../../../fixtures/import/agent-handover/handover.toml");
    let read = Handover::read(text).unwrap();
    assert_eq!(read.tag.as_deref(), Some("codex"));
    assert_eq!(
        read.steps.iter().map(|step| step.id.as_str()).collect::<Vec<_>>(),
        ["session_note", "current_state", "layers"]
    );
    let compatible = read.compatible.unwrap();
    assert_eq!(compatible.session.as_deref(), Some("Reviewed the parser change; two tests still red"));
    assert_eq!(compatible.pause_file.as_deref(), Some("~/.agent_handover/PAUSE"));
    let git = Handover::read("[backend]\nbranch = \"main\"\nsurprise = 1\n").unwrap();
    let Action::Publish(publish) = &git.steps[3].act.action else { panic!("it publishes") };
    assert_eq!((publish.push, publish.paths.clone()), (true, Some(vec!["memory".to_owned()])));
    assert_eq!(refused("[backend]\ntype = \"svn\"\n"), "in `[backend]`: there is no type `svn`: it is `git` or `null`");
    assert!(refused("[note]\nsession = 3\n").starts_with("in `[note]`: `session`: invalid type"));
}

#[test]
fn a_step_from_elsewhere_must_be_one_that_a_list_could_declare() {
    let export = |output: &str| {
        let (output, recipients) = (output.to_owned(), Vec::new());
        Action::Export(Export { output, all: true, since: None, sign_key: None, signer: None, recipients })
    };
    let mirror = |to: &str| Action::Mirror(Mirror { to: Some(to.to_owned()) });
    for action in [export("out/x.json"), mirror("memory"), mirror("."), Action::Note(Note::default())] {
        assert_eq!(Declared::usual("a", action).check(), Ok(()));
    }
    for action in [export("../x.json"), export("/x.json"), export("~/x.json"), mirror("a/../../b"), mirror("/")] {
        assert!(Declared::usual("a", action.clone()).check().is_err(), "{action:?}");
    }
    assert!(Declared::usual("touch x;#", mirror("memory")).check().is_err());
    let mut slow = Declared::usual("a", mirror("memory"));
    slow.act.timeout_seconds = u64::MAX;
    assert!(slow.check().is_err());
    let mut looking = Declared::usual("a", mirror("memory"));
    looking.act.when.file = Some("/etc/passwd".to_owned());
    assert!(looking.check().is_err());
    assert!(refused("[[step]]\nkind = \"close\"\nwhen = { file = \"../x\" }\n").contains("below the project"));
}
