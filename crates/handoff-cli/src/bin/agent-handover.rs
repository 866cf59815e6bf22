//! The program `agent-handover`: `handoff` under the name of that tool, whose users find its commands here.

fn main() -> std::process::ExitCode {
    handoff_cli::main()
}
