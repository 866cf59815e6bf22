//! The projects in which runs are broken: something to do for every step, and how it ends unharmed.

use std::path::{Path, PathBuf};

use crate::rig::{Finished, Invocation, Sandbox};

use super::end::{End, Stage};

const NOTE: &str = "Token parser extracted, refresh tests fail";
const SECOND_NOTE: &str = "The refresh tests pass again";

/// When the run is asked for, and when somebody comes along afterwards.
const THEN: &str = "2026-03-04T18:00:00Z";
const LATER: &str = "2026-03-05T08:30:00Z";

/// What a project is.
pub(super) struct Layout {
    pub(super) name: &'static str,
    init: &'static [&'static str],
    /// In a git repository that has a remote
    in_git: bool,
}

pub(super) const LAYOUTS: &[Layout] = &[
    Layout { name: "shared, in git", init: &["init", "sample", "--shared"], in_git: true },
    Layout { name: "private", init: &["init", "sample"], in_git: false },
];

/// The steps, in their order, as `handover.toml` declares them.
const STEPS: &[&str] = &[
    r#"kind = "collect""#,
    r#"kind = "close""#,
    r#"kind = "note""#,
    r#"kind = "compact"
older_than_days = 20
keep = 1"#,
    r#"kind = "pack"
older_than_days = 30"#,
    r#"kind = "state""#,
    r#"kind = "mirror"
to = "memory""#,
    r#"kind = "export"
output = "out/bundle-{date}.json""#,
    r#"kind = "command"
run = ["sh", "-c", "echo ran >> ran.txt"]"#,
    r#"kind = "publish"
push = true
when = { git = true }"#,
];

/// What is done before the run, and when.
const STORY: &[(&str, &[&str])] = &[
    ("2026-01-10", &["task", "create", "Long done"]),
    ("2026-01-11", &["task", "update", "1", "--status", "done"]),
    ("2026-01-11", &["task", "create", "Also done"]),
    ("2026-01-12", &["task", "update", "2", "--status", "done"]),
    ("2026-01-12", &["save", "--summary", "Old one", "--tag", "api", "--body", "# Context\n\nLong ago.\n"]),
    ("2026-01-13", &["save", "--summary", "Old two", "--decision", "Use SQLite", "--tag", "api"]),
    ("2026-02-01", &["save", "--summary", "Newer"]),
    ("2026-03-01", &["task", "create", "Refresh tokens", "--status", "in_progress"]),
];

/// A project that is ready for a run.
pub(super) struct Ground {
    layout: &'static Layout,
    base: Sandbox,
    binary: PathBuf,
    /// How it ends after the run, and after one more.
    once: Option<End>,
    twice: Option<End>,
}

impl Ground {
    /// Makes it, and runs unharmed.
    pub(super) fn prepare(binary: &Path, layout: &'static Layout, place: &Path) -> Result<Ground, String> {
        let base = Sandbox::create(&place.join("base")).map_err(|error| error.to_string())?;
        let mut ground = Ground { layout, base, binary: binary.to_owned(), once: None, twice: None };
        ground.build().map_err(|why| format!("run ({}): preparing: {why}", layout.name))?;
        let unharmed = ground.fresh(&place.join("unharmed"))?;
        ground.must(&unharmed, &first())?;
        let once = End::look(&unharmed)?;
        ground.must(&unharmed, &second())?;
        let twice = End::look(&unharmed)?;
        for (end, note, count) in
            [(&once, NOTE, 1), (&once, SECOND_NOTE, 0), (&twice, NOTE, 1), (&twice, SECOND_NOTE, 1)]
        {
            // A later session may name it as the subject of a commit.
            let found = end.holding(&format!("summary = {note:?}"), &[".handoff/sessions/", ".handoff/archive/"]);
            if found != count {
                return Err(format!("run ({}): `{note}` is in {found} records instead of {count}", layout.name));
            }
        }
        if once.holding("status = \"active\"", &[".handoff/sessions/"]) > 0 {
            return Err(format!("run ({}): the session that was under way is not closed", layout.name));
        }
        (ground.once, ground.twice) = (Some(once), Some(twice));
        Ok(ground)
    }

    fn build(&self) -> Result<(), String> {
        let project = self.base.project();
        if self.layout.in_git {
            let bare = self.base.root().join("remote.git");
            self.git(&["init", "-q", "--bare", "--template=", "-b", "main", &bare.to_string_lossy()])?;
            self.git(&["init", "-q", "--template=", "-b", "main"])?;
            for (name, value) in [("user.name", "Alice"), ("user.email", "alice@example.com")] {
                self.git(&["config", name, value])?;
            }
            self.git(&["remote", "add", "origin", "../remote.git"])?;
        }
        // A bundle holds ids that are drawn anew each time, so what git says of it would never be the same.
        std::fs::create_dir(project.join("src"))
            .and_then(|()| std::fs::write(project.join("src/main.txt"), "fresh\n"))
            .and_then(|()| std::fs::write(project.join(".gitignore"), "/out/\n"))
            .map_err(|error| error.to_string())?;
        self.must(&self.base, &at(self.layout.init, "2026-01-10T09:00:00Z"))?;
        for (day, args) in STORY {
            self.must(&self.base, &at(args, &format!("{day}T09:00:00Z")))?;
        }
        let steps: String = STEPS.iter().flat_map(|step| ["\n[[step]]\n", step, "\n"]).collect();
        std::fs::write(self.base.store().join("handover.toml"), format!("format = 1\n{steps}"))
            .map_err(|error| error.to_string())?;
        if self.layout.in_git {
            self.git(&["add", "-A"])?;
            self.git(&["commit", "-q", "-m", "Begin"])?;
            self.git(&["push", "-q", "-u", "origin", "main"])?;
        }
        Ok(())
    }

