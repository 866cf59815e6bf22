//! Settings, what git may see, and what belongs to this machine.

use handoff_model::config::{Source, Sources, resolve};
use handoff_model::conflict;
use handoff_model::document;
use handoff_model::heal::{Finding, Kind};
use handoff_model::name::Layout;
use handoff_model::problem::Severity;

use super::super::look::not_text;
use super::super::mend::Mend;
use super::super::picture::Content;
use super::super::scene::Scene;
use super::Findings;
use super::files::format_of;
use crate::error::StoreError;
use crate::layout::{AGENTS, BOUND, CONFIG, GITIGNORE, REGISTRY, TIMERS, USEFULNESS};
use crate::place::Registry;
use crate::root::join;
use crate::task::convert::{PRIVATE_GITIGNORE, SHARED_GITIGNORE};
use crate::timers::read_timer;

/// A store without its settings.
pub(super) fn missing(scene: &Scene<'_>, findings: &mut Findings) {
    if scene.picture.exists(CONFIG) {
        return;
    }
    let finding = Finding::new(Kind::MissingConfig, CONFIG, "is not there, so that nothing but the doctor works here");
    match scene.around.versions.get(CONFIG) {
        Some(known) => {
            let mend = Mend::NewFile { path: CONFIG.to_owned(), text: known.text.clone() };
            findings.mend(finding, format!("written anew, from {}", known.from), mend);
        }
        None => findings.tell(finding.advising("`handoff init` writes it anew and keeps what is there")),
    }
}

/// Settings that do not count, and ones that lead out of a shared project.
pub(super) fn settings(scene: &Scene<'_>, findings: &mut Findings) {
    let Some(text) = scene.picture.text(CONFIG) else { return };
    // A file that cannot be read as a whole is told of elsewhere.
    if document::read::<toml::Table>(text).is_err() || conflict::split(text).is_some() {
        return;
    }
    let source = Source { path: CONFIG.to_owned(), text: text.to_string() };
    let resolved = resolve(Sources { project: Some(source), ..Sources::default() });
    for problem in resolved.problems().filter(|problem| problem.severity == Severity::Mended) {
        let finding = Finding::new(Kind::Setting, CONFIG, problem.reason.clone()).at_line(problem.line);
        findings.tell(finding.advising("`handoff config explain` tells what may stand there"));
    }
    if scene.layout == Layout::Stable {
        for dir in resolved.config.dashboard.scan_dirs.iter().filter(|dir| is_of_one_machine(dir.as_str())) {
            let what = format!("`dashboard.scan_dirs` names `{}`, which is a place on one machine", dir.as_str());
            let line = super::line_with(text, dir.as_str());
            let advice = "put it into your own settings: `handoff config set --user dashboard.scan_dirs …`";
            findings.tell(Finding::new(Kind::Setting, CONFIG, what).at_line(line).advising(advice));
        }
    }
}

fn is_of_one_machine(dir: &str) -> bool {
    dir.starts_with(['/', '~', '\\']) || dir.as_bytes().get(1) == Some(&b':')
}

/// What git would see of this machine.
pub(super) fn ignored(scene: &Scene<'_>, findings: &mut Findings) {
    let text = scene.picture.text(GITIGNORE).map(|text| &**text);
    if text.is_none() && scene.picture.exists(GITIGNORE) {
        return;
    }
    let hides = |line: &str| matches!(line.trim(), "*" | "/*" | "local" | "/local" | "local/" | "/local/" | "local/*");
    if text.unwrap_or_default().lines().any(hides) {
        return;
    }
    let ours = if scene.layout == Layout::Stable { SHARED_GITIGNORE } else { PRIVATE_GITIGNORE };
    let finding = Finding::new(Kind::NotIgnored, GITIGNORE, "git would see what belongs to this machine");
    let path = GITIGNORE.to_owned();
    match text {
        None => findings.mend(finding, "made anew", Mend::NewFile { path, text: ours.to_owned() }),
        Some(text) => {
            let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
            let text = format!("{text}{gap}{ours}");
            findings.mend(finding, "the lines that are missing are added", Mend::Put { path, text });
        }
    }
}

