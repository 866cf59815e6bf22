use super::*;
use serde::Deserialize;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Record {
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    links: Vec<Item>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule: Option<Schedule>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    criteria: Vec<Item>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Schedule {
    #[serde(skip_serializing_if = "Option::is_none")]
    hours: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Item {
    item: String,
    checked: bool,
}

fn change(text: &str, change: impl FnOnce(&mut Record)) -> String {
    let old: Record = read(text).unwrap();
    let mut new = old.clone();
    change(&mut new);
    edit(text, &old, &new).unwrap()
}

const WRITTEN: &str = r#"# my task
title = "One"   # the name
mystery = { a = 1 }
labels = [
    "a", # first
    "b",
]

[schedule] # plan
hours = 1.5 # guessed
color = "red"

[[criteria]]
item = "x"
checked = false
by = "me" # mine

# before y
[[criteria]]
item = "y"
checked = true

[strange]
kept = true
"#;

#[test]
fn a_changed_value_leaves_every_other_byte_alone() {
    let edited = change(WRITTEN, |record| record.title = "Two".to_owned());
    assert_eq!(edited, WRITTEN.replace("\"One\"", "\"Two\""));
    let edited = change(WRITTEN, |record| record.criteria[0].checked = true);
    assert_eq!(edited, WRITTEN.replacen("checked = false", "checked = true", 1));
    let edited = change(WRITTEN, |record| record.schedule.as_mut().unwrap().hours = Some(2.0));
    assert_eq!(edited, WRITTEN.replace("1.5", "2.0"));
}

#[test]
fn no_change_is_no_change_even_with_windows_line_ends() {
    assert_eq!(change(WRITTEN, |_| {}), WRITTEN);
    let windows = WRITTEN.replace('\n', "\r\n");
    assert_eq!(change(&windows, |_| {}), windows);
}

#[test]
fn items_are_added_and_removed_one_by_one() {
    let edited = change(WRITTEN, |record| {
        record.labels.push("c".to_owned());
        record.criteria.push(Item { item: "z".to_owned(), checked: false });
    });
    assert!(edited.contains("\"a\", # first\n    \"b\",\n    \"c\""), "{edited}");
    assert!(edited.contains("by = \"me\" # mine"), "{edited}");
    assert!(edited.contains("[[criteria]]\nitem = \"z\"\nchecked = false\n"), "{edited}");
    assert!(edited.contains("# before y"), "{edited}");

    let removed = change(WRITTEN, |record| {
        record.criteria.remove(1);
    });
    assert!(removed.contains("by = \"me\" # mine") && !removed.contains("\"y\""), "{removed}");
    assert!(removed.contains("[strange]\nkept = true"), "{removed}");
}

#[test]
fn reordered_tables_keep_what_was_added_to_them() {
    let edited = change(WRITTEN, |record| record.criteria.swap(0, 1));
    let x = edited.find("\"x\"").unwrap();
    let y = edited.find("\"y\"").unwrap();
    assert!(y < x, "{edited}");
    assert!(edited.find("by = \"me\"").unwrap() > x, "{edited}");
}

#[test]
fn inline_lists_stay_inline() {
    let text = "title = \"One\"\ncriteria = [{ item = \"x\", checked = false, by = 1 }]\n";
    let edited = change(text, |record| record.criteria[0].checked = true);
    assert_eq!(edited, "title = \"One\"\ncriteria = [{ item = \"x\", checked = true, by = 1 }]\n");
}

#[test]
fn a_new_file_has_values_first_and_native_times() {
    let record = Record {
        title: "One".to_owned(),
        created_at: Some("2026-11-15T09:15:03Z".to_owned()),
        labels: vec!["a".to_owned()],
        links: vec![Item { item: "l".to_owned(), checked: true }],
        schedule: Some(Schedule { hours: Some(6.0) }),
        criteria: vec![Item { item: "x".to_owned(), checked: false }],
    };
    insta::assert_snapshot!(print(&record), @r#"
    title = "One"
    created_at = 2026-11-15T09:15:03Z
    labels = ["a"]
    links = [{ item = "l", checked = true }]

    [schedule]
    hours = 6.0

    [[criteria]]
    item = "x"
    checked = false
    "#);
}

#[test]
fn errors_name_the_line() {
    let error = read::<Record>("title = \"a\"\nlabels = 5\n").unwrap_err();
    assert_eq!(error.line, Some(2));
    assert!(error.reason.contains("integer"), "{}", error.reason);
    assert_eq!(read::<Record>("title = \"a\"\n= x\n").unwrap_err().line, Some(2));
}
