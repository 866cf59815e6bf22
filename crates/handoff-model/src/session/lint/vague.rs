//! Texts that could stand in any handoff.

use crate::words::common::is_of_sentences;

/// Whether a text is made of words alone that say nothing of this project. Conservative: one other word is enough, and
/// what is not known is such a word.
pub(super) fn says_nothing(text: &str) -> bool {
    const FEW: usize = 6;
    let text = text.trim();
    let lower = text.to_lowercase();
    let plain = lower.trim_matches(|c: char| !c.is_alphanumeric());
    if PHRASES.contains(&plain) {
        return true;
    }
    let words = || plain.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let says_little = |word: &str| EMPTY.binary_search(&word).is_ok() || is_of_sentences(word);
    !text.contains(['`', '/', '"', '_']) && words().count() <= FEW && words().all(says_little)
}

/// Whether a decision says why in its own text.
pub(super) fn tells_a_reason(decision: &str) -> bool {
    let lower = format!(" {} ", decision.to_lowercase());
    // After a colon, a dash or in brackets comes what stands behind a decision.
    let has_clause = [": ", " – ", " — ", " - ", "; ", " (", "：", "（"].iter().any(|mark| lower.contains(mark));
    has_clause || decision.trim().contains('\n') || REASONS.iter().any(|word| lower.contains(word))
}

/// Words of work, in order, that leave open what it is about.
#[rustfmt::skip]
const EMPTY: &[&str] = &[
    "bug", "bugs", "change", "changed", "changes", "check", "clean", "cleanup", "close", "closing", "code",
    "coding", "complete", "completed", "continue", "continued", "continuing", "day", "debug", "debugging", "dev",
    "development", "end", "error", "errors", "etc", "feature", "features", "finalize", "finish", "finished",
    "finishing", "fix", "fixed", "fixes", "fixing", "handoff", "implement", "implementation", "improve",
    "improvements", "investigate", "issue", "issues", "left", "misc", "ongoing", "pending", "pick", "polish",
    "problem", "problems", "proceed", "progress", "project", "refactor", "refactoring", "remaining", "rest",
    "resume", "review", "save", "saved", "session", "some", "stuff", "task", "tasks", "tbd", "tested",
    "testing", "todo", "update", "updated", "updates", "various", "where", "wip", "work", "worked",
    "working", "works",
];

/// The same in other languages, as it is mostly put.
#[rustfmt::skip]
const PHRASES: &[&str] = &[
    "weitermachen", "weiter machen", "weiterarbeiten", "fehler beheben", "bugs beheben", "fertig machen", "testen",
    "rest erledigen", "aufräumen", "continuer", "finir le reste", "terminer", "corriger les bugs", "tester",
    "continuar", "terminar el resto", "seguir trabajando", "corregir errores", "probar", "corrigir bugs",
    "terminar o resto", "continuare", "finire il resto", "продолжить", "доделать", "исправить баги", "続き",
    "続ける", "続きをやる", "作業を続ける", "作業の続き", "バグ修正", "テスト", "修正", "作業中", "完了", "继续",
    "繼續", "继续工作", "继续开发", "修复bug", "修复错误", "测试", "完成剩余工作", "已完成", "계속", "계속 진행",
    "버그 수정", "테스트", "작업 중", "완료", "fertig", "erledigt", "terminé", "fini", "hecho", "listo",
];

/// Words that a reason begins with.
#[rustfmt::skip]
const REASONS: &[&str] = &[
    " because ", " since ", " so that ", " as it ", " as we ", " as they ", " due to ", " to avoid ", " to keep ",
    " to prevent ", " to allow ", " in order to ", " otherwise ", " for ", " instead of ", " rather than ",
    " until ", " requires ", " required by ", " needed ", " weil ", " damit ", " da ", " wegen ", " sonst ",
    " statt ", " für ", " parce que ", " car ", " pour ", " afin ", " porque ", " para ", " debido ", " perché ",
    " per ", "потому", "чтобы", "ため", "ので", "から", "因为", "因為", "以便", "避免", "때문", "위해",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_words_are_in_order() {
        assert!(EMPTY.is_sorted_by(|one, other| one < other));
    }

    #[test]
    fn only_what_could_stand_in_any_handoff_says_nothing() {
        for text in [
            "continue",
            "Continue.",
            "Fix bugs",
            "finish the rest",
            "testing",
            "Keep working on it",
            "TODO",
            "wip",
            "Done",
            "...",
            "pick up where we left off",
            "make it better",
            "weiter machen",
            "続き",
            "继续",
            "terminé",
        ] {
            assert!(says_nothing(text), "{text}");
        }
        for text in [
            "Fix refresh test matrix",
            "Fix the tests",
            "Run `cargo test`",
            "Continue in src/auth",
            "Fix issue 31",
            "Write the README",
            "Deploy to staging",
            "Ask Dana",
            "Finish parser",
            "Tests für den Parser",
            "認証の続き",
            "修复登录错误",
            "continue_on_error",
            "Fix \"done\"",
            "Release",
            "nothing is left to do here but celebrating",
        ] {
            assert!(!says_nothing(text), "{text}");
        }
    }

    #[test]
    fn a_reason_may_stand_in_the_decision() {
        for text in [
            "JWT because it is stateless",
            "JWT: stateless",
            "SQLite (no server)",
            "UTC, so that sorting works",
            "JWT、状態を持たないため",
        ] {
            assert!(tells_a_reason(text), "{text}");
        }
        for text in ["JWT over server sessions", "Keep tokens one day", "Use SQLite"] {
            assert!(!tells_a_reason(text), "{text}");
        }
    }
}
