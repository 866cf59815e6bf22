//! Knowing again what is handoff's own, and what belongs to the tools it takes over from.

use std::path::Path;

use handoff_model::agent::HookEvent;
use serde_json::Value;

/// Whose an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    Ours,
    /// Of handoff-mcp, whose place handoff can take
    Peer,
    Other,
}

/// Whether a command runs one of our hooks: `… hook EVENT --host …`, behind a program with our name.
pub(crate) fn is_hook_command(command: &str) -> bool {
    command.match_indices(" hook ").any(|(at, found)| {
        let (program, rest) = (&command[..at], &command[at + found.len()..]);
        let mut words = rest.split_whitespace();
        let is_event = words.next().is_some_and(|word| word.parse::<HookEvent>().is_ok());
        is_event && words.next() == Some("--host") && program.to_ascii_lowercase().contains("handoff")
    })
}

/// Whose a handler, or a group of handlers, in a list of hooks is.
pub(crate) fn whose_item(item: &Value) -> Whose {
    if let Some(handlers) = item.get("hooks").and_then(Value::as_array) {
        let mut whose = handlers.iter().map(whose_item);
        return match whose.next() {
            // A group in which others have put something, too, is theirs; what is ours in it is looked for there.
            Some(first) if whose.all(|next| next == first) => first,
            _ => Whose::Other,
        };
    }
    let commands = ["command", "commandWindows", "bash", "powershell"];
    if commands.iter().any(|key| item.get(key).and_then(Value::as_str).is_some_and(is_hook_command)) {
        return Whose::Ours;
    }
    let text = |key| item.get(key).and_then(Value::as_str);
    if text("type") == Some("mcp_tool") && text("server").is_some_and(|server| server.contains("handoff")) {
        return Whose::Peer;
    }
    Whose::Other
}

/// Whose the registration of a server is. `program` is the path of the program that is running.
pub(crate) fn whose_server(entry: &Value, program: &Path) -> Whose {
    let (command, args) = match entry.get("command") {
        Some(Value::String(command)) => (command.as_str(), words(entry.get("args"))),
        // OpenCode has one list for both.
        Some(list @ Value::Array(_)) => match words(Some(list)).split_first() {
            Some((command, args)) => (*command, args.to_vec()),
            None => return Whose::Other,
        },
        _ => return Whose::Other,
    };
    let file = command.rsplit(['/', '\\']).next().unwrap_or(command);
    let name = file.strip_suffix(".exe").unwrap_or(file);
    match name {
        "handoff" if args.first() == Some(&"mcp") => Whose::Ours,
        // Whatever it is called: it is the program that asks.
        _ if Path::new(command) == program && args.first() == Some(&"mcp") => Whose::Ours,
        // Ours has the same name, and lies beside the program.
        "handoff-mcp" if Path::new(command).parent().is_some_and(|dir| Some(dir) == program.parent()) => Whose::Ours,
        "handoff-mcp" => Whose::Peer,
        "npx" | "bunx" | "uvx" | "pnpm" | "cargo" if args.iter().any(|arg| arg.starts_with("handoff-mcp")) => {
            Whose::Peer
        }
        _ => Whose::Other,
    }
}

fn words(list: Option<&Value>) -> Vec<&str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_hook_command_is_known_wherever_the_program_lies() {
        for command in [
            "/usr/bin/handoff hook prompt --host codex",
            "'/home/o'\\''neil/my bin/handoff' hook session-start --host claude-code",
            "& 'C:\\Tools\\Handoff.exe' hook turn-end --host gemini",
        ] {
            assert!(is_hook_command(command), "{command}");
        }
        for command in [
            "handoff resume",
            "git hook prompt --host x",
            "handoff hook later --host x",
            "echo handoff hook prompt",
            "my-handoff.sh",
        ] {
            assert!(!is_hook_command(command), "{command}");
        }
    }

    #[test]
    fn a_group_with_others_in_it_is_not_ours() {
        let ours = json!({"type": "command", "command": "handoff hook prompt --host codex"});
        let other = json!({"type": "command", "command": "make lint"});
        assert_eq!(whose_item(&json!({"matcher": "x", "hooks": [ours]})), Whose::Ours);
        assert_eq!(whose_item(&json!({"hooks": [ours, other]})), Whose::Other);
        assert_eq!(whose_item(&json!({"hooks": []})), Whose::Other);
        let peer = json!({"type": "mcp_tool", "server": "handoff", "tool": "memory_query"});
        assert_eq!(whose_item(&json!({"hooks": [peer]})), Whose::Peer);
    }

    #[test]
    fn a_server_is_told_by_what_it_starts() {
        let program = Path::new("/opt/bin/handoff");
        let whose = |entry: Value| whose_server(&entry, program);
        assert_eq!(whose(json!({"command": "/old/handoff", "args": ["mcp", "--tools", "all"]})), Whose::Ours);
        assert_eq!(whose(json!({"type": "local", "command": ["C:\\x\\handoff.exe", "mcp"]})), Whose::Ours);
        assert_eq!(whose(json!({"command": "/opt/bin/handoff-mcp"})), Whose::Ours);
        let renamed = json!({"command": "/opt/bin/handoff-2", "args": ["mcp"]});
        assert_eq!(whose_server(&renamed, Path::new("/opt/bin/handoff-2")), Whose::Ours);
        assert_eq!(whose(renamed), Whose::Other);
        assert_eq!(whose(json!({"command": "handoff-mcp", "args": []})), Whose::Peer);
        assert_eq!(whose(json!({"command": "npx", "args": ["-y", "handoff-mcp@latest"]})), Whose::Peer);
        assert_eq!(whose(json!({"command": "python", "args": ["-m", "handoff"]})), Whose::Other);
        assert_eq!(whose(json!({"url": "http://localhost/mcp"})), Whose::Other);
    }
}
