//! The tree of commands, made from the registry.

use clap::{ArgMatches, Command};
use handoff_ops::{Door, Entry, registry};

use crate::flags::{self, Arguments, Glimpse};
use crate::local;

/// What the command line offers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Catalogue {
    pub(crate) entries: &'static [Entry],
    pub(crate) nouns: &'static [(&'static str, &'static str)],
    /// The operation that a noun alone asks for
    pub(crate) defaults: &'static [(&'static str, &'static str)],
    pub(crate) first_steps: &'static [(&'static str, &'static str)],
}

impl Catalogue {
    pub(crate) fn product() -> Catalogue {
        Catalogue {
            entries: registry::ALL,
            nouns: registry::NOUNS,
            defaults: registry::DEFAULTS,
            first_steps: registry::FIRST_STEPS,
        }
    }

    /// The operations a command can ask for.
    pub(crate) fn offered(self) -> impl Iterator<Item = &'static Entry> {
        self.entries.iter().filter(|entry| entry.offered_at(Door::Cli))
    }

    /// Every command, as help, completions and suggestions need it.
    pub(crate) fn whole(self, arguments: Arguments) -> Command {
        let mut root =
            root().subcommands([local::completion_command(), local::mcp::command(), local::setup::command()]);
        for noun in self.groups() {
            root = match noun {
                Some(noun) => root.subcommand(self.whole_group(noun, arguments)),
                None => {
                    let members = self.offered().filter(|entry| entry.noun().is_none());
                    root.subcommands(members.map(|entry| flags::operation_command(entry, arguments)))
                }
            };
        }
        root
    }

    /// Only the command that was asked for, when that can be told from the first words.
    ///
    /// Building all commands takes longer than running most of them.
    pub(crate) fn narrowed(self, glimpse: &Glimpse<'_>) -> Option<Command> {
        if glimpse.words.first() == Some(&local::mcp::NAME) {
            return Some(root().subcommand(local::mcp::command()));
        }
        if let Some(command) = local::hook::named(&glimpse.words).and_then(local::hook::narrowed) {
            return Some(root().subcommand(Command::new(local::hook::NAME).subcommand(command)));
        }
        if glimpse.words.first() == Some(&local::setup::NAME) {
            return Some(root().subcommand(local::setup::command()));
        }
        let entry = self.asked_for(glimpse)?;
        if let Some(noun) = entry.noun().filter(|_| glimpse.words.get(1) != Some(&entry.verb())) {
            return Some(root().subcommand(self.whole_group(noun, glimpse.arguments())));
        }
        let command = flags::operation_command(entry, glimpse.arguments());
        Some(match entry.noun() {
            Some(noun) => root().subcommand(self.group(noun, glimpse.arguments()).subcommand(command)),
            None => root().subcommand(command),
        })
    }

    pub(crate) fn asked_for(self, glimpse: &Glimpse<'_>) -> Option<&'static Entry> {
        let (first, second) = (glimpse.words.first()?, glimpse.words.get(1));
        let named = self.offered().find(|entry| match entry.noun() {
            Some(noun) => {
                noun == *first && second.is_some_and(|second| entry.verb() == *second || entry.aliases.contains(second))
            }
            None => entry.verb() == *first || entry.aliases.contains(first),
        });
        // Behind a noun that does something alone may stand an argument of that.
        named.or_else(|| self.default_of(first).filter(|_| second != Some(&"help")))
    }

    /// What a noun alone asks for.
    fn default_of(self, noun: &str) -> Option<&'static Entry> {
        let (_, name) = self.defaults.iter().find(|(named, _)| *named == noun)?;
        self.offered().find(|entry| entry.name == *name)
    }

    /// The operation that was asked for, and its own arguments.
    pub(crate) fn chosen(self, matches: &ArgMatches) -> Option<(&'static Entry, &ArgMatches)> {
        let (first, inner) = matches.subcommand()?;
        let find = |noun, verb| self.offered().find(|entry| entry.noun() == noun && entry.verb() == verb);
        if let Some(entry) = find(None, first) {
            return Some((entry, inner));
        }
        match inner.subcommand() {
            Some((verb, arguments)) => Some((find(Some(first), verb)?, arguments)),
            None => Some((self.default_of(first)?, inner)),
        }
    }

    /// Nouns in the order their first operation stands in the registry, top-level commands as a group of their own.
    fn groups(self) -> Vec<Option<&'static str>> {
        let mut groups = Vec::new();
        for entry in self.offered() {
            if !groups.contains(&entry.noun()) {
                groups.push(entry.noun());
            }
        }
        groups
    }

    /// A group with all its members.
    fn whole_group(self, noun: &'static str, arguments: Arguments) -> Command {
        let members = self.offered().filter(|entry| entry.noun() == Some(noun));
        members.fold(self.group(noun, arguments), |group, entry| {
            group.subcommand(flags::operation_command(entry, arguments))
        })
    }

    fn group(self, noun: &'static str, arguments: Arguments) -> Command {
        let about = self.nouns.iter().find(|(name, _)| *name == noun).map_or("", |(_, about)| about);
        let group = match self.default_of(noun) {
            Some(entry) => flags::operation_command(entry, arguments)
                .name(noun)
                .about(about)
                .long_about(format!("{about}\n\nAlone it does what `{noun} {}` does.", entry.verb()))
                .args_conflicts_with_subcommands(true)
                .subcommand_negates_reqs(true),
            None => Command::new(noun).about(about).subcommand_required(true).arg_required_else_help(true),
        };
        // Agents call the program itself there; people ask for operations.
        if noun == local::hook::NAME { group.subcommands(local::hook::commands()) } else { group }
    }
}

