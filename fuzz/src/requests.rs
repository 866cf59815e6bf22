//! Any JSON in place of a request.

use std::path::{Path, PathBuf};

use handoff_model::problem::Severity;
use handoff_ops::{Door, Entry, Environment, OpError, Place, Project, Reply, Request, dispatch, registry};
use handoff_store::Store;

/// Hands one request to a project that is not there: reading requests is all that can happen.
pub fn read_only(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Some((entry, request)) = parse(text) else { return };
    let place = Place { project_dir: Some(PathBuf::from("/nonexistent/handoff-fuzz")), ..Place::default() };
    let _ = answer(entry, place, request);
}

/// Hands requests, one a line, to a new project; whatever they ask for, the project is whole afterwards.
pub fn run(data: &[u8], scratch: &Path) {
    const MOST: usize = 12;
    let Ok(text) = std::str::from_utf8(data) else { return };
    let dir = scratch.join("project");
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("the scratch directory can be written");
    // The same ids and times every time, so that a finding can be repeated.
    let place = |index: usize| {
        let variables = [
            ("HANDOFF_HOME", scratch.join("home").into_os_string()),
            ("HANDOFF_CLOCK", "2026-11-15T12:00:00Z".into()),
            ("HANDOFF_ID_SEED", index.to_string().into()),
        ];
        Place { project_dir: Some(dir.clone()), cwd: dir.clone(), env: Environment::new(variables), ..Place::default() }
    };
    let init = registry::find("init").expect("projects can be made");
    answer(init, place(0), serde_json::json!({})).expect("a project can be made in an empty directory");
    for (index, (entry, request)) in text.lines().filter_map(parse).take(MOST).enumerate() {
        let _ = answer(entry, place(index), request);
    }
    let forest = Store::open(&dir.join(handoff_store::DIRECTORY)).and_then(|store| store.forest());
    let forest = forest.expect("the project is still there");
    let damage = forest.problems.iter().find(|problem| problem.severity == Severity::Damaged);
    assert_eq!(damage, None);
}

/// An operation and its request, as in `task.show {"id": "1"}`.
fn parse(line: &str) -> Option<(&'static Entry, serde_json::Value)> {
    let (name, json) = line.split_once(' ').unwrap_or(("", line));
    let any = || &registry::ALL[line.len() % registry::ALL.len()];
    Some((registry::find(name).unwrap_or_else(any), serde_json::from_str(json).ok()?))
}

fn answer(entry: &Entry, place: Place, request: serde_json::Value) -> Result<Reply, OpError> {
    let mut project = Project::new(place, None, Door::Cli);
    let reply = dispatch(entry, &mut project, Request::Json(request));
    if let Err(error) = &reply {
        assert!(!error.message().starts_with("internal error"), "{error:?}");
    }
    reply
}
