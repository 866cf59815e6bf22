use super::*;

fn id(text: &str) -> TaskId {
    text.parse().unwrap()
}

fn located(task: &str, parent: Option<&str>, ordinal: u32, name: &str) -> Located {
    Located { id: id(task), parent: parent.map(id), ordinal, name: name.to_owned() }
}

fn root() -> (tempfile::TempDir, Root) {
    let dir = tempfile::tempdir().unwrap();
    let root = Root::open(dir.path()).unwrap();
    (dir, root)
}

/// A locator with these sorted lines.
fn written(root: &Root, text: &str) -> Locator {
    root.replace_loose(LOCATOR, &sorted(text)).unwrap();
    Locator::read(root)
}

#[test]
fn the_last_line_counts() {
    let (_dir, root) = root();
    let mut text = String::new();
    push_task(&mut text, &located("aaaaaaaa", None, 1, "01-todo--a"));
    push_task(&mut text, &located("bbbbbbbb", Some("aaaaaaaa"), 2, "01.2-todo--b"));
    push_highest(&mut text, None, Highest { changed_at: 12, ordinal: 3 });
    let locator = written(&root, &text);
    assert_eq!(locator.by_id(id("aaaaaaaa")).unwrap().name, "01-todo--a");
    assert_eq!(locator.by_ordinal(Some(id("aaaaaaaa")), 2).unwrap().id, id("bbbbbbbb"));
    assert_eq!(locator.highest(None), Some(Highest { changed_at: 12, ordinal: 3 }));
    assert_eq!(locator.by_id(id("cccccccc")), None);
    assert_eq!(locator.highest(Some(id("aaaaaaaa"))), None);

    locator.append(&root, &[located("aaaaaaaa", None, 1, "01-done--a")], &[]);
    let locator = Locator::read(&root);
    assert_eq!(locator.by_id(id("aaaaaaaa")).unwrap().name, "01-done--a");
    assert_eq!(locator.by_ordinal(None, 1).unwrap().name, "01-done--a");
    // One that has left its place is not found there any more.
    locator.append(&root, &[located("bbbbbbbb", None, 4, "04-todo--b")], &[]);
    let locator = Locator::read(&root);
    assert_eq!(locator.by_ordinal(Some(id("aaaaaaaa")), 2), None);
    assert_eq!(locator.by_ordinal(None, 4).unwrap().name, "04-todo--b");
}

#[test]
fn every_one_of_many_is_found_sorted_or_appended() {
    let (_dir, root) = root();
    let task = |number: u32| located(&format!("t{:07}", number * 7919 % 10_000_000), None, number, "01-todo--x");
    let mut text = String::new();
    (0..3_000).for_each(|number| push_task(&mut text, &task(number)));
    let mut locator = written(&root, &text);
    // Long enough for what is appended to be sorted in, more than once.
    for number in 3_000..4_200 {
        locator.append(&root, &[task(number)], &[(None, Highest { changed_at: 1, ordinal: number })]);
        locator = Locator::read(&root);
    }
    assert!(locator.tail.len() <= SLACK + WINDOW, "{}", locator.tail.len());
    for number in 0..4_200 {
        let task = task(number);
        assert_eq!(locator.by_id(task.id), Some(task.clone()));
        assert_eq!(locator.by_ordinal(None, number), Some(task));
    }
    assert_eq!(locator.highest(None).unwrap().ordinal, 4_199);
    assert_eq!(locator.by_ordinal(None, 4_200), None);
}

#[test]
fn a_torn_or_changed_line_is_not_believed() {
    let (_dir, root) = root();
    let mut text = String::new();
    push_task(&mut text, &located("aaaaaaaa", None, 1, "01-todo--a"));
    push_highest(&mut text, None, Highest { changed_at: 12, ordinal: 3 });
    let whole = sorted(&text);
    for cut in 0..whole.len() {
        root.replace_loose(LOCATOR, &whole[..cut]).unwrap();
        let locator = Locator::read(&root);
        assert!(locator.highest(None).is_none_or(|highest| highest.ordinal == 3));
    }
    let changed = String::from_utf8(whole).unwrap().replace("12 3", "12 9");
    root.replace_loose(LOCATOR, changed.as_bytes()).unwrap();
    assert_eq!(Locator::read(&root).highest(None), None);
}

#[test]
fn a_line_that_was_cut_does_not_swallow_the_next() {
    let (_dir, root) = root();
    let locator = written(&root, "");
    locator.append(&root, &[located("aaaaaaaa", None, 1, "01-todo--a")], &[]);
    root.append_loose(LOCATOR, b"T bbbbbbbb - 2 02-to").unwrap();
    Locator::read(&root).append(&root, &[located("cccccccc", None, 3, "03-todo--c")], &[]);
    let locator = Locator::read(&root);
    assert_eq!(locator.by_id(id("cccccccc")).unwrap().name, "03-todo--c");
    assert_eq!(locator.by_id(id("bbbbbbbb")), None);
    assert_eq!(locator.by_id(id("aaaaaaaa")).unwrap().name, "01-todo--a");
}
