//! The budget of a context holds whatever lies in the store, in both forms, and what it leaves out is counted.
#![expect(clippy::needless_pass_by_value, reason = "`json!(…)` at the call needs no reference before it")]

use handoff_model::tokens;
use handoff_testkit::{McpClient, TestProject, project, text_of};
use serde_json::{Value, json};

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
    let line = |list: &str| {
        let items: Vec<String> = (0..count).map(|n| format!("\"{list} {n} {text}\"")).collect();
        format!("{list} = [{}]\n", items.join(", "))
    };
    let tables = (0..count).map(|n| {
        format!(
            "\n[[decisions]]\nid = \"d{0}\"\ndecision = \"decision {n} {text}\"\n\
             \n[[checklist]]\nitem = \"check {n} {text}\"\nchecked = false\n\
             \n[[notes]]\nnote = \"note {n} {text}\"\ncategory = \"caution\"\n\
             \n[[pointers]]\npath = \"src/{n}.rs\"\nreason = \"{text}\"\n\
             \n[[references]]\ntype = \"url\"\nlabel = \"{text}\"\nuri = \"https://example.com/{n}\"\n",
            n + 1
        )
    });
    let tables: Vec<String> = tables.collect();
    format!("summary = \"{text}\"\n{}{}{}", line("next"), line("blockers"), tables.concat())
}

fn assert_within(text: &str, budget: usize, what: &str) {
    let estimated = tokens::estimate(text);
    assert!(estimated <= budget, "{what}: {estimated} tokens by the estimate:\n{text}");
}

/// Loads the context in every form and budget, and checks what holds for all of them.
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
    if arguments["budget_tokens"].is_null() {
        assert_eq!(text_of(&client.call(LOAD, arguments.clone())), text, "two runs give the same bytes");
    }
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
fn the_budget_holds_for_long_texts() {
    let long = "word ".repeat(200_000);
    for (what, lines) in [
        ("a summary of 1 MB", format!("summary = \"{long}\"\n")),
        ("one word of 200 kB", format!("summary = \"{}\"\n", "x".repeat(200_000))),
        ("a step of 100 kB", format!("summary = \"Short\"\nnext = [\"{}\", \"Short\"]\n", &long[..100_000])),
    ] {
        let project = project!();
        closed(&project, "2026-11-14-aaaaaaaa", &lines);
        assert_budget_holds(&project, what);
    }
}

