//! The program `handoff-mcp`: `handoff` under the name that MCP hosts know, so that installing one installs both.

fn main() -> std::process::ExitCode {
    handoff_cli::main()
}
