//! What one go at a transcript gives, for formats that are no lines.

use handoff_model::agent::{Activity, Digest, Event};

/// What was read, and where to go on.
#[derive(Debug, Default)]
pub(crate) struct Step<M> {
    pub(crate) digest: Digest,
    /// When anything happened
    pub(crate) activity: Activity,
    pub(crate) mark: M,
    /// Where in the transcript it lies, so that steps can be put in order
    pub(crate) from: u64,
    /// Whether something older is still to be read
    pub(crate) is_behind: bool,
    /// Whether another session is read than before
    pub(crate) is_restarted: bool,
    pub(crate) lines: u64,
    pub(crate) unreadable: u64,
}

impl<M> Step<M> {
    pub(crate) fn nothing(mark: M) -> Step<M> {
        Step {
            digest: Digest::default(),
            activity: Activity::default(),
            mark,
            from: 0,
            is_behind: false,
            is_restarted: false,
            lines: 0,
            unreadable: 0,
        }
    }

    /// Takes in what happened next.
    pub(crate) fn tell(&mut self, events: Vec<Event>) {
        for event in events {
            self.activity.add(event.at);
            self.digest.add(event);
        }
    }

    /// The same with its mark inside of another.
    pub(crate) fn with<N>(self, wrap: impl FnOnce(M) -> N) -> Step<N> {
        let Step { digest, activity, mark, from, is_behind, is_restarted, lines, unreadable } = self;
        Step { digest, activity, mark: wrap(mark), from, is_behind, is_restarted, lines, unreadable }
    }
}
