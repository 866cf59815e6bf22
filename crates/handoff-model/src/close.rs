//! The nearest known names to something that was not found.

/// At most `limit` of `known` that look like `wanted`, nearest first.
pub fn close_matches<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>, limit: usize) -> Vec<&'a str> {
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(f64, &str)> = known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&wanted, &name.to_lowercase()), name))
        .filter(|(score, _)| *score > 0.7)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(limit).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_comes_first() {
        assert_eq!(close_matches("stauts", ["title", "status", "state"], 1), ["status"]);
        assert!(close_matches("zzz", ["title", "status"], 5).is_empty());
    }
}
