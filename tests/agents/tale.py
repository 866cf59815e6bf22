"""What the scripted model does in every agent: it works a little, saves, and in the next session resumes."""

from model import Call

NEXT = "Fix the refresh test matrix — 認証"
DECISION = "JWT over server sessions"
BLOCKER = "waiting for the staging key"
OPEN = "refresh flow has a test"

# The project has one task, `1`; the model makes another, and is refused when it wants to finish the first.
WORK = [
    Call("handoff_update_task", {"task": {"title": "Deploy staging", "status": "blocked", "notes": BLOCKER}}),
    Call("handoff_update_task", {"task": {"id": "1", "status": "done"}}),
]
# More than fits into what a session loads, so that what arrives has been chosen from it.
MANY = [{"title": f"Migrate table {number} of the billing schema to the new tenant layout"} for number in range(150)]
SAVE = Call(
    "handoff_save_context",
    {
        "summary": "Token parser extracted, refresh tests fail",
        "decisions": [{"decision": DECISION, "reason": "stateless API", "confidence": "confirmed"}],
        "next": [NEXT],
        "blockers": [BLOCKER],
        "context_pointers": [{"path": "middleware.rs", "reason": "resume here"}],
        "handoff_notes": [
            {"note": f"Rule {number}: {'keep the old column until every reader moved; ' * 3}"} for number in range(60)
        ],
        "tasks": MANY,
    },
)
LOAD = Call("handoff_load_context", {})


def prepare(place):
    """A project with a file and a task that has an open criterion."""
    with open(place.path("middleware.rs"), "w", encoding="utf-8") as file:
        file.write("fn refresh() {}\n")
    place.cli("init", "auth-service")
    place.cli("task", "create", "Implement auth", "--criterion", OPEN)
