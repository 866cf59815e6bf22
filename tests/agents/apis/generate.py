"""The `generateContent` API, as Gemini CLI speaks it."""

import json

from model import HANG, SUMMARY, Call, Edit, Model, Shell, Todos, Write

FORM = f"<state_snapshot>\n<overall_goal>{SUMMARY}</overall_goal>\n</state_snapshot>"
# The answer to "which model should take this": any that the client knows.
ROUTE = json.dumps({"reasoning": "-", "model_choice": "flash", "complexity_reasoning": "-", "complexity_score": 1})


class Generate(Model):
    """Only the conversation takes steps: its requests offer functions."""

    def listing(self):
        return json.dumps({"models": []})

    def answer(self, path, body):
        size = len(json.dumps(body)) // 4
        if ":countTokens" in path:
            return "application/json", json.dumps({"totalTokens": size})
        step, tokens = self.step(body)
        if step is HANG:
            return None
        count = tokens or size
        content = {"role": "model", "parts": [self.part(step)]}
        response = {
            "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": count, "candidatesTokenCount": 20, "totalTokenCount": count + 20},
            "modelVersion": "scripted",
            "responseId": f"response_{self.number()}",
        }
        if "alt=sse" in path:
            return "text/event-stream", f"data: {json.dumps(response)}\n\n"
        return "application/json", json.dumps([response] if "stream" in path else response)

    def step(self, body):
        if any("functionDeclarations" in tool for tool in body.get("tools") or []):
            return self.next_step(body)
        return self.aside(body, FORM if "state_snapshot" in json.dumps(body) else ROUTE), None

    def part(self, step):
        if isinstance(step, str):
            return {"text": step}
        name, given = spelled(step)
        return {"functionCall": {"id": f"call_{self.number()}", "name": name, "args": given}}


def spelled(step):
    match step:
        case Call(name, given, server):
            return f"mcp_{server}_{name}" if server else name, given
        case Shell(command):
            return "run_shell_command", {"command": command, "description": "Run a command"}
        case Write(path, text):
            return "write_file", {"file_path": path, "content": text}
        case Edit(path, old, new):
            return "replace", {"file_path": path, "instruction": "scripted", "old_string": old, "new_string": new}
        case Todos(items):
            return "write_todos", {"todos": [{"description": what, "status": status} for what, status in items]}
