//! The readable part of a directory name, made from a title.

use unicode_normalization::UnicodeNormalization;

/// The longest slug, in bytes.
pub const MAX_BYTES: usize = 48;

/// Names that Windows takes for devices, with or without an extension.
const DEVICES: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "lpt1", "lpt2",
    "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// Letters of any script, digits and `-`, in NFC and lower case; never empty, never a device name, at most 48 bytes.
pub fn slug(title: &str) -> String {
    // Lower-casing and composing can each undo the other for a few characters, so both are repeated until they agree.
    let mut slug = once(title);
    for _ in 0..4 {
        let next = once(&slug);
        if next == slug {
            break;
        }
        slug = next;
    }
    if slug.is_empty() {
        return "task".to_owned();
    }
    if DEVICES.contains(&slug.as_str()) {
        slug.push_str("-task");
    }
    slug
}

fn once(text: &str) -> String {
    let mut slug = String::new();
    let mut gap = false;
    for c in text.nfc().flat_map(char::to_lowercase).nfc() {
        if !c.is_alphanumeric() {
            gap = true;
            continue;
        }
        let dash = usize::from(gap && !slug.is_empty());
        if slug.len() + dash + c.len_utf8() > MAX_BYTES {
            break;
        }
        if dash == 1 {
            slug.push('-');
        }
        gap = false;
        slug.push(c);
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_become_names_people_can_read() {
        for (title, expected) in [
            ("Implement auth", "implement-auth"),
            ("  --Fix: the/thing!! ", "fix-the-thing"),
            ("認証を設計する", "認証を設計する"),
            ("Ünïcode Straße", "ünïcode-straße"),
            ("../../etc/passwd", "etc-passwd"),
            ("CON", "con-task"),
            ("…", "task"),
            ("", "task"),
            ("a\0b\u{202e}c", "a-b-c"),
        ] {
            assert_eq!(slug(title), expected, "{title:?}");
        }
    }

    #[test]
    fn composed_and_decomposed_titles_give_one_slug() {
        assert_eq!(slug("Caf\u{e9}"), slug("Cafe\u{301}"));
    }

    proptest::proptest! {
        #[test]
        fn a_slug_is_its_own_slug_and_always_a_safe_name(title in "\\PC{0,80}|.{0,80}") {
            let slug = slug(&title);
            proptest::prop_assert_eq!(&super::slug(&slug), &slug);
            proptest::prop_assert!(!slug.is_empty() && slug.len() <= MAX_BYTES);
            proptest::prop_assert!(slug.chars().all(|c| c.is_alphanumeric() || c == '-'));
            proptest::prop_assert!(!slug.starts_with('-') && !slug.ends_with('-') && !slug.contains("--"));
        }
    }
}
