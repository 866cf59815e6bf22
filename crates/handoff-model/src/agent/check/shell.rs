//! Shell lines, taken apart as far as it takes to know which programs they run and whose exit code they end with.
//!
//! It is not a shell: variables, substitutions and patterns stay as they are written.

use super::directory::RunDirectory;

/// One line as an agent ran it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ShellLine {
    /// Pipelines and what stands behind each of them
    pub(super) pipelines: Vec<(Pipeline, Joint)>,
}

/// Programs that are joined by pipes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pipeline {
    pub(super) programs: Vec<Vec<String>>,
    /// The directory that the line entered before it
    pub(super) directory: Option<RunDirectory>,
}

/// The operator behind a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joint {
    And,
    Or,
    /// `;`, a line break or the end
    Sequence,
    /// `&`
    Background,
}

/// A piece of a line.
#[derive(Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Pipe,
    Joint(Joint),
}

impl ShellLine {
    /// Takes a line apart. What follows a here-document is left out: it is input, not a command.
    pub(super) fn read(line: &str) -> ShellLine {
        let mut read = ShellLine::default();
        let mut pipeline = Pipeline::default();
        let mut words: Vec<String> = Vec::new();
        let mut directory = None;
        let tokens = tokens(line).into_iter().chain([Token::Joint(Joint::Sequence)]);
        for token in tokens {
            match token {
                Token::Word(word) => words.push(word),
                Token::Pipe => pipeline.programs.push(std::mem::take(&mut words)),
                Token::Joint(joint) => {
                    if !words.is_empty() {
                        pipeline.programs.push(std::mem::take(&mut words));
                    }
                    pipeline.programs.retain(|program| !program.is_empty());
                    let mut pipeline = std::mem::take(&mut pipeline);
                    pipeline.directory.clone_from(&directory);
                    // Brackets are not read, so each change counts from the start, as in `(cd a && x) && (cd b && y)`.
                    if let [program] = pipeline.programs.as_slice()
                        && matches!(program[0].as_str(), "cd" | "pushd" | "popd")
                    {
                        directory = program.get(1).and_then(|path| RunDirectory::entered(path, None));
                    }
                    if !pipeline.programs.is_empty() {
                        read.pipelines.push((pipeline, joint));
                    }
                }
            }
        }
        read
    }
}

