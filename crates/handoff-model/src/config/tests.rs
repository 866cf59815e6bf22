use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use super::*;
use crate::problem::Severity;

fn project(text: &str) -> Sources {
    Sources { project: Some(Source { path: "config.toml".to_owned(), text: text.to_owned() }), ..Sources::default() }
}

fn path(key: &str) -> Vec<String> {
    key.split('.').map(str::to_owned).collect()
}

fn complaints(resolved: &Resolved) -> Vec<String> {
    resolved.problems().map(ToString::to_string).collect()
}

#[test]
fn every_setting_has_a_meaning_a_kind_and_a_variable_of_its_own() {
    let keys = Keys::new();
    let mut variables = BTreeSet::new();
    for key in keys.all() {
        assert!(!key.meaning.is_empty() && !key.meaning.ends_with('.'), "{}: {:?}", key.name, key.meaning);
        assert!(!key.kind.is_empty(), "{}", key.name);
        if let Some(variable) = &key.variable {
            assert!(variables.insert(variable.clone()), "{variable} is used twice");
        }
    }
    let Ok(Target::Setting(found)) = keys.find("settings.budget_tokens") else { panic!("it exists") };
    assert_eq!(found.key.default, 2000);
    assert_eq!(found.key.allowed.as_deref(), Some("100 to 200000"));
    assert_eq!(found.key.variable.as_deref(), Some("HANDOFF_SETTINGS_BUDGET_TOKENS"));
    let Ok(Target::Setting(found)) = keys.find("assignees.al.closed_weekdays") else { panic!("it exists") };
    assert_eq!(found.key.kind, "list of weekdays");
    assert_eq!(found.key.allowed.as_deref(), Some("sun, mon, tue, wed, thu, fri, sat, or 0 to 6"));
    assert_eq!(found.key.variable, None);
}

#[test]
fn defaults_of_the_list_are_the_defaults_in_force() {
    let resolved = resolve(Sources::default());
    assert_eq!(resolved.config, Config::default());
    for key in Keys::new().all().iter().filter(|key| !key.name.contains('<')) {
        assert_eq!(resolved.value(&path(&key.name)), key.default, "{}", key.name);
    }
}

