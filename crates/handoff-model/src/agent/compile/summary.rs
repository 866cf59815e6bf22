//! The summary: what was asked, what was changed, what the checks said, how it ended.

use super::super::{Digest, Prompt, Todo, TodoStatus};
use super::commands::{Outcome, Runs};
use super::files::File;
use super::spoken::SpokenTurn;
use super::title::is_courtesy;
use super::{Compiled, words};

/// The beginning of the line about checks, and the word for one that does not pass.
pub(super) const CHECKS_LINE: &str = "Checks: ";
pub(super) const FAILS: &str = "fails";

const ASKED: usize = 200;
const FILES: usize = 160;
const CHECKS: usize = 240;
const ANSWER: usize = 240;

/// The most files that are named in the summary.
const MOST_FILES: usize = 6;
/// The most commands that are named in the summary.
const MOST_CHECKS: usize = 3;

impl Compiled {
    /// Says whether there was work: something asked for, changed or checked.
    pub(super) fn take_summary(
        &mut self,
        digest: &Digest,
        turns: &[SpokenTurn],
        files: &[File],
        runs: &[Runs],
    ) -> bool {
        let mut lines = Vec::new();
        lines.extend(self.asked(digest));
        lines.extend(self.changed(digest, files));
        lines.extend(self.checked(runs));
        if lines.is_empty() {
            lines.extend(self.completed(digest));
        }
        let is_work = !lines.is_empty();
        lines.extend(self.ended(digest, turns));
        self.summary = lines.join("\n");
        is_work
    }

    fn asked(&mut self, digest: &Digest) -> Option<String> {
        let said = |prompt: &&Prompt| !words::is_noise(&prompt.text);
        let first = digest.prompts.iter().find(said)?;
        let last = digest.prompts.iter().rev().find(said).filter(|last| *last != first);
        let mut text = quoted(&first.text, ASKED);
        self.took("summary", &format!("asked {text}"), first.line);
        if let Some(last) = last {
            let then = quoted(&last.text, ASKED);
            self.took("summary", &format!("asked last {then}"), last.line);
            text = match digest.asked {
                0..=2 => format!("{text}, then {then}"),
                more => format!("{text}, at last {then} ({more} requests)"),
            };
        }
        Some(format!("Asked: {text}"))
    }

    fn changed(&mut self, digest: &Digest, files: &[File]) -> Option<String> {
        let changed: Vec<&File> = files.iter().filter(|file| file.is_changed()).collect();
        let mut text = String::new();
        let mut named = 0;
        for file in changed.iter().take(MOST_FILES) {
            if named > 0 && text.len() + file.place.path.len() > FILES {
                break;
            }
            text = if text.is_empty() { file.place.path.clone() } else { format!("{text}, {}", file.place.path) };
            named += 1;
        }
        let unkept = digest.crowded_out.about();
        let more = changed.len() - named + unkept;
        // Whether those that are not kept were all in the project nobody can tell any more.
        let about = match (unkept, digest.crowded_out.is_full()) {
            (0, _) => "",
            (_, false) => "about ",
            (_, true) => "more than ",
        };
        if named == 0 {
            return None;
        }
        let text = words::cut(&text, FILES);
        let line =
            if more > 0 { format!("Changed: {text} and {about}{more} more") } else { format!("Changed: {text}") };
        self.took("summary", &line, changed[0].line);
        Some(line)
    }

    fn checked(&mut self, runs: &[Runs]) -> Option<String> {
        let mut said = Vec::new();
        let is_told = |runs: &&Runs| (runs.check.is_check() && runs.last != Outcome::Unknown) || runs.is_broken();
        for runs in runs.iter().rev().filter(is_told).take(MOST_CHECKS) {
            let shown = runs.shown(70);
            let text = match runs.last {
                Outcome::Passed if runs.failed > 0 => format!("{shown} failed, then passed"),
                Outcome::Passed => format!("{shown} passed"),
                Outcome::Failed(_) => format!("{shown} {FAILS}{}", runs.exit()),
                Outcome::Unknown => continue,
            };
            self.took("summary", &text, runs.line);
            said.push(text);
        }
        (!said.is_empty()).then(|| format!("{CHECKS_LINE}{}", words::cut(&said.join("; "), CHECKS)))
    }

    /// Entries of the agent's list that are done, where nothing else tells of work.
    fn completed(&mut self, digest: &Digest) -> Option<String> {
        let completed = digest.todos.iter().filter(|todo| todo.status == TodoStatus::Completed);
        let completed: Vec<&Todo> = completed.filter(|todo| !words::is_about_session(&todo.text)).collect();
        let texts: Vec<&str> = completed.iter().map(|todo| todo.text.as_str()).collect();
        let text = words::one_line(&texts.join("; "), CHECKS);
        if text.is_empty() {
            return None;
        }
        self.took("summary", &text, completed[0].line);
        Some(format!("Completed: {text}"))
    }

    fn ended(&mut self, digest: &Digest, turns: &[SpokenTurn]) -> Option<String> {
        let failure = digest.failures.last();
        let is_after = |line: Option<u64>| digest.answer.as_ref().is_none_or(|answer| line > answer.line);
        if let Some(failure) =
            failure.filter(|failure| digest.is_unfinished && !digest.is_under_way && is_after(failure.line))
        {
            let text = words::one_line(&failure.what, ANSWER);
            self.took("summary", &text, failure.line);
            return Some(format!("Broken off: {text}"));
        }
        let mut told = turns.iter().rev().filter(|turn| !is_courtesy(&turn.words.report));
        let last = if digest.is_unfinished { turns.last() } else { told.find(|turn| !turn.words.report.is_empty()) };
        let said = last.map(|turn| (words::first_sentences(&turn.words.report, ANSWER), turn.line));
        let said = said.filter(|(text, _)| !text.is_empty());
        if let Some((text, line)) = &said {
            self.took("summary", text, *line);
        }
        let said = said.map(|(text, _)| text);
        if digest.is_under_way {
            return said.map(|text| format!("Said so far: {text}"));
        }
        match (digest.is_unfinished, said) {
            (true, Some(text)) => Some(format!("Broken off in the middle of the last request; said before: {text}")),
            (true, None) if !digest.prompts.is_empty() => {
                Some("Broken off in the middle of the last request".to_owned())
            }
            (false, Some(text)) => Some(format!("Ended: {text}")),
            (_, None) => None,
        }
    }
}

fn quoted(text: &str, limit: usize) -> String {
    format!("\"{}\"", words::one_line(text, limit).replace('"', "'"))
}
