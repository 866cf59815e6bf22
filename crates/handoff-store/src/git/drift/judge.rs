//! The verdicts, once then and now are known.

use std::collections::BTreeSet;

use handoff_model::governed::{Pattern, below, is_at_or_below};

use super::picture::Picture;
use super::{FileChange, Governed, How, Pointer, Verdict};
use crate::git::blob::{self, Now};
use crate::git::is_handoff;
use crate::git::moved::Moved;

impl Picture<'_> {
    pub(super) fn verdict(&self, pointer: &Pointer<'_>) -> Verdict {
        let Some(path) = &pointer.path else {
            // A record may have come with a clone: nothing outside is looked at because it says so.
            return Verdict::Unknown("it lies outside of the repository".to_owned());
        };
        if is_handoff(path) {
            return Verdict::Unknown("it lies in the store".to_owned());
        }
        let before = self.before(pointer, path);
        match (self.now.get(path), before) {
            (Some(Now::Directory), None | Some(None)) => self.directory(path),
            (Some(Now::Directory | Now::Absent) | None, _) => self.absent(path, before.is_some()),
            // The commit of then and the work tree of now agree about it.
            (Some(Now::Blob(_) | Now::Untold(_)), None) if self.whole && self.is_tracked(path) => Verdict::Same,
            (Some(Now::Untold(why)), _) => Verdict::Unknown((*why).to_owned()),
            (Some(Now::Blob(id)), Some(Some(before))) if blob::same(id, before) => Verdict::Same,
            (Some(Now::Blob(_)), Some(_)) => Verdict::Changed,
            (Some(Now::Blob(_)), None) => Verdict::Unknown("nothing was written down of what it was".to_owned()),
        }
    }

    /// What the file was: `None` if that is not known, `Some(None)` if it was not there.
    #[expect(clippy::option_option, reason = "not known and not there are two things")]
    pub(super) fn before<'p>(&'p self, pointer: &Pointer<'p>, path: &str) -> Option<Option<&'p str>> {
        match (pointer.blob, self.before.get(path)) {
            (Some(blob), _) => Some(Some(blob)),
            (None, Some(before)) => Some(before.as_deref()),
            (None, None) => None,
        }
    }

    fn is_tracked(&self, path: &str) -> bool {
        self.index.as_ref().is_some_and(|index| index.contains_key(path))
    }

    fn absent(&self, path: &str, known: bool) -> Verdict {
        if let Some(Moved { to, edited }) = self.moved.get(path) {
            return Verdict::Moved { to: self.git.inside.outward(to), edited: *edited };
        }
        let sparse = self.index.as_ref().and_then(|index| index.get(path)).is_some_and(|indexed| indexed.sparse);
        match self.moved_directory(path) {
            _ if sparse => Verdict::Unknown("it is left out of this checkout".to_owned()),
            Some(verdict) if !known => verdict,
            _ => Verdict::Gone,
        }
    }

    fn directory(&self, path: &str) -> Verdict {
        match self.changes(|file| is_at_or_below(path, file)).is_empty() {
            false => Verdict::Changed,
            true if self.whole => Verdict::Same,
            true => Verdict::Unknown("the commit of then is not known here".to_owned()),
        }
    }

    /// A directory whose files all went to one other.
    fn moved_directory(&self, path: &str) -> Option<Verdict> {
        let mut targets = BTreeSet::new();
        let mut edited = false;
        for (from, before) in &self.before {
            let (Some(name), Some(_)) = (below(path, from), before) else { continue };
            let Moved { to, edited: changed } = self.moved.get(from)?;
            targets.insert(to.strip_suffix(name)?.strip_suffix('/').unwrap_or(""));
            edited |= changed;
        }
        let to = targets.pop_first().filter(|_| targets.is_empty())?;
        Some(Verdict::Moved { to: self.git.inside.outward(to), edited })
    }

    pub(super) fn governed(&self, pattern: Option<&Pattern>) -> Governed {
        let Some(pattern) = pattern else {
            return Governed { unknown: Some("it lies outside of the repository".to_owned()), ..Governed::default() };
        };
        Governed {
            changes: self.changes(|path| pattern.governs(path)),
            unknown: (!self.whole).then(|| "the commit of then is not known here".to_owned()),
        }
    }

    fn changes(&self, concerns: impl Fn(&str) -> bool) -> Vec<FileChange> {
        let mut changes = Vec::new();
        let taken: BTreeSet<&str> = self.moved.values().map(|moved| moved.to.as_str()).collect();
        for (path, before) in &self.before {
            let how = match (before, self.now.get(path)) {
                (Some(_), Some(Now::Absent | Now::Directory)) => match self.moved.get(path) {
                    Some(Moved { to, .. }) if concerns(path) || concerns(to) => {
                        let from = self.git.inside.outward(path);
                        changes.push(FileChange { path: self.git.inside.outward(to), how: How::Renamed { from } });
                        continue;
                    }
                    _ => How::Deleted,
                },
                (Some(before), Some(Now::Blob(id))) if blob::same(before, id) => continue,
                (Some(_), _) => How::Edited,
                (None, Some(Now::Absent)) => continue,
                (None, _) if taken.contains(path.as_str()) => continue,
                (None, _) => How::Added,
            };
            if concerns(path) {
                changes.push(FileChange { path: self.git.inside.outward(path), how });
            }
        }
        changes.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        changes
    }
}
