//! The page about the doctor and the code say the same about each kind.

use handoff_model::heal::{Kind, Mending, Weight};

#[test]
fn every_kind_has_its_row_on_the_page() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/doctor.md")).unwrap();
    let rows: Vec<&str> =
        page.lines().filter(|line| line.starts_with("| `") && line.matches('|').count() == 5).collect();
    let wanted: Vec<String> = Kind::ALL.iter().map(|kind| row(*kind)).collect();
    assert_eq!(rows, wanted, "the rows of docs/doctor.md, in the order of the code");
}

fn row(kind: Kind) -> String {
    let weight = match kind.weight() {
        Weight::Damage => "damage",
        Weight::Drift => "drift",
        Weight::Note => "note",
    };
    let mended = match kind.mending() {
        Mending::Always => "yes",
        Mending::Sometimes => "where it is certain",
        Mending::Never => "no",
    };
    format!("| `{kind}` | {weight} | {mended} | {} |", kind.about())
}
