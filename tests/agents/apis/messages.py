"""The Messages API, as Claude Code speaks it."""

import json

from model import HANG, SUMMARY, Call, Edit, Model, Shell, Todos, Write, events, strings

FORM = f"<analysis>\nscripted\n</analysis>\n\n<summary>\n{SUMMARY}\n</summary>"


class Messages(Model):
    """Only the conversation takes steps: its requests offer tools, and do not ask for a summary."""

    def listing(self):
        return json.dumps({"data": [], "has_more": False, "first_id": None, "last_id": None})

    def answer(self, path, body):
        if "count_tokens" in path:
            return "application/json", json.dumps({"input_tokens": 1000})
        step, tokens = self.step(body)
        if step is HANG:
            return None
        content = [self.block(part) for part in self.parts(step)]
        message = {
            "id": f"msg_{self.number():04d}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model", "scripted"),
            "content": content,
            "stop_reason": "end_turn" if isinstance(step, str) else "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": tokens or 1000, "output_tokens": 20},
        }
        return events(streamed(message)) if body.get("stream") else ("application/json", json.dumps(message))

    def step(self, body):
        if asks_for_summary(body):
            return self.aside(body, FORM), None
        return self.next_step(body) if body.get("tools") else (self.aside(body, '{"title": "Scripted"}'), None)

    def parts(self, step):
        """A to-do list is made by one call for each thing to do; any other step is one block."""
        if isinstance(step, Todos):
            return [Call("TaskCreate", {"subject": what, "description": what}, None) for what, _ in step.items]
        return [step]

    def block(self, step):
        if isinstance(step, str):
            return {"type": "text", "text": step}
        name, given = spelled(step)
        return {"type": "tool_use", "id": f"toolu_{self.number():04d}", "name": name, "input": given}


def spelled(step):
    match step:
        case Call(name, given, server):
            return f"mcp__{server}__{name}" if server else name, given
        case Shell(command):
            return "Bash", {"command": command, "description": "Run a command"}
        case Write(path, text):
            return "Write", {"file_path": path, "content": text}
        case Edit(path, old, new):
            return "Edit", {"file_path": path, "old_string": old, "new_string": new}


def asks_for_summary(body):
    asked = [message["content"] for message in body["messages"] if message["role"] == "user"]
    return any("detailed summary" in text and "TEXT ONLY" in text for text in strings(asked[-1:]))


def streamed(message):
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        if block["type"] == "tool_use":
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
        "usage": message["usage"],
    }
    yield {"type": "message_stop"}
