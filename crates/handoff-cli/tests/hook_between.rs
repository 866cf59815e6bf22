//! What a person or an agent left carefully is not hidden by conversations that came after it.

use handoff_testkit::{Agent, TestProject, Transcript, project};

const EARLY: &str = "2026-11-15T07:00:00Z";

/// A project with a careful handoff.
fn handed_over() -> TestProject {
    let project = project!();
    project.write("src/auth.rs", "fn auth() {}\n");
    project.write("src/other.rs", "fn other() {}\n");
    let line = "save 'Auth is half done' --next 'Write the refresh test' --next 'Rename the guard' --blocker 'staging key' \
                --checklist 'ask Bob' --pointer src/auth.rs";
    project.call(line).env("HANDOFF_CLOCK", EARLY).run();
    project
}

/// A conversation from its start to its end.
fn talked(project: &TestProject, session: &str, transcript: &Transcript) {
    let agent = Agent::claude(project, session);
    agent.starts("startup");
    let text = transcript.text(project);
    agent.writes(&text.lines().collect::<Vec<_>>());
    agent.stops();
    agent.ends();
}

#[test]
fn a_question_in_passing_is_no_handoff() {
    let project = handed_over();
    talked(&project, "chat", &Transcript::of("chat").prompt("What time is it in Tokyo?").answer("Five."));
    let told = Agent::claude(&project, "next").starts("startup");
    assert!(told.contains("> Auth is half done") && told.contains("Write the refresh test"), "{told}");
    assert!(!told.contains("Tokyo"), "{told}");
    assert_eq!(project.json("session list")["sessions"].as_array().unwrap().len(), 1);
}

#[test]
fn what_was_left_open_before_is_still_open_after_other_work() {
    let project = handed_over();
    let work = Transcript::of("work").prompt("Tidy up the other module").edited("src/other.rs").answer("Tidied.");
    talked(&project, "work", &work);
    let told = Agent::claude(&project, "next").starts("startup");
    for open in [
        "Tidy up the other module",
        "Write the refresh test",
        "Rename the guard",
        "staging key",
        "ask Bob",
        "src/auth.rs",
    ] {
        assert_eq!(told.matches(open).count(), if open.starts_with("Tidy") { 2 } else { 1 }, "{open}: {told}");
    }
}

#[test]
fn what_an_agent_closes_itself_says_all_that_is_open() {
    let project = handed_over();
    project.handoff("save 'Nearly done' --next 'Ship it'");
    let told = Agent::claude(&project, "next").starts("startup");
    let open = "## Open\n> n3 Ship it\n> n1 Write the refresh test\n> n2 Rename the guard\n> b1 blocked: staging key\n";
    assert!(told.contains(open), "a step that is not named again stays open: {told}");
    project.handoff("save 'All done' --next 'Announce it' --replace-next");
    let told = Agent::claude(&project, "after").starts("startup");
    assert!(told.contains("## Open\n> n4 Announce it\n> b1 blocked: staging key\n"), "{told}");
    for dropped in ["Ship it", "Write the refresh test", "Rename the guard"] {
        assert!(!told.contains(dropped), "these are all the steps there are: {told}");
    }
}

#[test]
fn a_conversation_that_was_finished_and_goes_on_is_not_told_again_what_it_knows() {
    let project = handed_over();
    let work = Transcript::of("work").prompt("Tidy up the other module").edited("src/other.rs").answer("Tidied.");
    talked(&project, "work", &work);
    project.handoff("resume");
    let told = Agent::claude(&project, "work").starts("resume");
    assert!(!told.contains("Write the refresh test"), "{told}");
    project.handoff("save 'Nearly done' --next 'Ship it'");
    let told = Agent::claude(&project, "work").starts("resume");
    assert!(told.contains("Ship it") && !told.contains("Write the refresh test"), "{told}");
}
