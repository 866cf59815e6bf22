//! What is offered for which words and files, on a small labelled set.

use super::*;

const NONE: &[&str] = &[];

fn item(key: &str, kind: Kind, text: &str, paths: &[&str]) -> Candidate {
    // Words are no keys, except those of tasks.
    let key = if kind == Kind::Task { key.to_owned() } else { format!("item/{key}") };
    Candidate {
        key,
        kind,
        text: text.to_owned(),
        more: String::new(),
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
    }
}

/// What a project may hold, with words that many items share.
fn project() -> Vec<Candidate> {
    use Kind::{Blocker, Caution, Decision, Next, Pointer, Task};
    vec![
        item("jwt", Decision, "JWT over server sessions: stateless API, auth tokens carry the roles", &["src/auth/"]),
        item(
            "rotate",
            Decision,
            "Rotate refresh tokens on every use; keep the old one for 30 seconds",
            &["src/auth/refresh.rs"],
        ),
        item("sqlite", Decision, "SQLite with WAL instead of PostgreSQL: no server to install", &["src/db/**/*.rs"]),
        item("money", Decision, "Amounts are integers of cents, never floats", &["src/billing", "web/billing"]),
        item("dates", Decision, "Dates are stored in UTC and shown in the user's time zone", &[]),
        item("no-orm", Decision, "Plain SQL, no ORM; migrations are numbered files", &["migrations/"]),
        item("all", Decision, "British spelling in all texts", &["."]),
        item("port", Caution, "The test database runs on port 5433, not 5432", &[]),
        item("flaky", Caution, "tests/race.rs is flaky under load; run it alone before you trust a failure", &[]),
        item("invoice", Caution, "InvoiceNumber must stay gapless; never delete rows from the invoices table", &[]),
        item("cache", Caution, "Changing `cache_key` invalidates every client; bump CACHE_VERSION with it", &[]),
        item("key", Blocker, "Waiting for the staging signing key from Dana", &[]),
        item("stripe", Blocker, "Stripe webhooks cannot be tested until the sandbox account is approved", &[]),
        item("k7f3q2ma", Task, "Implement refresh flow for expired access tokens", &[]),
        item("m2x9a4te", Task, "Import invoices from CSV with a dry run", &["src/billing/import.rs"]),
        item("p4w8c1zu", Task, "Rate limiting for the login endpoint: sliding window per address", &[]),
        item("q9r2v6bn", Task, "Write the release notes and update the README", &[]),
        item("dark", Task, "Dark theme for the settings page", &["web/settings/"]),
        item("matrix", Next, "Fix refresh test matrix", &[]),
        item("race", Next, "Run race tests", &[]),
        item("backoff", Next, "Add exponential backoff to the webhook retry queue in webhook_worker.py", &[]),
        item("middleware", Pointer, "resume here: token parser is half extracted", &["src/auth/middleware.rs"]),
        item("schema", Pointer, "invoice table and its indexes", &["migrations/0012_invoices.sql"]),
        item("認証", Decision, "認証トークンは毎日更新する: 監査の要件", &[]),
        item("刷新", Caution, "刷新令牌的密钥不能写入日志", &[]),
        item("#31", Next, "Reproduce #31 with an empty cart", &[]),
    ]
}

fn keys(words: &str, paths: &[&str]) -> Vec<String> {
    let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
    let items = project();
    let hits = relevant(&Query { words, paths: &paths }, &items, 5);
    hits.iter().map(|hit| hit.candidate.key.trim_start_matches("item/").to_owned()).collect()
}

