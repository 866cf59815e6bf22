//! This program started again by itself, to watch over a command of a handover. It is in no help and no completion.

use std::ffi::OsString;

use handoff_ops::OpError;
use handoff_ops::run::command::{SUPERVISE, supervise};

/// Whether this process is to watch over a command.
pub(crate) fn is_meant(args: &[OsString]) -> bool {
    args.get(1).is_some_and(|word| word == SUPERVISE)
}

/// Watches over the command until it has ended.
pub(crate) fn run(args: &[OsString]) -> Result<(), OpError> {
    supervise(args.get(2..).unwrap_or_default(), std::env::vars_os())
}
