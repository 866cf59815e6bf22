"""Stories of four to eight conversations over several agents and a shell, and what each of them is shown at its start.

    stories.py stories --binary FILE --installed DIRECTORY [--story TEXT] [--show]

A story is a file in `stories/`: what people and models do, step by step, and tables of facts about what they got. Its
fields are described in `docs/testing.md`. What a model does is scripted; the agents are the real ones.
"""

import argparse
import concurrent.futures
import glob
import os
import sys
import threading
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "clients")]
from alone import go_alone  # noqa: E402
from facts import FactTable, texts_of_handoff  # noqa: E402
from kit import Suite, sandbox  # noqa: E402
from model import HANG, Call, Shell, Todos, Write, strings  # noqa: E402
from workplaces import OWNER, workplaces  # noqa: E402

STEP_FIELDS = {"who", "in", "shell", "prints", "doors", "each", "agent", "prompt", "model", "start", "answer"}
STEP_FIELDS |= {"killed", "continues", "compacted"}
PRINTING = threading.Lock()


class Story:
    """One story, and how its facts turned out."""

    def __init__(self, path, everywhere, show):
        with open(path, "rb") as file:
            told = tomllib.load(file)
        self.name = os.path.basename(path).removesuffix(".toml")
        self.title, self.shared, self.steps = told.pop("title"), told.pop("shared", False), told.pop("step")
        unknown = set(told) | {field for step in self.steps for field in step} - STEP_FIELDS
        if unknown:
            raise ValueError(f"{path}: no such field: {', '.join(sorted(unknown))}")
        self.everywhere, self.show, self.suite = everywhere, show, Suite(self.name)

    @property
    def conversations(self):
        return sum("agent" in step for step in self.steps)

    def run(self, binary, installed):
        with sandbox(binary) as place, workplaces(place, installed) as self.world:
            self.world.found(self.shared)
            for number, step in enumerate(self.steps, 1):
                self.label = f"step {number}"
                try:
                    self.take(step)
                except Exception as error:
                    self.suite.failed += 1
                    self.report([f"{type(error).__name__}: {error}"])
                    break  # what comes after builds on it
        return self.suite

    def take(self, step):
        who, directory = step.get("who", OWNER), step.get("in")
        where = f"{who} in {directory}" if directory else who
        if "shell" in step or "doors" in step:
            self.label += f" ({where}, shell)"
            place = self.world.place(who, directory)
            printed = "".join(self.world.run(place, command) for command in step.get("shell", []))
            self.judge("printed", step.get("prints"), printed)
            for door in step.get("doors", []):
                self.judge(f"`{door}` said", step["each"], self.world.look(place, door))
        if "agent" in step:
            self.label += f" ({where}, {step['agent']}, “{step['prompt']}”)"
            self.converse(step, self.world.host(step["agent"], who, directory))

    def converse(self, step, host):
        """One process of an agent, and what its model got."""
        script = [deed for given in step.get("model", ["Done."]) for deed in deeds(given, host)]
        go_on, killed = step.get("continues", False), None
        if step.get("killed"):
            script.append(HANG)
            changed = [given.get("write") or given.get("edit") for given in step["model"] if isinstance(given, dict)]
            changed = [path for path in changed if path]
            # Some agents write their transcript a moment after things have happened.
            killed = lambda: host.model.hung.is_set() and all(map(host.has_noted, changed[-1:]))  # noqa: E731
        seen = host.session(step["prompt"], script, go_on=go_on, killed_once=killed)
        given = texts_of_handoff(strings(seen.first))
        start = FactTable(step.get("start", {}))
        self.judge("its model's first request had", start if go_on else start + self.everywhere, given)
        if "answer" in step:
            assert seen.results, "no tool has answered"
            self.judge("the last tool answered", step["answer"], seen.results[-1].text)
        elif self.show and seen.results:
            self.judge("tools answered", {}, "\n--\n".join(result.text for result in seen.results))
        if "compacted" in step:
            host.compacted()
            after = texts_of_handoff(strings(host.model.requests[-1]))
            self.judge("after the compaction its model got", step["compacted"], after)

    def judge(self, what, table, text):
        """Counts the facts that hold, and reports the others with the text."""
        if table is None:
            return
        table = table if isinstance(table, FactTable) else FactTable(table)
        verdicts = list(table.verdicts(text))
        failed = [sentence for sentence, holds in verdicts if not holds]
        self.suite.passed += len(verdicts) - len(failed)
        self.suite.failed += len(failed)
        if failed or self.show:
            self.report(failed, f"{what}:\n{text.strip() or '(nothing of handoff)'}")

    def report(self, complaints, text=""):
        """Prints what is wrong, or that nothing is, and the text that was got."""
        head = "FAILED" if complaints else "passed"
        lines = [f"{head} stories: {self.name}, {self.label}", *(f"       {complaint}" for complaint in complaints)]
        lines += [f"       | {line}" for line in text.splitlines()]
        with PRINTING:
            print("\n".join(lines), flush=True)


def deeds(given, host):
    """What a model does, of what a story says."""
    match given:
        case str(text):
            return [text]
        case {"run": command}:
            return [Shell(command)]
        case {"write": path, "text": text}:
            return [Write(host.named(path), text)]
        case {"edit": path, "old": old, "new": new}:
            return host.editing(path, old, new)
        case {"todos": items}:
            return [Todos(list(items.items()))]
        case {"save": arguments}:
            return [Call("handoff_save_context", arguments)]
        case {"update": arguments}:
            return [Call("handoff_update_session", arguments)]
        case {"call": name, **arguments}:
            return [Call(name, arguments.get("with", {}))]
    raise ValueError(f"a model cannot do this: {given}")


def read_stories(only, show):
    directory = os.path.join(HERE, "stories")
    with open(os.path.join(directory, "every-start.toml"), "rb") as file:
        everywhere = FactTable(tomllib.load(file))
    paths = sorted(set(glob.glob(os.path.join(directory, "*.toml"))) - {file.name})
    stories = [Story(path, everywhere, show) for path in paths if only in os.path.basename(path)]
    # The longest first, so that none runs alone at the end.
    return sorted(stories, key=lambda story: -story.conversations)


def main():
    alone = go_alone()
    parser = argparse.ArgumentParser()
    parser.add_argument("name", help="the suite")
    parser.add_argument("--binary", required=True, help="the `handoff` under test")
    parser.add_argument("--installed", required=True, help="where install.sh put the agents")
    parser.add_argument("--story", default="", help="only stories whose file names contain this")
    parser.add_argument("--show", action="store_true", help="print what was got even where every fact holds")
    given = parser.parse_args()
    stories = read_stories(given.story, given.show)
    total = Suite(given.name)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for suite in pool.map(lambda story: story.run(given.binary, given.installed), stories):
            total.add(suite)
    total.note(f"{len(stories)} stories, {sum(story.conversations for story in stories)} conversations")
    if not alone:
        total.note("not cut off from the network, which this system does not allow")
    total.end()


if __name__ == "__main__":
    main()
