//! Commits that settle open items, and those that do not.

use handoff_testkit::{TestProject, list_in, project, shared_project, text_in};

/// After everything that a test saves.
const LATER: &str = "2026-11-15T20:00:00Z";

/// A repository with one next step, one blocker and one caution.
fn with_items(project: TestProject) -> TestProject {
    project.init_git();
    project.commit_all("start");
    project.handoff("save -m begun --next 'Write beta docs' --blocker 'No staging key' --caution 'Port 5433'");
    project
}

/// The ids and words of everything that is open, cautions too.
fn open(project: &TestProject) -> Vec<String> {
    let answer = project.json("open --kind next --kind blocker --kind caution");
    let line = |item| format!("{} {}", text_in(item, "id"), text_in(item, "text"));
    list_in(&answer, "items").iter().map(line).collect()
}

#[test]
fn a_step_that_is_named_again_after_a_commit_closed_it_is_a_new_one() {
    let project = with_items(project!());
    project.commit_all_at("Closes n1", LATER);
    project.call("save -m 'needed again' --next 'Write beta docs'").run().succeeded().says("n2").says("settled: n1");
    assert_eq!(open(&project), ["n2 Write beta docs", "b1 No staging key", "w1 Port 5433"]);
}

#[test]
fn a_step_that_is_named_again_in_the_session_that_had_it_is_a_new_one() {
    let project = project!();
    project.init_git();
    project.commit_all("start");
    project.handoff("save -m begun --status active --next 'Write beta docs'");
    project.commit_all_at("Closes n1", LATER);
    project.handoff("save -m 'needed again' --status active --next 'Write beta docs'");
    assert_eq!(open(&project), ["n2 Write beta docs"]);
    project.handoff("done n2");
    project.handoff("save -m 'and again' --status active --next 'Write beta docs'");
    assert_eq!(open(&project), ["n3 Write beta docs"]);
    project.handoff("save -m closed");
    assert_eq!(open(&project), ["n3 Write beta docs"], "the commit was made before it");
}

/// A session of a teammate, made in another clone, whose step has an id that is taken here.
fn put_twin(project: &TestProject, author: &str) {
    let text = format!(
        "status = \"closed\"\nauthor = \"{author}\"\nstarted_at = 2026-11-14T08:00:00Z\n\
         ended_at = 2026-11-14T09:00:00Z\nnext = [\"Rotate keys\"]\n\n\
         [[items]]\nid = \"n1\"\ntext = \"Rotate keys\"\n"
    );
    project.put_session("2026-11-14-bbbbbbbb", &text);
}

/// The words of the next steps that are open.
fn next_steps(project: &TestProject) -> Vec<String> {
    let steps = open(project).into_iter().filter(|line| line.contains("n1 "));
    let mut steps: Vec<String> = steps.filter_map(|line| Some(line.split_once(' ')?.1.to_owned())).collect();
    steps.sort();
    steps
}

#[test]
fn an_id_of_two_items_in_a_commit_settles_neither_and_the_end_of_one_changes_nothing() {
    let project = with_items(shared_project!());
    put_twin(&project, "alice");
    project.commit_all_at("Closes n1", LATER);
    assert_eq!(next_steps(&project), ["Rotate keys", "Write beta docs"]);
    project.call("done 'Write beta docs'").env("HANDOFF_CLOCK", "2026-11-15T21:00:00Z").run().succeeded();
    assert_eq!(next_steps(&project), ["Rotate keys"]);
}

#[test]
fn an_id_of_two_items_in_a_commit_is_that_of_the_item_that_its_author_named() {
    let project = with_items(shared_project!());
    put_twin(&project, "bob");
    project.commit_all_at("Closes n1", LATER);
    assert_eq!(next_steps(&project), ["Rotate keys"], "alice made the commit");
}

#[test]
fn a_commit_that_a_session_records_for_one_item_settles_no_other_of_that_id() {
    let project = with_items(shared_project!());
    project.commit_all_at("Closes n1", LATER);
    project.call("save -m recorded").env("HANDOFF_CLOCK", "2026-11-15T21:00:00Z").run().succeeded();
    put_twin(&project, "alice");
    assert_eq!(next_steps(&project), ["Rotate keys"]);
}

#[test]
fn a_caution_stays_in_force_whatever_a_commit_says() {
    let project = with_items(project!());
    project.commit_all_at("Drops w1, n1", LATER);
    assert_eq!(open(&project), ["b1 No staging key", "w1 Port 5433"]);
}

#[test]
fn a_revert_opens_again_what_the_reverted_commit_settled() {
    let project = with_items(project!());
    let revert = |reverted: &str| {
        let hash = project.git(&format!("rev-parse {reverted}"));
        project.commit_all_at(&format!("Revert \"docs\"\n\nThis reverts commit {hash}."), LATER);
    };
    project.commit_all_at("docs: write them\n\nCloses n1. Resolves b1.", LATER);
    assert_eq!(open(&project), ["w1 Port 5433"]);
    revert("HEAD");
    assert_eq!(open(&project), ["n1 Write beta docs", "b1 No staging key", "w1 Port 5433"]);
    revert("HEAD");
    assert_eq!(open(&project), ["w1 Port 5433"], "the revert is reverted");
}

#[test]
fn in_a_private_project_only_commits_of_the_user_settle_items() {
    let closed = ["b1 No staging key", "w1 Port 5433"];
    for (email, project, expected) in [
        ("bob@example.com", project!(), &["n1 Write beta docs", "b1 No staging key", "w1 Port 5433"][..]),
        ("Alice@example.com", project!(), &closed[..]),
        ("bob@example.com", shared_project!(), &closed[..]),
    ] {
        let project = with_items(project);
        // Commits of the tests are made by alice@example.com.
        project.git(&format!("config user.email {email}"));
        project.commit_all_at("Closes n1", LATER);
        assert_eq!(open(&project), expected, "{email}");
    }
}

#[test]
fn open_says_that_git_could_not_be_asked() {
    let project = with_items(project!());
    project.commit_all_at("Closes n1", LATER);
    project.call("open").run().succeeded().hides("n1").hides("git was not asked");
    let answer = project.call("open").without("PATH").run();
    answer.succeeded().says("n1 Write beta docs").says("git was not asked: git is not installed");
}
