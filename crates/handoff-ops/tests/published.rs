//! tools
use handoff_ops::{Door, registry};
#[test]
fn show() {
    let mut all = 0;
    for entry in registry::ALL.iter().filter(|e| e.offered_at(Door::Mcp) && e.set == handoff_ops::ToolSet::Core) {
        let mut schema = entry.schema();
        let o = schema.as_object_mut().unwrap();
        o.remove("$schema");
        o.remove("title");
        o.remove("description");
        let text = format!("{} {} {}", entry.tool, entry.doc(), schema);
        println!("{} {}", text.len(), text);
        all += text.len();
    }
    println!("{all}");
}
