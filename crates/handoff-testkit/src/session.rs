//! Sessions, and the repository around them, as a test wants them.

use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::{McpClient, TestProject};

impl TestProject {
    /// Puts a session on disk without the program under test. `lines` is TOML without what every session has.
    #[must_use]
    pub fn session(self, name: &str, lines: &str) -> TestProject {
        self.put_session(name, lines);
        self
    }

    /// The same, in the midst of a test.
    pub fn put_session(&self, name: &str, lines: &str) {
        let id = name.rsplit('-').next().expect("a name ends in an id");
        self.write(
            &format!(".handoff/sessions/{name}.toml"),
            format!("format = 1\nid = {id:?}\nkind = \"session\"\n{lines}"),
        );
    }

    /// The only file of a session, by its id.
    pub fn session_file(&self, id: &str) -> String {
        let tree = self.tree(".handoff/sessions");
        let found: Vec<&str> = tree.files().into_iter().filter(|file| file.ends_with(&format!("{id}.toml"))).collect();
        let [file] = found.as_slice() else { panic!("not one session is `{id}`:\n{tree}") };
        format!(".handoff/sessions/{file}")
    }

    /// Runs git in the project, away from the settings of whoever runs the tests. What it printed.
    pub fn git(&self, line: &str) -> String {
        self.git_with(&crate::words::split(line))
    }

    /// The same with what it may not be able to do; whether it was.
    pub fn try_git(&self, line: &str) -> bool {
        self.run_git(&crate::words::split(line), "2026-11-15T08:00:00Z").status.success()
    }

    /// Lets each side run commands on a branch of its own, and merges the second into the first; whether git did.
    /// Conflicts are marked in this style.
    pub fn merge_work(&self, style: &str, ours: &[&str], theirs: &[&str]) -> bool {
        let work = |lines: &[&str], subject: &str| {
            for line in lines {
                self.call(line).run().succeeded();
            }
            self.commit_all(subject);
        };
        self.git("checkout -q -b theirs");
        work(theirs, "theirs");
        self.git("checkout -q main");
        work(ours, "ours");
        self.try_git(&format!("-c merge.conflictStyle={style} merge -q theirs"))
    }

    /// Makes a repository of the project.
    pub fn init_git(&self) {
        self.git("init -q --template= -b main");
    }

    /// Commits everything. Always at the same time, so that the same contents give the same commit.
    pub fn commit_all(&self, subject: &str) {
        self.commit_all_at(subject, "2026-11-15T08:00:00Z");
    }

    /// Commits everything at another time.
    pub fn commit_all_at(&self, subject: &str, at: &str) {
        self.git("add -A");
        self.git_at(&["commit", "-q", "--allow-empty", "-m", subject], at);
    }

    fn git_with(&self, words: &[impl AsRef<str>]) -> String {
        self.git_at(words, "2026-11-15T08:00:00Z")
    }

    fn git_at(&self, words: &[impl AsRef<str>], at: &str) -> String {
        let output = self.run_git(words, at);
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        assert!(output.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    fn run_git(&self, words: &[impl AsRef<str>], at: &str) -> Output {
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        Command::new("git")
            .args(["-c", "core.fsync=none", "-c", "gc.auto=0", "-c", "core.autocrlf=false"])
            .args(&words)
            .current_dir(self.path("."))
            .env("HOME", self.home())
            .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("LC_ALL", "C"), ("GIT_EDITOR", "true")])
            .envs([("GIT_AUTHOR_NAME", "alice"), ("GIT_AUTHOR_EMAIL", "alice@example.com")])
            .envs([("GIT_COMMITTER_NAME", "alice"), ("GIT_COMMITTER_EMAIL", "alice@example.com")])
            .envs([("GIT_AUTHOR_DATE", at), ("GIT_COMMITTER_DATE", at)])
            .output()
            .expect("git is there")
    }
}

impl McpClient<'_> {
    /// Calls a tool in the name of an agent's conversation, as hosts say it beside the arguments.
    #[expect(clippy::needless_pass_by_value, reason = "`json!(…)` at the call needs no reference before it")]
    pub fn call_as(&mut self, conversation: &str, tool: &str, arguments: Value) -> Value {
        let meta = json!({"sessionId": conversation});
        self.result("tools/call", json!({"name": tool, "arguments": arguments, "_meta": meta}))
    }

    /// Calls a tool that must change something. The facts it answered with.
    pub fn facts(&mut self, tool: &str, arguments: Value) -> Value {
        let mut result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result:#}");
        result["structuredContent"].take()
    }
}

/// A text in an answer, which must be there.
pub fn text_in<'v>(answer: &'v Value, field: &str) -> &'v str {
    answer[field].as_str().unwrap_or_else(|| panic!("no text `{field}` in {answer:#}"))
}

/// A list in an answer; one that is left out is empty.
pub fn list_in<'v>(answer: &'v Value, field: &str) -> &'v [Value] {
    match &answer[field] {
        Value::Null => &[],
        Value::Array(items) => items,
        _ => panic!("`{field}` is no list in {answer:#}"),
    }
}
