//! Items of earlier sessions that a conversation settled, by a check that passed or by saying that they are done.

use std::collections::HashMap;

use super::super::CheckCommand;
use super::spoken::{SaidDone, SpokenEnd};
use super::{Compiled, PassedCheck};
use crate::relevant::says_same;
use crate::session::open_items::{OpenItem, OpenItems};
use crate::session::{ItemEnding, ItemKind, ItemRef, SettledHow};
use crate::when::Moment;

const SAID_DONE: &str = "the agent said that it is done";

/// What a conversation says about items of all sessions, by their full forms.
struct Spoken<'c> {
    /// Those that it names as open, with the time at which it did so last
    named: HashMap<String, Option<Moment>>,
    /// Those that it says to be done
    ended: HashMap<String, Vec<&'c SpokenEnd>>,
}

impl Compiled {
    /// The ends of items that this work brought. An item that it names as open again is not among them.
    pub fn endings(&self, items: &OpenItems<'_>) -> Vec<ItemEnding> {
        let spoken = self.spoken(items);
        let open = items.all().iter().filter(|item| item.is_open());
        let ended = open.filter_map(|item| {
            let (how, because) = self.ending(item, &spoken)?;
            Some(ItemEnding { item: items.target(item), how, because: Some(because), task: None })
        });
        ended.collect()
    }

    fn spoken(&self, items: &OpenItems<'_>) -> Spoken<'_> {
        let reference = |wanted: &ItemRef| items.find(wanted).ok().map(OpenItem::reference);
        let by_text = |text: &str| reference(&ItemRef::Text(text.to_owned()));
        let named = self.items.iter().filter_map(|own| Some((by_text(&own.text)?, own.at)));
        let mut ended: HashMap<String, Vec<&SpokenEnd>> = HashMap::new();
        for end in &self.ends {
            let found = match &end.done {
                SaidDone::Item(mention) => reference(&mention.item),
                said => said.wordings().iter().find_map(|text| by_text(text)),
            };
            if let Some(found) = found {
                ended.entry(found).or_default().push(end);
            }
        }
        Spoken { named: named.collect(), ended }
    }

    fn ending(&self, item: &OpenItem<'_>, spoken: &Spoken<'_>) -> Option<(SettledHow, String)> {
        let reference = item.reference();
        let ends = spoken.ended.get(&reference).map(Vec::as_slice).unwrap_or_default();
        let named = spoken.named.get(&reference);
        // An id leaves no doubt about what is meant, wherever its item was named before.
        let by_id = ends.iter().rev().find_map(|end| match &end.done {
            SaidDone::Item(mention) if named.is_none_or(|named| *named < end.at) => Some((end, mention)),
            _ => None,
        });
        if let Some((end, mention)) = by_id.filter(|_| item.kind != ItemKind::Caution)
            && is_before(item.named_at, end.at.or(self.ended_at)).unwrap_or(true)
        {
            let how = if mention.is_dropped { SettledHow::Dropped } else { item.kind.end() };
            let because = if mention.is_dropped { "the agent said that it is no longer needed" } else { SAID_DONE };
            return Some((how, because.to_owned()));
        }
        let same_check = |own: &Option<String>| own.is_some() && own.as_deref() == item.check;
        if named.is_some() || self.items.iter().any(|own| same_check(&own.check)) {
            return None;
        }
        let because = self.passed_for(item).or_else(|| self.done_for(item, ends))?;
        Some((item.kind.end(), because))
    }

    /// The sentence about the checks that passed after an item was last named, where they settle it.
    fn passed_for(&self, item: &OpenItem<'_>) -> Option<String> {
        let check = match item.check {
            Some(check) => CheckCommand::read(check)?,
            None => implied_check(item.text)?,
        };
        let is_later = |passed: &&PassedCheck| match (item.named_at, passed.at) {
            (Some(named), Some(passed)) => named < passed,
            // Of a session that goes on it is unknown when it was written; what was compiled has no other author.
            _ => item.is_compiled,
        };
        let last = last_passed(&check, self.passed.iter().filter(is_later))?;
        Some(format!("`{}` passed", last.check))
    }

    /// The sentence about the words that say that an item is done.
    fn done_for(&self, item: &OpenItem<'_>, ends: &[&SpokenEnd]) -> Option<String> {
        let can_be_done = matches!(item.kind, ItemKind::Next | ItemKind::Checklist);
        let is_later = |end: &SpokenEnd| is_before(item.named_at, end.at.or(self.ended_at)).unwrap_or(item.is_compiled);
        let is_meant = |end: &&SpokenEnd| match &end.done {
            SaidDone::Entry(text) => item.is_compiled && says_same(text, item.text),
            SaidDone::Statement(_) | SaidDone::Item(_) => false,
        };
        let by_words = ends.iter().copied().filter(|end| !matches!(end.done, SaidDone::Item(_)));
        let mut said = by_words.chain(self.ends.iter().filter(is_meant));
        (can_be_done && said.any(is_later)).then(|| SAID_DONE.to_owned())
    }
}

/// Reports whether an item was named before something happened; `None` where that is unknown.
fn is_before(named: Option<Moment>, at: Option<Moment>) -> Option<bool> {
    named.zip(at).map(|(named, at)| named <= at)
}

/// The last of the checks that together run all that one runs; `None` where they do not.
pub(super) fn last_passed<'p>(
    check: &CheckCommand,
    passed: impl Iterator<Item = &'p PassedCheck>,
) -> Option<&'p PassedCheck> {
    let passed: Vec<&PassedCheck> = passed.collect();
    check.is_covered_by(&passed.iter().map(|passed| &passed.check)).then_some(())?;
    passed.into_iter().rev().find(|passed| passed.check.shares_part(check))
}

/// The check that an item is about, where its words are those of a compiled one: earlier versions recorded no check, and
/// people write the same.
pub fn implied_check(text: &str) -> Option<CheckCommand> {
    let text = text.trim();
    let is_fix = |word: &str| matches!(word.to_lowercase().as_str(), "fix" | "repair" | "make" | "get");
    let quoted = match text.split_once(' ') {
        Some((first, rest)) if is_fix(first) => rest.strip_prefix('`'),
        _ => text.strip_prefix('`').filter(|rest| rest.contains("` failed ")),
    };
    let (command, behind) = quoted?.split_once('`')?;
    let first = text.split(' ').next().unwrap_or_default().to_lowercase();
    // `Make x` is a command as well; only "make `x` pass" is about a check.
    let is_about = !matches!(first.as_str(), "make" | "get") || behind.trim_start().starts_with("pass");
    CheckCommand::read(command).filter(|check| is_about && check.is_check())
}

#[cfg(test)]
mod tests;
