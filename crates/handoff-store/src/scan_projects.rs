//! Looking for projects in directories, and the branch each is on.
//!
//! **Invariant:** a search ends, whatever it meets. It goes a bounded number of levels deep and looks into a bounded
//! number of directories, each once, follows a link only to a project, and passes over what it may not read.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::place::{DIRECTORY, is_project};

/// Directories that hold what was fetched or built, and never a project of the user's.
pub const NEVER_SCANNED: &[&str] = &[
    ".cache",
    ".cargo",
    ".git",
    ".gradle",
    DIRECTORY,
    ".hg",
    ".next",
    ".npm",
    ".nuxt",
    ".rustup",
    ".svn",
    ".tox",
    ".venv",
    "__pycache__",
    "bower_components",
    "dist",
    "node_modules",
    "site-packages",
    "target",
    "vendor",
    "venv",
];

/// More directories than any tree of projects has within a few levels; a search that meets more ends there.
const MOST_DIRECTORIES: usize = 200_000;

/// A search for projects.
#[derive(Clone, Debug)]
pub struct ProjectScan {
    /// Names of directories to leave out, besides [`NEVER_SCANNED`]
    pub exclude: Vec<String>,
    /// How many levels below a start it goes; a start itself is level 0
    pub max_depth: usize,
    /// The home directory, which never is a project
    pub home: Option<PathBuf>,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScannedProjects {
    /// Directories of projects by their real paths, each once, in the order of the search
    pub projects: Vec<PathBuf>,
    /// Starts that are no directories that can be read
    pub unusable: Vec<PathBuf>,
    /// Directories below a start that could not be looked into
    pub unreadable: usize,
    /// Whether it ended before everything was looked at
    pub cut_short: bool,
}

impl ProjectScan {
    /// Looks for projects below these directories. `is_due` is asked before each directory whether to stop.
    pub fn run(&self, starts: &[PathBuf], mut is_due: impl FnMut() -> bool) -> ScannedProjects {
        let mut found = ScannedProjects::default();
        let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
        let home = self.home.as_deref().and_then(|home| home.canonicalize().ok());
        // Level by level, so that a search that must end early has seen what lies near.
        let mut level: Vec<PathBuf> = Vec::new();
        for start in starts {
            match start.canonicalize() {
                Ok(real) if fs::read_dir(&real).is_ok() => level.push(real),
                _ => found.unusable.push(start.clone()),
            }
        }
        for depth in 0..=self.max_depth {
            let mut next = Vec::new();
            for dir in level {
                if is_due() || seen.len() >= MOST_DIRECTORIES {
                    found.cut_short = true;
                    return found;
                }
                if !seen.insert(dir.clone()) {
                    continue;
                }
                if is_project(&dir) && home.as_deref() != Some(&dir) {
                    found.projects.push(dir.clone());
                }
                if depth < self.max_depth {
                    match self.below(&dir) {
                        Ok(below) => next.extend(below),
                        Err(_) => found.unreadable += 1,
                    }
                }
            }
            level = next;
        }
        found
    }

    /// The directories in one, by name. A link counts only where it leads to a project: then that is looked at, and a
    /// link that leads in a circle leads to what was seen.
    fn below(&self, dir: &Path) -> std::io::Result<Vec<PathBuf>> {
        let mut below = Vec::new();
        for entry in fs::read_dir(dir)? {
            let Ok(entry) = entry else { continue };
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            let is_left_out = |excluded: &str| name.to_str() == Some(excluded);
            if NEVER_SCANNED.iter().any(|excluded| is_left_out(excluded))
                || self.exclude.iter().any(|excluded| is_left_out(excluded))
            {
                continue;
            }
            if kind.is_dir() {
                below.push(entry.path());
            } else if kind.is_symlink() && is_project(&entry.path()) {
                below.extend(entry.path().canonicalize());
            }
        }
        below.sort();
        Ok(below)
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare files as a person would")]
mod tests {
    use super::*;

    struct Place(tempfile::TempDir);

    impl Place {
        fn new() -> Place {
            Place(tempfile::tempdir().unwrap())
        }

        fn path(&self, path: &str) -> PathBuf {
            self.0.path().canonicalize().unwrap().join(path)
        }

        fn project(&self, path: &str) -> PathBuf {
            self.file(&format!("{path}/.handoff/config.toml"), "");
            self.path(path)
        }

        fn file(&self, path: &str, text: &str) {
            let path = self.path(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn scan(&self, max_depth: usize) -> ScannedProjects {
            let scan = ProjectScan { exclude: vec!["attic".to_owned()], max_depth, home: Some(self.path("home")) };
            scan.run(&[self.path("")], || false)
        }
    }

    #[test]
    fn projects_are_found_at_any_level_within_the_depth_and_inside_each_other() {
        let place = Place::new();
        let expected = [place.project("a"), place.project("a/inner"), place.project("x/y/b")];
        place.project("x/y/z/too-deep");
        let mut found = place.scan(3).projects;
        found.sort();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_was_fetched_or_built_or_excluded_is_left_out() {
        let place = Place::new();
        let expected = place.project("app");
        for left_out in ["node_modules", ".git", "target", "dist", ".next", "vendor", ".venv", "__pycache__", "attic"] {
            place.project(&format!("{left_out}/app"));
            place.project(&format!("app/{left_out}"));
        }
        assert_eq!(place.scan(5).projects, [expected]);
    }

    #[test]
    fn the_home_directory_is_no_project_but_what_lies_in_it_may_be() {
        let place = Place::new();
        place.project("home");
        let expected = place.project("home/app");
        assert_eq!(place.scan(5).projects, [expected]);
    }

    #[cfg(unix)]
    #[test]
    fn links_in_circles_and_directories_that_cannot_be_read_do_no_harm() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let place = Place::new();
        let app = place.project("app");
        symlink(place.path(""), place.path("app/again")).unwrap();
        symlink(&app, place.path("alias")).unwrap();
        symlink("nowhere", place.path("dangling")).unwrap();
        fs::create_dir(place.path("locked")).unwrap();
        fs::set_permissions(place.path("locked"), fs::Permissions::from_mode(0o0)).unwrap();
        let found = place.scan(20);
        fs::set_permissions(place.path("locked"), fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(found.projects, [app]);
        // The superuser may read everything.
        assert!(found.unreadable <= 1 && !found.cut_short, "{found:?}");
    }

    #[cfg(unix)]
    #[test]
    fn a_project_behind_a_link_is_found_where_it_really_is() {
        let (place, elsewhere) = (Place::new(), Place::new());
        let real = elsewhere.project("app");
        std::os::unix::fs::symlink(&real, place.path("app")).unwrap();
        assert_eq!(place.scan(2).projects, [real]);
    }

    #[test]
    fn a_start_that_is_not_there_is_named_and_one_given_twice_counts_once() {
        let place = Place::new();
        let app = place.project("app");
        let scan = ProjectScan { exclude: Vec::new(), max_depth: 1, home: None };
        let found = scan.run(&[app.clone(), place.path("nowhere"), place.path("")], || false);
        assert_eq!((found.projects, found.unusable), (vec![app], vec![place.path("nowhere")]));
    }

    #[test]
    fn a_search_stops_when_it_is_told_to() {
        let place = Place::new();
        place.project("app");
        let scan = ProjectScan { exclude: Vec::new(), max_depth: 5, home: None };
        let found = scan.run(&[place.path("")], || true);
        assert!(found.cut_short && found.projects.is_empty(), "{found:?}");
    }
}
