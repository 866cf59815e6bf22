use serde_json::{Value as Json, json};

use super::*;

fn complaint<T: for<'de> Deserialize<'de>>(json: Json) -> String {
    serde_json::from_value::<T>(json).err().expect("it is not accepted").to_string()
}

#[test]
fn a_text_stands_for_an_object_that_says_only_that() {
    let decision: DecisionInput = serde_json::from_value(json!("use JWT")).unwrap();
    assert_eq!(decision, serde_json::from_value(json!({"decision": "use JWT"})).unwrap());
    let item: ChecklistInput = serde_json::from_value(json!("verify")).unwrap();
    assert_eq!(item, serde_json::from_value(json!({"item": "verify"})).unwrap());
    let note: NoteInput = serde_json::from_value(json!("port 5433")).unwrap();
    assert_eq!(note, serde_json::from_value(json!({"note": "port 5433"})).unwrap());
    let pointer: PointerInput = serde_json::from_value(json!("src/a.rs:42-78")).unwrap();
    assert_eq!(pointer, serde_json::from_value(json!({"path": "src/a.rs", "lines": "42-78"})).unwrap());
    let pointer: PointerInput = serde_json::from_value(json!("C:/x")).unwrap();
    assert_eq!((pointer.path.as_str(), pointer.lines), ("C:/x", None));
    let reference: ReferenceInput = serde_json::from_value(json!("https://example.com")).unwrap();
    assert_eq!((reference.label.as_str(), reference.kind), ("https://example.com", Some(LinkType::Url)));
}

#[test]
fn what_is_wrong_with_an_item_is_said() {
    assert_eq!(complaint::<DecisionInput>(json!({"decision": " "})), "the text must not be empty");
    assert_eq!(complaint::<DecisionInput>(json!({"reason": "x"})), "missing field `decision`");
    assert_eq!(
        complaint::<DecisionInput>(json!(3)),
        "invalid type: integer `3`, expected an object such as {\"decision\": \"JWT over server sessions\", \
         \"reason\": \"stateless API\"}"
    );
    assert!(complaint::<NoteInput>(json!({"note": "x", "kind": "y"})).starts_with("unknown field `kind`"));
    assert!(complaint::<NoteInput>(json!({"note": "x", "category": "odd"})).contains("caution"));
    assert!(complaint::<PointerInput>(json!({"path": "x", "lines": "9-3"})).contains("write one as `42`"));
}

#[test]
fn a_blank_or_null_that_need_not_be_given_is_no_mistake() {
    let given =
        json!({"decision": "a", "reason": "", "supersedes": null, "paths": null, "confidence": null, "id": null});
    let decision: DecisionInput = serde_json::from_value(given).unwrap();
    assert_eq!((decision.reason, decision.supersedes, decision.paths), (Change::Keep, Change::Clear, Change::Clear));
    let pointer: PointerInput = serde_json::from_value(json!({"path": "a", "lines": 42})).unwrap();
    assert_eq!(pointer.lines.unwrap().to_string(), "42");
}

#[test]
fn an_item_is_named_by_number_or_text() {
    let which = |json| serde_json::from_value::<Which>(json).unwrap();
    assert_eq!(which(json!(2)), Which::Place(2));
    assert_eq!(which(json!(" Run tests ")), Which::Text("Run tests".to_owned()));
    assert!(complaint::<Which>(json!(-1)).contains("counted from 1"));
}

/// The names an input takes, by what it says of one it does not know.
fn fields<T: for<'de> Deserialize<'de>>() -> Vec<String> {
    let complaint = complaint::<T>(json!({"no such field": 1}));
    complaint.split('`').skip(3).step_by(2).map(str::to_owned).collect()
}

#[test]
fn the_schemas_name_every_field_and_stay_small() {
    fn check<T: JsonSchema + for<'de> Deserialize<'de>>() {
        let schema: Json =
            schemars::generate::SchemaSettings::draft2020_12().into_generator().subschema_for::<T>().into();
        let mut named: Vec<_> = schema["properties"].as_object().unwrap().keys().cloned().collect();
        let mut known = fields::<T>();
        named.sort();
        known.sort();
        assert_eq!(named, known);
        let text = schema.to_string();
        assert!(text.len() < 400, "{text}");
        for costly in ["$ref", "format", "null", "\"type\":["] {
            assert!(!text.contains(costly), "{costly} in {text}");
        }
    }
    check::<DecisionInput>();
    check::<ChecklistInput>();
    check::<NoteInput>();
    check::<ReferenceInput>();
    check::<PointerInput>();
}
