//! A file to begin with: what is done anyway, and what could be.

/// The usual steps, with the others beside them as comments.
pub const TEMPLATE: &str = r#"# The steps of `handoff run`, in this order.
# Each may also have:
#   id = "name"              what it is called; its kind if absent
#   when = { branch = "main", git = true, shared = true, note = true, session = true, env = "NAME", file = "path" }
#   timeout = "60s"  retries = 2  backoff = "1s"
format = 1
# tag = "general"

[[step]]
kind = "collect"             # what git, the tasks, timers and the agent's transcript say
# from = ["git", "tasks", "timers", "transcript"]

[[step]]
kind = "close"               # the session that is under way

[[step]]
kind = "note"                # the note of this handover, where no session took it

[[step]]
kind = "compact"             # old notes go to the archive of their month and tag
# older_than_days = 30
# keep = 20

[[step]]
kind = "pack"                # tasks that were finished long ago go to the archive

[[step]]
kind = "state"               # current-state.md

[[step]]
kind = "mirror"              # the layers as plain Markdown, where `layers.mirror` or `to` says so
# to = "memory"

# [[step]]
# kind = "export"
# output = "handoff-{date}.json"
# recipients = ["age1…"]

# [[step]]
# kind = "command"           # runs only after `handoff trust handover`
# id = "index"
# run = ["./scripts/index-notes", "--quiet"]
# env = { COLLECTION = "notes" }
# facts = true               # what was collected, as JSON on standard input

# [[step]]
# kind = "publish"           # commits what is ours, and nothing else
# push = true
"#;
