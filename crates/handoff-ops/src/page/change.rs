//! Changing the texts of a page, whatever blocks they stand in.

use super::{Block, More, Page, Text};

impl Page {
    /// Changes every text in it.
    pub(crate) fn change_texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        for block in &mut self.blocks {
            match block {
                Block::Heading(text)
                | Block::Line(text)
                | Block::Item(text)
                | Block::Said(text)
                | Block::Excerpt(text) => change_spans(text, change),
                Block::Advice(words, hint) => {
                    change(words);
                    hint.change_texts(change);
                }
                Block::SaidAdvice(hint) => hint.change_texts(change),
                Block::Prose(text) | Block::ForAgents(text) | Block::Verbatim(text) => change(text),
                Block::Fields(fields) => fields.iter_mut().for_each(|(_, text)| change_spans(text, change)),
                Block::Table(table) => {
                    let cells = table.rows.iter_mut().flat_map(|row| row.cells.iter_mut());
                    cells.for_each(|cell| change_spans(cell, change));
                }
                Block::More(More { what, hint, .. }) => {
                    change(what);
                    if let Some(hint) = hint {
                        hint.change_texts(change);
                    }
                }
                // Pictures are for people; a model is never shown one.
                Block::Chart(_) | Block::Blank => {}
            }
        }
        if let Some(rest) = &mut self.rest {
            rest.change_texts(change);
        }
    }
}

fn change_spans(text: &mut Text, change: &mut dyn FnMut(&mut String)) {
    text.spans.iter_mut().for_each(|span| change(&mut span.text));
}
