//! The hosts, one file each.

mod claude_code;

use handoff_model::agent::Host;

use super::Describe;

/// What handoff knows of a host's settings.
pub fn describe(host: Host) -> Option<&'static dyn Describe> {
    match host {
        Host::ClaudeCode => Some(&claude_code::ClaudeCode),
        _ => None,
    }
}
