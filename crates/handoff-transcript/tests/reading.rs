//! Reading on from a mark: bounded work, gaps, files that are replaced, lines that are none.
#![expect(clippy::unwrap_used, reason = "a test fails where it must")]

mod common;

use common::{fixture, prompts, put, read_text};
use handoff_model::agent::{Digest, Host};
use handoff_transcript::{Mark, Piece, Source, Unreadable, read, read_on, recognise};

const SESSION: &str = "claude-code/projects/-home-dev-my-app/e01eb16d-743e-4733-ab5c-2d3ced54786e.jsonl";

struct Growing {
    folder: tempfile::TempDir,
    source: Source,
}

impl Growing {
    fn new(host: Host) -> Growing {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        Growing { folder, source: Source { host, path, session: None } }
    }

    fn put(&self, text: impl AsRef<[u8]>) {
        assert!(self.folder.path().is_dir());
        put(&self.source.path, text);
    }

    fn read_on(&self, mark: &Mark, limit: u64) -> Piece {
        let piece = read_on(&self.source, mark, limit).unwrap();
        assert!(piece.to - piece.from <= limit, "{} bytes were read, {limit} allowed", piece.to - piece.from);
        let kept = serde_json::from_str(&serde_json::to_string(&piece.mark).unwrap()).unwrap();
        assert_eq!(piece.mark, kept, "a mark is what was written down of it");
        piece
    }
}

fn prompt(number: u32) -> String {
    format!(
        "{{\"type\":\"user\",\"sessionId\":\"s\",\"promptSource\":\"typed\",\"message\":{{\"role\":\"user\",\"content\":\"prompt {number}\"}}}}\n"
    )
}

/// The digests of pieces in the order in which they stand in the file.
fn joined(mut pieces: Vec<Piece>) -> Digest {
    pieces.sort_by_key(|piece| piece.from);
    let mut all = Digest::default();
    for piece in pieces {
        all.join(piece.digest);
    }
    all
}

fn without_lines(mut digest: Digest) -> Digest {
    digest.prompts.iter_mut().for_each(|prompt| prompt.line = None);
    digest.files.iter_mut().for_each(|file| file.line = None);
    digest.commands.iter_mut().for_each(|ran| ran.line = None);
    digest.todos.iter_mut().for_each(|todo| todo.line = None);
    digest.failures.iter_mut().for_each(|failure| failure.line = None);
    let said = [&mut digest.answer, &mut digest.plan].into_iter().flatten();
    said.chain(&mut digest.earlier_answers).for_each(|said| said.line = None);
    digest
}

#[test]
fn a_byte_order_mark_hides_no_line() {
    let text = format!("\u{feff}{}{}", prompt(0), prompt(1));
    let whole = read_text(Host::ClaudeCode, &text);
    assert_eq!((prompts(&whole.digest), whole.unreadable), (vec!["prompt 0", "prompt 1"], 0));
    let growing = Growing::new(Host::ClaudeCode);
    growing.put(&text);
    let newest = growing.read_on(&Mark::default(), 150);
    assert_eq!(prompts(&newest.digest), ["prompt 1"]);
    assert_eq!(prompts(&growing.read_on(&newest.mark, 150).digest), ["prompt 0"], "the first line, read last");
    assert_eq!(recognise(&growing.source.path), Some(Host::ClaudeCode));
}

#[test]
fn a_long_file_is_read_from_its_end_first_and_its_beginning_later() {
    let growing = Growing::new(Host::ClaudeCode);
    let text: Vec<String> = (0..100).map(prompt).collect();
    growing.put(text.concat());
    let limit = 1_000;
    let mut pieces = vec![growing.read_on(&Mark::default(), limit)];
    assert!(pieces[0].is_behind);
    assert_eq!(pieces[0].to, text.concat().len() as u64);
    assert_eq!(prompts(&pieces[0].digest).last(), Some(&"prompt 99"));
    assert_eq!(pieces[0].digest.prompts[0].line, None, "how many lines are before it is not known");
    while pieces.last().unwrap().is_behind {
        let piece = growing.read_on(&pieces.last().unwrap().mark, limit);
        assert!(piece.to > piece.from, "each call gets further");
        pieces.push(piece);
    }
    assert_eq!(pieces[1].from, 0);
    assert_eq!(pieces[1].digest.prompts[0].line, Some(1));

    growing.put(text.concat() + &prompt(100));
    pieces.push(growing.read_on(&pieces.last().unwrap().mark, limit));
    let newest = &pieces.last().unwrap().digest.prompts[0];
    assert_eq!((newest.text.as_str(), newest.line), ("prompt 100", Some(101)));
    assert!(!pieces.last().unwrap().is_behind);

    let lines: u64 = pieces.iter().map(|piece| piece.lines).sum();
    assert_eq!(lines, 101);
    assert_eq!(without_lines(joined(pieces)), without_lines(read(&growing.source).unwrap().digest));
}

