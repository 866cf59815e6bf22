use proptest::prelude::*;

use super::*;
use crate::id::SessionId;
use crate::session::SessionKind;

const A: &str = "2026-10-01-aaaaaaaa";
const B: &str = "2026-10-02-bbbbbbbb";
const C: &str = "2026-10-03-cccccccc";
const PATH: &str = "archive/2026-10-auth-archive.md";

fn read(text: &str) -> (Archive, Vec<String>) {
    let (archive, problems) = Archive::read(PATH, text);
    assert_eq!(archive.print(), text);
    (archive, problems.iter().map(ToString::to_string).collect())
}

fn names(archive: &Archive) -> Vec<&str> {
    archive.sessions().map(|session| session.name).collect()
}

fn toml(id: &str, title: &str) -> String {
    format!("id = \"{id}\"\ntitle = \"{title}\"\n")
}

fn three() -> Archive {
    let mut archive = Archive::new("2026-10-auth-archive.md");
    archive.add(C, &toml("cccccccc", "Third"), None).unwrap();
    archive.add(A, &toml("aaaaaaaa", "First"), Some("# Notes\n\n```sh\nls\n```")).unwrap();
    archive.add(B, &toml("bbbbbbbb", "Second"), Some("")).unwrap();
    archive
}

#[test]
fn an_archive_is_markdown_that_a_person_reads() {
    insta::assert_snapshot!(three().print(), @r#"
    # 2026-10-auth-archive

    Old sessions, moved here whole. Below each heading stands the session's file, then its body if it has one.
    Text beside these blocks may be added and stays.

    ## 2026-10-01-aaaaaaaa: First

    ```toml 2026-10-01-aaaaaaaa.toml
    id = "aaaaaaaa"
    title = "First"
    ```

    ````markdown 2026-10-01-aaaaaaaa.md no-final-newline
    # Notes

    ```sh
    ls
    ```
    ````

    <!-- check 2026-10-01-aaaaaaaa f6c3d046 -->

    ## 2026-10-02-bbbbbbbb: Second

    ```toml 2026-10-02-bbbbbbbb.toml
    id = "bbbbbbbb"
    title = "Second"
    ```

    ```markdown 2026-10-02-bbbbbbbb.md
    ```

    <!-- check 2026-10-02-bbbbbbbb bdbc2478 -->

    ## 2026-10-03-cccccccc: Third

    ```toml 2026-10-03-cccccccc.toml
    id = "cccccccc"
    title = "Third"
    ```

    <!-- check 2026-10-03-cccccccc 9e632227 -->

    <!-- end of archive -->
    "#);
}

#[test]
fn sessions_come_out_newest_last_with_their_lines() {
    let text = three().print();
    let (archive, problems) = read(&text);
    assert_eq!(problems, [""; 0]);
    assert_eq!(names(&archive), [A, B, C]);
    assert_eq!(archive.get(B).unwrap().body, Some(""));
    assert_eq!(archive.get(C).unwrap().body, None);
    for session in three().sessions() {
        assert_eq!(archive.get(session.name), Some(session.clone()));
        let first = text.lines().nth(session.line - 1).unwrap();
        assert_eq!(first, format!("id = \"{}\"", &session.name[11..]));
    }
}

#[test]
fn taking_out_gives_both_texts_and_leaves_no_trace() {
    let mut archive = three();
    let mut without = Archive::new("2026-10-auth-archive.md");
    without.add(A, &toml("aaaaaaaa", "First"), Some("# Notes\n\n```sh\nls\n```")).unwrap();
    without.add(C, &toml("cccccccc", "Third"), None).unwrap();
    assert_eq!(archive.remove(B), Some((toml("bbbbbbbb", "Second"), Some(String::new()))));
    assert_eq!(archive.remove(B), None);
    assert_eq!(archive.print(), without.print());
    archive.remove(A);
    archive.remove(C);
    assert!(archive.is_bare("2026-10-auth-archive.md"));
    assert!(!without.is_bare("2026-10-auth-archive.md"));
}

#[test]
fn putting_in_twice_keeps_the_newer() {
    let mut archive = three();
    archive.add(B, "other", None).unwrap();
    assert_eq!(names(&archive), [A, B, C]);
    assert_eq!(archive.get(B).unwrap().toml_text, "other");
    assert_eq!(archive.get(B).unwrap().body, None);
    assert_eq!(archive.add("../x", "", None).unwrap_err().to_string(), NotAFullName("../x".to_owned()).to_string());
}

#[test]
fn what_a_person_wrote_between_stays() {
    let written = three().print();
    let text = format!("---\nmine: true\n---\n{written}")
        .replace("```toml 2026-10-02", "Remember the port.\n\n```toml 2026-10-02")
        .replace(
            "## 2026-10-03",
            "My view:\n\n~~~\n## 2026-10-01-aaaaaaaa\n```toml 2026-10-09-dddddddd.toml\n~~~\n\n## 2026-10-03",
        )
        + "The end, without a line break";
    let (mut archive, problems) = read(&text);
    assert_eq!(problems, [""; 0]);
    assert_eq!(names(&archive), [A, B, C]);
    archive.remove(B);
    archive.add("2026-10-05-eeeeeeee", "id = \"eeeeeeee\"\n", None).unwrap();
    archive.remove(C);
    let text = archive.print();
    for kept in [
        "---\nmine: true\n---\n# 2026-10-auth-archive",
        "Remember the port.\n",
        "My view:\n\n~~~\n",
        "The end, without a line break\n\n## 2026-10-05-eeeeeeee: no summary\n",
    ] {
        assert!(text.contains(kept), "{kept} in {text}");
    }
    assert_eq!(names(&read(&text).0), [A, "2026-10-05-eeeeeeee"]);
}

#[test]
fn a_damaged_session_hides_no_other() {
    let text = three().print();
    let fence = "title = \"Second\"\n```\n";
    let (archive, problems) = read(&text.replace(fence, "title = \"Second\"\n"));
    assert_eq!(names(&archive), [A, C]);
    assert_eq!(
        problems,
        [
            "archive/2026-10-auth-archive.md:25: the block of `2026-10-02-bbbbbbbb.toml` does not end",
            "archive/2026-10-auth-archive.md:29: `2026-10-02-bbbbbbbb.md` is here without `2026-10-02-bbbbbbbb.toml`",
            "archive/2026-10-auth-archive.md:32: session `2026-10-02-bbbbbbbb` was here and cannot be found any more",
        ]
    );
    // The same with the longer fence of the first body, and with a fence a person forgot to close.
    let (archive, problems) = read(&text.replace("ls\n```\n````\n", "ls\n```\n"));
    assert_eq!((names(&archive), problems.len()), (vec![A, B, C], 2));
    let (archive, problems) = read(&text.replace("## 2026-10-02", "```\nmine\n\n~~~ too\n\n## 2026-10-02"));
    assert_eq!((names(&archive), problems.len()), (vec![A, B, C], 0));
}

#[test]
fn a_session_that_stands_there_twice_is_told() {
    let mut archive = three();
    archive.remove(A);
    let (mut archive, problems) = read(&(three().print() + &archive.print()));
    assert_eq!(names(&archive), [A, B, C]);
    assert_eq!(problems.len(), 3);
    assert!(problems[0].ends_with("`2026-10-02-bbbbbbbb.toml` is here twice; the first one is read"), "{problems:?}");
    archive.remove(B);
    assert_eq!(names(&archive), [A, C, B]);
}

#[test]
fn line_ends_that_the_whole_file_was_given_are_not_taken_for_the_sessions() {
    let (archive, problems) = Archive::read(PATH, &three().print().replace('\n', "\r\n"));
    assert_eq!(problems, []);
    for session in three().sessions() {
        assert_eq!(archive.get(session.name), Some(session));
    }
}

#[test]
fn the_file_is_named_by_month_and_tag() {
    let id = SessionId::from_random([1; 4]);
    let mut session = Session::new(id, SessionKind::Session, "2026-09-30T23:00:00Z".parse().unwrap());
    session.ended_at = Some("2026-09-30T23:00:00-03:00".parse().unwrap());
    for (tags, part, expected) in [
        (vec![], 1, "2026-10-general-archive.md"),
        (vec!["API / Auth", "b"], 2, "2026-10-api-auth-archive-2.md"),
        (vec!["…"], 1, "2026-10-general-archive.md"),
        (vec!["con"], 0, "2026-10-con-task-archive.md"),
        (vec!["../../x"], 13, "2026-10-x-archive-13.md"),
    ] {
        session.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        let name = file_name(&session, part);
        assert_eq!(name, expected);
        assert!(is_file_name(&name));
    }
    (session.started_at, session.ended_at, session.tags) = (None, None, Vec::new());
    assert_eq!(file_name(&session, 1), "0000-00-general-archive.md");
    for other in
        ["tasks-2026-10.toml", "README.md", "2026-10--archive.txt", "2026-10-archive.md", "2026-10-a-archive-x.md"]
    {
        assert!(!is_file_name(other), "{other}");
    }
}

/// Texts made of what could be taken for a part of an archive.
fn any_text() -> impl Strategy<Value = String> {
    let parts = prop_oneof![
        Just("\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("\r".to_owned()),
        Just("\u{feff}".to_owned()),
        Just("`````\n".to_owned()),
        Just("~~~\n".to_owned()),
        Just(format!("## {A}: x\n")),
        Just(format!("```toml {B}.toml\n")),
        Just(format!("```markdown {A}.md no-final-newline\n")),
        "`{1,6}",
        "\\PC{0,12}",
        ".{0,6}",
    ];
    proptest::collection::vec(parts, 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn every_text_comes_out_as_it_went_in(
        texts in proptest::collection::vec((any_text(), proptest::option::of(any_text())), 0..4),
        prose in any_text(),
        gone in 0..4usize,
    ) {
        let mut archive = Archive::default();
        let names: Vec<String> = (0..texts.len()).map(|n| format!("2026-11-0{n}-0000000{n}")).collect();
        for (name, (text, body)) in names.iter().zip(&texts).rev() {
            archive.add(name, text, body.as_deref()).unwrap();
        }
        let (mut archive, problems) = Archive::read(PATH, &archive.print());
        prop_assert!(problems.is_empty() || texts.is_empty());
        let found: Vec<_> = archive.sessions().map(|it| (it.toml_text.to_owned(), it.body.map(str::to_owned))).collect();
        prop_assert_eq!(found, texts.clone());

        if let Some(name) = names.get(gone) {
            let before = archive.print();
            let (text, body) = archive.remove(name).unwrap();
            prop_assert_eq!((&text, &body), (&texts[gone].0, &texts[gone].1));
            let (mut archive, _) = Archive::read(PATH, &archive.print());
            prop_assert_eq!(archive.sessions().count(), texts.len() - 1);
            archive.add(name, &text, body.as_deref()).unwrap();
            prop_assert_eq!(archive.print(), before);
        }

        // Whatever a person writes in front, adding and removing leaves it there.
        let (mut archive, _) = Archive::read(PATH, &prose);
        prop_assert_eq!(archive.print(), prose.as_str());
        archive.add(C, "id = 1", Some("~~~\n````")).unwrap();
        let (mut archive, _) = Archive::read(PATH, &archive.print());
        prop_assert_eq!(archive.remove(C), Some(("id = 1".to_owned(), Some("~~~\n````".to_owned()))));
        prop_assert!(archive.print().starts_with(prose.as_str()));
    }
}

fn arranged(mut archive: Archive) -> Archive {
    archive.arrange(|name| match name {
        B => vec![
            Link { word: "continues", name: A.to_owned(), place: Some(anchor(A)) },
            Link { word: "continued by", name: C.to_owned(), place: Some(format!("../sessions/{C}.toml")) },
        ],
        _ => Vec::new(),
    });
    archive
}

#[test]
fn an_arranged_archive_leads_from_one_session_to_the_other() {
    let archive = arranged(three());
    let text = archive.print();
    insta::assert_snapshot!(&text[..text.find("id = \"bbbbbbbb\"").unwrap()], @r#"
    # 2026-10-auth-archive

    Old sessions, moved here whole. Below each heading stands the session's file, then its body if it has one.
    Text beside these blocks may be added and stays.

    <!-- contents -->
    - [2026-10-01-aaaaaaaa](#2026-10-01-aaaaaaaa): First
    - [2026-10-02-bbbbbbbb](#2026-10-02-bbbbbbbb): Second
    - [2026-10-03-cccccccc](#2026-10-03-cccccccc): Third
    <!-- end of contents -->

    ## 2026-10-01-aaaaaaaa: First

    <a id="2026-10-01-aaaaaaaa"></a>

    ```toml 2026-10-01-aaaaaaaa.toml
    id = "aaaaaaaa"
    title = "First"
    ```

    ````markdown 2026-10-01-aaaaaaaa.md no-final-newline
    # Notes

    ```sh
    ls
    ```
    ````

    <!-- check 2026-10-01-aaaaaaaa f6c3d046 -->

    ## 2026-10-02-bbbbbbbb: Second

    <a id="2026-10-02-bbbbbbbb"></a>continued by [2026-10-03-cccccccc](../sessions/2026-10-03-cccccccc.toml); continues [2026-10-01-aaaaaaaa](#2026-10-01-aaaaaaaa)

    ```toml 2026-10-02-bbbbbbbb.toml
    "#);
    let (read, problems) = read(&text);
    assert_eq!((arranged(read).print(), problems.len()), (text, 0), "arranging twice changes nothing");
}

#[test]
fn contents_follow_what_comes_and_goes_and_a_persons_text_stays() {
    let (mut archive, _) = read(&arranged(three()).print().replace("## 2026-10-02", "Mine.\n\n## 2026-10-02"));
    assert_eq!(archive.remove(B).unwrap().0, toml("bbbbbbbb", "Second"));
    let text = archive.print();
    assert!(text.contains("Mine.\n") && !text.contains(B), "{text}");
    archive.add(B, &toml("bbbbbbbb", "Second again"), None).unwrap();
    let text = archive.print();
    assert!(text.contains("- [2026-10-02-bbbbbbbb](#2026-10-02-bbbbbbbb): Second again\n"), "{text}");
    for name in [A, B, C] {
        archive.remove(name);
    }
    assert!(archive.print().trim_end().ends_with("Mine.") && !archive.print().contains("<!-- contents"));
    let mut plain = arranged(three());
    for name in [A, B, C] {
        plain.remove(name);
    }
    assert!(plain.is_bare("2026-10-auth-archive.md"), "{}", plain.print());
}

fn problems(text: &str) -> Vec<String> {
    let (_, problems) = Archive::read("archive/2026-10-auth-archive.md", text);
    problems.iter().map(ToString::to_string).collect()
}

fn two_sessions() -> String {
    let mut archive = Archive::new("2026-10-auth-archive.md");
    archive.add("2026-10-03-a3f9c12e", "id = \"a3f9c12e\"\n", Some("The body\n")).unwrap();
    archive.add("2026-10-01-00000001", "id = \"00000001\"\n", None).unwrap();
    archive.print()
}

#[test]
fn an_archive_as_it_was_written_has_no_problems() {
    let text = two_sessions();
    assert_eq!(problems(&text), [] as [&str; 0]);
    assert_eq!(problems(&text.replace('\n', "\r\n")), [] as [&str; 0]);
    assert!(text.ends_with(" -->\n\n<!-- end of archive -->\n"), "{text}");
    let (mut archive, _) = Archive::read("x", &text);
    archive.remove("2026-10-03-a3f9c12e").unwrap();
    archive.remove("2026-10-01-00000001").unwrap();
    assert!(archive.is_bare("2026-10-auth-archive.md"), "{}", archive.print());
}

#[test]
fn a_changed_bit_in_a_session_or_its_body_is_reported() {
    let text = two_sessions();
    for (from, to) in
        [("The body", "Uhe body"), ("id = \"a3", "id = \"a2"), ("```toml", "```tomm"), ("```markdown", "```marjdown")]
    {
        assert!(!problems(&text.replacen(from, to, 1)).is_empty(), "{from} became {to}");
    }
}

#[test]
fn an_archive_that_shrank_is_reported() {
    let text = two_sessions();
    let second = text.find("## 2026-10-03").unwrap();
    assert!(problems(&text[..second])[0].contains("the end is missing"), "{:?}", problems(&text[..second]));
    assert!(problems("")[0].contains("the file is empty"));
    assert!(problems("\0\0\0\0")[0].contains("overwritten with zeros"));
}
