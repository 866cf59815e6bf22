//! Purposes of programs: to check the work, or only to look at things.

use super::wrapper::base;

/// Programs that look at things or move them about, and words of the shell; that they fail says nothing about the work.
const LOOKING: &[&str] = &[
    "", "!", "-", ".", ":", "[", "[[", "awk", "basename", "bat", "break", "case", "cat", "cd", "chmod", "chown", "cp",
    "curl", "cut", "date", "declare", "df", "diff", "dirname", "do", "done", "du", "echo", "elif", "else", "esac",
    "exit", "export", "fd", "fi", "file", "find", "for", "function", "gh", "git", "grep", "handoff", "head",
    "hostname", "id", "if", "jobs", "jq", "kill", "killall", "less", "ln", "local", "ls", "lsof", "mkdir", "more",
    "mv", "nl", "od", "pgrep", "pkill", "popd", "printenv", "printf", "ps", "pushd", "pwd", "read", "readlink",
    "realpath", "rg", "rm", "rmdir", "sed", "set", "sleep", "sort", "source", "stat", "tail", "tar", "tee", "test",
    "then", "touch", "tr", "tree", "true", "type", "ulimit", "uname", "uniq", "unset", "until", "unzip", "wait", "wc",
    "wget", "whereis", "which", "while", "whoami", "xargs", "xxd", "yq", "zcat", "zip",
];

/// Words in the names of programs and targets that check the work: tests, builds, lints.
const CHECKING: &[&str] = &[
    "analyze",
    "bench",
    "build",
    "check",
    "checks",
    "ci",
    "clippy",
    "compile",
    "ctest",
    "e2e",
    "eslint",
    "flake8",
    "integration",
    "jest",
    "lint",
    "make",
    "mocha",
    "mypy",
    "mvn",
    "nextest",
    "phpunit",
    "playwright",
    "pyright",
    "pytest",
    "rspec",
    "ruff",
    "spec",
    "test",
    "tests",
    "tox",
    "tsc",
    "typecheck",
    "unit",
    "unittest",
    "validate",
    "verify",
    "vet",
    "vitest",
];

/// Reports whether a program with these targets checks the work.
pub(super) fn checks<'w>(program: &'w str, targets: impl Iterator<Item = &'w str>) -> bool {
    let of = |text: &str| {
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        words.any(|word| CHECKING.contains(&word.to_ascii_lowercase().as_str()))
    };
    let mut all = std::iter::once(program).chain(targets);
    all.any(of)
}

/// Reports whether a program only looks at things or moves them about.
pub(super) fn looks(program: &str) -> bool {
    LOOKING.contains(&base(program))
}
