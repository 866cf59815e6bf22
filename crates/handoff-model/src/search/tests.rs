//! What is found, and that it does not depend on how words are kept.

use proptest::prelude::*;

use super::query::{Step, Wanted};
use super::tally::{GONE, Place, Tallies, Tally};
use super::*;
use crate::words::stem;

/// A record of a test: a key, and the texts of its documents.
type Texts = Vec<(Weight, String)>;
type Record = (String, Vec<Texts>);

fn documents(record: &[Texts]) -> Vec<Document<'_>> {
    let item = |place: usize| if place == 0 { Item::Session } else { Item::SessionNote(place - 1) };
    let fields = |texts: &'_ Texts| texts.iter().map(|(weight, text)| (*weight, text.clone().into())).collect();
    record.iter().enumerate().map(|(place, texts)| Document { item: item(place), fields: fields(texts) }).collect()
}

fn segment(records: &[&Record]) -> Segment {
    let mut builder = Builder::default();
    for (key, texts) in records {
        builder.add(key, 1, &documents(texts));
    }
    builder.finish()
}

fn nothing_above(_: usize, _: usize) -> Option<(usize, usize)> {
    None
}

/// The keys of the records that answer, the best first.
fn found(records: &[(&str, &str)], query: &str) -> Vec<String> {
    let records: Vec<Record> = records
        .iter()
        .map(|(key, text)| ((*key).to_owned(), vec![vec![(Weight::Plain, (*text).to_owned())]]))
        .collect();
    let segment = segment(&records.iter().collect::<Vec<_>>());
    let is_live = vec![true; records.len()];
    let found = search(&Query::parse(query), &[Part { segment: &segment, is_live: &is_live }], nothing_above);
    found.ranked.iter().map(|ranked| segment.key(ranked.source).to_owned()).collect()
}

const NOTES: &[(&str, &str)] = &[
    ("auth", "The refresh token must rotate when the parser migrates"),
    ("cache", "Migrations of the cache are slow; caching retries help"),
    ("code", "see src/auth/middleware.rs and refreshTokenStore in TokenParser"),
    ("café", "Le café est fermé, die Größe der Straße"),
    ("日本語", "認証トークンの更新は公開鍵で行う"),
    ("中文", "刷新令牌需要轮换"),
    ("한국어", "인증 토큰을 갱신했다"),
    ("wide", "Ｆｕｌｌ－ｗｉｄｔｈ ﾊﾞｸﾞ"),
];

#[test]
fn all_forms_of_a_word_are_found() {
    for query in ["migrate", "migrating", "MIGRATION", "migrations"] {
        assert_eq!(found(NOTES, query), ["auth", "cache"], "{query}");
    }
    assert_eq!(found(NOTES, "retry caches"), ["cache"]);
}

#[test]
fn names_are_found_whole_in_parts_and_by_path() {
    for query in
        ["refreshtokenstore", "refreshTokenStore", "refresh_token_store", "token_parser", "middleware", "src/auth"]
    {
        assert_eq!(found(NOTES, query).first().map(String::as_str), Some("code"), "{query}");
    }
    assert_eq!(found(NOTES, "refreshToken"), ["auth", "code"], "as two words, and in a longer name");
}

#[test]
fn accents_width_and_case_make_no_difference() {
    for query in ["cafe", "CAFÉ", "cafe\u{301}", "grosse", "Größe", "strasse", "ferme"] {
        assert_eq!(found(NOTES, query), ["café"], "{query}");
    }
    for query in ["full-width", "ｗｉｄｔｈ", "バグ", "ﾊﾞｸﾞ"] {
        assert_eq!(found(NOTES, query), ["wide"], "{query}");
    }
}

#[test]
fn chinese_japanese_and_korean_are_found_by_their_words_and_characters() {
    for query in ["認証", "トークン", "更新", "鍵", "公開鍵", "認証トークンを更新", "の", "「トークンの更新」"]
    {
        assert_eq!(found(NOTES, query), ["日本語"], "{query}");
    }
    for query in ["令牌", "刷新令牌", "牌", "轮换令牌"] {
        assert_eq!(found(NOTES, query), ["中文"], "{query}");
    }
    for query in ["토큰", "토큰을", "인증", "갱신"] {
        assert_eq!(found(NOTES, query), ["한국어"], "{query}");
    }
    let none: [&str; 0] = [];
    for query in ["トースト", "証認", "開公", "「証の認」"] {
        assert_eq!(found(NOTES, query), none, "{query}");
    }
}

