//! Files that the words of a prompt are about.
//!
//! A prompt seldom names files, but it uses the words of their paths and of the commits that touched them. Both are
//! compared with it by the words they share, each word counting the more, the fewer commits or files have it. What comes
//! out is added to the ranking by history: the prompt says what the work is about, the history where such work is done.

use std::collections::{BTreeMap, HashMap};

use super::{Clues, Commit, Likely, lines, rank, sort};
use crate::relevant::{paths_in, telling_stems};

/// Worth of a path that has all words of the prompt: several times the file that every session touches.
const PATH_WORTH: f64 = 4.0;
/// Worth of a commit whose subject has all words of the prompt, for the only file it touched.
const SUBJECT_WORTH: f64 = 20.0;
/// Worth of a file that the prompt names: it comes first.
const NAMED_WORTH: f64 = 1_000.0;
/// How much less a word says that a path has in its directories and not in its name.
const DIRECTORY_SHARE: f64 = 0.5;
/// How much less a commit says that touched many files, as a power of their number.
const COMMIT_BREADTH: f64 = 0.5;

/// Words that a path or a subject must share with a prompt at least.
const FEWEST_WORDS: usize = 2;
/// Surprise that it takes to offer files.
const SURPRISE: f64 = 2.0;

/// The files of `history` that are still `present`, those first that a prompt is about and that are likely needed.
pub fn rank_for_prompt(
    history: &[Commit],
    present: impl Fn(&str) -> bool,
    clues: &Clues<'_>,
    prompt: &str,
) -> Vec<Likely> {
    let mut ranked = rank(history, present, clues);
    let scores = PromptScores::of(history, &ranked, &AskedWords::of(prompt));
    for (likely, score) in ranked.iter_mut().zip(scores.by_file) {
        likely.score += score;
    }
    sort(&mut ranked);
    ranked
}

/// The files that a prompt is about, the likeliest first; none where it may well be about something else.
///
/// A path or the subject of a commit has to share words with the prompt that it would hardly share by chance: chance is
/// reckoned as in [`relevant`](crate::relevant), over all paths and all subjects.
pub fn files_for_prompt(
    history: &[Commit],
    present: impl Fn(&str) -> bool,
    clues: &Clues<'_>,
    prompt: &str,
) -> Vec<Likely> {
    let asked = AskedWords::of(prompt);
    if asked.places.len() < FEWEST_WORDS && asked.paths.is_empty() {
        return Vec::new();
    }
    let ranked = rank(history, present, clues);
    let scores = PromptScores::of(history, &ranked, &asked);
    if scores.surprise < SURPRISE {
        return Vec::new();
    }
    let about = ranked.into_iter().zip(scores.by_file).filter(|(_, score)| *score > 0.0);
    let mut about: Vec<Likely> =
        about.map(|(likely, score)| Likely { score: likely.score + score, ..likely }).collect();
    sort(&mut about);
    about
}

/// Scores of files by the prompt alone.
struct PromptScores {
    /// In the order of the files
    by_file: Vec<f64>,
    /// How surprising the closest path or subject is: 1 where chance would bring about one such among all
    surprise: f64,
}

impl PromptScores {
    fn of(history: &[Commit], files: &[Likely], asked: &AskedWords) -> PromptScores {
        let subjects: Vec<Vec<usize>> = history.iter().map(|commit| asked.shared(&commit.subject)).collect();
        let paths: Vec<PathWords> = files.iter().map(|file| PathWords::of(&file.path, asked)).collect();
        let in_subjects = asked.weights(subjects.iter().map(Vec::as_slice));
        let in_paths = asked.weights(paths.iter().map(|words| words.all.as_slice()));
        let mut by_subject: BTreeMap<&str, f64> = BTreeMap::new();
        for (commit, shared) in history.iter().zip(&subjects).filter(|(_, shared)| !shared.is_empty()) {
            let likeness = in_subjects.share(shared).powi(2);
            let breadth = super::ratio(commit.files.len().max(1), 1).powf(-COMMIT_BREADTH);
            for file in &commit.files {
                *by_subject.entry(&file.path).or_default() += likeness * breadth;
            }
        }
        let by_file = files.iter().zip(&paths).map(|(file, words)| {
            let share = in_paths.share(&words.name) + DIRECTORY_SHARE * in_paths.share(&words.directory);
            let subject = by_subject.get(file.path.as_str()).copied().unwrap_or_default();
            let named = if asked.names(&file.path) { NAMED_WORTH } else { 0.0 };
            PATH_WORTH * share.powi(2) + SUBJECT_WORTH * subject + named
        });
        let by_file: Vec<f64> = by_file.collect();
        let is_named = by_file.iter().any(|score| *score >= NAMED_WORTH) && !asked.paths.is_empty();
        let surprise = |weights: &WordWeights, shared: &[usize]| {
            if shared.len() < FEWEST_WORDS { 0.0 } else { weights.surprise(shared) }
        };
        let closest_subject = subjects.iter().map(|shared| surprise(&in_subjects, shared)).fold(0.0, f64::max);
        let closest_path = paths.iter().map(|words| surprise(&in_paths, &words.all)).fold(0.0, f64::max);
        let surprise = if is_named { f64::INFINITY } else { closest_subject.max(closest_path) };
        PromptScores { by_file, surprise }
    }
}

/// The asked words that a path has.
struct PathWords {
    /// In the name of the file
    name: Vec<usize>,
    /// In its directories alone
    directory: Vec<usize>,
    all: Vec<usize>,
}

