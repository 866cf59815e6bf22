"""The real Codex command line with a scripted model: one session saves, the next resumes, and what the model was shown.

    codex.py codex --binary FILE --installed DIRECTORY

Codex shows tools in one of three ways, by the model's name, so the story is told three times.
"""

import concurrent.futures
import json
import os
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "clients")]
from alone import go_alone  # noqa: E402
from kit import CORE, PATIENCE, Suite, arguments, contains, node, sandbox  # noqa: E402
from model import Call, Responses, listed  # noqa: E402
from tale import BLOCKER, DECISION, LOAD, NEXT, OPEN, SAVE, WORK, prepare  # noqa: E402

# What each kind is, the model that stands for it, and the bytes after which Codex cuts a tool's answer.
KINDS = [("classic", "gpt-5.5", 48_000), ("code mode", "gpt-6.1-sol", 40_000), ("fallback", "some-local-model", 12_000)]
CONFIG = """\
model = {model}
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "workspace-write"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = {base}
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[mcp_servers.handoff]
command = {binary}
args = ["mcp"]
[projects.{project}]
trust_level = "trusted"
"""


class Codex:
    def __init__(self, installed, place, model):
        self.place, self.model = place, model
        self.program = [node(installed), os.path.join(installed, "agents/node_modules/@openai/codex/bin/codex.js")]

    def session(self, prompt, script):
        """Runs one session to its end."""
        with Responses(script) as model:
            home = os.path.join(self.place.home, ".codex")
            os.makedirs(home, exist_ok=True)
            with open(os.path.join(home, "config.toml"), "w", encoding="utf-8") as file:
                file.write(
                    CONFIG.format(
                        model=json.dumps(self.model),
                        base=json.dumps(model.base + "/v1"),
                        binary=json.dumps(self.place.binary),
                        project=json.dumps(self.place.project),
                    )
                )
            command = [*self.program, "exec", "--json", "--skip-git-repo-check", prompt]
            agent = subprocess.Popen(
                command,
                cwd=self.place.project,
                env=self.place.environment,
                text=True,
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            try:
                out, complaints = agent.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                os.killpg(agent.pid, signal.SIGKILL)  # the launcher and the program it started
                raise AssertionError("codex did not end") from None
        assert agent.returncode == 0, f"codex ended with {agent.returncode}: {complaints[-800:]}"
        return Seen(model.requests, [json.loads(line) for line in out.splitlines() if line.startswith("{")])


class Seen:
    """What the model saw in a session."""

    def __init__(self, requests, told):
        self.first, self.told = requests[0], told
        entries = {json.dumps(entry, sort_keys=True): entry for body in requests for entry in body.get("input", [])}
        self.results = [
            as_text(entry.get("output", entry.get("tools")))
            for entry in entries.values()
            if str(entry.get("type")).endswith("_output")
        ]

    def no_error(self, refusals=0):
        """Nothing went wrong, and the server refused as many calls as the script wants it to."""
        wrong = [event for event in self.told if "error" in event.get("type", "")]
        assert not wrong, wrong
        refused = [event for event in self.told if event.get("item", {}).get("status") == "failed"]
        assert len(refused) == refusals, refused
        for result in self.results:
            assert "requires approval" not in result and "truncated" not in result, result[:500]


def as_text(output):
    """A tool's answer as the model reads it."""
    if isinstance(output, list):
        return "\n".join(
            part["text"] if isinstance(part, dict) and "text" in part else json.dumps(part, ensure_ascii=False)
            for part in output
        )
    return output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)


def told_in_full(text):
    """In code mode the answer is a JSON object that the script printed: its strings are escaped once."""
    return text + "\n" + text.replace("\\n", "\n").replace('\\"', '"')


class Tale:
    """The two sessions with one kind of model, and what was seen in them."""

    def __init__(self, given, place, kind, model):
        self.kind, self.place = kind, place
        prepare(place)
        codex = Codex(os.path.abspath(given.installed), place, model)
        look = [] if kind == "fallback" else [Call("tool_search", {"query": "close the session"}, None)]
        self.closing = codex.session("close the session", [*look, *WORK, SAVE, "saved"])
        look = [] if kind == "fallback" else [Call("tool_search", {"query": "continue where I left off"}, None)]
        self.resuming = codex.session("continue where I left off", [*look, LOAD, "resumed"])


def a_session_is_closed_without_an_error(tale):
    tale.closing.no_error(refusals=1)
    (saved,) = tale.place.cli("session", "list")["sessions"]
    contains(tale.closing.results[-1], saved["id"])


def a_refusal_reaches_the_model_with_its_reason(tale):
    contains(tale.closing.results[-2], OPEN, "handoff_")


def the_next_session_is_shown_what_it_needs(tale):
    tale.resuming.no_error()
    shown = tale.resuming.results[-1]
    contains(told_in_full(shown), NEXT, DECISION, BLOCKER, "Deploy staging")
    assert shown.count(NEXT) == 1, "the context was shown twice"


def the_right_tool_is_found_by_what_people_say(tale):
    if tale.kind == "fallback":
        names = {tool.get("name") for tool in listed(tale.resuming.first)}
        assert CORE <= names, f"not listed: {sorted(CORE - names)}"
        return
    contains(tale.closing.results[0], "handoff_save_context")
    contains(tale.resuming.results[0], "handoff_load_context")


def tell(given, kind, model, limit):
    suite = Suite(kind)
    with sandbox(given.binary) as place:
        tale = Tale(given, place, kind, model)
        for check in (
            a_session_is_closed_without_an_error,
            a_refusal_reaches_the_model_with_its_reason,
            the_next_session_is_shown_what_it_needs,
            the_right_tool_is_found_by_what_people_say,
        ):
            suite.check(check, tale)

        def the_answer_is_under_the_limit_of_the_host():
            size = len(tale.resuming.results[-1].encode())
            suite.note(f"{kind}: {size} bytes of context")
            assert size < limit, f"{size} bytes, {limit} arrive whole"

        suite.check(the_answer_is_under_the_limit_of_the_host)
        if kind == "fallback":
            own = [tool for tool in tale.resuming.first["tools"] if tool.get("name") == "mcp__handoff"]
            suite.note(f"tools in every request: {len(json.dumps(own, ensure_ascii=False).encode())} bytes")
    return suite


def main():
    alone = go_alone()
    given = arguments()
    total = Suite(given.name)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for suite in pool.map(lambda kind: tell(given, *kind), KINDS):
            total.passed += suite.passed
            total.failed += suite.failed
            total.notes += suite.notes
    if not alone:
        total.note("not cut off from the network, which this system does not allow")
    total.end()


if __name__ == "__main__":
    main()