/// Files under version control that belong to this machine.
pub(super) fn tracked(scene: &Scene<'_>, findings: &mut Findings) {
    let Some(first) = scene.around.tracked.first() else { return };
    let what = match scene.around.tracked.len() {
        1 => "is under version control, and belongs to this machine".to_owned(),
        count => format!("is under version control, like {} more files that belong to this machine", count - 1),
    };
    let target = if first.starts_with("local/") { ".handoff/local" } else { ".handoff" };
    // Without `-f` git refuses what was staged and changed since.
    let advice = format!("`git rm -rf --cached {target}` takes it out of git and leaves the files");
    findings.tell(Finding::new(Kind::Tracked, first.as_str(), what).advising(advice));
}

/// Notes of this machine that cannot be read. They may be lost; what is left of them is kept.
pub(super) fn local_state(scene: &Scene<'_>, findings: &mut Findings) {
    let states = scene.picture.inside(AGENTS).into_iter().map(|(name, entry)| (join(AGENTS, name), entry));
    for (path, entry) in states {
        let is_read = match &entry.content {
            Content::Text(text) => serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok(),
            Content::Bytes(..) | Content::TooLarge(_) => false,
            _ => true,
        };
        if !is_read {
            let finding =
                Finding::new(Kind::LocalState, path.as_str(), "what is known of an agent's session cannot be read");
            findings.mend(finding, "moved into the backup; it is found out anew", Mend::Aside(path));
        }
    }
    for (name, entry) in scene.picture.inside(TIMERS) {
        let path = join(TIMERS, name);
        let (line, why) = match &entry.content {
            Content::Text(text) => match read_timer(&path, text) {
                // A newer handoff goes on with it.
                Err(StoreError::Damaged(problem))
                    if format_of(text).is_some_and(|format| format > i64::from(handoff_model::FORMAT)) =>
                {
                    findings.tell(Finding::new(Kind::NewerFormat, path, problem.reason).advising("update handoff"));
                    continue;
                }
                Err(StoreError::Damaged(problem)) => (problem.line, problem.reason),
                _ => continue,
            },
            Content::Bytes(bytes, _) => (None, not_text(bytes)),
            Content::TooLarge(why) => (None, why.clone()),
            _ => continue,
        };
        let what = format!("a timer that cannot be read: {why}");
        let finding = Finding::new(Kind::LocalState, path.as_str(), what).at_line(line);
        findings.mend(finding, "moved into the backup; what it counted can be logged by hand", Mend::Aside(path));
    }
    for path in [USEFULNESS, BOUND] {
        let Some(text) = scene.picture.text(path) else { continue };
        let is_good = |line: &str| line.is_empty() || serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok();
        let Some(line) = text.lines().position(|line| !is_good(line)) else { continue };
        let count = text.lines().filter(|line| !is_good(line)).count();
        let what = format!("{count} line{} cannot be read", if count == 1 { "" } else { "s" });
        let kept: String = text.lines().filter(|line| is_good(line)).flat_map(|line| [line, "\n"]).collect();
        let finding = Finding::new(Kind::LocalState, path, what).at_line(Some(line + 1));
        findings.mend(finding, "taken out", Mend::Put { path: path.to_owned(), text: kept });
    }
}

/// Projects of the registry that are gone.
pub(super) fn projects(scene: &Scene<'_>, findings: &mut Findings) {
    let Some(text) = scene.picture.text(REGISTRY) else { return };
    let Ok(known) = Registry::projects_in(text) else { return };
    for project in known.iter().filter(|known| scene.around.gone.contains(&known.path)) {
        let path = project.path.display().to_string();
        let finding = Finding::new(Kind::GoneProject, REGISTRY, format!("{path} is not there any more"));
        let finding = finding.at_line(super::line_with(text, &path));
        match Registry::without(text, &scene.around.gone) {
            Some(text) => findings.mend(finding, "forgotten", Mend::Put { path: REGISTRY.to_owned(), text }),
            None => findings.tell(finding.advising(format!("`handoff project forget {path}`"))),
        }
    }
}
