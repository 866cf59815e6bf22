"""The project that continuity is shown on, the work that is done in it, and how files looked at a moment.

It has a handoff with more in it than fits into what a session gets at its start, so that the rest must come when it is
needed: the decision that governs the file the model edits, and one that a prompt is about, are among what did not fit.
"""

import hashlib
import json
import os
import subprocess

from model import Shell, Todos

NEXT = "Make the refresh test pass under two clocks"
DECISION = "Refresh tokens rotate on every use"
GOVERNING = "Token comparison runs in constant time"
WORDED = "Session cookies are scoped to the login host alone"
CAUTION = "the test database runs on port 5433"
TASK = "Ship the beta of the login"

EDITED = "src/token.rs"
BEFORE, AFTER = "const STATE: &str = \"expired\";", "const STATE: &str = \"fresh\";"
# Fails until the file is edited.
TEST = "sh tests/refresh.sh"
FILES = {
    EDITED: f"//! The token.\n{BEFORE}\n",
    "src/clock.rs": "//! The clock.\n",
    "tests/refresh.sh": "grep -q fresh src/token.rs && echo '1 passed' || { echo '1 failed: expired'; exit 1; }\n",
    "README.md": "# Login\n",
}
MANY = "Table "
FILLER = [
    {
        "decision": f"{MANY}{number} of the billing schema keeps its old columns until every reader has moved over",
        "reason": f"service {number} still reads them, and nobody has asked its owners for a date",
        "confidence": "confirmed",
    }
    for number in range(40)
]
LONG = (
    "an answer that comes back sooner for a wrong first byte than for a wrong last one tells an attacker how far he "
    "got, and the gateway in front of us measures to the microsecond; whether the compiler keeps the loop as it is "
    "written has to be looked at again with every new version of it, and so has the crate that we might use instead"
)
SAVED = {
    "summary": "Token parser extracted, refresh test fails",
    "next": [NEXT],
    "handoff_notes": [{"note": CAUTION, "category": "caution"}],
    "decisions": [
        {"decision": GOVERNING, "reason": LONG, "confidence": "unverified", "paths": [EDITED]},
        {"decision": WORDED, "reason": LONG, "confidence": "unverified"},
        *FILLER,
        {"decision": DECISION, "reason": "theft is noticed", "confidence": "confirmed"},
    ],
}


def prepare(place):
    """A repository with a project that has a task in progress and a handoff."""
    for name, text in FILES.items():
        os.makedirs(os.path.dirname(place.path(name)), exist_ok=True)
        with open(place.path(name), "w", encoding="utf-8") as file:
            file.write(text)
    git = ["git", "-c", "user.name=dev", "-c", "user.email=dev@example.com"]
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "Start"]):
        subprocess.run([*git, *words], cwd=place.project, env=place.environment, check=True)
    place.cli("init", "login")
    place.cli("task", "create", TASK, "--status", "in_progress")
    request = os.path.join(place.root, "save.json")
    with open(request, "w", encoding="utf-8") as file:
        json.dump(SAVED, file)
    place.cli("save", "--request", request)


GOAL = "Fix the refresh test, then document the clock."
OPEN = "Document what the clock promises"
TODOS = Todos([("Reproduce the failure", "completed"), ("Fix the refresh test", "in_progress"), (OPEN, "pending")])


def work(host):
    """What the model does for the goal before it is interrupted."""
    return [TODOS, Shell(TEST), *host.editing(EDITED, BEFORE, AFTER), Shell(TEST)]


def killed(host, goal=GOAL):
    """A session that is killed while a command runs."""
    running, over = os.path.join(host.place.project, "running"), os.path.join(host.place.project, "over")
    endless = Shell(f"touch {running}; until [ -e {over} ]; do sleep 0.1; done")
    try:
        return host.session(goal, [*work(host), endless], killed_once=lambda: os.path.exists(running))
    finally:
        # Some agents start commands apart from themselves, where they outlive them.
        with open(over, "w", encoding="utf-8"):
            pass
        os.remove(running)


def files(*roots):
    """The content of every file below, by its path."""
    found = {}
    for root in roots:
        for directory, below, names in os.walk(root):
            # Our own data, what git keeps, and what a package manager has put there.
            below[:] = [name for name in below if name not in (".git", ".handoff", "node_modules")]
            if directory.endswith("/.local/share"):
                below[:] = [name for name in below if name != "handoff"]
            for name in names:
                path = os.path.join(directory, name)
                if os.path.isfile(path):
                    with open(path, "rb") as file:
                        found[path] = hashlib.sha256(file.read()).hexdigest()
    return found


def changed(before, after):
    """Paths that differ."""
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