#[test]
fn the_newest_comes_first_even_when_older_parts_are_missing() {
    let growing = Growing::new(Host::ClaudeCode);
    let mut text: String = (0..100).map(prompt).collect::<Vec<_>>().concat();
    growing.put(&text);
    let mut pieces = vec![growing.read_on(&Mark::default(), 500)];
    for number in 100..300 {
        text.push_str(&prompt(number));
        if number % 20 == 0 {
            growing.put(&text);
            pieces.push(growing.read_on(&pieces.last().unwrap().mark, 500));
        }
    }
    growing.put(&text);
    while pieces.last().unwrap().is_behind {
        pieces.push(growing.read_on(&pieces.last().unwrap().mark, 500));
        assert!(serde_json::to_string(&pieces.last().unwrap().mark).unwrap().len() < 4_000);
    }
    assert_eq!(without_lines(joined(pieces)), without_lines(read(&growing.source).unwrap().digest));
}

#[test]
fn what_a_call_came_to_is_found_across_a_gap() {
    let text = std::fs::read_to_string(fixture(SESSION)).unwrap();
    let growing = Growing::new(Host::ClaudeCode);
    growing.put(&text);
    let whole = without_lines(read(&growing.source).unwrap().digest);
    for limit in [40_000, 50_000, 61_000, 73_000, 90_000, 150_000] {
        let mut pieces = vec![growing.read_on(&Mark::default(), limit)];
        while pieces.last().unwrap().is_behind {
            pieces.push(growing.read_on(&pieces.last().unwrap().mark, limit));
        }
        let mut found = without_lines(joined(pieces));
        // One answer may have lines on both sides of the gap, each with its tokens.
        let more = found.tokens.sum.input - whole.tokens.sum.input;
        assert!(more < 20_000, "{more}");
        found.tokens = whole.tokens;
        assert_eq!(found, whole, "limit {limit}");
    }
}

#[test]
fn a_file_that_was_replaced_or_cut_short_is_read_anew() {
    let growing = Growing::new(Host::ClaudeCode);
    growing.put(prompt(1) + &prompt(2));
    let first = growing.read_on(&Mark::default(), 1 << 20);
    assert!(!first.is_restarted);
    growing.put(prompt(1));
    let shorter = growing.read_on(&first.mark, 1 << 20);
    assert!(shorter.is_restarted);
    assert_eq!((shorter.from, prompts(&shorter.digest)), (0, vec!["prompt 1"]));

    growing.put(prompt(7) + &prompt(8) + &prompt(9));
    let other = growing.read_on(&shorter.mark, 1 << 20);
    assert!(other.is_restarted);
    assert_eq!(prompts(&other.digest), ["prompt 7", "prompt 8", "prompt 9"]);
    let again = growing.read_on(&other.mark, 1 << 20);
    assert_eq!((again.is_restarted, again.digest, again.lines), (false, Digest::default(), 0));
}

#[test]
fn each_piece_says_whose_it_is() {
    for (host, name) in [(Host::ClaudeCode, SESSION), (Host::Codex, "codex/classic.jsonl")] {
        let text = std::fs::read_to_string(fixture(name)).unwrap();
        let growing = Growing::new(host);
        growing.put(&text[..=text.rfind("\n{").unwrap()]);
        let first = growing.read_on(&Mark::default(), 1 << 20);
        growing.put(&text);
        let last = growing.read_on(&first.mark, 1 << 20);
        assert_eq!((last.lines, &last.digest.about), (1, &first.digest.about), "{name}");
        let alone = growing.read_on(&Mark::default(), 9_000);
        assert_eq!(alone.digest.about.session, first.digest.about.session, "{name}");
    }
}

