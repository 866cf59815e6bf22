//! Commands about this program itself, which need no project and no operation.

pub(crate) mod agent_handover;
pub(crate) mod hook;
pub(crate) mod mcp;
pub(crate) mod setup;
pub(crate) mod watch;

use std::fmt::Write as _;

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;

use crate::command::Catalogue;
use crate::flags::Arguments;

const COMPLETION: &str = "completion";
const PLAIN: &str = "no-descriptions";
/// The commands that are here.
pub(crate) const NAMES: [&str; 3] = [COMPLETION, mcp::NAME, setup::NAME];

/// `handoff completion SHELL`
pub(crate) fn completion_command() -> Command {
    Command::new(COMPLETION)
        .about("Write a completion script for a shell")
        .long_about(
            "Write a completion script for a shell\n\nFor bash: `source <(handoff completion bash)`. For fish: \
             `handoff completion fish > ~/.config/fish/completions/handoff.fish`.",
        )
        .display_order(900)
        .arg(
            Arg::new("shell")
                .required(true)
                .value_name("SHELL")
                .value_parser(value_parser!(Shell))
                .help("Shell to write for"),
        )
        .arg(
            Arg::new(PLAIN)
                .long(PLAIN)
                .action(clap::ArgAction::SetTrue)
                .help("Leave out what commands and flags are for"),
        )
}

/// The completion script, if that was asked for.
pub(crate) fn completion(catalogue: Catalogue, matches: &ArgMatches) -> Option<String> {
    let (COMPLETION, arguments) = matches.subcommand()? else { return None };
    let shell: Shell = *arguments.get_one("shell").expect("clap requires it");
    let mut script = Vec::new();
    let whole = catalogue.whole(Arguments::Required);
    let mut whole = if arguments.get_flag(PLAIN) { undescribed(whole) } else { whole };
    clap_complete::generate(shell, &mut whole, "handoff", &mut script);
    Some(String::from_utf8_lossy(&script).into_owned())
}

/// A command without the words that say what it and its flags are for.
fn undescribed(command: Command) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    let command = command.about(None::<&'static str>).mut_args(|argument| argument.help(None::<&'static str>));
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, undescribed))
}

/// What `handoff` alone says: enough to start.
pub(crate) fn overview(catalogue: Catalogue) -> String {
    let width = catalogue.first_steps.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    let mut text = "handoff carries what matters from one AI coding session to the next\n\nFirst steps:\n".to_owned();
    for (command, purpose) in catalogue.first_steps {
        writeln!(text, "  {command:width$}  {purpose}").expect("writing to a string cannot fail");
    }
    text.push_str("\nAll commands: `handoff help`; one of them: `handoff help COMMAND`\n");
    text
}
