//! Which branch and commit a work tree stands on, read from git's files.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::place::{read_text, read_up_to};
use super::{Asked, Git};

/// Where a work tree stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// `None` on a detached head
    pub branch: Option<String>,
    /// Full id; `None` on a branch without commits
    pub commit: Option<String>,
}

/// What stands behind a name.
enum Reference {
    To(String),
    Commit(String),
}

/// How many names may lead to other names; git allows as many.
const STEPS: usize = 5;

/// Room for some hundred thousand branches and tags.
const PACKED: u64 = 32 * 1024 * 1024;

/// What branches and their like begin with.
const BRANCH: &str = "refs/heads/";

/// What a repository that keeps its names in tables has in `HEAD`, for programs that do not know of them.
const IN_TABLES: &str = "refs/heads/.invalid";

pub(super) fn read(git: &Git) -> Head {
    match head_file(&git.own_dir) {
        Some(Reference::Commit(commit)) => Head { branch: None, commit: Some(commit) },
        Some(Reference::To(name)) if name == IN_TABLES => ask(git),
        Some(Reference::To(name)) => {
            Head { commit: commit_of(git, &name), branch: name.strip_prefix(BRANCH).map(str::to_owned) }
        }
        None => ask(git),
    }
}

fn head_file(own_dir: &Path) -> Option<Reference> {
    let path = own_dir.join("HEAD");
    // Long ago a link stood here instead of a line of text.
    if let Ok(target) = fs::read_link(&path) {
        return target.to_str().filter(|name| is_name(name)).map(|name| Reference::To(name.to_owned()));
    }
    parse(&read_text(&path)?)
}

fn parse(text: &str) -> Option<Reference> {
    let text = text.trim();
    match text.strip_prefix("ref:").map(str::trim) {
        Some(name) => is_name(name).then(|| Reference::To(name.to_owned())),
        None => is_full_id(text).then(|| Reference::Commit(text.to_owned())),
    }
}

fn commit_of(git: &Git, name: &str) -> Option<String> {
    let mut name = name.to_owned();
    for _ in 0..STEPS {
        let loose = [&git.own_dir, &git.common_dir].into_iter().find_map(|dir| parse(&read_text(&dir.join(&name))?));
        match loose {
            Some(Reference::Commit(commit)) => return Some(commit),
            Some(Reference::To(next)) => name = next,
            None => return packed(&git.common_dir, &name),
        }
    }
    None
}

fn packed(common_dir: &Path, name: &str) -> Option<String> {
    let bytes = read_up_to(&common_dir.join("packed-refs"), PACKED)?;
    let wanted = format!(" {name}\n");
    let at = memchr::memmem::find(&bytes, wanted.as_bytes())?;
    let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |newline| newline + 1);
    let id = std::str::from_utf8(&bytes[start..at]).ok()?;
    is_full_id(id).then(|| id.to_owned())
}

/// A name that stays below `refs/`.
fn is_name(name: &str) -> bool {
    name.starts_with("refs/")
        && name.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
        && !name.contains(['\\', '\n', '\0', ' ', ':'])
}

fn is_full_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn ask(git: &Git) -> Head {
    const LIMIT: Duration = Duration::from_secs(1);
    let line = |bytes: Vec<u8>| String::from_utf8(bytes).ok().map(|text| text.trim().to_owned());
    let asked = git.ask(LIMIT, |asking| {
        let name = asking.begin(&["symbolic-ref", "-q", "HEAD"], None)?;
        let commit = asking.run(&["rev-parse", "-q", "--verify", "HEAD^{commit}"]).ok().and_then(line);
        let branch = name.finish().ok().and_then(line).and_then(|name| name.strip_prefix(BRANCH).map(str::to_owned));
        Ok(Head { branch, commit: commit.filter(|id| is_full_id(id)) })
    });
    match asked {
        Asked::Answer(head) => head,
        Asked::Skipped(_) => Head::default(),
    }
}
