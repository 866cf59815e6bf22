//! Flags that every command takes, and a first look at the arguments before clap sees them.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueEnum, value_parser};
use handoff_ops::{Entry, OpError};

/// When to use colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWish {
    #[default]
    Auto,
    Always,
    Never,
}

const HEADING: &str = "Global options";
/// Below the flags of the command itself.
const ORDER: usize = 900;

/// Adds the flags that every command takes.
pub(crate) fn with_global(command: Command) -> Command {
    let flag = |name: &'static str, index: usize| {
        Arg::new(name).long(name).global(true).help_heading(HEADING).display_order(ORDER + index)
    };
    command.args([
        flag("json", 0).action(ArgAction::SetTrue).help("Answer in JSON"),
        flag("request", 1)
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help("Read the request as JSON from a file, or from standard input with `-`, in place of arguments"),
        flag("project-dir", 2)
            .value_name("DIR")
            .value_parser(value_parser!(PathBuf))
            .help("Work in the project of this directory"),
        flag("color", 3)
            .value_name("WHEN")
            .value_parser(value_parser!(ColorWish))
            .help("Use colour: on a terminal, always or never"),
        flag("as", 4)
            .value_name("NAME")
            .value_parser(NonEmptyStringValueParser::new())
            .help("Who is acting, as written into history and notes"),
        flag("set", 5)
            .value_name("KEY=VALUE")
            .action(ArgAction::Append)
            .value_parser(setting)
            .help("Use another value of a setting for this command; may be given several times"),
    ])
}

/// A setting for one command, such as `settings.done_task_limit=3`.
fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("write it as KEY=VALUE, such as settings.done_task_limit=3".to_owned()),
    }
}

/// The values of those flags.
#[derive(Debug, Default)]
pub(crate) struct Global {
    pub(crate) json: bool,
    pub(crate) csv: bool,
    pub(crate) color: ColorWish,
    pub(crate) request: Option<PathBuf>,
    pub(crate) project_dir: Option<PathBuf>,
    pub(crate) actor: Option<String>,
    pub(crate) settings: Vec<(String, String)>,
}

impl Global {
    pub(crate) fn of(matches: &ArgMatches) -> Global {
        Global {
            json: matches.get_flag("json"),
            csv: matches.try_get_one("csv").ok().flatten().copied().unwrap_or(false),
            color: matches.get_one("color").copied().unwrap_or_default(),
            request: matches.get_one("request").cloned(),
            project_dir: matches.get_one("project-dir").cloned(),
            actor: matches.get_one("as").cloned(),
            settings: matches.get_many("set").into_iter().flatten().cloned().collect(),
        }
    }
}

/// Whether an operation insists on its own arguments, which a request file can stand in for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arguments {
    Required,
    Optional,
}

/// The flag of a command whose answer has rows for a spreadsheet.
fn csv() -> Arg {
    Arg::new("csv")
        .long("csv")
        .action(ArgAction::SetTrue)
        .conflicts_with("json")
        .help("Answer with comma-separated rows for a spreadsheet")
        .help_heading(HEADING)
        .display_order(ORDER)
}

/// The command of one operation.
pub(crate) fn operation_command(entry: &Entry, arguments: Arguments) -> Command {
    let command = if entry.has_sheet { entry.command().arg(csv()) } else { entry.command() };
    match arguments {
        Arguments::Required => command,
        Arguments::Optional => {
            let command = command.mut_args(|argument| argument.required(false));
            let groups: Vec<_> = command.get_groups().map(|group| group.get_id().clone()).collect();
            groups.into_iter().fold(command, |command, id| command.mut_group(id, |group| group.required(false)))
        }
    }
}

/// Refuses arguments of the operation beside a request file, which says it all.
pub(crate) fn refuse_beside_request(entry: &Entry, arguments: &ArgMatches) -> Result<(), OpError> {
    let mut command = entry.command();
    // Only a command that is built can name its arguments.
    command.build();
    let given = command.get_arguments().find(|argument| {
        arguments.value_source(argument.get_id().as_str()) == Some(clap::parser::ValueSource::CommandLine)
    });
    match given {
        None => Ok(()),
        Some(argument) => {
            Err(OpError::usage(format!("`--request` says it all, so `{argument}` cannot be given beside it")))
        }
    }
}

