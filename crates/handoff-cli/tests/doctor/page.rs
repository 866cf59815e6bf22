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
    insta::assert_snapshot!(project.handoff("doctor"), @"");
    insta::assert_snapshot!(project.handoff("doctor --fix"), @"");
}
