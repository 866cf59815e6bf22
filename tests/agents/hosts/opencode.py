"""OpenCode."""

import glob
import json
import os

from apis.chat import Chat
from hosts.host import Host, Result, as_text

QUIET = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "OPENCODE_DISABLE_SHARE": "1",
}


class OpenCode(Host):
    name, api = "opencode", Chat
    transcripts = ".local/share/opencode/opencode*.db"
    full = 195_000

    def configure(self):
        found = glob.glob(os.path.join(self.installed, "agents/node_modules/opencode-*/bin/opencode"))
        assert found, "no opencode for this machine was installed"
        self.program = found[0]
        self.place.find_first(os.path.dirname(self.program))
        options = {"baseURL": self.model.base + "/v1", "apiKey": "none"}
        model = {"name": "scripted", "tool_call": True, "limit": {"context": 200_000, "output": 8_000}}
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": options}
        config = {
            "model": "scripted/scripted",
            "small_model": "scripted/scripted",
            "autoupdate": False,
            "share": "disabled",
            "provider": {"scripted": {**provider, "models": {"scripted": model}}},
        }
        if self.by_hand:
            config["mcp"] = {"handoff": {"type": "local", "command": [self.place.binary, "mcp"], "enabled": True}}
        path = self.write(".config/opencode/opencode.json", json.dumps(config, indent=2) + "\n")
        self.lay_out(os.path.dirname(path))

    def lay_out(self, directory):
        """Puts in place what OpenCode otherwise fetches from the network before it loads a plugin."""
        for name in ("package.json", "package-lock.json", "node_modules"):
            os.symlink(os.path.join(self.installed, "opencode-plugin", name), os.path.join(directory, name))

    def ready_for_the_project(self):
        self.lay_out(self.place.path(".opencode"))

    def environment(self):
        return {**super().environment(), **QUIET}

    def command(self, prompt, go_on):
        return [self.program, "run", "--format", "json", "--auto", *(["--continue"] if go_on else []), prompt]

    def reading(self, path):
        return "read", {"filePath": path}

    @staticmethod
    def results(requests):
        messages = (message for body in requests for message in body["messages"])
        answers = {one["tool_call_id"]: one for one in messages if one["role"] == "tool"}
        return [Result(as_text(one["content"])) for one in answers.values()]
