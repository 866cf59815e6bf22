//! The budget of a context holds whatever lies in the store, in both forms, and what it leaves out is counted.

use std::fmt::Write as _;
use std::sync::LazyLock;

use bpe_openai::Tokenizer;
use handoff_model::tokens;
use handoff_testkit::{McpClient, TestProject, project, text_of};
use serde_json::{Value, json};

static O200K: LazyLock<&Tokenizer> = LazyLock::new(bpe_openai::o200k_base);

const LOAD: &str = "handoff_load_context";
const BUDGETS: [usize; 4] = [100, 300, 2_000, 8_000];
/// What every host accepts.
const BYTES: usize = 9_500;
/// The default of `budget_tokens`.
const TOKENS: usize = 2_000;

/// Puts tasks on disk, in all statuses by turns; of the open ones every second is in progress.
fn fill_tasks(project: &TestProject, count: usize, title: &str) {
    const STATUSES: [&str; 6] = ["in_progress", "todo", "in_progress", "blocked", "review", "done"];
    for number in 1..=count {
        let status = STATUSES[number % STATUSES.len()];
        let path = format!(".handoff/tasks/{number:02}-{status}--task/task.toml");
        let notes = "\n[[notes]]\nat = 2026-11-15T08:00:00Z\nby = \"bob\"\ntext = \"waits for the key\"\n";
        let id = task_id(number);
        let text = format!("format = 1\nid = \"{id}\"\ntitle = \"{title} {number}\"\nstatus = \"{status}\"\n{notes}");
        project.write(&path, text);
    }
}

/// The same number gives the same id, and no two numbers one.
fn task_id(number: usize) -> String {
    let digits = b"abcdefghijklmnopqrstuvwxyz234567";
    let letter = |place: u32| char::from(digits[(number >> (5 * place)) & 31]);
    format!("t{}", (0..7).map(letter).collect::<String>())
}

fn closed(project: &TestProject, name: &str, lines: &str) {
    let at = &name[..10];
    let head =
        format!("status = \"closed\"\nauthor = \"bob\"\nstarted_at = {at}T08:00:00Z\nended_at = {at}T09:00:00Z\n");
    project.put_session(name, &format!("{head}{lines}"));
}

/// A session with so many items of each kind, each about as long as `text`.
fn items(count: usize, text: &str) -> String {
    let mut lines = format!("summary = \"{text}\"\n");
    for list in ["next", "blockers"] {
        let items: Vec<String> = (0..count).map(|n| format!("\"{list} {n} {text}\"")).collect();
        writeln!(lines, "{list} = [{}]", items.join(", ")).unwrap();
    }
    for n in 0..count {
        writeln!(lines, "\n[[decisions]]\nid = \"d{}\"\ndecision = \"decision {n} {text}\"", n + 1).unwrap();
        writeln!(lines, "\n[[checklist]]\nitem = \"check {n} {text}\"\nchecked = false").unwrap();
        writeln!(lines, "\n[[notes]]\nnote = \"note {n} {text}\"\ncategory = \"caution\"").unwrap();
        writeln!(lines, "\n[[pointers]]\npath = \"src/{n}.rs\"\nreason = \"{text}\"").unwrap();
        writeln!(lines, "\n[[references]]\ntype = \"url\"\nlabel = \"{text}\"\nuri = \"https://example.com/{n}\"")
            .unwrap();
    }
    lines
}

fn assert_within(text: &str, budget: usize, what: &str) {
    let estimated = tokens::estimate(text);
    assert!(estimated <= budget, "{what}: {estimated} tokens by the estimate:\n{text}");
    // The estimate is at least 95 % of the true count.
    let counted = O200K.count(text);
    assert!(counted * 95 <= budget * 100, "{what}: {counted} tokens by the tokenizer:\n{text}");
}

/// Loads the context in every form and budget, each twice, and checks what holds for all of them.
fn assert_budget_holds(project: &TestProject, what: &str) {
    let mut client = project.mcp().connect();
    for form in ["text", "json"] {
        for budget in BUDGETS {
            let text = load(&mut client, json!({"budget_tokens": budget, "format": form}));
            assert_within(&text, budget, &format!("{what}, {form}, {budget}"));
        }
        let text = load(&mut client, json!({"format": form}));
        assert_within(&text, TOKENS, &format!("{what}, {form}"));
        assert!(text.len() <= BYTES, "{what}, {form}: {} bytes", text.len());
    }
    client.close();
}

