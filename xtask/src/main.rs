//! Chores of this repository: `cargo xtask check`, `generate`, `bench`, `likely`, `recall`, `torture`, `clients`.

mod bench;
mod check;
mod clients;
mod generate;
mod likely;
mod recall;
mod rig;
mod torture;

use std::process::ExitCode;

use clap::Parser;

/// Chores of this repository
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Chore {
    /// Everything that must hold before a commit: format, lints, tests, docs, generated files, dependencies
    Check,
    /// Write the contract, the reference of the command line and the man pages
    Generate {
        /// Change nothing; fail if a file is not as it would be written
        #[arg(long)]
        check: bool,
    },
    /// Measure time and memory against an empty program and the bare system calls
    #[command(disable_help_flag = true)]
    Bench {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Measure how many of the next session's files a list of likely files names
    #[command(disable_help_flag = true)]
    Likely {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Measure how many of the records that answer a question search finds
    #[command(disable_help_flag = true)]
    Recall {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Kill, starve and crowd the program at every point where it matters
    #[command(disable_help_flag = true)]
    Torture {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Let clients and agents that others wrote use the server
    #[command(disable_help_flag = true)]
    Clients {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
}

fn main() -> ExitCode {
    match Chore::parse() {
        Chore::Check => check::run(),
        Chore::Generate { check: false } => generate::write(),
        Chore::Generate { check: true } => generate::check(),
        Chore::Bench { args } => bench::run(&args),
        Chore::Likely { args } => likely::run(&args),
        Chore::Recall { args } => recall::run(&args),
        Chore::Torture { args } => torture::run(&args),
        Chore::Clients { args } => clients::run(&args),
    }
}
