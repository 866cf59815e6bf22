//! `handoff timer status`

use clap::Args;
use handoff_model::id::{TaskId, TaskRef};
use handoff_model::number::Number;
use handoff_model::problem::Problem;
use handoff_model::text::Name;
use handoff_model::time_log::{self, Interval};
use handoff_model::timer::{self, Command, Doubtful, Gap, GapKind, Phase, Reading, Timer};
use handoff_model::when::Moment;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::command::{idle_minutes, name, person, up_to_date};
use super::view::gap_words;
use crate::page::{Column, Role, Row, Table, Text};
use crate::task::change;
use crate::time::{hours, length};
use crate::{Effect, OpError, Operation, Page, Project, Report, ToolSet};

/// Show the timers of this project, your own first
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowTimers {
    /// Only timers on this task
    #[arg(long = "task", value_name = "TASK")]
    pub task_id: Option<TaskRef>,
    /// Whose timer comes first; your own if absent
    #[arg(long, value_name = "NAME")]
    pub who: Option<Name>,
}

/// What a timer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TimerState {
    Running,
    Paused,
    /// There is none
    Stopped,
}

impl TimerState {
    pub fn word(self) -> &'static str {
        match self {
            TimerState::Running => "running",
            TimerState::Paused => "paused",
            TimerState::Stopped => "stopped",
        }
    }
}

impl From<Phase> for TimerState {
    fn from(phase: Phase) -> TimerState {
        match phase {
            Phase::Running => TimerState::Running,
            Phase::Paused => TimerState::Paused,
        }
    }
}

/// The timer that was asked about, and all others.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Timers {
    #[serde(flatten)]
    pub timer: TimerView,
    /// Every timer, that of the person who asks first
    pub timers: Vec<TimerView>,
    #[serde(skip)]
    warnings: Vec<String>,
}

/// One timer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TimerView {
    pub state: TimerState,
    pub who: String,
    /// The task it is on
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Session it was started in
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When the present stretch of work, or the pause, began
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Moment>,
    /// What of the present stretch would count if it were stopped now
    pub elapsed_ms: u64,
    pub elapsed_hours: f64,
    /// Hours in the log for the task, by everybody
    pub base_hours: f64,
    pub current_actual_hours: f64,
    /// The same when it is stopped now
    pub projected_total_hours: f64,
    /// Whether nothing has counted since the last sign of life
    pub paused_by_idle: bool,
    pub authority: Authority,
    /// Time in doubt that would be left out
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub doubtful: Vec<Gap>,
}

/// Who keeps the timer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Authority {
    /// Always handoff itself: it is a file, and every client sends commands to it
    pub owner: &'static str,
    /// Whether it counts at this moment
    pub alive: bool,
}

impl Operation for ShowTimers {
    const NAME: &'static str = "timer.status";
    const TOOL: &'static str = "handoff_timer_get_time";
    const SET: ToolSet = ToolSet::Time;
    const EFFECT: Effect = Effect::Read;
    type Outcome = Timers;

    fn example() -> Value {
        json!({"who": "bob"})
    }

    fn run(self, project: &mut Project) -> Result<Timers, OpError> {
        let who = person(project, self.who)?;
        let wanted = self.task_id.map(|task| change::find(project, &task, None)).transpose()?;
        let wanted = wanted.map(|found| found.task.id);
        let (kept, log, problems) = project.store().timers_and_intervals()?;
        let told = |problem: &Problem| format!("not counted: {problem}; `handoff doctor` says what to do");
        let warnings = problems.iter().map(told).collect();
        let mut timers: Vec<Timer> = kept.into_iter().map(|kept| up_to_date(project, kept)).collect();
        timers.retain(|timer| wanted.is_none_or(|wanted| timer.task == wanted));
        timers.sort_by(|one, other| (one.who != who, &one.who).cmp(&(other.who != who, &other.who)));
        let look = Look { project, log: &log, now: project.reading(), idle: idle_minutes(project) };
        let views: Vec<TimerView> = timers.iter().map(|timer| look.at(timer)).collect();
        let is_asked_for = |view: &&TimerView| view.who == who || wanted.is_some();
        let timer = views.iter().find(is_asked_for).cloned().unwrap_or_else(|| look.none(who, wanted));
        Ok(Timers { timer, timers: views, warnings })
    }
}

/// What timers are shown with.
struct Look<'a> {
    project: &'a Project,
    log: &'a [Interval],
    now: Reading,
    idle: u32,
}

