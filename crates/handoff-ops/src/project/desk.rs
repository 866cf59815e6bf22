//! What the caller can be asked for while a request is prepared: standard input, an editor, a choice.
//!
//! A door that has none of it leaves the desk empty; the operation says then what to give instead.

use std::io::{self, Read};

use crate::OpError;

/// Shows a text to be edited, and returns what became of it.
pub type Editor = Box<dyn FnMut(&str) -> Result<String, OpError>>;
/// Lets a person choose one of several things; `None` when they chose none.
pub type Picker = Box<dyn FnMut(&[Choice]) -> Result<Option<usize>, OpError>>;

/// Asks for something that must not be seen, with these words.
pub type AskSecret = Box<dyn FnMut(&str) -> io::Result<String>>;

/// Shows a text that ends in a question, and says whether the answer is yes.
pub type Confirm = Box<dyn FnMut(&str) -> io::Result<bool>>;

/// What a person chooses from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// One line in the list, which is also searched
    pub line: String,
    /// What is shown of the one under the cursor
    pub preview: String,
}

/// What the caller can be asked for.
#[derive(Default)]
pub struct Desk {
    /// Standard input
    pub input: Option<Box<dyn Read + Send>>,
    pub editor: Option<Editor>,
    pub picker: Option<Picker>,
    /// Absent where nobody sits at a terminal
    pub ask_secret: Option<AskSecret>,
    /// Absent where nobody sits at a terminal
    pub confirm: Option<Confirm>,
}

impl Desk {
    /// What comes in on standard input: all of it, unless that is more than `most` says for how it begins. Then it is as
    /// much as that and one byte more.
    pub(crate) fn read_input(&mut self, most: impl Fn(&[u8]) -> usize) -> io::Result<Vec<u8>> {
        let Some(input) = &mut self.input else { return Ok(Vec::new()) };
        let mut bytes = Vec::new();
        // How much is allowed is told by the first bytes.
        input.take(2).read_to_end(&mut bytes)?;
        let rest = (most(&bytes) + 1).saturating_sub(bytes.len());
        input.take(rest as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}
