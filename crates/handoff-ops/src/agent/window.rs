//! How full the context of a conversation is.

use handoff_model::agent::Host;

use super::state::State;

/// The share of its context from which on a conversation should leave a handoff: four fifths.
const FULL: (u64, u64) = (4, 5);

const CLAUDE: u64 = 200_000;
const CLAUDE_LARGE: u64 = 1_000_000;
const GEMINI: u64 = 1_048_576;

/// How many percent of its context a conversation has used, once that is four fifths and more.
pub(super) fn fullness(state: &State, told: Option<u64>) -> Option<u64> {
    let used = state.fill?.used;
    let window = window(state, told).filter(|window| *window > 0)?;
    (used * FULL.1 >= window * FULL.0).then(|| (used * 100 / window).min(100))
}

/// How many tokens fit: what the agent says, else what its model is known for, else what the settings tell, else what
/// is usual.
fn window(state: &State, told: Option<u64>) -> Option<u64> {
    let said = state.fill.and_then(|fill| fill.window);
    let by_model = state.model.as_deref().filter(|model| model.contains("[1m]")).map(|_| CLAUDE_LARGE);
    let usual = || match state.host? {
        Host::ClaudeCode if state.most_used > CLAUDE => Some(CLAUDE_LARGE),
        Host::ClaudeCode => Some(CLAUDE),
        Host::Gemini => Some(GEMINI),
        _ => None,
    };
    said.or(by_model).or(told).or_else(usual)
}

#[cfg(test)]
mod tests {
    use handoff_model::agent::Fill;

    use super::*;

    fn state(host: Host, used: u64, window: Option<u64>) -> State {
        let mut state = State { host: Some(host), ..State::default() };
        state.fill_up(Some(Fill { used, window }));
        state
    }

    #[test]
    fn four_fifths_of_what_fits_is_full() {
        assert_eq!(fullness(&state(Host::Codex, 79_999, Some(100_000)), None), None);
        assert_eq!(fullness(&state(Host::Codex, 80_000, Some(100_000)), None), Some(80));
        assert_eq!(fullness(&State::default(), Some(100)), None);
    }

    #[test]
    fn where_nobody_says_what_fits_it_is_taken_from_the_agent() {
        assert_eq!(fullness(&state(Host::ClaudeCode, 170_000, None), None), Some(85));
        assert_eq!(fullness(&state(Host::ClaudeCode, 210_000, None), None), None, "more than 200,000 fit");
        assert_eq!(fullness(&state(Host::Gemini, 900_000, None), None), Some(85));
        assert_eq!(fullness(&state(Host::Cline, 900_000, None), None), None, "nobody knows");
        assert_eq!(fullness(&state(Host::Cline, 90_000, None), Some(100_000)), Some(90));
        let large = State { model: Some("claude-x[1m]".to_owned()), ..state(Host::ClaudeCode, 190_000, None) };
        assert_eq!(fullness(&large, None), None);
    }
}
