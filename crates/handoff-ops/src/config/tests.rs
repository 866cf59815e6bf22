use handoff_store::DIRECTORY;
use serde_json::{Value, json};

use crate::page::Block;
use crate::{Door, Environment, ErrorKind, OpError, Place, Project, Reply, Request, dispatch, registry};

/// A project in a directory of its own, with its own home.
struct Scratch {
    dir: tempfile::TempDir,
    env: Vec<(String, String)>,
}

impl Scratch {
    fn new() -> Scratch {
        let dir = tempfile::tempdir().unwrap();
        for part in ["home", "app"] {
            std::fs::create_dir(dir.path().join(part)).unwrap();
        }
        let home = dir.path().join("home").display().to_string();
        let scratch = Scratch { dir, env: vec![("HOME".to_owned(), home)] };
        scratch.ask("init", json!({"name": "app"})).unwrap();
        scratch
    }

    fn with(mut self, name: &str, value: &str) -> Scratch {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    fn project(&self, cwd: &str) -> Project {
        let env = Environment::new(self.env.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        let cwd = self.dir.path().join(cwd).canonicalize().unwrap();
        Project::new(Place { cwd, env, ..Place::default() }, Some("alice".to_owned()), Door::Cli)
    }

    fn ask(&self, name: &str, request: Value) -> Result<Reply, OpError> {
        dispatch(registry::find(name).unwrap(), &mut self.project("app"), Request::Json(request))
    }

    fn type_in(&self, words: &[&str]) -> Result<Reply, OpError> {
        let entry = registry::find(&format!("config.{}", words[0])).unwrap();
        let matches = entry.command().try_get_matches_from(words).map_err(|error| OpError::usage(error.to_string()))?;
        dispatch(entry, &mut self.project("app"), Request::Cli(&matches))
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.dir.path().join("app").join(DIRECTORY).join("config.toml")).unwrap()
    }
}

fn lines(reply: &Reply) -> Vec<String> {
    let line = |block: &Block| match block {
        Block::Line(text) | Block::Item(text) | Block::Heading(text) => vec![text.to_plain()],
        Block::Fields(fields) => fields.iter().map(|(name, value)| format!("{name}: {}", value.to_plain())).collect(),
        Block::Table(table) => {
            let row = |row: &crate::page::Row| {
                row.cells.iter().map(crate::page::Text::to_plain).collect::<Vec<_>>().join(" | ")
            };
            table.rows.iter().map(row).collect()
        }
        _ => Vec::new(),
    };
    reply.page().blocks.iter().flat_map(line).collect()
}

fn refusal(result: Result<Reply, OpError>) -> (ErrorKind, String) {
    let error = result.unwrap_err();
    (error.kind(), error.message().to_owned())
}

#[test]
fn a_setting_is_read_written_and_explained() {
    let scratch = Scratch::new();
    let before = scratch.text();
    assert_eq!(lines(&scratch.type_in(&["get", "settings.budget_tokens"]).unwrap()), ["2000"]);
    let reply = scratch.type_in(&["set", "settings.budget_tokens", "3000"]).unwrap();
    assert_eq!(
        lines(&reply),
        [
            "✓ `settings.budget_tokens` is set in .handoff/config.toml",
            "settings.budget_tokens: 2000 → 3000  (.handoff/config.toml:14)"
        ]
    );
    assert!(scratch.text().contains("\nbudget_tokens = 3000\n"), "{}", scratch.text());
    assert!(scratch.text().contains("# budget_tokens = 2000"), "the default stays as a comment: {before}");
    assert_eq!(
        lines(&scratch.type_in(&["explain", "settings.budget_tokens"]).unwrap()),
        [
            "settings.budget_tokens",
            "Tokens that loading a handoff may cost",
            "value: 3000",
            "from: .handoff/config.toml:14",
            "takes: whole number: 100 to 200000",
            "default: 2000",
            "variable: HANDOFF_SETTINGS_BUDGET_TOKENS",
        ]
    );
    scratch.type_in(&["set", "settings.budget_tokens", "none"]).unwrap();
    assert_eq!(lines(&scratch.type_in(&["get", "settings.budget_tokens"]).unwrap()), ["2000"]);
}

#[test]
fn stronger_layers_are_named_when_they_cover_a_change() {
    let scratch = Scratch::new().with("HANDOFF_SETTINGS_HISTORY_LIMIT", "5");
    let reply = scratch.type_in(&["set", "settings.history_limit", "7"]).unwrap();
    assert_eq!(
        reply.warnings,
        ["`settings.history_limit` is written down, but $HANDOFF_SETTINGS_HISTORY_LIMIT counts before it"]
    );
    let explained = lines(&scratch.type_in(&["explain", "settings.history_limit"]).unwrap());
    assert!(explained.contains(&"from: $HANDOFF_SETTINGS_HISTORY_LIMIT".to_owned()), "{explained:#?}");
    assert!(explained.contains(&"overridden: 7 from .handoff/config.toml:14".to_owned()), "{explained:#?}");
}

#[test]
fn a_users_own_settings_hold_in_every_project() {
    let scratch = Scratch::new();
    scratch.type_in(&["set", "user.name", "Alice", "--user"]).unwrap();
    scratch.type_in(&["set", "dashboard.max_depth", "3", "--user"]).unwrap();
    let reply = scratch.ask("config.get", json!({})).unwrap();
    let all = lines(&reply);
    assert!(all.iter().any(|line| line.starts_with("user.name | Alice | ")), "{all:#?}");
    assert!(all.iter().any(|line| line.starts_with("dashboard.max_depth | 3 | ")), "{all:#?}");
    assert!(reply.json()["user_rev"].is_string());
    assert_eq!(
        refusal(scratch.type_in(&["set", "user.name", "Eve"])),
        (ErrorKind::Refused, "`user.name` is set for a user, not in a project".to_owned())
    );
}

#[test]
fn outside_a_project_the_users_own_file_is_changed() {
    for own_home in [false, true] {
        let mut scratch = Scratch::new();
        if own_home {
            let place = scratch.dir.path().join("own").display().to_string();
            scratch = scratch.with("HANDOFF_HOME", &place);
        }
        let elsewhere = |name: &str, request: Value| {
            dispatch(registry::find(name).unwrap(), &mut scratch.project("."), Request::Json(request))
        };
        elsewhere("config.set", json!({"key": "user.name", "value": "Alice"})).unwrap();
        let reply = elsewhere("config.get", json!({"key": "user.name"})).unwrap();
        assert_eq!(reply.json()["settings"][0]["value"], "Alice");
        assert!(reply.json()["problems"].is_null(), "{}", reply.json());
        let reply = scratch.ask("config.get", json!({"key": "user.name"})).unwrap();
        assert_eq!(reply.json()["settings"][0]["value"], "Alice", "and it holds in the project");
    }
}

#[test]
fn several_settings_are_changed_together_or_not_at_all() {
    let scratch = Scratch::new();
    let before = scratch.text();
    let updates = json!({"settings.history_limit": 5, "settings.bugdet_tokens": 9, "calendar.closed_weekdays": [9]});
    let error = scratch.ask("config.set", json!({"updates": updates})).unwrap_err();
    assert_eq!(error.message(), "2 settings cannot be changed like this, so none was");
    assert_eq!(error.detail_lines().len(), 2);
    assert_eq!(scratch.text(), before);
    let updates = json!({"settings.history_limit": 5, "milestones.beta": {"date": "2026-04-01"}, "labels": ["a", "b"]});
    let reply = scratch.ask("config.set", json!({"updates": updates})).unwrap();
    assert_eq!(reply.json()["message"], "3 settings are changed in .handoff/config.toml");
    assert_eq!(lines(&scratch.type_in(&["get", "labels"]).unwrap()), ["a, b"]);
    assert_eq!(
        lines(&scratch.type_in(&["get", "milestones"]).unwrap()),
        ["milestones.beta.date | 2026-04-01 | .handoff/config.toml:23"]
    );
}

#[test]
fn a_change_on_an_old_revision_is_refused() {
    let scratch = Scratch::new();
    let rev = scratch.ask("config.get", json!({})).unwrap().json()["rev"].clone();
    let request = |limit: u32| json!({"key": "settings.history_limit", "value": limit, "if_rev": rev});
    scratch.ask("config.set", request(5)).unwrap();
    assert_eq!(refusal(scratch.ask("config.set", request(6))).0, ErrorKind::Refused);
}

#[test]
fn what_cannot_be_set_says_what_to_do() {
    let scratch = Scratch::new();
    let error = scratch.type_in(&["set", "settings.task_dirs", "stable"]).unwrap_err();
    assert_eq!(error.hints()[0].at(Door::Cli), "run `handoff share`");
    let error = scratch.type_in(&["set", "budget_tokens", "3"]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(error.detail_lines()[0], "close: settings.budget_tokens");
    let error = scratch.type_in(&["set", "settings.budget_tokens", "-3"]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert_eq!(error.hints()[0].at(Door::Cli), "run `handoff config explain settings.budget_tokens`");
    for request in [json!({}), json!({"key": "labels"}), json!({"value": 3}), json!({"updates": {}})] {
        assert_eq!(refusal(scratch.ask("config.set", request)).0, ErrorKind::Usage);
    }
    assert_eq!(refusal(scratch.type_in(&["get", "nope"])).0, ErrorKind::NotFound);
    assert_eq!(refusal(scratch.type_in(&["explain", "nope"])).0, ErrorKind::NotFound);
}

#[test]
fn a_damaged_file_is_shown_and_left_alone() {
    let scratch = Scratch::new();
    let path = scratch.dir.path().join("app").join(DIRECTORY).join("config.toml");
    let text = format!("{}\nbroken =\n", scratch.text().replace("# history_limit = 20", "history_limit = 4"));
    #[expect(clippy::disallowed_methods, reason = "a person's editor writes like this")]
    std::fs::write(&path, &text).unwrap();
    let reply = scratch.ask("config.get", json!({"key": "settings.history_limit"})).unwrap();
    assert_eq!(reply.json()["settings"][0]["value"], 4);
    assert_eq!(reply.warnings.len(), 1, "{:?}", reply.warnings);
    assert_eq!(refusal(scratch.type_in(&["set", "settings.history_limit", "5"])).0, ErrorKind::Damaged);
    assert_eq!(scratch.text(), text);
}

#[test]
fn unknown_settings_are_shown_and_kept() {
    let scratch = Scratch::new();
    let path = scratch.dir.path().join("app").join(DIRECTORY).join("config.toml");
    #[expect(clippy::disallowed_methods, reason = "a person's editor writes like this")]
    std::fs::write(&path, format!("{}\n[gantt_view]\nzoom = \"week\" # mine\n", scratch.text())).unwrap();
    scratch.type_in(&["set", "labels", "a", "b"]).unwrap();
    assert!(scratch.text().ends_with("[gantt_view]\nzoom = \"week\" # mine\n"));
    let reply = scratch.type_in(&["get", "gantt_view"]).unwrap();
    assert_eq!(reply.json()["settings"][0]["unknown"], true);
    let explained = scratch.type_in(&["explain", "gantt_view.zoom"]).unwrap();
    assert_eq!(explained.json()["settings"][0]["unknown"], true);
}

#[test]
fn every_setting_can_be_listed_with_its_meaning() {
    let scratch = Scratch::new();
    let all = scratch.ask("config.explain", json!({})).unwrap();
    assert!(all.json()["settings"].as_array().unwrap().len() > 30);
    let milestones = lines(&scratch.type_in(&["explain", "milestones.beta"]).unwrap());
    assert_eq!(milestones[0], "milestones.beta.date | not set | date: such as 2026-11-15 | The day it is due");
}
