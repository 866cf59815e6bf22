"""The real Gemini CLI with a scripted model: one session saves, the next resumes, and what the model was shown.

gemini.py gemini --binary FILE --installed DIRECTORY
"""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "clients")]
from hosts.gemini import Gemini  # noqa: E402
from kit import CORE, contains  # noqa: E402
from tale import Tale, tell  # noqa: E402

# Of an answer with more characters, the middle is left out.
LIMIT = 40_000


class InGemini(Tale):
    def no_error(self, seen, refusals=0):
        wrong = [event for event in seen.told if event.get("type") == "error"]
        assert not wrong, wrong
        assert sum(result.refused for result in seen.results) == refusals, seen.results

    def notes(self):
        size = len(json.dumps(own_tools(self.resuming), ensure_ascii=False).encode())
        return [*super().notes(), f"tools in every request: {size} bytes"]


def own_tools(seen):
    offered = [one for tool in seen.first["tools"] for one in tool.get("functionDeclarations", [])]
    return [one for one in offered if one["name"].startswith("mcp_handoff_")]


def every_tool_is_offered_from_the_start(tale):
    names = {one["name"].removeprefix("mcp_handoff_") for one in own_tools(tale.resuming)}
    assert CORE <= names, f"not listed: {sorted(CORE - names)}"


def the_instructions_reach_the_model(tale):
    contains(tale.resuming.read(), "server instructions", "handoff_load_context")


def the_context_is_marked_as_data_by_the_host(tale):
    contains(tale.shown(), "<untrusted_context>")


if __name__ == "__main__":
    tell(
        Gemini,
        [(None, LIMIT, {})],
        InGemini,
        every_tool_is_offered_from_the_start,
        the_instructions_reach_the_model,
        the_context_is_marked_as_data_by_the_host,
    )
