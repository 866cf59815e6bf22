//! Asking for a passphrase on the terminal, without showing what is typed.

use std::io;

/// Asks with these words, and reads one line from the terminal itself.
#[cfg(unix)]
pub(crate) fn ask(prompt: &str) -> io::Result<String> {
    use std::fs::OpenOptions;
    use std::io::{BufRead as _, BufReader, Write as _};

    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

    let mut terminal = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
    terminal.write_all(prompt.as_bytes())?;
    let shown = tcgetattr(&terminal)?;
    let mut hidden = shown.clone();
    hidden.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&terminal, OptionalActions::Flush, &hidden)?;
    let mut line = String::new();
    let read = BufReader::new(&terminal).read_line(&mut line);
    // Whatever came of it, the terminal is as it was before.
    tcsetattr(&terminal, OptionalActions::Flush, &shown)?;
    terminal.write_all(b"\n")?;
    read?;
    let line = line.strip_suffix('\n').unwrap_or(&line);
    Ok(line.strip_suffix('\r').unwrap_or(line).to_owned())
}

#[cfg(not(unix))]
pub(crate) fn ask(_prompt: &str) -> io::Result<String> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "give the passphrase in a file or in HANDOFF_PASSPHRASE"))
}
