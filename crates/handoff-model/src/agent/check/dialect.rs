//! Programs and the way they name what they are run on.

use std::collections::{BTreeMap, BTreeSet};

use super::Proof;
use super::flags::FlagEffect;
use super::purpose::looks;
use super::wrapper::{base, is_shell};

/// The key of flags that narrow a run without naming a target, such as `--lib`.
pub(super) const NARROWED: &str = "--";
/// The key of flags that leave something out without naming it, such as `--stale`.
pub(super) const LIMITED: &str = "-";

/// The meaning of a run without targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Empty {
    /// It runs everything, as `pytest` does
    IsAll,
    /// It runs something of its own, as `make` does
    IsItsOwn,
}

/// The way in which a target includes others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Matching {
    Equal,
    /// A directory includes its files, a file its tests
    Path,
    /// A part of a name includes the names it is part of
    Substring,
}

impl Matching {
    pub(super) fn includes(self, wide: &str, narrow: &str) -> bool {
        match self {
            Matching::Equal => wide == narrow,
            Matching::Substring => narrow.contains(wide),
            Matching::Path => {
                let is_within = |wide: &str, narrow: &str| {
                    let rest = narrow.strip_prefix(wide);
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ':', '[']))
                };
                if wide == "..." {
                    return true;
                }
                let wide = wide.strip_suffix("/...").unwrap_or(wide);
                // The same file may be written from the root of the file system or from a directory of the project.
                let at_end = |long: &str, short: &str| long.starts_with('/') && long.ends_with(&format!("/{short}"));
                is_within(wide, narrow) || at_end(wide, narrow) || at_end(narrow, wide)
            }
        }
    }
}

/// The way a program reads its arguments.
pub(super) struct Dialect {
    programs: &'static [&'static str],
    pub(super) empty: Empty,
    pub(super) matching: Matching,
    /// Flags that select by their value, with the spelling they are compared in
    selects: &'static [(&'static str, &'static str)],
    /// Flags that narrow the run
    narrows: &'static [&'static str],
    /// Other flags that take a value
    values: &'static [&'static str],
}

const UNKNOWN: Dialect = Dialect {
    programs: &[],
    empty: Empty::IsItsOwn,
    matching: Matching::Equal,
    selects: &[("--filter", "--filter"), ("-k", "-k"), ("-p", "-p"), ("--package", "-p")],
    narrows: &[],
    values: &[],
};

