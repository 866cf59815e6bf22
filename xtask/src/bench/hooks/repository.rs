//! A git repository of ordinary size.

use std::fmt::Write as _;
use std::fs::File;
use std::path::Path;

use crate::rig::{Rng, Sandbox, finish};

const FILES: usize = 1_500;
const COMMITS: usize = 400;

/// Makes the project a work tree with a history, and the files that recorded agents worked on in it.
pub(super) fn make(sandbox: &Sandbox) -> Result<(), String> {
    let history = sandbox.root().join("history");
    std::fs::write(&history, stream()).map_err(|error| error.to_string())?;
    git(sandbox, &["init", "-q", "-b", "main"], None)?;
    git(sandbox, &["fast-import", "--quiet"], Some(&history))?;
    git(sandbox, &["reset", "-q", "--hard", "main"], None)?;
    // Something is always under way.
    for number in 0..5 {
        std::fs::write(sandbox.project().join(name(number * 31)), "// changed\n").map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn git(sandbox: &Sandbox, args: &[&str], input: Option<&Path>) -> Result<(), String> {
    let mut command = sandbox.command(Path::new("git"));
    command.args(args);
    if let Some(input) = input {
        command.stdin(File::open(input).map_err(|error| error.to_string())?);
    }
    let done = finish(command).map_err(|error| format!("cannot start git: {error}"))?;
    if done.succeeded() { Ok(()) } else { Err(format!("`git {}` fails with {}", args.join(" "), done.brief())) }
}

fn name(number: usize) -> String {
    format!("src/area-{}/part-{}/file-{number}.rs", number % 12, number % 60)
}

/// The first commit makes all files, each of the others changes a few.
fn stream() -> String {
    let mut random = Rng::new(7);
    let mut stream = String::new();
    for commit in 0..COMMITS {
        let message = format!("Change {commit}");
        let _ = write!(
            stream,
            "commit refs/heads/main\ncommitter A <a@example.com> {} +0000\ndata {}\n{message}\n",
            1_790_000_000 + commit * 3_600,
            message.len(),
        );
        let files: Vec<usize> =
            if commit == 0 { (0..FILES).collect() } else { (0..4).map(|_| random.below(FILES)).collect() };
        let recorded = ["src/token.txt", "src/clock.txt", "login.py"].map(str::to_owned);
        let recorded = recorded.into_iter().filter(|_| commit == 0);
        for file in files.into_iter().map(name).chain(recorded) {
            let text = format!("// {file} as of {commit}\n").repeat(40);
            let _ = write!(stream, "M 100644 inline {file}\ndata {}\n{text}\n", text.len());
        }
    }
    stream
}
