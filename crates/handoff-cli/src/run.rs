//! One command, from its arguments to its answer. Nothing in here writes to a stream.

use std::ffi::OsString;
use std::io::Read;
use std::path::PathBuf;

use clap::ArgMatches;
use handoff_mcp::Settings;
use handoff_ops::page::ReadingTime;
use handoff_ops::{
    Breaks, Door, Entry, Environment, ErrorKind, ExitCodes, OpError, Place, Project, Reply, Request, dispatch, visible,
    visible_json,
};

use crate::command::Catalogue;
use crate::draw::{self, Style};
use crate::flags::{self, Arguments, ColorWish, Glimpse, Global};
use crate::json::{self, Layout};
use crate::process::take_last_panic;
use crate::progress::ProgressLine;
use crate::screen::Screen;
use crate::usage::{self, Complaint};
use crate::{desk, failure, local, request_file};

/// Everything a command knows about the outside.
pub struct Invocation {
    /// The arguments, with the program's name first.
    pub args: Vec<OsString>,
    pub env: Environment,
    /// The working directory, if there still is one.
    pub cwd: Option<PathBuf>,
    pub stdin: Box<dyn Read + Send>,
    /// Whether a person can be asked.
    pub can_ask: bool,
    /// The program that is running.
    pub executable: Option<PathBuf>,
    pub stdout: Screen,
    pub stderr: Screen,
}

/// What a command leaves behind: text for both streams and an exit code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    pub stdout: String,
    /// What goes to standard output as it is, in its place
    pub bytes: Option<Vec<u8>>,
    pub stderr: String,
    pub code: u8,
    /// What its exit codes mean
    pub codes: ExitCodes,
}

/// What a command comes to.
#[derive(Debug)]
pub enum Course {
    Answer(Answer),
    /// A server takes over the streams.
    Serve(Box<Settings>),
}

impl From<Answer> for Course {
    fn from(answer: Answer) -> Course {
        Course::Answer(answer)
    }
}

/// Runs one command.
pub fn run(invocation: Invocation) -> Course {
    run_in(Catalogue::product(), invocation)
}

pub(crate) fn run_in(catalogue: Catalogue, mut invocation: Invocation) -> Course {
    let args = std::mem::take(&mut invocation.args);
    if local::mcp::is_program(&args) {
        return run_server(catalogue, &args, &invocation);
    }
    if local::agent_handover::is_program(&args) {
        return local::agent_handover::run(&args, invocation).into();
    }
    let glimpse = Glimpse::of(args.get(1..).unwrap_or_default());
    let width = invocation.stdout.text_width(&invocation.env).min(WIDEST_HELP);
    let matches = match parse(catalogue, &args, &glimpse, width) {
        Ok(matches) => matches,
        Err(error) => {
            let codes = catalogue.asked_for(&glimpse).map(|entry| entry.codes).unwrap_or_default();
            let teller = Teller::new(&invocation, glimpse.json, glimpse.color).with(codes);
            let style = if error.use_stderr() { teller.stderr } else { teller.stdout };
            let answer =
                teller.complain(usage::complaint(&error, catalogue, usage::HANDOFF, &glimpse.words, style.has_color));
            return if local::hook::is_meant(&args) { Answer { code: 0, ..answer } } else { answer }.into();
        }
    };
    if let Some(script) = local::completion(catalogue, &matches) {
        return Answer { stdout: script, ..Answer::default() }.into();
    }
    if let Some(arguments) = local::mcp::asked_for(&matches) {
        return serve(arguments, &invocation);
    }
    if let Some((event, arguments)) = local::hook::asked_for(&matches) {
        return local::hook::run(event, arguments, invocation).into();
    }
    if let Some(arguments) = local::setup::asked_for(&matches) {
        let global = Global::of(arguments);
        let teller = Teller::new(&invocation, global.json, global.color);
        return match local::setup::run(arguments, global, invocation) {
            Ok((reply, errors, code)) => {
                let mut answer = Answer { code, ..teller.reply(&reply) };
                // For programs they are part of the answer.
                for error in errors.iter().filter(|_| !teller.json) {
                    answer.stderr.push_str(&failure::text(error, teller.stderr));
                }
                answer
            }
            Err(error) => teller.fail(&error),
        }
        .into();
    }
    let Some((entry, arguments)) = catalogue.chosen(&matches) else {
        return Answer { stdout: local::overview(catalogue), ..Answer::default() }.into();
    };
    let global = Global::of(arguments);
    let teller = Teller { csv: global.csv, ..Teller::new(&invocation, global.json, global.color).with(entry.codes) };
    match perform(entry, arguments, global, invocation) {
        Ok(reply) => teller.reply(&reply),
        Err(error) => teller.fail(&error),
    }
    .into()
}

