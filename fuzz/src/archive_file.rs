//! Archives and bodies: any Markdown that a person may have made of them.

use handoff_model::session::Archive;
use handoff_model::session::sections::Sections;

const NAME: &str = "2026-10-03-fefefefe";

/// Any bytes at all, as a body, as an archive, and as what is archived.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let sections = Sections::find(text);
    assert!(sections.found.iter().all(|section| section.text.len() < text.len()));

    let mut archive = read(text);
    assert_eq!(archive.print(), text);
    while archive.remove(NAME).is_some() {}
    let archive = read(&archive.print());
    if archive.get(NAME).is_some() {
        // What was damaged reads well without what stood below it.
        return;
    }
    let others = texts(&archive);
    let mut more = archive.clone();
    more.add(NAME, text, Some(text)).expect("it is a full name");
    let mut more = read(&more.print());
    assert_eq!(more.remove(NAME), Some((text.to_owned(), Some(text.to_owned()))));
    assert_eq!(texts(&more), others);
}

fn read(text: &str) -> Archive {
    Archive::read("archive/2026-10-general-archive.md", text).0
}

fn texts(archive: &Archive) -> Vec<(String, Option<String>)> {
    archive.sessions().map(|session| (session.toml_text.to_owned(), session.body.map(str::to_owned))).collect()
}
