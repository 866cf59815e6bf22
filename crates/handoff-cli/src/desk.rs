//! What a person at this process can be asked for: standard input, an editor, a choice on the terminal.

use std::fs::OpenOptions;
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use handoff_ops::{Desk, Environment, OpError};

#[cfg(unix)]
mod picker;

/// The desk of this process.
pub(crate) fn desk(stdin: Box<dyn Read + Send>, can_ask: bool, env: &Environment) -> Desk {
    let program = ["VISUAL", "EDITOR"].iter().find_map(|name| env.text(name)).map(str::to_owned);
    let program = program.or_else(|| can_ask.then(|| "vi".to_owned()));
    let temporary = ["TMPDIR", "TEMP", "TMP"].iter().find_map(|name| env.path(name));
    let temporary = temporary.unwrap_or_else(std::env::temp_dir);
    Desk {
        input: Some(Box::new(Announced { stdin, is_told: !can_ask })),
        editor: program
            .map(|program| -> handoff_ops::Editor { Box::new(move |text| edit(&program, &temporary, text)) }),
        #[cfg(unix)]
        picker: can_ask.then(|| -> handoff_ops::Picker { Box::new(picker::pick) }),
        #[cfg(not(unix))]
        picker: None,
        ask_secret: can_ask.then(|| -> handoff_ops::AskSecret { Box::new(crate::secret_prompt::ask) }),
        confirm: can_ask.then(|| -> handoff_ops::Confirm { Box::new(confirm) }),
    }
}

/// Asks on the terminal. Only a plain yes is one.
fn confirm(question: &str) -> io::Result<bool> {
    write!(io::stderr(), "{question} [y/N] ")?;
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(["y", "yes"].contains(&line.trim().to_lowercase().as_str()))
}

/// Standard input that says so before it waits for a person.
struct Announced {
    stdin: Box<dyn Read + Send>,
    is_told: bool,
}

impl Read for Announced {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.is_told {
            self.is_told = true;
            let _ = writeln!(io::stderr(), "reading from the terminal; end with Ctrl-D on a line of its own");
        }
        self.stdin.read(buffer)
    }
}

/// More than anybody types.
const MOST: u64 = 4 * 1024 * 1024;

/// Opens an editor on a text, and reads what became of it.
fn edit(program: &str, directory: &Path, text: &str) -> Result<String, OpError> {
    let failed = |what: &str| format!("{what}, so nothing was saved");
    let (path, mut file) = new_file(directory)
        .map_err(|error| OpError::failure(failed("no temporary file can be made")).caused_by(error))?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.flush());
    drop(file);
    let outcome = written
        .map_err(|error| OpError::failure(failed("the temporary file cannot be written")).caused_by(error))
        .and_then(|()| run(program, &path))
        .and_then(|()| {
            let mut edited = String::new();
            let read = OpenOptions::new().read(true).open(&path);
            read.and_then(|file| file.take(MOST).read_to_string(&mut edited))
                .map_err(|error| OpError::failure(failed("what was edited cannot be read")).caused_by(error))?;
            Ok(edited)
        });
    #[expect(clippy::disallowed_methods, reason = "this file is ours, and no record")]
    let _ = std::fs::remove_file(&path);
    outcome
}

fn run(program: &str, path: &Path) -> Result<(), OpError> {
    // The variable may hold arguments, as in `code --wait`.
    let mut command = if cfg!(windows) {
        let mut words = program.split_whitespace();
        let mut command = Command::new(words.next().unwrap_or(program));
        command.args(words);
        command
    } else {
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("{program} \"$@\"")).arg(program);
        command
    };
    let status = command.arg(path).status();
    let status = status
        .map_err(|error| OpError::failure(format!("the editor `{program}` cannot be started")).caused_by(error))?;
    if status.success() {
        return Ok(());
    }
    Err(OpError::failure(format!("the editor `{program}` ended with {status}, so nothing was saved")))
}

/// A new file that only its owner may read.
fn new_file(directory: &Path) -> io::Result<(PathBuf, std::fs::File)> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let mut attempt = 0;
    loop {
        let path = directory.join(format!("handoff-{}-{attempt}.md", std::process::id()));
        match options.open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 100 => attempt += 1,
            opened => return Ok((path, opened?)),
        }
    }
}