/// The program under its second name.
fn run_server(catalogue: Catalogue, args: &[OsString], invocation: &Invocation) -> Course {
    let width = invocation.stdout.text_width(&invocation.env).min(WIDEST_HELP);
    match local::mcp::program().term_width(width).try_get_matches_from(args) {
        Ok(arguments) => serve(&arguments, invocation),
        Err(error) => {
            let teller = Teller::new(invocation, false, ColorWish::Auto);
            let style = if error.use_stderr() { teller.stderr } else { teller.stdout };
            teller
                .complain(usage::complaint(&error, catalogue, usage::HANDOFF, &[local::mcp::NAME], style.has_color))
                .into()
        }
    }
}

fn serve(arguments: &ArgMatches, invocation: &Invocation) -> Course {
    match local::mcp::settings(arguments, invocation) {
        Ok(settings) => Course::Serve(Box::new(settings)),
        Err(error) => {
            let global = Global::of(arguments);
            Teller::new(invocation, global.json, global.color).fail(&error).into()
        }
    }
}

/// Longer lines of running text are hard to read.
pub(crate) const WIDEST_HELP: usize = 100;

fn parse(
    catalogue: Catalogue,
    args: &[OsString],
    glimpse: &Glimpse<'_>,
    width: usize,
) -> Result<ArgMatches, clap::Error> {
    let args = &flags::with_words_left_out(catalogue.asked_for(glimpse), args);
    let command = catalogue.narrowed(glimpse).unwrap_or_else(|| catalogue.whole(glimpse.arguments()));
    let matches = command.term_width(width).try_get_matches_from(args)?;
    let has_request = catalogue.chosen(&matches).is_some_and(|(_, arguments)| Global::of(arguments).request.is_some());
    if glimpse.request && !has_request {
        // A value only looked like `--request`, so what is required must be required after all.
        return catalogue.whole(Arguments::Required).term_width(width).try_get_matches_from(args);
    }
    Ok(matches)
}

fn perform(
    entry: &Entry,
    arguments: &ArgMatches,
    global: Global,
    mut invocation: Invocation,
) -> Result<Reply, OpError> {
    // An explicit directory is enough to work with, even where the current one was deleted.
    let cwd = invocation.cwd.take().or_else(|| global.project_dir.clone().filter(|dir| dir.is_absolute()));
    let cwd = cwd.ok_or_else(no_directory)?;
    let request = match &global.request {
        Some(path) => {
            flags::refuse_beside_request(entry, arguments)?;
            Request::Json(request_file::read(path, &cwd, &mut invocation.stdin)?)
        }
        None => Request::Cli(arguments),
    };
    invocation.cwd = Some(cwd);
    carry_out(entry, request, global, invocation)
}

fn no_directory() -> OpError {
    OpError::failure("the working directory does not exist any more")
}

/// Has an operation done for this invocation.
pub(crate) fn carry_out(
    entry: &Entry,
    request: Request<'_>,
    global: Global,
    invocation: Invocation,
) -> Result<Reply, OpError> {
    let cwd = invocation.cwd.ok_or_else(no_directory)?;
    let progress =
        invocation.stderr.is_terminal.then(|| ProgressLine::new(invocation.stderr.text_width(&invocation.env)));
    let desk = desk::desk(invocation.stdin, invocation.can_ask, &invocation.env);
    let place = Place { project_dir: global.project_dir, cwd, env: invocation.env, settings: global.settings };
    let mut project = Project::new(place, global.actor, Door::Cli);
    project.desk = desk;
    project.executable = invocation.executable;
    project.progress = progress.as_ref().map(ProgressLine::listener);
    let reply = dispatch(entry, &mut project, request);
    if let Some(progress) = progress {
        progress.clear();
    }
    reply.map_err(|error| match take_last_panic() {
        Some(place) => error.detail(format!("at {place}")),
        None => error,
    })
}