fn load(client: &mut McpClient<'_>, arguments: Value) -> String {
    let result = client.call(LOAD, arguments.clone());
    assert_eq!(result["isError"], false, "{result:#}");
    let text = text_of(&result);
    assert_eq!(text_of(&client.call(LOAD, arguments.clone())), text, "two runs give the same bytes");
    if arguments["format"] == "json" {
        let said: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(said, result["structuredContent"], "both forms say the same");
    } else {
        assert_eq!(result["structuredContent"], Value::Null);
    }
    text
}

#[test]
fn the_budget_holds_without_anything_to_say() {
    assert_budget_holds(&project!(), "nothing");
}

#[test]
fn the_budget_holds_for_one_task_and_for_fifty() {
    for count in [1, 50] {
        let project = project!();
        fill_tasks(&project, count, "Implement the next part of the parser");
        assert_budget_holds(&project, &format!("{count} tasks"));
        closed(&project, "2026-11-14-aaaaaaaa", &items(3, "something to do"));
        assert_budget_holds(&project, &format!("{count} tasks and a handoff"));
    }
}

#[test]
fn the_budget_holds_for_ten_thousand_tasks() {
    let project = project!();
    fill_tasks(&project, 10_000, "Implement the next part");
    closed(&project, "2026-11-14-aaaaaaaa", &items(3, "something to do"));
    assert_budget_holds(&project, "10,000 tasks");
}

#[test]
fn the_budget_holds_for_a_thousand_sessions() {
    let project = project!();
    for n in 0..1_000 {
        let name = format!("2026-{:02}-{:02}-{n:08x}", 1 + n / 100, 1 + n % 28);
        closed(&project, &name, &items(1, &format!("of session {n}")));
    }
    assert_budget_holds(&project, "1,000 closed sessions");
    for n in 0..100 {
        let lines = format!("status = \"active\"\ntitle = \"Open {n}\"\nstarted_at = 2026-11-14T10:00:00Z\n");
        project.put_session(&format!("2026-11-14-{:08x}", 5_000 + n), &lines);
    }
    assert_budget_holds(&project, "100 of them open");
}

#[test]
fn the_budget_holds_for_long_and_foreign_texts() {
    let long = "word ".repeat(200_000);
    for (what, lines) in [
        ("a summary of 1 MB", format!("summary = \"{long}\"\n")),
        ("one word of 1 MB", format!("summary = \"{}\"\n", "x".repeat(1_000_000))),
        ("a step of 100 kB", format!("summary = \"Short\"\nnext = [\"{}\", \"Short\"]\n", &long[..100_000])),
        ("Chinese", items(60, "今天我们把登录模块的令牌解析拆成了独立的函数")),
        ("Japanese", items(60, "認証ミドルウェアの整理を進めました")),
        ("emoji", items(60, "🚀🐛👩‍👩‍👧🎉")),
        ("titles in Chinese", format!("title = \"{}\"\n", "令牌解析".repeat(100))),
        ("control characters", items(60, "\\u0001\\u001b[31m")),
        ("characters that hide", items(60, "\\u202e\\u2066\\u200b\\u200f")),
        ("characters beyond the first plane that hide", items(60, "\\U000e0041\\U000e0042")),
        ("quotes and backslashes", items(60, "\\\"\\\\\\\"\\\\<a>&`*_")),
    ] {
        let project = project!();
        closed(&project, "2026-11-14-aaaaaaaa", &lines);
        assert_budget_holds(&project, what);
    }
}

#[test]
fn the_budget_holds_for_damaged_files_and_long_names() {
    let project = project!();
    for n in 0..40 {
        project.write(&format!(".handoff/sessions/2026-11-13-{n:08x}.toml"), "status = [\n");
        project.write(&format!(".handoff/tasks/{n:02}-todo--{}/task.toml", "long-name-".repeat(20)), "title = \n");
    }
    closed(
        &project,
        "2026-11-14-aaaaaaaa",
        &format!("tool = \"{0}\"\ntitle = \"{0}\"\n", "very long name ".repeat(50)),
    );
    let name = "令牌".repeat(30);
    project.write(
        ".handoff/config.toml",
        format!("[project]\nname = \"{name}\"\n\n[settings]\ncontext_files = [\"{name}\"]\n"),
    );
    assert_budget_holds(&project, "damage");
}

