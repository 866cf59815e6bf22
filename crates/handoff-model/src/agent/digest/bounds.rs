//! How much of each thing a digest keeps: enough to go on from, and small whatever the agent did.
//!
//! **Invariant:** a bound that holds for two stretches and is applied again to their join cuts no more than one that was
//! applied all along; cutting a text twice is cutting it once.

use super::{Crowd, Failure, Prompt, Ran, Said, Todo, TouchedFile};
use crate::agent::check::only_looks;
use crate::agent::{LastWords, TodoStatus};

pub(super) const TEXT: usize = 2_000;
/// What is left of the report of an answer once a later turn has one; the items that it names stay whole.
pub(super) const EARLIER_ANSWER: usize = 400;
const EARLIER_ANSWERS: usize = 24;
const EARLIER_ANSWERS_IN_ALL: usize = 12_000;
pub(super) const COMMAND: usize = 500;
pub(super) const TAIL: usize = 400;
pub(super) const FAILURE: usize = 400;
pub(super) const PATH: usize = 400;
pub(super) const NAME: usize = 80;
const TODO: usize = 150;
/// What is left of a prompt or a command once it is an older one.
const OLDER: usize = 200;
const FIRST_PROMPTS: usize = 3;
const LATEST_PROMPTS: usize = 12;
/// How many of the latest prompts and commands are kept in full.
const IN_FULL: usize = 3;
const COMMANDS: usize = 30;
const FILES: usize = 200;
const PATHS_IN_ALL: usize = 7_400;
pub(in crate::agent) const MAX_TODOS: usize = 50;
const FAILURES: usize = 5;

/// The beginning of a text, marked where something was cut off.
pub(super) fn head(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let mut end = bytes - '…'.len_utf8();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &text[..end])
}

/// The end of a text, marked where something was cut off.
pub(super) fn tail(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let mut start = text.len() - (bytes - '…'.len_utf8());
    while !text.is_char_boundary(start) {
        start += 1;
    }
    format!("…{}", &text[start..])
}

/// A text of which both head and tail can still be taken.
pub(super) fn both_ends(text: &str) -> String {
    if text.len() <= TAIL + FAILURE {
        return text.to_owned();
    }
    let joined = format!("{}{}", head(text, FAILURE), tail(text, TAIL));
    if joined.len() < text.len() { joined } else { text.to_owned() }
}

fn shorten(text: &mut String, bytes: usize) {
    if text.len() > bytes {
        *text = head(text, bytes);
    }
}

/// The first and the latest prompts; those in between, and all but the first once they are older, are shortened.
pub(super) fn prompts(prompts: &mut Vec<Prompt>) {
    if prompts.len() > FIRST_PROMPTS + LATEST_PROMPTS {
        let latest = prompts.len() - LATEST_PROMPTS;
        prompts.drain(FIRST_PROMPTS..latest);
    }
    let older = prompts.len().saturating_sub(IN_FULL);
    for prompt in prompts.iter_mut().take(older).skip(1) {
        shorten(&mut prompt.text, OLDER);
    }
}

/// Takes back the latest `withdrawn` of `asked` prompts.
pub(super) fn withdraw(prompts: &mut Vec<Prompt>, asked: u32, withdrawn: u32) {
    let (asked, left) = (asked as usize, asked.saturating_sub(withdrawn) as usize);
    let kept = prompts.len();
    let mut index = 0;
    prompts.retain(|_| {
        let place = if index < FIRST_PROMPTS { index } else { asked.saturating_sub(kept - index) };
        index += 1;
        place < left
    });
}

/// The latest answers of earlier turns; one that names no open item goes before one that does.
pub(super) fn answers(answers: &mut Vec<Said>) {
    let mut bytes: usize = answers.iter().map(|answer| answer.text.len()).sum();
    while answers.len() > EARLIER_ANSWERS || (bytes > EARLIER_ANSWERS_IN_ALL && answers.len() > 1) {
        let goes = answers.iter().position(|answer| LastWords::read(&answer.text).items.is_empty()).unwrap_or(0);
        bytes -= answers.remove(goes).text.len();
    }
}

