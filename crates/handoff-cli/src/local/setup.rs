//! `handoff setup`: wires handoff into coding agents on this machine.

use std::io::{self, Read, Write as _};
use std::path::PathBuf;

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use handoff_ops::setup::{Action, Detected, Host, Scope, Setup, SetupOutcome, SetupRequest, Wish};
use handoff_ops::{Breaks, Hint, OpError, Place, Reply, visible};

use crate::flags::Global;
use crate::request_file;
use crate::run::Invocation;

pub(crate) const NAME: &str = "setup";

/// `handoff setup`
pub(crate) fn command() -> Command {
    SetupRequest::augment_args(Command::new(NAME)).display_order(880)
}

/// The arguments, if that was asked for.
pub(crate) fn asked_for(matches: &ArgMatches) -> Option<&ArgMatches> {
    match matches.subcommand()? {
        (NAME, arguments) => Some(arguments),
        _ => None,
    }
}

/// What came of it: an answer, errors about single agents, and an exit code that says what a check found.
pub(crate) type Done = (Reply, Vec<OpError>, u8);

/// Does what was asked for.
pub(crate) fn run(arguments: &ArgMatches, global: Global, mut invocation: Invocation) -> Result<Done, OpError> {
    let cwd = invocation.cwd.take().or_else(|| global.project_dir.clone().filter(|dir| dir.is_absolute()));
    let cwd = cwd.ok_or_else(|| OpError::failure("the working directory does not exist any more"))?;
    let request = request(arguments, global.request.as_ref(), &cwd, &mut invocation.stdin)?;
    let place = Place { project_dir: global.project_dir, cwd, env: invocation.env, settings: global.settings };
    let setup = Setup::new(place, invocation.executable)?;
    let can_ask = invocation.can_ask && !global.json && !request.yes;
    let mut person = Person { can_be_asked: can_ask, stdin: invocation.stdin };
    let outcome = perform(&setup, &request, &mut person)?;
    let (errors, code) = (outcome.errors(), outcome.exit_code());
    Ok((outcome.reply(), errors, code))
}

fn request(
    arguments: &ArgMatches,
    file: Option<&PathBuf>,
    cwd: &std::path::Path,
    stdin: &mut dyn Read,
) -> Result<SetupRequest, OpError> {
    match file {
        None => SetupRequest::from_arg_matches(arguments).map_err(|error| OpError::usage(error.to_string())),
        Some(path) => {
            let request = request_file::read(path, cwd, stdin)?;
            SetupRequest::read(request)
        }
    }
}

fn perform(setup: &Setup, request: &SetupRequest, person: &mut Person) -> Result<SetupOutcome, OpError> {
    let scope = request.scope();
    setup.check_scope(scope)?;
    let named = request.named()?;
    if request.check {
        let agents = if named.is_empty() { there(setup, scope) } else { named };
        return Ok(setup.check(&agents, scope));
    }
    let agents = if named.is_empty() { choose(setup, request, person)? } else { named };
    let mut wish = Wish { scope, replaces: request.replace, forces: request.force };
    if request.dry_run {
        let action = if request.uninstall { Action::Uninstall } else { Action::Install };
        return Ok(setup.rehearse(&agents, wish, action));
    }
    if request.uninstall {
        return setup.uninstall(&agents, wish);
    }
    if !wish.replaces && person.can_be_asked {
        let foreign = Setup::foreign(&setup.plan(&agents, wish));
        if !foreign.is_empty() {
            let list = foreign.join("\n  ");
            wish.replaces = person.agrees(&format!("There is from other tools:\n  {list}\nReplace it by handoff?"))?;
        }
    }
    setup.install(&agents, wish, !request.no_trust)
}

/// The agents that are installed or set up.
fn there(setup: &Setup, scope: Scope) -> Vec<Host> {
    let (detected, set_up) = (setup.detected(), setup.set_up(scope));
    let is_there = |host: &Host| set_up.contains(host) || detected.iter().any(|found| found.agent == *host);
    Host::ALL.into_iter().filter(is_there).collect()
}

/// The agents that are meant when none is named.
fn choose(setup: &Setup, request: &SetupRequest, person: &mut Person) -> Result<Vec<Host>, OpError> {
    if request.uninstall {
        let agents = setup.set_up(request.scope());
        return choose_among(&agents, &[], "set up", "Take handoff out of", "--uninstall", request, person);
    }
    let detected = setup.detected();
    let agents: Vec<Host> = detected.iter().map(|found| found.agent).collect();
    choose_among(&agents, &detected, "found", "Set up", "", request, person)
}

fn choose_among(
    agents: &[Host],
    signs: &[Detected],
    found: &str,
    verb: &str,
    flag: &str,
    request: &SetupRequest,
    person: &mut Person,
) -> Result<Vec<Host>, OpError> {
    let words: Vec<&str> = agents.iter().map(|agent| agent.word()).collect();
    if agents.is_empty() {
        let known: Vec<&str> = Host::ALL.into_iter().map(Host::word).collect();
        return Err(OpError::usage(format!("no agent was {found}; name one: {}", known.join(", "))));
    }
    if request.yes {
        return Ok(agents.to_vec());
    }
    let sign = |agent: &Host| signs.iter().find(|sign| sign.agent == *agent).map(|sign| sign.signs.join(", "));
    let line = |agent: &Host| match sign(agent) {
        Some(sign) => format!("{} ({sign})", agent.word()),
        None => agent.word().to_owned(),
    };
    if !person.can_be_asked {
        let scope = if request.scope() == Scope::Project { " --scope project" } else { "" };
        let flag = if flag.is_empty() { String::new() } else { format!(" {flag}") };
        return Err(OpError::usage("no agent was named")
            .details(agents.iter().map(|agent| format!("{found}: {}", line(agent))))
            .hint(Hint::say(format!("run `handoff setup {}{scope}{flag}`", words.join(" ")))));
    }
    let list: Vec<String> =
        agents.iter().enumerate().map(|(at, agent)| format!("  {}  {}", at + 1, line(agent))).collect();
    let list = list.join("\n");
    let answer = person.asked(&format!("{verb} which?\n{list}\nNumbers or names, Enter for all, n for none: "))?;
    chosen(&answer, agents)
}

