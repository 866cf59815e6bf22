//! The texts that are put in.

pub(crate) fn block() -> String {
    crate::text::BLOCK.to_owned()
}

pub(crate) fn skill() -> String {
    crate::text::skill()
}
