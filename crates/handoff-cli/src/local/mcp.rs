//! `handoff mcp`, and the program `handoff-mcp`.

use std::ffi::OsString;
use std::path::Path;

use clap::{Arg, ArgMatches, Command};
use handoff_mcp::{Settings, ToolSets};
use handoff_ops::OpError;

use crate::flags::{self, Global};
use crate::run::Invocation;

pub(crate) const NAME: &str = "mcp";
/// The name under which the program is a server and nothing else.
pub(crate) const PROGRAM: &str = "handoff-mcp";
const TOOLS: &str = "tools";

const ABOUT: &str = "Serve an AI agent over MCP on standard input and output";

/// `handoff mcp`
pub(crate) fn command() -> Command {
    with_arguments(Command::new(NAME)).display_order(890)
}

/// `handoff-mcp`
pub(crate) fn program() -> Command {
    flags::with_global(with_arguments(Command::new(PROGRAM)).version(env!("CARGO_PKG_VERSION")))
}

fn with_arguments(command: Command) -> Command {
    let sets: Vec<&str> = ToolSets::names().collect();
    command
        .about(ABOUT)
        .long_about(format!(
            "{ABOUT}\n\nHosts such as Claude Code, Codex, Cursor and VS Code start it themselves: name `handoff mcp` (or \
             `handoff-mcp`) as the command of the server. It ends when the host closes its input, or on a signal.\n\n\
             HANDOFF_TOOLS names the sets of tools where --tools does not; HANDOFF_MCP_TIMEOUT_SECONDS says how long one \
             call may take."
        ))
        .arg(Arg::new(TOOLS).long(TOOLS).value_name("SETS").help(format!(
            "Sets of tools to list, separated by commas: {}; what is not listed can still be called [default: core]",
            sets.join(", ")
        )))
}

/// Whether the program was started under its second name.
pub(crate) fn is_program(args: &[OsString]) -> bool {
    let name = args.first().and_then(|program| Path::new(program).file_stem());
    name.is_some_and(|name| name == PROGRAM)
}

/// The server that was asked for, if one was.
pub(crate) fn asked_for(matches: &ArgMatches) -> Option<&ArgMatches> {
    match matches.subcommand()? {
        (NAME, arguments) => Some(arguments),
        _ => None,
    }
}

/// What the server is started with.
pub(crate) fn settings(arguments: &ArgMatches, invocation: &Invocation) -> Result<Settings, OpError> {
    let tools = arguments.get_one::<String>(TOOLS).map(String::as_str);
    let global = Global::of(arguments);
    let settings = Settings::new(invocation.cwd.clone(), invocation.env.clone(), tools)?;
    let executable = invocation.executable.clone();
    Ok(Settings {
        executable,
        project_dir: global.project_dir,
        actor: global.actor,
        settings: global.settings,
        ..settings
    })
}
