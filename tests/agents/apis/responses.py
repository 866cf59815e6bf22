"""The Responses API, as Codex speaks it."""

import json

from model import HANG, Call, Edit, Model, Shell, Todos, Write, events


class Responses(Model):
    def listing(self):
        return json.dumps({"object": "list", "data": [], "models": []})

    def answer(self, path, body):
        step, tokens = self.next_step(body)
        if step is HANG:
            return None
        item = self.item(step, body)
        usage = {
            "input_tokens": tokens or 10,
            "input_tokens_details": None,
            "output_tokens": 5,
            "output_tokens_details": None,
            "total_tokens": (tokens or 10) + 5,
        }
        response = {"id": f"resp_{self.number()}", "output": [item], "usage": usage}
        return events(
            [
                {"type": "response.created", "response": {"id": response["id"]}},
                {"type": "response.output_item.done", "output_index": 0, "item": item},
                {"type": "response.completed", "response": response},
            ]
        )

    def item(self, step, body):
        number = self.number()
        if isinstance(step, str):
            part = {"type": "output_text", "text": step}
            return {"type": "message", "role": "assistant", "id": f"msg_{number}", "content": [part]}
        ids = {"id": f"item_{number}", "call_id": f"call_{number}"}
        name, server, given = spelled(step)
        names = {tool.get("name") for tool in listed(body)}
        if "exec" in names and "exec_command" not in names:
            # The model writes JavaScript for one tool; the others are functions in there.
            return {"type": "custom_tool_call", **ids, "name": "exec", "input": script_of(name, server, given)}
        if name == "tool_search":
            return {"type": "tool_search_call", **ids, "execution": "client", "arguments": given}
        if name == "apply_patch" and name not in names:
            # Models that Codex does not know have no tool for it; they write a command, which Codex recognises.
            name, given = "exec_command", {"cmd": f"apply_patch <<'END'\n{given}\nEND"}
        if name == "apply_patch":
            return {"type": "custom_tool_call", **ids, "name": name, "input": given}
        call = {"type": "function_call", **ids, "name": name, "arguments": json.dumps(given, ensure_ascii=False)}
        return {**call, "namespace": f"mcp__{server}"} if server else call


def spelled(step):
    """Tool, MCP server if it is of one, and what it is given."""
    match step:
        case Call(name, given, server):
            return name, server, given
        case Shell(command):
            return "exec_command", None, {"cmd": command}
        case Write(path, text):
            return "apply_patch", None, patch(f"*** Add File: {path}", *(f"+{line}" for line in text.splitlines()))
        case Edit(path, old, new):
            return "apply_patch", None, patch(f"*** Update File: {path}", "@@", f"-{old}", f"+{new}")
        case Todos(items):
            return "update_plan", None, {"plan": [{"step": step, "status": status} for step, status in items]}


def patch(*lines):
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


def script_of(name, server, given):
    if name == "tool_search":
        return "text(ALL_TOOLS.filter(tool => tool.name.includes('handoff')));\n"
    function = f"mcp__{server}__{name}" if server else name
    return f"const answer = await tools.{function}({json.dumps(given, ensure_ascii=False)});\ntext(answer);\n"


def listed(body):
    """Every tool that a request shows to the model, members of a namespace too."""
    lists = [body.get("tools") or []]
    lists += [entry["tools"] for entry in body.get("input") or [] if entry.get("type") == "additional_tools"]
    for tool in (tool for tools in lists for tool in tools):
        yield tool
        yield from tool.get("tools") or []
