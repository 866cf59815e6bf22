"""The people of a story, the directories that they work in, and the agents that they use there.

Everyone has a home. `dev` owns the repository; each other person works in a clone of it, which is made when they first
do something. An agent is set up with `handoff setup` when its person first uses it.
"""

import contextlib
import copy
import json
import os
import subprocess

from hosts import HOSTS

OWNER = "dev"
# A test that fails until the token is fresh, and one that fails until the clock is documented.
FILES = {
    "src/token.rs": '//! The token.\nconst STATE: &str = "expired";\n',
    "src/clock.rs": "//! The clock.\n",
    "tests/refresh.sh": "grep -q fresh src/token.rs && echo '1 passed' || { echo '1 failed: expired'; exit 1; }\n",
    "tests/clock.sh": "grep -q monotonic src/clock.rs && echo '1 passed' || { echo '1 failed: no promise'; exit 1; }\n",
    "README.md": "# Login\n",
}
COMMAND_TIMEOUT = 120


class Workplaces:
    """Everything that one story happens in, below one directory that goes with it."""

    def __init__(self, sandbox, installed, stack):
        self.sandbox, self.installed, self.stack = sandbox, installed, stack
        self.places, self.hosts = {}, {}
        programs = os.path.join(sandbox.root, "bin")
        os.mkdir(programs)
        os.symlink(sandbox.binary, os.path.join(programs, "handoff"))
        sandbox.find_first(programs)
        # Facts are under test here, not speed; the machine may be busy with other suites.
        sandbox.environment |= {"HANDOFF_PATIENCE": "20", "USER": OWNER}
        self.places[OWNER, None] = sandbox

    def found(self, shared):
        """Makes the repository with a project in it; a shared one is pushed to a remote."""
        for name, text in FILES.items():
            path = self.sandbox.path(name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        self.run(self.sandbox, "git init -q -b main")
        self.sign(self.sandbox, OWNER)
        self.run(self.sandbox, "git add -A && git commit -qm Start && handoff init login")
        if shared:
            self.run(self.sandbox, "git init -q --bare -b main ../origin.git && git remote add origin ../origin.git")
            self.run(self.sandbox, "handoff share && git add -A && git commit -qm 'Share the project'")
            self.run(self.sandbox, "git push -q -u origin main")

    def place(self, person=OWNER, directory=None):
        """Where somebody works: in their checkout, or in a directory beside it, such as a work tree."""
        if (person, None) not in self.places:
            self.places[person, None] = self.clone(person)
        if (person, directory) not in self.places:
            place = copy.copy(self.places[person, None])
            place.project = os.path.join(os.path.dirname(place.project), directory)
            self.places[person, directory] = place
        return self.places[person, directory]

    def clone(self, person):
        place = copy.copy(self.sandbox)
        place.home = os.path.join(place.root, f"home-{person}")
        place.project = os.path.join(place.root, person, "project")
        os.makedirs(place.home)
        os.makedirs(os.path.dirname(place.project))
        place.environment = {**place.environment, "HOME": place.home, "USER": person}
        origin = os.path.join(place.root, "origin.git")
        self.run(self.sandbox, f"git clone -q {origin} {place.project}", place.environment)
        self.sign(place, person)
        return place

    def sign(self, place, person):
        """Commits carry this name. Gemini CLI keeps its commands from the user's own settings of git."""
        self.run(place, f"git config user.name {person} && git config user.email {person}@example.com")

    def host(self, agent, person=OWNER, directory=None):
        """An agent of a person, about to work in a directory."""
        if (agent, person) not in self.hosts:
            place = copy.copy(self.place(person))
            place.environment = dict(place.environment)
            host = self.stack.enter_context(HOSTS[agent](self.installed, place))
            host.place.cli("setup", agent)
            self.hosts[agent, person] = host
        host = self.hosts[agent, person]
        host.place = copy.copy(host.place)
        host.place.project = self.place(person, directory).project
        return host

    def run(self, place, command, environment=None):
        """What a command of a person's shell prints. It must succeed; `! command` must fail."""
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=place.project,
            env=environment or place.environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=COMMAND_TIMEOUT,
        )
        assert done.returncode == 0, f"`{command}` ended with {done.returncode}: {done.stdout.strip()}"
        return done.stdout

    def look(self, place, door):
        """What is read at a door: printed by a command, or answered by a tool to a client that has no hooks."""
        return call_tool(place, door) if door.startswith("handoff_") else self.run(place, door)


def call_tool(place, name):
    """The text with which a tool answers a client that knows nothing but the protocol."""
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bare", "version": "1"}}
    messages = [
        {"id": 1, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": name, "arguments": {}}},
    ]
    server = subprocess.Popen(
        ["handoff", "mcp"],
        cwd=place.project,
        env=place.environment,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with server:
        for message in messages:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            server.stdin.flush()
        answers = (json.loads(line) for line in server.stdout)
        answer = next(answer for answer in answers if answer.get("id") == 2)
        server.stdin.close()
    return "\n".join(part["text"] for part in answer["result"]["content"])


@contextlib.contextmanager
def workplaces(sandbox, installed):
    with contextlib.ExitStack() as stack:
        yield Workplaces(sandbox, installed, stack)
