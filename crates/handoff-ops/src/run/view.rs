//! What a run tells.

use handoff_engine::{Progress, Status, Track};
use handoff_model::handover::Act;
use schemars::JsonSchema;
use serde::Serialize;

use super::kept::{HandoverRun, Remembered};
use super::queue::{self, NoRequest};
use crate::page::{Column, Role, Row, Table, Text};
use crate::{ErrorKind, Facts, Hint, OpError, Page, Report};

/// What came of a handover.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct HandoverView {
    /// What was done, in words
    pub message: String,
    /// The run's own id
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// `in_progress`, `completed`, `abandoned`, `carried_over`, `queued` or `planned`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The session that holds what was handed over
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Whether a run that was cut short was taken up again
    pub resumed: bool,
    /// What is different in the list of steps since the run was started
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    pub steps: Vec<StepView>,
    /// The step it stopped at
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_at: Option<String>,
    /// Why it stopped
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How many requests wait
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting: Option<usize>,
    /// Other runs that were finished by the way
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_finished: Vec<String>,
    #[serde(skip)]
    warnings: Vec<String>,
    #[serde(skip)]
    trouble: Option<ErrorKind>,
    #[serde(skip)]
    ways_out: Vec<Hint>,
    /// A `handover.toml` to begin with
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<&'static str>,
}

/// A step, and how far it came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StepView {
    pub id: String,
    pub kind: String,
    /// `pending`, `begun`, `failed`, `done` or `skipped`
    pub state: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    pub attempts: u32,
    /// What came of it, or why it was passed over, or what went wrong
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// What is gathered while runs are driven.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) runs: Vec<Remembered>,
    /// The run the answer is about
    pub(super) last: Option<HandoverRun>,
    pub(super) resumed: bool,
    pub(super) changes: Vec<String>,
    said: Vec<String>,
}

impl Told {
    /// Something to tell, once.
    pub(super) fn say(&mut self, text: String) {
        if !self.said.contains(&text) {
            self.said.push(text);
        }
    }

    /// Whether a request was finished.
    pub(super) fn is_done(&self, request: Option<&str>) -> bool {
        request.is_none_or(|request| self.runs.iter().any(|run| run.request == request))
    }
}

/// The session that holds what a run handed over.
pub(super) fn session_of(run: &HandoverRun) -> Option<String> {
    let named = |kind: &str| {
        let mut tracks = run.steps.iter().filter(|track| track.step.action.action.kind() == kind);
        tracks.find_map(|track| track.outcome.get("session")?.as_str().map(str::to_owned))
    };
    named("note").or_else(|| named("close"))
}

impl StepView {
    pub(crate) fn of(track: &Track<Act>) -> StepView {
        let said = || track.outcome.get("message").and_then(|said| said.as_str()).map(str::to_owned);
        let detail = match track.progress {
            Progress::Failed | Progress::Begun => track.error.clone(),
            Progress::Skipped => track.reason.clone(),
            _ => said(),
        };
        StepView {
            id: track.step.id.clone(),
            kind: track.step.action.action.kind().to_owned(),
            state: track.progress.word().to_owned(),
            interrupted: track.progress == Progress::Begun,
            attempts: track.attempts,
            detail,
        }
    }
}

impl HandoverView {
    pub(super) fn template(text: &'static str) -> HandoverView {
        HandoverView { message: "a list of steps to begin with".to_owned(), template: Some(text), ..Self::default() }
    }

    /// Nothing was driven.
    pub(super) fn told(told: &Told) -> HandoverView {
        let message = told.said.join("; ");
        let view = told.last.as_ref().map(HandoverView::of).unwrap_or_default();
        HandoverView { message, ..view }
    }

    fn of(run: &HandoverRun) -> HandoverView {
        HandoverView {
            run: Some(run.run.clone()),
            status: Some(run.status.word().to_owned()),
            session: session_of(run),
            steps: run.steps.iter().map(StepView::of).collect(),
            ..HandoverView::default()
        }
    }

