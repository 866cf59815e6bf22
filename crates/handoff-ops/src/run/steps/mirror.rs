//! `mirror` and `compact`: the layers as plain files, and old notes in the archive.
