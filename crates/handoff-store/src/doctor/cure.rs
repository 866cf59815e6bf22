//! Looking at everything, and mending in a picture until no check knows more to do.

use std::collections::BTreeMap;
use std::path::PathBuf;

use handoff_model::heal::{Finding, Kind};
use handoff_model::when::Moment;

use super::check::{CHECKS, Found, run};
use super::mend::{Outcome, Round};
use super::numbers::Numbers;
use super::picture::Picture;
use super::scene::Scene;
use crate::error::Result;
use crate::layout::BACKUP;
use crate::root::{join, split};
use crate::store::Store;
use crate::task::forest::Node;

/// What checks must be told because no file says it.
#[derive(Clone, Debug)]
pub struct Circumstances {
    /// The moment that notes and the backup are dated with
    pub now: Moment,
    /// Files of the store that git has under version control, relative to the store
    pub tracked: Vec<String>,
    /// Projects of the registry that are not there, where the store is that of the user
    pub gone: Vec<PathBuf>,
    /// Versions of files that are known from elsewhere, by the path they have on disk
    pub versions: BTreeMap<String, KnownVersion>,
    /// What is wrong with access, and what a crash left, as far as it was put right before all else
    pub done: Vec<Finding>,
    /// The directory for what is written over or taken away, once something lies in it
    pub backup: Option<String>,
}

/// What a file once said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownVersion {
    pub text: String,
    /// Where it is known from, in words
    pub from: String,
    /// Whether it is known to be what handoff wrote last
    pub is_last: bool,
}

impl Circumstances {
    /// Those of a moment, with nothing else to know.
    pub fn at(now: Moment) -> Circumstances {
        let (tracked, gone, versions, done) = (Vec::new(), Vec::new(), BTreeMap::new(), Vec::new());
        Circumstances { now, tracked, gone, versions, done, backup: None }
    }
}

/// What is wrong with a store, and what mending it comes to.
#[derive(Debug)]
pub struct Cure {
    /// What is mended once the change is committed
    pub mended: Vec<Finding>,
    /// What stays wrong, by the paths that files have afterwards
    pub left: Vec<Finding>,
    /// The same, by the paths they have now
    pub standing: Vec<Finding>,
    /// The directory, relative to the store, for what is written over or taken away
    pub backup: String,
    pub(super) picture: Picture,
}

/// Whether what is put right apart from the records, such as access, was already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Apart {
    Done,
    WouldBeDone,
}

impl Cure {
    /// Everything that is wrong as long as nothing is mended.
    pub fn found(&self) -> Vec<Finding> {
        let mut found: Vec<Finding> = self.mended.iter().chain(&self.standing).cloned().collect();
        put_in_order(&mut found);
        found
    }
}

/// More rounds than any store needs: each makes at least one finding go.
const MOST_ROUNDS: usize = 200;

impl Store {
    /// What is wrong at first sight. Mending one thing may show, or change, another; [`Store::plan_cure`] goes on.
    pub fn first_look(&self, around: &Circumstances) -> Result<Vec<Finding>> {
        let picture = self.picture("")?;
        let numbers = Numbers::of(self);
        let scene = Scene::of(&picture, around, &numbers);
        Ok(CHECKS.iter().flat_map(|check| run(*check, &scene)).map(|found| found.finding).collect())
    }

    /// Everything that is wrong. Changes nothing.
    pub fn examine(&self, around: &Circumstances) -> Result<Vec<Finding>> {
        Ok(self.try_cure(around)?.found())
    }

    /// Everything that is wrong, and what mending it would come to, with what is put right apart from the records.
    pub fn try_cure(&self, around: &Circumstances) -> Result<Cure> {
        let mut around = around.clone();
        let apart = self.left_by_crash()?.into_iter().chain(self.misfits()).chain(self.witnesses()?);
        around.done.extend(apart.filter(|finding| finding.fix.is_some()));
        self.plan(&around, Apart::WouldBeDone)
    }

    /// Everything that is wrong, after what is put right apart from the records, and what mending it comes to. Changes
    /// nothing; [`Store::stage_cure`] does.
    pub fn plan_cure(&self, around: &Circumstances) -> Result<Cure> {
        self.plan(around, Apart::Done)
    }