#[test]
fn an_empty_file_is_nothing_yet() {
    let growing = Growing::new(Host::Codex);
    growing.put("");
    let piece = growing.read_on(&Mark::default(), 1 << 20);
    assert_eq!((piece.digest, piece.is_behind), (Digest::default(), false));
    growing.put("{\"timestamp\":\"2026-11-15T19:58:24Z\",\"type\":\"event_msg\",\"payload\":{\"type\":\"user_message\",\"message\":\"hi\"}}\n");
    let piece = growing.read_on(&piece.mark, 1 << 20);
    assert!(!piece.is_restarted);
    assert_eq!(prompts(&piece.digest), ["hi"]);
}

#[test]
fn a_line_longer_than_may_be_read_at_once_is_passed_over() {
    let growing = Growing::new(Host::ClaudeCode);
    let giant = format!("{{\"type\":\"user\",\"message\":\"{}\"}}\n", "x".repeat(10_000));
    growing.put(prompt(1) + &giant + &prompt(2));
    let mut pieces = vec![growing.read_on(&Mark::default(), 300)];
    assert_eq!(prompts(&pieces[0].digest), ["prompt 2"]);
    while pieces.last().unwrap().is_behind {
        pieces.push(growing.read_on(&pieces.last().unwrap().mark, 300));
        assert!(pieces.len() < 60, "it comes to an end");
    }
    assert_eq!(pieces.iter().map(|piece| piece.unreadable).sum::<u64>(), 1);
    assert_eq!(pieces.iter().map(|piece| piece.lines).sum::<u64>(), 3);
    assert_eq!(prompts(&joined(pieces)), ["prompt 1", "prompt 2"]);
}

#[test]
fn a_giant_line_that_is_still_being_written_holds_nothing_up() {
    let growing = Growing::new(Host::ClaudeCode);
    let half = format!("{{\"type\":\"user\",\"message\":\"{}", "x".repeat(10_000));
    growing.put(prompt(1) + &half);
    let mut mark = Mark::default();
    let mut found = Vec::new();
    for _ in 0..50 {
        let piece = growing.read_on(&mark, 300);
        mark = piece.mark.clone();
        found.push(piece);
    }
    growing.put(prompt(1) + &half + "\"}\n" + &prompt(2));
    let mut piece = growing.read_on(&mark, 300);
    while piece.is_behind {
        mark = piece.mark.clone();
        found.push(piece);
        piece = growing.read_on(&mark, 300);
    }
    found.push(piece);
    assert_eq!(prompts(&joined(found)), ["prompt 1", "prompt 2"]);
}

#[test]
fn what_is_no_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let source = |path: std::path::PathBuf| Source { host: Host::ClaudeCode, path, session: None };
    assert!(matches!(read(&source(folder.path().join("none"))), Err(Unreadable::Missing { .. })));
    assert!(matches!(read(&source(folder.path().to_owned())), Err(Unreadable::Foreign { .. })));
    assert!(matches!(read_on(&source(folder.path().to_owned()), &Mark::default(), 9), Err(Unreadable::Foreign { .. })));
    #[cfg(unix)]
    assert!(matches!(read(&source("/dev/zero".into())), Err(Unreadable::Foreign { .. })));
}

#[test]
fn a_transcript_without_a_line_end_at_its_end_is_read_whole() {
    let text = prompt(1) + prompt(2).trim_end();
    let read = read_text(Host::ClaudeCode, &text);
    assert_eq!((read.lines, read.unreadable), (2, 0));
    assert_eq!(prompts(&read.digest), ["prompt 1", "prompt 2"]);
    let cut = read_text(Host::ClaudeCode, &text[..text.len() - 3]);
    assert_eq!((cut.lines, cut.unreadable, prompts(&cut.digest)), (1, 0, vec!["prompt 1"]));
}
