use super::*;

const PATH: &str = "layer1/2026-11/auth-2026-11-15.md";

fn made(above: &[u8], text: &str) -> Vec<u8> {
    put_together(PATH, above, Layer::Notes, "2026-11-15", text)
}

#[test]
fn ordinary_tags_are_named_as_ever_and_no_tag_leads_anywhere() {
    for (tag, name) in [
        ("general", "general"),
        ("API", "API"),
        ("a/b c", "a-b_c"),
        ("v1.2", "v1.2"),
        ("größe", "größe"),
        ("..", "_."),
        (".git", "_git"),
        ("../../etc/passwd", "_.-..-etc-passwd"),
        ("a\\b:c\nd\0e", "a-b-c-d-e"),
        ("x\u{202e}y", "x-y"),
    ] {
        assert_eq!(tag_name(tag), name, "{tag:?}");
    }
    let (one, other) = ("x".repeat(300), format!("{}y", "x".repeat(299)));
    assert!(tag_name(&one).len() <= LONGEST_TAG && tag_name(&one) != tag_name(&other));
    assert!(tag_name(&"界".repeat(300)).len() <= LONGEST_TAG);
    assert_eq!(note_path("2026-11-15", "auth"), PATH);
    assert_eq!(archive_path("2026-10", "auth"), "layer3/2026-10-auth-archive.md");
}

#[test]
fn what_others_wrote_comes_out_byte_for_byte() {
    for above in [&b""[..], b"theirs\n", b"theirs", b"theirs\r\n", b"theirs\r", b"\xff\xfe no text", b"\n"] {
        let bytes = made(above, "ours\n");
        let parts = take_apart(PATH, Layer::Notes, &bytes).unwrap();
        assert_eq!(parts, Parts { above, below: b"ours\n", is_intact: true });
        assert_eq!(of_others(Layer::Notes, &bytes), Some(above));
        assert_eq!(put_together(PATH, parts.above, Layer::Notes, "2026-11-15", "ours\n"), bytes);
    }
    assert_eq!(take_apart(PATH, Layer::Notes, b"theirs\n<!-- handoff: their own comment -->\n"), None);
}

#[test]
fn a_mark_is_whole_only_above_its_text_and_in_its_file() {
    let bytes = made(b"", "ours\n");
    let intact = |path: &str, bytes: &[u8]| take_apart(path, Layer::Notes, bytes).map(|parts| parts.is_intact);
    assert_eq!(intact(PATH, &bytes), Some(true));
    assert_eq!(intact("layer1/2026-11/copy.md", &bytes), Some(false));
    assert_eq!(intact(PATH, &[&bytes[..], b"mine\n"].concat()), Some(false));
    assert_eq!(take_apart(PATH, Layer::Archive, &bytes), None, "it is of another layer");
    let windows = String::from_utf8(made(b"theirs", "ours\nmore\n")).unwrap().replace('\n', "\r\n");
    let parts = take_apart(PATH, Layer::Notes, windows.as_bytes()).unwrap();
    assert!(parts.is_intact && parts.above == b"theirs", "git turned its line ends");
}

#[test]
fn a_mark_that_others_quote_is_not_taken_for_ours() {
    let quoted = made(b"", "old\n");
    let bytes = made(&quoted, "ours\n");
    let parts = take_apart(PATH, Layer::Notes, &bytes).unwrap();
    assert_eq!((parts.above, parts.below, parts.is_intact), (&quoted[..], &b"ours\n"[..], true));
    let state = put_together(STATE_PATH, b"", Layer::State, "2026-11-15", "text\n");
    let inner = put_together(STATE_PATH, &state, Layer::State, "2026-11-15", "more\n");
    assert!(!take_apart(STATE_PATH, Layer::State, &inner).unwrap().is_intact);
    assert_eq!(take_apart(STATE_PATH, Layer::State, &[b"theirs\n", &state[..]].concat()), None);
}
