//! Records of what an agent did, a line for each turn.
//!
//! **Invariant:** a line holds both what happened and how far the transcript was read, so that neither is ever known
//! without the other. What was read out of order is joined in the order of the transcript, and never across a part that
//! is still to be read.

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
    /// Where in the transcript it begins; of what is finished, where the last part begins that was known
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<u64>,
    /// Where in the transcript it ends
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) to: Option<u64>,
    /// How far the transcript was read
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mark: Option<Mark>,
    /// Whether something older was still to be read then
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_behind: bool,
    /// Whether the transcript was read from its beginning again, so that what was read before does not count
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_restarted: bool,
    #[serde(default)]
    pub(crate) digest: Digest,
    /// The handoff that holds all before, if there was anything to hold
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) handoff: Option<SessionId>,
    /// Whether that was made before all of its work was read
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) lacks_rest: bool,
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
        Record {
            at,
            kind,
            from: None,
            to: None,
            mark: None,
            is_behind: false,
            is_restarted: false,
            digest: Digest::default(),
            handoff: None,
            lacks_rest: false,
        }
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

    /// Where the last part begins that is known.
    pub(crate) fn newest(&self) -> Option<u64> {
        self.valid().iter().filter_map(|record| record.from).max()
    }

    /// The records of the transcript as it is now.
    fn valid(&self) -> &[Record] {
        let restarted = self.list.iter().rposition(|record| record.is_restarted);
        &self.list[restarted.unwrap_or(0)..]
    }

    /// The place of the last handoff that was made before all of its work was read.
    fn lacking(&self) -> Option<usize> {
        self.valid().iter().rposition(|record| record.lacks_rest)
    }

    /// The records that are in no handoff yet, and belong into none that was made.
    fn open(&self) -> Vec<&Record> {
        let valid = self.valid();
        let told = self.lacking().and_then(|place| valid[place].from);
        let open = valid[after_last_finished(valid)..].iter();
        open.filter(|record| record.kind == RecordKind::Heard || record.from >= told).collect()
    }

    /// The records that belong into the handoff that lacks some: those it was made of, and those that were read since.
    fn lacked_ones(&self) -> Vec<&Record> {
        let Some(place) = self.lacking() else { return Vec::new() };
        let (before, after) = self.valid().split_at(place);
        let held = before[after_last_finished(before)..].iter();
        let since = after.iter().filter(|record| record.from < after[0].from);
        held.chain(since).filter(|record| record.kind == RecordKind::Turn).collect()
    }

    /// What happened that is in no handoff yet. Where a transcript tells it, what hooks told is not counted again, but for
    /// files that were changed after all that the transcript tells.
    pub(crate) fn pending(&self) -> Option<Digest> {
        let open = self.open();
        let mut whole = whole(best_told(open.clone()))?;
        for change in unwritten(&open) {
            whole.join(change);
        }
        Some(whole)
    }

    /// All that the handoff should tell that was made before everything was read.
    pub(crate) fn lacked(&self) -> Option<Digest> {
        whole(self.lacked_ones())
    }

    /// The same in as few lines as can be.
    pub(crate) fn joined(&self, at: Moment) -> Result<Vec<String>, OpError> {
        let is_behind = self.list.iter().rfind(|record| record.mark.is_some()).is_some_and(|record| record.is_behind);
        let lacking = self.lacking().map(|place| &self.valid()[place]);
        let mut kept = in_runs(self.lacked_ones(), is_behind, at);
        kept.extend(lacking.cloned());
        let finished = self.list.iter().rfind(|record| record.kind == RecordKind::Finished);
        if let Some(finished) = finished.filter(|last| lacking.is_none_or(|lacking| !std::ptr::eq(*last, lacking))) {
            kept.push(Record { lacks_rest: false, ..finished.clone() });
        }
        let open = self.open();
        kept.extend(in_runs(best_told(open.clone()), is_behind, at));
        kept.extend(unwritten_ones(&open).cloned());
        if let Some(last) = kept.last_mut() {
            last.mark = Some(self.mark()).filter(|mark| *mark != Mark::default());
            last.is_behind = is_behind;
        }
        kept.iter().map(Record::line).collect()
    }
}

fn after_last_finished(records: &[Record]) -> usize {
    records.iter().rposition(|record| record.kind == RecordKind::Finished).map_or(0, |place| place + 1)
}

/// What the transcript tells, or else what hooks told.
fn best_told(mut records: Vec<&Record>) -> Vec<&Record> {
    let has_transcript = records.iter().any(|record| record.kind == RecordKind::Turn);
    let kind = if has_transcript { RecordKind::Turn } else { RecordKind::Heard };
    records.retain(|record| record.kind == kind);
    records
}

/// What hooks told after the last that the transcript tells; where there is no transcript, nothing more than is known.
fn unwritten_ones<'r>(records: &[&'r Record]) -> impl Iterator<Item = &'r Record> {
    let written = records.iter().filter(|record| record.kind == RecordKind::Turn);
    let last = written.map(|record| record.digest.ended_at.unwrap_or(record.at)).max();
    let is_after =
        move |record: &&&Record| record.kind == RecordKind::Heard && last.is_some_and(|last| record.at > last);
    records.iter().filter(is_after).copied().collect::<Vec<_>>().into_iter()
}

