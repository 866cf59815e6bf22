//! Flags of the command line that describe the decision before them: `--decision TEXT --reason TEXT`.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, error::ErrorKind, value_parser};
use handoff_model::change::Change;
use handoff_model::session::{Confidence, DecisionInput};
use handoff_model::text::{OneLine, Prose};

const DECISION: &str = "add_decisions";
const REASON: &str = "reason";
const CONFIDENCE: &str = "confidence";
const GOVERNS: &str = "governs";
const SUPERSEDES: &str = "supersedes";

/// Decisions as they are typed, each with the flags that follow it.
#[derive(Debug, Default)]
pub(crate) struct DecisionFlags(pub(crate) Vec<DecisionInput>);

impl Args for DecisionFlags {
    fn augment_args(command: Command) -> Command {
        let flag = |id: &'static str, long: &'static str| Arg::new(id).long(long).action(ArgAction::Append);
        command
            .arg(
                flag(DECISION, "decision")
                    .value_name("TEXT")
                    .allow_hyphen_values(true)
                    .value_parser(value_parser!(DecisionInput))
                    .help("A decision to add; may be given several times"),
            )
            .arg(
                flag(REASON, "reason")
                    .value_name("TEXT")
                    .allow_hyphen_values(true)
                    .requires(DECISION)
                    .value_parser(value_parser!(Prose))
                    .help("Reason for the decision before it"),
            )
            .arg(
                flag(CONFIDENCE, "confidence")
                    .value_name("WORD")
                    .requires(DECISION)
                    .value_parser(value_parser!(Confidence))
                    .help("Confidence in the decision before it: confirmed, estimated or unverified"),
            )
            .arg(
                flag(GOVERNS, "governs")
                    .value_name("PATH")
                    .requires(DECISION)
                    .value_parser(value_parser!(OneLine))
                    .help("A path that the decision before it governs; may be given several times"),
            )
            .arg(
                flag(SUPERSEDES, "supersedes")
                    .value_name("DECISION")
                    .requires(DECISION)
                    .value_parser(value_parser!(OneLine))
                    .help("The decision that the one before it replaces, such as `a3f#d1`"),
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for DecisionFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut decisions: Vec<(usize, DecisionInput)> = indexed(matches, DECISION);
        let mut describe = |flag: &str, place: usize, set: &dyn Fn(&mut DecisionInput) -> bool| {
            let before = decisions.iter_mut().rev().find(|(decision, _)| *decision < place);
            let Some((_, decision)) = before else {
                return Err(wrong(&format!("`--{flag}` follows the `--decision` that it is about")));
            };
            let is_first = set(decision);
            if is_first { Ok(()) } else { Err(wrong(&format!("`--{flag}` is given twice for one decision"))) }
        };
        for (place, reason) in indexed::<Prose>(matches, REASON) {
            describe(REASON, place, &|decision| {
                let is_first = decision.reason == Change::Keep;
                decision.reason = Change::Set(reason.clone());
                is_first
            })?;
        }
        for (place, confidence) in indexed::<Confidence>(matches, CONFIDENCE) {
            describe(CONFIDENCE, place, &|decision| decision.confidence.replace(confidence).is_none())?;
        }
        for (place, path) in indexed::<OneLine>(matches, GOVERNS) {
            describe(GOVERNS, place, &|decision| {
                match &mut decision.paths {
                    Change::Set(paths) => paths.push(path.clone()),
                    paths => *paths = Change::Set(vec![path.clone()]),
                }
                true
            })?;
        }
        for (place, replaced) in indexed::<OneLine>(matches, SUPERSEDES) {
            describe(SUPERSEDES, place, &|decision| {
                let is_first = decision.supersedes == Change::Keep;
                decision.supersedes = Change::Set(replaced.clone());
                is_first
            })?;
        }
        Ok(DecisionFlags(decisions.into_iter().map(|(_, decision)| decision).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The values of a flag with their places on the command line.
fn indexed<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, id: &str) -> Vec<(usize, T)> {
    let places = matches.indices_of(id).into_iter().flatten();
    let values = matches.get_many::<T>(id).into_iter().flatten().cloned();
    places.zip(values).collect()
}

fn wrong(words: &str) -> Error {
    Error::raw(ErrorKind::ValueValidation, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Vec<DecisionInput>, String> {
        let command = DecisionFlags::augment_args(Command::new("save").no_binary_name(true));
        let matches = command.try_get_matches_from(words).map_err(|error| error.to_string())?;
        DecisionFlags::from_arg_matches(&matches).map(|flags| flags.0).map_err(|error| error.to_string())
    }

    #[test]
    fn a_reason_belongs_to_the_decision_before_it() {
        let decisions = parse(&[
            "--decision",
            "JWT",
            "--reason",
            "stateless",
            "--decision",
            "Rust",
            "--decision",
            "Postgres",
            "--reason",
            "known",
            "--confidence",
            "confirmed",
            "--governs",
            "src/db/",
        ])
        .unwrap();
        let reasons: Vec<_> = decisions.iter().map(|decision| decision.reason.clone()).collect();
        let reason = |text: &str| Change::Set(text.parse::<Prose>().unwrap());
        assert_eq!(reasons, [reason("stateless"), Change::Keep, reason("known")]);
        assert_eq!(decisions[2].confidence, Some(Confidence::Confirmed));
        assert_eq!(decisions[2].paths, Change::Set(vec!["src/db/".parse().unwrap()]));
    }

    #[test]
    fn a_reason_without_a_decision_is_refused() {
        assert!(parse(&["--reason", "stateless"]).is_err());
        assert!(parse(&["--reason", "stateless", "--decision", "JWT"]).unwrap_err().contains("follows"));
        let twice = parse(&["--decision", "JWT", "--reason", "one", "--reason", "two"]).unwrap_err();
        assert!(twice.contains("given twice"), "{twice}");
    }
}
