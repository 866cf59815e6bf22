//! What coding agents did, made into handoffs.

mod work;

pub(crate) use work::{Compilation, Put, Work};
