//! The known name a person most likely meant.

/// The candidate closest to `word`, if one is close enough to be worth suggesting.
pub fn nearest<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase();
    candidates
        .iter()
        .map(|candidate| (likeness(&word, &candidate.to_lowercase()), *candidate))
        .filter(|(likeness, _)| *likeness >= CLOSE_ENOUGH)
        // The first of equals, so that the answer follows the order of the candidates.
        .fold(None, |best: Option<(f64, &str)>, next| match best {
            Some(best) if best.0 >= next.0 => Some(best),
            _ => Some(next),
        })
        .map(|(_, candidate)| candidate)
}

const CLOSE_ENOUGH: f64 = 0.75;

fn likeness(word: &str, candidate: &str) -> f64 {
    strsim::jaro_winkler(word, candidate)
        .max(strsim::normalized_damerau_levenshtein(word, candidate))
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
    fn nothing_is_suggested_when_nothing_is_close() {
        assert_eq!(nearest("colour", &["title", "status"]), None);
        assert_eq!(nearest("x", &[]), None);
    }
}
