//! `handoff check` by a short way: it stands in prompts and hooks, where building a command line costs more than the answer.
//!
//! **Invariant:** whoever takes this way gets, byte for byte, what the usual one gives. Arguments that are not known here
//! are left to the usual one, and so is telling what is wrong with them.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use handoff_ops::run::{CheckAgentHandover, CheckHandover};
use handoff_ops::{Entry, Request};
use serde_json::{Map, Value};

use crate::flags::{ColorWish, Global};
use crate::local::agent_handover;
use crate::run::{Answer, Invocation, Teller, carry_out};

const CHECK: &str = "check";

/// The answer, where that is what this process was asked for.
pub(crate) fn answer() -> Option<Answer> {
    let mut args = std::env::args_os();
    let program = args.next()?;
    if args.next()? != CHECK {
        return None;
    }
    let asked = Asked::read(agent_handover::is_name(&program), args)?;
    let invocation = Invocation::of_process();
    // An explicit directory may stand in for one that is gone; the usual way knows.
    invocation.cwd.as_ref()?;
    let entry = if asked.is_other_name { Entry::of::<CheckAgentHandover>() } else { Entry::of::<CheckHandover>() };
    let teller = Teller::new(&invocation, asked.json, ColorWish::Auto).with(entry.codes);
    let global = Global { json: asked.json, project_dir: asked.project_dir, ..Global::default() };
    Some(match carry_out(&entry, Request::Json(Value::Object(asked.request)), global, invocation) {
        Ok(reply) => teller.reply(&reply),
        Err(error) => teller.fail(&error),
    })
}

/// What is asked for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Asked {
    is_other_name: bool,
    json: bool,
    project_dir: Option<PathBuf>,
    request: Map<String, Value>,
}

impl Asked {
    /// Reads the arguments behind the command, as long as there is no doubt about any.
    fn read(is_other_name: bool, args: impl Iterator<Item = OsString>) -> Option<Asked> {
        let mut asked = Asked { is_other_name, ..Asked::default() };
        let mut args = args;
        while let Some(argument) = args.next() {
            let text = argument.to_str()?;
            let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
            match (name, value) {
                ("--json", None) if !is_other_name && !asked.json => asked.json = true,
                ("--quiet" | "-q", None) if !is_other_name => asked.add("quiet", Value::from(true))?,
                ("--checkpoint", value) => {
                    let path = path(value, &mut args)?;
                    asked.add("checkpoint", Value::from(path.to_str()?))?;
                }
                ("--project-dir", value) if !is_other_name && asked.project_dir.is_none() => {
                    asked.project_dir = Some(path(value, &mut args)?.into());
                }
                _ => return None,
            }
        }
        Some(asked)
    }

    /// Adds a field, unless it is there already.
    fn add(&mut self, field: &str, value: Value) -> Option<()> {
        self.request.insert(field.to_owned(), value).is_none().then_some(())
    }
}

fn path(value: Option<&str>, args: &mut impl Iterator<Item = OsString>) -> Option<OsString> {
    let path = value.map_or_else(|| args.next(), |value| Some(value.into()))?;
    let is_plain = |path: &OsStr| !path.is_empty() && !path.as_encoded_bytes().starts_with(b"-");
    is_plain(&path).then_some(path)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(line: &str, is_other_name: bool) -> Option<Asked> {
        Asked::read(is_other_name, line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn what_is_known_is_read() {
        let asked = read("--json --checkpoint a/b.json -q --project-dir=/x", false).unwrap();
        assert_eq!(Value::Object(asked.request), json!({"checkpoint": "a/b.json", "quiet": true}));
        assert_eq!((asked.json, asked.project_dir), (true, Some(PathBuf::from("/x"))));
    }

    #[test]
    fn whatever_is_in_doubt_is_left_to_the_usual_way() {
        for line in
            ["x", "--json --json", "--json=1", "--checkpoint", "--checkpoint -x", "-qq", "--help", "--", "--set a=b"]
        {
            assert_eq!(read(line, false), None, "{line}");
        }
        for line in ["--checkpoint a --checkpoint b", "-q --quiet", "--checkpoint=", "--as bob", "--color always"] {
            assert_eq!(read(line, false), None, "{line}");
        }
        for line in ["--json", "-q", "--project-dir /x"] {
            assert_eq!(read(line, true), None, "{line}");
        }
    }
}
