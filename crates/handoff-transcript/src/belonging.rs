//! Which transcripts may be read for a project when it is not a person who names them.
//!
//! **Invariant:** a path that a hook, a state file or a record names is read only where the host itself keeps its
//! transcripts for this user, by the real names of the directories, and only if the transcript is about work in the
//! project. A state file may have come with a clone, and would otherwise carry the words of other projects into it.
//!
//! Where a session worked is what its records say. The exceptions are Gemini CLI, whose folders have a note of the
//! directory they stand for or the hash of its path as their name, and Cursor's lines, which are kept in a folder
//! named after the directory; that name counts if no other directory on this machine would be given it.

use std::path::{Path, PathBuf};

use handoff_model::agent::Host;

use crate::{Env, Source, claude, cline, codex, cursor, gemini, opencode, places};

/// The transcript at `path`, if `host` keeps it for this user and it tells of work in `directory` or below it.
///
/// The path in the answer has no links. Who owns the file is for the caller to check.
pub fn transcript_of(host: Host, env: Env<'_>, path: &Path, session: Option<&str>, directory: &Path) -> Option<Source> {
    let path = path.is_absolute().then(|| path.canonicalize().ok()).flatten()?;
    // What is neither is never opened: a pipe would be waited for. Some hosts keep a directory for each session.
    let is_kept_as_directory = path.is_dir() && matches!(host, Host::Cline | Host::OpenCode);
    if !path.is_file() && !is_kept_as_directory {
        return None;
    }
    let root = places_of(host, env).into_iter().filter_map(|place| place.canonicalize().ok());
    let root = root.into_iter().find(|root| path.starts_with(root))?;
    let is_here = match host {
        Host::ClaudeCode => is_below(claude::directory_of(&path)?, directory),
        Host::Codex => is_below(codex::directory_of(&path)?, directory),
        Host::Gemini => gemini::is_of(&root, &path, directory),
        Host::OpenCode => is_below(opencode::directory_of(&path, session?)?, directory),
        Host::Cline => is_below(cline::directory_of(&path, session)?, directory),
        Host::Cursor => cursor::is_of(&root, &path, session, directory),
        Host::Copilot | Host::VsCode => false,
    };
    is_here.then(|| Source { host, path, session: session.map(str::to_owned) })
}

/// The files and directories in which a host keeps transcripts.
fn places_of(host: Host, env: Env<'_>) -> Vec<PathBuf> {
    match host {
        Host::ClaudeCode => claude::places(env),
        Host::Codex => codex::places(env),
        Host::Gemini => gemini::places(env).into_iter().collect(),
        Host::OpenCode => opencode::stores(env),
        Host::Cline => cline::places(env),
        Host::Cursor => cursor::places(env),
        // Neither keeps a transcript that can be read.
        Host::Copilot | Host::VsCode => Vec::new(),
    }
}

