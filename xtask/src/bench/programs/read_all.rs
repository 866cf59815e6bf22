// The floor of everything that looks at all records: walk the directories and read every file.
use std::path::Path;

fn main() -> std::io::Result<()> {
    let directory = std::env::args().nth(1).expect("a directory");
    println!("{}", read(Path::new(&directory))?);
    Ok(())
}

fn read(directory: &Path) -> std::io::Result<usize> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        bytes += if entry.file_type()?.is_dir() { read(&entry.path())? } else { std::fs::read(entry.path())?.len() };
    }
    Ok(bytes)
}
