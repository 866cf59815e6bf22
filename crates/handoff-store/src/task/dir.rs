//! Where a task lies, and what the name of its directory says of it.

use std::fmt;
use std::ops::Deref;
use std::sync::OnceLock;

use handoff_model::name::{NameParts, read_name};
use handoff_model::number::Number;
use handoff_model::task::Status;

use crate::index::Kept;
use crate::root::split;

/// A directory, relative to the store. One that an index told is only spelled out when somebody looks.
#[derive(Clone)]
pub(crate) struct Dir {
    text: OnceLock<String>,
    kept: Option<Kept>,
}

impl Dir {
    pub(crate) fn kept(kept: Kept) -> Dir {
        Dir { text: OnceLock::new(), kept: Some(kept) }
    }

    pub(crate) fn as_str(&self) -> &str {
        self
    }

    /// The whole number its name tells.
    pub(super) fn told_number(&self) -> Option<Number> {
        read_name(split(self).1).number
    }
}

impl From<String> for Dir {
    fn from(text: String) -> Dir {
        Dir { text: OnceLock::from(text), kept: None }
    }
}

impl From<&Dir> for String {
    fn from(dir: &Dir) -> String {
        dir.as_str().to_owned()
    }
}

impl Deref for Dir {
    type Target = str;

    fn deref(&self) -> &str {
        self.text.get_or_init(|| self.kept.as_ref().map(Kept::dir).unwrap_or_default())
    }
}

impl fmt::Debug for Dir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// What a name says as far as tasks are sorted and checked by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    /// The last part of the number in front
    pub(crate) ordinal: Option<u32>,
    pub(crate) status: Option<Status>,
}

impl Said {
    pub(crate) fn by(name: &str) -> Said {
        Said::from(&read_name(name))
    }
}

impl From<&NameParts> for Said {
    fn from(parts: &NameParts) -> Said {
        Said { ordinal: parts.number.as_ref().map(Number::ordinal), status: parts.status }
    }
}