impl Look<'_> {
    fn at(&self, timer: &Timer) -> TimerView {
        let shown = timer::status(timer, &self.now, self.idle);
        let stop = Command::Stop(Doubtful::Discard);
        let step = timer::step(Some(timer.clone()), &timer.who, stop, &self.now, self.idle).unwrap_or_default();
        let found = self.project.store().find(&timer.task.into()).ok();
        let logged = self.logged(timer.task, &[]);
        let paused_by_idle =
            shown.doubtful.last().is_some_and(|gap| gap.to == self.now.at && gap.kind != GapKind::Asleep);
        TimerView {
            state: timer.phase.into(),
            who: timer.who.clone(),
            task_id: Some(timer.task),
            number: found.as_ref().map(|found| found.number.clone()),
            title: found.map(|found| found.task.title),
            session: timer.session.clone(),
            since: Some(shown.since),
            elapsed_ms: shown.seconds * 1_000,
            elapsed_hours: hours(i64::try_from((shown.seconds + 30) / 60).unwrap_or(i64::MAX)),
            base_hours: logged,
            current_actual_hours: logged,
            projected_total_hours: self.logged(timer.task, &step.intervals),
            paused_by_idle,
            authority: Authority { owner: "handoff", alive: timer.phase == Phase::Running && !paused_by_idle },
            doubtful: shown.doubtful,
        }
    }

    /// No timer, with what is known of the task that was asked for.
    fn none(&self, who: String, task: Option<TaskId>) -> TimerView {
        let found = task.and_then(|task| self.project.store().find(&task.into()).ok());
        let logged = task.map_or(0.0, |task| self.logged(task, &[]));
        TimerView {
            state: TimerState::Stopped,
            who,
            task_id: task,
            number: found.as_ref().map(|found| found.number.clone()),
            title: found.map(|found| found.task.title),
            session: None,
            since: None,
            elapsed_ms: 0,
            elapsed_hours: 0.0,
            base_hours: logged,
            current_actual_hours: logged,
            projected_total_hours: logged,
            paused_by_idle: false,
            authority: Authority { owner: "handoff", alive: false },
            doubtful: Vec::new(),
        }
    }

    fn logged(&self, task: TaskId, more: &[Interval]) -> f64 {
        let sums = time_log::sum(self.log.iter().chain(more), &jiff::tz::TimeZone::UTC);
        hours(sums.minutes_by_task().get(&task).copied().unwrap_or(0))
    }
}

/// The timers that run, in a line each; for handovers.
pub(crate) fn running(project: &Project) -> Result<Vec<(Timer, String)>, OpError> {
    let (kept, _) = project.store().timers()?;
    let timers = kept.into_iter().map(|kept| up_to_date(project, kept));
    Ok(timers
        .map(|timer| {
            let words = words(project, &timer);
            (timer, words)
        })
        .collect())
}

/// What to know about the person's own timer, if it goes on. Looks for one file where there is none.
pub(crate) fn still_running(project: &Project) -> Option<String> {
    let store = project.store_if_open().filter(|store| store.has_timers())?;
    let kept = store.timer(&project.author().ok()?).ok()??;
    Some(words(project, &up_to_date(project, kept)))
}

fn words(project: &Project, timer: &Timer) -> String {
    let shown = timer::status(timer, &project.reading(), idle_minutes(project));
    let task = name(project, timer.task);
    match timer.phase {
        Phase::Running => {
            let counted = length(i64::try_from(shown.seconds).unwrap_or(i64::MAX));
            format!("the timer of {} is still running on {task} ({counted})", timer.who)
        }
        Phase::Paused => format!("the timer of {} is paused on {task} since {}", timer.who, shown.since),
    }
}

impl Report for Timers {
    fn page(&self) -> Page {
        let mut page = Page::new();
        if self.timers.is_empty() {
            page = page.line("no timer is running");
            if let Some(task) = self.timer.task_id {
                page = page.field("task", task.to_string()).field("logged", format!("{} h", self.timer.base_hours));
            }
            return page;
        }
        let columns = [
            Column::new("state"),
            Column::new("task").shrinks_to(16),
            Column::new("id"),
            Column::new("counted").right(),
            Column::new("total").right(),
            Column::new("who"),
            Column::new("since").optional(),
        ];
        page = page.table(Table::new(columns).rows(self.timers.iter().map(row)));
        for view in &self.timers {
            for gap in &view.doubtful {
                page = page.item(format!("{}: in doubt, and not counted: {}", view.who, gap_words(gap)));
            }
        }
        page
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

fn row(view: &TimerView) -> Row {
    let number = view.number.as_ref().map(|number| format!("{number} ")).unwrap_or_default();
    let title = view.title.clone().unwrap_or_else(|| "(gone)".to_owned());
    let role = if view.state == TimerState::Running { Role::Good } else { Role::Dim };
    Row::new([
        Text::of(role, view.state.word()),
        Text::of(Role::Number, number).plain(title),
        Text::of(Role::Id, view.task_id.map(|task| task.to_string()).unwrap_or_default()),
        length(i64::try_from(view.elapsed_ms / 1_000).unwrap_or(i64::MAX)).into(),
        format!("{} h", view.projected_total_hours).into(),
        view.who.clone().into(),
        view.since.map(|since| since.to_string()).unwrap_or_default().into(),
    ])
}
