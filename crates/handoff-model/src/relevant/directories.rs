//! Directories that a text names without a stroke, as in "run terraform in infra".

use std::collections::HashMap;

use super::words;
use crate::words::{Script, is_part};

/// Words of a text that may be names of directories, in small letters.
#[derive(Debug, Default)]
pub(super) struct NamedDirectories(HashMap<String, Position>);

/// Place of a word in its sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    Anywhere,
    /// Where a sentence names a place: behind `in`, or before `directory`
    OfPlace,
}

#[rustfmt::skip]
const PREPOSITIONS: &[&str] = &[
    "in", "into", "inside", "within", "under", "below", "beneath", "im", "ins", "unter", "dans", "sous", "en", "em",
    "nel", "nella", "sotto", "в", "под",
];
const ARTICLES: &[&str] =
    &["the", "our", "your", "my", "this", "that", "der", "dem", "den", "die", "das", "le", "la", "el", "il"];
#[rustfmt::skip]
const DIRECTORIES: &[&str] = &[
    "directory", "directories", "dir", "folder", "folders", "subdirectory", "subfolder", "verzeichnis", "ordner",
    "répertoire", "dossier", "directorio", "carpeta", "diretório", "pasta", "cartella", "каталог", "папка", "папке",
    "ディレクトリ", "フォルダ", "目录", "文件夹", "디렉터리", "폴더",
];

impl NamedDirectories {
    /// Takes in the tokens of a text, in order.
    pub(super) fn of<'t>(tokens: impl Iterator<Item = &'t str>) -> NamedDirectories {
        let mut directories = NamedDirectories::default();
        let mut written: Vec<String> = Vec::new();
        for token in tokens {
            let token = token.to_lowercase();
            let runs = runs(&token);
            if runs.len() > 1 {
                written.extend(runs.into_iter().map(str::to_owned));
                directories.add(token, Position::Anywhere);
            } else {
                written.push(token);
            }
        }
        for place in 0..written.len() {
            let mut before = written[..place].iter().rev().map(String::as_str);
            let front = before.next();
            let front = if front.is_some_and(|word| ARTICLES.contains(&word)) { before.next() } else { front };
            let is_after = front.is_some_and(|word| PREPOSITIONS.contains(&word));
            let is_before = written.get(place + 1).is_some_and(|word| DIRECTORIES.contains(&word.as_str()));
            let position = if is_after || is_before { Position::OfPlace } else { Position::Anywhere };
            directories.add(written[place].clone(), position);
        }
        directories
    }

    fn add(&mut self, word: String, position: Position) {
        let known = self.0.entry(word).or_insert(position);
        if position == Position::OfPlace {
            *known = position;
        }
    }

    /// Returns whether a sentence names some place.
    pub(super) fn has_place(&self) -> bool {
        self.0.values().any(|position| *position == Position::OfPlace)
    }

    /// The word that names a directory, or the one that a glob begins in. A single word that is common in any project counts
    /// only where the sentence names a place.
    pub(super) fn find(&self, path: &str) -> Option<&str> {
        let mut names = path.trim_start_matches("./").trim_end_matches('/').split('/');
        let plain = names.by_ref().take_while(|name| !name.contains(['*', '?', '[', '{']));
        let name = plain.last().filter(|name| !name.is_empty() && *name != ".")?;
        let (word, position) = self.0.get_key_value(&name.to_lowercase())?;
        let mut is_telling = *position == Position::OfPlace || name.contains(['-', '_', '.']);
        if !is_telling {
            words::each(name, |word| is_telling |= word.counts());
        }
        is_telling.then_some(word.as_str())
    }
}

/// The runs of one script in a token. Where nothing stands between words, a name ends where its letters do.
fn runs(token: &str) -> Vec<&str> {
    let mut runs = Vec::new();
    let (mut start, mut script) = (0, None);
    for (at, letter) in token.char_indices().filter(|(_, letter)| is_part(*letter)) {
        let own = Script::of(letter);
        if script.is_some_and(|script| script != own) {
            runs.push(&token[start..at]);
            start = at;
        }
        script = Some(own);
    }
    runs.push(&token[start..]);
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'p>(text: &str, paths: &[&'p str]) -> Vec<&'p str> {
        let directories = NamedDirectories::of(text.split_whitespace());
        paths.iter().filter(|path| directories.find(path).is_some()).copied().collect()
    }

    #[test]
    fn a_directory_is_named_by_its_last_name() {
        let paths = ["infra/", "./services/billing", "src/auth/**/*.rs", "文書/", "My-App"];
        for (text, expected) in [
            ("run terraform in infra", &["infra/"][..]),
            ("Infra needs an update", &["infra/"]),
            ("what does billing do with services", &["./services/billing"]),
            ("auth fails", &["src/auth/**/*.rs"]),
            ("文書を直して", &["文書/"]),
            ("infraでterraformを実行して", &["infra/"]),
            ("look at my-app", &["My-App"]),
            ("the infrastructure is down", &[]),
            ("", &[]),
        ] {
            assert_eq!(found(text, &paths), expected, "{text}");
        }
    }

    #[test]
    fn a_common_word_has_to_stand_where_a_place_is_named() {
        let paths = ["tests/", "src"];
        for (text, expected) in [
            ("run the tests again", &[][..]),
            ("what is in tests", &["tests/"]),
            ("look in the src please", &["src"]),
            ("clean up the tests directory", &["tests/"]),
        ] {
            assert_eq!(found(text, &paths), expected, "{text}");
        }
    }
}