#[test]
fn a_phrase_must_stand_as_it_is_written() {
    assert_eq!(found(NOTES, "\"refresh token\""), ["auth", "code"]);
    assert_eq!(found(NOTES, "\"token must rotate\""), ["auth"]);
    assert_eq!(found(NOTES, "“the parser migrates”"), ["auth"]);
    assert_eq!(found(NOTES, "\"must rot\"*"), ["auth"], "its last word may be a beginning");
    let none: [&str; 0] = [];
    for query in
        ["\"token refresh\"", "\"tokens must rotate\"", "\"must rotate parser\"", "cache \"refresh token\" \"le café\""]
    {
        assert_eq!(found(NOTES, query), none, "{query}");
    }
}

#[test]
fn a_beginning_finds_all_words_that_begin_like_it() {
    assert_eq!(found(NOTES, "migra*"), ["auth", "cache"]);
    assert_eq!(found(NOTES, "cachin*"), ["cache"], "of the word as it is written, not of its stem");
    assert_eq!(found(NOTES, "middlew"), ["code"], "also without a star, when it is no whole word anywhere");
    assert_eq!(found(NOTES, "src/auth/mid*").first().map(String::as_str), Some("code"));
}

#[test]
fn what_must_not_be_there_is_left_out() {
    assert_eq!(found(NOTES, "migrate -cache"), ["auth"]);
    assert_eq!(found(NOTES, "token -\"must rotate\""), ["code"]);
    assert_eq!(found(NOTES, "token -rotating"), ["code"], "in any form");
    assert!(Query::parse("-\"cache\"").is_empty(), "leaving out alone asks for nothing");
    assert_eq!(found(NOTES, "-cache"), ["cache"], "so a word alone is looked for");
}

#[test]
fn more_of_the_words_is_better_and_common_words_make_no_hit() {
    assert_eq!(found(NOTES, "migration cache")[0], "cache");
    assert_eq!(found(NOTES, "when must the cache migrate")[0], "cache");
    let none: [&str; 0] = [];
    assert_eq!(found(NOTES, "what is the deployment"), none, "`the` is there, but says nothing");
    assert_eq!(found(NOTES, "the"), ["auth", "cache"], "unless nothing else is asked for");
}

#[test]
fn silly_queries_ask_for_nothing_or_find_nothing() {
    for query in ["", "   ", "...", "\"\"", "\"", "-", "--", "* * *", "\u{0}\u{1b}[31m;", "“”", "-\"x\""] {
        let parsed = Query::parse(query);
        assert!(parsed.is_empty() || !parsed.groups.is_empty(), "{query:?}");
        found(NOTES, query);
    }
    assert!(Query::parse("... !?").is_empty());
    let long = "token wait ".repeat(2_000);
    assert!(Query::parse(&long).is_cut);
    assert_eq!(found(NOTES, &long).len(), 2);
    let many: Vec<String> = (0..500).map(|number| format!("word{number}")).collect();
    let many = many.join(" ");
    assert!(Query::parse(&many).is_cut, "more words than are looked for");
}

#[test]
fn words_that_are_nowhere_are_answered_with_near_ones() {
    let record = ("a".to_owned(), vec![vec![(Weight::Plain, "the refresh token rotates".to_owned())]]);
    let segment = segment(&[&record]);
    let close = |query: &str, is_live: bool| {
        search(&Query::parse(query), &[Part { segment: &segment, is_live: &[is_live] }], nothing_above).close
    };
    assert_eq!(close("tokne", true), ["token"]);
    assert_eq!(close("refersh rotaets", true), ["refresh", "rotates"]);
    assert!(close("tokne", false).is_empty(), "a record that is gone offers nothing");
    assert!(close("kubernetes", true).is_empty());
}

