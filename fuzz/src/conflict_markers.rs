//! Files in which git left conflict markers, whole and broken.

use handoff_model::conflict::{first_marker, split};

use crate::choices::Choices;

/// Lines of a file; some look like markers and are none.
const LINES: &[&str] = &[
    "a = 1",
    "",
    "<<<<<< HEAD",
    "<<<<<<<< HEAD",
    "<<<<<<<HEAD",
    " <<<<<<< HEAD",
    "========",
    ">>>>>>",
    "text = \"======= \"",
    "ü 🙂",
];

/// Any bytes at all.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Some(conflict) = split(text) else { return };
    assert_eq!(first_marker(text), Some(conflict.line));
    assert!(conflict.ours.len() < text.len() && conflict.theirs.len() < text.len());
    // Each side consists of lines of the file, in their order.
    for side in [&conflict.ours, &conflict.theirs] {
        let mut lines = text.split_inclusive('\n');
        assert!(side.split_inclusive('\n').all(|line| lines.any(|other| other == line)), "{text}");
    }
}

/// A file made of known parts comes apart into them.
pub fn comes_apart(choices: &mut Choices) {
    let end = choices.pick(&["\n", "\r\n"]);
    let (mut text, mut ours, mut theirs) = (String::new(), String::new(), String::new());
    let mut first = None;
    for _ in 0..choices.below(5) {
        let mut same = part(choices, end);
        if choices.once_in(4) {
            // The line under a heading is no marker where no conflict is open.
            same.extend(["=======", end]);
        }
        text.push_str(&same);
        ours.push_str(&same);
        theirs.push_str(&same);
        if choices.flag() {
            first.get_or_insert(text.lines().count() + 1);
            let (our, their) = (part(choices, end), part(choices, end));
            text.extend(["<<<<<<< HEAD", end, &our]);
            if choices.flag() {
                text.extend(["||||||| base", end, &part(choices, end)]);
            }
            text.extend(["=======", end, &their, ">>>>>>> topic", end]);
            ours.push_str(&our);
            theirs.push_str(&their);
        }
    }
    let conflict = split(&text);
    assert_eq!(conflict.as_ref().map(|conflict| conflict.line), first, "{text}");
    assert_eq!(first_marker(&text), first, "{text}");
    if let Some(conflict) = conflict {
        assert_eq!((conflict.ours, conflict.theirs), (ours, theirs), "{text}");
    }
}

fn part(choices: &mut Choices, end: &str) -> String {
    choices.list(3, |choices| format!("{}{end}", choices.pick(LINES))).concat()
}