impl PathWords {
    fn of(path: &str, asked: &AskedWords) -> PathWords {
        let (directory, name) = lines::split(path);
        let name = asked.shared(lines::stem(name).0);
        let directory: Vec<usize> = asked.shared(directory).into_iter().filter(|place| !name.contains(place)).collect();
        let all = name.iter().chain(&directory).copied().collect();
        PathWords { name, directory, all }
    }
}

/// The words of a prompt that say what it is about.
struct AskedWords {
    places: HashMap<String, usize>,
    /// Paths and names of files that stand in it
    paths: Vec<String>,
}

impl AskedWords {
    fn of(prompt: &str) -> Self {
        let mut places = HashMap::new();
        for stem in telling_stems(prompt) {
            let next = places.len();
            places.entry(stem).or_insert(next);
        }
        Self { places, paths: paths_in(prompt) }
    }

    /// Whether the prompt names a file, by its path or the end of it.
    fn names(&self, path: &str) -> bool {
        self.paths.iter().any(|named| {
            path.strip_suffix(named.as_str()).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        })
    }

    /// The asked words that a text has, each once.
    fn shared(&self, text: &str) -> Vec<usize> {
        let mut shared: Vec<usize> =
            telling_stems(text).iter().filter_map(|stem| self.places.get(stem).copied()).collect();
        shared.sort_unstable();
        shared.dedup();
        shared
    }

    /// How much each asked word says, from how many texts have it.
    fn weights<'a>(&self, texts: impl Iterator<Item = &'a [usize]>) -> WordWeights {
        let mut found = vec![0_usize; self.places.len()];
        let mut count = 0;
        for text in texts {
            count += 1;
            for place in text {
                found[*place] += 1;
            }
        }
        let weights: Vec<f64> = found.iter().map(|found| super::ratio(count + 1, (*found).max(1)).ln()).collect();
        WordWeights { sum: weights.iter().sum(), one_of_all: super::ratio(count + 1, 1).ln().max(1.0), weights }
    }
}

struct WordWeights {
    weights: Vec<f64>,
    sum: f64,
    /// Surprise at which chance would bring about one text among all
    one_of_all: f64,
}

impl WordWeights {
    fn surprise(&self, words: &[usize]) -> f64 {
        words.iter().map(|place| self.weights[*place]).sum::<f64>() / self.one_of_all
    }

    /// Share of what the prompt says that these words say, from 0 to 1.
    fn share(&self, words: &[usize]) -> f64 {
        if self.sum > 0.0 { words.iter().map(|place| self.weights[*place]).sum::<f64>() / self.sum } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Touched;
    use super::*;

    fn commit(hour: i64, subject: &str, files: &[&str]) -> Commit {
        let touched = |path: &&str| Touched { change: 'M', path: (*path).to_owned(), from: None };
        Commit {
            time: hour * 3_600,
            author: 0,
            subject: subject.to_owned(),
            files: files.iter().map(touched).collect(),
        }
    }

    /// A history of a server, whose last sessions were about its documentation.
    fn history() -> Vec<Commit> {
        let mut history = vec![
            commit(0, "Refresh expired tokens before a request", &["src/auth/session.rs", "src/http/client.rs"]),
            commit(24, "Rotate the signing keys every night", &["src/jobs/nightly.rs"]),
            commit(48, "Read the mail templates from disk", &["src/mail/templates.rs"]),
        ];
        let topics = ["metrics", "layout", "parser", "colour", "widgets", "budget", "calendar", "backup"];
        for (number, topic) in (0..).zip(topics.iter().cycle().take(60)) {
            let file = format!("src/{topic}/part{}.rs", number % 3);
            history.push(commit(
                72 + 24 * number,
                &format!("Improve {topic} number {number}"),
                &[&file, "docs/guide.md"],
            ));
        }
        history
    }

    fn paths(ranked: &[Likely]) -> Vec<&str> {
        ranked.iter().map(|likely| likely.path.as_str()).collect()
    }

    #[test]
    fn files_of_a_commit_that_speaks_of_the_same_come_first() {
        let history = history();
        let without = rank(&history, |_| true, &Clues::default());
        assert_eq!(without[0].path, "docs/guide.md");
        let prompt = "expired tokens are not refreshed";
        let with = rank_for_prompt(&history, |_| true, &Clues::default(), prompt);
        let mut first = paths(&with)[..2].to_vec();
        first.sort_unstable();
        assert_eq!(first, ["src/auth/session.rs", "src/http/client.rs"]);
        assert_eq!(with.len(), without.len(), "nothing is left out");
        let offered = files_for_prompt(&history, |_| true, &Clues::default(), prompt);
        assert_eq!(offered.len(), 2, "{offered:?}");
    }

    #[test]
    fn a_prompt_about_something_else_is_offered_no_files() {
        let history = history();
        for prompt in [
            "",
            "continue",
            "what is the capital of France?",
            "please explain how binary search works",
            "write a haiku about the sea and the night sky",
            "improve number 7",
        ] {
            let offered = files_for_prompt(&history, |_| true, &Clues::default(), prompt);
            assert!(offered.is_empty(), "{prompt}: {offered:?}");
        }
    }

    #[test]
    fn a_file_that_the_prompt_names_comes_first() {
        let history = history();
        for prompt in ["look at templates.rs", "look at src/mail/templates.rs, please"] {
            let offered = files_for_prompt(&history, |_| true, &Clues::default(), prompt);
            assert_eq!(offered[0].path, "src/mail/templates.rs", "{prompt}");
        }
    }
}
