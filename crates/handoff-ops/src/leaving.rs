//! The door for all that leaves the machine.
//!
//! **Invariant:** no secret that is known as one leaves unseen. What goes to a model has a mark in its place, what others
//! are to get is held back until somebody took it out or let it through, and a private store keeps its bytes and warns.
//!
//! Every change passes `check_staged` before it is committed, so no operation can forget it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use handoff_model::heal::hidden;
use handoff_model::name::Layout;
pub use handoff_model::secret::Allowed;
use handoff_model::secret::{Fingerprint, redact_except, scan};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::secrets::AllowSecret;
use crate::{Hint, OpError, Page, Project};

/// What looks like a secret: where it stands and what it goes by, never what it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// File or other place it stands in
    pub place: String,
    /// Line, counted from 1
    pub line: usize,
    /// What found it, such as `github-token`
    pub rule: String,
    /// What to give to `handoff secrets allow` if it may leave
    pub fingerprint: Fingerprint,
    /// How it begins, where that gives nothing away
    pub begins: String,
}

/// Of so many findings an error or a warning tells; the others are counted.
const TOLD: usize = 20;
const WARNED: usize = 3;
/// A private store is asked quickly: of a longer text, only this much is looked at for a warning.
const LOOKED_AT: usize = 1 << 20;
/// Secrets at least this long show how they begin.
const LONG: usize = 16;

/// Holds back what others are to get, as long as there is a secret in it. Texts come with the place they stand in.
pub fn held_back(texts: &[(String, &str)], project: &Project) -> Result<(), OpError> {
    let allowed = project.allowed();
    let found: Vec<Finding> = texts.iter().flat_map(|(place, text)| find(place, text, &allowed)).collect();
    refuse(&found, "this would leave the machine", "nothing was given out")
}

/// Holds back a project that is to be shared, as long as there is a secret in it.
pub(crate) fn shared(texts: &[(String, String)], project: &Project) -> Result<(), OpError> {
    let allowed = project.allowed();
    let found: Vec<Finding> = texts.iter().flat_map(|(place, text)| find(place, text, &allowed)).collect();
    refuse(&found, "git would carry this to others", "the project stays private")
}

/// The text as a model is told it: secrets are replaced by a mark, and what hides is written out.
pub fn for_model<'a>(text: &'a str, allowed: &Allowed) -> Cow<'a, str> {
    match hidden::reveal(text) {
        Cow::Borrowed(text) => redact_except(text, allowed),
        Cow::Owned(shown) => Cow::Owned(redact_except(&shown, allowed).into_owned()),
    }
}

/// The same for every text in a JSON value.
pub fn json_for_model(value: &mut Value, allowed: &Allowed) {
    change_json(value, &mut |text| clean(text, allowed));
}

/// What to know about a text that a private store keeps: a line for each of the first secrets.
pub fn warn(place: &str, text: &str, project: &Project) -> Vec<String> {
    warnings(&find(place, text, &project.allowed()))
}

/// The secrets of a text that nobody let through.
pub(crate) fn find(place: &str, text: &str, allowed: &Allowed) -> Vec<Finding> {
    let (mut line, mut at) = (1, 0);
    let finding = |found: handoff_model::secret::Found| {
        line += text[at..found.range.start].matches('\n').count();
        at = found.range.start;
        let secret = &text[found.range];
        let is_long = secret.chars().nth(LONG - 1).is_some();
        let begins: String = secret.chars().take(if is_long { 4 } else { 0 }).collect();
        let (rule, fingerprint) = (found.rule.to_owned(), found.fingerprint);
        Finding { place: place.to_owned(), line, rule, fingerprint, begins: format!("{begins}…") }
    };
    scan(text, allowed).into_iter().map(finding).collect()
}

/// The same for every text of a page.
pub(crate) fn page_for_model(page: &mut Page, allowed: &Allowed) {
    page.change_texts(&mut |text| clean(text, allowed));
}

/// The same in place.
pub(crate) fn clean(text: &mut String, allowed: &Allowed) {
    if let Cow::Owned(cleaned) = for_model(text, allowed) {
        *text = cleaned;
    }
}

/// Changes every text in a JSON value; names stay.
pub(crate) fn change_json(value: &mut Value, change: &mut dyn FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| change_json(item, change)),
        Value::Object(fields) => fields.values_mut().for_each(|field| change_json(field, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Looks at what a change is about to write: others who would read it are not to find new secrets there, and whoever
/// keeps it to themselves is told of them.
pub(crate) fn check_staged(project: &mut Project) -> Result<(), OpError> {
    let is_shared = project.store().layout() == Layout::Stable && !project.is_user_store();
    let staged = project.store().staged_texts();
    if staged.written.is_empty() {
        return Ok(());
    }
    let allowed = project.allowed();
    let mut new: Vec<Finding> = Vec::new();
    for (path, text) in &staged.written {
        // An archive gets what was in the store already, and is long.
        if !is_shared && path.starts_with("archive/") {
            continue;
        }
        let looked_at = if is_shared { text } else { &text[..text.floor_char_boundary(LOOKED_AT)] };
        new.extend(find(path, looked_at, &allowed));
    }
    if !new.is_empty() {
        // What stands there already was told when it came, or is there for somebody else to take out.
        let known = staged.known.iter().flat_map(|text| scan(text, &allowed));
        let known: BTreeSet<Fingerprint> = known.map(|found| found.fingerprint).collect();
        new.retain(|finding| !known.contains(&finding.fingerprint));
    }
    if is_shared {
        return refuse(&new, "this project is shared, and git would carry this to others", "nothing was written");
    }
    for warning in warnings(&new) {
        project.note(warning);
    }
    Ok(())
}

fn refuse(found: &[Finding], why: &str, so: &str) -> Result<(), OpError> {
    if found.is_empty() {
        return Ok(());
    }
    let fingerprints: BTreeSet<&Fingerprint> = found.iter().map(|finding| &finding.fingerprint).collect();
    let (count, plural) = (found.len(), if found.len() == 1 { "" } else { "s" });
    let mut lines: Vec<String> = found.iter().take(TOLD).map(Finding::line).collect();
    if count > TOLD {
        lines.push(format!("and {} more", count - TOLD));
    }
    let allow =
        Hint::run_with::<AllowSecret>(json!({ "fingerprints": fingerprints.iter().take(TOLD).collect::<Vec<_>>() }));
    Err(OpError::refused(format!("{why}, and it holds {count} secret{plural}: {so}"))
        .details(lines)
        .hint(Hint::say("take it out, or write `[redacted]` in its place, and ask again"))
        .hint(Hint::say("if it is no secret or may be known, let it through and ask again:"))
        .hint(allow))
}

fn warnings(found: &[Finding]) -> Vec<String> {
    let count = found.len();
    let Some(first) = found.first().map(|finding| finding.fingerprint.clone()) else { return Vec::new() };
    let mut lines: Vec<String> =
        found.iter().take(WARNED).map(|finding| format!("this looks like a secret: {}", finding.line())).collect();
    if count > WARNED {
        lines.push(format!("{} more look like secrets: `handoff secrets scan` shows them", count - WARNED));
    }
    lines.push(format!(
        "it is kept here as it is, and taken out or held back where it would leave this machine; \
         `handoff secrets allow {first}` lets it through"
    ));
    lines
}

impl Finding {
    /// The finding in words.
    pub(crate) fn line(&self) -> String {
        let Finding { place, line, rule, fingerprint, begins } = self;
        format!("{place}, line {line}: {rule} `{begins}`, fingerprint {fingerprint}")
    }
}