/// The files that were changed then.
fn unwritten(records: &[&Record]) -> Vec<Digest> {
    let changes = unwritten_ones(records).map(|record| {
        let Digest { files, .. } = record.digest.clone();
        Digest { files: files.into_iter().filter(|file| file.changes > 0).collect(), ..Digest::default() }
    });
    changes.collect()
}

/// What records come to, in the order of the transcript.
fn whole(mut records: Vec<&Record>) -> Option<Digest> {
    records.sort_by_key(|record| record.from);
    let mut digests = records.into_iter().map(|record| record.digest.clone());
    let mut whole = digests.next()?;
    digests.for_each(|digest| whole.join(digest));
    Some(whole)
}

/// The same records in as few as can be. While something is still to be read in between, only neighbours are made one.
fn in_runs(mut records: Vec<&Record>, has_gaps: bool, at: Moment) -> Vec<Record> {
    records.sort_by_key(|record| record.from);
    let mut runs: Vec<Record> = Vec::new();
    for record in records {
        match runs.last_mut() {
            Some(run) if !has_gaps || (run.to.is_some() && run.to == record.from) => {
                run.digest.join(record.digest.clone());
                run.to = record.to;
            }
            _ => {
                let (from, to, digest) = (record.from, record.to, record.digest.clone());
                runs.push(Record { from, to, digest, ..Record::new(at, record.kind) });
            }
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use handoff_model::agent::{Event, FileChange, What};

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
    fn records_are_not_made_one_across_what_is_still_to_be_read() {
        let piece = |from, to, text| Record {
            to: Some(to),
            mark: Some(Mark::default()),
            is_behind: true,
            ..record(RecordKind::Turn, from, text)
        };
        let list = vec![piece(80, 90, "late"), piece(0, 20, "early"), piece(20, 40, "then"), piece(90, 95, "last")];
        let lines = Records { list }.joined("2026-11-15T09:00:00Z".parse().unwrap()).unwrap();
        let mut list: Vec<Record> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(list.len(), 2);
        list.push(piece(40, 80, "between"));
        assert_eq!(asked(&Records { list }), ["early", "then", "between", "late", "last"]);
    }

    #[test]
    fn what_is_read_after_a_handoff_was_made_belongs_to_it_and_not_to_the_next() {
        let finished = Record { lacks_rest: true, ..record(RecordKind::Finished, 80, "") };
        let list = vec![
            record(RecordKind::Turn, 80, "the end"),
            finished,
            record(RecordKind::Turn, 0, "the beginning"),
            record(RecordKind::Turn, 95, "more"),
        ];
        let mut records = Records { list };
        for _ in 0..2 {
            let lacked: Vec<String> = records.lacked().unwrap().prompts.into_iter().map(|prompt| prompt.text).collect();
            assert_eq!(
                (lacked, asked(&records)),
                (vec!["the beginning".into(), "the end".into()], vec!["more".into()])
            );
            let lines = records.joined("2026-11-15T09:00:00Z".parse().unwrap()).unwrap();
            records = Records { list: lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect() };
        }
    }

    #[test]
    fn how_far_was_read_stays_known_when_nothing_is_pending() {
        let mark: Mark = serde_json::from_str(r#"{"lines": 7}"#).unwrap();
        let turn = Record { mark: Some(mark.clone()), ..record(RecordKind::Turn, 0, "before") };
        let list = vec![turn, record(RecordKind::Finished, 0, "")];
        let lines = Records { list }.joined("2026-11-15T09:00:00Z".parse().unwrap()).unwrap();
        let again = Records { list: lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect() };
        assert_eq!((again.len(), again.mark()), (1, mark));
    }

    #[test]
    fn a_change_that_the_transcript_has_not_yet_is_not_lost() {
        let at = |second: u32| format!("2026-11-15T09:00:{second:02}Z").parse().unwrap();
        let of = |second: u32, path: &str| {
            let change = What::Changed { path: path.to_owned(), change: FileChange::Updated };
            Digest::of([Event { at: Some(at(second)), line: None, what: change }])
        };
        let record = |kind, second, path: &str| Record { digest: of(second, path), ..Record::new(at(second), kind) };
        let list = vec![
            record(RecordKind::Heard, 1, "/elsewhere/early"),
            // It is read after the next start, and tells of what was before.
            record(RecordKind::Heard, 9, "late"),
            Record { from: Some(0), at: at(30), ..record(RecordKind::Turn, 5, "early") },
        ];
        let files = |records: &Records| {
            let files = records.pending().unwrap_or_default().files;
            files.into_iter().map(|file| file.path).collect::<Vec<_>>()
        };
        let records = Records { list };
        assert_eq!(files(&records), ["early", "late"]);
        let lines = records.joined(at(40)).unwrap();
        let again = Records { list: lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect() };
        assert_eq!(files(&again), ["early", "late"]);
    }

    #[test]
    fn no_secret_is_written_down() {
        let line = record(RecordKind::Turn, 0, "use DB_PASSWORD=hunter2secret here").line().unwrap();
        assert!(line.contains("DB_PASSWORD=[redacted: password] here"), "{line}");
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
