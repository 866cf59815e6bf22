"""Claude Code."""

import glob
import json
import os

from apis.messages import Messages
from hosts.host import Host, Result, as_text

QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
}
ALLOWED = "mcp__handoff,ToolSearch,Bash,Edit,Write,Read,TaskCreate,TaskUpdate"


class ClaudeCode(Host):
    name, api = "claude-code", Messages
    transcripts = ".claude/projects/*/*.jsonl"

    def configure(self):
        # One self-contained program per platform; npm installs the one that fits.
        found = glob.glob(os.path.join(self.installed, "agents/node_modules/@anthropic-ai/claude-code-*/claude"))
        assert found, "no claude-code for this machine was installed"
        self.program = found[0]
        self.place.find_first(os.path.dirname(self.program))
        if self.by_hand:
            servers = {"mcpServers": {"handoff": {"command": self.place.binary, "args": ["mcp"]}}}
            self.servers = self.write("mcp.json", json.dumps(servers))

    def environment(self):
        return {
            **super().environment(),
            **QUIET,
            "ANTHROPIC_BASE_URL": self.model.base,
            "ANTHROPIC_API_KEY": "none",
        }

    def command(self, prompt, go_on):
        servers = ["--mcp-config", self.servers, "--strict-mcp-config"] if self.by_hand else []
        return [
            self.program,
            "-p",
            prompt,
            "--output-format",
            "json",
            "--permission-mode",
            "acceptEdits",
            "--allowedTools",
            ALLOWED,
            *servers,
            *(["--continue"] if go_on else []),
        ]

    def compacted(self):
        self.session("/compact", [], go_on=True)
        return self.session("And now?", ["Nothing."], go_on=True).read(-1)

    def reading(self, path):
        return "Read", {"file_path": path}

    @staticmethod
    def results(requests):
        messages = (message for body in requests for message in body["messages"])
        blocks = (block for message in messages if isinstance(message["content"], list) for block in message["content"])
        seen = {block["tool_use_id"]: block for block in blocks if block.get("type") == "tool_result"}
        return [Result(as_text(block["content"]), bool(block.get("is_error"))) for block in seen.values()]
