//! Paths in the words of a shell.

/// Who reads a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// `sh`, `bash` and their kin; on Windows that of Git
    Posix,
    /// `cmd.exe`
    Cmd,
    PowerShell,
}

impl Shell {
    /// The path of a program where a command begins.
    pub fn program(self, path: &str) -> String {
        match self {
            Shell::Posix => {
                // On Windows a path has backslashes, which this shell would take for escapes.
                let path = if is_windows_path(path) { path.replace('\\', "/") } else { path.to_owned() };
                if is_plain(&path, "/._-+:") { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
            }
            Shell::Cmd | Shell::PowerShell if is_plain(path, r"/\._-+:") => path.to_owned(),
            // A file name on Windows cannot hold a quotation mark.
            Shell::Cmd => format!("\"{path}\""),
            // A quoted path alone would be a text; `&` calls it.
            Shell::PowerShell => format!("& '{}'", path.replace('\'', "''")),
        }
    }
}

fn is_plain(path: &str, also: &str) -> bool {
    path.chars().all(|c| c.is_ascii_alphanumeric() || also.contains(c))
}

/// `C:\…` or `\\server\…`; elsewhere a backslash is a letter like any other.
fn is_windows_path(path: &str) -> bool {
    let mut chars = path.chars();
    let drive = chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next() == Some(':');
    drive || path.starts_with(r"\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_path_needs_no_quotes_anywhere() {
        assert_eq!(Shell::Posix.program("/usr/local/bin/handoff"), "/usr/local/bin/handoff");
        assert_eq!(Shell::Cmd.program(r"C:\bin\handoff.exe"), r"C:\bin\handoff.exe");
        assert_eq!(Shell::PowerShell.program(r"C:\bin\handoff.exe"), r"C:\bin\handoff.exe");
        assert_eq!(Shell::Posix.program(r"C:\bin\handoff.exe"), "C:/bin/handoff.exe");
    }

    #[test]
    fn blanks_and_quotes_reach_the_program_unharmed() {
        assert_eq!(Shell::Posix.program("/home/o'neil/my bin/handoff"), r"'/home/o'\''neil/my bin/handoff'");
        assert_eq!(Shell::Posix.program(r"/a\b$(c)/handoff"), r"'/a\b$(c)/handoff'");
        assert_eq!(Shell::Cmd.program(r"C:\Program Files\handoff.exe"), r#""C:\Program Files\handoff.exe""#);
        assert_eq!(Shell::PowerShell.program(r"C:\it's\handoff.exe"), r"& 'C:\it''s\handoff.exe'");
    }

    #[cfg(unix)]
    #[test]
    fn a_real_shell_gives_the_path_back() {
        for path in ["/tmp/a b/c", "/tmp/o'neil", "/tmp/\"q\"/$HOME/`x`/\\n*", "/tmp/ünï/日本"] {
            let script = format!("printf %s {}", Shell::Posix.program(path));
            let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), path);
        }
    }
}