#[test]
fn the_budget_holds_for_foreign_texts() {
    for (what, lines) in [
        ("Chinese", items(25, "今天我们把登录模块的令牌解析拆成了独立的函数")),
        ("Japanese", items(25, "認証ミドルウェアの整理を進めました")),
        ("emoji", items(25, "🚀🐛👩‍👩‍👧🎉")),
        ("titles in Chinese", format!("title = \"{}\"\n", "令牌解析".repeat(100))),
        ("control characters", items(25, "\\u0001\\u001b[31m")),
        ("characters that hide", items(25, "\\u202e\\u2066\\u200b\\u200f")),
        ("characters beyond the first plane that hide", items(25, "\\U000e0041\\U000e0042")),
        ("quotes and backslashes", items(25, "\\\"\\\\\\\"\\\\<a>&`*_")),
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

/// The estimate is at least 95 % of the true count, for contexts as for any text.
#[test]
fn the_budget_holds_by_a_real_tokenizer() {
    let tokenizer = bpe_openai::o200k_base();
    for text in ["something that is worth saying", "今天我们把登录模块的令牌解析", "🚀🐛👩‍👩‍👧🎉", "`a_b` <c> \\\" 0x5f3a"]
    {
        let project = project!();
        fill_tasks(&project, 12, "Implement part");
        closed(&project, "2026-11-14-aaaaaaaa", &items(25, text));
        let mut client = project.mcp().connect();
        for form in ["text", "json"] {
            for budget in BUDGETS {
                let answer = load(&mut client, json!({"budget_tokens": budget, "format": form}));
                let count = tokenizer.count(&answer);
                assert!(count * 95 <= budget * 100, "{form}, {budget}: {count} tokens:\n{answer}");
            }
        }
        client.close();
    }
}

#[test]
fn the_setting_is_the_budget_of_those_who_give_none() {
    let project = project!();
    closed(&project, "2026-11-14-aaaaaaaa", &items(50, "something to do"));
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

/// What a text says was left out of a kind; one that has no room to tell them apart says only how much in all.
fn left_out(text: &str, what: &str) -> usize {
    let line = text.lines().find_map(|line| line.trim_start_matches("- ").strip_prefix("left out: "));
    let counts = line.and_then(|line| line.split_once("; ")).map_or("", |(counts, _)| counts);
    let of_one = what.trim_end_matches('s');
    let number = |count: &str| {
        let number = count.strip_suffix(what).or_else(|| count.strip_suffix(of_one))?;
        number.trim().parse::<usize>().ok()
    };
    let count = counts.split(", ").find_map(number);
    count.unwrap_or(0)
}

#[test]
fn what_is_left_out_is_counted() {
    // The list, its name in words, and how a line of it begins and goes on after its id.
    const LISTS: [(&str, &str, (&str, &str)); 7] = [
        ("next", "next steps", ("> n", " next ")),
        ("blockers", "blockers", ("> b", " blocked: blockers ")),
        ("checklist", "checklist items", ("> c", " [ ] check ")),
        ("decisions", "decisions", ("> aaa#d", " decision ")),
        ("notes", "cautions", ("> w", " note ")),
        ("pointers", "pointers", ("> src/", " — ")),
        ("references", "references", ("> url ", " https://example.com/")),
    ];
    const EACH: usize = 40;
    let project = project!();
    closed(&project, "2026-11-14-aaaaaaaa", &items(EACH, "something that is worth saying"));
    let mut client = project.mcp().connect();
    for budget in BUDGETS {
        let context = client.call(LOAD, json!({"budget_tokens": budget, "format": "json"}))["structuredContent"].take();
        let text = client.text(LOAD, json!({"budget_tokens": budget}));
        let count = |of: &Value| usize::try_from(of.as_u64().unwrap_or(0)).unwrap();
        let shown = |list: &str| context[list].as_array().map_or(0, Vec::len);
        let quoted = |(start, words): (&str, &str)| {
            text.lines().filter(|line| line.starts_with(start) && line.contains(words)).count()
        };
        if budget > 100 {
            for (list, what, mark) in LISTS {
                // All notes of this project are cautions.
                let counted = if list == "notes" { "cautions" } else { list };
                assert_eq!(shown(list) + count(&context["left_out"][counted]), EACH, "{list} at {budget}: {context:#}");
                assert_eq!(quoted(mark) + left_out(&text, what), EACH, "{list} at {budget}: {text}");
            }
        } else {
            let all: usize = LISTS.iter().map(|(list, ..)| shown(list)).sum();
            assert_eq!(all + count(&context["left_out"]["items"]), LISTS.len() * EACH, "{context:#}");
            let all: usize = LISTS.iter().map(|(.., mark)| quoted(*mark)).sum();
            let more =
                text.lines().find_map(|line| line.trim_start_matches("- ").split_once(" more: ")?.0.parse().ok());
            assert_eq!(all + more.unwrap_or(0), LISTS.len() * EACH, "{text}");
        }
    }
    client.close();
}

#[test]
fn tasks_that_are_left_out_are_counted() {
    let project = project!();
    fill_tasks(&project, 600, "Implement the next part of the parser");
    let mut client = project.mcp().connect();
    for budget in BUDGETS {
        let context = client.call(LOAD, json!({"budget_tokens": budget, "format": "json"}))["structuredContent"].take();
        let shown = context["tasks"].as_array().map_or(0, Vec::len);
        let left_out = &context["left_out"];
        let left_out = left_out["tasks"].as_u64().or_else(|| left_out["items"].as_u64()).unwrap_or(0);
        // Two thirds of them are under way, in review or blocked; five more could be begun.
        assert_eq!(shown + usize::try_from(left_out).unwrap(), 405, "at {budget}: {context:#}");
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

/// Sixty facts in ten sessions beside some tasks; returns the words of each.
fn plant_facts(project: &TestProject) -> Vec<String> {
    fill_tasks(project, 9, "Task in the background");
    let mut facts = Vec::new();
    let mut fact = |words: String| {
        facts.push(words.clone());
        words
    };
    for n in 0..10 {
        let mut decisions = Vec::new();
        for (d, confidence) in [(1, "confirmed"), (2, "estimated")] {
            let words = fact(format!("Service {n} keeps form {d} of its tables for a month"));
            decisions.push(format!(
                "\n[[decisions]]\nid = \"d{d}\"\ndecision = \"{words}\"\nreason = \"rows outgrow memory\"\n\
                 confidence = \"{confidence}\"\n"
            ));
        }
        let next = [fact(format!("Cover service {n} with a load test")), fact(format!("Document restarts of {n}"))];
        let blocker = fact(format!("waiting for the staging credentials of service {n}"));
        let caution = fact(format!("never clear table {n} before its queue is drained"));
        let text = format!(
            "summary = \"Worked on service {n}\"\nnext = {next:?}\nblockers = [{blocker:?}]\n{}\n\
             [[notes]]\nnote = \"{caution}\"\ncategory = \"caution\"\n",
            decisions.concat()
        );
        closed(project, &format!("2026-11-{:02}-{n}aaaaaaa", n + 1), &text);
    }
    facts
}

#[test]
fn where_not_all_that_holds_fits_details_are_given_up_first() {
    let project = project!();
    let facts = plant_facts(&project);
    let mut client = project.mcp().connect();
    let missing = |text: &str| facts.iter().filter(|fact| !text.contains(fact.as_str())).count();
    let ample = load(&mut client, json!({}));
    assert_eq!(missing(&ample), 0, "{ample}");
    assert!(ample.contains("todo Task in the background") && ample.contains("(for 9 sessions)"), "{ample}");
    let scarce = load(&mut client, json!({"budget_tokens": 1_250}));
    assert!(missing(&scarce) <= 6, "{} of {} facts are missing:\n{scarce}", missing(&scarce), facts.len());
    assert!(!scarce.contains("(for 9 sessions)") && !scarce.contains("all tasks: "), "{scarce}");
    assert!(scarce.contains("to go on: "), "{scarce}");
    client.close();
}
