//! Watching directories by inotify.
//!
//! The kernel queues a message in the same call that makes the change, so reading the queue tells all that happened up
//! to that moment: no thread and no delay. That holds for local file systems; what another machine changes is not told.

use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;

use super::local::is_local;
use super::{Event, Handle, Watch};

/// Watches on the directories of one store.
#[derive(Debug)]
pub(crate) struct Watcher {
    queue: OwnedFd,
    device: u64,
    /// The highest watch given out; the kernel counts up
    highest: i32,
    count: usize,
    most: usize,
}

const TOLD: WatchFlags = WatchFlags::MODIFY
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::ONLYDIR);

impl Watcher {
    /// A watcher for the file system a directory lies on, for at most so many directories; `None` where changes are
    /// not told reliably.
    pub(crate) fn new(root: &Handle, most: usize) -> Option<Watcher> {
        if most == 0 || !is_local(root) {
            return None;
        }
        let device = rustix::fs::fstat(&root.0).ok()?.st_dev;
        let queue = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
        Some(Watcher { queue, device, highest: 0, count: 0, most })
    }

    /// Watches a directory; one that is watched keeps its watch. `None` when that cannot be.
    pub(crate) fn watch(&mut self, dir: &Handle) -> Option<Watch> {
        // What is mounted in between may be of another kind.
        if rustix::fs::fstat(&dir.0).ok()?.st_dev != self.device {
            return None;
        }
        // By the open directory, not by its path, so that it is the very one that is read afterwards.
        let path = format!("/proc/self/fd/{}", dir.0.as_raw_fd());
        let watch = inotify::add_watch(&self.queue, path.as_str(), TOLD).ok()?;
        if watch > self.highest {
            self.highest = watch;
            self.count += 1;
        }
        if self.count > self.most {
            self.forget(Watch(watch));
            return None;
        }
        Some(Watch(watch))
    }

    pub(crate) fn forget(&mut self, watch: Watch) {
        let _ = inotify::remove_watch(&self.queue, watch.0);
    }

    /// Tells everything that happened up to now.
    pub(crate) fn drain(&mut self, mut tell: impl FnMut(Event<'_>)) {
        let mut buffer = [MaybeUninit::uninit(); 16 * 1024];
        let mut messages = inotify::Reader::new(&self.queue, &mut buffer);
        loop {
            let message = match messages.next() {
                Ok(message) => message,
                Err(Errno::WOULDBLOCK) => return,
                Err(Errno::INTR) => continue,
                Err(_) => return tell(Event::Lost),
            };
            let (watch, events) = (Watch(message.wd()), message.events());
            if events.intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::UNMOUNT) {
                tell(Event::Lost);
            } else if events.contains(ReadFlags::IGNORED) {
                self.count = self.count.saturating_sub(1);
                tell(Event::Gone(watch));
            } else if events.contains(ReadFlags::DELETE_SELF) {
                tell(Event::Gone(watch));
            } else if let Some(name) = message.file_name() {
                // A name that is not UTF-8 is none of ours; it is told as it is shown.
                let name = name.to_string_lossy();
                tell(Event::Named { watch, name: &name, attributes: events.contains(ReadFlags::ATTRIB) });
            }
        }
    }
}
