//! The same work on several threads.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::stop::Stop;

/// More hardly help: what is waited for is the disk, or the kernel.
const MOST_THREADS: usize = 4;

/// Has several threads do the same work until there is none left, if that is worth it; this one first does something
/// else. `None` stands for a thread that broke off.
pub(crate) fn at_once<T: Send, M>(
    is_worth_it: bool,
    work: impl Fn() -> T + Sync,
    meanwhile: impl FnOnce() -> M,
) -> (Vec<Option<T>>, M) {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = if is_worth_it { processors().min(MOST_THREADS) } else { 1 };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(&work)).collect();
        let done = meanwhile();
        let own = Some(work());
        let shares = std::iter::once(own).chain(others.into_iter().map(|other| other.join().ok()));
        (shares.collect(), done)
    })
}

/// As many things as one thread takes at a time.
const SHARE: usize = 128;

/// Has several threads go through so many things, each taking a share of them at a time, and gathers what they found in
/// no order; this one first does something else. `None` when a thread broke off or one thing could not be.
pub(crate) fn in_shares<T: Send, M>(
    count: usize,
    worth_a_thread: usize,
    stop: &Stop,
    look: impl Fn(usize, &mut Vec<T>) -> Option<()> + Sync,
    meanwhile: impl FnOnce() -> M,
) -> Option<(Vec<T>, M)> {
    shares_of(
        count,
        worth_a_thread,
        stop,
        |mut share, found| share.try_for_each(|number| look(number, found)),
        meanwhile,
    )
}

/// The same, for work that is done better on a share as a whole.
pub(crate) fn shares_of<T: Send, M>(
    count: usize,
    worth_a_thread: usize,
    stop: &Stop,
    look: impl Fn(Range<usize>, &mut Vec<T>) -> Option<()> + Sync,
    meanwhile: impl FnOnce() -> M,
) -> Option<(Vec<T>, M)> {
    let next = AtomicUsize::new(0);
    let share = SHARE.min(worth_a_thread);
    let work = || {
        let mut found = Vec::new();
        loop {
            let from = next.fetch_add(share, Ordering::Relaxed);
            if from >= count || stop.is_due() {
                return Some(found);
            }
            look(from..count.min(from + share), &mut found)?;
        }
    };
    let (shares, done) = at_once(count >= worth_a_thread, work, meanwhile);
    let mut found = Vec::new();
    for share in shares {
        found.extend(share??);
    }
    Some((found, done))
}
