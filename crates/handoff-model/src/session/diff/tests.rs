use super::*;

const BEFORE: &str = r#"
id = "a3f9c12e"
title = "Auth"
summary = "Begun"
next = ["Fix tests", "Run tests", "Ship"]
[[decisions]]
id = "d1"
decision = "JWT"
[[decisions]]
id = "d2"
decision = "Rust"
[[checklist]]
item = "verify"
[[pointers]]
path = "src/a.rs"
lines = "1-2"
[environment]
os = "linux"
node = { version = "22" }
[git]
branch = "main"
"#;

const AFTER: &str = r#"
id = "a3f9c12e"
status = "closed"
summary = "Done"
next = ["Run tests", "Fix tests", "Rest"]
[[decisions]]
id = "d1"
decision = "PASETO"
[[decisions]]
id = "d3"
decision = "TOML"
[[decisions]]
id = "d2"
decision = "Rust"
[[checklist]]
item = "verify"
checked = true
[[pointers]]
path = "src/a.rs"
lines = "1-3"
[environment]
os = "linux"
node = { version = "24" }
[git]
branch = "main"
commit = "8dc6cc0"
"#;

fn between(before: &str, after: &str) -> SessionDiff {
    SessionDiff::between(&Session::read(before).unwrap(), &Session::read(after).unwrap())
}

#[test]
fn each_difference_is_told_once() {
    let diff = between(BEFORE, AFTER);
    insta::assert_snapshot!(serde_json::to_string_pretty(&diff).unwrap(), @r#"
    {
      "fields": [
        {
          "field": "status",
          "before": "active",
          "after": "closed"
        },
        {
          "field": "summary",
          "before": "Begun",
          "after": "Done"
        },
        {
          "field": "environment.node.version",
          "before": "22",
          "after": "24"
        },
        {
          "field": "git.commit",
          "after": "8dc6cc0"
        },
        {
          "field": "title",
          "before": "Auth"
        }
      ],
      "lists": [
        {
          "list": "next",
          "added": [
            "Rest"
          ],
          "removed": [
            "Ship"
          ],
          "reordered": true
        },
        {
          "list": "decisions",
          "added": [
            {
              "id": "d3",
              "decision": "TOML",
              "confidence": "unverified"
            }
          ],
          "changed": [
            {
              "before": {
                "id": "d1",
                "decision": "JWT",
                "confidence": "unverified"
              },
              "after": {
                "id": "d1",
                "decision": "PASETO",
                "confidence": "unverified"
              }
            }
          ],
          "reordered": false
        },
        {
          "list": "checklist",
          "changed": [
            {
              "before": {
                "item": "verify",
                "checked": false
              },
              "after": {
                "item": "verify",
                "checked": true
              }
            }
          ],
          "reordered": false
        },
        {
          "list": "pointers",
          "added": [
            {
              "path": "src/a.rs",
              "lines": "1-3"
            }
          ],
          "removed": [
            {
              "path": "src/a.rs",
              "lines": "1-2"
            }
          ],
          "reordered": false
        }
      ]
    }
    "#);
}

#[test]
fn a_session_does_not_differ_from_itself() {
    for text in [BEFORE, AFTER] {
        assert!(between(text, text).is_empty());
    }
}

#[test]
fn decisions_of_two_sessions_are_matched_by_their_text() {
    let other = AFTER.replace("a3f9c12e", "0b5e11d2").replace("id = \"d2\"", "id = \"d7\"");
    let diff = between(BEFORE, &other);
    let decisions = diff.lists.iter().find(|list| list.list == "decisions").unwrap();
    let texts =
        |items: &[Json]| items.iter().map(|item| item["decision"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(
        (texts(&decisions.added), texts(&decisions.removed)),
        (vec!["PASETO".into(), "TOML".into()], vec!["JWT".into()])
    );
    assert_eq!(decisions.changed.len(), 1);
    assert_eq!(diff.fields[0].field, "status");
}

#[test]
fn items_that_are_there_twice_are_counted() {
    let with = |next: &str| format!("id = \"a3f9c12e\"\nnext = {next}\n");
    let diff = between(&with(r#"["a", "a", "b"]"#), &with(r#"["a", "b", "b"]"#));
    assert_eq!((diff.lists[0].added.len(), diff.lists[0].removed.len(), diff.lists[0].reordered), (1, 1, false));
    let diff = between(&with(r#"["a", "b"]"#), &with(r#"["b", "a"]"#));
    assert!(diff.lists[0].reordered && diff.lists[0].added.is_empty());
}