    fn with(mut self, told: Told) -> HandoverView {
        self.resumed = told.resumed;
        self.changes = told.changes;
        let own = self.run.clone();
        let others = told.runs.iter().filter(|run| Some(&run.run) != own.as_ref());
        self.also_finished = others.map(|run| run.run.clone()).collect();
        self.warnings = told.said;
        let changed = self.changes.iter().map(|change| told_change(change));
        self.warnings.splice(0..0, changed);
        self
    }

    /// All that was asked for is done.
    pub(super) fn over(mut told: Told) -> HandoverView {
        let Some(run) = told.last.take() else {
            let said = told.said.join("; ");
            let message = if said.is_empty() { "nothing was left to do".to_owned() } else { said };
            return HandoverView { message, ..HandoverView::default() };
        };
        let runs = told.runs.clone();
        let mut view = HandoverView::of(&run).with(told);
        let as_session =
            |session: &Option<String>| session.as_ref().map(|session| format!(" as {session}")).unwrap_or_default();
        let into = as_session(&view.session);
        let own = view.run.clone();
        let others: Vec<String> = (runs.iter().filter(|other| Some(&other.run) != own.as_ref()))
            .map(|other| format!("run {}{}", other.run, as_session(&other.session)))
            .collect();
        let how = match (view.resumed, others.is_empty()) {
            (true, true) => "finished what was cut short".to_owned(),
            (_, false) => format!("finished {}; then handed over", others.join(", ")),
            (false, true) => "handed over".to_owned(),
        };
        if run.steps.iter().any(|track| track.added) {
            view.warnings.push("no step of the list took the note, so it was kept as a record of its own".to_owned());
        }
        let failed_softly = run.steps.iter().filter(|track| track.outcome.get("warning").is_some());
        view.warnings.extend(
            failed_softly
                .filter_map(|track| Some(format!("{}: {}", track.step.id, track.outcome.get("warning")?.as_str()?))),
        );
        view.message = format!("{how}{into}");
        view
    }

    /// It stopped at a step.
    pub(super) fn stopped(run: &HandoverRun, error: &OpError, waiting: usize, told: Told) -> HandoverView {
        let mut view = HandoverView::of(run).with(told);
        let step = run.current().map(|track| track.step.id.clone());
        let at = step.as_ref().map(|step| format!(" before `{step}`")).unwrap_or_default();
        view.message = match error.kind() {
            ErrorKind::Paused => {
                format!("stopped{at}: {}; `handoff run` goes on once nothing is paused any more", error.sentence())
            }
            _ => {
                let at = step.as_ref().map(|step| format!(" at `{step}`")).unwrap_or_default();
                let is_begun = run.current().is_some_and(|track| track.progress == Progress::Begun);
                // Of what may have happened a person decides; the ways out say how.
                let is_unsettled = is_begun && error.kind() == ErrorKind::Refused;
                let on = if is_unsettled { "" } else { "; `handoff run` goes on from there" };
                format!("stopped{at}: {}{on}", error.sentence())
            }
        };
        view.warnings.extend(error.detail_lines().iter().map(ToString::to_string));
        if run.status == Status::InProgress {
            view.stopped_at = step;
        }
        view.error = Some(error.sentence());
        view.ways_out = error.hints().to_vec();
        view.waiting = (waiting > 0).then_some(waiting);
        view.trouble = Some(error.kind());
        view
    }

    /// Only some of its steps were asked for.
    pub(super) fn partly(run: &HandoverRun, waiting: usize, told: Told) -> HandoverView {
        let mut view = HandoverView::of(run).with(told);
        let open = run.steps.iter().filter(|track| !track.is_over()).map(|track| format!("`{}`", track.step.id));
        let open = open.collect::<Vec<_>>().join(", ");
        view.message =
            format!("did what was asked for of run {}; open: {open}; `handoff run` goes on with it", run.run);
        view.waiting = (waiting > 0).then_some(waiting);
        view
    }

