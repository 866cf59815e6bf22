//! Changing the decisions of a session: their ids, the paths they govern, what they supersede.

use super::{BadEdit, Surroundings};
use crate::change::Change;
use crate::id::shorten;
use crate::session::input::DecisionInput;
use crate::session::{Decision, DecisionRef, Known, Session, Unknown, merge, place};
use crate::text::OneLine;

pub(super) fn change(
    session: &mut Session,
    around: Surroundings<'_>,
    decisions: Change<Vec<DecisionInput>>,
    added: Vec<DecisionInput>,
    mut find: impl FnMut(&DecisionRef) -> Result<Known, Unknown>,
) -> Result<Vec<String>, BadEdit> {
    let mut warnings = mend_ids(session);
    let before = session.clone();
    let mut asked = Vec::new();
    let decisions = match decisions {
        Change::Keep => Change::Keep,
        Change::Clear => Change::Clear,
        Change::Set(given) => Change::Set(checked("decisions", given, session, around, &mut asked)?),
    };
    let added = checked("add_decisions", added, session, around, &mut asked)?;
    let mut gone = merge::replace(&mut session.decisions, decisions);
    merge::add(&mut session.decisions, &mut gone, added);
    session.allot_decision_ids(&before);
    for (id, text) in asked {
        let got = session.decisions.iter().find(|decision| decision.decision == text).map(|decision| &decision.id);
        if let Some(got) = got.filter(|got| **got != id) {
            let text = shorten(&text);
            warnings.push(format!("no decision `{id}` was there to change; `{text}` is now `{got}`"));
        }
    }
    warnings.extend(session.decisions.iter_mut().filter_map(|decision| revise(decision, &before)));
    for index in 0..session.decisions.len() {
        let same = |old: &&Decision| old.id == session.decisions[index].id;
        let settled = before.decisions.iter().find(same).and_then(|old| old.supersedes.as_ref());
        if settled != session.decisions[index].supersedes.as_ref() {
            warnings.extend(settle(session, &before, index, around.name, &mut find)?);
        }
    }
    Ok(warnings)
}

/// Gives each decision an id of its own where a merge or a hand left one twice or not at all.
fn mend_ids(session: &mut Session) -> Vec<String> {
    let mut warnings = Vec::new();
    for (index, id) in session.decision_ids().into_iter().enumerate() {
        let decision = &mut session.decisions[index];
        if decision.id != id {
            let text = shorten(&decision.decision);
            warnings.push(format!("the decision `{text}` had no id of its own; it is now `{id}`"));
            decision.id = id;
        }
    }
    warnings
}

/// Brings paths into their form, and notes which ids were asked for: they are allotted, not chosen.
fn checked(
    field: &str,
    mut given: Vec<DecisionInput>,
    session: &Session,
    around: Surroundings<'_>,
    asked: &mut Vec<(String, String)>,
) -> Result<Vec<DecisionInput>, BadEdit> {
    for (index, input) in given.iter_mut().enumerate() {
        if let Change::Set(paths) = &mut input.paths {
            for (at, path) in paths.iter_mut().enumerate() {
                let inside = place::inside(path.as_str(), around.roots);
                let bad = |reason| BadEdit::Path { field: format!("{field}[{index}].paths[{at}]"), reason };
                *path = inside.map_err(bad)?.parse::<OneLine>().expect("a path inside is part of one line");
            }
        }
        if let Some(id) = input.id.take() {
            let id = id.trim();
            let id = id.rsplit_once('#').filter(|(session, _)| *session == around.name).map_or(id, |(_, id)| id);
            let known = session.decisions.iter().any(|decision| decision.id == id);
            input.id = known.then(|| id.to_owned());
            if !id.is_empty() {
                asked.push((id.to_owned(), input.decision.as_str().to_owned()));
            }
        }
    }
    Ok(given)
}

/// Notes that something was changed about a decision that other sessions have too. One that says something else is no
/// longer the same; the answer is a warning then, since theirs stays in force.
fn revise(decision: &mut Decision, before: &Session) -> Option<String> {
    let old = before.decisions.iter().find(|old| old.id == decision.id).filter(|_| !decision.same_as.is_empty())?;
    if old.decision == decision.decision {
        decision.revised |= old != decision;
        return None;
    }
    decision.revised = false;
    let others = std::mem::take(&mut decision.same_as);
    let others: Vec<String> = others.iter().map(|other| format!("`{other}`")).collect();
    Some(format!(
        "`{}` was {} and says something else now; what it was stays in force unless this supersedes it",
        decision.id,
        others.join(", ")
    ))
}

/// Turns what a decision supersedes into its full form. The answer is a warning, where there is one.
fn settle(
    session: &mut Session,
    before: &Session,
    index: usize,
    name: &str,
    find: &mut impl FnMut(&DecisionRef) -> Result<Known, Unknown>,
) -> Result<Option<String>, BadEdit> {
    let Some(wanted) = session.decisions[index].supersedes.clone() else { return Ok(None) };
    let text = shorten(&session.decisions[index].decision);
    let reference: DecisionRef =
        wanted.parse().map_err(|reason| BadEdit::NotADecision { decision: text.clone(), reason })?;
    let own = |decision: &Decision| reference.is_in(name) && reference.has_id(&decision.id);
    let known = match session.decisions.iter().position(own) {
        Some(target) => {
            let full = format!("{name}#{}", session.decisions[target].id);
            if let Some(through_others) = leads_to(session, target, index, name) {
                return Err(BadEdit::SupersedesItself { decision: text, through_others });
            }
            let others = session.decisions.iter().enumerate().rev();
            let other = others.filter(|(at, _)| *at != index).find(|(_, it)| it.supersedes.as_ref() == Some(&full));
            Known { superseded_by: other.map(|(_, other)| format!("{name}#{}", other.id)), reference: full }
        }
        None if before.decisions.iter().any(own) => {
            let full = format!("{name}#{}", reference.id.to_ascii_lowercase());
            let warning = format!("`{full}` is superseded by `{text}` and no longer listed in this session");
            session.decisions[index].supersedes = Some(full);
            return Ok(Some(warning));
        }
        None => find(&reference).map_err(|unknown| BadEdit::NoSuchDecision {
            decision: text.clone(),
            wanted: shorten(&wanted),
            close: unknown.close,
        })?,
    };
    let own = format!("{name}#{}", session.decisions[index].id);
    session.decisions[index].supersedes = Some(known.reference.clone());
    let other = known.superseded_by.filter(|other| *other != own);
    Ok(other.map(|other| format!("`{}` was already superseded by `{other}`; now `{own}` does so too", known.reference)))
}

/// Whether the decision at `from` supersedes, directly (`false`) or through others (`true`), the one at `to`.
fn leads_to(session: &Session, from: usize, to: usize, name: &str) -> Option<bool> {
    let mut at = from;
    for steps in 0..=session.decisions.len() {
        if at == to {
            return Some(steps > 0);
        }
        let next: DecisionRef = session.decisions[at].supersedes.as_ref()?.parse().ok()?;
        at = session.decisions.iter().position(|other| next.is_in(name) && next.has_id(&other.id))?;
    }
    None
}
