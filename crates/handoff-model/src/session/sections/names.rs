//! What people call the sections.

use super::SectionKind;

/// Other names, in lower case, without punctuation and the words that matter least.
const NAMES: &[(SectionKind, &[&str])] = &[
    (
        SectionKind::Context,
        &[
            "context",
            "project context",
            "background",
            "overview",
            "goal",
            "goals",
            "objective",
            "objectives",
            "purpose",
        ],
    ),
    (
        SectionKind::KeyDecisions,
        &[
            "key decisions",
            "key decision",
            "decisions",
            "decision",
            "decisions made",
            "key decisions made",
            "decision log",
            "decisions in force",
            "important decisions",
            "design decisions",
            "technical decisions",
            "architecture decisions",
            "architectural decisions",
            "what we decided",
            "what was decided",
        ],
    ),
    (
        SectionKind::CurrentState,
        &[
            "current state",
            "current status",
            "state",
            "status",
            "state of work",
            "progress",
            "progress so far",
            "current progress",
            "where we are",
            "where things stand",
            "where it stands",
            "where we left off",
            "where i left off",
            "what was done",
            "what is done",
            "done so far",
        ],
    ),
    (
        SectionKind::NextSteps,
        &[
            "next steps",
            "next step",
            "next",
            "next up",
            "whats next",
            "what is next",
            "what comes next",
            "next actions",
            "next action",
            "next tasks",
            "immediate next steps",
            "action items",
            "todo",
            "todos",
            "to do",
            "to dos",
            "todo list",
            "to do list",
            "remaining",
            "remaining work",
            "remaining tasks",
            "remaining steps",
            "what remains",
            "whats left",
            "what is left",
            "pending",
            "pending work",
            "pending tasks",
            "outstanding",
            "outstanding work",
            "follow up",
            "follow ups",
            "followups",
        ],
    ),
    (
        SectionKind::Warnings,
        &[
            "warnings gotchas",
            "gotchas warnings",
            "warnings",
            "warning",
            "gotchas",
            "gotcha",
            "potential gotchas",
            "known gotchas",
            "pitfalls",
            "caveats",
            "caveat",
            "caution",
            "cautions",
            "traps",
            "known issues",
            "watch out",
            "watch out for",
            "watchouts",
            "things to watch out for",
            "beware",
        ],
    ),
    (
        SectionKind::Files,
        &[
            "files of note",
            "files",
            "file",
            "key files",
            "important files",
            "relevant files",
            "critical files",
            "main files",
            "files to look at",
            "files to read",
            "files changed",
            "changed files",
            "files modified",
            "modified files",
            "files touched",
            "touched files",
            "where to look",
        ],
    ),
];

/// The section that a heading means, whatever stands around its words: a number, an emoji, a remark in parentheses.
pub(super) fn meaning(heading: &str) -> Option<SectionKind> {
    let before = |marks: &[char]| heading.split(marks).next().unwrap_or_default().to_owned();
    // A remark after the words is tried without: `Next steps (in this order)`, `Status: red`.
    let forms = [heading.to_owned(), before(&['(', '[']), before(&[':', '—', '–'])];
    forms.iter().find_map(|form| named(&words(form)))
}

fn named(words: &str) -> Option<SectionKind> {
    NAMES.iter().find(|(_, names)| names.contains(&words)).map(|(kind, _)| *kind)
}

/// The words in lower case with single blanks between, without a number in front.
fn words(heading: &str) -> String {
    let lower = heading.to_lowercase().replace(['\'', '’', '`'], "");
    let mut words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.retain(|word| !["and", "the", "our"].contains(word));
    let is_number = |word: &&&str| word.bytes().all(|b| b.is_ascii_digit());
    let numbers = words.iter().take_while(is_number).count();
    words[numbers..].join(" ")
}
