//! The one way a bundle is written: JSON as RFC 8785 has it, with keys in order and no blanks.
//!
//! **Invariant:** equal things are written with equal bytes. What is read is written again and compared, so there is
//! no second spelling of a bundle. Numbers are whole and below 2^53.

use handoff_model::when::Moment;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::{CarriedSession, CarriedTask, Content};

/// What stands around the content of a bundle.
pub(crate) struct Envelope {
    pub(crate) checksum: String,
    pub(crate) created_at: Moment,
    pub(crate) version: u64,
    pub(crate) signature: Option<Signature>,
}

/// What a signed bundle says about its signature.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Signature {
    /// The fingerprint of the key
    pub(crate) key: String,
    #[serde(default)]
    pub(crate) signer: Option<String>,
    /// What `ssh-keygen -Y verify` reads
    pub(crate) sshsig: String,
}

/// Where written bytes go.
pub(crate) trait Sink {
    fn put(&mut self, bytes: &[u8]);
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

impl Sink for Sha256 {
    fn put(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }
}

/// Compares what is written with bytes that are there, without a copy of them.
pub(crate) struct SameAs<'a> {
    rest: Option<&'a [u8]>,
}

impl<'a> SameAs<'a> {
    pub(crate) fn new(expected: &'a [u8]) -> Self {
        SameAs { rest: Some(expected) }
    }

    pub(crate) fn is_same(&self) -> bool {
        self.rest.is_some_and(<[u8]>::is_empty)
    }
}

impl Sink for SameAs<'_> {
    fn put(&mut self, bytes: &[u8]) {
        self.rest = self.rest.and_then(|rest| rest.strip_prefix(bytes));
    }
}

/// The whole file.
pub(crate) fn document(sink: &mut impl Sink, envelope: &Envelope, carried: &Content) {
    let Envelope { checksum, created_at, version, signature } = envelope;
    let mut object = Object::begin(sink);
    string(object.key("checksum"), checksum);
    content(object.key("content"), carried);
    string(object.key("created_at"), &created_at.to_string());
    number(object.key("handoff_bundle"), *version);
    if let Some(Signature { key, signer, sshsig }) = signature {
        let mut inner = Object::begin(object.key("signature"));
        string(inner.key("key"), key);
        if let Some(signer) = signer {
            string(inner.key("signer"), signer);
        }
        string(inner.key("sshsig"), sshsig);
        inner.end();
    }
    object.end();
    sink.put(b"\n");
}

/// What a signature is made over: everything that a bundle says.
pub(crate) fn statement(envelope: &Envelope, key: &str, signer: Option<&str>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut object = Object::begin(&mut bytes);
    string(object.key("checksum"), &envelope.checksum);
    string(object.key("created_at"), &envelope.created_at.to_string());
    number(object.key("handoff_bundle"), envelope.version);
    string(object.key("key"), key);
    match signer {
        Some(signer) => string(object.key("signer"), signer),
        None => object.key("signer").put(b"null"),
    }
    object.end();
    bytes
}

/// The checksum of a bundle's content, in hexadecimal digits.
pub(crate) fn checksum(carried: &Content) -> String {
    let mut hash = Sha256::new();
    content(&mut hash, carried);
    hex(&hash.finalize())
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}

fn content(sink: &mut impl Sink, content: &Content) {
    let Content { project, sessions, tasks } = content;
    let mut object = Object::begin(sink);
    if let Some(project) = project {
        string(object.key("project"), project);
    }
    if !sessions.is_empty() {
        list(object.key("sessions"), sessions, session);
    }
    if !tasks.is_empty() {
        list(object.key("tasks"), tasks, task);
    }
    object.end();
}

fn session<S: Sink>(sink: &mut S, session: &CarriedSession) {
    let CarriedSession { name, text, body } = session;
    let mut object = Object::begin(sink);
    if let Some(body) = body {
        string(object.key("body"), body);
    }
    string(object.key("name"), name);
    string(object.key("text"), text);
    object.end();
}

fn task<S: Sink>(sink: &mut S, task: &CarriedTask) {
    let CarriedTask { id, parent, number: own_number, text, archived } = task;
    let mut object = Object::begin(sink);
    if *archived {
        object.key("archived").put(b"true");
    }
    string(object.key("id"), id.as_str());
    if let Some(own_number) = own_number {
        number(object.key("number"), u64::from(*own_number));
    }
    if let Some(parent) = parent {
        string(object.key("parent"), parent.as_str());
    }
    string(object.key("text"), text);
    object.end();
}

/// An object that is being written; keys are given in order.
struct Object<'a, S: Sink> {
    sink: &'a mut S,
    before: &'static [u8],
}

impl<'a, S: Sink> Object<'a, S> {
    fn begin(sink: &'a mut S) -> Self {
        Object { sink, before: b"{" }
    }

    /// Where the value of a key is written.
    fn key(&mut self, name: &'static str) -> &mut S {
        self.sink.put(self.before);
        self.before = b",";
        string(self.sink, name);
        self.sink.put(b":");
        self.sink
    }

    fn end(self) {
        self.sink.put(if self.before == b"{" { b"{}" } else { b"}" });
    }
}

fn list<S: Sink, T>(sink: &mut S, items: &[T], item: impl Fn(&mut S, &T)) {
    let mut before: &[u8] = b"[";
    for each in items {
        sink.put(before);
        before = b",";
        item(sink, each);
    }
    sink.put(b"]");
}

fn number(sink: &mut impl Sink, number: u64) {
    sink.put(number.to_string().as_bytes());
}

fn string(sink: &mut impl Sink, text: &str) {
    escaped(sink, text, |_| false);
}

/// A string in quotes; `also` says which characters above the controls are written as `\uXXXX` too.
pub(crate) fn escaped(sink: &mut impl Sink, text: &str, also: impl Fn(char) -> bool) {
    sink.put(b"\"");
    let mut plain = 0;
    for (at, character) in text.char_indices() {
        let short: &[u8] = match character {
            '"' => b"\\\"",
            '\\' => b"\\\\",
            '\u{8}' => b"\\b",
            '\u{c}' => b"\\f",
            '\n' => b"\\n",
            '\r' => b"\\r",
            '\t' => b"\\t",
            '\0'..'\u{20}' => b"",
            other if also(other) => b"",
            _ => continue,
        };
        sink.put(&text.as_bytes()[plain..at]);
        plain = at + character.len_utf8();
        if short.is_empty() {
            sink.put(format!("\\u{:04x}", u32::from(character)).as_bytes());
        } else {
            sink.put(short);
        }
    }
    sink.put(&text.as_bytes()[plain..]);
    sink.put(b"\"");
}
