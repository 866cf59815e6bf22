//! The project in which the example of every operation succeeds.

use std::path::PathBuf;

use crate::TestProject;

impl TestProject {
    /// A private project with a task that has everything, one below it, one in the trash, an active and two closed
    /// sessions, and a neighbour `old-app`.
    pub fn sample(program: impl Into<PathBuf>) -> TestProject {
        let project = TestProject::private(program);
        project.make_directory("../new-app");
        project.write("../old-app/.handoff/config.toml", "[project]\nname = \"old-app\"\n");
        let registry = "../../home/data/handoff/projects.toml";
        let known =
            format!("\n[[projects]]\nname = \"old-app\"\npath = {:?}\n", project.path("../old-app").to_string_lossy());
        project.write(registry, project.file(registry) + &known);
        for (day, id, text) in SESSIONS {
            let session = format!("format = 1\nid = \"{id}\"\nkind = \"session\"\n{text}");
            project.write(&format!(".handoff/sessions/2026-11-{day}-{id}.toml"), session);
        }
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

/// Sessions by the day of their start and their id.
const SESSIONS: [(&str, &str, &str); 3] = [
    (
        "10",
        "0b5e11d2",
        "status = \"closed\"\nsummary = \"Schema drafted\"\nauthor = \"alice\"\n\
         started_at = 2026-11-10T09:00:00Z\nended_at = 2026-11-10T12:00:00Z\n",
    ),
    (
        "13",
        "77c01b9d",
        "status = \"closed\"\nsummary = \"Login works\"\ntool = \"codex\"\nauthor = \"alice\"\n\
         started_at = 2026-11-13T09:00:00Z\nended_at = 2026-11-13T12:00:00Z\nnext = [\"Write the refresh handler\"]\n\n\
         [[decisions]]\nid = \"d1\"\ndecision = \"JWT over server sessions\"\nconfidence = \"confirmed\"\n",
    ),
    (
        "14",
        "a3f9c12e",
        "status = \"active\"\nsummary = \"Refresh handler begun\"\nauthor = \"alice\"\n\
         started_at = 2026-11-14T09:00:00Z\n\n[[checklist]]\nitem = \"verify on staging\"\nchecked = false\n",
    ),
];
