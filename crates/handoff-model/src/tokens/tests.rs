use super::*;
#[test]
fn dump() {
    let bpe = bpe_openai::o200k_base();
    let text = std::fs::read_to_string("/tmp/explore/texts.jsonl").unwrap();
    for line in text.lines() {
        let v: serde_json::Value = serde_json::from_str(line).unwrap();
        let kind = v["k"].as_str().unwrap();
        let mut low = f64::MAX;
        let mut high: f64 = 0.0;
        let mut sum = 0.0;
        let mut n = 0.0;
        let mut worst = "";
        for t in v["t"].as_array().unwrap() {
            let t = t.as_str().unwrap();
            let c = bpe.count(t);
            if c < 60 {
                continue;
            }
            let r = estimate(t) as f64 / c as f64;
            if r < low {
                worst = t
            }
            low = low.min(r);
            high = high.max(r);
            sum += r;
            n += 1.0;
        }
        println!("{kind:14} n {n:4} low {low:.3} mean {:.3} high {high:.3}", sum / n);
        if low < 0.97 {
            println!("{:?}", worst.chars().take(200).collect::<String>());
        }
    }
}
