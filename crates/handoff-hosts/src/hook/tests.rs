//! What every host says and is answered, on the texts in `fixtures/hooks`.
//!
//! `expected.json` beside the texts of a host names for each the moment it belongs to, what is heard and what is printed
//! for the context `CONTEXT`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use handoff_model::agent::{Heard, HookEvent, Host, StartSource};
use serde_json::{Map, Value, json};

use super::*;

fn fixtures(below: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/hooks")).join(below)
}

fn text(below: &str) -> String {
    fs::read_to_string(fixtures(below)).unwrap_or_else(|error| panic!("{below}: {error}"))
}

/// The texts of a host, by name.
fn said_by(host: Host) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(fixtures(host.word())).unwrap().map(|entry| entry.unwrap().path());
    let named = entries.map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap()));
    named.filter(|(name, _)| name != "expected").collect()
}

/// What was heard, without what was not said.
fn told(call: &Call) -> Value {
    let Heard {
        session,
        transcript,
        cwd,
        source,
        model,
        prompt,
        files,
        is_change,
        command,
        failure,
        todos,
        answer,
        fill,
        is_subagent,
        is_repeated,
        reason,
    } = &call.heard;
    let files: Vec<String> = files.iter().map(|file| file.to_str().unwrap().replace('\\', "/")).collect();
    let todos: Vec<String> = todos.iter().map(|todo| format!("{:?}: {}", todo.status, todo.text)).collect();
    let all = json!({
        "session": session, "transcript": transcript, "cwd": cwd, "model": model, "prompt": prompt, "files": files,
        "is_change": is_change, "command": command, "failure": failure, "todos": todos, "answer": answer,
        "is_subagent": is_subagent, "is_repeated": is_repeated, "reason": reason,
        "source": (*source != StartSource::Startup).then_some(source),
        "fill": fill.map(|fill| json!([fill.used, fill.window])),
        "host": call.host,
    });
    let Value::Object(all) = all else { unreachable!() };
    let is_said = |value: &Value| !matches!(value, Value::Null | Value::Bool(false)) && *value != json!([]);
    Value::Object(all.into_iter().filter(|(_, value)| is_said(value)).collect())
}

#[test]
fn every_host_is_understood_and_answered_as_recorded() {
    for host in Host::ALL {
        let expected: BTreeMap<String, Value> = serde_json::from_str(&text(&format!("{host}/expected.json"))).unwrap();
        let mut actual = Map::new();
        for (name, stdin) in said_by(host) {
            let word = expected.get(&name).map_or("turn-end", |entry| entry["event"].as_str().unwrap());
            let call = hear(host, word.parse().unwrap(), &stdin).unwrap();
            let printed = call.answer("CONTEXT").map(|answer| serde_json::from_str::<Value>(&answer).unwrap());
            assert_eq!(printed.is_some(), call.can_inject(), "{host} {name}");
            actual.insert(name, json!({"event": word, "heard": told(&call), "printed": printed}));
        }
        let expected = Value::Object(expected.into_iter().collect());
        let actual = Value::Object(actual);
        if actual != expected {
            let [was, is] = [&expected, &actual].map(|value| serde_json::to_string_pretty(value).unwrap());
            let diff = similar::TextDiff::from_lines(&was, &is);
            panic!("{host}/expected.json would become\n{is}\n\n{}", diff.unified_diff().context_radius(4));
        }
    }
}

#[test]
fn every_moment_of_every_host_has_a_text() {
    for host in Host::ALL {
        let expected: BTreeMap<String, Value> = serde_json::from_str(&text(&format!("{host}/expected.json"))).unwrap();
        for event in HookEvent::ALL {
            // VS Code has no end of a session, and nothing of OpenCode's is called by another name.
            let has_none = host == Host::VsCode && event == HookEvent::SessionEnd;
            assert_eq!(expected.values().any(|entry| entry["event"] == event.word()), !has_none, "{host} {event}");
        }
    }
}

/// What is wrong with a value by a schema of the few words that ours use.
fn faults(value: &Value, schema: &Value, at: &str) -> Vec<String> {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let allows = |types: &Value| types == kind || types.as_array().is_some_and(|types| types.iter().any(|t| t == kind));
    let mut found = Vec::new();
    if schema.get("type").is_some_and(|types| !allows(types)) {
        found.push(format!("{at} is {kind}"));
    }
    if schema.get("enum").and_then(Value::as_array).is_some_and(|words| !words.contains(value)) {
        found.push(format!("{at} is {value}"));
    }
    if let (Some(fields), Some(properties)) = (value.as_object(), schema.get("properties")) {
        let required = schema["required"].as_array().unwrap().iter().map(|name| name.as_str().unwrap());
        found.extend(required.filter(|name| !fields.contains_key(*name)).map(|name| format!("{at}.{name} is missing")));
        for (name, field) in fields {
            match properties.get(name) {
                Some(schema) => found.extend(faults(field, schema, &format!("{at}.{name}"))),
                None => found.push(format!("{at}.{name} is unknown")),
            }
        }
    }
    found
}