#[test]
fn the_setting_is_the_budget_of_those_who_give_none() {
    let project = project!();
    closed(&project, "2026-11-14-aaaaaaaa", &items(60, "something to do"));
    project.handoff("config set settings.budget_tokens 400");
    let mut client = project.mcp().connect();
    let small = load(&mut client, json!({}));
    assert_within(&small, 400, "a setting of 400");
    assert!(tokens::estimate(&small) > 250, "the budget is used: {small}");
    let large = load(&mut client, json!({"budget_tokens": 8_000}));
    assert!(large.len() > BYTES, "more is given to those who ask for it: {} bytes", large.len());
    client.close();
}

#[test]
fn a_budget_that_cannot_be_kept_is_refused() {
    let project = project!();
    let mut client = project.mcp().connect();
    for budget in [json!(0), json!(99), json!(1_000_000), json!(-1), json!("many")] {
        let refused = client.failure(LOAD, json!({"budget_tokens": budget}));
        assert!(refused.contains("budget"), "{budget}: {refused}");
    }
    project.call("resume --budget 99").run().failed(2);
    client.close();
}

#[test]
fn what_is_left_out_is_counted() {
    let project = project!();
    fill_tasks(&project, 60, "Implement part");
    closed(&project, "2026-11-14-aaaaaaaa", &items(40, "something that is worth saying"));
    let of_tasks = |status: &str| {
        (1..=60)
            .filter(|n| ["in_progress", "todo", "in_progress", "blocked", "review", "done"][n % 6] == status)
            .count()
    };
    let tasks = of_tasks("in_progress") + of_tasks("blocked") + of_tasks("review") + 5;
    let mut client = project.mcp().connect();
    for budget in BUDGETS {
        let context = client.call(LOAD, json!({"budget_tokens": budget, "format": "json"}))["structuredContent"].take();
        let lists = ["next", "blockers", "checklist", "decisions", "notes", "pointers", "references"];
        for (list, all) in lists.iter().map(|list| (*list, 40)).chain([("tasks", tasks)]) {
            let shown = context[list].as_array().map_or(0, Vec::len);
            let left_out = context["left_out"][list].as_u64().unwrap_or(0);
            let rest = context["left_out"]["items"].as_u64().is_some();
            let counted = shown + usize::try_from(left_out).unwrap();
            assert!(counted == all || rest, "{list} at {budget}: {shown} shown, {left_out} left out: {context:#}");
        }
        let text = client.text(LOAD, json!({"budget_tokens": budget}));
        for (what, mark) in [
            ("next steps", "> - next: "),
            ("blockers", "> - blocker: "),
            ("checklist items", "> - [ ] "),
            ("decisions", "> - decision "),
            ("notes", "> - caution: "),
            ("pointers", "> - src/"),
            ("references", "> - url "),
        ] {
            let shown = text.lines().filter(|line| line.starts_with(mark)).count();
            let left_out = text
                .lines()
                .find_map(|line| line.trim_start_matches("- ").split_once(&format!(" more {what}"))?.0.parse().ok());
            let counted = shown + left_out.unwrap_or(0);
            assert!(
                counted == 40 || text.contains("items left out"),
                "{what} at {budget}: {counted} are accounted for:\n{text}"
            );
        }
    }
    client.close();
}

#[test]
fn a_summary_that_does_not_fit_is_said_to_be_left_out_and_where_it_is() {
    let project = project!();
    closed(&project, "2026-11-14-aaaaaaaa", &format!("title = \"Parser\"\nsummary = \"{}\"\n", "word ".repeat(20_000)));
    let mut client = project.mcp().connect();
    let text = client.text(LOAD, json!({}));
    assert!(text.contains("summary") && text.contains("aaaaaaaa"), "{text}");
    assert!(!text.contains("word word"), "never cut in the middle: {text}");
    client.close();
}
