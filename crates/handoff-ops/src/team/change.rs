//! What every change of the team has in common: settings and tasks change together, or not at all.

use handoff_model::calendar::WorkCalendar;
use handoff_model::change::Change;
use handoff_model::close::close_matches;
use handoff_model::config::{Assignment, Config, Weekday, apply, join, rename, resolve};
use handoff_model::id::TaskId;
use handoff_model::problem::Severity;
use handoff_model::rev::Rev;
use handoff_model::task::{Task, TaskEdit};
use handoff_model::text::Name;
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::input::{DateLists, DayLength, HoursOn, Listed, replacement};
use crate::config::Changed;
use crate::config::change::{Edited, Target, change};
use crate::page::{Role, Text};
use crate::task::change as task;
use crate::{Facts, Hint, OpError, Operation, Page, Project, Report};

/// What was changed in the settings of the team, and in the tasks that follow them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TeamChange {
    pub message: String,
    /// The file that was changed
    pub file: String,
    /// Its revision now, for `if_rev`
    pub rev: Rev,
    /// The settings, before and after
    pub changed: Vec<Changed>,
    /// Tasks that were changed along
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskId>,
    #[serde(skip)]
    warnings: Vec<String>,
}

impl Report for TeamChange {
    fn page(&self) -> Page {
        let page = Page::new().line(Text::of(Role::Good, "✓ ").plain(&self.message));
        self.changed.iter().fold(page, |page, changed| page.item(changed.line()))
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn facts(&self) -> Facts {
        let page = self.page().to_markdown(None);
        let message = page.strip_prefix("✓ ").map(str::to_owned).unwrap_or(page);
        let mut more = serde_json::Map::new();
        if !self.tasks.is_empty() {
            more.insert("tasks".to_owned(), json!(self.tasks));
        }
        Facts { message, rev: Some(self.rev.to_string()), more, ..Facts::default() }
    }
}

/// The settings as they stand now. Those of the request may have been read before the lock was taken.
pub(crate) fn current(project: &Project) -> Config {
    resolve(project.layers(project.config_sources())).config
}

/// Settings that are to be changed together, below one table.
pub(crate) struct Draft {
    path: Vec<String>,
    assignments: Vec<Assignment>,
    /// The name the table is to have instead
    renamed: Option<Name>,
    pub(crate) tasks: Vec<TaskId>,
    pub(crate) warnings: Vec<String>,
}

/// Working days as a request says them.
#[derive(Debug, Default)]
pub(crate) struct DaysInput {
    pub(crate) work_hours_per_day: Change<DayLength>,
    pub(crate) closed_weekdays: Vec<Listed<Weekday>>,
    pub(crate) closed_dates: DateLists,
    pub(crate) open_dates: DateLists,
    pub(crate) day_hours: Vec<HoursOn>,
}

impl Draft {
    pub(crate) fn of<const N: usize>(path: [&str; N]) -> Draft {
        Draft {
            path: path.map(str::to_owned).to_vec(),
            assignments: Vec::new(),
            renamed: None,
            tasks: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Sets or clears one of the settings.
    pub(crate) fn set<T: Serialize>(&mut self, field: &str, change: Change<T>) {
        let value = match change {
            Change::Keep => return,
            Change::Clear => None,
            Change::Set(value) => Some(serde_json::to_value(value).expect("a setting is plain data")),
        };
        self.assignments.push(Assignment { path: self.below(field), value });
    }

    /// Lets the table be there, also where nothing is said in it.
    pub(crate) fn keep_table(&mut self) {
        self.assignments.push(Assignment { path: self.path.clone(), value: Some(json!({})) });
    }

    /// Takes the whole table away.
    pub(crate) fn remove_table(&mut self) {
        self.assignments.push(Assignment { path: self.path.clone(), value: None });
    }

    pub(crate) fn rename(&mut self, name: Name) {
        self.renamed = Some(name);
    }

    /// Sets what a request says about working days, where the lists of dates are these now.
    pub(crate) fn set_days(&mut self, input: DaysInput, closed: &[Day], open: &[Day]) {
        self.set("work_hours_per_day", input.work_hours_per_day);
        self.set("closed_weekdays", replacement(input.closed_weekdays).map(sorted));
        let closed = input.closed_dates.apply(closed, "closed_dates", &mut self.warnings);
        self.set("closed_dates", closed);
        let open = input.open_dates.apply(open, "open_dates", &mut self.warnings);
        self.set("open_dates", open);
        for word in input.day_hours {
            match word {
                HoursOn::Nothing => self.set("day_hours", Change::<()>::Clear),
                HoursOn::Day(day, hours) => {
                    let path = [self.below("day_hours"), vec![String::from(day)]].concat();
                    let value = hours.map(|hours| json!(hours));
                    // Said twice, the last counts.
                    self.assignments.retain(|earlier| earlier.path != path);
                    self.assignments.push(Assignment { path, value });
                }
            }
        }
    }

    fn below(&self, field: &str) -> Vec<String> {
        [self.path.as_slice(), &[field.to_owned()]].concat()
    }

    /// Changes every task for which there is an edit.
    pub(crate) fn edit_tasks(
        &mut self,
        project: &mut Project,
        edit: impl Fn(&Task) -> Option<TaskEdit>,
    ) -> Result<usize, OpError> {
        let forest = project.store().whole_forest()?;
        let mut count = 0;
        for (node, edit) in forest.walk().into_iter().filter_map(|node| Some((node, edit(&node.task)?))) {
            let found = project.store().find(&node.task.id.into())?;
            task::edit(project, &found, edit)?;
            self.tasks.push(node.task.id);
            count += 1;
        }
        let damaged = forest.problems.iter().filter(|problem| problem.severity == Severity::Damaged);
        self.warnings.extend(damaged.map(|problem| format!("not looked at: {problem}")));
        Ok(count)
    }

    /// Checks and stages it all, with a sentence that says what was done, or that nothing was.
    pub(crate) fn carry_out(
        self,
        project: &mut Project,
        if_rev: Option<Rev>,
        message: impl FnOnce(&Edited) -> String,
    ) -> Result<TeamChange, OpError> {
        let Draft { path, assignments, renamed, tasks, mut warnings } = self;
        let target = Target::of(project, false)?;
        let edited = change(project, &target, if_rev, |text| {
            let text = apply(text, &assignments)?;
            renamed.as_ref().map_or(Ok(text.clone()), |name| rename(&text, &path, name.as_str()))
        })?;
        let is_value = |assignment: &&Assignment| assignment.value != Some(json!({}));
        let values: Vec<Assignment> = assignments.iter().filter(is_value).cloned().collect();
        let (changed, covered) = match &renamed {
            None => edited.compare(&values),
            Some(name) => compare_renamed(&edited, &path, name, values),
        };
        warnings.extend(covered);
        let is_gone = |assignment: &Assignment| assignment.value.is_none() && assignment.path == path;
        if let Some(said) = edited.after.said(&path).first().filter(|_| assignments.iter().any(is_gone)) {
            warnings.push(format!("`{}` is still said by {}", join(&path), said.origin));
        }
        warnings.extend(never_works(project, &edited));
        let message = message(&edited);
        Ok(TeamChange { message, file: edited.file, rev: edited.rev, changed, tasks, warnings })
    }
}

/// What changed, where the table has another name now.
fn compare_renamed(
    edited: &Edited,
    path: &[String],
    name: &Name,
    mut values: Vec<Assignment>,
) -> (Vec<Changed>, Vec<String>) {
    let before: Vec<Value> = values.iter().map(|value| edited.before.value(&value.path)).collect();
    for value in &mut values {
        value.path[path.len() - 1] = name.to_string();
    }
    let (mut changed, warnings) = edited.compare(&values);
    for (changed, before) in changed.iter_mut().zip(before) {
        changed.before = before;
    }
    (changed, warnings)
}

fn sorted(mut days: Vec<Weekday>) -> Vec<Weekday> {
    days.sort_unstable();
    days.dedup();
    days
}

/// Who can never work any more, with what would help.
fn never_works(project: &Project, edited: &Edited) -> Vec<String> {
    let days = |config: &Config| WorkCalendar::new(&config.calendar, &config.assignees);
    let (before, after) = (days(&edited.before.config), days(&edited.after.config));
    let today = project.now().day_in(&project.zone());
    let people = edited.after.config.assignees.keys().map(|name| Some(name.as_str()));
    let news = std::iter::once(None).chain(people).filter(|who| before.of(*who) != after.of(*who));
    let mut never: Vec<_> = news.filter_map(|who| after.next_working_day(who, today).err()).collect();
    // Where the whole project stands still, nobody need be named.
    if never.first().is_some_and(|first| first.who.is_none()) {
        never.truncate(1);
    }
    never.iter().map(ToString::to_string).collect()
}

/// Refuses what would go to a file that does not say it: it stands in another one.
pub(crate) fn check_own(project: &Project, path: &[&str]) -> Result<(), OpError> {
    let path: Vec<String> = path.iter().map(|part| (*part).to_owned()).collect();
    let layer = Target::of(project, false)?.layer;
    let said = resolve(project.layers(project.config_sources())).said(&path);
    match said.first() {
        Some(first) if said.iter().all(|said| said.origin.layer != layer) => {
            let name = join(&path);
            Err(OpError::refused(format!("`{name}` is not said by the project, but by {}", first.origin))
                .hint(Hint::say(format!("clear `{name}` there, with `handoff config set --user`"))))
        }
        _ => Ok(()),
    }
}

/// Refuses a name under which nothing can be found again.
pub(crate) fn check_name(name: &Name) -> Result<(), OpError> {
    if name.as_str() == "none" {
        return Err(OpError::usage("`none` cannot be a name: it stands for nobody and nothing")
            .hint(Hint::say("choose another one")));
    }
    Ok(())
}

/// What to say about a name that nobody has.
pub(crate) fn missing<List: Operation>(what: &str, name: &str, known: &[String]) -> OpError {
    let near = close_matches(name, known.iter().map(String::as_str), 3);
    OpError::not_found(format!("there is no {what} `{name}`"))
        .details(near.into_iter().map(|near| format!("close: {near}")))
        .hint(Hint::run::<List>())
}

/// What to say about a name that is taken.
pub(crate) fn taken<Update: Operation>(what: &str, name: &Name, request: Value) -> OpError {
    OpError::refused(format!("there is a {what} `{name}` already")).hint(Hint::run_with::<Update>(request))
}
