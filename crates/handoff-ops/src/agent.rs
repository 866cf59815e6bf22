//! What coding agents did, made into handoffs.

mod capture;
mod source;
mod work;

pub use capture::{CaptureSession, Captured, TakenPiece};