/// What is asked, and all that may be offered for it; the first must be.
const ASKED: &[(&str, &[&str])] = &[
    ("the refresh tokens are not rotated when they are used twice", &["rotate", "k7f3q2ma"]),
    ("should we switch the database from SQLite to PostgreSQL after all?", &["sqlite"]),
    ("round the float amounts to cents on the receipt", &["money"]),
    ("show the dates in the time zone of whoever is logged in", &["dates"]),
    ("which port does the database for the tests listen on?", &["port"]),
    ("delete the duplicate rows from the invoices table", &["invoice"]),
    ("rename cacheKey to something shorter", &["cache"]),
    ("what is the value of CACHE_VERSION?", &["cache"]),
    ("has Dana sent the signing key for staging?", &["key"]),
    ("call the Stripe sandbox from the integration tests", &["stripe"]),
    ("expired access tokens give a 500", &["k7f3q2ma", "rotate", "jwt"]),
    ("limit the rate of requests to the login endpoint", &["p4w8c1zu"]),
    ("go on with k7f3q2ma", &["k7f3q2ma"]),
    ("the webhook retries need a backoff", &["backoff", "stripe"]),
    ("import the CSV of last year's invoices", &["m2x9a4te"]),
    ("can you reproduce #31?", &["#31"]),
    ("a dark theme would be nice for the settings", &["dark"]),
    ("write a migration with plain SQL", &["no-orm"]),
    ("認証トークンの有効期限を変えたい", &["認証"]),
    ("刷新令牌的密钥在哪里?", &["刷新"]),
    ("extract the token parser from the middleware", &["middleware"]),
];

/// What is asked without being about anything recorded.
const NOISE: &[&str] = &[
    "ok thanks",
    "ok",
    "continue",
    "please go on",
    "yes, do it",
    "run the tests again",
    "run all tests and fix what fails",
    "fix the bug",
    "fix the failing test and commit",
    "what did you change?",
    "commit and push this to GitHub",
    "why is the build broken?",
    "can you review the code and clean it up?",
    "please write tests for this function",
    "add a new file for the module and update the docs",
    "looks good, what's next?",
    "undo the last change",
    "explain how this works",
    "create a new branch and open a pull request",
    "format the code and run the linter",
    "use a different name for the variable",
    "/compact",
    "close the session",
    "I want to continue where I left off",
    "do a handoff",
    "hmm, that is not what I meant",
    "the users table needs an index",
    "make the button blue",
    "what is the weather in Zürich?",
    "bitte mach weiter",
    "danke, jetzt weiter mit dem nächsten",
    "continue s'il te plaît",
    "sigue por favor",
    "続けてください",
    "テストを実行してください",
    "ありがとうございます",
    "请继续",
    "运行测试",
    "谢谢，继续",
    "계속해 주세요",
    "테스트를 실행해 주세요",
    "",
    "   ",
    "???",
    "👍",
];

#[test]
fn what_matters_is_found_and_nothing_else() {
    for (words, expected) in ASKED {
        let found = keys(words, &[]);
        assert!(found.iter().any(|key| key == expected[0]), "{words:?} misses {}: {found:?}", expected[0]);
        assert!(found.iter().all(|key| expected.contains(&key.as_str())), "{words:?}: {found:?}");
    }
}

#[test]
fn words_about_nothing_recorded_give_nothing() {
    for words in NOISE {
        assert_eq!(keys(words, &[]), NONE, "{words:?}");
    }
}

#[test]
fn most_noise_is_known_before_anything_is_read() {
    let about = |words| Query { words, paths: &[] }.is_about_something();
    assert!(
        ["ok thanks", "run the tests again", "continue", "続けてください", ""].into_iter().all(|words| !about(words))
    );
    assert!(about("rotate the tokens") && Query { words: "", paths: &["a".to_owned()] }.is_about_something());
}

#[test]
fn noise_stays_noise_where_everything_recorded_is_about_it() {
    let texts = ["Run the tests again", "Fix the failing tests", "Continue with the next step", "Update the README"];
    let items: Vec<_> = texts.iter().map(|text| item(text, Kind::Next, text, &[])).collect();
    for words in NOISE {
        assert_eq!(relevant(&Query { words, paths: &[] }, &items, 5), [], "{words:?}");
    }
}

