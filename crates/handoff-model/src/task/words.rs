//! The words a task's file is written in.

/// A word that is not one of those known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is not a {what}: use one of {known}")]
pub struct NotAWord {
    pub(crate) word: String,
    pub(crate) what: &'static str,
    pub(crate) known: String,
}

/// Declares a closed set of words, once for files, arguments and schemas.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $what:literal, { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $word)] $variant),+
        }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$variant),+];
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            pub fn word(self) -> &'static str {
                match self {
                    $($name::$variant => $word),+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::task::NotAWord;

            fn from_str(text: &str) -> Result<Self, $crate::task::NotAWord> {
                match text {
                    $($word => Ok($name::$variant),)+
                    _ => Err($crate::task::NotAWord {
                        word: $crate::id::shorten(text),
                        what: $what,
                        known: Self::WORDS.join(", "),
                    }),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.word())
            }
        }
    };
}
pub(crate) use words;

words!(
    /// How far a task is.
    #[derive(Default)]
    Status, "status", {
        #[default]
        Todo = "todo",
        InProgress = "in_progress",
        Review = "review",
        Done = "done",
        Blocked = "blocked",
        Skipped = "skipped",
    }
);

words!(
    /// How much a task matters.
    Priority, "priority", {
        Low = "low",
        Medium = "medium",
        High = "high",
    }
);

words!(
    /// What a link or reference points to.
    #[derive(Default)]
    LinkType, "link type", {
        File = "file",
        Issue = "issue",
        Mr = "mr",
        Wiki = "wiki",
        Doc = "doc",
        #[default]
        Url = "url",
        Task = "task",
    }
);

impl Status {
    /// Whether nothing is left to do.
    pub fn is_finished(self) -> bool {
        matches!(self, Status::Done | Status::Skipped)
    }

    pub fn is_open(self) -> bool {
        !self.is_finished()
    }
}
