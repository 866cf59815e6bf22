//! Whatever is in the files: what is put in comes out byte for byte.

use std::fmt::Write as _;

use handoff_model::agent::Host;
use proptest::prelude::*;
use serde_json::Value;

use super::super::bench::Bench;
use super::super::edit::{Draft, json as json_file};
use super::super::{Record, Scope};

/// Blanks and comments between the parts of a JSON file.
fn gap() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just(String::new()),
        3 => Just(" ".to_owned()),
        3 => Just("\n  ".to_owned()),
        1 => Just("\r\n\t".to_owned()),
        1 => Just(" /* a, \"b\": { */ ".to_owned()),
        1 => Just(" // see: [x], }\n".to_owned()),
    ]
}

fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("-1.5e3".to_owned()),
        Just("\"a \\\"quoted\\\" // text, ünï\"".to_owned()),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let item = (gap(), inner, gap()).prop_map(|(before, value, after)| format!("{before}{value}{after}"));
        let items = prop::collection::vec(item, 0..4).boxed();
        let names = prop::sample::subsequence(vec!["a", "b", "mcp", "x y"], 0..4);
        prop_oneof![
            (items.clone(), any::<bool>(), gap())
                .prop_map(|(items, trailing, gap)| brackets('[', ']', &items, trailing, &gap)),
            (names, items, any::<bool>(), gap()).prop_map(|(names, items, trailing, gap)| {
                let items: Vec<String> =
                    names.iter().zip(items).map(|(name, item)| format!("\"{name}\":{item}")).collect();
                brackets('{', '}', &items, trailing, &gap)
            }),
        ]
    })
}

fn brackets(open: char, close: char, items: &[String], trailing: bool, gap: &str) -> String {
    let comma = if trailing && !items.is_empty() { "," } else { "" };
    format!("{open}{}{comma}{gap}{close}", items.join(","))
}

/// A settings file: an object in which the names that matter may be there already.
fn settings() -> impl Strategy<Value = String> {
    let servers = prop_oneof![
        Just(None),
        Just(Some("{}".to_owned())),
        (gap(), json(), gap()).prop_map(|(a, value, b)| Some(format!("{{{a}\"other\": {value}{b}}}"))),
    ];
    let hooks = prop_oneof![
        Just(None),
        Just(Some("{ }".to_owned())),
        (gap(), gap(), any::<bool>()).prop_map(|(a, b, trailing)| {
            let comma = if trailing { "," } else { "" };
            Some(format!("{{{a}\"Stop\": [{b}{{\"hooks\": [{{\"command\": \"x\"}}]}}{comma}{a}]{comma}{b}}}"))
        }),
    ];
    let mark = prop_oneof![9 => Just(""), 1 => Just("\u{feff}")];
    let around = prop::collection::vec((prop::sample::select(vec!["k1", "k2", "k3"]), json()), 0..3);
    (mark, gap(), around, servers, hooks, any::<bool>(), gap(), gap()).prop_map(
        |(mark, before, around, servers, hooks, trailing, inner, after)| {
            let mut items = Vec::new();
            for (index, (name, value)) in around.into_iter().enumerate() {
                items.push(format!("{inner}\"{name}{index}\": {value}"));
            }
            items.extend(servers.map(|servers| format!("{inner}\"mcpServers\": {servers}")));
            items.extend(hooks.map(|hooks| format!("{inner}\"hooks\":{hooks}")));
            format!("{mark}{before}{}{after}", brackets('{', '}', &items, trailing, &inner))
        },
    )
}

fn toml() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("# a comment [with] = marks"),
        Just(""),
        Just("[a.b]"),
        Just("[mcp_servers.other]"),
        Just("[mcp_servers.other.env]"),
        Just("[[list]]"),
    ];
    let value = prop::sample::select(vec![
        "1",
        "\"x\" # why",
        "[\n  1, # one\n  2,\n]",
        "{ a = { b = 1 } }",
        "'''\n[no.table]\n'''",
    ]);
    let lines = prop::collection::vec((line, prop::collection::vec(value, 0..3)), 0..5);
    (lines, any::<bool>(), any::<bool>()).prop_map(|(lines, crlf, ends)| {
        let mut text = String::new();
        let mut count = 0;
        for (line, values) in lines {
            text.push_str(line);
            text.push('\n');
            for value in values {
                count += 1;
                writeln!(text, "key{count} = {value}").unwrap();
            }
        }
        let text = if ends { text } else { text.trim_end().to_owned() };
        if crlf { text.replace('\n', "\r\n") } else { text }
    })
}

fn markdown() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec!["# Title", "", "text", "```", "<!-- other -->", "- ünï", "  "]);
    (prop::collection::vec(line, 0..8), any::<bool>(), any::<bool>()).prop_map(|(lines, crlf, ends)| {
        let text = lines.join(if crlf { "\r\n" } else { "\n" });
        if ends { format!("{text}\n") } else { text }
    })
}

const HOSTS: [Host; 2] = [Host::ClaudeCode, Host::Codex];

fn value(text: &str) -> Value {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    json_file::get(&Draft::new(text), &[]).unwrap().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn setup_and_uninstall_give_the_same_bytes(settings in settings(), config in toml(), rules in markdown()) {
        let valid = config.parse::<toml_edit::DocumentMut>().is_ok();
        let mut bench = Bench::with(&[
            ("/home/dev/.claude/settings.json", &settings),
            ("/home/dev/.claude.json", &settings),
            ("/home/dev/.codex/config.toml", &config),
            ("/home/dev/.claude/CLAUDE.md", &rules),
        ]);
        let before = bench.files.files.clone();
        let plan = bench.set_up(&HOSTS, Scope::User);
        prop_assert_eq!(plan.hosts[0].refused.clone(), None);
        prop_assert_eq!(plan.hosts[1].refused.is_none(), valid, "{:?}", plan.hosts[1].refused.clone());
        let hooks = value(bench.file("/home/dev/.claude/settings.json"));
        prop_assert_eq!(hooks["hooks"]["PreCompact"].as_array().unwrap().len(), 1);
        prop_assert_eq!(bench.set_up(&HOSTS, Scope::User).files.len(), 0);
        let done = bench.files.clone();
        bench.take_out(&HOSTS, Scope::User);
        prop_assert_eq!(&bench.files.files, &before);

        // Without a record what remains says the same, and has nothing of ours.
        let mut bare = Bench { files: done, record: Record::default(), ..Bench::with(&[]) };
        bare.take_out(&HOSTS, Scope::User);
        for path in ["/home/dev/.claude/settings.json", "/home/dev/.claude.json"] {
            let (mut left, mut original) = (value(bare.file(path)), value(&settings));
            for name in ["mcpServers", "hooks"] {
                // An empty object that was there before cannot be told from one that was made.
                if original.get(name).is_some_and(|value| value.as_object().is_some_and(serde_json::Map::is_empty)) {
                    original.as_object_mut().unwrap().remove(name);
                    left.as_object_mut().unwrap().remove(name);
                }
            }
            prop_assert_eq!(left, original);
        }
        if valid {
            prop_assert_eq!(bare.file("/home/dev/.codex/config.toml"), &config);
        }
        prop_assert_eq!(bare.file("/home/dev/.claude/CLAUDE.md"), &rules);
    }
}
