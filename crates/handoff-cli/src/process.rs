//! This process: its arguments and environment in, its streams and exit code out.

use std::io::{self, IsTerminal, Write};
use std::panic::{self, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;

use handoff_mcp::Settings;
use handoff_ops::{Environment, ErrorKind, OpError};

use crate::draw::Style;
use crate::run::{Answer, Course, Invocation, run};
use crate::screen::Screen;
use crate::{failure, local, quick};

/// Runs the command this process was started with.
pub fn main() -> ExitCode {
    remember_panics();
    if let Some(answer) = quick::answer() {
        return ExitCode::from(deliver(&answer, &mut io::stdout(), &mut io::stderr()));
    }
    let args = std::env::args_os().collect::<Vec<_>>();
    let is_agent = local::hook::is_meant(&args);
    let answer = catch_unwind(|| {
        if local::watch::is_meant(&args) {
            return local::watch::run(&args).map_or_else(|error| complaint(&error), |()| Answer::default());
        }
        match run(Invocation::of_process()) {
            Course::Answer(answer) => answer,
            Course::Serve(settings) => serve(*settings),
        }
    });
    let answer = answer.unwrap_or_else(|_| Answer {
        stderr: format!(
            "error: internal error\n  at {}\nhint: this is a bug in handoff: please report it with the line above\n",
            take_last_panic().unwrap_or_default()
        ),
        code: ErrorKind::Failure.exit_code(),
        ..Answer::default()
    });
    let deliver = if is_agent { deliver_to_agent } else { deliver };
    ExitCode::from(deliver(&answer, &mut io::stdout(), &mut io::stderr()))
}

/// Serves until the client leaves. A server that ended as it should has nothing more to say.
fn serve(settings: Settings) -> Answer {
    match handoff_mcp::serve(settings) {
        Ok(()) => Answer::default(),
        Err(error) => complaint(&OpError::failure("the server cannot go on").caused_by(error)),
    }
}

/// An error of a process whose standard error nobody may be reading.
fn complaint(error: &OpError) -> Answer {
    let plain = Style { has_color: false, width: None, reading: None };
    Answer { stderr: failure::text(error, plain), code: error.kind().exit_code(), ..Answer::default() }
}

impl Invocation {
    /// The one of this process.
    pub(crate) fn of_process() -> Invocation {
        Invocation {
            args: std::env::args_os().collect(),
            env: Environment::new(std::env::vars_os()),
            cwd: std::env::current_dir().ok(),
            stdin: Box::new(io::stdin()),
            can_ask: io::stdin().is_terminal() && io::stderr().is_terminal(),
            executable: std::env::current_exe().ok(),
            stdout: Screen {
                is_terminal: io::stdout().is_terminal(),
                width: terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0.into()),
            },
            stderr: Screen {
                is_terminal: io::stderr().is_terminal(),
                width: terminal_size::terminal_size_of(io::stderr()).map(|(width, _)| width.0.into()),
            },
        }
    }
}

/// Writes the answer and gives the exit code.
fn deliver(answer: &Answer, stdout: &mut dyn Write, stderr: &mut dyn Write) -> u8 {
    let bytes = answer.bytes.as_deref().unwrap_or(answer.stdout.as_bytes());
    // With nothing to say the stream is left alone: a server may still be stuck writing to a client that stopped reading.
    let written = if bytes.is_empty() { Ok(()) } else { stdout.write_all(bytes).and_then(|()| stdout.flush()) };
    // There is no third stream to complain on when this one is gone.
    let _ = stderr.write_all(answer.stderr.as_bytes()).and_then(|()| stderr.flush());
    match written {
        Ok(()) => answer.code,
        // A reader such as `head` that has seen enough is content, and so are we.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => answer.code,
        Err(error) => {
            let error = OpError::failure("the command ran, but its answer could not be written").caused_by(error);
            let plain = Style { has_color: false, width: None, reading: None };
            let _ = stderr.write_all(failure::text(&error, plain).as_bytes());
            answer.codes.of(error.kind())
        }
    }
}

/// The same for an agent that called: it takes every other exit code for a verdict, and a complaint helps nobody there.
fn deliver_to_agent(answer: &Answer, stdout: &mut dyn Write, stderr: &mut dyn Write) -> u8 {
    let _ = stdout.write_all(answer.stdout.as_bytes()).and_then(|()| stdout.flush());
    let _ = stderr.write_all(answer.stderr.as_bytes()).and_then(|()| stderr.flush());
    0
}

/// Where the last panic happened, for the report.
static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);

pub(crate) fn take_last_panic() -> Option<String> {
    LAST_PANIC.lock().ok()?.take()
}

/// Keeps panics off the screen: they come back as errors. With `RUST_BACKTRACE` set they are shown in full as well.
fn remember_panics() {
    let shows_in_full = std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
    let standard = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if let (Some(place), Ok(mut last)) = (panic.location(), LAST_PANIC.lock()) {
            *last = Some(place.to_string());
        }
        if shows_in_full {
            standard(panic);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Broken(io::ErrorKind);

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn answer() -> Answer {
        Answer { stdout: "one\ntwo\n".to_owned(), stderr: "warning: three\n".to_owned(), code: 0, ..Answer::default() }
    }

    #[test]
    fn a_reader_that_left_is_no_error() {
        let mut stderr = Vec::new();
        assert_eq!(deliver(&answer(), &mut Broken(io::ErrorKind::BrokenPipe), &mut stderr), 0);
        assert_eq!(stderr, b"warning: three\n");
    }

    #[test]
    fn an_agent_is_never_told_that_its_answer_could_not_be_written() {
        let mut stderr = Vec::new();
        let failed = Answer { code: 1, ..answer() };
        assert_eq!(deliver_to_agent(&failed, &mut Broken(io::ErrorKind::StorageFull), &mut stderr), 0);
        assert_eq!(stderr, b"warning: three\n");
    }

    #[test]
    fn an_answer_that_cannot_be_written_is_a_failure() {
        let mut stderr = Vec::new();
        assert_eq!(deliver(&answer(), &mut Broken(io::ErrorKind::StorageFull), &mut stderr), 1);
        let told = String::from_utf8(stderr).unwrap();
        assert!(told.contains("error: the command ran, but its answer could not be written: "), "{told}");
    }
}
