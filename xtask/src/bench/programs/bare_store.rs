// The floor of storing a package, whose record and body are one change: the journal, the body, the record, each written
// beside, synced, renamed and its directory synced; then the journal goes.
use std::fs::{self, File};
use std::io::Write;

fn put(directory: &str, name: &str, bytes: usize) -> std::io::Result<()> {
    let beside = format!("{directory}/.new");
    let mut file = File::create(&beside)?;
    file.write_all(&vec![b'x'; bytes])?;
    file.sync_all()?;
    fs::rename(&beside, format!("{directory}/{name}"))?;
    File::open(directory)?.sync_all()
}

fn main() -> std::io::Result<()> {
    let mut args = std::env::args().skip(1);
    let directory = args.next().expect("a directory");
    let bytes: usize = args.next().expect("a size").parse().expect("a number");
    let (state, sessions) = (format!("{directory}/state"), format!("{directory}/sessions"));
    put(&state, "journal", bytes * 2)?;
    put(&sessions, &format!("{}.md", std::process::id()), bytes)?;
    put(&sessions, &format!("{}.toml", std::process::id()), bytes)?;
    fs::remove_file(format!("{state}/journal"))?;
    File::open(state)?.sync_all()
}
