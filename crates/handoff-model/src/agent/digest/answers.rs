//! The answers of a conversation: the last one of each turn, of earlier turns those that say something to keep.

use super::{Digest, Said, bounds};
use crate::agent::LastWords;

/// The turn of an answer to a request that was taken back.
const WITHDRAWN: u32 = u32::MAX;

impl Digest {
    /// Every answer that is kept, in the order in which they were given.
    pub fn answers(&self) -> impl DoubleEndedIterator<Item = &Said> {
        self.earlier_answers.iter().chain(&self.answer)
    }

    /// Takes in an answer.
    pub(super) fn take_answer(&mut self, answer: Said) {
        self.pass_last_answer(answer.turn);
        self.answer = Some(answer);
    }

    /// Takes in the answers of the stretch that came next.
    pub(super) fn join_answers(&mut self, earlier: Vec<Said>, last: Option<Said>) {
        let asked = self.asked;
        let later = |answer: Said| Said { turn: answer.turn.saturating_add(asked), ..answer };
        for answer in earlier.into_iter().map(later) {
            self.pass_last_answer(answer.turn);
            self.keep_earlier(answer);
        }
        if let Some(last) = last.map(later) {
            self.take_answer(last);
        }
    }

    /// Makes room for an answer of a turn: the last one becomes an earlier one, or is replaced within its turn.
    fn pass_last_answer(&mut self, turn: u32) {
        if let Some(last) = self.answer.take().filter(|last| last.turn < turn) {
            self.keep_earlier(Said { text: LastWords::condensed(&last.text, bounds::EARLIER_ANSWER), ..last });
        }
    }

    /// Keeps an answer that is cut already. A stretch cannot know whether one that came before its first request ends a
    /// turn, so that one is kept in any case.
    fn keep_earlier(&mut self, answer: Said) {
        if answer.turn == 0 || LastWords::read(&answer.text).says_something() {
            self.earlier_answers.push(answer);
            bounds::answers(&mut self.earlier_answers);
        }
    }

    /// Drops the answers to the latest requests. The last one stays, for nothing was said since.
    pub(super) fn withdraw_answers(&mut self, withdrawn: u32) {
        let left = self.asked.checked_sub(withdrawn);
        let stays = |answer: &Said| left.is_some_and(|left| answer.turn <= left);
        self.earlier_answers.retain(stays);
        if let Some(last) = self.answer.as_mut().filter(|last| !stays(last)) {
            last.turn = WITHDRAWN;
        }
    }
}
