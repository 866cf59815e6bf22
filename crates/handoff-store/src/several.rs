//! The same work on several threads.

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