/// The arguments with `-word` as `--not=word`, where the command leaves out words in that way: clap would take it for a
/// row of short flags. Values of options, and what stands after `--`, stay as they are.
pub(crate) fn with_words_left_out(entry: Option<&Entry>, args: &[OsString]) -> Vec<OsString> {
    let word = |argument: &OsString| {
        let word = argument.to_str()?.strip_prefix('-')?;
        (word.starts_with(char::is_alphabetic) && word.chars().nth(1).is_some()).then(|| word.to_owned())
    };
    let Some(entry) = entry.filter(|_| args.iter().any(|argument| word(argument).is_some())) else {
        return args.to_vec();
    };
    let command = with_global(entry.command());
    if !command.get_arguments().any(|argument| argument.get_long() == Some("not")) {
        return args.to_vec();
    }
    let takes_value = |name: &str| {
        let mut options = command.get_arguments().filter(|option| option.get_action().takes_values());
        options.any(|option| option.get_long_and_visible_aliases().is_some_and(|names| names.contains(&name)))
    };
    // `-n3` is a flag with its value.
    let is_flag = |word: &str| {
        let mut letters = word.chars();
        let short = letters.next();
        let is_number = letters.as_str().chars().all(|letter| letter.is_ascii_digit());
        is_number && command.get_arguments().any(|option| option.get_short() == short)
    };
    let word = |argument: &OsString| word(argument).filter(|word| !is_flag(word));
    let mut rewritten = Vec::with_capacity(args.len());
    let mut rest = args.iter();
    while let Some(argument) = rest.next() {
        if argument == "--" {
            rewritten.push(argument.clone());
            break;
        }
        match (word(argument), argument.to_str().and_then(|text| text.strip_prefix("--"))) {
            (Some(word), _) => rewritten.push(format!("--not={word}").into()),
            (None, option) => {
                rewritten.push(argument.clone());
                rewritten.extend(option.filter(|name| takes_value(name)).and_then(|_| rest.next()).cloned());
            }
        }
    }
    rewritten.extend(rest.cloned());
    rewritten
}

/// What can be told from the arguments without knowing the command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Glimpse<'a> {
    /// The first words that are not flags: a noun and a verb, or a command.
    pub(crate) words: Vec<&'a str>,
    pub(crate) json: bool,
    pub(crate) request: bool,
    pub(crate) color: ColorWish,
}

impl Glimpse<'_> {
    pub(crate) fn arguments(&self) -> Arguments {
        if self.request { Arguments::Optional } else { Arguments::Required }
    }

    /// Looks over the arguments after the program's name.
    ///
    /// A value that happens to read like one of our flags can mislead it. That costs a second parse or changes how wrong
    /// usage is reported, and nothing else.
    pub(crate) fn of(args: &[OsString]) -> Glimpse<'_> {
        let mut glimpse = Glimpse::default();
        let mut only_known_flags = true;
        let mut rest = args.iter();
        while let Some(argument) = rest.next() {
            let Some(text) = argument.to_str() else {
                only_known_flags = false;
                continue;
            };
            let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
            match name {
                "--" => break,
                "--json" => glimpse.json = true,
                "--csv" => {}
                "--request" | "--project-dir" | "--as" | "--color" | "--set" => {
                    let value = value.or_else(|| rest.next().and_then(|next| next.to_str()));
                    glimpse.request |= name == "--request";
                    if name == "--color"
                        && let Some(wish) = value.and_then(|value| ColorWish::from_str(value, false).ok())
                    {
                        glimpse.color = wish;
                    }
                }
                _ if text.starts_with('-') => only_known_flags = false,
                _ if only_known_flags => glimpse.words.push(text),
                _ => {}
            }
        }
        glimpse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> (Vec<String>, bool, bool, ColorWish) {
        let args: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let glimpse = Glimpse::of(&args);
        let words = glimpse.words.iter().map(ToString::to_string).collect();
        (words, glimpse.json, glimpse.request, glimpse.color)
    }

    #[test]
    fn the_command_is_seen_behind_flags() {
        let seen = words("--json --project-dir /x plant --color=never water fern");
        assert_eq!(seen, (vec!["plant".into(), "water".into(), "fern".into()], true, false, ColorWish::Never));
    }

    #[test]
    fn an_unknown_flag_before_the_command_hides_it() {
        assert_eq!(words("--loud plant water").0, Vec::<String>::new());
        assert_eq!(words("plant water --litres 2 x").0, ["plant", "water"]);
    }

    #[test]
    fn flags_are_seen_after_the_command_too() {
        let (_, json, request, color) = words("plant water fern --request=- --json --color always");
        assert!(json && request && color == ColorWish::Always);
        let (_, json, request, _) = words("plant water -- --json --request");
        assert!(!json && !request);
    }
}
