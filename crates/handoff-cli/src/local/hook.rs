//! `handoff hook EVENT --host AGENT`: what coding agents call by themselves.
//!
//! **Invariant:** it ends with exit code 0 and prints nothing but what the host reads, whatever happens. Agents take an
//! exit code for a verdict on what they were about to do, and what is printed for context.

use std::ffi::OsString;
use std::io::Read;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use clap::{Arg, ArgMatches, Command};
use handoff_hosts::hook::hear;
use handoff_model::agent::{HookEvent, Host};
use handoff_ops::agent::{HookCall, hook, note_failure};
use handoff_ops::{Door, Place, Project};

use crate::flags::{Glimpse, Global};
use crate::run::{Answer, Invocation};

/// The noun that operations on hooks are in, too.
pub(crate) const NAME: &str = "hook";
const HOST: &str = "host";

/// More than any host says: what a tool printed may be in it.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// Who has said nothing for so long will say nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// `handoff hook session-start` and the others.
pub(crate) fn commands() -> impl Iterator<Item = Command> {
    HookEvent::ALL.into_iter().enumerate().map(|(place, event)| command(event).display_order(100 + place))
}

fn command(event: HookEvent) -> Command {
    let about = match event {
        HookEvent::SessionStart => "For agents, when a conversation begins: gives it the context",
        HookEvent::Prompt => "For agents, when something is asked: says what is known about it",
        HookEvent::Edit => "For agents, when a tool was used: says what is known about its files",
        HookEvent::TurnEnd => "For agents, when a turn ends: records what was done",
        HookEvent::Compact => "For agents, before the context is compacted: keeps what was done",
        HookEvent::SessionEnd => "For agents, when a conversation ends: marks it",
    };
    Command::new(event.word())
        .about(about)
        .long_about(format!(
            "{about}\n\nReads what the agent says on standard input and answers in its own form. `handoff setup` has \
             agents call it; whatever happens it ends with exit code 0, and `handoff hook status` shows what went wrong."
        ))
        .arg(
            Arg::new(HOST)
                .long(HOST)
                .required(true)
                .value_name("AGENT")
                .value_parser(|text: &str| text.parse::<Host>())
                .help("Agent that calls"),
        )
}

/// The event that the first words name.
pub(crate) fn named<'w>(words: &[&'w str]) -> Option<&'w str> {
    match words {
        [NAME, event, ..] => event.parse::<HookEvent>().is_ok().then_some(*event),
        _ => None,
    }
}

/// Only the command of one event.
pub(crate) fn narrowed(event: &str) -> Option<Command> {
    commands().find(|command| command.get_name() == event)
}

/// Whether an agent may have called, though not as it should: it must not be told so by an exit code.
pub(crate) fn is_meant(args: &[OsString]) -> bool {
    let words = Glimpse::of(args.get(1..).unwrap_or_default()).words;
    let is_agent = |word: &str| word == "--host" || word.starts_with("--host=");
    let names_agent = || args.iter().filter_map(|word| word.to_str()).any(is_agent);
    words.first() == Some(&NAME) && (named(&words).is_some() || names_agent())
}

/// The event that was asked for, and its arguments.
pub(crate) fn asked_for(matches: &ArgMatches) -> Option<(HookEvent, &ArgMatches)> {
    let (NAME, inner) = matches.subcommand()? else { return None };
    let (word, arguments) = inner.subcommand()?;
    Some((word.parse().ok()?, arguments))
}

/// Does what an agent called for.
pub(crate) fn run(event: HookEvent, arguments: &ArgMatches, invocation: Invocation) -> Answer {
    let host: Host = *arguments.get_one(HOST).expect("clap requires it");
    let global = Global::of(arguments);
    let Invocation { env, cwd, stdin, .. } = invocation;
    let cwd = cwd.or_else(|| global.project_dir.clone()).unwrap_or_default();
    let place = Place { project_dir: global.project_dir, cwd, env, settings: global.settings };
    let mut project = Project::new(place, global.actor, Door::Cli);
    let heard = listen(stdin, project.patient(PATIENCE))
        .and_then(|said| hear(host, event, &said).map_err(|error| error.to_string()));
    let call = match heard {
        Ok(call) => call,
        Err(why) => {
            note_failure(&mut project, host.word(), event.word(), &why);
            return Answer::default();
        }
    };
    let limit = call.limit();
    let asked = HookCall {
        // Some hosts also run the hooks of another.
        host: call.host,
        event,
        heard: &call.heard,
        can_inject: call.can_inject(),
        fits: &|text| limit.fits(text),
    };
    let context = hook(&mut project, &asked);
    let stdout = context.and_then(|context| call.answer(&context)).unwrap_or_default();
    Answer { stdout, ..Answer::default() }
}

/// What is said on standard input, up to its end or to a long silence.
fn listen(mut stdin: Box<dyn Read + Send>, patience: Duration) -> Result<Vec<u8>, String> {
    let (sender, receiver) = mpsc::channel();
    // It may wait for input for ever; the process ends all the same.
    thread::spawn(move || {
        loop {
            let mut chunk = vec![0; 64 * 1024];
            let read = stdin.read(&mut chunk).map(|count| {
                chunk.truncate(count);
                chunk
            });
            let is_over = !matches!(&read, Ok(chunk) if !chunk.is_empty());
            if sender.send(read).is_err() || is_over {
                return;
            }
        }
    });
    let mut said = Vec::new();
    loop {
        match receiver.recv_timeout(patience) {
            Ok(Ok(chunk)) if chunk.is_empty() => return Ok(said),
            Ok(Ok(chunk)) => said.extend(chunk),
            Ok(Err(error)) => return Err(format!("standard input cannot be read: {error}")),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(said),
        }
        if said.len() > MOST_BYTES {
            return Err(format!("more than {MOST_BYTES} bytes on standard input"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_input_is_not_waited_for() {
        struct Silent;
        impl Read for Silent {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                thread::park();
                Ok(0)
            }
        }
        assert_eq!(listen(Box::new(Silent), Duration::from_millis(1)), Ok(Vec::new()));
    }

    #[test]
    fn an_endless_input_is_not_listened_to_for_ever() {
        assert!(listen(Box::new(std::io::repeat(b' ')), Duration::MAX).unwrap_err().contains("16777216"));
    }

    #[test]
    fn every_event_has_its_command() {
        for event in HookEvent::ALL {
            assert_eq!(named(&["hook", event.word()]), Some(event.word()));
            assert!(narrowed(event.word()).is_some());
        }
        assert_eq!(named(&["hook", "status"]), None);
    }

    #[test]
    fn a_call_for_an_agent_is_told_by_its_event_or_its_host() {
        let meant = |line: &str| is_meant(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert!(meant("handoff hook promt --host claude-code") && meant("handoff hook --host=codex"));
        assert!(meant("handoff hook session-start") && meant("handoff --project-dir /x hook turn-end --loud"));
        assert!(!meant("handoff hook offf") && !meant("handoff task list --host x"));
    }
}
