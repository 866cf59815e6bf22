// The floor of storing a package: the body, then the record that makes it count, each written beside, synced, renamed,
// and the directory synced.
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
    put(&directory, &format!("{}.md", std::process::id()), bytes)?;
    put(&directory, &format!("{}.toml", std::process::id()), bytes)
}
