//! One line on the terminal that says how a long operation gets on.

use std::cell::Cell;
use std::io::{self, Write as _};
use std::rc::Rc;
use std::time::{Duration, Instant};

use handoff_ops::{Breaks, Progress, visible};

/// What is over sooner needs no explanation.
const PATIENCE: Duration = Duration::from_secs(1);
const BETWEEN_UPDATES: Duration = Duration::from_millis(100);

/// A progress line on standard error, drawn once an operation has taken a second.
#[derive(Debug)]
pub(crate) struct ProgressLine {
    is_drawn: Rc<Cell<bool>>,
    width: usize,
}

impl ProgressLine {
    pub(crate) fn new(width: usize) -> ProgressLine {
        ProgressLine { is_drawn: Rc::default(), width }
    }

    /// What an operation is given to report to.
    pub(crate) fn listener(&self) -> Box<dyn FnMut(Progress)> {
        let (is_drawn, width) = (Rc::clone(&self.is_drawn), self.width);
        let started = Instant::now();
        let mut next = started + PATIENCE;
        Box::new(move |progress| {
            let now = Instant::now();
            if now >= next {
                next = now + BETWEEN_UPDATES;
                is_drawn.set(true);
                // Progress that cannot be shown is no reason to fail.
                let _ = write!(io::stderr(), "\r{}\x1b[K", line(progress, width));
            }
        })
    }

    /// Takes the line away again.
    pub(crate) fn clear(&self) {
        if self.is_drawn.replace(false) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

fn line(progress: Progress, width: usize) -> String {
    let Progress { what, done, total } = progress;
    let text = match total {
        Some(total) => format!("{what}: {done} of {total}"),
        None => format!("{what}: {done}"),
    };
    // The last column stays free, because filling it moves some terminals to the next line.
    visible(&text, Breaks::Mark).chars().take(width.saturating_sub(1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_fits_the_terminal() {
        let progress = Progress { what: "converting tasks", done: 12, total: Some(340) };
        assert_eq!(line(progress, 80), "converting tasks: 12 of 340");
        assert_eq!(line(progress, 11), "converting");
        assert_eq!(line(Progress { total: None, ..progress }, 80), "converting tasks: 12");
    }

    #[test]
    fn a_short_operation_draws_nothing() {
        let progress = ProgressLine::new(80);
        progress.listener()(Progress { what: "reading", done: 1, total: None });
        assert!(!progress.is_drawn.get());
    }
}
