//! What people add to a file stays there: the cases that are easily got wrong, one by one.

use handoff_model::config::{Assignment, apply};
use handoff_model::session::Session;
use handoff_model::task::{Criterion, Link, LinkType, Schedule, Status, Task};

fn change(text: &str, change: impl FnOnce(&mut Task)) -> String {
    let (mut task, _) = Task::read(text).unwrap();
    change(&mut task);
    let written = task.write_over(text).unwrap();
    assert_eq!(Task::read(&written).unwrap(), (task, None));
    written
}

#[test]
fn a_file_that_leaves_out_what_goes_without_saying_is_not_completed() {
    let text = "id = \"k7f3q2ma\"\n";
    assert_eq!(change(text, |_| {}), text);
    assert_eq!(change(text, |task| task.order = Some(3)), "id = \"k7f3q2ma\"\norder = 3\n");
}

#[test]
fn a_byte_order_mark_stays() {
    let text = "\u{feff}id = \"k7f3q2ma\"\ntitle = \"a\"\n";
    assert_eq!(change(text, |_| {}), text);
    assert_eq!(change(text, |task| task.title = "b".to_owned()), text.replace("\"a\"", "\"b\""));
}

#[test]
fn line_ends_stay_beside_a_text_of_several_lines() {
    let text = "id = \"k7f3q2ma\"\r\ntitle = \"a\"\r\nmine = \"\"\"\r\nx\r\ny\"\"\"\r\n";
    assert_eq!(change(text, |task| task.title = "b".to_owned()), text.replace("\"a\"", "\"b\""));
}

#[test]
fn mixed_line_ends_stay_when_nothing_changes() {
    let text = "id = \"k7f3q2ma\"\r\ntitle = \"a\"\n";
    assert_eq!(change(text, |_| {}), text);
}

#[test]
fn a_comment_behind_a_list_stays() {
    let text = "id = \"k7f3q2ma\"\nlabels = [\"a\"] # sorted\n";
    assert_eq!(change(text, |task| task.labels.push("b".to_owned())), text.replace("\"a\"]", "\"a\", \"b\"]"));
}

#[test]
fn comments_around_a_cleared_value_stay() {
    let text = "id = \"k7f3q2ma\"\n# on leave till May\nassignee = \"ann\" # or Bo\nown = 1\n";
    let written = change(text, |task| task.assignee = None);
    assert_eq!(written, "id = \"k7f3q2ma\"\n# on leave till May\n# or Bo\nown = 1\n");
    let text = "id = \"k7f3q2ma\"\n[schedule] # plan\n# fixed by contract\ndue_date = 2026-11-18\npinned = true\n";
    let written = change(text, |task| task.schedule.due_date = None);
    assert!(written.contains("[schedule] # plan\n# fixed by contract\npinned = true\n"), "{written}");
}

#[test]
fn a_comment_above_a_cleared_table_on_one_line_stays() {
    let text = "id = \"k7f3q2ma\"\n# plan\nschedule = { due_date = 2026-11-18 }\n";
    assert_eq!(change(text, |task| task.schedule = Schedule::default()), "id = \"k7f3q2ma\"\n# plan\n");
}

#[test]
fn a_comment_above_a_cleared_value_stays_when_the_list_below_it_goes() {
    let text = "id = \"k7f3q2ma\"\n# mine\norder = 1\n[[done_criteria]]\nitem = \"x\"\n";
    let written = change(text, |task| {
        task.order = None;
        task.done_criteria.clear();
    });
    assert_eq!(written, "id = \"k7f3q2ma\"\n# mine\n");
}

#[test]
fn a_comment_above_a_cleared_value_stays_when_the_item_below_it_goes() {
    let text =
        "id = \"k7f3q2ma\"\n# mine\norder = 1\n[[done_criteria]]\nitem = \"x\"\n[[done_criteria]]\nitem = \"y\"\n";
    let written = change(text, |task| {
        task.order = None;
        task.done_criteria.remove(0);
    });
    assert_eq!(written, "id = \"k7f3q2ma\"\n# mine\n[[done_criteria]]\nitem = \"y\"\n");
}

#[test]
fn a_text_of_several_lines_can_be_set_in_a_file_with_windows_line_ends() {
    let path = vec!["project".to_owned(), "description".to_owned()];
    let assignment = Assignment { path, value: Some("one\ntwo".into()) };
    let written = apply("[project]\r\nname = \"x\"\r\n", &[assignment]).unwrap();
    let table: toml::Table = toml::from_str(&written).unwrap();
    assert_eq!(table["project"]["description"].as_str(), Some("one\ntwo"));
}

