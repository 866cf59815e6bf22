//! Whatever a person, a crash or a merge left behind still loads, is reported, and loses nothing by the next write.

use handoff_testkit::{TestProject, project, shared_project};
use serde_json::Value;

/// The reasons given for one path; the file or the directory.
fn reasons(project: &TestProject, path: &str) -> Vec<String> {
    let list = project.json("task list --all");
    let problems = list["problems"].as_array().cloned().unwrap_or_default();
    let about = |problem: &&Value| problem["path"].as_str().is_some_and(|named| named.starts_with(path));
    problems.iter().filter(about).map(|problem| problem["reason"].as_str().unwrap_or_default().to_owned()).collect()
}

fn reason(project: &TestProject, path: &str) -> String {
    let reasons = reasons(project, path);
    assert_eq!(reasons.len(), 1, "one problem at {path}: {reasons:?}\n{}", project.handoff("task list"));
    reasons.into_iter().next().unwrap_or_default()
}

fn titles(project: &TestProject) -> String {
    let list = project.json("task list --all");
    let tasks = list["tasks"].as_array().expect("a list has tasks").iter();
    tasks.map(|task| task["title"].as_str().unwrap_or("?")).collect::<Vec<_>>().join(" ")
}

/// Every task file's text, wherever it lies, to see that none is lost.
fn texts(project: &TestProject) -> Vec<String> {
    let tree = project.tree(".handoff");
    let mut texts: Vec<String> = tree
        .files()
        .into_iter()
        .filter(|path| path.ends_with("task.toml"))
        .map(|path| project.file(&format!(".handoff/{path}")))
        .collect();
    texts.sort();
    texts
}

/// Does something everywhere, and checks that every task file from before is still there, somewhere, word for word.
fn works_on(project: &TestProject) {
    let before = texts(project);
    project.call("task create 'Written after'").run().succeeded();
    let after = texts(project);
    assert_eq!(after.len(), before.len() + 1);
    assert!(before.iter().all(|text| after.contains(text)), "{before:#?}\n{after:#?}");
    assert!(titles(project).contains("Written after"));
}

#[test]
fn two_directories_with_one_id_load_as_the_one_touched_last() {
    let note = |day: u32, text: &str| format!("[[notes]]\nat = 2026-11-{day:02}T09:00:00Z\ntext = \"{text}\"\n");
    let project = project!().task("aaaaaaaa", |task| task.title("Old").table(&note(1, "old")));
    project.write(
        ".handoff/tasks/04-todo--new/task.toml",
        format!("id = \"aaaaaaaa\"\ntitle = \"New\"\nstatus = \"todo\"\n{}", note(2, "new")),
    );
    assert_eq!(titles(&project), "New");
    assert!(reason(&project, "tasks/01-todo--old").contains("has the id `aaaaaaaa` of tasks/04-todo--new too"));
    works_on(&project);
    project.call("task update aaaaaaaa --title Newer").run().succeeded();
    assert!(titles(&project).starts_with("Newer"), "what was changed is what is shown");
    assert!(project.exists(".handoff/tasks/01-todo--old/task.toml"), "the other is kept aside");
}

#[test]
fn the_copy_that_is_listed_is_the_copy_that_is_shown_and_changed() {
    for project in [project!(), shared_project!()] {
        let project = project.task("aaaaaaaa", |task| task.title("Known"));
        // The place of the first is remembered before the copy appears.
        project.handoff("task note aaaaaaaa warm");
        let file = project.task_file("aaaaaaaa");
        let copy = project.file(&file).replace("Known", "Copy").replace("2026-11-15", "2026-11-16");
        project.write(".handoff/tasks/07-todo--copy/task.toml", copy);
        assert_eq!(titles(&project), "Copy");
        assert_eq!(project.json("task show aaaaaaaa")["title"], "Copy");
        project.call("task update aaaaaaaa --title Changed").run().succeeded();
        assert_eq!(titles(&project), "Changed");
    }
}