#[test]
fn names_lead_to_settings_sections_or_suggestions() {
    let keys = Keys::new();
    let setting = |name: &str| match keys.find(name) {
        Ok(Target::Setting(found)) => found.path,
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(setting("milestones.beta.date"), ["milestones", "beta", "date"]);
    assert_eq!(setting("milestones.v1.0.date"), ["milestones", "v1.0", "date"]);
    assert_eq!(setting("milestones.\"v1.0\".date"), ["milestones", "v1.0", "date"]);
    assert_eq!(setting("assignees.Zoë.day_hours.fri"), ["assignees", "Zoë", "day_hours", "fri"]);
    assert!(matches!(keys.find("settings"), Ok(Target::Section(_))));
    assert!(matches!(keys.find("milestones.beta"), Ok(Target::Section(_))));

    let near = |name: &str| keys.find(name).unwrap_err().near;
    assert_eq!(near("settings.bugdet_tokens")[0], "settings.budget_tokens");
    assert_eq!(near("budget_tokens")[0], "settings.budget_tokens");
    assert_eq!(near("milestones.beta.dat")[0], "milestones.beta.date");
    for name in ["", ".", "settings.", "milestones..date", "a.b", "\0", "settings.\"", "<name>", "milestones"] {
        assert!(!matches!(keys.find(name), Ok(Target::Setting(_))), "{name:?}");
    }
}

#[test]
fn each_layer_covers_the_one_below() {
    let mut sources =
        project("# p\n[settings]\nhistory_limit = 3\nbudget_tokens = 1000\n[milestones.beta]\ndate = 2026-04-01\n");
    sources.user = Some(Source {
        path: "~/config.toml".to_owned(),
        text: "[settings]\nhistory_limit = 2\nlock_wait_seconds = 1\n[milestones.beta]\ncolor = \"#112233\"".to_owned(),
    });
    sources.environment = vec![
        ("HANDOFF_SETTINGS_BUDGET_TOKENS".to_owned(), "500".to_owned()),
        ("HANDOFF_LABELS".to_owned(), "a,b".to_owned()),
        ("HANDOFF_HOME".to_owned(), "/elsewhere".to_owned()),
        ("HANDOFF_USER_NAME".to_owned(), String::new()),
    ];
    sources.flags = vec![("labels".to_owned(), "c".to_owned())];
    let resolved = resolve(sources);
    assert_eq!(complaints(&resolved), Vec::<String>::new());
    let shown = |key: &str| format!("{} from {}", resolved.value(&path(key)), resolved.origin(&path(key)));
    assert_eq!(shown("settings.history_limit"), "3 from config.toml:3");
    assert_eq!(shown("settings.lock_wait_seconds"), "1 from ~/config.toml:3");
    assert_eq!(shown("settings.budget_tokens"), "500 from $HANDOFF_SETTINGS_BUDGET_TOKENS");
    assert_eq!(shown("settings.done_task_limit"), "10 from default");
    assert_eq!(shown("labels"), r#"["c"] from command line"#);
    assert_eq!(shown("milestones.beta.color"), r##""#112233" from ~/config.toml:5"##);
    assert_eq!(resolved.config.settings.budget_tokens.get(), 500);
    let said: Vec<Layer> =
        resolved.said(&path("settings.budget_tokens")).iter().map(|said| said.origin.layer).collect();
    assert_eq!(said, [Layer::Environment, Layer::Project]);
}

#[test]
fn a_wrong_value_counts_as_absent_and_takes_nothing_else_with_it() {
    let mut sources = project(
        "labels = \"x\"\n[settings]\nhistory_limit = -1\nbudget_tokens = 1500\nlock_wait_seconds = nan\n[calendar]\n\
         closed_weekdays = [\"sun\", 9, 6]\nclosed_dates = [\n  2026-12-25,\n  2026-02-28,\n  \"2026-02-30\",\n]\n\
         [calendar.day_hours]\nfri = 4\nfreitag = 3\n[assignees.al]\ncolor = \"red\"\ndisplay_name = \"Al\"\n[milestones]\nbeta = 5\n",
    );
    sources.user = Some(Source { path: "user".to_owned(), text: "[settings]\nhistory_limit = 7\n".to_owned() });
    let resolved = resolve(sources);
    let expected = [
        "config.toml:17: the value of `assignees.al.color` does not count",
        "config.toml:11: an item of `calendar.closed_dates` does not count: `2026-02-30` is not a date of the calendar",
        "config.toml:7: an item of `calendar.closed_weekdays` does not count: `9` is not a day of the week",
        "config.toml:15: the value of `calendar.day_hours.freitag` does not count: `freitag` is neither",
        "config.toml:1: the value of `labels` does not count: invalid type: string \"x\"",
        "config.toml:20: the value of `milestones.beta` does not count: invalid type: integer `5`, expected a table",
        "config.toml:3: the value of `settings.history_limit` does not count: invalid value: integer `-1`, \
         expected a whole number from 0 to 100000",
        "config.toml:5: the value of `settings.lock_wait_seconds` does not count: invalid value: floating point `NaN`",
    ];
    let found = complaints(&resolved);
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    let config = resolved.config;
    assert_eq!(config.settings.history_limit.get(), 7, "the layer below counts");
    assert_eq!(config.settings.budget_tokens.get(), 1500);
    assert_eq!(config.calendar.closed_weekdays, [Weekday::Sun, Weekday::Sat]);
    assert_eq!(config.calendar.closed_dates.len(), 2);
    assert_eq!(config.calendar.day_hours.len(), 1);
    assert_eq!(config.assignees.len(), 1);
    assert!(config.assignees.values().all(|assignee| assignee.display_name.is_some() && assignee.color.is_none()));
    let missing: Vec<_> =
        expected.iter().filter(|wanted| !found.iter().any(|line| line.starts_with(**wanted))).collect();
    assert!(missing.is_empty(), "{missing:#?} not in {found:#?}");
}

#[test]
fn a_file_that_is_not_toml_still_says_what_can_be_read() {
    let resolved =
        resolve(project("[settings]\nhistory_limit = twenty\nbudget_tokens = 1500\ntask_dirs = \"stable\"\n"));
    assert_eq!(resolved.config.settings.history_limit.get(), 20);
    assert_eq!(resolved.config.settings.budget_tokens.get(), 1500);
    assert_eq!(resolved.config.settings.task_dirs, Layout::Stable);
    let problem = resolved.problems().next().unwrap();
    assert_eq!((problem.line, problem.severity), (Some(2), Severity::Damaged), "{problem}");

    let resolved = resolve(project("labels = [\"a\"]\nbroken =\n"));
    assert_eq!(resolved.config.labels.len(), 1, "a missing value stands nowhere");

    let resolved = resolve(project("\0\u{1}\u{2} <<<>>> [[[[ = = \n"));
    assert_eq!(resolved.config, Config::default());
    assert_eq!(resolved.problems().count(), 1);
}

#[test]
fn conflict_markers_are_read_as_our_side() {
    let text = "[settings]\n<<<<<<< HEAD\nhistory_limit = 3\n=======\nhistory_limit = 4\n>>>>>>> theirs\nbudget_tokens = 900\n";
    let resolved = resolve(project(text));
    assert_eq!(resolved.config.settings.history_limit.get(), 3);
    assert_eq!(resolved.config.settings.budget_tokens.get(), 900);
    assert_eq!(resolved.problems().next().unwrap().line, Some(2));
    assert!(apply(text, &[]).unwrap_err().reason.contains("conflict markers"));
}

#[test]
fn a_newer_format_is_neither_read_nor_written() {
    let text = "format = 2\n[settings]\nhistory_limit = 3\n";
    let resolved = resolve(project(text));
    assert_eq!(resolved.config, Config::default());
    assert!(complaints(&resolved)[0].contains("format 2, newer than the format 1"));
    assert!(apply(text, &[]).unwrap_err().reason.contains("update handoff"));
    assert_eq!(resolve(project("format = 1")).problems().count(), 0);
    assert_eq!(complaints(&resolve(project("format = \"x\""))).len(), 1);
}

#[test]
fn a_project_never_speaks_for_the_user_nor_the_user_for_a_project() {
    let mut sources = project("[user]\nname = \"mallory\"\n");
    sources.user = Some(Source {
        path: "user".to_owned(),
        text: "[user]\nname = \"alice\"\n[settings]\ntask_dirs = \"stable\"\n".to_owned(),
    });
    sources.environment = vec![("HANDOFF_SETTINGS_TASK_DIRS".to_owned(), "stable".to_owned())];
    let resolved = resolve(sources);
    assert_eq!(resolved.config.user.name.as_ref().map(Name::as_str), Some("alice"));
    assert_eq!(resolved.config.settings.task_dirs, Layout::Status);
    let found = complaints(&resolved);
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found[0].starts_with("config.toml:2: `user.name` does not count in a project"), "{}", found[0]);
    assert!(found[1].starts_with("$HANDOFF_SETTINGS_TASK_DIRS: "), "{}", found[1]);
}

#[test]
fn a_file_that_is_both_may_speak_for_both() {
    let mut sources = project("[user]\nname = \"alice\"\n[project]\nname = \"user\"\n[settings]\nhistory_limit = -1\n");
    sources.user = sources.project.clone();
    let resolved = resolve(sources);
    assert_eq!(resolved.config.user.name.as_ref().map(Name::as_str), Some("alice"));
    assert_eq!(resolved.config.project.name.as_ref().map(Name::as_str), Some("user"));
    assert_eq!(complaints(&resolved).len(), 1);
}

#[test]
fn odd_variables_and_flags_are_reported_and_passed_over() {
    let environment =
        ["HANDOFF_SETTINGS_BUGDET_TOKENS=1", "HANDOFF_SETTINGS_HISTORY_LIMIT=many", "HANDOFF_PROJECT_DIR=/x"]
            .iter()
            .filter_map(|line| line.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
    let flags = vec![("setings.budget_tokens".to_owned(), "500".to_owned())];
    let resolved = resolve(Sources { environment, flags, ..Sources::default() });
    assert_eq!(resolved.config, Config::default());
    assert_eq!(
        complaints(&resolved),
        [
            "$HANDOFF_SETTINGS_BUGDET_TOKENS: there is no such setting; did you mean `HANDOFF_SETTINGS_BUDGET_TOKENS`?",
            "$HANDOFF_SETTINGS_HISTORY_LIMIT: the value does not count: invalid type: string \"many\", expected a whole number from 0 to 100000",
            "command line: there is no setting `setings.budget_tokens`; did you mean `settings.budget_tokens`?",
        ]
    );
}

#[test]
fn all_entries_include_what_is_unknown() {
    let resolved = resolve(project(
        "[settings]\nmemory_enabled = true\n[gantt_view]\nzoom = \"week\"\n[milestones.\"v1.0\"]\ndate = 2026-04-01\n[calendar.day_hours]\nFriday = 4\n",
    ));
    let entries = resolved.entries(&Keys::new());
    let shown = |entry: &Entry| format!("{} = {} ({})", entry.key, entry.value, entry.origin);
    let set: Vec<String> = entries.iter().filter(|entry| entry.origin.layer != Layer::Default).map(shown).collect();
    assert_eq!(
        set,
        [
            "calendar.day_hours.fri = 4.0 (config.toml:8)",
            "milestones.\"v1.0\".date = \"2026-04-01\" (config.toml:6)",
            "gantt_view.zoom = \"week\" (config.toml:4)",
            "settings.memory_enabled = true (config.toml:2)",
        ]
    );
    assert_eq!(entries.iter().filter(|entry| entry.unknown).count(), 2);
    assert!(entries.iter().any(|entry| entry.key == "settings.budget_tokens"));
    assert!(!entries.iter().any(|entry| entry.key.contains("v1.0\".color")), "absent ones of a family are left out");
}

fn set(text: &str, given: &[(&str, Json)]) -> Result<String, Vec<Refused>> {
    let given = given.iter().map(|(name, json)| ((*name).to_owned(), Given::Json(json.clone()))).collect();
    assign(&Keys::new(), Layer::Project, given).map(|assignments| apply(text, &assignments).unwrap())
}

#[test]
fn setting_changes_one_value_and_nothing_else() {
    let text = "# mine\n[settings] # how\nhistory_limit = 5 # because\nmystery = [ 1, 2 ]\n\n[own]\nx = 1\n";
    assert_eq!(set(text, &[("settings.history_limit", json!(6))]).unwrap(), text.replace("= 5", "= 6"));
    assert_eq!(set(text, &[("settings.history_limit", json!(5))]).unwrap(), text);
    assert_eq!(set(text, &[("settings.history_limit", json!(null))]).unwrap(), text.replace("history_limit = 5 ", ""));
    assert_eq!(
        set("", &[("milestones.v1.0.date", json!("2026-04-01"))]).unwrap(),
        "[milestones.\"v1.0\"]\ndate = \"2026-04-01\"\n"
    );
    let headed = "# mine\n# all\n\n[own] # x\n";
    assert_eq!(set(headed, &[("labels", json!(["a"]))]).unwrap(), "# mine\n# all\n\nlabels = [\"a\"]\n\n[own] # x\n");
    let windows = text.replace('\n', "\r\n");
    let given = [("settings.history_limit", json!(6)), ("labels", json!(["a"]))];
    let edited = set(&windows, &given).unwrap();
    assert!(
        edited.starts_with("# mine\r\n\r\nlabels = [\"a\"]\r\n") && !edited.replace("\r\n", "").contains('\n'),
        "{edited:?}"
    );
}

#[test]
fn an_object_stands_for_the_settings_in_it() {
    let text = "[milestones.beta]\ncolor = \"#112233\"\n";
    let set_twice = set(text, &[("milestones.beta", json!({"date": "2026-04-01", "color": null}))]).unwrap();
    assert_eq!(set_twice, "[milestones.beta]\ndate = \"2026-04-01\"\n");
    assert_eq!(set(text, &[("milestones.beta", json!(null))]).unwrap(), "");
    let nested = set("", &[("assignees", json!({"al": {"day_hours": {"Friday": 4}}}))]).unwrap();
    assert_eq!(nested, "[assignees.al.day_hours]\nfri = 4.0\n");
    let spelled = set("[calendar.day_hours]\nFriday = 4\n", &[("calendar.day_hours.fri", json!(3))]).unwrap();
    assert_eq!(spelled, "[calendar.day_hours]\nFriday = 3.0\n");
    let twice = "[calendar.day_hours]\nFriday = 4\nfri = 5\n";
    assert_eq!(set(twice, &[("calendar.day_hours.fri", json!(3))]).unwrap(), "[calendar.day_hours]\nfri = 3.0\n");
    assert_eq!(set(twice, &[("calendar.day_hours.fri", json!(null))]).unwrap(), "[calendar.day_hours]\n");
}

#[test]
fn everything_wrong_with_a_change_is_told_at_once() {
    let refused = set(
        "",
        &[
            ("settings.budget_tokens", json!("3000")),
            ("settings.nope", json!(1)),
            ("settings.task_dirs", json!("stable")),
            ("user.name", json!("eve")),
            ("calendar", json!(5)),
            ("calendar.closed_weekdays", json!([9])),
            ("settings", json!(null)),
            ("labels", json!(["a", null])),
            ("milestones.\u{202e}x.color", json!("#112233")),
        ],
    );
    let told: Vec<String> = refused.unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "`settings.budget_tokens` cannot be set to this: invalid type: string \"3000\", expected a whole number from 100 to 200000",
            "there is no setting `settings.nope`",
            "`settings.task_dirs` cannot be set alone, because task directories must be converted with it",
            "`user.name` is set for a user, not in a project",
            "`calendar` is a group of settings: name one of them",
            "`calendar.closed_weekdays` cannot be set to this: `9` is not a day of the week: use one of sun, mon, tue, wed, thu, fri, sat, or 0 (sun) to 6 (sat)",
            "`settings` is a group of settings: name one of them",
            "`labels` cannot be set to this: `null` cannot stand inside a value",
            "`milestones.\u{202e}x.color` cannot be set to this: the name contains the bidirectional control U+202E at character 1; remove it",
        ]
    );
    let twice = [("milestones.beta", json!({"color": "#112233"})), ("milestones.beta.color", json!("#112233"))];
    assert_eq!(set("", &twice).unwrap_err(), [Refused::Twice { name: "milestones.beta.color".to_owned() }]);
}

#[test]
fn a_file_in_the_way_of_a_change_is_refused() {
    let one = [Assignment { path: path("settings.history_limit"), value: Some(json!(3)) }];
    assert!(apply("settings = 5\n", &one).unwrap_err().reason.contains("does not stand in a table"));
    assert!(apply("[[settings]]\na = 1\n", &one).is_err());
    assert_eq!(apply("a = 1\nb = \n", &one).unwrap_err().line, Some(2));
    assert_eq!(apply("settings = { a = 1 }\n", &one).unwrap(), "settings = { a = 1 , history_limit = 3 }\n");
}

#[test]
fn a_comment_at_the_end_stays_where_it_is() {
    let text = "[dashboard]\n# scan_dirs = []\n";
    let set_hours = set(text, &[("calendar.work_hours_per_day", json!(7))]).unwrap();
    assert_eq!(set_hours, format!("{text}\n[calendar]\nwork_hours_per_day = 7.0\n"));
    let windows = text.replace('\n', "\r\n");
    let set_hours = set(&windows, &[("calendar.work_hours_per_day", json!(7))]).unwrap();
    assert_eq!(set_hours, format!("{windows}\r\n[calendar]\r\nwork_hours_per_day = 7.0\r\n"));
    let deeper = set(text, &[("dashboard.max_depth", json!(3))]).unwrap();
    assert_eq!(deeper, "[dashboard]\nmax_depth = 3\n# scan_dirs = []\n");
}

#[test]
fn a_table_can_be_there_with_nothing_in_it() {
    let there = |text: &str, name: &str| {
        apply(text, &[Assignment { path: vec!["assignees".to_owned(), name.to_owned()], value: Some(json!({})) }])
    };
    assert_eq!(there("# mine\n", "al").unwrap(), "# mine\n\n[assignees.al]\n");
    assert_eq!(there("", "Ann-Marie O'Neil").unwrap(), "[assignees.\"Ann-Marie O'Neil\"]\n");
    for kept in
        ["[assignees.al]\ncolor = \"#112233\" # c\n", "assignees.al.color = \"#112233\"\n", "[assignees.al] # x\n"]
    {
        assert_eq!(there(kept, "al").unwrap(), kept);
    }
    let inline = there("assignees = { bo = {} }\n", "al").unwrap();
    assert!(resolve(project(&inline)).config.assignees.contains_key(&"al".parse().unwrap()), "{inline}");
    assert!(there("assignees = 5\n", "al").is_err());
    let cleared = [
        Assignment { path: path("assignees.al.color"), value: None },
        Assignment { path: path("assignees.al"), value: Some(json!({})) },
    ];
    assert_eq!(apply("assignees.al.color = \"#112233\"\n", &cleared).unwrap(), "[assignees.al]\n");
}

#[test]
fn a_table_keeps_all_it_has_under_another_name() {
    let renamed = |text: &str| rename(text, &path("assignees.al"), "v1.0 \"x\"");
    let text = "# mine\n[own]\nx = 1\n\n# Al\n[assignees.al] # c\ncolor = \"#112233\" # d\nodd = 1\n\n# e\n[assignees.al.day_hours]\nfri = 4 # f\n\n[assignees.bo]\n";
    assert_eq!(renamed(text).unwrap(), text.replace("assignees.al", "assignees.'v1.0 \"x\"'"));
    let inline = "assignees = { al = { color = \"#112233\" }, bo = {} } # x\n";
    let config = resolve(project(&renamed(inline).unwrap())).config;
    assert_eq!(config.assignees.keys().map(ToString::to_string).collect::<Vec<_>>(), ["bo", "v1.0 \"x\""]);
    let dotted = "[assignees]\n# red\nal.color = \"#112233\" # c\nal.odd = 1\nbo.odd = 2\n";
    let edited = renamed(dotted).unwrap();
    assert!(edited.contains("# red\n'v1.0 \"x\"'.color = \"#112233\" # c\n"), "{edited}");
    assert!(rename(text, &path("assignees.al"), "bo").unwrap_err().reason.contains("already"));
    assert!(rename(text, &path("assignees.cy"), "dy").unwrap_err().reason.contains("does not stand"));
}

#[test]
fn a_date_is_set_whether_it_is_written_with_quotation_marks_or_without() {
    let started = |text: &str| set(text, &[("project.started_at", json!("2026-11-18"))]).unwrap();
    assert_eq!(started("[project]\nname = \"a\"\n"), "[project]\nname = \"a\"\nstarted_at = 2026-11-18\n");
    assert_eq!(
        started("[project]\nstarted_at = 2026-11-18 # as said\n"),
        "[project]\nstarted_at = 2026-11-18 # as said\n"
    );
    for before in ["started_at = \"2026-05-04\"", "started_at = 2026-05-04"] {
        let config = resolve(project(&started(&format!("{before}\n[project]\nname = \"a\"\n")))).config;
        assert_eq!(config.started_at().map(|day| day.to_string()).as_deref(), Some("2026-11-18"));
        assert_eq!(
            config.started_at.map(|day| day.to_string()).as_deref(),
            Some("2026-05-04"),
            "what others wrote stays"
        );
    }
}

#[test]
fn comments_and_forms_in_a_list_stay_with_their_items() {
    let text = "[calendar]\nclosed_dates = [\n  2026-12-25, # Christmas\n  2026-12-26, # Boxing day\n]\n";
    let added = set(text, &[("calendar.closed_dates", json!(["2026-12-25", "2026-12-26", "2026-12-31"]))]).unwrap();
    assert!(added.contains("  2026-12-25, # Christmas\n  2026-12-26, # Boxing day\n"), "{added}");
    assert_eq!(resolve(project(&added)).config.calendar.closed_dates.len(), 3, "{added}");
    let less = set(text, &[("calendar.closed_dates", json!(["2026-12-26"]))]).unwrap();
    assert!(less.contains("2026-12-26, # Boxing day"), "{less}");
}