#[test]
fn what_stands_beside_a_note_counts_for_it() {
    let note = |text: &str| vec![(Weight::Plain, text.to_owned())];
    let talk: Record = (
        "talk".to_owned(),
        ["", "where does the outage come from", "nobody rotates the staging key", "so the deploy failed", "lunch"]
            .map(note)
            .to_vec(),
    );
    let alone: Record = ("alone".to_owned(), vec![note("rotates the key")]);
    let segment = segment(&[&talk, &alone]);
    let ranked = |query: &str| {
        let parts = [Part { segment: &segment, is_live: &[true, true] }];
        let found = search(&Query::parse(query), &parts, nothing_above).ranked;
        found.iter().map(|ranked| (segment.key(ranked.source).to_owned(), ranked.item)).collect::<Vec<_>>()
    };
    assert_eq!(
        ranked("outage key")[0],
        ("talk".to_owned(), Item::SessionNote(0)),
        "it has one word, and its neighbour the other"
    );
    assert_eq!(ranked("key").len(), 2, "a single word is only found where it stands");
    let question = ranked("why did the outage hit staging deploy");
    assert!(question.contains(&("talk".to_owned(), Item::SessionNote(3))), "what is beside may answer a question");
    let pasted = "where does the outage come from and why did nobody see that production answers slowly since the \
                  monitor of the second region stopped after its certificate expired last Tuesday evening";
    assert!(!ranked(pasted).contains(&("talk".to_owned(), Item::SessionNote(3))), "a long text needs no neighbours");
}

#[test]
fn a_note_with_few_of_the_words_lends_little_unless_a_question_is_asked() {
    let record = |(key, texts): (&str, &[&str])| {
        let notes = texts.iter().map(|text| vec![(Weight::Plain, (*text).to_owned())]).collect();
        (key.to_owned(), notes)
    };
    let records: Vec<Record> = [
        ("log", ["", "the guard of routed runners", "bump the schema"].as_slice()),
        ("other", &["", "harden the setup"]),
        ("own", &["", "clean the scratch disk"]),
    ]
    .map(record)
    .to_vec();
    let segment = segment(&records.iter().collect::<Vec<_>>());
    let place = |query: &str, key: &str, item: Item| {
        let parts = [Part { segment: &segment, is_live: &[true; 3] }];
        let found = search(&Query::parse(query), &parts, nothing_above).ranked;
        found.iter().position(|ranked| segment.key(ranked.source) == key && ranked.item == item)
    };
    let (beside, own) = (("log", Item::SessionNote(1)), ("own", Item::SessionNote(0)));
    let subject = "harden scratch setup and guard of routed runners";
    assert!(place(subject, own.0, own.1) < place(subject, beside.0, beside.1), "one word of its own counts more");
    let question = "who hardens the scratch setup and guard of routed runners?";
    assert!(place(question, beside.0, beside.1) < place(question, own.0, own.1), "an answer need not have the words");
}

#[test]
fn words_in_a_row_come_before_the_same_words_apart() {
    let notes = [("apart", "token of the slow parser, cold refresh"), ("row", "slow parser of the cold refresh token")];
    assert_eq!(found(&notes, "refresh tokens"), ["row", "apart"]);
    assert_eq!(found(&notes, "cold refresh"), ["apart", "row"], "both have it");
}

