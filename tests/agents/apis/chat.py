"""The Chat Completions API, as OpenCode speaks it."""

import json

from model import HANG, SUMMARY, Call, Edit, Model, Shell, Todos, Write


class Chat(Model):
    """Only the conversation takes steps: its requests offer tools. Others ask for a title or a summary."""

    def listing(self):
        return json.dumps({"object": "list", "data": []})

    def answer(self, path, body):
        step, tokens = self.next_step(body) if body.get("tools") else (self.aside(body, SUMMARY), None)
        if step is HANG:
            return None
        count = tokens or len(json.dumps(body)) // 4
        usage = {"prompt_tokens": count, "completion_tokens": 20, "total_tokens": count + 20}
        message, reason = self.message(step)
        base = {"id": f"chat_{self.number()}", "created": 0, "model": body.get("model", "scripted")}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            whole = {**base, "object": "chat.completion", "choices": [choice], "usage": usage}
            return "application/json", json.dumps(whole)

        def chunk(delta, finish=None, **more):
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            return f"data: {json.dumps({**base, 'object': 'chat.completion.chunk', 'choices': [choice], **more})}\n\n"

        return "text/event-stream", chunk(message) + chunk({}, reason, usage=usage) + "data: [DONE]\n\n"

    def message(self, step):
        if isinstance(step, str):
            return {"role": "assistant", "content": step}, "stop"
        name, given = spelled(step)
        function = {"name": name, "arguments": json.dumps(given)}
        call = {"index": 0, "id": f"call_{self.number()}", "type": "function", "function": function}
        return {"role": "assistant", "content": "", "tool_calls": [call]}, "tool_calls"


def spelled(step):
    match step:
        case Call(name, given, server):
            return f"{server}_{name}" if server else name, given
        case Shell(command):
            return "bash", {"command": command, "description": "Run a command"}
        case Write(path, text):
            return "write", {"filePath": path, "content": text}
        case Edit(path, old, new):
            return "edit", {"filePath": path, "oldString": old, "newString": new}
        case Todos(items):
            todos = [
                {"id": str(number), "content": what, "status": status, "priority": "medium"}
                for number, (what, status) in enumerate(items)
            ]
            return "todowrite", {"todos": todos}
