//! The checks, in the order they are mended: what a file says comes before where it lies, and where it lies before what
//! it is called.

use handoff_model::heal::Finding;

use super::mend::Mend;
use super::scene::Scene;

mod config;
mod copies;
pub(super) mod files;
mod kinds;
mod memories;
mod names;
mod places;
mod references;
mod sessions;
mod texts;
mod values;

/// Looks at a scene and tells what is wrong in it.
pub(crate) type Check = fn(&Scene<'_>, &mut Findings);

/// Every check. One more is one more line.
pub(crate) const CHECKS: &[Check] = &[
    kinds::wrong,
    kinds::wrong_records,
    config::missing,
    files::odd,
    files::stray,
    files::unreadable,
    files::missing,
    files::twin_entries,
    files::conflicts,
    copies::of_synchronisers,
    copies::of_tasks,
    copies::of_sessions,
    memories::same_id,
    memories::unknown_kind,
    sessions::bodies,
    sessions::lost_bodies,
    sessions::shared_item_ids,
    values::wrong,
    values::misspelled,
    places::orphans,
    places::cycles,
    places::numbers,
    places::misplaced,
    names::tasks,
    names::sessions,
    names::clashes,
    places::depth,
    references::circles,
    references::dangling,
    texts::hidden,
    config::settings,
    config::ignored,
    config::tracked,
    config::local_state,
    config::projects,
    files::access,
];

/// Something that is wrong, and what mends it.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) finding: Finding,
    pub(crate) mend: Option<Mend>,
}

/// What a check tells.
#[derive(Debug, Default)]
pub(crate) struct Findings(Vec<Found>);

impl Findings {
    /// Something that people must put right.
    pub(crate) fn tell(&mut self, finding: Finding) {
        self.0.push(Found { finding, mend: None });
    }

    /// Something that can be mended.
    pub(crate) fn mend(&mut self, finding: Finding, fix: impl Into<String>, mend: Mend) {
        self.0.push(Found { finding: finding.fixed_by(fix), mend: Some(mend) });
    }
}

/// What one check tells of a scene.
pub(crate) fn run(check: Check, scene: &Scene<'_>) -> Vec<Found> {
    let mut findings = Findings::default();
    check(scene, &mut findings);
    findings.0
}

/// The line on which something stands first.
fn line_with(text: &str, what: &str) -> Option<usize> {
    text.lines().position(|line| line.contains(what)).map(|index| index + 1)
}

/// The line on which a key is given a value.
fn line_of_key(text: &str, key: &str) -> Option<usize> {
    let gives = |line: &str| line.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='));
    text.lines().position(gives).map(|index| index + 1)
}