#[test]
fn what_stands_beside_a_decision_does_not_count_for_it() {
    let items = [Item::Session, Item::Decision(0), Item::Decision(1), Item::SessionNote(0)];
    let texts = ["Release week", "rotate the staging key", "cache the parser", "the deploy of the parser failed"];
    let document = |(item, text): (Item, &'static str)| Document { item, fields: vec![(Weight::Plain, text.into())] };
    let mut builder = Builder::default();
    builder.add("release", 1, &items.into_iter().zip(texts).map(document).collect::<Vec<_>>());
    let segment = builder.finish();
    let parts = [Part { segment: &segment, is_live: &[true] }];
    let found = search(&Query::parse("staging key rotation deploy"), &parts, nothing_above).ranked;
    let found: Vec<Item> = found.iter().map(|ranked| ranked.item).collect();
    assert_eq!(found, [Item::Decision(0), Item::SessionNote(0)], "only what has some of the words");
}

#[test]
fn a_pasted_text_finds_what_it_is_about() {
    for query in [
        "Revert \"The refresh token must not rotate\"",
        "fix(auth): the \"token\" must rotate; -cache is for others",
        "The parser said \"no such token\" although --rotate and -migrate were given.",
    ] {
        assert_eq!(found(NOTES, query).first().map(String::as_str), Some("auth"), "{query}");
    }
}

#[test]
fn a_task_is_lent_the_title_of_the_one_above() {
    let task = |key: &str, title: &str| (key.to_owned(), vec![vec![(Weight::Title, title.to_owned())]]);
    let records =
        [task("a child", "Write handlers"), task("b other", "Write handlers"), task("c parent", "Implement auth")];
    let mut builder = Builder::default();
    for (key, texts) in &records {
        let fields = texts[0].iter().map(|(weight, text)| (*weight, text.as_str().into())).collect();
        builder.add(key, 1, &[Document { item: Item::Task, fields }]);
    }
    let segment = builder.finish();
    let parts = [Part { segment: &segment, is_live: &[true; 3] }];
    let above = |_, source| (source == 1).then_some((0, 2));
    let ranked = |query: &str| search(&Query::parse(query), &parts, above).ranked;
    assert_eq!(ranked("auth handlers").iter().map(|ranked| ranked.source).collect::<Vec<_>>(), [1, 2, 0]);
    assert_eq!(ranked("auth").len(), 1, "what is lent makes no hit by itself");
}

/// All words of a document with their places, found by reading it.
fn read(texts: &Texts) -> Vec<(String, u32, Weight)> {
    let (mut words, mut start) = (Vec::new(), 0);
    for (weight, text) in texts {
        start += 2 + text::each(text, |token| words.push((token.word.to_owned(), start + token.place, *weight)));
    }
    words
}

fn fits(step: &Step, word: &str) -> bool {
    match &step.word {
        Wanted::Exactly(wanted) => word == wanted,
        Wanted::Beginning(letters) => word.starts_with(letters.as_str()),
        Wanted::Form(form) => {
            let mut stemmed = word.to_owned();
            stem(&mut stemmed);
            stemmed == *form
        }
    }
}

/// The tallies of a query, found by reading all records.
fn tallied(query: &Query, records: &[&Record]) -> Tallies {
    let mut tallies = Tallies {
        terms: Vec::new(),
        places: Vec::new(),
        place_of: Vec::new(),
        lengths: Vec::new(),
        count: 0,
        length: 0,
    };
    let mut read_all = Vec::new();
    for (source, (_, texts)) in records.iter().enumerate() {
        let first = read_all.len();
        tallies.places.push(Place { part: 0, source, documents: first..first + texts.len() });
        for texts in texts {
            let words = read(texts);
            let length: u32 = words.iter().map(|(_, _, weight)| weight.units()).sum();
            tallies.place_of.push(u32::try_from(source).unwrap_or(GONE));
            tallies.lengths.push(length);
            tallies.length += u64::from(length);
            tallies.count += 1;
            read_all.push(words);
        }
    }
    for term in query.groups.iter().flat_map(|group| &group.terms) {
        let count = |words: &Vec<(String, u32, Weight)>| {
            let (first, rest) = term.steps.split_first().expect("a term looks for something");
            let mut stands: Vec<_> = words
                .iter()
                .filter(|(word, ..)| fits(first, word))
                .map(|(_, place, weight)| (*place, *weight))
                .collect();
            if !rest.is_empty() {
                stands.sort();
                stands.dedup();
                let follows = |place: u32, step: &Step| {
                    words.iter().any(|(word, at, _)| *at == place + step.after && fits(step, word))
                };
                stands.retain(|(place, _)| rest.iter().all(|step| follows(*place, step)));
            }
            let sum = |weights: Vec<Weight>| {
                weights.iter().fold(0_u16, |sum, weight| sum.saturating_add(u16::try_from(weight.units()).unwrap_or(9)))
            };
            let weights: Vec<Weight> = stands.iter().map(|(_, weight)| *weight).collect();
            let titles = weights.iter().copied().filter(|weight| *weight == Weight::Title).collect();
            Tally { title: sum(titles), all: sum(weights) }
        };
        tallies.terms.push(read_all.iter().map(count).collect());
    }
    tallies
}

fn some_words(most: usize) -> impl Strategy<Value = String> {
    const WORDS: &[&str] = &[
        "token",
        "tokens",
        "refresh",
        "refreshToken",
        "refresh_tokens",
        "migrate",
        "migration",
        "the",
        "of",
        "what",
        "cache",
        "src/auth.rs",
        "Größe",
        "grosse",
        "認証トークン",
        "の更新",
        "鍵",
        "토큰을",
        "x",
        "é",
        "#31",
        "\n",
        "…",
    ];
    prop::collection::vec(prop::sample::select(WORDS), 0..most).prop_map(|words| words.join(" "))
}

fn some_query() -> impl Strategy<Value = String> {
    let piece = (some_words(3), 0..5_u8).prop_map(|(words, form)| match form {
        0 => format!("\"{words}\""),
        1 => format!("-{words}"),
        2 => format!("{words}*"),
        3 => words.chars().take(3).collect(),
        _ => words,
    });
    prop::collection::vec(piece, 1..4).prop_map(|pieces| pieces.join(" "))
}

fn some_records() -> impl Strategy<Value = Vec<Record>> {
    let texts = prop::collection::vec((prop::sample::select(Weight::ALL.to_vec()), some_words(6)), 0..3);
    let records = prop::collection::vec(prop::collection::vec(texts, 1..5), 0..8);
    records.prop_map(|records| {
        records.into_iter().enumerate().map(|(place, texts)| (format!("record {place}"), texts)).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Each record is in one of three segments, perhaps with an older version of itself in another.
    #[test]
    fn answers_are_those_of_reading_every_record(
        records in some_records(),
        old in some_records(),
        spread in prop::collection::vec(0..3_usize, 8),
        queries in prop::collection::vec(some_query(), 1..4),
    ) {
        let in_part = |part: usize| records.iter().zip(&spread).filter(move |(_, at)| **at == part).map(|(record, _)| record);
        let segments: Vec<(Segment, Vec<bool>)> = (0..3)
            .map(|part| {
                let live: Vec<&Record> = in_part(part).collect();
                let stale = old.iter().filter(|(key, _)| part == 1 && !live.iter().any(|(known, _)| known == key));
                let all: Vec<&Record> = stale.chain(live.iter().copied()).collect();
                let segment = Segment::open(segment(&all).bytes().to_vec()).expect("what was written can be read");
                let is_live = (0..segment.sources()).map(|source| live.iter().any(|(key, _)| key == segment.key(source)));
                let is_live = is_live.collect();
                (segment, is_live)
            })
            .collect();
        let parts: Vec<Part<'_>> = segments.iter().map(|(segment, is_live)| Part { segment, is_live }).collect();
        let whole = segment(&records.iter().collect::<Vec<_>>());
        let all_live = vec![true; records.len()];
        let whole = [Part { segment: &whole, is_live: &all_live }];
        let told = |parts: &[Part<'_>], ranked: &[Ranked]| -> Vec<(String, Item, f64)> {
            ranked.iter().map(|one| (parts[one.part].segment.key(one.source).to_owned(), one.item, one.score)).collect()
        };
        for query in &queries {
            let query = Query::parse(query);
            let read = score::rank(&query, &tallied(&query, &records.iter().collect::<Vec<_>>()), &whole, &nothing_above);
            let ranked = score::rank(&query, &tally::tally(&query, &parts), &parts, &nothing_above);
            prop_assert_eq!(told(&parts, &ranked), told(&whole, &read));
            let (one, other) = (search(&query, &parts, nothing_above), search(&query, &whole, nothing_above));
            prop_assert_eq!(told(&parts, &one.ranked), told(&whole, &other.ranked));
            prop_assert_eq!(one.close, other.close);
        }
    }

    #[test]
    fn any_text_is_a_query(text in "\\PC{0,40}") {
        let query = Query::parse(&text);
        let record = ("a".to_owned(), vec![vec![(Weight::Plain, text.clone())]]);
        let segment = segment(&[&record]);
        let found = search(&query, &[Part { segment: &segment, is_live: &[true] }], nothing_above);
        // What is asked for with its own text is found, unless something must not be there.
        let excludes = query.groups.iter().any(|group| group.role == query::Role::Excluded);
        let quotes = query.groups.iter().any(|group| group.role == query::Role::Required);
        prop_assert!(query.is_empty() || excludes || quotes || query.is_cut || !found.ranked.is_empty(), "{text:?}");
    }
}
