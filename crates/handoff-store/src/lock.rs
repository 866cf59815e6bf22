//! One writer at a time: an advisory lock of the operating system, which lets go when its process dies.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::time::{Duration, Instant};

use crate::error::{Result, StoreError};
use crate::layout::{LOCK, STATE};
use crate::root::{Root, is_absent};
use crate::stop::Stop;
use crate::sys::has_one_name;

/// The right to write; given back when dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Lock {
    /// Waits at most `wait` for the lock, and leaves a note of who has it for those who wait next.
    pub(crate) fn take(root: &Root, holder: &str, wait: Duration, stop: &Stop) -> Result<Lock> {
        Lock::take_while(root, holder, wait, stop, || true).map(|lock| lock.expect("it was needed to the end"))
    }

    /// Waits for the lock as long as it is needed; `None` when it no longer is.
    pub(crate) fn take_while(
        root: &Root,
        holder: &str,
        wait: Duration,
        stop: &Stop,
        is_needed: impl Fn() -> bool,
    ) -> Result<Option<Lock>> {
        let fail = |source| StoreError::write(LOCK, source);
        let started = Instant::now();
        loop {
            let mut file = root.dir_made(STATE).and_then(|dir| dir.open_lock("lock")).map_err(fail)?;
            match wait_for(&file, wait.saturating_sub(started.elapsed()), stop, &is_needed)? {
                // While this process waited, `local/` may have been exchanged for another, with a lock of its own.
                Waited::Locked if !is_current(root, &file).map_err(fail)? => {}
                Waited::Locked => {
                    write_holder(&mut file, holder);
                    return Ok(Some(Lock { file }));
                }
                Waited::Unneeded => return Ok(None),
                Waited::Busy => {
                    return Err(StoreError::Locked { holder: read_holder(&mut file), seconds: wait.as_secs() });
                }
                Waited::Failed(source) => return Err(fail(source)),
            }
        }
    }
}

impl Lock {
    /// Whether somebody has the lock at this moment. Looking makes nothing that was not there.
    pub(crate) fn is_held(root: &Root) -> bool {
        if !root.exists(LOCK) {
            return false;
        }
        let Ok(file) = root.dir(STATE).and_then(|dir| dir.open_lock("lock")) else { return false };
        match file.try_lock() {
            Ok(()) => {
                let _ = file.unlock();
                false
            }
            Err(TryLockError::WouldBlock) => true,
            Err(TryLockError::Error(_)) => false,
        }
    }
}

/// Returns whether a file is still the one that others would lock.
fn is_current(root: &Root, file: &File) -> io::Result<bool> {
    match root.dir(STATE).and_then(|dir| dir.leads_to("lock", file)) {
        Err(error) if is_absent(&error) => Ok(false),
        current => current,
    }
}

/// How waiting for a lock ended.
pub(crate) enum Waited {
    Locked,
    /// Another had it to the end
    Busy,
    /// It is not needed any more
    Unneeded,
    Failed(io::Error),
}

/// Waits at most `wait` for the lock on a file, as long as it is needed.
pub(crate) fn wait_for(file: &File, wait: Duration, stop: &Stop, is_needed: impl Fn() -> bool) -> Result<Waited> {
    let started = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Waited::Locked),
            Err(TryLockError::Error(source)) => return Ok(Waited::Failed(source)),
            Err(TryLockError::WouldBlock) if started.elapsed() >= wait => return Ok(Waited::Busy),
            Err(TryLockError::WouldBlock) => {
                stop.check()?;
                if !is_needed() {
                    return Ok(Waited::Unneeded);
                }
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(4));
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

/// Notes who has the lock. Only for the message of those who wait: a failure changes nothing.
pub(crate) fn write_holder(file: &mut File, holder: &str) {
    // Another name of the file may be anywhere, and what is there must stay. It still locks.
    if !has_one_name(file) {
        return;
    }
    let line = format!("process {}, {holder}\n", std::process::id());
    let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(line.as_bytes()));
}

/// Who has the lock, as far as that was noted.
pub(crate) fn read_holder(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.rewind().and_then(|()| file.take(200).read_to_string(&mut text));
    match read {
        Ok(_) if !text.trim().is_empty() => text.trim().to_owned(),
        _ => "an unknown process".to_owned(),
    }
}
