//! Directories in which programs are run, as far as a line names them.

use std::fmt;

/// A directory that a line names, from the root of the file system or from a place that the line does not tell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RunDirectory(String);

/// Flags that name the directory of a run, or a file in it.
const FLAGS: &[(&[&str], &[&str])] = &[
    (&["npm", "pnpm", "yarn", "bun", "deno"], &["--prefix", "-C", "--dir", "--cwd"]),
    (&["make", "gmake", "ninja", "go", "cargo"], &["-C", "--directory"]),
    (&["cargo"], &["--manifest-path"]),
    (&["mvn", "mvnw"], &["-f", "--file"]),
    (&["gradle", "gradlew"], &["-p", "--project-dir"]),
    (&["terraform", "tofu"], &["-chdir"]),
    (&["ctest"], &["--test-dir"]),
    (&["just"], &["-d", "--working-directory"]),
    (&["pytest"], &["--rootdir"]),
];
/// Files whose directory is meant where such a flag names them.
const MANIFESTS: &[&str] = &["Cargo.toml", "pom.xml"];

impl RunDirectory {
    /// The directory of a program that is started in `outer` with these arguments.
    pub(super) fn of_run(program: &str, arguments: &[&str], outer: Option<&RunDirectory>) -> Option<RunDirectory> {
        let is_own =
            |flag: &str| FLAGS.iter().any(|(programs, flags)| programs.contains(&program) && flags.contains(&flag));
        let own = arguments.iter().enumerate().find_map(|(place, word)| match word.split_once('=') {
            Some((flag, value)) => is_own(flag).then_some(value),
            None => arguments.get(place + 1).filter(|_| is_own(word)).copied(),
        });
        match own {
            Some(path) => RunDirectory::entered(path, outer),
            None => outer.cloned(),
        }
    }

    /// The directory that a path leads to; `None` where that is unknown.
    pub(super) fn entered(path: &str, outer: Option<&RunDirectory>) -> Option<RunDirectory> {
        if path.starts_with('-') || path.contains(['$', '`', '*', '?', '\\', '\n']) {
            return None;
        }
        let path = path.strip_prefix('~').map_or(path, |path| path.trim_start_matches('/'));
        let path = MANIFESTS.iter().find_map(|name| path.strip_suffix(name)).unwrap_or(path);
        let outer = outer.filter(|_| !path.starts_with('/')).map_or("", |outer| outer.0.as_str());
        let root = if path.starts_with('/') || outer.starts_with('/') { "/" } else { "" };
        let mut parts: Vec<&str> = Vec::new();
        for part in outer.split('/').chain(path.split('/')) {
            match part {
                "" | "." => {}
                // Above a place that is not told, the rest still tells directories apart.
                ".." => {
                    parts.pop();
                }
                part => parts.push(part),
            }
        }
        (!parts.is_empty()).then(|| RunDirectory(format!("{root}{}", parts.join("/"))))
    }

    /// The directory as it is written from the project's; `None` for the project's own.
    pub(super) fn within(self, roots: &[&str]) -> Option<RunDirectory> {
        let inside = |root: &&str| {
            let rest = self.0.strip_prefix(root.trim_end_matches('/'))?;
            (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_start_matches('/').to_owned())
        };
        match roots.iter().filter(|root| root.len() > 1).find_map(inside) {
            Some(inside) => (!inside.is_empty()).then_some(RunDirectory(inside)),
            None => Some(self),
        }
    }

    /// Reports whether two may be the same directory, or one be within the other.
    pub(super) fn may_meet(&self, other: &RunDirectory) -> bool {
        let is_within = |outer: &str, inner: &str| {
            let rest = inner.strip_prefix(outer);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let at_end = |long: &str, short: &str| long.starts_with('/') && long.ends_with(&format!("/{short}"));
        let (one, other) = (self.0.as_str(), other.0.as_str());
        [(one, other), (other, one)].iter().any(|(one, other)| is_within(one, other) || at_end(one, other))
    }
}

impl fmt::Display for RunDirectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
