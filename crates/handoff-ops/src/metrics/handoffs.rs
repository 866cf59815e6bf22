//! `handoff metrics handoffs`

use std::cmp::Reverse;
use std::collections::BTreeMap;

use clap::Args;
use handoff_model::agent::{Share, Usefulness};
use handoff_model::id::SessionId;
use handoff_model::session::SessionStatus;
use handoff_model::session::lint::{Around, Rule, lint};
use handoff_model::when::{Day, Moment};
use handoff_store::{Forest, FoundSession};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Noted;
use super::week::{Week, weeks};
use crate::session::form;
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// How good handoffs are: what is wrong with their form, and what the next session used of them
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeasureHandoffs {
    /// At most this many handoffs, the last first; 10 if absent
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Only what was left on this day or later
    #[arg(long, value_name = "DATE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Day>,
}

const SHOWN: usize = 10;

/// Form and use of handoffs. They are two things, and neither is made into a score.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HandoffMetrics {
    /// Handoffs, the last first
    pub handoffs: Vec<MeasuredHandoff>,
    /// How many there are
    pub matches: usize,
    /// The same by week, the last first: when handoffs were left, and when sessions that were given one ended
    pub weeks: Vec<Week>,
    /// What could not be read
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    #[serde(skip)]
    pub(super) asked: MeasureHandoffs,
}

/// One handoff.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MeasuredHandoff {
    pub id: SessionId,
    /// Its full name
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<Day>,
    pub title: String,
    /// What the rules for saving find in it; files that were missing then cannot be told any more
    pub form: Vec<FormFinding>,
    /// What was used of it; absent until a session that was given it is over
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<Used>,
}

/// How often a rule applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FormFinding {
    pub rule: Rule,
    pub count: usize,
}

/// What sessions made of handoffs, added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Used {
    /// How many sessions were given one
    pub sessions: usize,
    /// What it cost them
    pub tokens: u64,
    /// Pointers whose file was opened, changed or named in a command, of those given
    pub pointers: Share,
    /// Next steps done, of those given: a completed to-do or finished task says the same, or a file it names was changed,
    /// and the session did not hand it on
    pub next: Share,
    /// Next steps of which nobody can tell
    pub next_unknown: u64,
    /// Files opened or changed that the handoff had named, of all that were; new files and by-products aside
    pub files: Share,
}

impl Used {
    pub(super) fn add(&mut self, used: &Usefulness) {
        let Usefulness { tokens, pointers, next, next_unknown, files } = *used;
        self.sessions += 1;
        self.tokens += tokens;
        self.pointers = Share::sum([self.pointers, pointers]);
        self.next = Share::sum([self.next, next]);
        self.next_unknown += next_unknown;
        self.files = Share::sum([self.files, files]);
    }
}

impl Operation for MeasureHandoffs {
    const NAME: &'static str = "metrics.handoffs";
    const TOOL: &'static str = "handoff_measure_handoffs";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Read;
    type Outcome = HandoffMetrics;

    fn example() -> Value {
        json!({"limit": 5, "since": "2026-11-01"})
    }

    fn run(self, project: &mut Project) -> Result<HandoffMetrics, OpError> {
        if self.limit == Some(0) {
            return Err(OpError::usage("a limit of 0 shows nothing: give 1 or more"));
        }
        let store = project.store();
        let (sessions, archived, forest) =
            store.at_one_moment(|| Ok((store.sessions()?, store.archived_sessions()?, store.forest()?)))?;
        let (noted, warnings) = self.noted(project);
        let closed = |found: &&std::sync::Arc<FoundSession>| {
            found.is_handoff() && found.session.status == SessionStatus::Closed && self.accepts(found.last_active())
        };
        let mut found: Vec<_> = sessions.list.iter().chain(&archived.list).filter(closed).collect();
        found.sort_by_key(|found| Reverse((found.last_active(), found.name.as_str())));
        found.dedup_by_key(|found| &found.name);
        let all =
            found.iter().map(|found| measured(project, found, &forest, &noted)).collect::<Result<Vec<_>, OpError>>()?;
        let weeks = weeks(&all, &noted);
        let matches = all.len();
        let handoffs = all.into_iter().take(self.limit.unwrap_or(SHOWN)).collect();
        Ok(HandoffMetrics { handoffs, matches, weeks, warnings, asked: self })
    }
}

impl MeasureHandoffs {
    fn accepts(&self, at: Option<Moment>) -> bool {
        self.since.is_none_or(|since| at.is_some_and(|at| at.day() >= since))
    }

    /// What was noted, once for each conversation and handoff: later notes know more. What cannot be read is passed over,
    /// and told unless a crash cut it short.
    fn noted(&self, project: &Project) -> (Vec<Noted>, Vec<String>) {
        let (lines, problems) = project.store().usefulness_notes();
        let (notes, unread): (Vec<_>, Vec<_>) =
            lines.iter().map(|line| serde_json::from_str::<Noted>(line)).partition(Result::is_ok);
        let mut warnings: Vec<String> = problems.iter().map(ToString::to_string).collect();
        warnings.extend(
            match unread.iter().filter_map(|line| line.as_ref().err()).filter(|error| !error.is_eof()).count() {
                0 => None,
                1 => Some("1 note of what was used cannot be read, and is passed over".to_owned()),
                more => Some(format!("{more} notes of what was used cannot be read, and are passed over")),
            },
        );
        let latest: BTreeMap<(String, String), Noted> =
            notes.into_iter().flatten().map(|noted| ((noted.agent.clone(), noted.handoff.clone()), noted)).collect();
        (latest.into_values().filter(|noted| self.accepts(Some(noted.at))).collect(), warnings)
    }
}

fn measured(
    project: &Project,
    found: &FoundSession,
    forest: &Forest,
    noted: &[Noted],
) -> Result<MeasuredHandoff, OpError> {
    let session = &found.session;
    let body = project.store().session_body(found)?;
    let has_open_task = form::has_open_task(session, forest);
    let findings = lint(session, &Around { missing: &[], body: body.as_deref(), has_open_task });
    let mut used: Option<Used> = None;
    for noted in noted.iter().filter(|noted| noted.handoff == found.name) {
        used.get_or_insert_default().add(&noted.used);
    }
    Ok(MeasuredHandoff {
        id: session.id.clone(),
        name: found.name.clone(),
        date: found.last_active().map(Moment::day),
        title: session.headline(60),
        form: findings.iter().map(|finding| FormFinding { rule: finding.rule, count: finding.count() }).collect(),
        used,
    })
}
