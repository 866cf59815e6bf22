"""The agents, by what `handoff setup` calls them."""

from hosts.claude_code import ClaudeCode
from hosts.codex import Codex
from hosts.gemini import Gemini
from hosts.opencode import OpenCode

HOSTS = {host.name: host for host in (Codex, ClaudeCode, Gemini, OpenCode)}
