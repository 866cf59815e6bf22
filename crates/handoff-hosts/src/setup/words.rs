//! The texts that are put in, until they come from `text`.

pub(crate) fn block() -> String {
    "This project keeps its memory with handoff: load it at the start of a session, save it at the end.\n".to_owned()
}

pub(crate) fn skill() -> String {
    "---\nname: handoff\ndescription: Load and save what carries over between sessions.\n---\n\
     <!-- written by `handoff setup` -->\n\nLoad with `handoff resume`, save with `handoff save`.\n"
        .to_owned()
}
