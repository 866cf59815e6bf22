//! Handovers to test: the list of steps of a project, and how a run of it stands.

use serde_json::Value;

use crate::TestProject;

impl TestProject {
    /// Declares the steps of a handover, each by the lines of its table, such as `kind = "note"`.
    pub fn declare(&self, steps: &[&str]) {
        self.declare_in(".handoff/handover.toml", steps);
    }

    /// The same in another file.
    pub fn declare_in(&self, path: &str, steps: &[&str]) {
        let steps: String = steps.iter().flat_map(|step| ["\n[[step]]\n", step, "\n"]).collect();
        self.write(path, format!("format = 1\n{steps}"));
    }

    /// What is written down of the last run.
    pub fn checkpoint(&self) -> Value {
        let text = self.file(".handoff/local/state/checkpoint.json");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("the checkpoint is no JSON: {error}\n{text}"))
    }

    /// The requests for runs that wait.
    pub fn queued_runs(&self) -> Vec<String> {
        self.tree(".handoff/local/state/queue").files().into_iter().map(str::to_owned).collect()
    }
}