#[test]
fn a_copy_of_a_whole_branch_loads_once() {
    let project = project!()
        .task("aaaaaaaa", |task| task.title("A"))
        .task("bbbbbbbb", |task| task.title("B").parent("aaaaaaaa"))
        .task("cccccccc", |task| task.title("C").parent("bbbbbbbb"));
    project.copy(".handoff/tasks/01-todo--a", ".handoff/tasks/02-todo--copy");
    assert_eq!(titles(&project), "A B C");
    assert_eq!(reasons(&project, "tasks/").len(), 3);
    works_on(&project);
    project.call("share").run();
    assert_eq!(titles(&project).matches('A').count(), 1);
    assert_eq!(texts(&project).len(), 7, "no copy is thrown away");
}

#[test]
fn two_ids_under_one_number_are_told_apart_by_id() {
    for status in ["todo", "done"] {
        let project =
            project!().task("aaaaaaaa", |task| task.title("First").field("created_at = 2026-11-01T00:00:00Z"));
        project.write(
            &format!(".handoff/tasks/01-{status}--second/task.toml"),
            format!(
                "id = \"bbbbbbbb\"\ntitle = \"Second\"\nstatus = \"{status}\"\ncreated_at = 2026-11-02T00:00:00Z\n"
            ),
        );
        assert_eq!(titles(&project), "First Second");
        assert!(
            reason(&project, &format!("tasks/01-{status}--second"))
                .contains("the number 1 that its sibling `aaaaaaaa` has too")
        );
        project.call("task show 1").run().failed(4).says("aaaaaaaa").says("bbbbbbbb");
        project.call("task update 1 --status review").run().failed(4);
        project.call("task update bbbbbbbb --status review").run().succeeded();
        works_on(&project);
    }
}

#[test]
fn the_answer_names_the_file_a_task_really_has() {
    // The name that would follow is taken by the sibling with the same number.
    let project = project!().task("aaaaaaaa", |task| task.title("Same"));
    project.write(".handoff/tasks/01-done--same/task.toml", "id = \"bbbbbbbb\"\ntitle = \"Same\"\nstatus = \"done\"\n");
    let changed = project.json("task update aaaaaaaa --status done");
    let file = project.file(changed["file"].as_str().expect("a task has a file"));
    assert!(file.contains("aaaaaaaa"), "that is another task's file: {file}");
    assert_eq!(project.json("task show aaaaaaaa")["status"], "done");
    assert_eq!(texts(&project).len(), 2);
}

#[test]
fn two_siblings_with_one_number_stay_apart_in_the_stable_layout() {
    let project =
        shared_project!().task("aaaaaaaa", |task| task.title("First")).task("bbbbbbbb", |task| task.title("Second"));
    project.edit(&project.task_file("bbbbbbbb"), "number = 2", "number = 1");
    assert_eq!(titles(&project), "First Second");
    assert!(reason(&project, "tasks/second-bbbbbbbb").contains("the number 1 that its sibling"));
    project.call("task show 1").run().failed(4);
    works_on(&project);
    project.call("unshare").run().succeeded();
    assert_eq!(reasons(&project, "tasks/"), Vec::<String>::new(), "they have numbers of their own now");
    assert_eq!(titles(&project), "First Second Written after");
}

#[test]
fn a_wrong_status_in_the_name_gives_way_to_the_file_and_is_put_right_by_the_next_write() {
    let project = project!().task("aaaaaaaa", |task| task.title("A").status("done"));
    project.rename(".handoff/tasks/01-done--a", ".handoff/tasks/01-todo--a");
    assert!(reason(&project, "tasks/01-todo--a").contains("the file counts"));
    assert_eq!(project.json("task show 1")["status"], "done");
    works_on(&project);
    project.call("task note 1 hello").run().succeeded();
    assert!(project.exists(".handoff/tasks/01-done--a/task.toml"));
    assert_eq!(reasons(&project, "tasks/"), Vec::<String>::new());
}

#[test]
fn a_word_in_the_name_that_is_no_status_is_put_right_too() {
    let project = project!().task("aaaaaaaa", |task| task.title("A"));
    for name in
        ["01-doing--a", "01-TODO--a", "01-todo-a", "01--a", "1-todo--a", "001-todo--x", "01-todo--Some Other Name"]
    {
        project.rename(&project.directory(""), &format!(".handoff/tasks/{name}"));
        assert_eq!(project.json("task show 1")["id"], "aaaaaaaa", "{name}");
        project.call("task note 1 hello").run().succeeded();
        assert!(project.exists(".handoff/tasks/01-todo--a/task.toml"), "{name}: {}", project.tree(".handoff/tasks"));
    }
}

