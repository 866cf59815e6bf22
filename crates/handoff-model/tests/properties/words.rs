//! Ids, names, texts and changes of fields.

use handoff_model::change::{Change, KEEP};
use handoff_model::conflict;
use handoff_model::id::TaskId;
use handoff_model::number::Number;
use handoff_model::text::Name;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use crate::choices::Choices;
use crate::{bytes, cases, conflict_markers, ids_and_refs, slug_and_names, texts};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Request {
    #[serde(default, skip_serializing_if = "Change::is_keep")]
    label: Change<Name>,
}

/// Texts that are nearly an id, a number or a time.
fn nearly() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z][a-z0-9]{7}",
        "[a-zA-Z0-9]{7,9}",
        "[0-9a-fA-F]{16}",
        "[0-9]{1,10}(\\.[0-9]{1,3}){0,17}",
        "[a-z0-9./\\\\ \u{0}-]{0,10}",
        "-?[0-9]{4,6}-[0-9]{2}-[0-9]{2}([T ][0-9:.]{5,12}(Z|[+-][0-9]{2}:[0-9]{2})?)?",
        "\\PC{0,20}",
    ]
}

proptest! {
    #![proptest_config(cases(1024))]

    #[test]
    fn ids_numbers_and_references_are_what_they_say(text in nearly()) {
        ids_and_refs::run(text.as_bytes());
    }

    #[test]
    fn a_number_prints_and_reads_back(ordinals in prop::collection::vec(1..1_000_000_000_u32, 1..=16)) {
        let number = ordinals.iter().fold(None, |above, &ordinal| Some(Number::under(above.as_ref(), ordinal))).unwrap();
        prop_assert_eq!(number.to_string().parse(), Ok(number));
    }

    #[test]
    fn random_bytes_make_an_id(random in any::<[u8; 8]>()) {
        let id = TaskId::from_random(random);
        prop_assert_eq!(id.to_string().parse(), Ok(id));
    }

    #[test]
    fn slugs_names_and_texts_are_safe(bytes in bytes(40), any in "\\PC{0,80}") {
        let text = texts::odd(&mut Choices::new(&bytes));
        for text in [&text, &any, &format!("{text}{any}")] {
            let data: Vec<u8> = bytes.iter().copied().chain([0; 12]).take(12).chain(text.bytes()).collect();
            slug_and_names::run(&data);
        }
    }

    #[test]
    fn a_file_with_conflict_markers_comes_apart(bytes in bytes(120)) {
        conflict_markers::comes_apart(&mut Choices::new(&bytes));
    }

    #[test]
    fn broken_conflict_markers_are_survived(text in "((<{7}|={7}|>{7}|\\|{7})( x)?\r?\n?|[a-z =\n]){0,40}") {
        conflict_markers::run(text.as_bytes());
        let _ = conflict::first_marker(&text);
    }

    #[test]
    fn a_change_is_kept_cleared_or_set_in_json_and_in_words(bytes in bytes(40)) {
        let text = texts::any(&mut Choices::new(&bytes));
        let parsed = text.parse::<Name>();
        let from_words = text.parse::<Change<Name>>();
        match (text.as_str(), &parsed) {
            ("none", _) => prop_assert_eq!(from_words, Ok(Change::Clear)),
            (KEEP, _) => prop_assert_eq!(from_words, Ok(Change::Keep)),
            (_, Ok(name)) => prop_assert_eq!(from_words, Ok(Change::Set(name.clone()))),
            (_, Err(error)) => prop_assert_eq!(from_words, Err(error.clone())),
        }
        for label in [Change::Keep, Change::Clear].into_iter().chain(parsed.ok().map(Change::Set)) {
            let mut field = Some("before".parse::<Name>().unwrap());
            let wanted = match &label {
                Change::Keep => field.clone(),
                Change::Clear => None,
                Change::Set(name) => Some(name.clone()),
            };
            let json = serde_json::to_string(&Request { label: label.clone() }).unwrap();
            prop_assert_eq!(serde_json::from_str::<Request>(&json).unwrap(), Request { label: label.clone() });
            label.apply_to(&mut field);
            prop_assert_eq!(field, wanted);
        }
    }
}
