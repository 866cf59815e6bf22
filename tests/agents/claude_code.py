"""The real Claude Code with a scripted model: one session saves, the next resumes, and what the model was shown.

claude_code.py claude-code --binary FILE --installed DIRECTORY
"""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "clients")]
from hosts.claude_code import ClaudeCode  # noqa: E402
from kit import CORE, contains  # noqa: E402
from model import Call  # noqa: E402
from tale import Tale, tell  # noqa: E402

# An answer of more characters goes to a file, and the model gets a preview.
LIMIT = 49_000


class InClaudeCode(Tale):
    def looks(self, prompt):
        look = Call("ToolSearch", {"query": "which tasks are open", "max_results": 5}, None)
        return [look] if prompt == "close the session" else []

    def no_error(self, seen, refusals=0):
        (told,) = seen.told
        assert not told.get("is_error") and not told.get("permission_denials"), told
        assert sum(result.refused for result in seen.results) == refusals, seen.results

    def notes(self):
        own = [tool for tool in self.resuming.first["tools"] if tool["name"].startswith("mcp__handoff")]
        return [*super().notes(), f"tools from the start: {len(json.dumps(own, ensure_ascii=False).encode())} bytes"]


def a_tool_that_is_not_offered_at_once_is_found_by_what_people_say(tale):
    contains(tale.closing.results[0].text, "handoff_list_tasks")


def the_instructions_and_every_name_reach_the_model(tale):
    text = json.dumps(
        [tale.resuming.first.get("system"), tale.resuming.first["messages"], tale.resuming.first["tools"]]
    )
    contains(text, "MCP Server Instructions", *(f"mcp__handoff__{name}" for name in CORE))


def loading_and_saving_are_offered_from_the_start(tale):
    names = {tool["name"] for tool in tale.resuming.first["tools"] if not tool.get("defer_loading")}
    assert {"mcp__handoff__handoff_load_context", "mcp__handoff__handoff_save_context"} <= names, sorted(names)


if __name__ == "__main__":
    tell(
        ClaudeCode,
        [(None, LIMIT, {})],
        InClaudeCode,
        a_tool_that_is_not_offered_at_once_is_found_by_what_people_say,
        the_instructions_and_every_name_reach_the_model,
        loading_and_saving_are_offered_from_the_start,
    )
