//! `handoff memory cleanup`

use std::sync::Arc;

use clap::Args;
use handoff_model::memory::{MemoryId, MemoryLikeness, MemoryRecord, groups_of_similar};
use handoff_model::when::Moment;
use handoff_store::FoundMemory;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use super::{MemoryUse, ShowMemory};
use crate::page::{Role, Text};
use crate::published::schema;
use crate::{Effect, Facts, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// Retire memories that say the same as another, and list those to look at
///
/// Of memories with the same words the oldest stays and the others are retired in its favour. Those that are nearly the same,
/// contradict each other, or have not been used for a long time are only listed.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct CleanUpMemories {
    /// Only name those that say the same
    #[arg(long = "dry-run", action = clap::ArgAction::SetFalse)]
    #[serde(default = "yes", deserialize_with = "yes_unless_given")]
    #[schemars(schema_with = "schema::truth", description = "False: only name those that say the same")]
    pub apply_exact_merges: bool,
    /// Days without use after which a memory is named, 60 if not given
    #[arg(long, value_name = "N")]
    #[serde(default)]
    #[schemars(schema_with = "schema::integer")]
    pub stale_days: Option<u32>,
}

fn yes() -> bool {
    true
}

fn yes_unless_given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_else(yes))
}

/// What was united, and what should be looked at.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MemoryCleanup {
    /// How many memories were retired because another says the same
    pub auto_merged_exact: usize,
    pub cleanup_recommendations: CleanupRecommendations,
    /// Always 0: what conversations were given is not kept in files of its own
    pub injected_sidecars_removed: usize,
    pub message: String,
}

/// What should be looked at.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CleanupRecommendations {
    /// Memories that are nearly the same, or contradict each other
    pub similar_clusters: Vec<MemoryGroup>,
    /// Memories that were not used on this machine for long, the longest first
    pub stale: Vec<StaleMemory>,
    /// How many more of both there are
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<usize>,
}

/// Memories that are close to one another.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MemoryGroup {
    /// `same`, `contradicts` or `similar`
    pub relation: &'static str,
    pub ids: Vec<MemoryId>,
    pub summaries: Vec<String>,
}

/// A memory that was not used for long.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StaleMemory {
    pub id: MemoryId,
    pub summary: String,
    /// When it was last used on this machine; absent where that is not known
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<Moment>,
}

const USUAL_STALE_DAYS: u32 = 60;
/// Groups and stale memories that are named.
const MAX_NAMED: usize = 20;

impl Operation for CleanUpMemories {
    const NAME: &'static str = "memory.cleanup";
    const TOOL: &'static str = "handoff_memory_cleanup";
    const SET: ToolSet = ToolSet::Memory;
    const EFFECT: Effect = Effect::Amend;
    type Outcome = MemoryCleanup;

    fn example() -> Value {
        json!({"stale_days": 90})
    }

    fn run(self, project: &mut Project) -> Result<MemoryCleanup, OpError> {
        let memories = project.store().memories()?;
        let in_force: Vec<&Arc<FoundMemory>> =
            memories.list.iter().filter(|found| found.record.is_in_force()).collect();
        let records: Vec<&MemoryRecord> = in_force.iter().map(|found| &found.record).collect();
        let mut merged = 0;
        let mut groups = Vec::new();
        for (likeness, places) in groups_of_similar(&records) {
            let places = match likeness {
                MemoryLikeness::Same if self.apply_exact_merges => {
                    let (rest, retired) = unite(project, &in_force, places)?;
                    merged += retired;
                    rest
                }
                _ => places,
            };
            if places.len() > 1 {
                groups.push(group(likeness, &places, &records));
            }
        }
        let stale = stale(project, &records, self.stale_days.unwrap_or(USUAL_STALE_DAYS));
        let left_out = groups.len().saturating_sub(MAX_NAMED) + stale.len().saturating_sub(MAX_NAMED);
        let message = match (merged, groups.len(), stale.len()) {
            (0, 0, 0) => "nothing to clean up".to_owned(),
            (merged, groups, stale) => format!(
                "{} retired as duplicates; to look at: {} that are similar or contradict each other, {stale} not used for \
                 a long time",
                counted(merged, "memory", "memories"),
                counted(groups, "group", "groups")
            ),
        };
        let cleanup_recommendations = CleanupRecommendations {
            similar_clusters: groups.into_iter().take(MAX_NAMED).collect(),
            stale: stale.into_iter().take(MAX_NAMED).collect(),
            left_out: Some(left_out).filter(|count| *count > 0),
        };
        Ok(MemoryCleanup { auto_merged_exact: merged, cleanup_recommendations, injected_sidecars_removed: 0, message })
    }
}

