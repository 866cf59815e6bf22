//! What files are now, as the ids git would give their content.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::Git;
use super::place::read_up_to;
use super::run::{Asking, Failure};

/// Letters of an id that are written down: enough to tell the files of any repository apart.
const WRITTEN: usize = 12;

/// Larger files are not read.
const LARGEST: u64 = 64 * 1024 * 1024;

/// Lines of larger files are not compared.
const MAX_TEXT_BYTES: u64 = 1024 * 1024;

/// How many files that cannot be read are passed over, each at the cost of another run.
const UNREADABLE: usize = 8;

/// What is there under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Now {
    Blob(String),
    Absent,
    Directory,
    /// It cannot be told
    Untold(&'static str),
}

impl Now {
    pub(super) fn id(&self) -> Option<&str> {
        match self {
            Now::Blob(id) => Some(id),
            _ => None,
        }
    }
}

/// The form in which an id is written down.
pub(super) fn written(id: &str) -> String {
    id[..id.len().min(WRITTEN)].to_owned()
}

/// Whether two ids, each perhaps shortened, are of the same object.
pub(super) fn same(one: &str, other: &str) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

/// The content of blobs, in the order of their names, one on each line; `None` for those that git does not have.
pub(super) fn contents(asking: &Asking, names: &str) -> Result<Vec<Option<Vec<u8>>>, Failure> {
    let answer = asking.begin(&["cat-file", "--batch"], Some(names.as_bytes().to_vec()))?.finish()?;
    let mut contents = Vec::new();
    let mut rest = answer.as_slice();
    while let Some(end) = memchr::memchr(b'\n', rest) {
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        rest = &rest[end + 1..];
        // `<id> blob <size>`, or the name and `missing` or `ambiguous`
        let mut words = head.rsplit(' ');
        let (size, kind) = (words.next().and_then(|size| size.parse::<usize>().ok()), words.next());
        let content = size.and_then(|size| rest.get(..size));
        contents.push(content.filter(|_| kind == Some("blob")).map(<[u8]>::to_vec));
        rest = content.map_or(rest, |content| rest.get(content.len() + 1..).unwrap_or_default());
    }
    Ok(contents)
}

/// The content of a file in the work tree whose lines can be compared, by its path from the root.
pub(super) fn text_now(asking: &Asking, path: &str) -> Option<Vec<u8>> {
    let place = asking.root.join(path);
    let is_file = fs::symlink_metadata(&place).is_ok_and(|meta| meta.is_file());
    let read = || read_up_to(&place, MAX_TEXT_BYTES);
    if is_file && !leads_out(asking, &place) { read().filter(|text| is_text(text)) } else { None }
}

/// Whether the lines of a content can be compared: not of one that is large or binary.
pub(super) fn is_text(content: &[u8]) -> bool {
    content.len() as u64 <= MAX_TEXT_BYTES && memchr::memchr(0, content).is_none()
}

/// What is there under each of these paths from the root.
pub(super) fn now(asking: &Asking, paths: BTreeSet<String>) -> Result<BTreeMap<String, Now>, Failure> {
    let mut found = BTreeMap::new();
    let mut files = Vec::new();
    for path in paths {
        let place = asking.root.join(&path);
        if leads_out(asking, &place) {
            found.insert(path, Now::Untold("a link on the way to it leads out of the repository"));
            continue;
        }
        let now = match fs::symlink_metadata(&place) {
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => Now::Untold("it cannot be read"),
            Err(_) => Now::Absent,
            Ok(meta) if meta.is_symlink() => link(asking, &place)?,
            Ok(meta) if meta.is_dir() => submodule(&place),
            Ok(meta) if !meta.is_file() => Now::Untold("it is not an ordinary file"),
            Ok(meta) if meta.len() > LARGEST => Now::Untold("it is too large to compare"),
            Ok(_) => {
                files.push(path);
                continue;
            }
        };
        found.insert(path, now);
    }
    hash(asking, &files, &mut found)?;
    Ok(found)
}

/// Returns whether a directory on the way to a file is a link to somewhere outside. What is there is not read: the names
/// come from records, and the hash of such a file would be written into one.
fn leads_out(asking: &Asking, place: &std::path::Path) -> bool {
    let real = place.parent().and_then(|above| above.canonicalize().ok());
    real.is_some_and(|real| asking.root.canonicalize().is_ok_and(|root| !real.starts_with(root)))
}

/// Git keeps of a link what it says, not what it leads to.
fn link(asking: &Asking, place: &std::path::Path) -> Result<Now, Failure> {
    let Ok(target) = fs::read_link(place) else { return Ok(Now::Untold("it cannot be read")) };
    let target = target.into_os_string().into_encoded_bytes();
    let answer = asking.begin(&["hash-object", "--no-filters", "--stdin"], Some(target))?.finish()?;
    Ok(Now::Blob(String::from_utf8_lossy(&answer).trim().to_owned()))
}

/// Git keeps of a submodule which commit it stands on.
fn submodule(place: &std::path::Path) -> Now {
    let own = Git::around(place).filter(|git| super::place::without_links(place).as_ref() == Some(&git.root));
    own.and_then(|git| git.head().commit).map_or(Now::Directory, Now::Blob)
}

fn hash(asking: &Asking, files: &[String], found: &mut BTreeMap<String, Now>) -> Result<(), Failure> {
    let mut rest = files;
    for _ in 0..=UNREADABLE {
        if rest.is_empty() {
            return Ok(());
        }
        let names = rest.iter().fold(String::new(), |names, path| names + &quoted(path) + "\n");
        let running = asking.begin(&["hash-object", "--stdin-paths"], Some(names.into_bytes()))?;
        let (answer, failure) = running.finish_or_part();
        let answer = String::from_utf8_lossy(&answer);
        let ids: Vec<&str> = answer.lines().collect();
        for (path, id) in rest.iter().zip(&ids) {
            found.insert(path.clone(), Now::Blob((*id).to_owned()));
        }
        match failure {
            None => return Ok(()),
            // It stops at the first file that it cannot read.
            Some(Failure::Refused(_)) if ids.len() < rest.len() => {
                found.insert(rest[ids.len()].clone(), Now::Untold("it cannot be read"));
                rest = &rest[ids.len() + 1..];
            }
            Some(failure) => return Err(failure),
        }
    }
    for path in rest {
        found.insert(path.clone(), Now::Untold("it cannot be read"));
    }
    Ok(())
}

/// A path as one line.
fn quoted(path: &str) -> String {
    if !path.starts_with('"') && !path.contains(['\n', '\r']) {
        return path.to_owned();
    }
    let inner = path.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\r', "\\r");
    format!("\"{inner}\"")
}
