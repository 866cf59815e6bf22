//! `handoff keys`: keys to sign bundles with, kept in the user's configuration directory.

use std::path::{Path, PathBuf};

use clap::Args;
use handoff_bundle::{PublicKey, SigningKey};
use handoff_store::{NewFile, change_outside, read_outside};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::import::read_small;
use crate::page::{Column, Role, Row, Table, Text};
use crate::{Door, Effect, OpError, Operation, Page, Project, Report, ToolSet, trust};

/// Make a key to sign bundles with
///
/// The private key is for you alone; the public one, beside it as `.pub`, is for those who import your bundles. A file
/// that is there is never replaced.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewKey {
    /// File to write it to; in your configuration directory when absent
    #[arg(long, short, value_name = "FILE")]
    #[serde(default)]
    pub output: Option<PathBuf>,
    /// What stands behind the public key, such as your name
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub comment: Option<String>,
}

/// List your keys
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListKeys {}

/// A key that was made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KeyView {
    /// The file of the private key
    pub file: String,
    pub public_key: String,
    pub fingerprint: String,
    /// What stands behind the public key
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// The keys in your configuration directory.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KeysView {
    pub keys: Vec<KeyView>,
}

const DIRECTORY: &str = "keys";
const USUAL: &str = "handoff_ed25519";

impl Operation for NewKey {
    const NAME: &'static str = "keys.new";
    const TOOL: &'static str = "handoff_new_key";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Found;
    const DOORS: &'static [Door] = &[Door::Cli];
    type Outcome = KeyView;

    fn example() -> Value {
        json!({"comment": "alice"})
    }

    fn run(self, project: &mut Project) -> Result<KeyView, OpError> {
        let path = match &self.output {
            Some(output) => project.place.cwd.join(output),
            None => trust::directory(project)?.join(DIRECTORY).join(USUAL),
        };
        let public_path = public_of(&path);
        for path in [&path, &public_path] {
            if path.symlink_metadata().is_ok() {
                let message = format!("`{}` is there already, and a key is never replaced", project.shown(path));
                return Err(OpError::refused(message).hint(crate::Hint::say("name another file with `--output`")));
            }
        }
        let comment = self.comment.unwrap_or_else(|| project.person());
        if comment.chars().any(char::is_control) {
            return Err(OpError::usage("the comment must be one line without control characters"));
        }
        let key = SigningKey::generate();
        let public = key.public();
        let line = format!("{public} {comment}");
        let cannot = |path: &Path| {
            let message = format!("cannot write `{}`", project.shown(path));
            move |error| OpError::failure(message).caused_by(error)
        };
        change_outside(&path, None, Some(key.to_openssh(&comment).as_bytes()), NewFile::Secret)
            .map_err(cannot(&path))?;
        change_outside(&public_path, None, Some(format!("{line}\n").as_bytes()), NewFile::Usual)
            .map_err(cannot(&public_path))?;
        let (file, fingerprint) = (project.shown(&path), public.fingerprint());
        Ok(KeyView { file, public_key: line, fingerprint, comment: Some(comment) })
    }
}

fn public_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".pub");
    PathBuf::from(name)
}

impl Operation for ListKeys {
    const NAME: &'static str = "keys.list";
    const TOOL: &'static str = "handoff_list_keys";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Seek;
    const DOORS: &'static [Door] = &[Door::Cli];
    type Outcome = KeysView;

    fn example() -> Value {
        json!({})
    }

    fn run(self, project: &mut Project) -> Result<KeysView, OpError> {
        let dir = trust::directory(project)?.join(DIRECTORY);
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(&dir).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "pub"));
        paths.sort();
        let mut keys = Vec::new();
        for path in paths {
            let text = read_small(&path, &format!("`{}`", project.shown(&path)))?;
            let private = path.with_extension("");
            match PublicKey::with_comment(String::from_utf8_lossy(&text).trim()) {
                Ok((key, comment)) if read_outside(&private).is_ok_and(|file| file.is_some()) => keys.push(KeyView {
                    file: project.shown(&private),
                    public_key: key.to_string(),
                    fingerprint: key.fingerprint(),
                    comment,
                }),
                Ok(_) => project.note(format!("`{}` has no private key beside it", project.shown(&path))),
                Err(error) => project.note(format!("`{}` is passed over: {error}", project.shown(&path))),
            }
        }
        Ok(KeysView { keys })
    }
}

impl Report for KeyView {
    fn page(&self) -> Page {
        Page::new()
            .line(Text::of(Role::Good, "✓ ").plain(format!("new key in {}: only you can read it", self.file)))
            .field("fingerprint", self.fingerprint.as_str())
            .field("public key", self.public_key.as_str())
            .blank()
            .line(format!("Sign a bundle with it: handoff export --format json --sign-key {}", self.file))
            .line("Whoever imports your bundles adds the public key: handoff trust add NAME 'ssh-ed25519 …'")
    }
}

impl Report for KeysView {
    fn page(&self) -> Page {
        if self.keys.is_empty() {
            return Page::new().line("no keys: `handoff keys new` makes one");
        }
        let rows = self.keys.iter().map(|key| {
            Row::new([
                Text::from(key.file.clone()),
                Text::of(Role::Id, key.fingerprint.clone()),
                Text::from(key.comment.clone().unwrap_or_default()),
            ])
        });
        Page::new()
            .table(Table::new([Column::new("file"), Column::new("fingerprint"), Column::new("comment")]).rows(rows))
    }
}
