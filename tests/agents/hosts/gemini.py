"""Gemini CLI."""

import json
import os

from apis.generate import Generate
from hosts.host import Host, Result
from kit import node
from model import strings

SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
}


class Gemini(Host):
    name, api = "gemini", Generate
    transcripts = ".gemini/tmp/*/chats/*.jsonl"
    full = 700_000

    def configure(self):
        self.program = os.path.join(self.installed, "agents/node_modules/@google/gemini-cli/bundle/gemini.js")
        servers = {"handoff": {"command": self.place.binary, "args": ["mcp"], "trust": True}}
        settings = {**SETTINGS, "mcpServers": servers} if self.by_hand else SETTINGS
        # The file may have comments, and this one does.
        self.write(".gemini/settings.json", "// My own settings\n" + json.dumps(settings, indent=2) + "\n")
        self.place.find_first(os.path.join(self.installed, "agents/node_modules/.bin"))

    def environment(self):
        return {
            **super().environment(),
            "GOOGLE_GEMINI_BASE_URL": self.model.base,
            "GEMINI_API_KEY": "none",
            "GEMINI_CLI_NO_RELAUNCH": "true",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }

    def command(self, prompt, go_on):
        return [
            node(self.installed),
            self.program,
            "-m",
            "gemini-2.5-pro",
            "--approval-mode",
            "yolo",
            "-o",
            "stream-json",
            "-p",
            prompt,
            *(["--resume", "latest"] if go_on else []),
        ]

    def compacted(self):
        super().compacted()
        # There is no moment for a hook between a compression and the request after it, so the next prompt it is.
        return self.session("And now?", ["Nothing."], go_on=True).read(-1)

    def reading(self, path):
        return "read_file", {"file_path": path}

    @staticmethod
    def results(requests):
        parts = (part for body in requests for content in body["contents"] for part in content.get("parts", []))
        answers = {one["id"]: one["response"] for part in parts if (one := part.get("functionResponse"))}
        return [Result("\n".join(strings(answer)), "error" in answer) for answer in answers.values()]
