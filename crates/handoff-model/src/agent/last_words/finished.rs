//! Entries of a list that are marked as done: `✅ alpha`, `~~alpha~~`, `(done) alpha`, `alpha — done`.

use super::markers::words;

/// Signs that tick something off.
pub(super) const TICKS: &[char] = &['✅', '✔', '✓', '☑', '🗸', '\u{fe0f}'];
/// Words that say that something is done, in lower case.
const FINISHED: &[&str] = &[
    "done",
    "completed",
    "complete",
    "finished",
    "fixed",
    "implemented",
    "resolved",
    "erledigt",
    "fertig",
    "abgeschlossen",
    "hecho",
    "completado",
    "terminado",
    "feito",
    "concluído",
    "fait",
    "terminé",
    "fatto",
    "completato",
    "сделано",
    "готово",
    "выполнено",
    "завершено",
    "已完成",
    "完成",
    "完了",
    "完了済み",
    "対応済み",
    "완료",
    "완료됨",
];
/// Words that say that something was given up or put off.
const ABANDONED: &[&str] = &[
    "cancelled",
    "canceled",
    "dropped",
    "skipped",
    "postponed",
    "deferred",
    "abandoned",
    "wont do",
    "wont fix",
    "will not do",
    "not doing",
];
/// Words that may stand before such a word: `all done`.
const BEFORE: &[&str] = &[
    "all",
    "already",
    "both",
    "now",
    "alle",
    "alles",
    "bereits",
    "schon",
    "todo",
    "todos",
    "ya",
    "tudo",
    "tout",
    "tous",
    "все",
    "всё",
    "уже",
    "全部",
    "すべて",
    "모두",
    "tutto",
    "tutti",
];
/// Marks between a text and the word that it is done.
const JOINTS: &[&str] = &[" — ", " – ", " - ", ": ", " → ", " -> ", "：", "——"];

/// The text of an entry that is marked as done; `None` where it is not.
pub(super) fn finished(entry: &str) -> Option<&str> {
    let entry = entry.trim();
    let text = ticked(entry).or_else(|| struck(entry)).or_else(|| bracketed(entry)).or_else(|| ends_finished(entry))?;
    // A mark may stand beside another: `✅ ~~alpha~~`.
    let text = struck(text).or_else(|| ends_finished(text)).unwrap_or(text).trim();
    (!text.is_empty()).then_some(text)
}

/// Reports whether an entry says that it was given up or put off: `~~alpha~~ (cancelled)`.
pub(super) fn is_abandoned(entry: &str) -> bool {
    let entry = entry.trim().trim_end_matches(['.', ' ']);
    let is_mark = |mark: &str| {
        let said = words(mark);
        ABANDONED
            .iter()
            .any(|word| said.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
    };
    let struck = entry.strip_prefix("~~").and_then(|rest| rest.split_once("~~")).map(|(_, behind)| behind);
    let bracketed = entry.strip_suffix([')', ']']).and_then(|text| text.rsplit_once(['(', '['])).map(|(_, mark)| mark);
    let joined = JOINTS.iter().find_map(|joint| entry.rsplit_once(*joint)).map(|(_, mark)| mark);
    struck.is_some_and(is_mark)
        || bracketed.is_some_and(is_mark)
        || joined.is_some_and(|mark| ABANDONED.contains(&words(mark).as_str()))
}

/// Reports whether words say no more than that something is done.
pub(super) fn says_finished(text: &str) -> bool {
    let words = words(text);
    let said: Vec<&str> = words.split(' ').skip_while(|word| BEFORE.contains(word)).collect();
    match said.as_slice() {
        [word] | [word, "in", ..] => is_finished_word(word),
        _ => false,
    }
}

/// Reports whether a single word, in lower case, says that something is done.
pub(super) fn is_finished_word(word: &str) -> bool {
    FINISHED.contains(&word)
}

fn ticked(entry: &str) -> Option<&str> {
    let text = entry.trim_matches(TICKS);
    (text.len() < entry.len()).then(|| text.trim())
}

/// The text that is struck through, where what follows only explains why.
fn struck(entry: &str) -> Option<&str> {
    let (text, behind) = entry.strip_prefix("~~")?.split_once("~~")?;
    let behind = behind.trim_start();
    let is_all = !behind.starts_with(char::is_alphanumeric) || says_finished(behind);
    is_all.then_some(text)
}

/// The text behind or before `(done)`.
fn bracketed(entry: &str) -> Option<&str> {
    for (open, close) in [('(', ')'), ('[', ']'), ('（', '）'), ('【', '】')] {
        if let Some((mark, text)) = entry.strip_prefix(open).and_then(|rest| rest.split_once(close))
            && says_finished(mark)
        {
            return Some(text.trim_start_matches([':', '-', '–', '—', ' ']));
        }
        let end = entry.trim_end_matches(['.', '。', ' ']);
        if let Some((text, mark)) = end.strip_suffix(close).and_then(|rest| rest.rsplit_once(open))
            && says_finished(mark)
        {
            return Some(text.trim_end());
        }
    }
    None
}

fn ends_finished(entry: &str) -> Option<&str> {
    let split = |joint: &&str| entry.rsplit_once(*joint).filter(|(_, mark)| says_finished(mark));
    JOINTS.iter().find_map(split).map(|(text, _)| text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_what_is_done_are_taken_off() {
        for entry in [
            "✅ alpha",
            "✔️ alpha",
            "☑ alpha",
            "alpha ✅",
            "~~alpha~~",
            "~~alpha~~ (in 3f2a)",
            "~~alpha~~ done",
            "✅ ~~alpha~~",
            "(done) alpha",
            "[DONE] alpha",
            "(done): alpha",
            "alpha (done)",
            "alpha (already fixed).",
            "alpha (done in 3f2a)",
            "alpha — done",
            "alpha - Done.",
            "alpha: done ✅",
            "✅ alpha — erledigt",
            "alpha（完了）",
            "alpha：已完成",
        ] {
            assert_eq!(finished(entry), Some("alpha"), "{entry}");
        }
        for entry in [
            "alpha",
            "Mark the task as done",
            "alpha (not done)",
            "alpha — not done yet",
            "alpha — done by Friday",
            "~~old~~ new name",
            "Say when it is done: print a line",
            "✅",
            "",
        ] {
            assert_eq!(finished(entry), None, "{entry}");
        }
    }
}