#[test]
fn a_table_that_says_by_being_there_goes_with_what_was_added_to_it() {
    let text = "id = \"a3f9c12e\"\n[git]\nbranch = \"main\"\nmine = 1\n";
    let mut session = Session::read(text).unwrap();
    session.git = None;
    assert_eq!(Session::read(&session.write_over(text).unwrap()).unwrap(), session);
}

#[test]
fn unknown_keys_stay_in_a_schedule_that_is_cleared() {
    for text in [
        "id = \"k7f3q2ma\"\n[schedule]\ndue_date = 2026-11-18\ncolor = \"red\" # mine\n",
        "id = \"k7f3q2ma\"\nschedule = { due_date = 2026-11-18, color = \"red\" } # mine\n",
        "id = \"k7f3q2ma\"\nschedule.due_date = 2026-11-18\nschedule.color = \"red\" # mine\n",
    ] {
        let written = change(text, |task| task.schedule = Schedule::default());
        let table: toml::Table = toml::from_str(&written).unwrap();
        assert_eq!(table["schedule"].get("color").and_then(toml::Value::as_str), Some("red"), "{written}");
        assert!(written.contains("# mine"), "{written}");
    }
}

#[test]
fn links_written_as_tables_keep_what_was_added_to_them() {
    let text = "id = \"k7f3q2ma\"\n\n# first\n[[links]]\ntype = \"url\"\ntarget = \"a\"\nseen = true # yes\n";
    let written = change(text, |task| {
        task.links.push(Link { kind: LinkType::File, target: "b".to_owned(), label: None });
    });
    assert!(written.starts_with(text), "{written}");
}

#[test]
fn an_item_comes_before_one_that_stands_between_other_lists() {
    let text = "id = \"k7f3q2ma\"\n\
        [[notes]]\nat = 2026-11-15T11:40:00Z\ntext = \"a\"\n\
        [[done_criteria]]\nitem = \"x\"\n\
        [[notes]]\nat = 2026-11-15T11:40:00Z\ntext = \"b\"\n";
    change(text, |task| task.done_criteria.insert(0, Criterion { item: "new".to_owned(), checked: false }));
}

#[test]
fn a_table_inside_an_item_stays_with_it() {
    let text = "id = \"k7f3q2ma\"\n\
        [[done_criteria]]\nitem = \"x\"\n[done_criteria.of]\nname = \"x\"\n\
        [[done_criteria]]\nitem = \"y\"\n[done_criteria.of]\nname = \"y\"\n";
    let written = change(text, |task| task.done_criteria.swap(0, 1));
    let table: toml::Table = toml::from_str(&written).unwrap();
    for item in table["done_criteria"].as_array().unwrap() {
        assert_eq!(item["item"], item["of"]["name"], "{written}");
    }
}

#[test]
fn a_comment_behind_a_wrong_status_stays() {
    let text = "id = \"k7f3q2ma\"\r\nstatus = \"wip\" # mine\r\n";
    let (mut task, mended) = Task::read(text).unwrap();
    assert!(mended.is_some());
    task.status = Status::Review;
    assert_eq!(task.write_over(text).unwrap(), text.replace("wip", "review"));
}

#[test]
fn hours_that_are_no_number_do_not_stand_in_the_way_of_other_changes() {
    for hours in ["nan", "inf", "-inf"] {
        let text = format!("id = \"k7f3q2ma\"\ntitle = \"a\"\n[schedule]\nestimate_hours = {hours}\n");
        let (mut task, _) = Task::read(&text).unwrap();
        task.title = "b".to_owned();
        let written = task.write_over(&text).map_err(|error| format!("{hours}: {error}")).unwrap();
        assert_eq!(Task::read(&written).unwrap().0.title, "b");
    }
}

#[test]
fn a_time_among_the_facts_of_a_session_is_a_time() {
    let text = "id = \"a3f9c12e\"\n[environment]\nbuilt = 2026-11-15T09:15:03Z\n";
    let session = Session::read(text).unwrap();
    assert_eq!(session.environment["built"], "2026-11-15T09:15:03Z");
    assert_eq!(Session::read(&session.print()).unwrap(), session);
}
