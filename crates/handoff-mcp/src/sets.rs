//! Which tools are listed. What is not listed can still be called by its name.

use handoff_ops::{Door, Entry, OpError, ToolSet, registry};

/// Every set, in the order they are told about.
const SETS: [ToolSet; 11] = [
    ToolSet::Core,
    ToolSet::Tasks,
    ToolSet::Sessions,
    ToolSet::Memory,
    ToolSet::Time,
    ToolSet::Planning,
    ToolSet::Team,
    ToolSet::Packages,
    ToolSet::History,
    ToolSet::Config,
    ToolSet::Project,
];
/// The word for all of them.
const ALL: &str = "all";

/// The sets a client is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSets(Vec<ToolSet>);

impl Default for ToolSets {
    fn default() -> ToolSets {
        ToolSets(vec![ToolSet::Core])
    }
}

impl ToolSets {
    /// The names a person can choose from.
    pub fn names() -> impl Iterator<Item = &'static str> {
        SETS.into_iter().map(ToolSet::as_str).chain([ALL])
    }

    /// Reads a list such as `core,tasks`, or `all`.
    pub fn parse(text: &str) -> Result<ToolSets, OpError> {
        let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
        let mut sets = Vec::new();
        for word in words {
            match SETS.into_iter().find(|set| set.as_str() == word) {
                Some(set) => sets.push(set),
                None if word == ALL => sets.extend(SETS),
                None => return Err(unknown(word)),
            }
        }
        if sets.is_empty() {
            return Ok(ToolSets::default());
        }
        Ok(ToolSets(sets))
    }

    /// The operations to list, in the order of the registry.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &'static Entry> {
        offered().filter(|entry| self.0.contains(&entry.set))
    }
}

fn unknown(word: &str) -> OpError {
    let names: Vec<String> = ToolSets::names().map(|name| format!("`{name}`")).collect();
    OpError::usage(format!("no set of tools is called `{word}`")).detail(format!("the sets are {}", names.join(", ")))
}

/// Every operation that can be called.
pub(crate) fn offered() -> impl Iterator<Item = &'static Entry> {
    registry::ALL.iter().filter(|entry| entry.offered_at(Door::Mcp))
}

/// The operation a tool's name stands for.
pub(crate) fn tool(name: &str) -> Option<&'static Entry> {
    offered().find(|entry| entry.tool == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_sets_is_read_with_blanks_and_repetitions() {
        assert_eq!(ToolSets::parse(" core, tasks,").unwrap().0, [ToolSet::Core, ToolSet::Tasks]);
        assert_eq!(ToolSets::parse("").unwrap(), ToolSets::default());
        let all = ToolSets::parse("all").unwrap();
        assert_eq!(all.listed().count(), offered().count());
        let twice = ToolSets::parse("all,core").unwrap();
        assert_eq!(twice.listed().count(), offered().count(), "nothing is listed twice");
    }

    #[test]
    fn an_unknown_set_is_refused_with_the_names_of_all() {
        let error = ToolSets::parse("core,taks").unwrap_err();
        assert_eq!(error.message(), "no set of tools is called `taks`");
        assert_eq!(
            error.detail_lines(),
            [
                "the sets are `core`, `tasks`, `sessions`, `memory`, `time`, `planning`, `team`, `packages`, `history`, `config`, `project`, `all`"
            ]
        );
    }

    #[test]
    fn every_operation_is_in_a_set_that_can_be_asked_for() {
        for entry in offered() {
            assert!(SETS.contains(&entry.set), "{}", entry.tool);
        }
    }
}
