"""What the scripted model does in every agent that has our tools: it works a little, saves, and the next one resumes.

Nothing but the tools is there: no hooks and no instructions of ours. What those add is told in `continuity.py`.
"""

import concurrent.futures

from alone import go_alone
from kit import Suite, arguments, contains, sandbox
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


class Tale:
    """The two sessions, and what was seen in them."""


    def __init__(self, host, kind, limit):
        self.place, self.kind, self.limit = host.place, kind, limit
        prepare(self.place)
        self.closing = self.told(host, "close the session", *WORK, SAVE, "saved")
        self.resuming = self.told(host, "continue where I left off", LOAD, "resumed")

    def told(self, host, prompt, *steps):
        return host.session(prompt, [*self.looks(prompt), *steps])

    def looks(self, prompt):
        """How this agent's model finds a tool that it was not shown at once, if at all."""
        return []

    def no_error(self, seen, refusals=0):
        """Nothing went wrong, and the server refused as many calls as the script wants it to."""

    def shown(self):
        return self.resuming.results[-1].text

    def notes(self):
        """What is worth reading beside the verdict."""
        return [f"{len(self.shown().encode())} bytes of context"]


def a_session_is_closed_without_an_error(tale):
    tale.no_error(tale.closing, refusals=1)
    (saved,) = tale.place.cli("session", "list")["sessions"]
    contains(tale.closing.results[-1].text, saved["id"])
    assert not tale.closing.results[-1].refused, tale.closing.results[-1].text


def a_refusal_reaches_the_model_with_its_reason(tale):
    contains(tale.closing.results[-2].text, OPEN, "handoff_")


def the_next_session_is_shown_what_it_needs(tale):
    tale.no_error(tale.resuming)
    shown = tale.shown()
    contains(shown, NEXT, DECISION, BLOCKER, "Deploy staging")
    assert shown.count(NEXT) == 1, "the context was shown twice"
    assert "\n" in shown, "the context was shown as one escaped line"


def the_answer_is_under_the_limit_of_the_host(tale):
    size = len(tale.resuming.results[-1].text.encode())
    assert size < tale.limit, f"{size} bytes, {tale.limit} arrive whole"


CHECKS = [
    a_session_is_closed_without_an_error,
    a_refusal_reaches_the_model_with_its_reason,
    the_next_session_is_shown_what_it_needs,
    the_answer_is_under_the_limit_of_the_host,
]


def tell(host_of, kinds, tale_of, *more):
    """Tells the story once for each kind of model an agent has: `(name, limit of an answer, what `host_of` takes)`."""
    alone = go_alone()
    given = arguments()

    def told(kind):
        name, limit, options = kind
        suite = Suite(name or given.name)
        with sandbox(given.binary) as place, host_of(given.installed, place, by_hand=True, **options) as host:
            tale = tale_of(host, name, limit)
            for check in [*CHECKS, *more]:
                suite.check(check, tale)
            for note in tale.notes():
                suite.note(f"{name}: {note}" if name else note)
        return suite

    total = Suite(given.name)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for suite in pool.map(told, kinds):
            total.add(suite)
    if not alone:
        total.note("not cut off from the network, which this system does not allow")
    total.end()
