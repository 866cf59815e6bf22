//! The program `agent-handover`: that tool's commands, done by this one.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::Command;
use handoff_ops::run::AGENT_HANDOVER;
use handoff_ops::{Entry, Request};

use crate::command::Catalogue;
use crate::flags::{ColorWish, Global};
use crate::run::{Answer, Invocation, Teller, WIDEST_HELP, carry_out};
use crate::usage;

/// The name under which the program answers to these commands.
pub(crate) const PROGRAM: &str = "agent-handover";

/// `agent-handover`
pub(crate) fn program() -> Command {
    Command::new(PROGRAM)
        .version(env!("CARGO_PKG_VERSION"))
        .about("Hand over from one AI coding session to the next, by the configuration of agent-handover")
        .long_about(
            "Hand over from one AI coding session to the next, by the configuration of agent-handover\n\nThis is handoff \
             under the name of that tool: its commands, its TOML keys and its checkpoint, with a run that is finished when \
             it was cut short. `handoff` has everything else.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(AGENT_HANDOVER.iter().map(Entry::command))
}

/// Whether the program was started under this name.
pub(crate) fn is_program(args: &[OsString]) -> bool {
    args.first().is_some_and(|program| is_name(program))
}

pub(crate) fn is_name(program: &OsStr) -> bool {
    Path::new(program).file_stem().is_some_and(|name| name == PROGRAM)
}

/// Does what is asked for under this name.
pub(crate) fn run(args: &[OsString], invocation: Invocation) -> Answer {
    let width = invocation.stdout.text_width(&invocation.env).min(WIDEST_HELP);
    let find = |word: &OsStr| AGENT_HANDOVER.iter().find(|entry| word == entry.verb());
    let meant = args.get(1).and_then(|word| find(word));
    let teller = Teller::new(&invocation, false, ColorWish::Auto);
    let teller = teller.with(meant.map(|entry| entry.codes).unwrap_or_default());
    let matches = match program().term_width(width).try_get_matches_from(args) {
        Ok(matches) => matches,
        Err(error) => {
            let commands = Catalogue { entries: AGENT_HANDOVER, nouns: &[], defaults: &[], first_steps: &[] };
            let words: Vec<&str> = meant.iter().map(|entry| entry.verb()).collect();
            let has_color = error.use_stderr() && teller.error_has_color();
            return teller.complain(usage::complaint(&error, commands, PROGRAM, &words, has_color));
        }
    };
    let (name, arguments) = matches.subcommand().expect("clap requires a command");
    let entry = find(OsStr::new(name)).expect("clap knows no other command");
    match carry_out(entry, Request::Cli(arguments), Global::default(), invocation) {
        Ok(reply) => teller.reply(&reply),
        Err(error) => teller.fail(&error),
    }
}
