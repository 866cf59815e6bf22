// The floor of every change: write beside, sync, rename, sync the directory; so many times.
use std::fs::{self, File};
use std::io::Write;

fn main() -> std::io::Result<()> {
    let mut args = std::env::args().skip(1);
    let directory = args.next().expect("a directory");
    let bytes: usize = args.next().expect("a size").parse().expect("a number");
    let times: usize = args.next().expect("how often").parse().expect("a number");
    for _ in 0..times {
        let beside = format!("{directory}/.task.toml.new");
        let mut file = File::create(&beside)?;
        file.write_all(&vec![b'x'; bytes])?;
        file.sync_all()?;
        fs::rename(&beside, format!("{directory}/task.toml"))?;
        File::open(&directory)?.sync_all()?;
    }
    Ok(())
}