/// What a person meant by numbers and names.
fn chosen(answer: &str, agents: &[Host]) -> Result<Vec<Host>, OpError> {
    let answer = answer.trim();
    if answer.is_empty() || answer.eq_ignore_ascii_case("all") || answer.eq_ignore_ascii_case("y") {
        return Ok(agents.to_vec());
    }
    if ["n", "no", "none", "q"].iter().any(|no| answer.eq_ignore_ascii_case(no)) {
        return Err(OpError::refused("nothing was done"));
    }
    let words = answer.split([' ', ',', '\t']).filter(|word| !word.is_empty());
    words
        .map(|word| match word.parse::<usize>() {
            Ok(number) => agents.get(number.wrapping_sub(1)).copied().ok_or_else(|| format!("there is no `{number}`")),
            Err(_) => word.parse::<Host>().map_err(|error| error.to_string()),
        })
        .collect::<Result<Vec<Host>, String>>()
        .map_err(OpError::usage)
}

/// Whoever sits at the terminal.
struct Person {
    can_be_asked: bool,
    stdin: Box<dyn Read>,
}

impl Person {
    fn asked(&mut self, question: &str) -> Result<String, OpError> {
        let fail = |error: io::Error| OpError::failure("nobody could be asked").caused_by(error);
        let mut stderr = io::stderr();
        write!(stderr, "{}", visible(question, Breaks::Keep)).and_then(|()| stderr.flush()).map_err(fail)?;
        let mut line = Vec::new();
        let mut byte = [0];
        // One byte at a time: what follows the line is not ours.
        while self.stdin.read(&mut byte).map_err(fail)? == 1 && byte[0] != b'\n' {
            line.push(byte[0]);
        }
        Ok(String::from_utf8_lossy(&line).into_owned())
    }

    fn agrees(&mut self, question: &str) -> Result<bool, OpError> {
        let answer = self.asked(&format!("{question} [y/N] "))?;
        Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
    }
}

#[cfg(test)]
mod tests {
    use handoff_ops::Environment;
    use handoff_testkit::TestProject;

    use super::*;

    /// What comes of it when a person at a terminal answers like this.
    fn answered(project: &TestProject, request: &SetupRequest, answers: &'static str) -> Result<SetupOutcome, OpError> {
        let home = project.home();
        let env = Environment::new([("HOME", home.clone()), ("XDG_DATA_HOME", home.join("data"))]);
        let place = Place { cwd: project.path("."), env, ..Place::default() };
        let setup = Setup::new(place, Some("/opt/bin/handoff".into()))?;
        perform(&setup, request, &mut Person { can_be_asked: true, stdin: Box::new(answers.as_bytes()) })
    }

    #[test]
    fn a_person_is_asked_which_agents_and_whether_to_replace_what_is_there() {
        let project = TestProject::empty("handoff");
        project.write("../../home/.gemini/settings.json", "{}");
        project.write("../../home/.claude/settings.json", "{}");
        let peer = r#"{"mcpServers": {"handoff": {"command": "handoff-mcp"}}}"#;
        project.write("../../home/.claude.json", peer);
        let request = SetupRequest::default();
        assert_eq!(answered(&project, &request, "n\n").unwrap_err().message(), "nothing was done");
        answered(&project, &request, "gemini\n").unwrap();
        assert!(project.file("../../home/.gemini/settings.json").contains("/opt/bin/handoff"));
        answered(&project, &request, "1\nn\n").unwrap();
        assert_eq!(project.file("../../home/.claude.json"), peer, "the answer was no");
        answered(&project, &request, "claude-code\ny\n").unwrap();
        assert!(project.file("../../home/.claude.json").contains("/opt/bin/handoff"));
        let uninstall = SetupRequest { uninstall: true, ..SetupRequest::default() };
        answered(&project, &uninstall, "\n").unwrap();
        assert_eq!(project.file("../../home/.claude.json"), peer);
        assert_eq!(project.file("../../home/.gemini/settings.json"), "{}");
    }

    #[test]
    fn an_answer_names_agents_by_number_or_name() {
        let agents = [Host::ClaudeCode, Host::Codex, Host::Gemini];
        assert_eq!(chosen("", &agents).unwrap(), agents);
        assert_eq!(chosen("2, gemini", &agents).unwrap(), [Host::Codex, Host::Gemini]);
        assert_eq!(chosen("n", &agents).unwrap_err().message(), "nothing was done");
        assert_eq!(chosen("4", &agents).unwrap_err().message(), "there is no `4`");
        assert!(chosen("clod", &agents).unwrap_err().message().contains("claude-code"));
    }
}
