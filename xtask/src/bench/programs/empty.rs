// The floor of every command: a process that does nothing.
fn main() {}
