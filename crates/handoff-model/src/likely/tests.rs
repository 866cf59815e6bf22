use super::*;
use crate::tokens::estimate;

const HOUR: i64 = 3_600;

/// A commit of `author` in the `hour`-th hour: `+` adds, `-` removes, anything else changes a file.
fn commit(hour: i64, author: u32, files: &[&str]) -> Commit {
    let touched = |file: &&str| {
        let (change, path) = match file.split_at(1) {
            ("+", path) => ('A', path),
            ("-", path) => ('D', path),
            _ => ('M', *file),
        };
        Touched { change, path: path.to_owned(), from: None }
    };
    Commit { time: hour * HOUR, author, subject: String::new(), files: files.iter().map(touched).collect() }
}

fn ranked(history: &[Commit], clues: &Clues<'_>) -> Vec<String> {
    rank(history, |_| true, clues).into_iter().map(|likely| likely.path).collect()
}

fn place(ranked: &[String], path: &str) -> usize {
    ranked.iter().position(|one| one == path).unwrap_or_else(|| panic!("{path} is not in {ranked:?}"))
}

fn likely(path: &str, score: f64) -> Likely {
    Likely { path: path.to_owned(), score }
}

fn list(ranked: &[Likely], budget: usize) -> Listing {
    listed(ranked, budget)
}

/// The lines for files that all matter: as many again that do not are behind them.
fn lines(paths: &[&str]) -> String {
    let mut ranked: Vec<Likely> = paths.iter().map(|path| likely(path, 1.0)).collect();
    ranked.extend((0..=paths.len()).map(|number| likely(&format!("other/{number}.rs"), 0.1 / ratio(paths.len(), 1))));
    list(&ranked, 1_000).lines.join("\n")
}

#[test]
fn files_of_recent_and_of_many_sessions_come_first() {
    let mut history = vec![commit(0, 0, &["+old/once.rs", "+core/often.rs", "+new/last.rs"])];
    history.extend((1..12).map(|day| commit(day * 24, 0, &["core/often.rs"])));
    history.push(commit(13 * 24, 0, &["new/last.rs"]));
    assert_eq!(ranked(&history, &Clues::default()), ["core/often.rs", "new/last.rs", "old/once.rs"]);
}

#[test]
fn several_commits_of_one_session_count_less_than_several_sessions() {
    let mut history = vec![commit(0, 0, &["+a/burst.rs", "+b/steady.rs"])];
    history.extend((1..7).map(|hour| commit(24 + hour, 0, &["a/burst.rs"])));
    history.extend((2..8).map(|day| commit(day * 24, 0, &["b/steady.rs"])));
    history.push(commit(9 * 24, 0, &["c/other.rs"]));
    let ranked = ranked(&history, &Clues::default());
    assert!(place(&ranked, "b/steady.rs") < place(&ranked, "a/burst.rs"));
}

#[test]
fn a_renamed_file_takes_its_past_along() {
    let past: Vec<Commit> = (0..6).map(|day| commit(day * 24, 0, &["src/parser.rs"])).collect();
    let told = Touched { change: 'R', path: "lib/reader.rs".into(), from: Some("src/parser.rs".into()) };
    let renamed = Commit { files: vec![told], ..commit(200, 0, &[]) };
    let moved = commit(200, 0, &["-src/parser.rs", "+lib/parser.rs"]);
    for (rename, path) in [(renamed, "lib/reader.rs"), (moved, "lib/parser.rs")] {
        let mut history = past.clone();
        history.push(rename);
        history.push(commit(300, 0, &["+other/fresh.rs"]));
        assert_eq!(ranked(&history, &Clues::default()), [path, "other/fresh.rs"]);
    }
}

#[test]
fn what_is_gone_or_a_by_product_is_never_listed() {
    let files = [
        "src/a.rs",
        "Cargo.lock",
        "web/package-lock.json",
        "CHANGELOG.md",
        "logo.PNG",
        "tests/__snapshots__/a.txt",
        "src/gone.rs",
    ];
    let history = [commit(0, 0, &files), commit(1, 0, &["-src/gone.rs"])];
    assert_eq!(ranked(&history, &Clues::default()), ["src/a.rs"]);
    assert!(rank(&history, |path| path != "src/a.rs", &Clues::default()).is_empty());
}

#[test]
fn a_sweep_through_the_project_says_less_about_its_files() {
    let swept: Vec<String> = (0..120).map(|number| format!("src/{number}.rs")).collect();
    let swept: Vec<&str> = swept.iter().map(String::as_str).collect();
    let history = [commit(0, 0, &["lib/real.rs"]), commit(24, 0, &swept), commit(48, 0, &["src/7.rs"])];
    let ranked = ranked(&history, &Clues::default());
    assert_eq!(ranked[..2], ["src/7.rs", "lib/real.rs"]);
    assert!(ranked.contains(&"src/8.rs".to_owned()), "a sweep still says what exists");
}

#[test]
fn sessions_before_a_long_pause_say_less() {
    let of_pause = |days: i64| {
        let mut history = vec![commit(0, 0, &["old/a.rs", "new/b.rs"])];
        history.extend((1..4).map(|day| commit(day * 24, 0, &["old/a.rs"])));
        history.push(commit((4 + days) * 24, 0, &["new/b.rs"]));
        let ranked = rank(&history, |_| true, &Clues::default());
        let score = |path: &str| ranked.iter().find(|likely| likely.path == path).map_or(0.0, |likely| likely.score);
        score("old/a.rs") / score("new/b.rs")
    };
    assert!(of_pause(300) < 0.7 * of_pause(0));
}

