//! Text in pieces, each with a role that a door may give a colour.

use handoff_model::when::Moment;

/// A run of text in roles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text {
    pub spans: Vec<Span>,
}

/// A piece of text in one role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    pub text: String,
    pub role: Role,
}

/// What a piece of text is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Role {
    #[default]
    Plain,
    Dim,
    Strong,
    Id,
    Number,
    /// A moment in RFC 3339 form, which people read as local time and age
    Time,
    StatusTodo,
    StatusInProgress,
    StatusReview,
    StatusDone,
    StatusBlocked,
    StatusSkipped,
    Good,
    Warn,
    Bad,
}

impl Text {
    /// Text in one role.
    pub fn of(role: Role, text: impl Into<String>) -> Text {
        Text::default().and(role, text)
    }

    /// Adds a piece in a role.
    #[must_use]
    pub fn and(mut self, role: Role, text: impl Into<String>) -> Text {
        let text = text.into();
        if !text.is_empty() {
            self.spans.push(Span { text, role });
        }
        self
    }

    /// Adds a piece in no special role.
    #[must_use]
    pub fn plain(self, text: impl Into<String>) -> Text {
        self.and(Role::Plain, text)
    }

    /// Adds a moment.
    #[must_use]
    pub fn time(self, at: Moment) -> Text {
        self.and(Role::Time, at.in_seconds().to_string())
    }

    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The text without its roles.
    pub fn to_plain(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text::of(Role::Plain, text)
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text::of(Role::Plain, text)
    }
}

impl From<&String> for Text {
    fn from(text: &String) -> Text {
        Text::of(Role::Plain, text)
    }
}
