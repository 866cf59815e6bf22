//! Looking at everything, and mending in a picture until no check knows more to do.

use std::collections::BTreeMap;
use std::path::PathBuf;

use handoff_model::heal::Finding;
use handoff_model::when::Moment;

use super::check::{CHECKS, Found, run};
use super::mend::{Outcome, Round};
use super::picture::Picture;
use super::scene::Scene;
use crate::error::Result;
use crate::layout::BACKUP;
use crate::root::join;
use crate::store::Store;

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
        Circumstances { now, tracked, gone, versions, done }
    }
}

/// What is wrong with a store, and what mending it comes to.
#[derive(Debug)]
pub struct Cure {
    /// What is mended once the change is committed
    pub mended: Vec<Finding>,
    /// What stays wrong
    pub left: Vec<Finding>,
    /// The directory, relative to the store, for what is written over or taken away
    pub backup: String,
    pub(super) picture: Picture,
}

/// More rounds than any store needs: each makes at least one finding go.
const MOST_ROUNDS: usize = 200;

impl Store {
    /// Everything that is wrong. Changes nothing.
    pub fn examine(&self, around: &Circumstances) -> Result<Vec<Finding>> {
        let picture = self.picture("")?;
        let floors = self.floors();
        let scene = Scene::of(&picture, around, &floors);
        let found = CHECKS.iter().flat_map(|check| run(*check, &scene)).map(|found| found.finding);
        let beside = self.left_by_crash()?.into_iter().chain(self.witnesses()?);
        let mut findings: Vec<Finding> = beside.chain(found).collect();
        put_in_order(&mut findings);
        Ok(findings)
    }

    /// Everything that is wrong, and what mending it comes to. Changes nothing; [`Store::stage_cure`] does.
    pub fn plan_cure(&self, around: &Circumstances) -> Result<Cure> {
        let backup = self.free_backup(around.now);
        let mut picture = self.picture(&join(&backup, "aside"))?;
        let floors = self.floors();
        let mut first: Option<Vec<Finding>> = None;
        let (mut mended, mut left) = (around.done.clone(), Vec::new());
        for _ in 0..MOST_ROUNDS {
            self.stop.check()?;
            let found: Vec<Vec<Found>> = {
                let scene = Scene::of(&picture, around, &floors);
                CHECKS.iter().map(|check| run(*check, &scene)).collect()
            };
            left = found.iter().flatten().map(|found| found.finding.clone()).collect();
            first.get_or_insert_with(|| left.clone());
            let applied = found.iter().find_map(|found| apply_all(&mut picture, found));
            match applied {
                Some(applied) => mended.extend(applied),
                None => break,
            }
        }
        left.extend(self.witnesses()?);
        left.retain(|finding| !around.done.contains(finding));
        // What went by itself, because something else was mended, is mended too.
        let is_left = |finding: &Finding| {
            let path = picture.now(&finding.path);
            left.iter().any(|left| left.kind == finding.kind && left.path == path)
        };
        let by_itself = first.unwrap_or_default().into_iter().filter(|finding| !is_left(finding));
        for finding in by_itself {
            if !mended.iter().any(|known| known.kind == finding.kind && known.path == finding.path) {
                mended.push(finding);
            }
        }
        // A fix that was tried and is still needed did not work.
        for finding in &mut left {
            if finding.fix.take().is_some() && finding.advice.is_none() {
                finding.advice = Some("something is in the way: look at it by hand".to_owned());
            }
        }
        put_in_order(&mut mended);
        put_in_order(&mut left);
        Ok(Cure { mended, left, backup, picture })
    }

    /// A backup that is not there yet.
    fn free_backup(&self, now: Moment) -> String {
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

/// Does what one check asks for; `None` where nothing came of it.
fn apply_all(picture: &mut Picture, found: &[Found]) -> Option<Vec<Finding>> {
    let mut round = Round::default();
    let mut applied = Vec::new();
    for Found { finding, mend } in found {
        if let Some(mend) = mend
            && round.apply(picture, mend) == Outcome::Done
        {
            applied.push(finding.clone());
        }
    }
    (!applied.is_empty()).then_some(applied)
}

fn put_in_order(findings: &mut Vec<Finding>) {
    findings.sort_by(|a, b| {
        (a.weight, a.kind, &a.path, a.line, &a.what).cmp(&(b.weight, b.kind, &b.path, b.line, &b.what))
    });
    findings.dedup();
}
