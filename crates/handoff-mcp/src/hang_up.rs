//! Detects that the client closed its side of the input, although not everything it sent has been read.

/// Returns whether nothing more will be written to standard input. Where the system cannot tell, `false`.
#[cfg(unix)]
pub(crate) fn has_hung_up() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    // The end of a pipe is a hang-up; a socket of which only the sending half was closed has an event of its own.
    #[cfg(target_os = "linux")]
    let closed = PollFlags::HUP | PollFlags::ERR | PollFlags::RDHUP;
    #[cfg(not(target_os = "linux"))]
    let closed = PollFlags::HUP | PollFlags::ERR;
    let stdin = std::io::stdin();
    let mut files = [PollFd::new(&stdin, PollFlags::IN | closed)];
    poll(&mut files, Some(&Timespec::default())).is_ok() && files[0].revents().intersects(closed)
}

#[cfg(not(unix))]
pub(crate) fn has_hung_up() -> bool {
    false
}