/// The latest commands; one that only looks at things goes before one that could be a check.
pub(super) fn commands(commands: &mut Vec<Ran>) {
    while commands.len() > COMMANDS {
        let may_go = &commands[..commands.len() - IN_FULL];
        let goes = may_go.iter().position(|ran| only_looks(&ran.command)).unwrap_or(0);
        commands.remove(goes);
    }
    let older = commands.len().saturating_sub(IN_FULL);
    for ran in &mut commands[..older] {
        shorten(&mut ran.command, OLDER);
        if let Some(text) = ran.tail.as_mut().filter(|text| text.len() > OLDER) {
            *text = tail(text, OLDER);
        }
    }
}

/// The files touched last; one that was changed outlives one that was only looked at, and is still counted afterwards.
pub(super) fn files(files: &mut Vec<TouchedFile>, crowded_out: &mut Crowd) {
    let mut bytes: usize = files.iter().map(|file| file.path.len()).sum();
    while files.len() > FILES || (bytes > PATHS_IN_ALL && files.len() > 1) {
        let goes = files.iter().position(|file| file.changes == 0).unwrap_or(0);
        let file = files.remove(goes);
        bytes -= file.path.len();
        if file.changes > 0 {
            crowded_out.add(&file.path);
        }
    }
}

/// The things to do; finished ones go first.
pub(super) fn todos(todos: &mut Vec<Todo>) {
    for todo in todos.iter_mut() {
        shorten(&mut todo.text, TODO);
    }
    while todos.len() > MAX_TODOS {
        let finished = |todo: &Todo| matches!(todo.status, TodoStatus::Completed | TodoStatus::Cancelled);
        let goes = todos.iter().position(finished).unwrap_or(todos.len() - 1);
        todos.remove(goes);
    }
}

pub(super) fn failures(failures: &mut Vec<Failure>) {
    if failures.len() > FAILURES {
        failures.drain(..failures.len() - FAILURES);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters_and_says_so() {
        assert_eq!(head("grün", 4), "g…");
        assert_eq!(head("grün", 5), "grün");
        assert_eq!(tail("grün", 4), "…n");
        assert_eq!(head(&head(&"ü".repeat(900), 800), 300), head(&"ü".repeat(900), 300));
    }

    #[test]
    fn both_ends_of_a_long_text_can_still_be_taken() {
        let text: String = (0..900).map(|number| number.to_string()).collect();
        let short = both_ends(&text);
        assert!(short.len() <= TAIL + FAILURE);
        assert_eq!(head(&short, FAILURE), head(&text, FAILURE));
        assert_eq!(tail(&short, TAIL), tail(&text, TAIL));
        for length in 795..830 {
            let text = "x".repeat(length);
            assert_eq!(tail(&both_ends(&text), TAIL), tail(&text, TAIL), "{length}");
        }
    }

    #[test]
    fn a_changed_file_outlives_one_that_was_looked_at() {
        let file = |number: usize, changes| TouchedFile {
            path: format!("f{number}"),
            changes,
            looks: 1,
            ..TouchedFile::default()
        };
        let mut list: Vec<TouchedFile> = (0..250).map(|number| file(number, u32::from(number < 100))).collect();
        let mut crowded_out = Crowd::default();
        files(&mut list, &mut crowded_out);
        assert!(crowded_out.is_empty(), "what was looked at is not counted");
        assert_eq!(list.len(), FILES);
        assert_eq!(list.iter().filter(|file| file.changes == 1).count(), 100);
        assert_eq!(list.last().unwrap().path, "f249");
    }

    #[test]
    fn withdrawing_more_than_is_kept_leaves_the_first_ones() {
        let mut list: Vec<Prompt> =
            (0..30).map(|number| Prompt { text: number.to_string(), ..Prompt::default() }).collect();
        prompts(&mut list);
        withdraw(&mut list, 30, 14);
        let left: Vec<&str> = list.iter().map(|prompt| prompt.text.as_str()).collect();
        assert_eq!(left, ["0", "1", "2"]);
    }
}