fn counted(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// Retires those of a group that say the same as an older one. Returns the places that stay, and how many went.
fn unite(
    project: &mut Project,
    memories: &[&Arc<FoundMemory>],
    mut places: Vec<usize>,
) -> Result<(Vec<usize>, usize), OpError> {
    places.sort_by_key(|place| (memories[*place].record.created_at, memories[*place].record.id));
    let mut kept: Vec<(usize, MemoryRecord)> = Vec::new();
    let mut retired: Vec<(usize, MemoryId)> = Vec::new();
    for place in places {
        let record = &memories[place].record;
        let says_same = |(_, older): &&mut (usize, MemoryRecord)| {
            let similar = handoff_model::memory::similar_memories(record, [older]);
            similar.first().is_some_and(|found| found.likeness == MemoryLikeness::Same)
        };
        match kept.iter_mut().find(says_same) {
            Some((_, older)) => {
                older.absorb(record);
                older.widen(record);
                retired.push((place, older.id));
            }
            None => kept.push((place, record.clone())),
        }
    }
    let now = project.now();
    for (place, record) in &kept {
        if *record != memories[*place].record {
            project.store_mut().save_memory(memories[*place], record.clone())?;
        }
    }
    for (place, by) in &retired {
        let mut record = memories[*place].record.clone();
        record
            .retire(now, Some("says the same".to_owned()), Some(*by))
            .map_err(|error| OpError::refused(error.to_string()))?;
        project.store_mut().save_memory(memories[*place], record)?;
    }
    Ok((kept.into_iter().map(|(place, _)| place).collect(), retired.len()))
}

fn group(likeness: MemoryLikeness, places: &[usize], records: &[&MemoryRecord]) -> MemoryGroup {
    let relation = match likeness {
        MemoryLikeness::Same => "same",
        MemoryLikeness::Contradicts => "contradicts",
        MemoryLikeness::Similar => "similar",
    };
    let of = |place: &usize| records[*place];
    MemoryGroup {
        relation,
        ids: places.iter().map(|place| of(place).id).collect(),
        summaries: places.iter().map(|place| of(place).summary()).collect(),
    }
}

/// Memories that were neither made nor used within these days.
fn stale(project: &Project, records: &[&MemoryRecord], days: u32) -> Vec<StaleMemory> {
    let used = MemoryUse::read(project);
    let since = project.now().later(-jiff::SignedDuration::from_hours(24 * i64::from(days)));
    let mut stale: Vec<StaleMemory> = Vec::new();
    for record in records {
        let last = used.last_used(record.id);
        if last.max(record.created_at).is_none_or(|last| last < since) {
            stale.push(StaleMemory { id: record.id, summary: record.summary(), last_used_at: last });
        }
    }
    stale.sort_by_key(|memory| (memory.last_used_at, memory.id));
    stale
}

impl Report for MemoryCleanup {
    fn page(&self) -> Page {
        let mut page = Page::new().line(Text::of(Role::Good, "✓ ").plain(&self.message));
        let CleanupRecommendations { similar_clusters, stale, left_out } = &self.cleanup_recommendations;
        for group in similar_clusters {
            page = page.line(format!("{}:", group.relation));
            for (id, summary) in group.ids.iter().zip(&group.summaries) {
                page = page.said(Text::of(Role::Id, id.to_string()).plain(" ").plain(summary));
            }
        }
        if !stale.is_empty() {
            page = page.line("not used on this machine for a long time:");
        }
        for memory in stale {
            let last = memory.last_used_at.map_or_else(|| "never".to_owned(), |at| at.day().to_string());
            let line = Text::of(Role::Id, memory.id.to_string()).plain(" ").plain(&memory.summary);
            page = page.said(line.and(Role::Dim, format!(" · {last}")));
        }
        let first = similar_clusters.first().and_then(|group| group.ids.first()).or(stale.first().map(|one| &one.id));
        if let Some(id) = first {
            page = page.advice("to look at one: ", Hint::run_with::<ShowMemory>(json!({"id": id})));
        }
        page.more(left_out.unwrap_or(0), None)
    }

    fn facts(&self) -> Facts {
        let mut more = serde_json::Map::new();
        more.insert("auto_merged_exact".to_owned(), json!(self.auto_merged_exact));
        more.insert("cleanup_recommendations".to_owned(), json!(self.cleanup_recommendations));
        more.insert("injected_sidecars_removed".to_owned(), json!(self.injected_sidecars_removed));
        Facts { message: self.page().to_markdown(None), more, ..Facts::default() }
    }
}
