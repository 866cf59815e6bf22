//! Renderings for people: the description of a pull request, and what to say in a standup.

use super::outline::{Item, Part};
use super::said::Said;
use super::sheet::{Bullet, Sheet};

/// What, why, how it was tested, what is open; stored text as quotation, so that it cannot change the page around it.
pub(super) fn pr_description(mut sheet: Sheet<'_>) -> String {
    let outline = sheet.outline;
    let items = |part: Part, is_done: bool| outline.items(part).iter().filter(move |item| item.is_done == is_done);
    sheet.say("## What");
    for head in &outline.heads {
        sheet.quoted([head.title.one_line()]);
        if !head.summary.lines.is_empty() {
            sheet.quoted([""]);
            sheet.quoted(&head.summary.lines);
        }
    }
    sheet.section("Tasks:", Part::Tasks, Bullet::Box);
    sheet.listed("## Why", items(Part::Decisions, false), Bullet::Dash);
    sheet.section("See also:", Part::References, Bullet::Dash);
    sheet.say("## How it was tested");
    let tested: Vec<&Item> = items(Part::Checklist, true).collect();
    if tested.is_empty() {
        sheet.line("Nothing about it was recorded.");
    } else {
        sheet.items(tested, Bullet::Box);
    }
    sheet.say("## Open points");
    let open: Vec<&Item> = items(Part::Checklist, false)
        .chain(outline.items(Part::Blockers))
        .chain(outline.items(Part::Next))
        .chain(outline.items(Part::Questions))
        .collect();
    if open.is_empty() {
        sheet.line("None were recorded.");
    } else {
        sheet.items(open, Bullet::Box);
    }
    // A caution is in force, and nothing to tick off.
    sheet.listed("## Cautions", outline.items(Part::Notes).iter().filter(|note| note.is_obstacle), Bullet::Dash);
    sheet.section("Where to look in review:", Part::Pointers, Bullet::Dash);
    sheet.body("Notes in full:");
    sheet.left_out();
    let names: Vec<String> = outline.heads.iter().map(super::outline::Head::words).collect();
    if !names.is_empty() {
        sheet.say(&format!("From {}; `>` quotes it as it was recorded.", names.join(" and ")));
    }
    sheet.finish()
}

/// Yesterday, today, blockers: a few lines that can be read out.
pub(super) fn standup(mut sheet: Sheet<'_>) -> String {
    /// As many of a kind as anyone wants to hear.
    const SAID: usize = 2;
    let outline = sheet.outline;
    let items = |part: Part| outline.items(part).iter();
    let day = outline.heads.iter().find_map(|head| head.at).map(|at| format!(" ({})", at.day())).unwrap_or_default();
    let done = outline.heads.iter().map(|head| &head.title);
    let tasks = items(Part::Tasks).filter(|task| task.is_done).map(|task| &task.text);
    spoken(&mut sheet, &format!("Yesterday{day}:"), done.chain(tasks).take(SAID));
    let under_way = items(Part::Tasks).filter(|task| !task.is_done && !task.is_obstacle);
    let open = items(Part::Checklist).filter(|item| !item.is_done);
    let today = items(Part::Next).chain(under_way).chain(open).map(|item| &item.text);
    spoken(&mut sheet, "Today:", today.take(SAID));
    let stuck = items(Part::Tasks).filter(|task| task.is_obstacle && !task.is_done);
    spoken(&mut sheet, "Blockers:", items(Part::Blockers).chain(stuck).map(|item| &item.text).take(SAID));
    sheet.finish()
}

fn spoken<'s>(sheet: &mut Sheet<'_>, title: &str, said: impl Iterator<Item = &'s Said>) {
    /// As long as a sentence is.
    const LONGEST: usize = 140;
    sheet.line(title);
    let mut is_empty = true;
    for text in said {
        let text = sheet.harmless(&text.shortened(LONGEST).one_line());
        sheet.line(&format!("- {text}"));
        is_empty = false;
    }
    if is_empty {
        sheet.line("- nothing recorded");
    }
}
