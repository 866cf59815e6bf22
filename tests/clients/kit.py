"""What all suites share: checks and their summary, a project in a home of its own, the server's two ends.

A suite is a program: SCRIPT NAME --binary FILE --installed DIRECTORY. It prints a line per failed check and, last,
`clients: NAME 12 passed, 0 failed`; its exit code is 1 when a check failed. Checks are functions whose names are
sentences, run in the order they are written in, because they tell a story in which one step builds on another.
"""

import argparse
import contextlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
# Far above what a healthy answer needs, so reaching it means a hang.
PATIENCE = 60
# The tools that are listed by default.
CORE = {
    "handoff_init",
    "handoff_load_context",
    "handoff_save_context",
    "handoff_list_tasks",
    "handoff_update_task",
    "handoff_get_config",
    "handoff_update_config",
    "handoff_dashboard",
    "handoff_get_task",
    "handoff_update_session",
    "handoff_check_criterion",
}


class Suite:
    """Checks, and how they went."""

    def __init__(self, name):
        self.name, self.passed, self.failed, self.notes = name, 0, 0, []

    def check(self, function, *given):
        """Runs one check; an exception is its failure."""
        what = function.__name__.replace("_", " ")
        try:
            function(*given)
        except Exception as error:
            self.failed += 1
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{os.path.basename(where.filename)}:{where.lineno}"
            print(f"FAILED {self.name}: {what}\n       {str(error) or where.line} ({place})")
        else:
            self.passed += 1

    def note(self, text):
        """Something measured that is worth reading beside the verdict."""
        self.notes.append(text)

    def add(self, other):
        """What another suite found belongs to this one."""
        self.passed += other.passed
        self.failed += other.failed
        self.notes += other.notes

    def end(self):
        notes = "".join(f"; {note}" for note in self.notes)
        print(f"clients: {self.name} {self.passed} passed, {self.failed} failed{notes}")
        sys.exit(1 if self.failed or not self.passed else 0)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", help="the suite")
    parser.add_argument("--binary", required=True, help="the `handoff` under test")
    parser.add_argument("--installed", required=True, help="where install.sh put the clients")
    return parser.parse_args()


def node(installed):
    """The pinned Node where there is one for this machine, else the one in PATH."""
    kind = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), "none")
    pinned = os.path.join(installed, "node", "node_modules", f"node-linux-{kind}", "bin", "node")
    return pinned if os.path.exists(pinned) else "node"


class Sandbox:
    """A project directory and a home, so that nothing of the user's is read or written."""

    def __init__(self, binary):
        self.binary = os.path.abspath(binary)
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="handoff-clients-"))
        self.project, self.home = os.path.join(self.root, "project"), os.path.join(self.root, "home")
        os.mkdir(self.project)
        os.mkdir(self.home)
        self.environment = {
            "HOME": self.home,
            "USER": "tester",
            "PATH": os.environ["PATH"],
            "HANDOFF_PATIENCE": "20",  # what a busy machine leaves out for want of time is measured elsewhere
            "LANG": "C.UTF-8",
            "TZ": "UTC",
        }

    def cli(self, *words):
        """The JSON that a command prints."""
        return json.loads(self.said(*words, "--json"))

    def said(self, *words):
        """What a command prints."""
        done = subprocess.run(
            [self.binary, *words],
            cwd=self.project,
            env=self.environment,
            text=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, f"`handoff {' '.join(words)}` ended with {done.returncode}: {done.stderr.strip()}"
        return done.stdout

    def path(self, *parts):
        return os.path.join(self.project, *parts)

    def find_first(self, *directories):
        """Programs in these directories are found before others."""
        self.environment["PATH"] = os.pathsep.join([*directories, self.environment["PATH"]])


@contextlib.contextmanager
def sandbox(binary):
    """A sandbox that goes afterwards, except when a check threw it out of its story."""
    place = Sandbox(binary)
    yield place
    subprocess.run(["rm", "-rf", place.root], check=False)


class Refused(Exception):
    """The server answered with a protocol error, or the client would not take its answer."""

    def __init__(self, error):
        super().__init__(f"{error['kind']} {error['code'] or ''}: {error['message']}")
        self.code, self.message = error["code"], error["message"]


class Client:
    """A client under test, in a process of its own with a server of its own, told what to do line by line."""

    def __init__(self, command, place):
        self.process = subprocess.Popen(
            [*command, place.binary, "mcp"],
            cwd=place.project,
            env=place.environment,
            text=True,
            encoding="utf-8",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.complaints = []
        threading.Thread(target=self._listen, daemon=True).start()
        self.hello = self._answer()

    def _listen(self):
        for line in self.process.stderr:
            self.complaints.append(line.rstrip())

    def _answer(self):
        timer = threading.Timer(PATIENCE, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        if not line:
            raise AssertionError("the client ended: " + " | ".join(self.complaints[-12:]))
        answer = json.loads(line)
        if "error" in answer:
            raise Refused(answer["error"])
        return answer["ok"]

    def do(self, deed, **given):
        self.process.stdin.write(json.dumps({"do": deed, **given}) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def tool(self, name, **given):
        """Calls a tool; the answer must be a success."""
        answer = Answer(self.do("call", name=name, arguments=given))
        assert not answer.refused, f"{name} was refused: {answer.text}"
        return answer

    def refusal(self, name, **given):
        """Calls a tool that must refuse; its text."""
        answer = Answer(self.do("call", name=name, arguments=given))
        assert answer.refused, f"{name} should have refused {given}: {answer.text}"
        return answer.text

    def offers(self, what):
        return what in self.hello["offers"]

    def close(self):
        """Ends the client the ordinary way; a server that does not end with it is a hang."""
        self.process.stdin.close()
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError("the client did not end") from None
        assert code == 0, f"the client ended with {code}: " + " | ".join(self.complaints[-12:])


class Answer:
    """A tool's answer: its text, its structured content if it has any, and whether it is a refusal."""

    def __init__(self, result):
        self.text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
        self.facts, self.refused = result.get("structuredContent"), result.get("isError", False)
        assert self.text.strip(), f"an answer without text: {result}"


def contains(text, *parts):
    for part in parts:
        assert part in text, f"`{part}` is missing in: {text[:1500]}"