#[test]
fn a_name_that_says_nothing_is_a_task_all_the_same() {
    for name in [
        "mine",
        "01",
        "-",
        "a b",
        "任務",
        "x.y",
        "01.5-todo--deep",
        "todo--x",
        "99999999999999-todo--a",
        "00-todo--zero",
    ] {
        let project = project!();
        project.write(&format!(".handoff/tasks/{name}/task.toml"), "id = \"aaaaaaaa\"\ntitle = \"A\"\n");
        assert_eq!(titles(&project), "A", "{name}");
        project.call("task update aaaaaaaa --status review").run().succeeded();
        project.call("task create B --parent aaaaaaaa").run().succeeded();
        works_on(&project);
    }
}

#[test]
fn a_child_whose_parent_has_no_file_is_shown_one_level_up() {
    let project = project!()
        .task("aaaaaaaa", |task| task.title("Top"))
        .task("bbbbbbbb", |task| task.title("Middle").parent("aaaaaaaa"))
        .task("cccccccc", |task| task.title("Bottom").parent("bbbbbbbb"));
    project.remove(&project.task_file("bbbbbbbb"));
    assert_eq!(titles(&project), "Top Bottom");
    assert_eq!(reasons(&project, "tasks/01-todo--top/01.1-todo--middle").len(), 2);
    assert_eq!(project.json("task show cccccccc")["parent"], "aaaaaaaa");
    works_on(&project);
    project.call("task update cccccccc --status review").run().succeeded();
    project.call("task create Child --parent cccccccc").run().succeeded();
    assert_eq!(project.json("task show cccccccc")["status"], "review");
}

#[test]
fn a_child_whose_parent_is_gone_is_shown_at_the_top_in_the_stable_layout() {
    let project = shared_project!()
        .task("aaaaaaaa", |task| task.title("Parent"))
        .task("bbbbbbbb", |task| task.title("Child").parent("aaaaaaaa"))
        .task("cccccccc", |task| task.title("Other"));
    project.remove(".handoff/tasks/parent-aaaaaaaa");
    assert_eq!(titles(&project), "Child Other");
    assert!(reason(&project, "tasks/child-bbbbbbbb").contains("its parent `aaaaaaaa` is not there"));
    works_on(&project);
    project.call("task update bbbbbbbb --status review").run().succeeded();
    assert!(
        project.file(".handoff/tasks/child-bbbbbbbb/task.toml").contains("parent = \"aaaaaaaa\""),
        "it may come back"
    );
}

#[test]
fn cycles_of_parents_are_cut_and_reported() {
    let project = shared_project!()
        .task("aaaaaaaa", |task| task.title("A"))
        .task("bbbbbbbb", |task| task.title("B").parent("aaaaaaaa"))
        .task("cccccccc", |task| task.title("C").parent("bbbbbbbb"))
        .task("dddddddd", |task| task.title("Alone"));
    project.edit(&project.task_file("aaaaaaaa"), "number = 1", "parent = \"cccccccc\"\nnumber = 1");
    project.edit(&project.task_file("dddddddd"), "number = 2", "parent = \"dddddddd\"\nnumber = 2");
    let shown = titles(&project);
    assert!(["A", "B", "C", "Alone"].iter().all(|title| shown.contains(title)), "{shown}");
    assert_eq!(reasons(&project, "tasks/").len(), 2);
    works_on(&project);
    for line in ["task update a --status review", "task move b --to root", "task show c", "task delete c"] {
        project.call(line).run().succeeded();
    }
    project.call("unshare").run().succeeded();
}

#[test]
fn cycles_of_dependencies_in_files_are_survived() {
    let project = project!()
        .task("aaaaaaaa", |task| task.depends_on(&["bbbbbbbb", "aaaaaaaa", "zzzzzzzz"]))
        .task("bbbbbbbb", |task| task.depends_on(&["aaaaaaaa"]))
        .task("cccccccc", |task| task);
    project.call("task list --ready").run().succeeded().says("cccccccc").hides("aaaaaaaa");
    project.call("task update c --depends-on a").run().succeeded();
    project.call("task update a --depends-on c").run().failed(4);
    project.call("task update a --dependencies none").run().succeeded();
    works_on(&project);
}

