//! What holds for every configuration file, tried on many.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;

/// Lines that a configuration file may have, right and wrong.
fn lines() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("[settings]"),
        Just("[settings] # s"),
        Just("[calendar]"),
        Just("[calendar.day_hours]"),
        Just("[milestones.beta]"),
        Just("[own.table]"),
        Just("history_limit = 3 # h"),
        Just("history_limit = \"x\""),
        Just("budget_tokens = 1000"),
        Just("fri = 4"),
        Just("Friday = 5.5"),
        Just("date = 2026-04-01"),
        Just("color = \"#112233\" # c"),
        Just("closed_weekdays = [0, # day\n  \"sat\", 9]"),
        Just("strange = { a = 1 } # kept"),
        Just("# a comment"),
        Just(""),
        Just("settings.lock_wait_seconds = 3"),
        Just("format = 1"),
        Just("milestones = 3"),
        Just("broken ="),
        Just("<<<<<<< HEAD"),
        Just("======="),
        Just(">>>>>>> theirs"),
        Just("text = \"\"\"\n[settings]\nhistory_limit = 9\n\"\"\""),
    ];
    prop::collection::vec(line, 0..12).prop_map(|lines| lines.join("\n") + "\n")
}

fn changes() -> impl Strategy<Value = (&'static str, Json)> {
    prop_oneof![
        (0..9u32).prop_map(|limit| ("settings.history_limit", json!(limit))),
        Just(("settings.history_limit", Json::Null)),
        Just(("calendar.closed_weekdays", json!(["sun", "mon"]))),
        Just(("calendar.closed_weekdays", Json::Null)),
        Just(("calendar.day_hours.fri", json!(2.5))),
        Just(("calendar.day_hours.fri", Json::Null)),
        Just(("milestones.beta.color", json!("#445566"))),
        Just(("milestones.beta", Json::Null)),
        "[a-z \"'#=\\[\\].\\\\é]{1,9}".prop_map(|label| ("labels", json!([format!("x{label}y")]))),
        "[a-z \"'#=\\[\\].\\\\é\n]{1,9}".prop_map(|text| ("project.description", json!(format!("x{text}y")))),
    ]
}

fn comments(text: &str) -> usize {
    ["# s", "# h", "# c", "# kept", "# a comment"].iter().map(|comment| text.matches(comment).count()).sum()
}

fn read(text: &str) -> Resolved {
    resolve(Sources {
        project: Some(Source { path: "config.toml".to_owned(), text: text.to_owned() }),
        ..Sources::default()
    })
}

proptest! {
    #[test]
    fn what_was_set_is_read_back_and_all_else_stays(text in lines(), (name, value) in changes()) {
        let keys = Keys::new();
        let assignments = assign(&keys, Layer::Project, vec![(name.to_owned(), Given::Json(value.clone()))]).unwrap();
        let Ok(edited) = apply(&text, &assignments) else { return Ok(()) };
        let path = &assignments[0].path;

        let (before, after) = (read(&text), read(&edited));
        prop_assert_eq!(after.said(path).first().map(|said| said.value.clone()), Some(value.clone()).filter(|value| !value.is_null()));
        let others = |resolved: &Resolved| -> Vec<(String, Json)> {
            let entries = resolved.entries(&keys).into_iter().map(|entry| (entry.key, entry.value));
            entries.filter(|(key, _)| !key.starts_with(name)).collect()
        };
        prop_assert_eq!(others(&before), others(&after), "{}", edited);
        // Comments inside a list go with the list, and what looks like one in a text is none.
        prop_assume!(comments(&value.to_string()) == 0);
        prop_assert_eq!(comments(&text), comments(&edited), "{}", edited);
        prop_assert_eq!(apply(&edited, &assignments).unwrap(), edited, "a second time changes nothing");
    }

    #[test]
    fn any_text_is_survived(text in "\\PC{0,80}|([a-z.=\\[\\]{}\"'#\n<>|0-9]){0,200}") {
        let resolved = read(&text);
        let _ = resolved.entries(&Keys::new());
        for assignment in [json!(3), Json::Null] {
            let path = vec!["settings".to_owned(), "history_limit".to_owned()];
            let value = Some(assignment).filter(|value| !value.is_null());
            let _ = apply(&text, &[Assignment { path, value }]);
        }
    }

    #[test]
    fn any_name_and_word_is_survived(name in "\\PC{0,20}|[a-z._\"]{0,30}|(settings|milestones|assignees)\\.[a-z.\"]{0,9}", word in "\\PC{0,20}") {
        let keys = Keys::new();
        let _ = keys.find(&name).is_ok();
        let _ = assign(&keys, Layer::User, vec![(name.clone(), Given::Words(vec![word.clone()]))]);
        let sources = Sources { flags: vec![(name, word.clone())], environment: vec![("HANDOFF_LABELS".to_owned(), word)], ..Sources::default() };
        let _ = resolve(sources).entries(&keys);
    }

    #[test]
    fn a_file_of_random_lines_never_hides_a_good_setting(text in lines()) {
        let good = format!("dashboard.max_depth = 7\n{text}");
        let resolved = read(&good);
        prop_assert_eq!(resolved.config.dashboard.max_depth.get(), 7);
    }
}
