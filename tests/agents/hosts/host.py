"""What all agents have in common here: a place to run in, a scripted model to ask, and what that model was shown."""

import dataclasses
import glob
import json
import os
import signal
import subprocess
import threading

from model import Call, Edit, Filling, Shell, strings

# Far above what an agent needs from its start to its end, on a machine that has other things to do.
PATIENCE = 240


class Host:
    """One agent at one place. The model keeps its address for as long as the `with` block lasts."""

    # What `handoff setup` and `handoff hook` call it.
    name = None
    api = None
    # So many tokens are nearly all it can take, and what the model then says to the requests that follow.
    full, afterwards = None, ["I looked around."]
    # Whether the tools of our server are declared by hand, instead of by `handoff setup`.
    by_hand = False

    def __init__(self, installed, place, by_hand=False):
        self.installed, self.place, self.by_hand, self.model = os.path.abspath(installed), place, by_hand, self.api()

    def __enter__(self):
        self.model.__enter__()
        self.configure()
        return self

    def __exit__(self, *given):
        self.model.__exit__(*given)

    def session(self, prompt, script, go_on=False, killed_once=None):
        """One process from its start to its end; with `go_on` it goes on with the conversation before.

        With `killed_once` given, the process is killed as soon as that returns true.
        """
        self.model.follow(script)
        agent = subprocess.Popen(
            self.command(prompt, go_on),
            cwd=self.place.project,
            env=self.environment(),
            text=True,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        over = threading.Event()
        if killed_once:
            threading.Thread(target=self.kill, args=(agent, killed_once, over), daemon=True).start()
        try:
            out, complaints = agent.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(agent.pid, signal.SIGKILL)
            agent.communicate()
            asked = f"after {len(self.model.requests)} requests"
            raise AssertionError(f"{self.name} did not end, {asked}: `{prompt}`") from None
        finally:
            over.set()
        if killed_once:
            assert agent.returncode == -signal.SIGKILL, f"{self.name} ended by itself: {out[-800:]} {complaints[-800:]}"
        else:
            said = f"{out[-800:]} {complaints[-800:]}"
            assert agent.returncode == 0, f"{self.name} ended with {agent.returncode}: {said}"
        told = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        return Seen(list(self.model.requests), list(self.model.asides), told, self.results)

    def kill(self, agent, once, over):
        while not once() and not over.wait(0.02):
            pass
        if not over.is_set():
            os.killpg(agent.pid, signal.SIGKILL)

    def environment(self):
        return self.place.environment

    def compacted(self):
        """Makes the agent compact the conversation, and says what the model is shown afterwards.

        Agents do so when the model reports that it has read nearly as much as it can, before they ask it again.
        """
        return self.session("Look around.", [Filling(Shell("ls"), self.full), *self.afterwards], go_on=True).read(-1)

    # Whether a hook is called for every edit that its model makes.
    tells_of_edits = True

    def transcript(self):
        """The file that was written to last, of those in which this agent keeps conversations."""
        return max(glob.glob(os.path.join(self.place.home, self.transcripts), recursive=True), key=os.path.getmtime)

    def has_noted(self, path):
        """Whether that file tells of a change to another. Some agents write it a moment after things have happened."""
        try:
            return path in self.place.said("capture", "--from", self.transcript(), "--dry-run")
        except (AssertionError, ValueError):
            return False  # nothing is in it yet, or it is not there

    def may_note(self, path):
        """Whether something about a project has its place in this file of the user's."""
        return False

    def ready_for_the_project(self):
        """What an agent would do for itself before it looks at the settings of a project."""

    def named(self, path):
        """How this agent's model names a file of the project."""
        return self.place.path(path)

    def editing(self, path, old, new):
        """The steps in which this agent's model changes a line: most agents want a file to be read before."""
        return [Call(*self.reading(self.named(path)), None), Edit(self.named(path), old, new)]

    def write(self, path, text):
        """A file of this user's own, below the home."""
        path = os.path.join(self.place.home, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


@dataclasses.dataclass
class Result:
    """A tool's answer as the model got it."""

    text: str
    refused: bool = False


class Seen:
    """What the model saw in one process, and what the agent told at its end."""

    def __init__(self, requests, asides, told, results):
        self.requests, self.asides, self.told = requests, asides, told
        self.results = results(requests)

    @property
    def first(self):
        return self.requests[0]

    def read(self, index=0):
        """All that a request says, as one text."""
        return "\n".join(strings(self.requests[index]))

    def everything(self):
        return "\n".join(strings([self.requests, self.asides]))


def once_each(entries):
    """History is sent again with every request: each entry once, in order."""
    return list({json.dumps(entry, sort_keys=True): entry for entry in entries}.values())


def as_text(output):
    """A tool's answer as the model reads it."""
    if isinstance(output, list):
        return "\n".join(
            part["text"] if isinstance(part, dict) and "text" in part else json.dumps(part, ensure_ascii=False)
            for part in output
        )
    return output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