#[test]
fn seventeen_levels_are_shown_and_reported() {
    let project = project!();
    let mut path = ".handoff/tasks".to_owned();
    for (depth, letter) in "abcdefghjkmnpqrstvw".chars().enumerate() {
        path = format!("{path}/{}-todo--t", vec!["1"; depth + 1].join("."));
        let id = letter.to_string().repeat(8);
        project.write(&format!("{path}/task.toml"), format!("id = \"{id}\"\ntitle = \"{letter}\"\n"));
    }
    assert_eq!(titles(&project).len(), "a b c d e f g h j k m n p q r s t v w".len());
    let list = project.json("task list");
    let deep = list["problems"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|problem| problem["reason"].as_str().unwrap().contains("levels deep"));
    assert_eq!(deep.count(), 3);
    project.call("task update wwwwwwww --status done").run().succeeded();
    project.call("task move tttttttt --to root").run().succeeded();
    project.call("task list").run().hides("levels deep");
}

#[test]
fn a_mixture_of_both_layouts_loads_as_one_tree() {
    let project =
        project!().task("aaaaaaaa", |task| task.title("A")).task("bbbbbbbb", |task| task.title("B").parent("aaaaaaaa"));
    project.write(
        ".handoff/tasks/flat-cccccccc/task.toml",
        "id = \"cccccccc\"\ntitle = \"C\"\nparent = \"aaaaaaaa\"\nnumber = 2\n",
    );
    project.write(
        ".handoff/tasks/flat-dddddddd/task.toml",
        "id = \"dddddddd\"\ntitle = \"D\"\nparent = \"cccccccc\"\nnumber = 1\n",
    );
    project.write(".handoff/tasks/flat-eeeeeeee/task.toml", "id = \"eeeeeeee\"\ntitle = \"E\"\nnumber = 2\n");
    assert_eq!(titles(&project), "A B C D E");
    assert_eq!(project.json("task show 1.2.1")["id"], "dddddddd");
    project.call("task update aaaaaaaa --status done").run().failed(4).says("cccccccc");
    project.call("task create F --parent cccccccc").run().succeeded().says("01.2.2 F");
    project.call("task create G --parent aaaaaaaa").run().succeeded().says("01.3 G");
    project.call("share").run().succeeded();
    assert_eq!(titles(&project), "A B C D F G E");
    project.call("unshare").run().succeeded();
    assert_eq!(titles(&project), "A B C D F G E");
    assert_eq!(reasons(&project, "tasks/"), Vec::<String>::new());
}

#[test]
fn the_enclosing_directory_wins_over_the_field() {
    let project = project!().task("aaaaaaaa", |task| task.title("A")).task("bbbbbbbb", |task| task.title("B"));
    project.write(
        ".handoff/tasks/01-todo--a/01.1-todo--c/task.toml",
        "id = \"cccccccc\"\ntitle = \"C\"\nparent = \"bbbbbbbb\"\n",
    );
    assert_eq!(project.json("task show cccccccc")["parent"], "aaaaaaaa");
    assert_eq!(titles(&project), "A C B");
    works_on(&project);
}

#[test]
fn files_and_folders_of_others_are_left_alone() {
    let project = project!().task("aaaaaaaa", |task| task.title("A"));
    for path in [
        "README.md",
        "docs/plan.md",
        ".DS_Store",
        ".hidden/task.toml",
        "01-todo--a/sketch.png",
        "01-todo--a/docs/x.md",
        "Thumbs.db",
        "task.toml",
    ] {
        project.write(&format!(".handoff/tasks/{path}"), "theirs");
    }
    project.write(".handoff/other-tool.db", "theirs");
    let count = |project: &TestProject| project.tree(".handoff").containing("theirs").len();
    assert_eq!(count(&project), 9);
    assert_eq!(reasons(&project, "tasks/"), Vec::<String>::new());
    works_on(&project);
    for line in ["task update 1 --status done", "share", "unshare", "task delete 1", "task restore aaaaaaaa"] {
        project.call(line).run().succeeded();
        assert_eq!(count(&project), 9, "{line}: {}", project.tree(".handoff"));
    }
}

