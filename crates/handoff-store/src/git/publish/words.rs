//! What git, its hooks and the other side said, fit to be told.
//!
//! **Invariant:** one bounded line, without control characters and without the password of an address.

/// How many lines are told, of the last ones: what went wrong stands at the end.
const LINES: usize = 6;

/// How long each line may be.
const LETTERS: usize = 240;

/// What git adds to every trouble with a remote, whatever the trouble is.
const EVERY_TIME: [&str; 2] = ["Please make sure you have the correct access rights", "and the repository exists"];

/// What was said, its lines as parts of one sentence.
pub(super) fn words(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.split(['\n', '\r']).map(plain);
    let is_told =
        |line: &String| !line.is_empty() && !line.starts_with("hint:") && !EVERY_TIME.iter().any(|known| line == known);
    let lines: Vec<String> = lines.filter(is_told).collect();
    let last = &lines[lines.len().saturating_sub(LINES)..];
    last.join("; ")
}

/// A name or path, letter by letter, but for what a terminal would obey.
pub(super) fn name(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).chars().filter(|letter| !letter.is_control()).take(LETTERS).collect()
}

/// A name as a word of a command that can be copied.
pub(super) fn argument(name: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./+@".contains(letter);
    if name.chars().all(is_plain) { name.to_owned() } else { format!("'{}'", name.replace('\'', "'\\''")) }
}

fn plain(line: &str) -> String {
    let line = line.trim();
    let line = line.strip_prefix("fatal: ").or_else(|| line.strip_prefix("error: ")).unwrap_or(line);
    let line: String = line.chars().filter(|letter| !letter.is_control()).take(LETTERS).collect();
    let line = without_passwords(line.trim());
    match line.strip_suffix('.') {
        Some(sentence) if !sentence.ends_with('.') => sentence.to_owned(),
        _ => line,
    }
}

/// Leaves out what stands between `://` and the `@` of an address.
fn without_passwords(line: &str) -> String {
    let mut told = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        told.push_str(before);
        let end = after.find(|letter: char| letter.is_whitespace() || "/'\"".contains(letter)).unwrap_or(after.len());
        rest = match after[..end].rfind('@') {
            Some(user) => &after[user + 1..],
            None => after,
        };
    }
    told + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_told_without_what_could_mislead() {
        let said = b"hint: do this\n\x1b[31mfatal: no \x07way\r\nremote: denied\n\n";
        assert_eq!(words(said), "[31mfatal: no way; remote: denied");
        let many = (0..50).map(|line| format!("line {line}")).collect::<Vec<_>>().join("\n");
        assert_eq!(words(many.as_bytes()), "line 44; line 45; line 46; line 47; line 48; line 49");
        assert!(words("x".repeat(10_000).as_bytes()).len() <= LETTERS);
    }

    #[test]
    fn lines_read_as_parts_of_one_sentence() {
        let said =
            b"fatal: 'x' does not appear to be a git repository\nfatal: Could not read from remote repository.\n\n\
            Please make sure you have the correct access rights\nand the repository exists.\n";
        assert_eq!(words(said), "'x' does not appear to be a git repository; Could not read from remote repository");
        assert_eq!(words(b"and so on..."), "and so on...");
    }

    #[test]
    fn names_stay_as_they_are() {
        assert_eq!((name(b"."), name(b"fatal: a\x1b.")), (".".to_owned(), "fatal: a.".to_owned()));
        assert_eq!((argument("feature/x"), argument("it's;x")), ("feature/x".to_owned(), "'it'\\''s;x'".to_owned()));
    }

    #[test]
    fn passwords_in_addresses_are_left_out() {
        let told = words(b"unable to access 'https://me:geheim@host/a.git/': no; see ssh://x@y and https://z");
        assert_eq!(told, "unable to access 'https://host/a.git/': no; see ssh://y and https://z");
    }
}