#[test]
fn a_file_brings_what_governs_and_names_it() {
    for (path, expected) in [
        ("src/auth/refresh.rs", &["rotate", "jwt"][..]),
        ("src/auth/middleware.rs", &["jwt", "middleware"]),
        ("src/db/pool/wal.rs", &["sqlite"]),
        ("src/db/pool/wal.sql", NONE),
        ("src/billing/import.rs", &["money", "m2x9a4te"]),
        ("src/billings.rs", NONE),
        ("migrations/0012_invoices.sql", &["no-orm", "schema"]),
        ("tests/race.rs", &["flaky"]),
        ("web/settings/theme.ts", &["dark"]),
        ("jobs/webhook_worker.py", &["backoff"]),
        ("src/main.rs", NONE),
        ("/elsewhere/notes.txt", NONE),
        ("README.md", NONE),
    ] {
        assert_eq!(keys("", &[path]), expected, "{path}");
    }
}

#[test]
fn a_directory_named_in_the_words_brings_what_governs_it() {
    let items = [
        item("laptop", Kind::Memory, "Never run terraform from a laptop", &["infra/"]),
        item("review", Kind::Memory, "Two people approve each plan", &["infra/"]),
        item("suite", Kind::Decision, "The suite needs no network", &["tests/"]),
        item("draw", Kind::Task, "Draw the network", &["infra/"]),
    ];
    let found = |words| {
        let hits = relevant(&Query { words, paths: &[] }, &items, 5);
        hits.iter().map(|hit| hit.candidate.key.trim_start_matches("item/").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found("run terraform in infra"), ["laptop", "review"], "what shares words comes first");
    assert_eq!(found("who may approve what happens in the Infra folder?"), ["review", "laptop"]);
    assert_eq!(found("run the tests in tests"), ["suite"]);
    assert_eq!(found("run the tests again"), NONE);
}

#[test]
fn a_path_in_the_words_counts_as_a_path() {
    assert_eq!(keys("please look at `src/auth/refresh.rs:40-52` again", &[]), ["rotate", "jwt"]);
    assert_eq!(keys("@webhook_worker.py crashes", &[]), ["backoff"]);
    assert_eq!(keys("clean up src/billing", &[]), ["money", "m2x9a4te"], "a directory brings what is in it");
    assert_eq!(keys("see https://example.com/src/auth/refresh.rs", &[]), NONE);
}

#[test]
fn reasons_are_told_and_the_strongest_comes_first() {
    let items = project();
    let paths = ["src/auth/refresh.rs".to_owned()];
    let query = Query { words: "the webhook retry queue needs a backoff", paths: &paths };
    let hits = relevant(&query, &items, 5);
    let found: Vec<(&str, &Why)> = hits.iter().map(|hit| (hit.candidate.key.as_str(), &hit.why)).collect();
    let governs = Why::Governs("src/auth/refresh.rs".to_owned());
    let words = Why::Words(["webhook", "retry", "queue", "backoff"].map(str::to_owned).to_vec());
    assert_eq!(found[..3], [("item/rotate", &governs), ("item/jwt", &governs), ("item/backoff", &words)]);
    assert_eq!(relevant(&query, &items, 1).len(), 1);
    assert!(relevant(&query, &items, 0).is_empty());
}

#[test]
fn a_word_that_everything_is_about_tells_nothing() {
    let text = |place: usize| format!("Invoice export, part {place}: column {}", ["tax", "total", "date"][place % 3]);
    let items: Vec<_> = (0..60).map(|place| item(&place.to_string(), Kind::Task, &text(place), &[])).collect();
    assert_eq!(relevant(&Query { words: "the invoice export is slow", paths: &[] }, &items, 5), []);
}

#[test]
fn a_long_text_meets_nothing_by_chance() {
    let log = (0..400).map(|line| format!("worker{line} retry rows staging cart window theme"));
    let log = log.collect::<Vec<_>>().join(
        "
",
    );
    assert_eq!(keys(&format!("what does this say?\n{log}"), &[]), NONE);
}

#[test]
fn any_words_are_borne() {
    for words in ["\u{0}", "a/", "/", "//", "../..", "@", ":1", "x:", "#L", "\\", "é.rs", "*.rs", "[", "{a,b}/x.rs"] {
        keys(words, &[words]);
    }
}