const DIALECTS: &[Dialect] = &[
    Dialect {
        programs: &["cargo"],
        empty: Empty::IsAll,
        matching: Matching::Substring,
        selects: &[
            ("-p", "-p"),
            ("--package", "-p"),
            ("--test", "--test"),
            ("--bin", "--bin"),
            ("--example", "--example"),
            ("--bench", "--bench"),
            ("-E", "-E"),
            ("--filter-expr", "-E"),
        ],
        narrows: &["--lib", "--doc", "--bins", "--examples", "--tests", "--benches", "--ignored"],
        values: &[
            "--features",
            "-F",
            "--target",
            "--target-dir",
            "--profile",
            "-j",
            "--jobs",
            "--manifest-path",
            "--color",
            "--message-format",
            "--test-threads",
            "--config",
            "-Z",
            "--retries",
            // Lints, which rustc reads
            "-D",
            "-W",
            "-A",
            "--deny",
            "--warn",
            "--allow",
            "--forbid",
            "--cap-lints",
        ],
    },
    Dialect {
        programs: &["pytest"],
        empty: Empty::IsAll,
        matching: Matching::Path,
        selects: &[("-k", "-k"), ("-m", "-m")],
        narrows: &["--lf"],
        values: &[
            "-c",
            "-p",
            "-n",
            "-o",
            "--tb",
            "--maxfail",
            "--timeout",
            "--cov",
            "--cov-report",
            "--rootdir",
            "--durations",
            "--junitxml",
            "-W",
            "--color",
        ],
    },
    Dialect {
        programs: &["unittest", "nose2", "mypy", "pyright", "ruff", "flake8", "pylint", "black", "isort", "bandit"],
        empty: Empty::IsAll,
        matching: Matching::Path,
        selects: &[("-p", "-p"), ("-k", "-k"), ("--select", "--select")],
        narrows: &[],
        values: &["--config", "--config-file", "--line-length", "-s", "-t", "--output-format"],
    },
    Dialect {
        programs: &["jest", "vitest", "mocha", "ava", "playwright", "cypress"],
        empty: Empty::IsAll,
        matching: Matching::Path,
        selects: &[
            ("-t", "-t"),
            ("--testNamePattern", "-t"),
            ("-g", "-t"),
            ("--grep", "-t"),
            ("--testPathPattern", "--testPathPattern"),
            ("--testPathPatterns", "--testPathPattern"),
            ("--project", "--project"),
            ("--spec", "--spec"),
        ],
        narrows: &["-o"],
        values: &["-c", "--config", "--reporter", "--reporters", "--workers", "--timeout", "-w", "--maxWorkers", "-r"],
    },
    Dialect {
        programs: &["npm", "pnpm", "yarn", "bun", "deno"],
        empty: Empty::IsAll,
        matching: Matching::Path,
        selects: &[
            ("-w", "-w"),
            ("--workspace", "-w"),
            ("--filter", "--filter"),
            ("-t", "-t"),
            ("--testNamePattern", "-t"),
            ("--grep", "-t"),
        ],
        narrows: &[],
        values: &["--prefix", "-C", "--dir", "--cwd", "--reporter", "--config", "-c", "--loglevel", "--maxWorkers"],
    },
    Dialect {
        programs: &["go"],
        empty: Empty::IsItsOwn,
        matching: Matching::Path,
        selects: &[("-run", "-run"), ("-bench", "-bench"), ("-tags", "-tags")],
        narrows: &["-short"],
        values: &["-count", "-timeout", "-parallel", "-coverprofile", "-cpu", "-p", "-o", "-C"],
    },
    Dialect {
        programs: &["tsc", "eslint", "prettier", "biome", "stylelint", "shellcheck", "golangci-lint"],
        empty: Empty::IsAll,
        matching: Matching::Path,
        selects: &[("-p", "-p"), ("--project", "-p")],
        narrows: &[],
        values: &["-c", "--config", "--ext", "--format", "-f", "--max-warnings", "--ignore-path", "--timeout"],
    },
    Dialect {
        programs: &["rspec", "phpunit", "minitest", "pest", "ctest", "busted"],
        empty: Empty::IsAll,
        matching: Matching::Path,
        selects: &[
            ("-e", "-e"),
            ("--example", "-e"),
            ("--filter", "--filter"),
            ("-R", "-R"),
            ("-t", "-t"),
            ("--tag", "-t"),
            ("--testsuite", "--testsuite"),
        ],
        narrows: &[],
        values: &["-f", "--format", "-c", "--configuration", "--test-dir", "-j", "--seed", "-C"],
    },
    Dialect {
        programs: &["dotnet", "swift", "mix", "flutter", "dart", "zig", "sbt"],
        empty: Empty::IsAll,
        matching: Matching::Path,
        selects: &[("--filter", "--filter"), ("--project", "--project"), ("--only", "--only")],
        narrows: &["--failed"],
        values: &["-c", "--configuration", "-f", "--framework", "-v", "--verbosity", "--logger", "-o"],
    },
    Dialect {
        programs: &["mvn", "gradle", "gradlew", "mvnw"],
        empty: Empty::IsItsOwn,
        matching: Matching::Equal,
        selects: &[("--tests", "--tests"), ("-pl", "-pl"), ("-Dtest", "-Dtest"), ("-Dit.test", "-Dit.test")],
        narrows: &[],
        values: &["-f", "--file", "-p", "--project-dir", "-P"],
    },
    Dialect {
        programs: &["make", "gmake", "just", "rake", "task", "tox", "nox", "ninja"],
        empty: Empty::IsItsOwn,
        matching: Matching::Equal,
        selects: &[("-e", "-e"), ("-s", "-s")],
        narrows: &[],
        values: &["-C", "--directory", "-f", "--file", "-j", "--jobs", "--justfile", "-d"],
    },
    Dialect {
        programs: &["bazel", "buck2", "nx", "turbo", "terraform", "tofu", "docker", "kubectl", "helm"],
        empty: Empty::IsItsOwn,
        matching: Matching::Path,
        selects: &[("--filter", "--filter"), ("--project", "--project"), ("-p", "-p"), ("-f", "-f"), ("-t", "-t")],
        narrows: &[],
        values: &["-c", "--config", "-n", "--namespace"],
    },
];

/// Programs whose first argument says what they do.
const WITH_SUBCOMMAND: &[&str] = &[
    "cargo",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "deno",
    "go",
    "dotnet",
    "swift",
    "mix",
    "flutter",
    "dart",
    "zig",
    "bazel",
    "buck2",
    "nx",
    "turbo",
    "terraform",
    "tofu",
    "docker",
    "kubectl",
    "helm",
    "ruff",
    "biome",
    "playwright",
    "cypress",
    "composer",
    "rails",
    "poetry",
    "uv",
    "pip",
    "hatch",
    "pdm",
    "nix",
    "pre-commit",
    "golangci-lint",
    "trunk",
    "ng",
];

