use handoff_model::config::*;
use std::time::Instant;
fn main() {
    let n = 4 * 1024 * 1024;
    let cases: Vec<(&str, String)> = vec![
        ("brackets", "[".repeat(n)),
        ("a=brackets", format!("a = {}", "[".repeat(n))),
        ("a=braces", format!("a = {}", "{a=".repeat(n / 3))),
        ("dots", format!("{}a=1", "a.".repeat(n / 2))),
        ("labels", format!("labels = [{}]", "1,".repeat(n / 2 - 10))),
        ("broken lines", "x = \n".repeat(n / 5)),
        ("broken lines distinct", (0..300_000).map(|i| format!("x{i} = \n")).collect()),
        ("good lines one broken", (0..300_000).map(|i| format!("x{i} = 1\n")).collect::<String>() + "y = \n"),
        ("bad assignees", (0..100_000).map(|i| format!("[assignees.a{i}]\ncolor = 1\n")).collect()),
        ("good assignees", (0..50_000).map(|i| format!("[assignees.a{i}]\ncolor = \"#112233\"\n")).collect()),
        ("headers", "[settings]\n".repeat(n / 11)),
        ("quotes", "\"".repeat(n)),
        ("bytes", (0..n as u32).map(|i| char::from((i.wrapping_mul(2654435761) >> 24) as u8 & 0x7f)).collect()),
        ("bracket line", format!("x = [\n{}\n", "[]],".repeat(n / 4))),
    ];
    let keys = Keys::new();
    for (name, text) in cases {
        let t = Instant::now();
        let r =
            resolve(Sources { project: Some(Source { path: "c".into(), text: text.clone() }), ..Sources::default() });
        let a = t.elapsed();
        let problems = r.problems().count();
        let t = Instant::now();
        let e = r.entries(&keys).len();
        let b = t.elapsed();
        let t = Instant::now();
        let path: Vec<String> = vec!["settings".into(), "history_limit".into()];
        let s = apply(&text, &[Assignment { path: path.clone(), value: Some(3.into()) }]).is_ok();
        let c = t.elapsed();
        let t = Instant::now();
        let s2 = apply(&text, &[Assignment { path, value: None }]).is_ok();
        println!("{name}: resolve {a:?} ({problems}) entries {b:?} ({e}) set {c:?} {s} clear {:?} {s2}", t.elapsed());
    }
}
