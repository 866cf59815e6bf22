//! What a context says of a pointer that names lines.

use handoff_model::line_map::LineFate;

use super::context::{CheckedPointer, PointerState};

impl CheckedPointer {
    /// Narrows what became of the file to what became of the lines. A file that changed elsewhere is the same for a
    /// pointer whose lines are as they were.
    pub(super) fn follow_lines(&mut self, fate: Option<LineFate>) {
        let numbers =
            |(first, last): (u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
        self.lines_now = match fate {
            Some(LineFate::Moved(first, last)) => Some(numbers((first, last))),
            Some(LineFate::Edited(place)) => place.map(numbers),
            Some(LineFate::InPlace | LineFate::Gone) | None => None,
        };
        // Of edited lines the numbers are shown only where they are others.
        self.lines_now = self.lines_now.take().filter(|now| self.lines.as_ref() != Some(now));
        self.state = match (self.state, fate) {
            (PointerState::Changed, Some(LineFate::InPlace)) => PointerState::Same,
            (PointerState::Changed, Some(LineFate::Moved(..))) => PointerState::LinesMoved,
            (PointerState::Changed | PointerState::Moved, Some(LineFate::Gone)) => PointerState::LinesGone,
            // The place of the file stands beside it.
            (PointerState::Moved, Some(LineFate::Edited(_))) => PointerState::Changed,
            (state, _) => state,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointer(state: PointerState, fate: Option<LineFate>) -> (PointerState, Option<String>) {
        let mut pointer = CheckedPointer {
            path: "src/a.rs".to_owned(),
            lines: Some("42-78".to_owned()),
            reason: None,
            state,
            moved_to: None,
            lines_now: None,
        };
        pointer.follow_lines(fate);
        (pointer.state, pointer.lines_now)
    }

    #[test]
    fn lines_decide_what_is_said_of_a_changed_file() {
        use PointerState::{Changed, LinesGone, LinesMoved, Same};
        assert_eq!(pointer(Changed, Some(LineFate::InPlace)), (Same, None));
        assert_eq!(pointer(Changed, Some(LineFate::Moved(51, 87))), (LinesMoved, Some("51-87".to_owned())));
        assert_eq!(pointer(Changed, Some(LineFate::Edited(Some((42, 78))))), (Changed, None));
        assert_eq!(pointer(Changed, Some(LineFate::Edited(Some((51, 51))))), (Changed, Some("51".to_owned())));
        assert_eq!(pointer(Changed, Some(LineFate::Gone)), (LinesGone, None));
        assert_eq!(pointer(Changed, None), (Changed, None), "what git never had is only known to have changed");
    }

    #[test]
    fn a_file_that_moved_is_where_its_lines_are() {
        assert_eq!(
            pointer(PointerState::Moved, Some(LineFate::Moved(51, 87))),
            (PointerState::Moved, Some("51-87".to_owned()))
        );
        assert_eq!(pointer(PointerState::Moved, Some(LineFate::InPlace)), (PointerState::Moved, None));
        assert_eq!(pointer(PointerState::Moved, Some(LineFate::Edited(None))), (PointerState::Changed, None));
        assert_eq!(pointer(PointerState::Moved, Some(LineFate::Gone)), (PointerState::LinesGone, None));
        assert_eq!(pointer(PointerState::Gone, Some(LineFate::Gone)), (PointerState::Gone, None));
    }
}
