use super::*;

const FILE: &str = r#"format = 1
id = "a3f9c12e"
kind = "session"
status = "closed"
title = "Refactor auth middleware"
summary = "Token parser extracted, refresh tests fail"
tool = "codex"
author = "alice"
name = "project-state"
tags = ["api", "auth"]
project = "my-app"
started_at = 2026-11-15T09:00:00Z
ended_at = 2026-11-15T12:10:00Z
expires_at = 2026-11-29T12:10:00Z
continues = "2026-11-14-77c01b9d"
next = ["Fix refresh test matrix", "Run race tests"]
blockers = ["waiting for the staging key"]
tasks = ["k7f3q2ma"]

[[decisions]]
id = "d1"
decision = "JWT over server sessions"
reason = "stateless API"
confidence = "confirmed"
paths = ["src/auth/"]
supersedes = "2026-11-10-0b5e11d2#d3"

[[checklist]]
item = "verify on staging"
checked = false
owner = "user"

[[notes]]
note = "the test database runs on port 5433"
category = "caution"

[[references]]
type = "issue"
label = "Refresh bug"
uri = "https://example.com/issues/31"

[[pointers]]
path = "src/auth/middleware.rs"
lines = "42-78"
reason = "resume here"
blob = "9f2c1e7"

[git]
branch = "feature/auth"
commit = "8dc6cc0"
recent = ["8dc6cc0 extract token parser"]
dirty = ["M src/auth/middleware.rs"]
"#;

#[test]
fn the_documented_file_reads_and_prints_to_the_same_bytes() {
    assert_eq!(Session::read(FILE).unwrap().print(), FILE);
}

#[test]
fn unknown_keys_and_comments_survive_a_change() {
    let text = format!("# mine\nmood = \"good\"\n{FILE}\n[weather]\nsun = true # really\n");
    let mut session = Session::read(&text).unwrap();
    session.next.remove(0);
    session.checklist[0].checked = true;
    let written = session.write_over(&text).unwrap();
    for kept in ["# mine\n", "mood = \"good\"", "sun = true # really"] {
        assert!(written.contains(kept), "{written}");
    }
    assert_eq!(Session::read(&written).unwrap(), session);
}
