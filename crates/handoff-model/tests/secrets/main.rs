//! How many secrets are found and how often there is a false alarm, on a corpus that is made anew from a fixed seed.
//!
//! `cargo test -p handoff-model --test secrets -- --nocapture` prints the table that `docs/secrets.md` shows.
#![expect(clippy::cast_precision_loss, reason = "there are few samples")]

mod innocent;
mod samples;

use std::collections::BTreeMap;

use handoff_model::secret::{Allowed, redact, scan};

/// Samples of each line of the list.
const EACH: usize = 30;
const INNOCENT_LINES: usize = 50_000;
/// In percent, for each family.
const LEAST_RECALL: f64 = 98.0;
/// For ten thousand lines.
const MOST_ALARMS: f64 = 1.0;

/// Numbers that look random and are the same each time.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % end as u64).expect("it is below a usize")
    }

    pub(crate) fn one_of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }

    pub(crate) fn text(&mut self, alphabet: &str, length: usize) -> String {
        (0..length).map(|_| char::from(alphabet.as_bytes()[self.below(alphabet.len())])).collect()
    }
}

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
pub(crate) const MIXED: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
pub(crate) const HEX: &str = "0123456789abcdef";

/// A text made by a template: `{h40}` is forty hexadecimal digits, `{g}` a UUID.
pub(crate) fn fill(template: &str, chance: &mut Chance) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once('{') {
        text.push_str(before);
        let (piece, behind) = behind.split_once('}').expect("a piece is closed");
        rest = behind;
        let length = piece[1..].parse().unwrap_or(0);
        let made = match &piece[..1] {
            "A" => chance.text(MIXED, length),
            "h" => chance.text(HEX, length),
            "u" => chance.text(UPPER, length),
            "l" => chance.text(LOWER, length),
            "c" => chance.text("abcdefghijklmnopqrstuvwxyz234567", length),
            "d" => chance.text("0123456789", length),
            // A token neither begins nor ends with what joins its parts.
            "w" => {
                let inner = chance.text(&format!("{MIXED}_-"), length - 2);
                format!("{}{inner}{}", chance.text(MIXED, 1), chance.text(MIXED, 1))
            }
            "b" => chance.text(&format!("{MIXED}+/"), length),
            "g" => ["{h8}", "{h4}", "4{h3}", "a{h3}", "{h12}"].map(|part| fill(part, chance)).join("-"),
            other => panic!("no piece `{other}` in `{template}`"),
        };
        text.push_str(&made);
    }
    text + rest
}

/// Where a token may stand. None of these names says that it is a secret.
const PLACES: &[&str] = &[
    "VALUE=@",
    "\"value\": \"@\",",
    "value: @",
    "for staging we use @, rotate it soon",
    "- @",
    "let value = \"@\";",
    "curl https://api.example.com/v1 -H 'X-Custom: @'",
    "see `@`.",
];

/// How a value is given to a name.
const GIVEN: &[&str] = &["#=@", "\"#\": \"@\",", "#: @", "export #=\"@\"", "# = '@'", "  #: \"@\""];

/// A sample in its surroundings, and the secret in it.
fn sample(template: &str, chance: &mut Chance) -> (String, String) {
    let (name, template) = template.split_once(" := ").map_or((None, template), |(name, rest)| (Some(name), rest));
    let secret = fill(template, chance);
    let line = match name {
        // The template has its surroundings with it, and the secret stands between two signs.
        Some("line") => {
            let secret = secret.split('¦').nth(1).expect("the secret stands between two signs").to_owned();
            return (
                fill(template, chance)
                    .split('¦')
                    .enumerate()
                    .map(|(at, part)| if at == 1 { secret.as_str() } else { part })
                    .collect(),
                secret,
            );
        }
        Some(name) => chance.one_of(GIVEN).replace('#', name),
        None => chance.one_of(PLACES).to_owned(),
    };
    (line.replace('@', &secret), secret)
}

#[test]
fn nearly_all_secrets_of_each_family_are_found() {
    let mut chance = Chance(0x5eed_0001_cafe_f00d);
    let mut families: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut missed = Vec::new();
    for (family, template) in samples::all() {
        for _ in 0..EACH {
            let (line, secret) = sample(template, &mut chance);
            let text = format!("# notes of the day\n\n{line}\nand then the tests passed\n");
            let (found, all) = families.entry(family).or_default();
            *all += 1;
            if redact(&text).contains(&secret) {
                missed.push(line);
            } else {
                *found += 1;
            }
        }
    }
    println!("| family | samples | found | recall |\n|---|--:|--:|--:|");
    for (family, (found, all)) in &families {
        println!("| {family} | {all} | {found} | {:.1} % |", percent(*found, *all));
    }
    for (family, (found, all)) in &families {
        let shown: Vec<_> = missed.iter().take(40).collect();
        assert!(percent(*found, *all) >= LEAST_RECALL, "{family}: {found} of {all}; missed: {shown:#?}");
    }
}

#[test]
fn ordinary_texts_raise_hardly_any_alarm() {
    let mut chance = Chance(0x5eed_0002_cafe_f00d);
    let mut alarms = Vec::new();
    let mut lines = 0;
    while lines < INNOCENT_LINES {
        let text = innocent::document(&mut chance, 250);
        lines += 250;
        for found in scan(&text, &Allowed::default()) {
            let line = text[..found.range.start].matches('\n').count();
            alarms.push(format!("{}: {}", found.rule, text.lines().nth(line).unwrap_or_default()));
        }
    }
    let rate = alarms.len() as f64 * 10_000.0 / lines as f64;
    println!("{} false alarms in {lines} lines: {rate:.2} in 10,000", alarms.len());
    alarms.truncate(40);
    assert!(rate <= MOST_ALARMS, "{rate} in 10,000 lines: {alarms:#?}");
}

#[test]
fn every_rule_of_the_table_has_a_sample_that_it_finds() {
    let mut chance = Chance(0x5eed_0003_cafe_f00d);
    let mut named = std::collections::BTreeSet::new();
    for (_, template) in samples::all() {
        for _ in 0..4 {
            let (line, _) = sample(template, &mut chance);
            named.extend(scan(&line, &Allowed::default()).into_iter().map(|found| found.rule));
        }
    }
    let silent: Vec<_> =
        handoff_model::secret::rules::all().map(|rule| rule.id).filter(|id| !named.contains(id)).collect();
    assert!(silent.len() <= 8, "{silent:#?}");
}

fn percent(part: usize, whole: usize) -> f64 {
    part as f64 * 100.0 / whole as f64
}
