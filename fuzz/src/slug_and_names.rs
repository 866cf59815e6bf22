//! Any text in place of a title, a name or a directory's name.

use handoff_model::id::TaskId;
use handoff_model::name::{read_name, stable_name, status_name};
use handoff_model::number::Number;
use handoff_model::slug::{MAX_BYTES, slug};
use handoff_model::task::Status;
use handoff_model::text::{Name, OneLine, Prose, Title};

use crate::choices::Choices;

/// The first bytes choose a number, a status and an id; the rest is the text.
pub fn run(data: &[u8]) {
    const CHOOSING: usize = 12;
    let (choosing, text) = data.split_at(data.len().min(CHOOSING));
    let Ok(text) = std::str::from_utf8(text) else { return };
    let mut choices = Choices::new(choosing);
    let depth = choices.below(handoff_model::MAX_DEPTH) + 1;
    let mut number: Option<Number> = None;
    for level in 0..depth {
        let ordinal = if level % 4 == 3 { 999_999_999 } else { u32::from(choices.byte()) + 1 };
        number = Some(Number::under(number.as_ref(), ordinal));
    }
    let id = TaskId::from_random([choices.byte(); 8]);
    check_slug(text);
    check_names(text, &number.expect("there is one level at least"), choices.pick(Status::ALL), id);
    check_texts(text);
    let _ = read_name(text);
}

fn check_slug(title: &str) {
    let made = slug(title);
    assert_eq!(slug(&made), made, "{title:?}");
    assert!(!made.is_empty() && made.len() <= MAX_BYTES, "{title:?}");
    assert!(made.chars().all(|c| c.is_alphanumeric() || c == '-'), "{title:?}");
    assert!(!made.starts_with('-') && !made.ends_with('-') && !made.contains("--"), "{title:?}");
    assert!(!["con", "prn", "aux", "nul", "com1", "lpt9"].contains(&made.as_str()), "{title:?}");
}

fn check_names(title: &str, number: &Number, status: Status, id: TaskId) {
    let name = status_name(number, status, title);
    let parts = read_name(&name);
    assert_eq!((parts.number.as_ref(), parts.status), (Some(number), Some(status)), "{name:?}");
    check_file_name(&name);
    let name = stable_name(title, id);
    assert_eq!(read_name(&name).id, Some(id), "{name:?}");
    check_file_name(&name);
}

fn check_file_name(name: &str) {
    assert!(name.len() <= 255 && !name.starts_with('.'), "{name:?}");
    assert!(!name.chars().any(|c| c.is_control() || "/\\:*?\"<>|".contains(c)), "{name:?}");
}

fn check_texts(text: &str) {
    for checked in [
        text.parse::<Title>().map(String::from),
        text.parse::<Name>().map(String::from),
        text.parse::<OneLine>().map(String::from),
    ]
    .into_iter()
    .flatten()
    {
        assert!(!checked.chars().any(is_dangerous), "{text:?}");
        assert!(!checked.contains(['\u{2028}', '\u{2029}']), "{text:?}");
        assert!(!checked.is_empty() && checked.trim() == checked, "{text:?}");
        assert_eq!(checked.parse::<OneLine>().map(String::from).as_ref(), Ok(&checked));
    }
    if let Ok(prose) = text.parse::<Prose>() {
        assert!(!prose.as_str().chars().any(|c| is_dangerous(c) && !"\n\r\t".contains(c)), "{text:?}");
        assert_eq!(prose.as_str().parse::<Prose>().as_ref(), Ok(&prose));
    }
}

/// C0, C1, delete, and what turns the direction of text around.
fn is_dangerous(c: char) -> bool {
    matches!(c, '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