fn root() -> Command {
    flags::with_global(
        Command::new("handoff")
            .version(env!("CARGO_PKG_VERSION"))
            .about("Memory that carries over from one AI coding session to the next")
            .after_long_help(AFTER_HELP),
    )
}

const AFTER_HELP: &str = "\
Exit codes: 0 success, 1 failure, 2 wrong usage, 3 not found, 4 refused by a rule, conflict or ambiguity, \
5 paused, 6 damaged data

Environment: HANDOFF_PROJECT_DIR names the project, HANDOFF_ACTOR who is acting, NO_COLOR and CLICOLOR_FORCE \
whether to use colour";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn the_whole_tree_is_sound() {
        sample::CATALOGUE.whole(Arguments::Required).debug_assert();
        Catalogue::product().whole(Arguments::Required).debug_assert();
    }

    #[test]
    fn every_operation_can_be_reached_through_a_narrowed_tree() {
        for catalogue in [sample::CATALOGUE, Catalogue::product()] {
            for entry in catalogue.offered() {
                let words: Vec<&str> = entry.name.split('.').collect();
                let glimpse = Glimpse { words, ..Glimpse::default() };
                let narrowed = catalogue.narrowed(&glimpse).unwrap();
                narrowed.clone().debug_assert();
                let mut help = vec!["handoff"];
                help.extend(&glimpse.words);
                help.push("--help");
                let narrow = narrowed.try_get_matches_from(&help).unwrap_err().to_string();
                let whole = catalogue.whole(Arguments::Required).try_get_matches_from(&help).unwrap_err().to_string();
                assert_eq!(narrow, whole, "{}", entry.name);
            }
        }
    }

    #[test]
    fn a_word_that_is_no_command_needs_the_whole_tree() {
        for words in [vec![], vec!["plnat", "water"], vec!["plant"], vec!["plant", "wtaer"], vec!["help", "plant"]] {
            let glimpse = Glimpse { words, ..Glimpse::default() };
            assert!(sample::CATALOGUE.narrowed(&glimpse).is_none(), "{:?}", glimpse.words);
        }
    }

    #[test]
    fn what_the_command_line_does_not_offer_is_no_command() {
        let help = sample::CATALOGUE.whole(Arguments::Required).render_long_help().to_string();
        assert!(help.contains("  plant ") && !help.contains("whisper"), "{help}");
    }

    #[test]
    fn the_first_steps_are_commands_that_exist() {
        for catalogue in [sample::CATALOGUE, Catalogue::product()] {
            for (line, _) in catalogue.first_steps {
                // Every second piece stands between quotes.
                let pieces = line.split('"').enumerate();
                let words = pieces.flat_map(|(index, piece)| match index % 2 {
                    0 => piece.split_whitespace().collect(),
                    _ => vec![piece],
                });
                if let Err(error) = catalogue.whole(Arguments::Required).try_get_matches_from(words) {
                    panic!("{line}: {error}");
                }
            }
        }
    }
}
