//! The project in which the example of every operation succeeds.

use std::path::PathBuf;

use crate::TestProject;

impl TestProject {
    /// A private project with a task that has everything, one below it, one in the trash, and a neighbour `old-app`.
    pub fn sample(program: impl Into<PathBuf>) -> TestProject {
        let project = TestProject::private(program);
        project.make_directory("../new-app");
        project.write("../old-app/.handoff/config.toml", "[project]\nname = \"old-app\"\n");
        let registry = "../../home/data/handoff/projects.toml";
        let known =
            format!("\n[[projects]]\nname = \"old-app\"\npath = {:?}\n", project.path("../old-app").to_string_lossy());
        project.write(registry, project.file(registry) + &known);
        project
            .task("k7f3q2ma", |task| {
                task.title("Implement auth")
                    .field("priority = \"medium\"")
                    .labels(&["auth"])
                    .field("assignee = \"alice\"")
                    .field("created_at = 2026-11-14T09:15:03Z")
                    .field("links = [{ type = \"issue\", target = \"https://example.com/issues/11\" }]")
                    .criterion("refresh flow has a test")
                    .checked_criterion("handlers reviewed")
            })
            .task("m2x9a4te", |task| task.title("Design schema").parent("k7f3q2ma"))
            .task("q4w8e2rt", |task| task.title("Deploy staging").status("blocked").depends_on(&["k7f3q2ma"]))
            .deleted_task("r5e8t1ed", |task| task.title("Retired idea"))
    }
}
