//! Items of earlier sessions that a conversation settled, by a check that passed or by saying that they are done.

use super::super::CheckCommand;
use super::{Compiled, PassedCheck};
use crate::relevant::says_same;
use crate::session::open_items::{OpenItem, OpenItems};
use crate::session::{ItemEnding, ItemKind, ItemRef};

impl Compiled {
    /// The ends of items that this work brought. An item that it names as open again is not among them.
    pub fn endings(&self, items: &OpenItems<'_>) -> Vec<ItemEnding> {
        let open = items.all().iter().filter(|item| item.is_open());
        let ended = open.filter(|item| !self.names(item)).filter_map(|item| {
            let because = self.passed_for(item).or_else(|| self.done_for(item, items))?;
            Some(ItemEnding { item: items.target(item), how: item.kind.end(), because: Some(because), task: None })
        });
        ended.collect()
    }

    fn names(&self, item: &OpenItem<'_>) -> bool {
        let same_check = |check: &Option<String>| check.is_some() && check.as_deref() == item.check;
        self.items.iter().any(|own| own.text == item.text || same_check(&own.check))
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
        let passed: Vec<&PassedCheck> = self.passed.iter().filter(is_later).collect();
        check.is_covered_by(&passed.iter().map(|passed| &passed.check)).then_some(())?;
        let last = passed.iter().rev().find(|passed| passed.check.shares_part(&check))?;
        Some(format!("`{}` passed", last.check))
    }

    /// The sentence about the words that say that an item is done.
    fn done_for(&self, item: &OpenItem<'_>, items: &OpenItems<'_>) -> Option<String> {
        let can_be_done = matches!(item.kind, ItemKind::Next | ItemKind::Checklist);
        let is_earlier = match (item.named_at, self.ended_at) {
            (Some(named), Some(ended)) => named <= ended,
            _ => item.is_compiled,
        };
        if !can_be_done || !is_earlier {
            return None;
        }
        let is_it = |done: &&String| {
            let is_alike = items.find(&ItemRef::Text((*done).clone()));
            let is_alike = is_alike.is_ok_and(|found| found.reference() == item.reference());
            is_alike || (item.is_compiled && says_same(done, item.text))
        };
        self.done.iter().find(is_it).map(|_| "the agent said that it is done".to_owned())
    }
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
