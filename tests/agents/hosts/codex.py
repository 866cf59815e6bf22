"""The Codex command line."""

import json
import os

from apis.responses import Responses
from hosts.host import Host, Result, as_text, once_each
from kit import node
from model import SUMMARY, Edit

CONFIG = """\
# My own settings
model = {model}
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "workspace-write"   # not more
check_for_update_on_startup = false

[analytics]
enabled = false

[tools.update_plan]
enabled = true

[model_providers.scripted]
name = "scripted"
base_url = {base}
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[projects.{project}]
trust_level = "trusted"
"""
BY_HAND = """
[mcp_servers.handoff]
command = {binary}
args = ["mcp"]
"""


class Codex(Host):
    name, api = "codex", Responses
    transcripts = ".codex/sessions/**/*.jsonl"
    # The summary is asked for in the conversation itself.
    full, afterwards = 260_000, [SUMMARY, "I looked around."]

    def __init__(self, installed, place, by_hand=False, model="gpt-5.5"):
        super().__init__(installed, place, by_hand)
        self.kind = model

    def configure(self):
        config = CONFIG.format(
            model=json.dumps(self.kind),
            base=json.dumps(self.model.base + "/v1"),
            project=json.dumps(self.place.project),
        )
        if self.by_hand:
            config += BY_HAND.format(binary=json.dumps(self.place.binary))
        self.write(".codex/config.toml", config)
        # The launcher looks for `node` itself, and so does whoever looks for `codex`.
        bins = [os.path.join(self.installed, "agents/node_modules/.bin"), os.path.dirname(node(self.installed))]
        self.place.find_first(*filter(None, bins))

    def command(self, prompt, go_on):
        return ["codex", "exec", *(["resume", "--last"] if go_on else []), "--json", "--skip-git-repo-check", prompt]

    @property
    def tells_of_edits(self):
        # A patch that a model writes as a command is carried out, but no hook hears of it.
        return self.kind != "some-local-model"

    def may_note(self, path):
        # Which hooks a person trusts is written there, those of projects too.
        return path == os.path.join(self.place.home, ".codex", "config.toml")

    def named(self, path):
        return path

    def editing(self, path, old, new):
        return [Edit(path, old, new)]

    @staticmethod
    def results(requests):
        return [
            Result(printed(as_text(entry.get("output", entry.get("tools")))))
            for entry in once_each(entry for body in requests for entry in body.get("input", []))
            if str(entry.get("type")).endswith("_output")
        ]


def printed(text):
    """In code mode a script prints what a tool of ours answered, as JSON: the text in there."""
    head, brace, rest = text.partition('{"content":[')
    if not brace:
        return text
    answer, _ = json.JSONDecoder().raw_decode(brace + rest)
    return head + as_text(answer["content"])
