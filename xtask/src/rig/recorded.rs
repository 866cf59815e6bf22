//! What real agents said to hooks and wrote into transcripts, as if they had worked in a sandbox.

use std::path::Path;

use serde_json::Value;

use super::{Invocation, Sandbox, repository_root};

/// Where recorded agents worked, and their home.
const HERE: &str = "/home/dev/my-app";
const HOME: &str = "/home/dev";

/// After all that is recorded in the transcripts.
const EVENING: &str = "2026-11-15T20:00:00Z";

/// The event that the words in a file of `fixtures/hooks` belong to, and the words.
pub(crate) fn words(host: &str, file: &str, sandbox: &Sandbox) -> Result<(String, Value), String> {
    let expected = parsed(host, "expected", sandbox)?;
    let event = expected[file]["event"].as_str().ok_or_else(|| format!("no event is known for {host} {file}"))?;
    Ok((event.to_owned(), parsed(host, file, sandbox)?))
}

/// Every call of a hook that was recorded of a host, by the name of its file.
pub(crate) fn all_words(host: &str, sandbox: &Sandbox) -> Result<Vec<(String, Invocation)>, String> {
    let expected = parsed(host, "expected", sandbox)?;
    let call = |file: &String| {
        let (event, said) = words(host, file, sandbox)?;
        Ok((file.clone(), hook(host, &event, &said)))
    };
    expected.as_object().into_iter().flat_map(|all| all.keys()).map(call).collect()
}

/// A hook that is called with these words.
pub(crate) fn hook(host: &str, event: &str, said: &Value) -> Invocation {
    let args = ["hook", event, "--host", host].map(str::to_owned).to_vec();
    Invocation { args, input: Some(said.to_string()), env: evening() }
}

/// The clock of whoever comes after the recorded agents.
pub(crate) fn evening() -> Vec<(&'static str, String)> {
    vec![("HANDOFF_CLOCK", EVENING.to_owned())]
}

/// A file of `fixtures/transcripts`.
pub(crate) fn transcript(file: &str, sandbox: &Sandbox) -> Result<String, String> {
    read(&format!("transcripts/{file}"), sandbox)
}

fn parsed(host: &str, file: &str, sandbox: &Sandbox) -> Result<Value, String> {
    let text = read(&format!("hooks/{host}/{file}.json"), sandbox)?;
    serde_json::from_str(&text).map_err(|error| format!("the words of {host} in {file} are no JSON: {error}"))
}

fn read(file: &str, sandbox: &Sandbox) -> Result<String, String> {
    let path = repository_root().join("fixtures").join(file);
    let text = std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let (here, home) = (sandbox.project(), sandbox.root().join("home"));
    Ok(text.replace(HERE, &text_of(&here)).replace(HOME, &text_of(&home)))
}

fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
