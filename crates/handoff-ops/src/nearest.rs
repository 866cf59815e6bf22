//! The known name a person most likely meant.

/// The candidate closest to `word`, if one is close enough to be worth suggesting.
pub fn nearest<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    close_matches(word, candidates, 1).first().copied()
}

/// The candidates close to `word`, closest first, at most `limit` of them.
pub fn close_matches<'a>(word: &str, candidates: &[&'a str], limit: usize) -> Vec<&'a str> {
    let word = word.to_lowercase();
    let mut close: Vec<(f64, &str)> = candidates
        .iter()
        .map(|candidate| (likeness(&word, &candidate.to_lowercase()), *candidate))
        .filter(|(likeness, _)| *likeness >= CLOSE_ENOUGH)
        .collect();
    // Stable, so that equals stay in the order of the candidates.
    close.sort_by(|one, other| other.0.total_cmp(&one.0));
    close.into_iter().take(limit).map(|(_, candidate)| candidate).collect()
}

const CLOSE_ENOUGH: f64 = 0.75;

fn likeness(word: &str, candidate: &str) -> f64 {
    strsim::jaro_winkler(word, candidate).max(strsim::normalized_damerau_levenshtein(word, candidate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_fingers_is_recognised() {
        let names = ["title", "status", "due_date", "priority"];
        assert_eq!(nearest("tilte", &names), Some("title"));
        assert_eq!(nearest("due", &names), Some("due_date"));
        assert_eq!(nearest("Priorty", &names), Some("priority"));
    }

    #[test]
    fn several_matches_come_closest_first() {
        let names = ["task", "time", "tasks", "plan"];
        assert_eq!(close_matches("tasks", &names, 5), ["tasks", "task"]);
        assert_eq!(close_matches("tasks", &names, 1), ["tasks"]);
    }

    #[test]
    fn nothing_is_suggested_when_nothing_is_close() {
        assert_eq!(nearest("colour", &["title", "status"]), None);
        assert_eq!(nearest("x", &[]), None);
    }
}
