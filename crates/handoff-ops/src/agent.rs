//! What happens when a coding agent calls by itself: context for it, and a record of its work.
//!
//! **Invariant:** a call never fails for the agent. What goes wrong is noted in a bounded log of the store, and nothing
//! is said. Where there is no project, nothing is done at all.
//!
//! **Invariant:** nothing is written while writing is paused, and no record of the project is touched except by
//! compiling, under the lock of the store like every other change.

mod call;
mod candidates;
mod capture;
mod compile;
mod conversations;
mod finish;
mod item;
mod record;
mod settled;
mod source;
mod start;
mod state;
mod status;
mod switch;
mod turn;
mod unsaved;
mod usefulness;
mod window;
mod words;
mod work;

pub(crate) use call::inside;
pub use call::{HookCall, hook, note_failure};
pub use capture::{CaptureSession, Captured, TakenPiece};
pub(crate) use capture::{capture_transcript, transcript_at_a_glance};
pub use conversations::ListedConversation;
pub(crate) use source::own_transcript;
pub use status::{AgentSession, HookStatus, ShowHooks};
pub use switch::{SwitchedHooks, TurnHooksOff, TurnHooksOn};
pub use unsaved::{ConversationState, UnsavedConversation};
pub(crate) use unsaved::{finish_ended, settle_unsaved, unsaved};
