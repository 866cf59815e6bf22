//! Moving and reordering: where a task stands, and what it is called there.

use handoff_testkit::{TestProject, project, shared_project};

fn both() -> [TestProject; 2] {
    [project!(), shared_project!()].map(|project| {
        project
            .task("aaaaaaaa", |task| task.title("A"))
            .task("bbbbbbbb", |task| task.title("B").parent("aaaaaaaa"))
            .task("cccccccc", |task| task.title("C").parent("bbbbbbbb"))
            .task("dddddddd", |task| task.title("D"))
            .task("eeeeeeee", |task| task.title("E"))
    })
}

/// The tree on one line: numbers and titles, in the order they are shown.
fn shown(project: &TestProject) -> String {
    let list = project.json("task list");
    assert!(list["problems"].is_null(), "{list:#}");
    let tasks = list["tasks"].as_array().expect("a list has tasks").iter();
    let words: Vec<String> = tasks
        .map(|task| format!("{}{}", task["number"].as_str().unwrap_or("?"), task["title"].as_str().unwrap_or("?")))
        .collect();
    words.join(" ")
}

#[test]
fn a_task_moves_with_all_below_it() {
    for project in both() {
        project.call("task move b --to d").run().succeeded().says("moved 01.1 to 02.1 B");
        assert_eq!(shown(&project), "01A 02D 02.1B 02.1.1C 03E");
        project.call("task move b --to root").run().succeeded().says("04 B");
        assert_eq!(shown(&project), "01A 02D 03E 04B 04.1C");
        project.call("task move a --to c").run().succeeded();
        assert_eq!(shown(&project), "02D 03E 04B 04.1C 04.1.1A");
    }
}