fn is_below(worked_in: String, directory: &Path) -> bool {
    places::belongs(&PathBuf::from(worked_in), directory)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare files as an agent would")]
mod tests {
    use std::ffi::OsString;
    use std::fs;

    use serde_json::json;

    use super::*;

    /// A home directory with a project and other work beside it.
    struct Scratch {
        dir: tempfile::TempDir,
    }

    impl Scratch {
        fn new() -> Scratch {
            let scratch = Scratch { dir: tempfile::tempdir().unwrap() };
            for below in ["work/app/src", "work/other"] {
                fs::create_dir_all(scratch.path(below)).unwrap();
            }
            scratch
        }

        fn path(&self, below: &str) -> PathBuf {
            self.dir.path().canonicalize().unwrap().join(below)
        }

        fn write(&self, below: &str, text: &str) -> PathBuf {
            let path = self.path(below);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            path
        }

        /// Whether a transcript is read for the project.
        fn is_read(&self, host: Host, path: &Path) -> bool {
            let env = |name: &str| (name == "HOME").then(|| OsString::from(self.path("")));
            transcript_of(host, &env, path, Some("s1"), &self.path("work/app")).is_some()
        }

        /// Writes a transcript about work in a directory, as a host keeps it.
        fn transcript(&self, host: Host, worked_in: &str) -> PathBuf {
            let at = self.path(worked_in).display().to_string();
            let name = worked_in.replace('/', "-");
            let text = |value: serde_json::Value| value.to_string() + "\n";
            match host {
                Host::ClaudeCode => {
                    let line = json!({"type": "user", "sessionId": "s1", "cwd": at});
                    self.write(&format!(".claude/projects/{name}/s1.jsonl"), &text(line))
                }
                Host::Codex => {
                    let line = json!({"timestamp": "t", "type": "session_meta", "payload": {"id": "s1", "cwd": at}});
                    self.write(&format!(".codex/sessions/2026/11/15/rollout-{name}-s1.jsonl"), &text(line))
                }
                Host::Gemini => {
                    self.write(&format!(".gemini/tmp/{name}/.project_root"), &at);
                    let line = json!({"sessionId": "s1", "projectHash": "x"});
                    self.write(&format!(".gemini/tmp/{name}/chats/session-s1.jsonl"), &text(line))
                }
                Host::OpenCode => {
                    fs::create_dir_all(self.path(".local/share/opencode/storage/message")).unwrap();
                    let session = json!({"id": "s1", "projectID": "p", "directory": at});
                    self.write(".local/share/opencode/storage/session/p/s1.json", &text(session))
                }
                Host::Cline => {
                    self.write(".cline/data/sessions/s1.json", &text(json!({"session_id": "s1", "cwd": at})));
                    self.write(".cline/data/sessions/s1.messages.json", &text(json!({"messages": []})))
                }
                Host::Cursor => {
                    let folder = at.trim_start_matches('/').replace(['/', '.'], "-");
                    self.write(&format!(".cursor/projects/{folder}/agent-transcripts/s1.jsonl"), "{}\n")
                }
                Host::Copilot | Host::VsCode => self.write(&format!(".vscode/{name}.jsonl"), "{}\n"),
            }
        }
    }

    const WITH_TRANSCRIPTS: [Host; 6] =
        [Host::ClaudeCode, Host::Codex, Host::Gemini, Host::OpenCode, Host::Cline, Host::Cursor];

    #[test]
    fn a_transcript_is_read_for_the_project_that_it_is_about_and_no_other() {
        for host in WITH_TRANSCRIPTS {
            let scratch = Scratch::new();
            let own = scratch.transcript(host, "work/app");
            assert!(scratch.is_read(host, &own), "{host}");
            let other = scratch.transcript(host, "work/other");
            assert!(!scratch.is_read(host, &other), "{host}");
        }
    }

    #[test]
    fn work_below_the_project_is_work_in_it_and_a_climbing_path_is_not() {
        let scratch = Scratch::new();
        for host in [Host::ClaudeCode, Host::Codex, Host::Gemini, Host::OpenCode, Host::Cline] {
            assert!(scratch.is_read(host, &scratch.transcript(host, "work/app/src")), "{host}");
            assert!(!scratch.is_read(host, &scratch.transcript(host, "work/app/../other")), "{host}");
            assert!(scratch.is_read(host, &scratch.transcript(host, "work/app/gone")), "{host}");
            assert!(!scratch.is_read(host, &scratch.transcript(host, "work/app/gone/../../other/x")), "{host}");
        }
    }

    #[test]
    fn hosts_without_readable_transcripts_have_none() {
        let scratch = Scratch::new();
        for host in [Host::Copilot, Host::VsCode] {
            assert!(!scratch.is_read(host, &scratch.transcript(host, "work/app")), "{host}");
        }
    }

    #[test]
    fn a_file_outside_the_directories_of_the_host_is_never_read() {
        let scratch = Scratch::new();
        for host in [Host::ClaudeCode, Host::Codex] {
            let own = scratch.transcript(host, "work/app");
            let copy = scratch.path("work/app/copy.jsonl");
            fs::copy(&own, &copy).unwrap();
            assert!(!scratch.is_read(host, &copy), "{host}");
            assert!(!scratch.is_read(host, Path::new("copy.jsonl")), "{host}");
            let around = own.parent().unwrap().join("../../../work/app/copy.jsonl");
            assert!(!scratch.is_read(host, &around), "{host}");
        }
        let own = scratch.transcript(Host::ClaudeCode, "work/app");
        assert!(!scratch.is_read(Host::Codex, &own), "it is another host's");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_directory_of_the_host_is_not_followed() {
        let scratch = Scratch::new();
        let own = scratch.transcript(Host::ClaudeCode, "work/app");
        let elsewhere = scratch.path("work/app/copy.jsonl");
        fs::rename(&own, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &own).unwrap();
        assert!(!scratch.is_read(Host::ClaudeCode, &own));
    }

    #[test]
    fn a_transcript_that_names_no_directory_is_not_read() {
        let scratch = Scratch::new();
        let path = scratch.write(".claude/projects/work-app/s1.jsonl", "{\"type\":\"summary\",\"leafUuid\":\"x\"}\n");
        assert!(!scratch.is_read(Host::ClaudeCode, &path));
    }

    #[test]
    fn the_folder_of_cursor_counts_only_while_one_directory_has_its_name() {
        let scratch = Scratch::new();
        let own = scratch.transcript(Host::Cursor, "work/app");
        assert!(scratch.is_read(Host::Cursor, &own));
        fs::create_dir_all(scratch.path("work-app")).unwrap();
        assert!(!scratch.is_read(Host::Cursor, &own), "it may be that of the other");
    }
}