    /// Beside what was done, there is something in the queue that is no request.
    pub(super) fn beside(mut self, damaged: &[NoRequest]) -> HandoverView {
        let Some(first) = damaged.first() else { return self };
        self.warnings.extend(damaged.iter().map(NoRequest::told));
        self.message = format!("{}; the queue is damaged: `{}` is no request", self.message, first.path());
        self.error.get_or_insert_with(|| first.told());
        self.ways_out.push(queue::way_out());
        self.trouble = self.trouble.or(Some(ErrorKind::Damaged));
        self
    }

    /// Another process drives, and takes this up.
    pub(super) fn queued(request: &str, other: &str, told: Told) -> HandoverView {
        let message = format!("queued as {request}: a handover is under way ({other}), and takes this up after it");
        HandoverView { message, status: Some("queued".to_owned()), ..HandoverView::default() }.with(told)
    }

    /// Another process did it.
    pub(super) fn done_by_another(done: &Remembered, told: Told) -> HandoverView {
        let into = done.session.as_ref().map(|session| format!(" as {session}")).unwrap_or_default();
        let open = if done.open.is_empty() { String::new() } else { format!("; open: {}", done.open.join(", ")) };
        let view = HandoverView {
            message: format!("handed over{into}, by a run that was under way{open}"),
            run: Some(done.run.clone()),
            status: Some(done.status.clone()),
            session: done.session.clone(),
            ..HandoverView::default()
        };
        view.with(told)
    }

    /// Nothing is done yet; this is what would be.
    pub(super) fn planned(message: String, steps: Vec<StepView>, changes: Vec<String>) -> HandoverView {
        let warnings = changes.iter().map(|change| told_change(change)).collect();
        HandoverView {
            message,
            status: Some("planned".to_owned()),
            steps,
            changes,
            warnings,
            ..HandoverView::default()
        }
    }
}

fn told_change(change: &str) -> String {
    format!("the list of steps was changed: {change}")
}

impl Report for HandoverView {
    fn page(&self) -> Page {
        let mut page = Page::new().said(self.message.clone());
        if !self.steps.is_empty() {
            page = page.table(table(&self.steps));
        }
        if let Some(waiting) = self.waiting {
            page = page.line(format!("{waiting} more in the queue"));
        }
        self.ways_out.iter().fold(page, |page, hint| page.said_advice(hint.clone()))
    }

    fn raw(&self) -> Option<Vec<u8>> {
        self.template.map(|text| text.as_bytes().to_vec())
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn trouble(&self) -> Option<ErrorKind> {
        self.trouble
    }

    fn facts(&self) -> Facts {
        let told = [("session", &self.session), ("stopped_at", &self.stopped_at), ("error", &self.error)];
        let told = told.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text.as_ref()?.clone().into())));
        let steps = serde_json::to_value(&self.steps).expect("steps are plain data");
        Facts {
            message: self.page().to_markdown(None),
            id: self.run.clone(),
            status: self.status.clone(),
            more: told.chain([("steps".to_owned(), steps)]).collect(),
            ..Facts::default()
        }
    }
}

/// Steps as a table.
pub(crate) fn table(steps: &[StepView]) -> Table {
    let rows = steps.iter().map(|step| {
        let role = match step.state.as_str() {
            "done" => Role::Good,
            "failed" => Role::Bad,
            "skipped" => Role::Dim,
            _ => Role::Plain,
        };
        let tries = if step.attempts > 1 { format!(" ({} tries)", step.attempts) } else { String::new() };
        Row::new(vec![
            Text::from(step.id.clone()),
            Text::of(role, format!("{}{tries}", step.state)),
            Text::from(step.detail.clone().unwrap_or_default()),
        ])
    });
    Table::new([Column::new("step"), Column::new("state"), Column::new("").shrinks_to(20)]).rows(rows)
}