/// Puts answers into the form that was asked for.
pub(crate) struct Teller {
    json: bool,
    csv: bool,
    codes: ExitCodes,
    stdout: Style,
    stderr: Style,
    stdout_layout: Layout,
    stderr_layout: Layout,
}

impl Teller {
    pub(crate) fn new(invocation: &Invocation, json: bool, color: ColorWish) -> Teller {
        let style = |screen: Screen| Style {
            has_color: screen.has_color(color, &invocation.env),
            width: screen.table_width(&invocation.env),
            reading: screen.is_terminal.then(|| ReadingTime::of(&invocation.env)),
        };
        let layout = |screen: Screen| if screen.is_terminal { Layout::Pretty } else { Layout::Compact };
        Teller {
            json,
            csv: false,
            codes: ExitCodes::Usual,
            stdout: style(invocation.stdout),
            stderr: style(invocation.stderr),
            stdout_layout: layout(invocation.stdout),
            stderr_layout: layout(invocation.stderr),
        }
    }

    /// For a command whose exit codes mean something else.
    pub(crate) fn with(self, codes: ExitCodes) -> Teller {
        Teller { codes, ..self }
    }

    /// Whether what goes to standard error has colours.
    pub(crate) fn error_has_color(&self) -> bool {
        self.stderr.has_color
    }

    pub(crate) fn reply(&self, reply: &Reply) -> Answer {
        Answer { codes: self.codes, ..self.worded(reply) }
    }

    fn worded(&self, reply: &Reply) -> Answer {
        let code = reply.exit_code.unwrap_or_else(|| reply.trouble.map_or(0, |kind| self.codes.of(kind)));
        if self.json {
            let stdout = match self.stdout_layout {
                json::Layout::Compact => visible_json(reply.json_text()) + "\n",
                json::Layout::Pretty => json::text(&reply.json(), json::Layout::Pretty),
            };
            return Answer { stdout, code, ..Answer::default() };
        }
        let stderr = failure::warnings(&reply.warnings, self.stderr);
        if let Some(sheet) = reply.sheet().filter(|_| self.csv) {
            // Only a terminal obeys what it is shown.
            let stdout = sheet.to_string();
            let stdout = if self.stdout.width.is_some() { visible(&stdout, Breaks::Keep).into_owned() } else { stdout };
            return Answer { stdout, stderr, code, ..Answer::default() };
        }
        match reply.raw() {
            // Only a terminal has a width, and obeys what it is shown.
            Some(raw) if self.stdout.width.is_some() => {
                let stdout = visible(&String::from_utf8_lossy(&raw), Breaks::Keep).into_owned();
                Answer { stdout, stderr, code, ..Answer::default() }
            }
            Some(raw) => Answer { bytes: Some(raw), stderr, code, ..Answer::default() },
            None => {
                // A program has no width to fit, and no colours.
                let lines = if self.stdout.width.is_none() && !self.stdout.has_color { reply.lines() } else { None };
                let stdout = lines.unwrap_or_else(|| draw::page(&reply.page(), self.stdout));
                Answer { stdout, stderr, code, ..Answer::default() }
            }
        }
    }

    pub(crate) fn fail(&self, error: &OpError) -> Answer {
        let stderr =
            if self.json { failure::json(error, self.stderr_layout) } else { failure::text(error, self.stderr) };
        Answer { stderr, code: self.codes.of(error.kind()), codes: self.codes, ..Answer::default() }
    }

    pub(crate) fn complain(&self, complaint: Complaint) -> Answer {
        match complaint {
            Complaint::Help(text) => Answer { stdout: text, ..Answer::default() },
            Complaint::Incomplete(_) if self.json => self.fail(&OpError::usage("a command is missing")),
            Complaint::Incomplete(text) => {
                Answer { stderr: text, code: self.codes.of(ErrorKind::Usage), ..Answer::default() }
            }
            Complaint::Wrong(error) => self.fail(&error),
        }
    }
}

#[cfg(test)]
mod tests;
