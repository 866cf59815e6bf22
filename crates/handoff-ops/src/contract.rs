//! The public contract: every operation with its schemas, as one JSON document.

use serde_json::{Value, json};

use crate::{Door, Entry, ErrorKind};

/// Version of the document's own shape.
const CONTRACT: u32 = 1;

/// The contract of these operations, in their order.
pub fn contract(entries: &[Entry]) -> Value {
    json!({
        "contract": CONTRACT,
        "operations": entries.iter().map(operation).collect::<Vec<_>>(),
        "errors": ErrorKind::ALL.iter().map(|kind| error(*kind)).collect::<Vec<_>>(),
    })
}

fn operation(entry: &Entry) -> Value {
    json!({
        "name": entry.name,
        "tool": entry.tool,
        "set": entry.set.as_str(),
        "effect": entry.effect.as_str(),
        "doors": entry.doors.iter().copied().map(Door::as_str).collect::<Vec<_>>(),
        "about": entry.about(),
        "doc": entry.doc(),
        "request": entry.schema(),
        "outcome": entry.outcome_schema(),
        "example": entry.example(),
    })
}

fn error(kind: ErrorKind) -> Value {
    json!({
        "kind": kind.as_str(),
        "exit_code": kind.exit_code(),
        "http_status": kind.http_status(),
        "mcp_code": kind.mcp_code(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Seal, Water};

    #[test]
    fn the_contract_describes_each_operation() {
        let contract = contract(&[Entry::of::<Water>(), Entry::of::<Seal>()]);
        let water = &contract["operations"][0];
        assert_eq!(water["name"], "plant.water");
        assert_eq!(water["doors"], json!(["cli", "mcp", "http"]));
        assert_eq!(water["about"], "Give a plant water");
        assert_eq!(
            water["doc"],
            "Give a plant water\n\nToo much is refused. A plant that does not exist is not found."
        );
        assert_eq!(water["request"]["required"], json!(["plant"]));
        assert_eq!(water["request"]["properties"]["plant"]["description"], "Plant to water");
        assert!(water["outcome"]["properties"]["litres"].is_object());
        assert_eq!(water["example"], json!({"plant": "fern", "litres": 2}));
        assert_eq!(contract["operations"][1]["doors"], json!(["cli"]));
        assert_eq!(contract["errors"][3]["exit_code"], 4);
    }
}
