//! agent-handover's checkpoint: read as that tool means it, and written so that its own readers understand it.

use serde_json::{Map, Value, json};

use crate::when::Moment;

/// What a checkpoint of agent-handover says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TheirCheckpoint {
    /// `none`, `in_progress`, `completed`, or a word that means nothing
    pub status: String,
    /// Each step and whether it is done, in order
    pub steps: Vec<(String, bool)>,
    pub started_at: Option<String>,
    pub finished_at: Option<String>,
}

/// What that comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Nothing is open
    Clean,
    /// A handover was cut short
    Resume,
    Completed,
}

const IN_PROGRESS: &str = "in_progress";
const COMPLETED: &str = "completed";
const DONE: &str = "done";
const PENDING: &str = "pending";

impl TheirCheckpoint {
    /// Reads the bytes of a file; why it cannot be one.
    pub fn read(bytes: &[u8]) -> Result<TheirCheckpoint, String> {
        let value: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        Self::of(&value)
    }

    /// The same from what the bytes say.
    pub fn of(value: &Value) -> Result<TheirCheckpoint, String> {
        let Value::Object(fields) = value else { return Err("it is no JSON object".to_owned()) };
        let status = match fields.get("status") {
            Some(Value::String(status)) => status.clone(),
            Some(_) => return Err("`status` is no text".to_owned()),
            None => return Err("`status` is missing".to_owned()),
        };
        let steps = match fields.get("steps") {
            None => Vec::new(),
            Some(Value::Object(steps)) => {
                let steps = steps.iter().map(|(name, state)| match state {
                    Value::String(state) => Ok((name.clone(), state == DONE)),
                    _ => Err("`steps` holds something else than words".to_owned()),
                });
                steps.collect::<Result<_, _>>()?
            }
            Some(_) => return Err("`steps` is no object".to_owned()),
        };
        let time = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
        Ok(TheirCheckpoint { status, steps, started_at: time("started_at"), finished_at: time("finished_at") })
    }

    /// What it comes to: that tool goes by the steps while a run is in progress, and by the word otherwise.
    pub fn meaning(&self) -> Meaning {
        match self.status.as_str() {
            IN_PROGRESS if self.pending().next().is_some() => Meaning::Resume,
            IN_PROGRESS | COMPLETED => Meaning::Completed,
            _ => Meaning::Clean,
        }
    }

    /// The steps that are not done.
    pub fn pending(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter(|(_, is_done)| !is_done).map(|(name, _)| name.as_str())
    }

    /// The steps that are done.
    pub fn done(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter(|(_, is_done)| *is_done).map(|(name, _)| name.as_str())
    }

    /// The file, as that tool writes it.
    pub fn text(&self) -> String {
        let word = |is_done: &bool| Value::from(if *is_done { DONE } else { PENDING });
        let steps: Map<String, Value> =
            self.steps.iter().map(|(name, is_done)| (name.clone(), word(is_done))).collect();
        let value = json!({
            "status": self.status,
            "steps": steps,
            "started_at": self.started_at,
            "finished_at": self.finished_at,
        });
        format!("{value:#}")
    }

    /// What that tool prints of it: the word, a line for each step, and what is pending.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("status: {}", self.status)];
        lines.extend(
            self.steps.iter().map(|(name, is_done)| format!("  [{}] {name}", if *is_done { 'x' } else { ' ' })),
        );
        if self.status == IN_PROGRESS {
            let pending: Vec<&str> = self.pending().collect();
            lines.push(format!("pending: {}", if pending.is_empty() { "none".to_owned() } else { pending.join(", ") }));
        }
        lines
    }

    /// The word for a run in progress.
    pub fn in_progress() -> String {
        IN_PROGRESS.to_owned()
    }

    /// The word for a run that is over.
    pub fn completed() -> String {
        COMPLETED.to_owned()
    }

    /// The word where there is none.
    pub fn none() -> String {
        "none".to_owned()
    }

    /// A moment as that tool writes it.
    pub fn time(moment: Moment) -> String {
        moment.timestamp().strftime("%Y-%m-%dT%H:%M:%S%.6f+00:00").to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_that_tool_is_written_again_byte_for_byte() {
        let text = include_str!("../../../../fixtures/import/agent-handover/checkpoints/completed.json");
        assert_eq!(TheirCheckpoint::read(text.as_bytes()).unwrap().text(), text);
        let text = include_str!("../../../../fixtures/import/agent-handover/checkpoints/interrupted.json");
        assert_eq!(TheirCheckpoint::read(text.as_bytes()).unwrap().text(), text);
    }

    #[test]
    fn times_have_microseconds_and_an_offset() {
        let moment = "2026-11-15T18:47:01.555Z".parse().unwrap();
        assert_eq!(TheirCheckpoint::time(moment), "2026-11-15T18:47:01.555000+00:00");
        assert_eq!(TheirCheckpoint::time("2026-11-15T18:47:01Z".parse().unwrap()), "2026-11-15T18:47:01.000000+00:00");
    }

    #[test]
    fn wrong_types_are_no_checkpoint() {
        for text in [
            "[]",
            "3",
            "{\"status\":3}",
            "{\"status\":\"none\",\"steps\":[]}",
            "{\"status\":\"x\",\"steps\":{\"a\":1}}",
        ] {
            assert!(TheirCheckpoint::read(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn the_lines_are_those_of_that_tool() {
        let steps = vec![("note".to_owned(), true), ("publish".to_owned(), false)];
        let run = TheirCheckpoint { status: TheirCheckpoint::in_progress(), steps, ..TheirCheckpoint::default() };
        assert_eq!(run.lines(), ["status: in_progress", "  [x] note", "  [ ] publish", "pending: publish"]);
        assert_eq!(run.meaning(), Meaning::Resume);
    }
}
