"""The real Claude Code with a scripted model: one session saves, the next resumes, and what the model was shown.

claude_code.py claude-code --binary FILE --installed DIRECTORY
"""

import glob
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "clients")]
from alone import go_alone  # noqa: E402
from kit import CORE, PATIENCE, Suite, arguments, contains, sandbox  # noqa: E402
from model import Call, Messages  # noqa: E402
from tale import BLOCKER, DECISION, LOAD, NEXT, OPEN, SAVE, WORK, prepare  # noqa: E402

QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
}
# An answer of more characters goes to a file, and the model gets a preview.
LIMIT = 49_000


class Claude:
    def __init__(self, given, place):
        self.place = place
        # One self-contained program per platform; npm installs the one that fits.
        found = glob.glob(
            os.path.join(os.path.abspath(given.installed), "agents/node_modules/@anthropic-ai/claude-code-*/claude")
        )
        assert found, "no claude-code for this machine was installed"
        self.program = found[0]

    def session(self, prompt, script):
        """Runs one session to its end."""
        servers = os.path.join(self.place.root, "mcp.json")
        with open(servers, "w", encoding="utf-8") as file:
            json.dump({"mcpServers": {"handoff": {"command": self.place.binary, "args": ["mcp"]}}}, file)
        with Messages(script) as model:
            environment = {
                **self.place.environment,
                **QUIET,
                "ANTHROPIC_BASE_URL": model.base,
                "ANTHROPIC_API_KEY": "none",
            }
            command = [
                self.program,
                "-p",
                prompt,
                "--output-format",
                "json",
                "--mcp-config",
                servers,
                "--strict-mcp-config",
                "--allowedTools",
                "mcp__handoff,ToolSearch",
            ]
            done = subprocess.run(
                command,
                cwd=self.place.project,
                env=environment,
                text=True,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=PATIENCE,
                check=False,
            )
        assert done.returncode == 0, f"claude ended with {done.returncode}: {done.stdout[-400:]} {done.stderr[-800:]}"
        return Seen(model.requests, json.loads(done.stdout))


class Seen:
    """What the model saw in a session."""

    def __init__(self, requests, told):
        self.first, self.last, self.told = requests[0], requests[-1], told
        blocks = [
            block
            for message in self.last["messages"]
            if isinstance(message["content"], list)
            for block in message["content"]
        ]
        self.results = [block for block in blocks if block.get("type") == "tool_result"]

    def text(self, index):
        content = self.results[index]["content"]
        return (
            content if isinstance(content, str) else "\n".join(part.get("text", json.dumps(part)) for part in content)
        )

    def no_error(self):
        told = self.told[-1] if isinstance(self.told, list) else self.told
        assert not told.get("is_error") and not told.get("permission_denials"), told


def a_session_is_closed_without_an_error(tale):
    tale.closing.no_error()
    assert not tale.closing.results[-1].get("is_error"), tale.closing.text(-1)
    (saved,) = tale.place.cli("session", "list")["sessions"]
    contains(tale.closing.text(-1), saved["id"])


def a_refusal_reaches_the_model_with_its_reason(tale):
    assert tale.closing.results[-2].get("is_error"), tale.closing.text(-2)
    contains(tale.closing.text(-2), OPEN, "handoff_")


def the_next_session_is_shown_what_it_needs(tale):
    tale.resuming.no_error()
    shown = tale.resuming.text(-1)
    contains(shown, NEXT, DECISION, BLOCKER, "Deploy staging")
    assert "\n" in shown, "the context was shown as one escaped line"
    assert len(shown) < LIMIT


def a_tool_that_is_not_offered_at_once_is_found_by_what_people_say(tale):
    contains(json.dumps(tale.closing.results[0]), "handoff_list_tasks")


def the_instructions_and_every_name_reach_the_model(tale):
    text = json.dumps(
        [tale.resuming.first.get("system"), tale.resuming.first["messages"], tale.resuming.first["tools"]]
    )
    contains(text, "MCP Server Instructions", *(f"mcp__handoff__{name}" for name in CORE))


def loading_and_saving_are_offered_from_the_start(tale):
    names = {tool["name"] for tool in tale.resuming.first["tools"] if not tool.get("defer_loading")}
    assert {"mcp__handoff__handoff_load_context", "mcp__handoff__handoff_save_context"} <= names, sorted(names)


class Tale:
    """The two sessions, and what was seen in them."""

    def __init__(self, given, place):
        self.place = place
        prepare(place)
        claude = Claude(given, place)
        look = Call("ToolSearch", {"query": "which tasks are open", "max_results": 5}, None)
        self.closing = claude.session("close the session", [look, *WORK, SAVE, "saved"])
        self.resuming = claude.session("continue where I left off", [LOAD, "resumed"])


def main():
    alone = go_alone()
    given = arguments()
    suite = Suite(given.name)
    with sandbox(given.binary) as place:
        tale = Tale(given, place)
        for check in (
            a_session_is_closed_without_an_error,
            a_refusal_reaches_the_model_with_its_reason,
            the_next_session_is_shown_what_it_needs,
            a_tool_that_is_not_offered_at_once_is_found_by_what_people_say,
            the_instructions_and_every_name_reach_the_model,
            loading_and_saving_are_offered_from_the_start,
        ):
            suite.check(check, tale)
        suite.note(f"{len(tale.resuming.text(-1).encode())} bytes of context")
        own = [tool for tool in tale.resuming.first["tools"] if tool["name"].startswith("mcp__handoff")]
        suite.note(f"tools from the start: {len(json.dumps(own, ensure_ascii=False).encode())} bytes")
    if not alone:
        suite.note("not cut off from the network, which this system does not allow")
    suite.end()


if __name__ == "__main__":
    main()
