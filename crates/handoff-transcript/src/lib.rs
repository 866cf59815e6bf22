//! What coding agents wrote down: their transcripts, read into one shape.
