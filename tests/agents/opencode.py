"""The real OpenCode with a scripted model: one session saves, the next resumes, and what the model was shown.

opencode.py opencode --binary FILE --installed DIRECTORY
"""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "clients")]
from hosts.opencode import OpenCode  # noqa: E402
from kit import CORE, contains  # noqa: E402
from tale import Tale, tell  # noqa: E402

# An answer of more bytes is cut, and the rest goes to a file.
LIMIT = 50_000


class InOpenCode(Tale):
    def no_error(self, seen, refusals=0):
        wrong = [event for event in seen.told if event.get("type") == "error"]
        assert not wrong, wrong
        refused = [event for event in seen.told if event.get("part", {}).get("state", {}).get("status") == "error"]
        assert len(refused) == refusals, refused

    def notes(self):
        size = len(json.dumps(own_tools(self.resuming), ensure_ascii=False).encode())
        return [*super().notes(), f"tools in every request: {size} bytes"]


def own_tools(seen):
    return [tool for tool in seen.first["tools"] if tool["function"]["name"].startswith("handoff_")]


def every_tool_is_offered_from_the_start(tale):
    names = {tool["function"]["name"].removeprefix("handoff_") for tool in own_tools(tale.resuming)}
    assert CORE <= names, f"not listed: {sorted(CORE - names)}"


def the_instructions_reach_the_model(tale):
    contains(tale.resuming.read(), "mcp_instructions", "handoff_load_context")


if __name__ == "__main__":
    tell(
        OpenCode,
        [(None, LIMIT, {})],
        InOpenCode,
        every_tool_is_offered_from_the_start,
        the_instructions_reach_the_model,
    )