#[test]
fn what_codex_says_and_is_answered_keeps_to_its_schemas() {
    let [inputs, outputs] = ["inputs", "outputs"]
        .map(|which| serde_json::from_str::<Value>(&text(&format!("schemas/codex/{which}.json"))).unwrap());
    let expected: BTreeMap<String, Value> = serde_json::from_str(&text("codex/expected.json")).unwrap();
    let mut answered = 0;
    for (name, stdin) in said_by(Host::Codex) {
        let input: Value = serde_json::from_slice(&stdin).unwrap();
        let event = input["hook_event_name"].as_str().unwrap();
        assert_eq!(faults(&input, &inputs[event], &name), Vec::<String>::new());
        let call = hear(Host::Codex, expected[&name]["event"].as_str().unwrap().parse().unwrap(), &stdin).unwrap();
        if let Some(answer) = call.answer("a\n\"b\" \u{1f600}") {
            let output = serde_json::from_str(&answer).unwrap();
            assert_eq!(faults(&output, &outputs[event], event), Vec::<String>::new());
            answered += 1;
        }
    }
    assert!(answered > 5);
    let wrong = json!({"additionalContext": "x", "hookSpecificOutput": {"hookEventName": "Stop"}});
    assert_eq!(faults(&wrong, &outputs["SessionStart"], "it").len(), 2, "the schema refuses what Codex refuses");
}

#[test]
fn what_is_odd_about_the_text_does_not_matter() {
    let heard = |stdin: &[u8]| hear(Host::ClaudeCode, HookEvent::Prompt, stdin).unwrap().heard;
    assert_eq!(heard(b""), Heard::default());
    assert_eq!(heard(b" \r\n"), Heard::default());
    assert_eq!(heard(b"\xef\xbb\xbf{\"prompt\": \"hi\"}\n").prompt.as_deref(), Some("hi"));
    let odd = br#"{"prompt": ["no", "text"], "session_id": null, "cwd": 7, "model": {}, "new_field": {"a": [1]}, "source": 1}"#;
    assert_eq!(heard(odd), Heard::default());
    // Half of a character, as JavaScript writes it; a whole one; and a backslash that is none of an escape.
    let half = br#"{"prompt": "cut \ud83d, \ud83d\ude00, \\ud83d", "error": "\udc00"}"#;
    assert_eq!(heard(half).prompt.as_deref(), Some("cut \u{fffd}, \u{1f600}, \\ud83d"));
    assert_eq!(heard(b"{\"prompt\": \"caf\xe9\"}").prompt.as_deref(), Some("caf\u{fffd}"));
}

#[test]
fn what_is_no_object_is_misheard_and_not_repeated() {
    for stdin in ["{\"prompt\": \"my secret", "[1]", "\"text\"", "null", "{} {}", "secret"] {
        let error = hear(Host::Gemini, HookEvent::Prompt, stdin.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("line 1") && !error.contains("secret"), "{error}");
    }
    let deep = format!("{{\"tool_input\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(hear(Host::Codex, HookEvent::Edit, deep.as_bytes()).is_err());
}

#[test]
fn a_context_without_words_is_not_given() {
    let call = hear(Host::ClaudeCode, HookEvent::SessionStart, b"").unwrap();
    assert_eq!(call.answer(" \n"), None);
    assert!(call.answer("x").is_some());
}

#[test]
fn limits_count_as_the_host_counts() {
    let limit = hear(Host::ClaudeCode, HookEvent::SessionStart, b"").unwrap().limit();
    assert!(limit.fits(&"\u{65e5}".repeat(9_500)) && !limit.fits(&"\u{1f600}".repeat(4_751)));
    let limit = hear(Host::Codex, HookEvent::SessionStart, b"").unwrap().limit();
    assert!(limit.fits(&"x".repeat(9_500)) && !limit.fits(&"\u{65e5}".repeat(3_167)));
    assert!(super::limit(Host::Gemini, HookEvent::Prompt).fits(&"x".repeat(1_000_000)));
}

#[test]
fn what_can_be_said_before_anything_is_heard_agrees_with_what_is_then_done() {
    for (host, event) in Host::ALL.into_iter().flat_map(|host| HookEvent::ALL.map(|event| (host, event))) {
        assert_eq!(can_inject(host, event), hear(host, event, b"{}").unwrap().can_inject(), "{host} {event}");
    }
    assert!(!can_inject(Host::ClaudeCode, HookEvent::Compact), "JSON there puts an error into the model's context");
}

#[test]
fn a_text_that_breaks_off_is_misheard_wherever_it_does() {
    for host in Host::ALL {
        for (name, stdin) in said_by(host) {
            let end = stdin.trim_ascii_end().len();
            for length in (1..end).step_by(11) {
                assert!(hear(host, HookEvent::Edit, &stdin[..length]).is_err(), "{host} {name} at {length}");
            }
        }
    }
}
