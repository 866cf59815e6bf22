//! Times as other systems write them.

use handoff_model::when::Moment;

/// How far ahead of the clock a time may lie before it is not believed.
const LEEWAY_SECONDS: i64 = 24 * 60 * 60;

/// Reads a time: RFC 3339, SQLite's forms, and what Go prints, with zone name and clock reading.
pub(crate) fn read(text: &str) -> Option<Moment> {
    let text = text.trim();
    // Go adds the reading of a clock that only the process itself understands.
    let text = text.split(" m=").next().unwrap_or(text).trim_end();
    let named = text.rsplit_once(' ').filter(|(_, zone)| zone.chars().all(|c| c.is_ascii_alphabetic()));
    let text = named.map_or(text, |(front, _)| front);
    if !text.is_ascii() || text.len() < "2026-11-15T18:31:46".len() {
        return None;
    }
    let (date, rest) = text.split_at(10);
    let clock = rest.strip_prefix(['T', 't', ' '])?;
    let offset = clock.find(['+', '-', 'Z', 'z', ' ']).unwrap_or(clock.len());
    let (clock, offset) = clock.split_at(offset);
    let offset = match offset.trim() {
        "" | "Z" | "z" => "Z".to_owned(),
        // Go leaves the colon out, and says the offset again where a zone has no name.
        offset if offset.len() >= 5 && offset.as_bytes()[3] != b':' => format!("{}:{}", &offset[..3], &offset[3..5]),
        offset => offset.to_owned(),
    };
    format!("{date}T{clock}{offset}").parse::<jiff::Timestamp>().ok().map(Moment::precise)
}

/// Whether a time lies further ahead than clocks differ.
pub(crate) fn is_implausible(at: Moment, now: Moment) -> bool {
    at.timestamp().as_second().saturating_sub(now.timestamp().as_second()) > LEEWAY_SECONDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_read_as_the_same_time() {
        for text in [
            "2026-11-15 18:31:42.5 +0000 UTC m=+0.012345678",
            "2026-11-15 18:31:42.5 +0000 UTC",
            "2026-11-15 19:31:42.5 +0100 CET",
            "2026-11-15 19:31:42.5 +0100 +0100",
            "2026-11-15T18:31:42.5Z",
            "2026-11-15T18:31:42.500000+00:00",
            "2026-11-15 18:31:42.5+00:00",
            "2026-11-15 18:31:42.5",
            " 2026-11-15T18:31:42.5 ",
        ] {
            let read = read(text).map(|at| at.to_string());
            assert_eq!(read.as_deref(), Some("2026-11-15T18:31:42.5Z"), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_none() {
        let wrong = ["", "x", "tomorrow at noon, perhaps", "2026-13-15 18:31:42", "2026-11-15", "2026-11-15T18:31:99Z"];
        for text in wrong.into_iter().chain(["日本語日本語日本語"]) {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
