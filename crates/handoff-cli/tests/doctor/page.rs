//! How the diagnosis reads.

use crate::private;

#[test]
fn what_matters_most_comes_first_with_what_to_do() {
    let project = private();
    insta::assert_snapshot!(project.handoff("doctor"), @"✓ everything is as it should be");
    project.write(".handoff/tasks/02-blocked--deploy-staging/task.toml", "id = \"q4w8e2rt\"\nlabels = [\n");
    project.rename(
        ".handoff/tasks/01-todo--implement-auth/01.1-todo--design-schema",
        ".handoff/tasks/01-todo--implement-auth/01.1-done--x",
    );
    insta::assert_snapshot!(project.handoff("doctor"), @r"
    ✗ 1 damaged, 1 drifted

    Damage
    - .handoff/tasks/02-blocked--deploy-staging/task.toml:2 unparseable: unclosed array, expected `]`; mend it by hand; everything else still works

    Drift
    - .handoff/tasks/01-todo--implement-auth/01.1-done--x wrong name: the name of the directory says another number, status or title than the file; --fix: renamed to `01.1-todo--design-schema`

    to mend what can be mended, run `handoff doctor --fix`
    [exit 6]
    ");
    insta::assert_snapshot!(project.handoff("doctor --fix"), @r"
    ✗ 1 mended; left: 1 damaged

    Damage
    - .handoff/tasks/02-blocked--deploy-staging/task.toml:2 unparseable: unclosed array, expected `]`; mend it by hand; everything else still works

    Mended
    - .handoff/tasks/01-todo--implement-auth/01.1-done--x wrong name: the name of the directory says another number, status or title than the file → renamed to `01.1-todo--design-schema`
    to take all of it back, run `handoff undo`
    [exit 6]
    ");
}

#[test]
fn drift_alone_is_neither_good_nor_bad() {
    let project = private();
    project.rename(".handoff/tasks/02-blocked--deploy-staging", ".handoff/tasks/02-done--x");
    project.call("doctor").run().succeeded().says("! 1 drifted").hides("✓");
    project.call("doctor --fix").run().succeeded().says("✓ 1 mended, nothing left").says("handoff undo");
}
