//! Flags with which a run proves less than one without them.

/// The amount that success of a run with a flag still proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FlagEffect {
    /// Nothing was run, or failures were excused
    ProvesNothing,
    /// Only runs that are limited by the same flag
    Limits,
    /// The same, for the flag with its value
    Excludes,
}

use FlagEffect::{Excludes, Limits, ProvesNothing};

/// Flags of all programs.
const GENERAL: &[(FlagEffect, &[&str])] = &[
    (
        ProvesNothing,
        &[
            "--help",
            "-help",
            "-h",
            "--version",
            "-version",
            "-V",
            "--no-run",
            "--collect-only",
            "--co",
            "--list",
            "--listTests",
            "--list-tests",
            "--dry-run",
            "--dryrun",
            "--dry",
            "--showConfig",
            "--fixtures",
            "--init",
            "--exit-zero",
            "--ignore-errors",
        ],
    ),
    (
        Limits,
        &[
            "--if-present",
            "--passWithNoTests",
            "--pass-with-no-tests",
            "--skip-tests",
            "--skipTests",
            "--stale",
            "--changed",
            "--onlyChanged",
            "--only-changed",
            "--onlyFailures",
            "--only-failures",
            "--findRelatedTests",
            "--last-failed",
            "--invert",
        ],
    ),
    (
        Excludes,
        &[
            "--exclude",
            "--skip",
            "--ignore",
            "--deselect",
            "--shard",
            "--exclude-tag",
            "--exclude-tags",
            "--ignore-pattern",
            "--grep-invert",
            "--testPathIgnorePatterns",
            "--changedSince",
        ],
    ),
];

/// Flags of single programs.
const OF_PROGRAMS: &[(&[&str], FlagEffect, &[&str])] = &[
    (&["cargo"], Limits, &["--exact", "--no-default-features"]),
    (&["cargo"], Excludes, &["--partition"]),
    (&["pytest"], ProvesNothing, &["--setup-plan", "--markers"]),
    (&["pytest"], Limits, &["--sw", "--stepwise"]),
    (&["pytest"], Excludes, &["--ignore-glob"]),
    (&["ruff"], ProvesNothing, &["-e", "--fix-only", "--add-noqa", "--show-files", "--show-settings"]),
    (&["ruff", "flake8"], Excludes, &["--extend-exclude", "--extend-ignore", "--per-file-ignores"]),
    (&["mypy"], Limits, &["--ignore-missing-imports"]),
    (&["pylint"], Limits, &["-E", "--errors-only"]),
    (&["pylint"], Excludes, &["--disable", "-d", "--ignore-patterns", "--ignore-paths"]),
    (&["go"], ProvesNothing, &["-n", "-c", "-list"]),
    (&["go"], Excludes, &["-skip"]),
    (&["golangci-lint"], ProvesNothing, &["--issues-exit-code"]),
    (&["golangci-lint"], Limits, &["--new", "--fast", "--disable-all"]),
    (&["golangci-lint"], Excludes, &["--new-from-rev", "-D", "--disable"]),
    (&["tsc"], Limits, &["--noCheck", "--skipLibCheck"]),
    (&["tsc"], ProvesNothing, &["--listFilesOnly"]),
    (&["eslint"], ProvesNothing, &["--print-config", "--env-info"]),
    (&["shellcheck"], Excludes, &["-e"]),
    (&["ctest"], ProvesNothing, &["-N", "--show-only", "--print-labels"]),
    (&["ctest"], Limits, &["--rerun-failed"]),
    (&["ctest"], Excludes, &["-E", "-LE", "-L", "-I"]),
    (&["rspec"], Excludes, &["--exclude-pattern"]),
    (&["phpunit", "pest"], ProvesNothing, &["--list-suites", "--list-groups"]),
    (&["phpunit", "pest"], Excludes, &["--group", "--exclude-group"]),
    (&["mvn", "mvnw"], ProvesNothing, &["-fn", "--fail-never", "-Dmaven.test.failure.ignore"]),
    (&["mvn", "mvnw"], Limits, &["-DskipTests", "-DskipITs", "-Dmaven.test.skip", "-N", "--non-recursive"]),
    (&["mvn", "mvnw"], Excludes, &["-Dgroups", "-DexcludedGroups", "-rf", "--resume-from"]),
    (&["gradle", "gradlew"], ProvesNothing, &["-m"]),
    (&["gradle", "gradlew"], Excludes, &["-x", "--exclude-task"]),
    (&["make", "gmake", "just", "rake", "task", "tox", "ninja"], ProvesNothing, &["-n"]),
    (&["make", "gmake"], ProvesNothing, &["-i", "-q", "-t", "--just-print", "--recon", "--question", "--touch"]),
    (&["just", "task", "tox", "nox"], ProvesNothing, &["-l"]),
    (&["rake"], ProvesNothing, &["-T", "-P"]),
    (&["tox", "nox"], ProvesNothing, &["--notest", "--install-only", "--listenvs"]),
    (&["bazel"], ProvesNothing, &["--nobuild"]),
    (&["bazel"], Excludes, &["--test_filter", "--test_tag_filters"]),
    (&["dotnet"], ProvesNothing, &["-t"]),
];

/// Programs that print their version with `-V` and go on, or print more.
const GOES_ON_WITH_V: &[&str] = &["ctest", "mvn", "mvnw"];

impl FlagEffect {
    /// The effect of a flag of a program, given without its subcommand; `None` where it makes no difference.
    pub(super) fn of(program: &str, flag: &str, value: Option<&str>) -> Option<FlagEffect> {
        if value == Some("false") || (flag == "-V" && GOES_ON_WITH_V.contains(&program)) {
            return None;
        }
        let own = OF_PROGRAMS.iter().filter(|(programs, ..)| programs.contains(&program));
        let mut all =
            own.map(|(_, effect, flags)| (effect, flags)).chain(GENERAL.iter().map(|(effect, flags)| (effect, flags)));
        let has = |flags: &[&str]| flags.contains(&flag) || (is_bundle(program, flag) && bundled(flag, flags));
        all.find(|(_, flags)| has(flags)).map(|(effect, _)| *effect)
    }
}

/// Reports whether a word holds several flags of one letter, as in `make -sn`.
fn is_bundle(program: &str, word: &str) -> bool {
    let letters = word.trim_start_matches('-');
    let takes_value = |c: char| "CfIjloW".contains(c);
    matches!(program, "make" | "gmake")
        && !word.starts_with("--")
        && letters.chars().all(|c| c.is_ascii_alphabetic())
        && !letters.starts_with(takes_value)
}

fn bundled(word: &str, flags: &[&str]) -> bool {
    word.chars().skip(1).any(|letter| flags.contains(&format!("-{letter}").as_str()))
}
