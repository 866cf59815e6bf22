//! A session as a record of session-handoff.

use handoff_bundle::compat::CompatRecord;
use handoff_import::System;
use handoff_store::FoundSession;

use crate::Project;

pub(super) fn record(project: &Project, found: &FoundSession) -> CompatRecord {
    let session = &found.session;
    let was = session.origin.as_ref().filter(|origin| origin.system == System::SessionHandoff.word());
    let headline = session.headline(200);
    let present = |text: &str| Some(text.to_owned()).filter(|text| !text.trim().is_empty());
    let directory = || project.dir().map(|dir| dir.display().to_string());
    let own = session.project.clone().filter(|path| std::path::Path::new(path).is_absolute());
    let dirty = session.git.iter().flat_map(|git| &git.dirty);
    CompatRecord {
        id: was.map_or_else(|| found.name.clone(), |origin| origin.id.clone()),
        created_at: session.started_at.or(session.ended_at).unwrap_or_else(|| project.now()).in_seconds(),
        tool: session.tool.clone().and_then(|tool| present(&tool)).unwrap_or_else(|| "handoff".to_owned()),
        project: own.or_else(directory).unwrap_or_else(|| "/".to_owned()),
        title: session.title.clone().and_then(|title| present(&title)).unwrap_or_else(|| headline.clone()),
        summary: present(&session.summary).unwrap_or(headline),
        next: Some(session.next.clone()),
        changed: dirty
            .map(|line| line.split_once(' ').map_or(line.as_str(), |(_, path)| path.trim()).to_owned())
            .collect(),
    }
}
