//! How a long operation gets on, told to a client that asked to know.

use std::time::{Duration, Instant};

use handoff_ops::Progress;
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use tokio::sync::mpsc::UnboundedSender;

/// More often helps nobody.
const BETWEEN: Duration = Duration::from_millis(100);

/// One report of an operation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    /// Grows from report to report, whatever the operation is busy with
    so_far: usize,
    total: Option<usize>,
    message: String,
}

/// Takes an operation's reports, and passes on as many as are worth it.
pub(crate) struct Steps {
    to: UnboundedSender<Step>,
    last: Option<Progress>,
    /// What earlier parts of the operation came to.
    before: usize,
    next: Option<Instant>,
}

impl Steps {
    pub(crate) fn new(to: UnboundedSender<Step>) -> Steps {
        Steps { to, last: None, before: 0, next: None }
    }

    /// What an operation is given to report to.
    pub(crate) fn listener(mut self) -> Box<dyn FnMut(Progress)> {
        Box::new(move |progress| {
            let now = Instant::now();
            if let Some(step) = self.step(progress)
                && self.next.is_none_or(|next| now >= next)
            {
                self.next = Some(now + BETWEEN);
                // Progress that nobody hears of is no reason to fail.
                let _ = self.to.send(step);
            }
        })
    }

    /// The report in terms of the whole operation; none where there is nothing to wait for.
    fn step(&mut self, progress: Progress) -> Option<Step> {
        if let Some(last) = self.last.replace(progress)
            && (last.what != progress.what || progress.done < last.done)
        {
            self.before += last.done + 1;
        }
        let Progress { what, done, total } = progress;
        let message = match total {
            Some(total) => format!("{what}: {done} of {total}"),
            None => format!("{what}: {done}"),
        };
        let so_far = self.before + done;
        let step = Step { so_far, total: total.map(|total| self.before + total), message };
        total.is_none_or(|total| total > 1).then_some(step)
    }
}

/// A client that gave a token to hear of progress by.
pub(crate) struct Watcher {
    peer: Peer<RoleServer>,
    token: ProgressToken,
}

impl Watcher {
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Option<Watcher> {
        Some(Watcher { token: context.meta.get_progress_token()?, peer: context.peer.clone() })
    }

    pub(crate) async fn tell(&self, step: Step) {
        let mut told =
            ProgressNotificationParam::new(self.token.clone(), number(step.so_far)).with_message(step.message);
        told.total = step.total.map(number);
        // A client that is gone needs no progress.
        let _ = self.peer.notify_progress(told).await;
    }
}

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_only_ever_grows_and_a_single_step_is_none() {
        let (to, _from) = tokio::sync::mpsc::unbounded_channel();
        let mut steps = Steps::new(to);
        let mut step = |what, done, total| {
            let step = steps.step(Progress { what, done, total })?;
            Some((step.so_far, step.total, step.message))
        };
        assert_eq!(step("reading", 0, None), Some((0, None, "reading: 0".to_owned())));
        assert_eq!(step("reading", 5, None), Some((5, None, "reading: 5".to_owned())));
        assert_eq!(step("writing", 0, Some(3)), Some((6, Some(9), "writing: 0 of 3".to_owned())));
        assert_eq!(step("writing", 3, Some(3)), Some((9, Some(9), "writing: 3 of 3".to_owned())));
        assert_eq!(step("writing", 1, Some(1)), None);
    }
}
