//! The program `handoff`.

fn main() -> std::process::ExitCode {
    handoff_cli::main()
}