#[test]
fn the_authors_own_files_come_before_equal_ones_of_others() {
    let theirs: Vec<String> = (1..9).map(|day| format!("theirs/{day}.rs")).collect();
    let mut history = vec![commit(0, 1, &["mine/a.rs"])];
    history.extend(theirs.iter().zip(1..).map(|(path, day)| commit(day * 24, 2, &[path])));
    let of = |author| ranked(&history, &Clues { author, ..Clues::default() });
    assert_eq!(of(None).last().map(String::as_str), Some("mine/a.rs"));
    assert!(place(&of(Some(1)), "mine/a.rs") < place(&of(None), "mine/a.rs"));
}

#[test]
fn what_the_handoff_says_counts_with_and_without_a_history() {
    let clues = Clues { pointed: &["src/auth/token.rs"], dirty: &["src/auth/session.rs"], ..Clues::default() };
    assert_eq!(ranked(&[], &clues), ["src/auth/session.rs", "src/auth/token.rs"]);
    let history = [commit(0, 0, &["src/auth/refresh.rs", "src/http/server.rs"])];
    let clues = Clues { words: &["Fix the refresh tests"], ..Clues::default() };
    assert_eq!(ranked(&history, &clues), ["src/auth/refresh.rs", "src/http/server.rs"]);
}

#[test]
fn directories_are_written_once() {
    let paths = [
        "README.md",
        "crates/model/src/task.rs",
        "crates/model/src/session.rs",
        "docs/format.md",
        "crates/model/Cargo.toml",
        "docs/cli.md",
        "docs/logo.txt",
    ];
    insta::assert_snapshot!(lines(&paths), @r"
    docs/: logo.txt format.md cli.md
    crates/model/src/: task.rs session.rs
    README.md
    crates/model/Cargo.toml
    ");
}

#[test]
fn a_small_repository_is_never_listed_whole() {
    for files in 2..=60_usize {
        let ranked: Vec<Likely> = (0..files).map(|number| likely(&format!("src/{number}.rs"), 1.0)).collect();
        assert_eq!(list(&ranked, 10_000).paths.len(), files.div_ceil(2));
    }
}

#[test]
fn files_with_the_last_twentieth_of_the_score_are_not_listed() {
    let mut ranked: Vec<Likely> = (0..90).map(|number| likely(&format!("hot/{number}.rs"), 1.0)).collect();
    ranked.extend((0..1_000).map(|number| likely(&format!("cold/{number}.rs"), 0.0045)));
    let listed = list(&ranked, 10_000);
    assert_eq!(listed.lines.len(), 1, "{:#?}", listed.lines);
    assert_eq!(listed.paths.len(), 90);
}

#[test]
fn odd_names_are_quoted() {
    let paths =
        ["work/task-1 - first.md", "work/task-2 - second.md", "my notes/a.md", "odd\"name", "LICENSE", ".gitignore"];
    insta::assert_snapshot!(lines(&paths), @r#"
    ./: LICENSE .gitignore "odd\"name"
    "my notes/a.md"
    work/: "task-1 - first.md" "task-2 - second.md"
    "#);
}

#[test]
fn every_path_can_be_read_off_the_list_and_the_budget_is_held() {
    let parts =
        ["src", "crates", "a b", "web", "x:y", "ü", "task", ".github", "a\"b", "日本", "tab\there", "star*", "."];
    let endings = ["rs", "md", "toml", "test.ts", "", "*", "a b"];
    let mut seed: u32 = 7;
    let mut below = |limit: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        usize::try_from(seed >> 8).unwrap() % limit
    };
    for round in 0..120 {
        let mut paths: Vec<String> = (0..=below(60))
            .map(|_| {
                let depth = below(4);
                let directory = (0..depth).fold(String::new(), |path, _| path + parts[below(parts.len() - 1)] + "/");
                let (stem, ending) = (parts[below(parts.len() - 1)], endings[below(endings.len())]);
                if ending.is_empty() { format!("{directory}{stem}") } else { format!("{directory}{stem}.{ending}") }
            })
            .collect();
        paths.sort();
        paths.dedup();
        let mut ranked: Vec<Likely> = paths.iter().map(|path| likely(path, 1.0 + ratio(below(100), 10))).collect();
        ranked.sort_by(|one, other| other.score.total_cmp(&one.score));
        for budget in [0, 1, 7, 40, 200, 10_000] {
            let Listing { lines, paths: mut chosen } = list(&ranked, budget);
            let quoted: Vec<String> = lines.iter().map(|line| format!("> {line}")).collect();
            assert!(estimate(&quoted.join("\n")) <= budget, "{lines:#?}");
            let mut read = named(&lines);
            read.sort();
            chosen.sort();
            assert_eq!(read, chosen, "round {round}, budget {budget}: {lines:#?}");
            assert!(budget < 10_000 || chosen.len() == that_matter(&ranked).len(), "all that matter fit");
        }
    }
}

#[test]
fn a_lesser_file_beside_a_chosen_one_comes_before_a_better_one_far_away() {
    let ranked = [
        likely("crates/handoff-model/src/task.rs", 5.0),
        likely("editors/vscode/webviews/board/kanban.tsx", 2.0),
        likely("crates/handoff-model/src/slug.rs", 1.5),
        likely("a.rs", 0.1),
        likely("b.rs", 0.1),
        likely("c.rs", 0.1),
    ];
    let listing = list(&ranked, 18);
    assert_eq!(listing.lines, ["crates/handoff-model/src/: task.rs slug.rs"]);
}

#[test]
fn the_same_history_gives_the_same_list() {
    let history: Vec<Commit> = (0..40)
        .map(|day| commit(day * 24, 0, &[["a/x.rs", "b/y.rs", "c/z.rs"][usize::try_from(day % 3).unwrap()], "d/w.rs"]))
        .collect();
    let once = || list(&rank(&history, |_| true, &Clues::default()), 30);
    assert_eq!(once(), once());
}