#[test]
fn directory_names_follow_a_move_in_the_private_layout() {
    let project = both().into_iter().next().expect("the private one comes first");
    project.handoff("task move b --to d");
    insta::assert_snapshot!(project.tree(".handoff/tasks"), @r"
    01-todo--a/task.toml
    02-todo--d/02.1-todo--b/02.1.1-todo--c/task.toml
    02-todo--d/02.1-todo--b/task.toml
    02-todo--d/task.toml
    03-todo--e/task.toml
    ");
}

#[test]
fn moving_to_where_it_is_changes_nothing() {
    for project in both() {
        let before = project.records();
        project.call("task move b --to a").run().succeeded().says("is under 01 already");
        project.call("task move d --to root").run().succeeded().says("is at the top already");
        project.records().assert_same(&before, "it changed");
    }
}

#[test]
fn a_number_is_not_given_out_again_after_a_move_or_a_deletion() {
    for project in both() {
        project.handoff("task move e --to a");
        project.call("task create F").run().says("created 04 F");
        project.handoff("task delete 4");
        project.call("task create G").run().says("created 05 G");
        project.handoff("task move 1.2 --to root");
        project.call("task create H --parent 1").run().says("created 01.3 H");
    }
}

#[test]
fn reordering_changes_the_order_and_no_number() {
    for project in both() {
        let place = |line: &str| {
            project.call(&format!("task reorder {line}")).run().succeeded();
            shown(&project)
        };
        assert_eq!(place("e --first"), "03E 01A 01.1B 01.1.1C 02D");
        assert_eq!(place("e --after a"), "01A 01.1B 01.1.1C 03E 02D");
        assert_eq!(place("d --before a"), "02D 01A 01.1B 01.1.1C 03E");
        assert_eq!(place("a --last"), "02D 03E 01A 01.1B 01.1.1C");
        assert_eq!(place("a --last"), "02D 03E 01A 01.1B 01.1.1C");
        assert_eq!(place("e --before d"), "03E 02D 01A 01.1B 01.1.1C");
        project.call("task create F").run().succeeded();
        assert_eq!(shown(&project), "03E 02D 01A 01.1B 01.1.1C 04F", "a new task comes last");
    }
}

#[test]
fn any_sequence_of_placings_ends_as_asked() {
    let mut project = project!();
    let ids = ["aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd", "eeeeeeee", "ffffffff"];
    for id in ids {
        project = project.task(id, |task| task.title(&id[..1]));
    }
    let mut expected: Vec<&str> = ids.iter().map(|id| &id[..1]).collect();
    let mut seed: usize = 12345;
    for _ in 0..25 {
        seed = seed.wrapping_mul(1_103_515_245).wrapping_add(12345) % (1 << 31);
        let (moved, target) = (seed / 7 % 6, seed / 91 % 6);
        if moved == target {
            continue;
        }
        let (moved, target) = (&ids[moved][..1], &ids[target][..1]);
        expected.retain(|id| *id != moved);
        let place = expected.iter().position(|id| *id == target).expect("it is another one");
        let (word, place) = if seed.is_multiple_of(2) { ("--before", place) } else { ("--after", place + 1) };
        expected.insert(place, moved);
        project.call(&format!("task reorder {moved} {word} {target}")).run().succeeded();
        let list = project.json("task list");
        let shown: Vec<&str> =
            list["tasks"].as_array().unwrap().iter().map(|task| task["title"].as_str().unwrap()).collect();
        assert_eq!(shown, expected, "{moved} {word} {target}");
    }
}

#[test]
fn orders_at_the_ends_of_the_scale_are_survived() {
    let project = project!()
        .task("aaaaaaaa", |task| task.title("A").field("order = -9223372036854775808"))
        .task("bbbbbbbb", |task| task.title("B").field("order = 9223372036854775807"))
        .task("cccccccc", |task| task.title("C"));
    project.call("task reorder c --after a").run().succeeded();
    assert_eq!(shown(&project), "01A 03C 02B");
    project.call("task reorder c --first").run().succeeded();
    assert_eq!(shown(&project), "03C 01A 02B");
    project.call("task reorder c --last").run().succeeded();
    assert_eq!(shown(&project), "01A 02B 03C");
}

#[test]
fn a_place_must_be_said_once_and_among_siblings() {
    for project in both() {
        project.call("task reorder a").run().failed(2).says("before");
        project.call("task reorder a --first --last").run().failed(2);
        project.call("task reorder a --before d --after e").run().failed(2);
        project.call("task reorder a --before b").run().failed(4).says("not a sibling");
        project.call("task reorder a --before a").run().failed(4);
        project.call("task reorder a --before z").run().failed(3);
        assert_eq!(shown(&project), "01A 01.1B 01.1.1C 02D 03E");
    }
}

#[test]
fn a_number_at_the_end_of_the_scale_is_survived() {
    let project = project!().task("aaaaaaaa", |task| task.title("A").field("number = 4294967295"));
    project.call("task list").run().succeeded().says("A");
    project.call("task create B").run().succeeded();
    project.call("task create C").run().succeeded();
    let project = shared_project!();
    project.write(".handoff/tasks/a-aaaaaaaa/task.toml", "id = \"aaaaaaaa\"\ntitle = \"A\"\nnumber = 4294967295\n");
    project.call("task list").run().succeeded().says("A");
    project.call("task create B").run();
    project.call("task create B --parent aaaaaaaa").run().succeeded();
    project.call("unshare").run();
    project.call("task list").run().succeeded().says("A");
}

#[test]
fn a_number_written_into_a_file_by_hand_or_git_is_not_given_out_again() {
    let project = shared_project!()
        .task("aaaaaaaa", |task| task.title("A"))
        .task("bbbbbbbb", |task| task.title("B").parent("aaaaaaaa"))
        .task("cccccccc", |task| task.title("C"));
    project.call("task create D --parent aaaaaaaa").run().succeeded().says("created 01.2 D");
    let file = project.task_file("cccccccc");
    project.edit(&file, "number = 2\n", "parent = \"aaaaaaaa\"\nnumber = 3\n");
    project.call("task create E --parent aaaaaaaa").run().succeeded().says("created 01.4 E");
    assert_eq!(shown(&project), "01A 01.1B 01.2D 01.3C 01.4E");
}
