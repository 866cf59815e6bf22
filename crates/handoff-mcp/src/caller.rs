//! Who asks, as far as a request tells.

use std::sync::Arc;

use handoff_ops::{Caller, Connection, Environment};
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde_json::Value;

/// Names that clients give themselves, and what people call them.
const KNOWN: &[(&str, &str)] = &[("visual studio code", "vscode"), ("cursor-vscode", "cursor")];
/// What some clients add to their name.
const ENDINGS: &[&str] = &["-mcp-client", "-mcp"];

/// The agent behind a request.
pub(crate) fn of(context: &RequestContext<RoleServer>, connection: &Arc<Connection>, env: &Environment) -> Caller {
    let meta = Value::Object(context.meta.0.0.clone());
    Caller {
        agent_session: agent_session(&meta).or_else(|| env.text("CLAUDE_CODE_SESSION_ID").map(str::to_owned)),
        tool: context.client_info().and_then(|client| tool(&client.name)),
        connection: Some(Arc::clone(connection)),
    }
}

/// The agent's own id for its conversation.
fn agent_session(meta: &Value) -> Option<String> {
    let turn = match &meta["x-codex-turn-metadata"] {
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        turn => turn.clone(),
    };
    [&turn["session_id"], &meta["sessionId"], &meta["threadId"]]
        .into_iter()
        .find_map(|id| id.as_str().map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned))
}

/// The tool a client stands for: `codex-mcp-client` is `codex`.
fn tool(client: &str) -> Option<String> {
    let name = client.trim().to_lowercase();
    if let Some((_, known)) = KNOWN.iter().find(|(given, _)| *given == name) {
        return Some((*known).to_owned());
    }
    let name = name.split_whitespace().collect::<Vec<_>>().join("-");
    let short = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    (!short.is_empty()).then(|| short.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn clients_are_known_by_the_names_people_use() {
        let names = [
            ("codex-mcp-client", "codex"),
            ("claude-code", "claude-code"),
            ("gemini-cli-mcp-client", "gemini-cli"),
            ("Visual Studio Code", "vscode"),
            ("My Own Client", "my-own-client"),
        ];
        for (client, expected) in names {
            assert_eq!(tool(client).as_deref(), Some(expected));
        }
        assert_eq!(tool("  "), None);
    }

    #[test]
    fn the_conversation_is_named_by_whichever_field_the_host_uses() {
        let codex = json!({"threadId": "t", "sessionId": "s", "x-codex-turn-metadata": {"session_id": "root"}});
        assert_eq!(agent_session(&codex).as_deref(), Some("root"));
        let as_text = json!({"x-codex-turn-metadata": "{\"session_id\":\"root\"}"});
        assert_eq!(agent_session(&as_text).as_deref(), Some("root"));
        assert_eq!(agent_session(&json!({"threadId": "t", "sessionId": ""})).as_deref(), Some("t"));
        assert_eq!(agent_session(&json!({"progressToken": 1})), None);
    }
}
