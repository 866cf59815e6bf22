//! A project that is worked through the registry, as every door does.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use handoff_ops::{Door, Environment, OpError, Place, Project, Reply, Request, ServerCache, dispatch, registry};
use serde_json::{Value, json};

pub(crate) struct World {
    dir: tempfile::TempDir,
    server_cache: Option<Arc<ServerCache>>,
    requests: usize,
}

/// Every record of a store with its bytes, and every directory.
pub(crate) type Tree = BTreeMap<String, Vec<u8>>;

impl World {
    pub(crate) fn new(shared: bool) -> World {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        for part in ["home", "app"] {
            fs::create_dir(dir.path().join(part)).unwrap();
        }
        let mut world = World { dir, server_cache: None, requests: 0 };
        world.must("init", json!({"name": "app", "shared": shared}));
        world
    }

    /// Remembers what was read from one request to the next, as a server does.
    pub(crate) fn with_memory(mut self) -> World {
        self.server_cache = Some(ServerCache::new());
        self
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join("app/.handoff").join(below)
    }

    /// Each request at a second of its own, with ids of its own.
    pub(crate) fn ask(&mut self, name: &str, request: Value) -> Result<Reply, OpError> {
        self.requests += 1;
        let count = self.requests;
        let clock = format!(
            "2026-{:02}-15T{:02}:{:02}:{:02}Z",
            1 + count / 90 % 11,
            count / 3600 % 24,
            count / 60 % 60,
            count % 60
        );
        let env = Environment::new([
            ("HOME", self.dir.path().join("home").into_os_string()),
            ("HANDOFF_CLOCK", clock.into()),
            ("HANDOFF_ID_SEED", (count * 1000).to_string().into()),
        ]);
        let cwd = self.dir.path().join("app").canonicalize().unwrap();
        let place = Place { cwd, env, ..Place::default() };
        let mut project = Project::new(place, Some("alice".to_owned()), Door::Mcp);
        project.server_cache.clone_from(&self.server_cache);
        let reply = dispatch(registry::find(name).unwrap(), &mut project, Request::Json(request));
        if let Err(error) = &reply {
            assert!(!error.message().starts_with("internal error"), "{error:?}");
        }
        reply
    }

    pub(crate) fn must(&mut self, name: &str, request: Value) -> Reply {
        let shown = request.to_string();
        self.ask(name, request).unwrap_or_else(|error| panic!("{name} {shown}: {}", error.sentence()))
    }

    /// The ids of all changes in the log, the newest first.
    pub(crate) fn log(&mut self) -> Vec<Value> {
        self.must("log", json!({"limit": 100_000})).json()["changes"].as_array().unwrap().clone()
    }

    pub(crate) fn ids(&mut self, name: &str, list: &str, request: Value) -> Vec<String> {
        let answer = self.must(name, request).json();
        answer[list].as_array().into_iter().flatten().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    }

    /// The store but for what belongs to this machine alone, the trash excepted, and the overview, which is only a view.
    pub(crate) fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        collect(&self.path(""), "", &mut tree);
        tree.retain(|name, _| {
            let is_trash = name.starts_with("local/state/trash/") && name != "local/state/trash/";
            (!name.starts_with("local/") || is_trash) && name != "current-state.md"
        });
        tree
    }
}

fn collect(dir: &Path, above: &str, tree: &mut Tree) {
    for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
        let name = format!("{above}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            tree.insert(format!("{name}/"), Vec::new());
            collect(&entry.path(), &format!("{name}/"), tree);
        } else {
            tree.insert(name, fs::read(entry.path()).unwrap());
        }
    }
}

/// Stops at the first difference, and names it.
pub(crate) fn assert_same(seen: &Tree, expected: &Tree, what: &str) {
    let missing: Vec<&String> = expected.keys().filter(|name| !seen.contains_key(*name)).collect();
    let added: Vec<&String> = seen.keys().filter(|name| !expected.contains_key(*name)).collect();
    assert!(missing.is_empty() && added.is_empty(), "{what}: missing {missing:#?}, unexpected {added:#?}");
    for (name, bytes) in expected {
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(shown(&seen[name]), shown(bytes), "{what}: {name}");
    }
}
