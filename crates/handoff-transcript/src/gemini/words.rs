//! What is said in Gemini CLI's records, taken out of what is around it.

use handoff_model::agent::{Fill, Usage, What};
use serde_json::Value;

/// Content as text: it is a text, or a list of which only some are.
pub(super) fn text_of(content: &Value) -> String {
    let part = |part: &Value| part.as_str().or_else(|| part.get("text")?.as_str()).map(str::to_owned);
    match content {
        Value::Array(parts) => parts.iter().filter_map(part).collect::<Vec<_>>().join("\n").trim().to_owned(),
        other => part(other).unwrap_or_default().trim().to_owned(),
    }
}

/// What a person wrote, without what hooks put in front of it or behind.
pub(super) fn without_context(text: &str) -> String {
    const OPEN: &str = "<hook_context>";
    const CLOSE: &str = "</hook_context>";
    let mut rest = text;
    let mut kept = String::new();
    while let Some(from) = rest.find(OPEN) {
        kept.push_str(&rest[..from]);
        rest = rest[from..].find(CLOSE).map_or("", |at| &rest[from + at + CLOSE.len()..]);
    }
    kept.push_str(rest);
    kept.trim().to_owned()
}

pub(super) fn spent(tokens: &Value) -> Vec<What> {
    let count = |name: &str| tokens.get(name).and_then(Value::as_u64).unwrap_or(0);
    let input = count("input").saturating_add(count("tool"));
    let output = count("output").saturating_add(count("thoughts"));
    if input == 0 && output == 0 {
        return Vec::new();
    }
    let used = input.saturating_add(output);
    vec![What::Spent(Usage { input, cached: count("cached"), output }), What::Context(Fill { used, window: None })]
}

/// What a tool answered, without the marks that tell the model not to trust it.
pub(super) fn result_text(result: &Value) -> String {
    let parts = result.as_array().into_iter().flatten();
    let answers = parts.filter_map(|part| {
        let response = part.pointer("/functionResponse/response")?;
        response.get("output").or_else(|| response.get("error"))?.as_str()
    });
    let text = answers.collect::<Vec<_>>().join("\n");
    let inner = text.trim().strip_prefix("<untrusted_context>").unwrap_or(&text);
    inner.trim().strip_suffix("</untrusted_context>").unwrap_or(inner).trim().to_owned()
}

/// Exit code and output of a command, from lines such as `Output: …` and `Exit Code: 1`; a code of 0 is not written.
pub(super) fn shell_result(result: &str, is_failure: bool) -> (Option<i32>, &str) {
    let exit = result.lines().rev().find_map(|line| line.strip_prefix("Exit Code: ")?.trim().parse().ok());
    let output = result.strip_prefix("Output: ").unwrap_or(result);
    let ends = ["\nExit Code: ", "\nSignal: ", "\nBackground PIDs: ", "\nProcess Group PGID: "];
    let end = ends.iter().filter_map(|end| output.rfind(end)).min().unwrap_or(output.len());
    (exit.or((!is_failure).then_some(0)), &output[..end])
}