/// The name that a program is compared by, and its arguments; `None` for one that only looks.
pub(super) fn program_name<'w>(name: &'w str, arguments: &'w [String]) -> Option<(String, Vec<&'w str>)> {
    let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if looks(name) {
        return None;
    }
    let mut program = short_name(name);
    if is_shell(name) {
        let place = arguments.iter().position(|word| !word.starts_with('-'))?;
        plain_path(arguments[place]).clone_into(&mut program);
        arguments.drain(..=place);
    } else if is_python(&program) {
        "python".clone_into(&mut program);
        let module = arguments.iter().position(|word| *word == "-m").filter(|place| *place + 1 < arguments.len());
        if let Some(place) = module.filter(|place| arguments[..*place].iter().all(|word| word.starts_with('-'))) {
            arguments[place + 1].clone_into(&mut program);
            arguments.drain(..=place + 1);
        }
    }
    if WITH_SUBCOMMAND.contains(&program.as_str()) {
        program = with_subcommand(&program, &mut arguments)?;
    } else if program.contains(' ') {
        return None;
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " _./:@+-".contains(c);
    let is_name = program.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') && program.chars().all(is_plain);
    is_name.then_some((program, arguments))
}

/// A program without the directory that only says where it is installed.
fn short_name(name: &str) -> String {
    let is_installed = name.starts_with(['/', '~', '$']) || name.contains("bin/");
    let name = if is_installed { base(name) } else { plain_path(name) };
    name.to_owned()
}

fn plain_path(path: &str) -> &str {
    let mut path = path;
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    if path.len() > 1 { path.trim_end_matches('/') } else { path }
}

fn is_python(program: &str) -> bool {
    let version = program.strip_prefix("python").or_else(|| program.strip_prefix("py"));
    version.is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

/// The program with its subcommand, by the name that is compared; the subcommand is taken out of the arguments.
/// `None` where it has none that could be one.
fn with_subcommand(program: &str, arguments: &mut Vec<&str>) -> Option<String> {
    let dialect = Dialect::of(program);
    let is_runner = matches!(program, "npm" | "pnpm" | "yarn" | "bun" | "deno");
    let mut words: Vec<&str> = Vec::new();
    while let Some(place) = dialect.first_operand(arguments) {
        let word = arguments.remove(place);
        match (program, words.as_slice(), word) {
            ("cargo", [], word) if word.starts_with('+') => continue,
            ("cargo", [], "nextest") => {
                words.push("nextest");
                continue;
            }
            ("cargo", ["nextest"], "run") => words = vec!["test"],
            ("cargo", [], "t") | ("npm", [], "t" | "tst") => words.push("test"),
            ("cargo", [], "b") => words.push("build"),
            ("cargo", [], "c") => words.push("check"),
            (_, [], "run" | "run-script" | "task") if is_runner => continue,
            ("docker", [], "compose") => {
                words.push("compose");
                continue;
            }
            (_, _, word) => words.push(word),
        }
        break;
    }
    // A word with a blank in it was quoted, and is no subcommand.
    let is_plain = words.iter().all(|word| !word.contains(' ') && !word.is_empty());
    let name = std::iter::once(program).chain(words).collect::<Vec<_>>().join(" ");
    is_plain.then_some(name)
}

/// The name of a program without its directory and its subcommand.
pub(super) fn bare_name(program: &str) -> &str {
    base(program.split(' ').next().unwrap_or(program))
}

impl Dialect {
    /// The dialect of a program with or without its subcommand.
    pub(super) fn of(program: &str) -> &'static Dialect {
        DIALECTS.iter().find(|dialect| dialect.programs.contains(&bare_name(program))).unwrap_or(&UNKNOWN)
    }

    /// The place of the first argument that is neither a flag nor the value of one.
    fn first_operand(&self, arguments: &[&str]) -> Option<usize> {
        let mut place = 0;
        while let Some(word) = arguments.get(place) {
            if !is_flag(word) {
                return Some(place);
            }
            place += if self.takes_value(word) { 2 } else { 1 };
        }
        None
    }

    fn takes_value(&self, flag: &str) -> bool {
        self.values.contains(&flag) || self.selects.iter().any(|(spelling, _)| *spelling == flag)
    }

    /// What the arguments of a program select or leave out, by flag, and the amount that success proves then.
    pub(super) fn targets(&self, program: &str, arguments: &[&str]) -> (BTreeMap<String, BTreeSet<String>>, Proof) {
        let mut targets: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut proof = Proof::Passing;
        let mut select = |flag: &str, value: &str| {
            targets.entry(flag.to_owned()).or_default().insert(value.to_owned());
        };
        let mut words = arguments.iter().copied().peekable();
        while let Some(word) = words.next() {
            if !is_flag(word) {
                let target = plain_path(word);
                if !matches!(target, "." | "") {
                    select("", target);
                }
                continue;
            }
            let (flag, value) = word.split_once('=').map_or((word, None), |(flag, value)| (flag, Some(value)));
            if let Some(effect) = FlagEffect::of(bare_name(program), flag, value) {
                match effect {
                    FlagEffect::ProvesNothing => proof = Proof::FailureOnly,
                    FlagEffect::Limits => select(LIMITED, flag),
                    FlagEffect::Excludes => match value.or_else(|| words.next()) {
                        Some(value) => select(flag, value),
                        None => proof = Proof::FailureOnly,
                    },
                }
            } else if let Some((_, spelling)) = self.selects.iter().find(|(known, _)| *known == flag) {
                if let Some(value) = value.or_else(|| words.next()) {
                    select(spelling, value);
                }
            } else if self.narrows.contains(&flag) {
                select(NARROWED, flag);
            } else if value.is_none() {
                let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
                let has_value = self.values.contains(&flag) || words.peek().is_some_and(is_number);
                if has_value && flag != "--" {
                    words.next();
                }
            }
        }
        (targets, proof)
    }
}

fn is_flag(word: &str) -> bool {
    word.starts_with('-') && word.len() > 1
}
