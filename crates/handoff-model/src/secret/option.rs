//! Secrets that are given to programs by short options: `curl -u user:password`, `mysql -ppassword`.
//!
//! Such an option means something else to every program, so each program is known by name.

use std::ops::Range;

use super::{run, value};

/// How an option takes its secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// Behind the colon of the next word: `-u user:password`
    BehindColon,
    /// The next word, or the rest of this one: `-p password`, `-ppassword`
    Word,
    /// The next word, where it is no file: `-b name=value`
    Pairs,
    /// Only the rest of this word; alone, the program asks for it
    Rest,
}

/// Programs, the option that takes a secret, and how.
const OPTIONS: &[(&[&str], &str, Takes)] = &[
    (&["curl", "wget", "http", "https", "xh"], "-u", Takes::BehindColon),
    (&["curl", "http", "https", "xh"], "--user", Takes::BehindColon),
    (&["http", "https", "xh"], "-a", Takes::BehindColon),
    (&["curl"], "-b", Takes::Pairs),
    (&["curl"], "--cookie", Takes::Pairs),
    (&["mysql", "mysqldump", "mysqladmin", "mariadb", "mariadb-dump"], "-p", Takes::Rest),
    (&["docker", "podman", "nerdctl", "buildah", "skopeo", "helm", "oc"], "-p", Takes::Word),
    (&["sshpass"], "-p", Takes::Word),
    (&["redis-cli"], "-a", Takes::Word),
    (&["mongo", "mongosh", "mongodump"], "-p", Takes::Word),
    (&["smbclient", "az"], "-p", Takes::Word),
    (&["ldapsearch", "ldapmodify"], "-w", Takes::Word),
];

/// The longest command that is looked through for options.
const LONGEST: usize = 4096;

pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut program: Option<&str> = None;
    let mut since = 0;
    let mut wanted: Option<Takes> = None;
    let mut logs_in = false;
    for word in words(text) {
        let written = &text[word.clone()];
        if let Some(takes) = wanted.take()
            && !written.starts_with('-')
        {
            found.extend(secret_in(text, word.clone(), takes));
            continue;
        }
        let name = written.rsplit('/').next().unwrap_or(written);
        if OPTIONS.iter().any(|(names, _, _)| names.contains(&name)) {
            (program, since, logs_in) = (Some(name), word.start, false);
            continue;
        }
        if written.ends_with([';', '|', '&']) || word.start - since > LONGEST {
            program = None;
            continue;
        }
        logs_in |= written == "login";
        let Some(program) = program else { continue };
        // These have the option for other things, too.
        if matches!(program, "docker" | "podman" | "nerdctl" | "buildah" | "skopeo" | "helm" | "oc" | "az") && !logs_in
        {
            continue;
        }
        for (names, option, takes) in OPTIONS {
            if !names.contains(&program) || !written.starts_with(option) {
                continue;
            }
            let rest = word.start + option.len()..word.end;
            if !rest.is_empty() && (option.len() > 2 || *takes == Takes::BehindColon) {
                continue;
            }
            match takes {
                Takes::Rest | Takes::Word if !rest.is_empty() => found.extend(secret_in(text, rest, Takes::Rest)),
                Takes::Rest => {}
                takes => wanted = Some(*takes),
            }
        }
    }
    found
}

/// The words of a text; one in quotes may have blanks in it.
fn words(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut words = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        at += run(bytes, at, |byte| byte.is_ascii_whitespace());
        let start = at;
        at += match bytes.get(at) {
            Some(quote @ (b'"' | b'\'')) => {
                let inside = run(bytes, at + 1, |byte| byte != *quote && byte != b'\n');
                (inside + 2).min(bytes.len() - at)
            }
            _ => run(bytes, at, |byte| !byte.is_ascii_whitespace()),
        };
        if at > start {
            words.push(start..at);
        }
    }
    words
}

/// The part of a word that is the secret.
fn secret_in(text: &str, word: Range<usize>, takes: Takes) -> Option<Range<usize>> {
    let quotes = |byte: u8| matches!(byte, b'"' | b'\'');
    let start = word.start + run(text.as_bytes(), word.start, quotes);
    let end = word.end.max(start);
    let start = match takes {
        Takes::BehindColon => start + text[start..end].find(':')? + 1,
        Takes::Pairs if !text[start..end].contains('=') => return None,
        Takes::Word | Takes::Pairs | Takes::Rest => start,
    };
    let secret = start..end;
    let given = text[secret.clone()].trim_end_matches(['"', '\'', '`', ',', ';', ')']);
    let secret = start..start + given.len();
    (given.len() >= 3 && !value::stands_for_another(given) && !value::is_path(given)).then_some(secret)
}
