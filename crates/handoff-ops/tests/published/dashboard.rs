//! `handoff_dashboard`, as an agent sees it.

use handoff_ops::{Door, Environment, Place, Project, Request, dispatch};
use serde_json::json;

use crate::place::{Scratch, said, tool};

#[test]
fn all_projects_are_shown_in_the_published_form() {
    let scratch = Scratch::new();
    scratch.task(json!({"title": "Implement auth", "status": "in_progress", "priority": "high"}));
    scratch.task(json!({"title": "Old", "status": "done"}));
    let page = scratch.call("handoff_dashboard", json!({})).page().to_markdown(None);
    assert!(page.starts_with("## app (1 task)\n- [in_progress] Implement auth (high)\n"), "{page}");
    let page = scratch.call("handoff_dashboard", json!({"include_completed": true})).page().to_markdown(None);
    assert!(page.starts_with("## app (2 tasks)\n") && page.contains("\n- [done] Old\n"), "{page}");
}

#[test]
fn a_look_that_is_stopped_shows_nothing_half() {
    let scratch = Scratch::new();
    let env = Environment::new([("HOME", scratch.path("../home"))]);
    let place = Place { cwd: scratch.path(""), env, ..Place::default() };
    let mut project = Project::new(place, None, Door::Mcp);
    project.stop.stop();
    let request = Request::Json(json!({"scan_dirs": [scratch.path("..")]}));
    let error = dispatch(tool("handoff_dashboard"), &mut project, request).unwrap_err();
    assert!(said(&error).contains("cancelled"), "{}", said(&error));
}