#[test]
fn copies_that_synchronisers_make_do_not_show_up_as_tasks() {
    let project = project!().task("aaaaaaaa", |task| task.title("A"));
    project.copy(".handoff/tasks/01-todo--a", ".handoff/tasks/01-todo--a.sync-conflict-20261115-091503-ABCDEFG");
    project.copy(".handoff/tasks/01-todo--a", ".handoff/tasks/01-todo--a (Alice's conflicted copy 2026-11-15)");
    project.write(
        ".handoff/tasks/01-todo--a/task.sync-conflict-20261115-091503-ABCDEFG.toml",
        "id = \"aaaaaaaa\"\ntitle = \"B\"\n",
    );
    assert_eq!(titles(&project), "A");
    works_on(&project);
    project.call("task update 1 --status done").run().succeeded();
    assert!(project.exists(".handoff/tasks/01-done--a/task.sync-conflict-20261115-091503-ABCDEFG.toml"));
    assert_eq!(project.tree(".handoff/tasks").files().len(), 5);
}

#[test]
fn twins_by_case_or_composition_are_two_tasks() {
    let project = project!();
    for title in ["Caf\u{e9}", "Cafe\u{301}", "CAFÉ", "straße", "STRASSE", "İ", "i̇"] {
        let task = project.call("task create --json").word(title).run().succeeded().json();
        assert_eq!(task["title"], title, "kept as it was given");
    }
    assert_eq!(project.json("task list")["matches"], 7);
    let names: std::collections::BTreeSet<String> =
        project.tree(".handoff/tasks").files().iter().map(|name| name.to_lowercase()).collect();
    assert_eq!(names.len(), 7, "no two names are alike: {names:?}");
    project.call("share").run().succeeded();
    project.call("unshare").run().succeeded();
    assert_eq!(project.json("task list")["matches"], 7);
    // Two directories that a case-folding disk would take for one.
    let project = project!();
    project.write(".handoff/tasks/01-todo--cafe\u{301}/task.toml", "id = \"aaaaaaaa\"\ntitle = \"Cafe\u{301}\"\n");
    project.write(".handoff/tasks/01-todo--caf\u{e9}/task.toml", "id = \"bbbbbbbb\"\ntitle = \"Caf\u{e9}\"\n");
    assert_eq!(project.json("task list")["matches"], 2);
    project.call("task update aaaaaaaa --status done").run().succeeded();
    project.call("task update bbbbbbbb --status done").run().succeeded();
    assert_eq!(texts(&project).len(), 2);
}

#[test]
fn children_are_shown_in_their_order_whatever_the_disk_says() {
    let mut project = project!().task("k7f3q2ma", |task| task.title("Parent"));
    for number in 0..12 {
        project = project.task(&format!("c{number:07}"), |task| {
            let task = task.title(&format!("C{number}")).parent("k7f3q2ma");
            if number == 9 { task.field("order = 1") } else { task }
        });
    }
    let task = project.json("task show k7f3q2ma");
    let children = task["children"].as_array().expect("it has children").iter();
    let titles: Vec<&str> = children.filter_map(|child| child["title"].as_str()).collect();
    assert_eq!(titles, ["C9", "C0", "C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C10", "C11"]);
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_are_kept() {
    let project = project!().task("aaaaaaaa", |task| task);
    let file = project.task_file("aaaaaaaa");
    project.write(&file, "id = \"aaaaaaaa\"\r\ntitle = \"A\"\r\n# note\r\nstatus = \"todo\"\r\n");
    project.call("task update 1 --priority high").run().succeeded();
    let text = project.file(&format!("{}/task.toml", project.directory("--a")));
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{text:?}");
    project.write(&format!("{}/task.toml", project.directory("--a")), "\u{feff}id = \"aaaaaaaa\"\ntitle = \"A\"\n");
    project.call("task show aaaaaaaa").run().succeeded().says("A");
    project.call("task update aaaaaaaa --priority low").run().succeeded();
}
