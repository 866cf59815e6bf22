//! A merge as it is shown.

use handoff_model::session::{About, Contradiction};

use super::Merged;
use crate::page::{Role, Text};
use crate::{Facts, Page, Report};

impl Report for Merged {
    fn page(&self) -> Page {
        let was_changed = self.rev.is_some();
        let mark = if was_changed { Text::of(Role::Good, "✓ ") } else { Text::default() };
        let mut page = Page::new().line(mark.plain(&self.message));
        if let Some(continues) = &self.continues {
            page = page.line(Text::from("it continues ").and(Role::Id, continues).plain(", which is closed"));
        }
        for taken in &self.lists {
            let same = if taken.same > 0 { format!(", {} the same", taken.same) } else { String::new() };
            page = page.item(format!("{}: {} added{same}", taken.list, taken.added));
        }
        if !self.closed.is_empty() {
            let word = if self.dry_run { "would be closed" } else { "closed" };
            page = page.item(format!("{word}: {}", self.closed.join(", ")));
        }
        if self.contradictions.is_empty() {
            return page;
        }
        page = page.blank().heading("Said differently");
        self.contradictions.iter().map(line).fold(page, Page::said)
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn facts(&self) -> Facts {
        Facts {
            message: self.page().to_markdown(None),
            id: self.id.as_ref().map(ToString::to_string),
            number: None,
            status: Some(self.status.word().to_owned()),
            rev: self.rev.map(|rev| rev.to_string()),
            warnings: Vec::new(),
            ..Facts::default()
        }
    }
}

fn line(contradiction: &Contradiction) -> Text {
    let Contradiction { about, what, sides, kept } = contradiction;
    let subject = match about {
        About::Superseded => "replaced",
        About::Path => "governed twice",
        About::Reason => "reason",
        About::Confidence => "confidence",
        About::Checklist => "checklist",
        About::Note => "note",
        About::Reference => "reference",
        About::Environment => "environment",
        About::Timeline | About::Branch | About::Commit => "",
    };
    let subject = if subject.is_empty() { String::new() } else { format!("{subject}: ") };
    let mut text = Text::of(Role::Warn, subject).plain(what);
    for (place, side) in sides.iter().enumerate() {
        text = text.plain(if place == 0 { ": " } else { "; " }).plain(format!("{} in ", side.says));
        text = text.and(Role::Id, &side.session);
    }
    match (kept, about) {
        (Some(kept), _) => text.and(Role::Dim, format!(" (now: {kept})")),
        (None, About::Path) => text.and(Role::Dim, " (both hold; supersede one if they cannot)"),
        (None, _) => text,
    }
}