    /// What is told of as mended is what was found at first, and what only mending brought to light. Names and numbers
    /// that became wrong on the way were nobody's concern before, and are told by the steps alone.
    fn plan(&self, around: &Circumstances, apart: Apart) -> Result<Cure> {
        let backup = around.backup.clone().unwrap_or_else(|| self.free_backup(around.now));
        let mut picture = self.picture(&join(&backup, "aside"))?;
        let numbers = Numbers::of(self);
        let mut told: Option<Vec<Finding>> = None;
        let mut left = Vec::new();
        for _ in 0..MOST_ROUNDS {
            self.stop.check()?;
            let found: Vec<Vec<Found>> = {
                let scene = Scene::of(&picture, around, &numbers);
                CHECKS.iter().map(|check| run(*check, &scene)).collect()
            };
            left = found.iter().flatten().map(|found| found.finding.clone()).collect();
            match &mut told {
                None => told = Some(left.clone()),
                Some(told) => add_new(told, &left, &picture),
            }
            if !found.iter().any(|found| apply_all(&mut picture, found)) {
                break;
            }
        }
        let is_left = |finding: &Finding| {
            let path = picture.now(&finding.path);
            let is_it = |left: &Finding| {
                left.kind == finding.kind && left.path == path && (left.what == finding.what || finding.fix.is_none())
            };
            left.iter().any(is_it)
        };
        let is_done_apart = |finding: &Finding| {
            apart == Apart::WouldBeDone && finding.kind == Kind::Permissions && finding.fix.is_some()
        };
        let told = told.unwrap_or_default();
        let is_mended = |finding: &&Finding| is_done_apart(finding) || !is_left(finding);
        let mut mended: Vec<Finding> = told.iter().filter(is_mended).cloned().collect();
        left.retain(|finding| !is_done_apart(finding));
        if !mended.is_empty() {
            let scene = Scene::of(&picture, around, &numbers);
            for finding in &mut mended {
                as_it_went(finding, &scene);
            }
        }
        left.extend(self.witnesses()?);
        left.extend(self.misfits());
        left.extend(self.left_by_crash()?);
        left.retain(|finding| !around.done.contains(finding));
        // A fix that was tried and is still needed did not work.
        for finding in &mut left {
            if finding.fix.take().is_some() && finding.advice.is_none() {
                finding.advice = Some("something is in the way: look at it by hand".to_owned());
            }
        }
        mended.extend(around.done.iter().cloned());
        put_in_order(&mut mended);
        put_in_order(&mut left);
        let standing = left.iter().map(|finding| as_it_lies(finding, &told, &picture)).collect();
        Ok(Cure { mended, left, standing, backup, picture })
    }

    /// A backup that is not there yet.
    pub(super) fn free_backup(&self, now: Moment) -> String {
        let stamp = now.in_seconds().to_string().replace(['-', ':'], "");
        let mut name = join(BACKUP, &stamp);
        let mut copy = 1;
        while self.root.exists(&name) {
            copy += 1;
            name = join(BACKUP, &format!("{stamp}-{copy}"));
        }
        name
    }
}

/// Adds what only mending brought to light, by the paths that files had at first.
fn add_new(told: &mut Vec<Finding>, found: &[Finding], picture: &Picture) {
    let is_of_place = |kind| matches!(kind, Kind::SameNumber | Kind::Misplaced | Kind::WrongName | Kind::NameClash);
    for finding in found.iter().filter(|finding| !is_of_place(finding.kind)) {
        let Some(origin) = picture.at_first(&finding.path) else { continue };
        if !told.iter().any(|known| known.kind == finding.kind && known.path == origin) {
            told.push(Finding { path: origin.to_owned(), ..finding.clone() });
        }
    }
}

/// What stays wrong, where and on which line it is before anything is mended.
fn as_it_lies(finding: &Finding, told: &[Finding], picture: &Picture) -> Finding {
    let path = picture.at_first(&finding.path).unwrap_or(&finding.path).to_owned();
    let is_it = |known: &&Finding| known.kind == finding.kind && known.path == path && known.what == finding.what;
    let line = told.iter().find(is_it).map_or(finding.line, |known| known.line);
    Finding { path, line, ..finding.clone() }
}

/// Names and numbers are told as they are in the end.
fn as_it_went(finding: &mut Finding, scene: &Scene<'_>) {
    let now = scene.picture.now(&finding.path);
    match finding.kind {
        Kind::WrongName => finding.fix = Some(format!("renamed to `{}`", split(&now).1)),
        Kind::SameNumber => {
            let is_it = |node: &&Node| node.dir == split(&now).0;
            let number = scene.forest.walk().into_iter().find(is_it).map(|node| node.number.ordinal());
            finding.fix = number.map(|number| format!("gets the number {number}; ids stay as they are"));
        }
        _ => {}
    }
}

/// Does what one check asks for; whether anything came of it.
fn apply_all(picture: &mut Picture, found: &[Found]) -> bool {
    let mut round = Round::default();
    let mut is_changed = false;
    for mend in found.iter().filter_map(|found| found.mend.as_ref()) {
        is_changed |= round.apply(picture, mend) == Outcome::Done;
    }
    is_changed
}

fn put_in_order(findings: &mut Vec<Finding>) {
    findings.sort_by(|a, b| {
        (a.weight, a.kind, &a.path, a.line, &a.what).cmp(&(b.weight, b.kind, &b.path, b.line, &b.what))
    });
    findings.dedup();
}