    fn git(&self, args: &[&str]) -> Result<(), String> {
        let done = self.base.run(Path::new("git"), args).map_err(|error| format!("cannot start git: {error}"))?;
        if done.succeeded() { Ok(()) } else { Err(format!("`git {}` fails with {}", args.join(" "), done.brief())) }
    }

    pub(super) fn name(&self) -> &'static str {
        self.layout.name
    }

    /// A copy in which a session is under way, and where its steps are trusted: both go by the place.
    pub(super) fn fresh(&self, place: &Path) -> Result<Sandbox, String> {
        let sandbox = self.base.copy_to(place).map_err(|error| format!("cannot copy the project: {error}"))?;
        for args in [&["session", "start", "Mine", "--task", "3"][..], &["trust", "handover", "--yes"]] {
            self.must(&sandbox, &at(args, "2026-03-03T09:00:00Z"))?;
        }
        Ok(sandbox)
    }

    pub(super) fn invoke(&self, sandbox: &Sandbox, call: &Invocation) -> Result<Finished, String> {
        sandbox.invoke(&self.binary, call).map_err(|error| format!("cannot start {}: {error}", self.binary.display()))
    }

    pub(super) fn must(&self, sandbox: &Sandbox, call: &Invocation) -> Result<(), String> {
        let done = self.invoke(sandbox, call)?;
        if done.succeeded() {
            Ok(())
        } else {
            Err(format!("`handoff {}` fails with {}", call.args.join(" "), done.brief()))
        }
    }

    /// What `handoff check` says by its exit code.
    pub(super) fn check(&self, sandbox: &Sandbox) -> Result<Option<i32>, String> {
        Ok(self.invoke(sandbox, &by_another(&["check"]))?.code)
    }

    /// An error when `handoff check` does not tell how far the run has come.
    pub(super) fn notices(&self, sandbox: &Sandbox, stage: Stage, before: Option<i32>) -> Result<(), String> {
        let expected = match stage {
            Stage::Nothing => before,
            Stage::Open => Some(1),
            Stage::Over => Some(2),
        };
        let found = self.check(sandbox)?;
        if found == expected { Ok(()) } else { Err(format!("`check` says {found:?} instead of {expected:?}")) }
    }

    /// An error when something is not as it is without any mishap.
    pub(super) fn ends_well(&self, sandbox: &Sandbox, with_another_note: bool) -> Result<(), String> {
        let expected = if with_another_note { &self.twice } else { &self.once };
        let expected = expected.as_ref().ok_or("it was never run unharmed")?;
        expected.same(&End::look(sandbox)?).map_err(|why| format!("in the end {why}"))?;
        self.notices(sandbox, Stage::Over, None)?;
        let looked = self.invoke(sandbox, &by_another(&["doctor"]))?;
        if !looked.succeeded() {
            return Err(format!("the doctor finds something: {}", looked.brief()));
        }
        let leftovers = sandbox.leftovers();
        if leftovers.is_empty() { Ok(()) } else { Err(format!("temporary files are left: {}", leftovers.join(", "))) }
    }
}

/// The run that is broken.
pub(super) fn first() -> Invocation {
    at(&["run", NOTE], THEN)
}

/// Somebody else goes on with it, later.
pub(super) fn resumption() -> Invocation {
    by_another(&["run"])
}

/// Somebody else has a note of their own, later.
pub(super) fn second() -> Invocation {
    by_another(&["run", SECOND_NOTE])
}

/// A call at a time that is given, whose ids are the same each time.
fn at(args: &[&str], clock: &str) -> Invocation {
    called(args, clock, "alice")
}

fn by_another(args: &[&str]) -> Invocation {
    called(args, LATER, "bob")
}

fn called(args: &[&str], clock: &str, user: &str) -> Invocation {
    // Another one for each call, or two of them would draw the same ids.
    let seed =
        args.iter().flat_map(|arg| arg.bytes()).fold(1_u64, |seed, byte| seed.wrapping_mul(31) + u64::from(byte));
    let env =
        vec![("HANDOFF_CLOCK", clock.to_owned()), ("HANDOFF_ID_SEED", seed.to_string()), ("USER", user.to_owned())];
    Invocation { env, ..args.into() }
}
