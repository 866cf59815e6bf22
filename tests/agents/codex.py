"""The real Codex command line with a scripted model: one session saves, the next resumes, and what the model was shown.

    codex.py codex --binary FILE --installed DIRECTORY

Codex shows tools in one of three ways, by the model's name, so the story is told three times.
"""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "clients")]
from apis.responses import listed  # noqa: E402
from hosts.codex import Codex  # noqa: E402
from kit import CORE, contains  # noqa: E402
from model import Call  # noqa: E402
from tale import Tale, tell  # noqa: E402

# What each kind is, the bytes after which Codex cuts a tool's answer, and the model that stands for it.
KINDS = [
    ("classic", 48_000, {"model": "gpt-5.5"}),
    ("code mode", 40_000, {"model": "gpt-6.1-sol"}),
    ("fallback", 12_000, {"model": "some-local-model"}),
]


class InCodex(Tale):
    def looks(self, prompt):
        return [] if self.kind == "fallback" else [Call("tool_search", {"query": prompt}, None)]

    def no_error(self, seen, refusals=0):
        wrong = [event for event in seen.told if "error" in event.get("type", "")]
        assert not wrong, wrong
        refused = [event for event in seen.told if event.get("item", {}).get("status") == "failed"]
        assert len(refused) == refusals, refused
        for result in seen.results:
            assert "requires approval" not in result.text and "truncated" not in result.text, result.text[:500]

    def notes(self):
        own = [tool for tool in self.resuming.first.get("tools", []) if tool.get("name") == "mcp__handoff"]
        size = len(json.dumps(own, ensure_ascii=False).encode())
        return [*super().notes(), *([f"tools in every request: {size} bytes"] if own else [])]


def the_right_tool_is_found_by_what_people_say(tale):
    if tale.kind == "fallback":
        names = {tool.get("name") for tool in listed(tale.resuming.first)}
        assert CORE <= names, f"not listed: {sorted(CORE - names)}"
        return
    contains(tale.closing.results[0].text, "handoff_save_context")
    contains(tale.resuming.results[0].text, "handoff_load_context")


if __name__ == "__main__":
    tell(Codex, KINDS, InCodex, the_right_tool_is_found_by_what_people_say)
