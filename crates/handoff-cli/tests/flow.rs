//! The first minutes with handoff, as the documentation tells them.

use handoff_testkit::{empty_directory, project};

#[test]
fn a_tree_is_built_and_worked_from_the_command_line() {
    let project = empty_directory!();
    insta::assert_snapshot!(project.handoff("init my-app"), @r#"
    ✓ project `my-app` is ready in .handoff
    It is private: git sees nothing of it. `handoff share` changes that.

    Next:
    - handoff task create "What is to be done"  add a task
    - handoff save "What was done" --next "What comes next"  leave a handoff
    - handoff resume  pick it up again
    - handoff help  everything else
    "#);
    insta::assert_snapshot!(project.handoff("task create 'Implement auth' --priority high --label auth"), @"✓ created 01 Implement auth  todo  vw29cdah");
    insta::assert_snapshot!(project.handoff("task create 'Design schema' --parent 1"), @"✓ created 01.1 Design schema  todo  jpqwynrq");
    insta::assert_snapshot!(project.handoff("task update 1.1 --status done"), @"✓ updated 01.1 Design schema  done  jpqwynrq");
    insta::assert_snapshot!(project.handoff("task list"), @r"
    task                  status  id        priority  labels
    01 Implement auth     todo    vw29cdah  high      auth
      01.1 Design schema  done    jpqwynrq

    2 tasks, 1 todo, 1 done
    ");
    insta::assert_snapshot!(project.records(), @r"
    .gitignore
    config.toml
    sessions/
    tasks/01-todo--implement-auth/01.1-done--design-schema/task.toml
    tasks/01-todo--implement-auth/task.toml
    time/
    ");
}

#[test]
fn a_task_file_says_what_was_asked_for_and_nothing_that_changes_on_every_write() {
    let project = project!();
    project
        .handoff("task create 'Implement auth' --priority high --label auth --label api --estimate 6 --due 2026-11-18");
    project.handoff("task update 1 --status in_progress");
    insta::assert_snapshot!(project.file(".handoff/tasks/01-in_progress--implement-auth/task.toml"), @r#"
    format = 1
    id = "vw29cdah"
    title = "Implement auth"
    status = "in_progress"
    priority = "high"
    labels = ["auth", "api"]
    created_at = 2026-11-15T09:00:01Z

    [schedule]
    due_date = 2026-11-18
    estimate_hours = 6.0

    [[history]]
    at = 2026-11-15T09:00:01Z
    by = "alice"
    estimate_hours = 6.0

    [[history]]
    at = 2026-11-15T09:00:02Z
    by = "alice"
    status = "in_progress"
    "#);
}

#[test]
fn handoff_alone_says_how_to_start() {
    let project = empty_directory!();
    insta::assert_snapshot!(project.handoff(""), @r#"
    handoff carries what matters from one AI coding session to the next

    First steps:
      handoff init                                       make a project here
      handoff task create "Implement auth"               add a task
      handoff save "Parser done" --next "Fix the tests"  leave a handoff
      handoff resume                                     pick it up again
      handoff mcp                                        serve agents over MCP

    All commands: `handoff help`; one of them: `handoff help COMMAND`
    "#);
}

#[test]
fn every_command_says_what_was_done_and_names_the_task() {
    let project = project!();
    let transcript: Vec<String> = [
        "task create 'Implement auth' --criterion 'tests pass'",
        "task create 'Write docs'",
        "task note 1 'Handler drafted'",
        "task check 1 1",
        "task uncheck 1 'tests pass'",
        "task link 1 https://example.com/issues/12 --type issue",
        "task unlink 1 https://example.com/issues/12",
        "task reorder 2 --first",
        "task move 2 --to 1",
        "task delete 1.1",
        "task update 1 --title 'Implement login'",
        "task update 1 --title 'Implement login'",
    ]
    .iter()
    .map(|line| format!("$ handoff {line}\n{}", project.handoff(line)))
    .collect();
    insta::assert_snapshot!(transcript.concat(), @r"
    $ handoff task create 'Implement auth' --criterion 'tests pass'
    ✓ created 01 Implement auth  todo  vw29cdah
    $ handoff task create 'Write docs'
    ✓ created 02 Write docs  todo  jpqwynrq
    $ handoff task note 1 'Handler drafted'
    ✓ added a note to 01 Implement auth  todo  vw29cdah
    $ handoff task check 1 1
    ✓ checked a criterion of 01 Implement auth  todo  vw29cdah
    $ handoff task uncheck 1 'tests pass'
    ✓ unchecked a criterion of 01 Implement auth  todo  vw29cdah
    $ handoff task link 1 https://example.com/issues/12 --type issue
    ✓ linked 01 Implement auth  todo  vw29cdah
    $ handoff task unlink 1 https://example.com/issues/12
    ✓ removed a link from 01 Implement auth  todo  vw29cdah
    $ handoff task reorder 2 --first
    ✓ placed 02 Write docs  todo  jpqwynrq
    $ handoff task move 2 --to 1
    ✓ moved 02 to 01.1 Write docs  todo  jpqwynrq
    $ handoff task delete 1.1
    ✓ deleted 01.1 Write docs
    to bring it back, run `handoff task restore jpqwynrq`
    $ handoff task update 1 --title 'Implement login'
    ✓ updated 01 Implement login  todo  vw29cdah
    $ handoff task update 1 --title 'Implement login'
    ✓ nothing to change in 01 Implement login  todo  vw29cdah
    ");
}

#[test]
fn everything_about_a_task_is_shown() {
    let project = project!();
    project.handoff("task create 'Design schema'");
    project.handoff(
        "task create 'Implement auth' --priority high --label auth --assignee bob --depends-on 1 --due 2026-11-18 \
         --start 2026-11-16 --estimate 6 --milestone beta --description 'Needed for the beta.' --criterion 'tests pass'",
    );
    project.handoff("task create 'Write handlers' --parent 2");
    project.handoff("task link 2 https://example.com/issues/12 --type issue --label 'the bug'");
    project.handoff("task note 2 'Handler drafted; refresh path still open.' --as codex");
    project.handoff("task update 2 --status in_progress --remaining 2.5 --pinned true");
    insta::assert_snapshot!(project.handoff("task show 2"), @r"
    02 Implement auth  in_progress  jpqwynrq
    priority:   high
    labels:     auth
    assignee:   bob
    depends on: vw29cdah
    start:      2026-11-16
    due:        2026-11-18
    estimate:   6 h
    remaining:  2.5 h
    milestone:  beta
    pinned:     true
    created:    2026-11-15T09:00:02Z
    file:       .handoff/tasks/02-in_progress--implement-auth/task.toml
    rev:        7d81749279f22cf0

      Needed for the beta.

    Criteria
    - [ ] 1. tests pass

    Links
    - issue https://example.com/issues/12 (the bug)

    Children
    - todo  Write handlers  vf1v4mbx

    Notes
    2026-11-15T09:00:05Z, codex
      Handler drafted; refresh path still open.

    History
    - 2026-11-15T09:00:02Z, alice   estimate 6 h
    - 2026-11-15T09:00:06Z, alice  in_progress
    ");
}