fn tokens(line: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r']);
        if let Some(behind) = rest.strip_prefix("\\\n") {
            rest = behind;
            continue;
        }
        let Some(first) = rest.chars().next() else { return tokens };
        let operator = OPERATORS.iter().find_map(|(text, token)| Some((rest.strip_prefix(text)?, token)));
        match (operator, first) {
            (Some((_, Operator::HereDocument)), _) => return tokens,
            (Some((behind, operator)), _) => {
                rest = behind;
                match operator {
                    Operator::Pipe => tokens.push(Token::Pipe),
                    Operator::Joint(joint) => tokens.push(Token::Joint(*joint)),
                    Operator::Redirect => rest = without_target(rest),
                    Operator::Bracket | Operator::HereDocument => {}
                }
            }
            (None, '#') => rest = rest.find('\n').map_or("", |end| &rest[end..]),
            (None, _) => {
                let (word, behind) = word(rest);
                rest = behind;
                // `2>&1`: the number belongs to the redirection.
                let is_descriptor = word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_digit());
                if !(is_descriptor && rest.starts_with(['>', '<'])) {
                    tokens.push(Token::Word(word));
                }
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Operator {
    Pipe,
    Joint(Joint),
    Redirect,
    HereDocument,
    /// Groups commands, which changes nothing about what they are
    Bracket,
}

/// Operators, the longer of two that begin alike first.
const OPERATORS: &[(&str, Operator)] = &[
    ("&&", Operator::Joint(Joint::And)),
    ("||", Operator::Joint(Joint::Or)),
    ("|&", Operator::Pipe),
    ("|", Operator::Pipe),
    ("&>>", Operator::Redirect),
    ("&>", Operator::Redirect),
    (";", Operator::Joint(Joint::Sequence)),
    ("\n", Operator::Joint(Joint::Sequence)),
    ("&", Operator::Joint(Joint::Background)),
    ("<<<", Operator::Redirect),
    ("<<", Operator::HereDocument),
    (">>", Operator::Redirect),
    (">&", Operator::Redirect),
    ("<&", Operator::Redirect),
    (">", Operator::Redirect),
    ("<", Operator::Redirect),
    ("(", Operator::Bracket),
    (")", Operator::Bracket),
];

/// What follows the file or descriptor that a redirection leads to.
fn without_target(rest: &str) -> &str {
    let rest = rest.trim_start_matches([' ', '\t']);
    if rest.is_empty() || OPERATORS.iter().any(|(text, _)| rest.starts_with(text)) { rest } else { word(rest).1 }
}

/// The first word of a text without its quotes, and what follows it.
fn word(text: &str) -> (String, &str) {
    let mut word = String::new();
    let mut chars = text.char_indices();
    let mut quote: Option<char> = None;
    let mut depth = 0_usize;
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some('\''), '\'') => quote = None,
            (Some('\''), c) => word.push(c),
            (Some('"'), '"') if depth == 0 => quote = None,
            (None, '\'' | '"') if depth == 0 => quote = Some(c),
            (_, '\\') => {
                if let Some((_, escaped)) = chars.next().filter(|(_, escaped)| *escaped != '\n') {
                    // In double quotes only a few characters can be escaped.
                    if quote.is_some() && !matches!(escaped, '"' | '\\' | '$' | '`') {
                        word.push('\\');
                    }
                    word.push(escaped);
                }
            }
            (_, '(') if depth > 0 || word.ends_with('$') => {
                depth += 1;
                word.push(c);
            }
            (_, ')') if depth > 0 => {
                depth -= 1;
                word.push(c);
            }
            (None, ' ' | '\t' | '\r' | '\n' | ';' | '|' | '&' | '<' | '>' | '(' | ')') if depth == 0 => {
                return (word, &text[at..]);
            }
            (_, c) => word.push(c),
        }
    }
    (word, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words with blanks between, programs with ` | `, joints as they are written.
    fn shown(line: &str) -> String {
        let mut shown = String::new();
        for (pipeline, joint) in ShellLine::read(line).pipelines {
            let programs: Vec<String> =
                pipeline.programs.iter().map(|words| format!("<{}>", words.join("><"))).collect();
            shown.push_str(&programs.join(" | "));
            shown.push_str(match joint {
                Joint::And => " && ",
                Joint::Or => " || ",
                Joint::Sequence => "; ",
                Joint::Background => " & ",
            });
        }
        shown
    }

    #[test]
    fn words_quotes_and_operators_are_told_apart() {
        for (line, expected) in [
            ("cargo test", "<cargo><test>; "),
            ("cd a && make 'a b' \"c d\"\\ e", "<cd><a> && <make><a b><c d e>; "),
            ("make 2>&1 | tail -5 || true", "<make> | <tail><-5> || <true>; "),
            ("make > out.txt 2>/dev/null; ls", "<make>; <ls>; "),
            ("make &> all.log && echo ok", "<make> && <echo><ok>; "),
            ("(cd x; make)", "<cd><x>; <make>; "),
            ("a \\\n  b\nc", "<a><b>; <c>; "),
            ("echo \"$(date; ls) x\" y", "<echo><$(date; ls) x><y>; "),
            ("sh -c 'make && make test'", "<sh><-c><make && make test>; "),
            ("cat <<EOF\nmake test\nEOF", "<cat>; "),
            ("make & ls", "<make> & <ls>; "),
            ("make # && fail\nls", "<make>; <ls>; "),
            ("make 2 > x", "<make><2>; "),
            ("", ""),
            ("| &&", ""),
            ("'unclosed && x", "<unclosed && x>; "),
        ] {
            assert_eq!(shown(line), expected, "{line}");
        }
    }
}
