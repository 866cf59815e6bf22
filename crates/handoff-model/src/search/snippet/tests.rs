use super::super::Item;
use super::*;

fn shown(query: &str, text: &str, width: usize) -> String {
    let document = Document { item: Item::Task, fields: vec![(Weight::Plain, text.into())] };
    let snippet = snippet(&Query::parse(query), &document, width);
    snippet.pieces().map(|(piece, is_marked)| if is_marked { format!("[{piece}]") } else { piece.to_owned() }).collect()
}

const TEXT: &str = "Everything was fine until the deploy. Then the refresh token was rotated twice within one second, and the \
                    second rotation found the token of the first already spent, so that every client had to log in again.";

#[test]
fn the_window_with_most_of_the_words_is_shown() {
    assert_eq!(shown("refresh token", TEXT, 60), "… Then the [refresh] [token] was rotated twice within one second, …");
    assert_eq!(shown("client", TEXT, 60), "… so that every [client] had to log in again.");
    assert_eq!(shown("nowhere", TEXT, 40), "Everything was fine until the deploy. …");
    assert_eq!(shown("nowhere", "short", 40), "short");
}

#[test]
fn forms_phrases_and_names_are_marked_as_they_stand() {
    assert_eq!(shown("rotating", "it rotates", 40), "it [rotates]");
    assert_eq!(shown("\"refresh token\"", "token, refresh token", 40), "token, [refresh token]");
    assert_eq!(shown("token", "the refreshToken here", 40), "the refresh[Token] here");
    assert_eq!(shown("トークン", "認証トークンの更新とトースト", 40), "認証[トークン]の更新とトースト");
    assert_eq!(shown("cafe", "im CAFE\u{301}!", 40), "im [CAFE\u{301}]!");
    assert_eq!(shown("fine -deploy", "fine deploy", 40), "[fine] deploy");
}

#[test]
fn the_better_of_several_texts_is_shown_and_titles_are_not() {
    let fields = vec![
        (Weight::Title, "token refresh".into()),
        (Weight::Plain, "a token".into()),
        (Weight::Low, "the token is refreshed".into()),
    ];
    let document = Document { item: Item::Task, fields };
    assert_eq!(snippet(&Query::parse("refresh token"), &document, 80).text, "the token is refreshed");
    assert_eq!(snippet(&Query::parse("nothing"), &document, 80).text, "a token");
}

#[test]
fn a_snippet_is_one_line_and_cut_between_characters() {
    assert_eq!(shown("b", " a\r\n\t b \n", 40), "a [b]");
    let family = "👩\u{200d}👩\u{200d}👧";
    for width in 1..40 {
        for text in [family.repeat(20), "e\u{301}".repeat(40), "漢字".repeat(30), "x".repeat(100)] {
            let shown = shown("nothing", &text, width);
            let inner = shown.trim_start_matches("… ").trim_end_matches(" …");
            assert!(text.contains(inner));
            assert!(!inner.starts_with(['\u{301}', '\u{200d}']) && !inner.ends_with('\u{200d}'), "{shown:?}");
            assert!(!inner.ends_with('e') || inner == text, "{shown:?}");
        }
    }
}

#[test]
fn a_huge_text_costs_no_more_than_a_part_of_it() {
    let huge = format!("token {}", "filler word ".repeat(400_000));
    assert!(shown("token", &huge, 80).starts_with("[token] filler word"));
    let late = format!("{} token", "filler ".repeat(400_000));
    assert!(shown("token", &late, 80).starts_with("filler"), "what stands too far back is not looked for");
}
