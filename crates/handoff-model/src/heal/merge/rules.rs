//! How each value of a record is merged; what is not listed is one value, a table or a set, by its form.

/// How two versions of one value become one.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rule {
    /// One or the other
    One,
    /// Value by value
    Table(&'static [(&'static str, Rule)]),
    /// Items that stand once each
    Set,
    /// Items known by some of their values, and merged value by value
    Keyed {
        by: &'static [&'static str],
        rules: &'static [(&'static str, Rule)],
    },
    /// Items that are added and never changed, in the order of a time
    Log(&'static str),
    /// That of the side on which more happened last
    Later,
    /// Whether either says so
    Either,
    Highest,
    /// The status of a task, and when that was reached
    Status,
    /// Follows from another value
    Follows,
    /// The status of a session: closed is final
    Closed,
}

pub(super) type Rules = [(&'static str, Rule)];

const CHECKED: &Rules = &[("checked", Rule::Either)];

pub(super) const TASK: &Rules = &[
    ("format", Rule::Highest),
    ("status", Rule::Status),
    ("completed_at", Rule::Follows),
    ("labels", Rule::Set),
    ("dependencies", Rule::Set),
    ("links", Rule::Keyed { by: &["target"], rules: &[] }),
    ("schedule", Rule::Table(&[])),
    ("done_criteria", Rule::Keyed { by: &["item"], rules: CHECKED }),
    ("notes", Rule::Log("at")),
    ("history", Rule::Log("at")),
];

pub(super) const SESSION: &Rules = &[
    ("format", Rule::Highest),
    ("status", Rule::Closed),
    ("ended_at", Rule::Highest),
    ("tags", Rule::Set),
    ("next", Rule::Set),
    ("blockers", Rule::Set),
    ("questions", Rule::Set),
    ("tasks", Rule::Set),
    ("last_decision", Rule::Highest),
    ("decisions", Rule::Keyed { by: &["id"], rules: &[("paths", Rule::Set)] }),
    ("checklist", Rule::Keyed { by: &["item"], rules: CHECKED }),
    ("notes", Rule::Keyed { by: &["note"], rules: &[] }),
    ("references", Rule::Keyed { by: &["uri"], rules: &[] }),
    ("pointers", Rule::Keyed { by: &["path", "lines"], rules: &[] }),
    ("environment", Rule::Table(&[])),
    ("git", Rule::Later),
    ("items", Rule::Keyed { by: &["text"], rules: &[] }),
    ("settled", Rule::Keyed { by: &["item"], rules: &[] }),
];

pub(super) const MEMORY: &Rules = &[
    ("format", Rule::Highest),
    ("tags", Rule::Set),
    ("keywords", Rule::Set),
    ("paths", Rule::Set),
    ("branches", Rule::Set),
    ("retired_at", Rule::Highest),
];

pub(super) const TIME_LOG: &Rules = &[("format", Rule::Highest), ("intervals", Rule::Log("started_at"))];
