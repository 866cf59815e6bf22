//! Free-form texts without their session, and ids of items that one session gives twice.

use handoff_model::entry_check::emptied;
use handoff_model::heal::{Finding, Kind};
use handoff_model::id::{SessionId, SessionRef};
use handoff_model::session::open_items::{OpenItems, shared_id_problems};
use handoff_model::session::{Session, SessionKind, SessionStatus};

use super::super::cure::KnownVersion;
use super::super::mend::Mend;
use super::super::picture::Content;
use super::super::scene::{Scene, SessionFile};
use super::Findings;
use crate::layout::SESSIONS;
use crate::root::join;
use crate::session::read::{BODY, SUFFIX, body_file, body_problem, full_name};
use crate::task::read::is_ignored;

/// Bodies beside which there is no session: a session is made for each, so that the text is seen again.
pub(super) fn bodies(scene: &Scene<'_>, findings: &mut Findings) {
    for (name, entry) in scene.picture.inside(SESSIONS) {
        let Some(stem) = name.strip_suffix(BODY).filter(|_| !is_ignored(name)) else { continue };
        let path = join(SESSIONS, name);
        let file = join(SESSIONS, &format!("{stem}{SUFFIX}"));
        if scene.picture.exists(&file) {
            continue;
        }
        let finding = Finding::new(Kind::Orphan, path.as_str(), "the text of a session that is not there");
        let text = match &entry.content {
            Content::Text(text) => Some(&**text),
            _ => None,
        };
        match (scene.archived.get(stem), text, made_for(stem, text)) {
            (Some((_, Some(body))), Some(text), _) if body == text => {
                findings.mend(finding, "the archive has it; moved into the backup", Mend::Aside(path));
            }
            (None, Some(_), Some(session)) => {
                let fix = "a closed session is made for it, so that it is seen again";
                findings.mend(finding, fix, Mend::NewFile { path: file, text: session.print() });
            }
            _ => findings.tell(finding.advising("put the session back, or move the text elsewhere")),
        }
    }
}

/// Bodies that are missing, empty, or not the ones that their sessions were saved with.
pub(super) fn lost_bodies(scene: &Scene<'_>, findings: &mut Findings) {
    for SessionFile { session, file, .. } in &scene.sessions {
        let path = body_file(file);
        let body = match scene.picture.get(&path).map(|entry| &entry.content) {
            None => None,
            Some(Content::Text(text)) => Some(&**text),
            // What else may be there is told by other checks.
            Some(_) => continue,
        };
        let Some(problem) = body_problem(session, &path, body) else { continue };
        let finding = Finding::new(Kind::LostBody, path.as_str(), problem.reason);
        let is_it = |version: &&KnownVersion| session.body_check == Some(Session::check_of_body(&version.text));
        let version = scene.around.versions.get(&path).filter(is_it);
        match (version, body.map(|body| emptied(body).is_some())) {
            (Some(version), None) => {
                let fix = format!("restored as it was in {}", version.from);
                findings.mend(finding, fix, Mend::NewFile { path, text: version.text.clone() });
            }
            (Some(version), Some(true)) => {
                let fix = format!("restored as it was in {}", version.from);
                findings.mend(finding, fix, Mend::Put { path, text: version.text.clone() });
            }
            (Some(version), Some(false)) => {
                let advice = format!(
                    "empty it, and `handoff doctor --fix` takes it from {}; or remove `body_check` from {file}",
                    version.from
                );
                findings.tell(finding.advising(advice));
            }
            (None, _) => {
                let advice = format!("put the text back from a backup; or remove `body_check` from {file}");
                findings.tell(finding.advising(advice));
            }
        }
    }
}

/// Ids that one session gives to two items: the second gets the one under which it is shown.
pub(super) fn shared_item_ids(scene: &Scene<'_>, findings: &mut Findings) {
    let shared = |file: &SessionFile| shared_id_problems(&file.file, &file.session, &file.text);
    let shared: Vec<_> = scene.sessions.iter().map(|file| (file, shared(file))).collect();
    if shared.iter().all(|(_, problems)| problems.is_empty()) {
        return;
    }
    let named: Vec<(String, &Session)> =
        scene.sessions.iter().map(|file| (full_name(&file.file, &file.session), &file.session)).collect();
    let archived = scene.archived.iter().map(|(name, (session, _))| (name.as_str(), session));
    let all = named.iter().map(|(name, session)| (name.as_str(), *session)).chain(archived);
    let items = OpenItems::of(all, |_| true);
    for ((file, problems), (name, _)) in shared.iter().zip(&named) {
        let mut session = file.session.clone();
        session.part_shared_ids(name, &items);
        let written = session.write_over(&file.text);
        for problem in problems {
            let finding = Finding::new(Kind::WrongValue, file.file.as_str(), problem.reason.clone());
            let finding = finding.at_line(problem.line);
            match &written {
                Ok(text) => {
                    let fix = "the second item gets the id under which it is shown";
                    findings.mend(finding, fix, Mend::Put { path: file.file.clone(), text: text.clone() });
                }
                Err(_) => findings.tell(finding.advising("give the second item an id that no other has")),
            }
        }
    }
}

fn made_for(stem: &str, text: Option<&str>) -> Option<Session> {
    // Only a whole name tells an id and a day.
    let SessionRef::Name(name) = stem.parse().ok()? else { return None };
    let (day, id) = name.get(..10).zip(name.get(11..)).filter(|_| name == stem)?;
    let id = SessionId::try_from(id.to_owned()).ok()?;
    let began = format!("{day}T00:00:00Z").parse().ok()?;
    let mut session = Session::new(id, SessionKind::Record, began);
    session.status = SessionStatus::Closed;
    session.ended_at = Some(began);
    let line = text?.lines().map(|line| line.trim_start_matches('#').trim()).find(|line| !line.is_empty());
    session.summary = line.unwrap_or("a text whose session was lost").chars().take(200).collect();
    Some(session)
}
