//! Characters in records that cannot be seen.

use handoff_model::heal::{Finding, Kind, RecordKind, hidden};
use handoff_model::session::{Session, SessionStatus};

use super::super::mend::Mend;
use super::super::picture::Content;
use super::super::scene::Scene;
use super::Findings;
use super::files::{is_body, record};

/// Hidden characters, by line. Open records get them written out; what is closed, and free-form text, is only told.
pub(super) fn hidden(scene: &Scene<'_>, findings: &mut Findings) {
    for (path, entry) in scene.picture.entries() {
        let Content::Text(text) = &entry.content else { continue };
        let (lines, mended) = match record(path) {
            // Their text is free, and what is meant to be read by agents is worth a look by a person.
            Some(RecordKind::Memory) => (hidden::find(text), None),
            Some(record) => (
                hidden::find_in_toml(text),
                changeable(record, text).then(|| hidden::written_out_in_toml(text)).flatten(),
            ),
            None if is_body(path) => (hidden::find(text), None),
            None => continue,
        };
        for line in &lines {
            let finding = Finding::new(Kind::Hidden, path, line.describe()).at_line(Some(line.line));
            match &mended {
                Some(text) => {
                    let mend = Mend::Put { path: path.to_owned(), text: text.clone() };
                    findings.mend(finding, "written out, so that it can be seen", mend);
                }
                None => findings.tell(finding.advising("look at the line, and take them out if nobody meant them")),
            }
        }
    }
}

fn changeable(record: RecordKind, text: &str) -> bool {
    match record {
        RecordKind::Session => Session::read(text).is_ok_and(|session| session.status != SessionStatus::Closed),
        RecordKind::Task | RecordKind::TimeLog | RecordKind::Config => true,
        RecordKind::Memory => false,
    }
}
