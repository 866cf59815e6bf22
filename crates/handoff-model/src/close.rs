//! The known names nearest to something that was not found.

const CLOSE_ENOUGH: f64 = 0.75;

/// At most `limit` of `known` that look like `wanted`, nearest first; equals stay in their order.
pub fn close_matches<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>, limit: usize) -> Vec<&'a str> {
    let wanted = wanted.to_lowercase();
    let mut close: Vec<(f64, &str)> = known
        .into_iter()
        .map(|name| (likeness(&wanted, &name.to_lowercase()), name))
        .filter(|(likeness, _)| *likeness >= CLOSE_ENOUGH)
        .collect();
    close.sort_by(|one, other| other.0.total_cmp(&one.0));
    close.dedup_by(|one, other| one.1 == other.1);
    close.into_iter().take(limit).map(|(_, name)| name).collect()
}

/// The one of `known` that was most likely meant, if one is close enough to be worth suggesting.
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    close_matches(wanted, known, 1).first().copied()
}

/// Whether a word may have been meant by another: it begins with the same letter, and few others are wrong.
pub fn is_slip(typed: &str, meant: &str) -> bool {
    const WRONG: usize = 2;
    let (typed, meant) = (typed.to_lowercase(), meant.to_lowercase());
    typed.chars().next() == meant.chars().next() && strsim::damerau_levenshtein(&typed, &meant) <= WRONG
}

fn likeness(one: &str, other: &str) -> f64 {
    strsim::jaro_winkler(one, other).max(strsim::normalized_damerau_levenshtein(one, other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_fingers_is_recognised() {
        let names = ["title", "status", "due_date", "priority"];
        assert_eq!(nearest("tilte", names), Some("title"));
        assert_eq!(nearest("due", names), Some("due_date"));
        assert_eq!(nearest("Priorty", names), Some("priority"));
    }

    #[test]
    fn several_matches_come_nearest_first() {
        let names = ["task", "time", "tasks", "plan"];
        assert_eq!(close_matches("tasks", names, 5), ["tasks", "task"]);
        assert_eq!(close_matches("tasks", names, 1), ["tasks"]);
    }

    #[test]
    fn a_slip_keeps_the_first_letter_and_most_others() {
        assert!(is_slip("midleware", "middleware") && is_slip("Tokne", "token"));
        assert!(!is_slip("cafe", "scales") && !is_slip("token", "tokenizers"));
    }

    #[test]
    fn nothing_is_suggested_when_nothing_is_close() {
        assert_eq!(nearest("colour", ["title", "status"]), None);
        assert_eq!(nearest("x", []), None);
    }
}
