//! Records of what an agent did, a line for each turn.
//!
//! **Invariant:** a line holds both what happened and how far the transcript was read, so that neither is ever known
//! without the other. What was read out of order is joined in the order of the transcript.

use handoff_model::agent::Digest;
use handoff_model::id::SessionId;
use handoff_model::when::Moment;
use handoff_store::{AgentName, Store};
use handoff_transcript::Mark;
use serde::{Deserialize, Serialize};

use super::state::not_plain;
use crate::OpError;

/// One record.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) at: Moment,
    pub(crate) kind: RecordKind,
    /// Where in the transcript it begins
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<u64>,
    /// How far the transcript was read
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mark: Option<Mark>,
    /// Whether the transcript was read from its beginning again, so that what was read before does not count
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_restarted: bool,
    #[serde(default)]
    pub(crate) digest: Digest,
    /// The handoff that holds all before, if there was anything to hold
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) handoff: Option<SessionId>,
}

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RecordKind {
    /// Work as the transcript tells it
    Turn,
    /// Work as hooks told it, where there is no transcript
    Heard,
    /// All before is in a handoff, or was nothing
    Finished,
}

impl Record {
    pub(crate) fn new(at: Moment, kind: RecordKind) -> Record {
        Record { at, kind, from: None, mark: None, is_restarted: false, digest: Digest::default(), handoff: None }
    }

    pub(crate) fn line(&self) -> Result<String, OpError> {
        let written = Record { digest: self.digest.clone().redacted(), ..self.clone() };
        serde_json::to_string(&written).map_err(not_plain)
    }
}

/// The records of one conversation.
#[derive(Debug, Default)]
pub(crate) struct Records {
    list: Vec<Record>,
}

impl Records {
    /// Bytes of records from which on they are made one.
    pub(crate) const LARGE: u64 = 512 * 1024;

    /// Reads them; a line that is no record is passed over.
    pub(crate) fn read(store: &Store, name: &AgentName) -> Result<Records, OpError> {
        let lines = store.agent_records(name)?;
        Ok(Records { list: lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect() })
    }

    /// How far the transcript was read.
    fn mark(&self) -> Mark {
        self.list.iter().rev().find_map(|record| record.mark.clone()).unwrap_or_default()
    }

    /// The same, without reading more of the records than needed.
    pub(crate) fn mark_in(store: &Store, name: &AgentName) -> Result<Mark, OpError> {
        #[derive(Deserialize)]
        struct Marked {
            mark: Option<Mark>,
        }
        let lines = store.agent_records(name)?;
        let marked = lines.iter().rev().find_map(|line| serde_json::from_str::<Marked>(line).ok()?.mark);
        Ok(marked.unwrap_or_default())
    }

    /// Whose they are, where they tell.
    pub(crate) fn session(&self) -> Option<&str> {
        self.list.iter().find_map(|record| record.digest.about.session.as_deref())
    }

    /// When something was last recorded.
    pub(crate) fn last_at(&self) -> Option<Moment> {
        self.list.last().map(|record| record.at)
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// The records that are in no handoff yet.
    fn open(&self) -> &[Record] {
        let finished = self.list.iter().rposition(|record| record.kind == RecordKind::Finished);
        let open = &self.list[finished.map_or(0, |at| at + 1)..];
        let restarted = open.iter().rposition(|record| record.is_restarted);
        &open[restarted.unwrap_or(0)..]
    }

    /// What happened that is in no handoff yet. Where a transcript tells it, what hooks told is not counted again.
    pub(crate) fn pending(&self) -> Option<Digest> {
        let open = self.open();
        let has_transcript = open.iter().any(|record| record.kind == RecordKind::Turn);
        let kind = if has_transcript { RecordKind::Turn } else { RecordKind::Heard };
        let mut told: Vec<&Record> = open.iter().filter(|record| record.kind == kind).collect();
        told.sort_by_key(|record| record.from);
        let mut digests = told.into_iter().map(|record| record.digest.clone());
        let mut whole = digests.next()?;
        digests.for_each(|digest| whole.join(digest));
        Some(whole)
    }

    /// The same in as few lines as can be.
    pub(crate) fn joined(&self, at: Moment) -> Result<Vec<String>, OpError> {
        let finished = self.list.iter().rev().find(|record| record.kind == RecordKind::Finished);
        let turn = self.open().iter().map(|record| record.kind).find(|kind| *kind == RecordKind::Turn);
        let pending = self.pending().map(|digest| {
            let from = self.open().iter().filter_map(|record| record.from).min();
            let mark = turn.map(|_| self.mark());
            Record { from, mark, digest, ..Record::new(at, turn.unwrap_or(RecordKind::Heard)) }
        });
        finished.cloned().into_iter().chain(pending).map(|record| record.line()).collect()
    }
}

#[cfg(test)]
mod tests {
    use handoff_model::agent::{Event, What};

    use super::*;

    fn prompt(text: &str) -> Digest {
        Digest::of([Event { at: None, line: None, what: What::Prompt(text.to_owned()) }])
    }

    fn record(kind: RecordKind, from: u64, text: &str) -> Record {
        let at = "2026-11-15T09:00:00Z".parse().unwrap();
        Record { from: Some(from), digest: prompt(text), ..Record::new(at, kind) }
    }

    fn asked(records: &Records) -> Vec<String> {
        records.pending().unwrap_or_default().prompts.into_iter().map(|prompt| prompt.text).collect()
    }

    #[test]
    fn what_was_read_out_of_order_is_joined_in_the_order_of_the_transcript() {
        let list = vec![
            record(RecordKind::Heard, 0, "heard"),
            record(RecordKind::Turn, 9_000, "late"),
            record(RecordKind::Turn, 0, "early"),
        ];
        let records = Records { list };
        assert_eq!(asked(&records), ["early", "late"]);
        let lines = records.joined("2026-11-15T09:00:00Z".parse().unwrap()).unwrap();
        let again = Records { list: lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect() };
        assert_eq!((again.len(), asked(&again)), (1, vec!["early".to_owned(), "late".to_owned()]));
    }

    #[test]
    fn no_secret_is_written_down() {
        let line = record(RecordKind::Turn, 0, "use DB_PASSWORD=hunter2secret here").line().unwrap();
        assert!(line.contains("DB_PASSWORD=[redacted] here"), "{line}");
    }

    #[test]
    fn what_is_in_a_handoff_is_pending_no_more() {
        let mut list = vec![record(RecordKind::Turn, 0, "before"), record(RecordKind::Finished, 0, "")];
        assert!(Records { list: list.clone() }.pending().is_none());
        list.push(record(RecordKind::Turn, 20, "after"));
        let records = Records { list };
        assert_eq!(asked(&records), ["after"]);
        assert_eq!(records.joined("2026-11-15T09:00:00Z".parse().unwrap()).unwrap().len(), 2);
    }

    #[test]
    fn what_was_read_of_a_transcript_that_is_another_now_does_not_count() {
        let again = Record { is_restarted: true, ..record(RecordKind::Turn, 0, "now") };
        let list = vec![record(RecordKind::Turn, 0, "then"), again, record(RecordKind::Turn, 30, "after")];
        assert_eq!(asked(&Records { list }), ["now", "after"]);
    }
}
