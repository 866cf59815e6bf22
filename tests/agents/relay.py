"""From one agent to the next: each is killed while it waits for its model, and another one goes on.

relay.py relay --binary FILE --installed DIRECTORY
"""

import contextlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "clients")]
import ground  # noqa: E402
from alone import go_alone  # noqa: E402
from hosts import HOSTS  # noqa: E402
from kit import Suite, arguments, sandbox  # noqa: E402
from model import HANG, Todos, Write  # noqa: E402

# Who works, on what, and what is still open when it is killed. The last one takes over from the first after all.
LEGS = [
    ("codex", "Count the failed logins per address.", "src/count.rs", "Reset the count at midnight"),
    ("claude-code", "Lock an account after five failures.", "src/lock.rs", "Tell the owner by mail"),
    ("gemini", "Write the audit log for locked accounts.", "src/audit.rs", "Rotate the audit log"),
    ("opencode", "Show the audit log to administrators.", "src/page.rs", "Ask for a second factor there"),
    ("codex", "Translate the page with the audit log.", "src/words.rs", "Have the translation read"),
]


class Relay:
    """The agents at one place, and what the last one was shown and left."""

    def __init__(self, hosts, place):
        self.hosts, self.place, self.left = hosts, place, None

    def leg(self, name, goal, path, todo):
        """One agent works and is killed; what it was shown at its start."""
        host = self.hosts[name]
        script = [Todos([(todo, "pending")]), Write(host.named(path), "// begun\n"), HANG]
        return host.session(goal, script, killed_once=lambda: host.model.hung.is_set() and host.has_noted(path))


def check_of(leg, before):
    def goes_on(relay):
        seen = relay.leg(*leg)
        if before:
            missing = [part for part in before[1:] if part not in seen.read(0)]
            assert not missing, f"not told of what was left: {missing}"
        assert seen.read(0).count(ground.DECISION) == 1, "the context is not there once"

    name = leg[0].replace("-", "_")
    goes_on.__name__ = f"{name}_goes_on_where_{before[0].replace('-', '_')}_was_killed" if before else f"{name}_starts"
    return goes_on


def main():
    alone = go_alone()
    given = arguments()
    suite = Suite(given.name)
    with sandbox(given.binary) as place, contextlib.ExitStack() as stack:
        hosts = {name: stack.enter_context(host(given.installed, place)) for name, host in HOSTS.items()}
        ground.prepare(place)
        place.cli("setup", *hosts)
        relay = Relay(hosts, place)
        for before, leg in zip([None, *LEGS], LEGS, strict=False):
            suite.check(check_of(leg, before), relay)
    if not alone:
        suite.note("not cut off from the network, which this system does not allow")
    suite.end()


if __name__ == "__main__":
    main()
