"""A model that does what a script says, behind a vendor's API on loopback; every request to it is kept.

A script is a list of steps, one for each time the model is asked; after the last the model says "done". A step is a
sentence to say (a string) or a `Call`. How either is spelled is the vendor's business: `Responses` for Codex,
`Messages` for Claude Code.
"""

import dataclasses
import http.server
import json
import threading


@dataclasses.dataclass
class Call:
    """A call of a tool of our server; of one of the agent's own tools with `server` None."""

    name: str
    arguments: dict
    server: str | None = "handoff"


class Model:
    """The server. `base` is its address while the `with` block lasts, `requests` what it was asked."""

    def __init__(self, script):
        self.script, self.requests, self.count, self.lock = list(script), [], 0, threading.Lock()

    def __enter__(self):
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.send(model.listing(), "application/json")

            do_HEAD = do_GET

            def do_POST(self):
                body = json.loads(self.body() or b"{}")
                with model.lock:
                    kind, answer = model.answer(self.path, body)
                self.send(answer, kind)

            def body(self):
                if self.headers.get("transfer-encoding", "").lower() != "chunked":
                    return self.rfile.read(int(self.headers.get("content-length") or 0))
                parts = []
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    parts.append(self.rfile.read(size))
                    self.rfile.readline()
                self.rfile.readline()
                return b"".join(parts)

            def send(self, text, kind):
                data = text.encode()
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()

    def next_step(self, body):
        self.requests.append(body)
        return self.script.pop(0) if self.script else "done"

    def number(self):
        self.count += 1
        return self.count


def events(told):
    """Server-sent events, each named by its type."""
    return "text/event-stream", "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in told)


class Responses(Model):
    """The Responses API, as Codex speaks it."""

    def listing(self):
        return json.dumps({"object": "list", "data": [], "models": []})

    def answer(self, path, body):
        item = self.item(self.next_step(body), body)
        usage = {
            "input_tokens": 10,
            "input_tokens_details": None,
            "output_tokens": 5,
            "output_tokens_details": None,
            "total_tokens": 15,
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
        names = {tool.get("name") for tool in listed(body)}
        if "exec" in names and "exec_command" not in names:
            # The model writes JavaScript for one tool; the others are functions in there.
            return {
                "type": "custom_tool_call",
                "id": f"ctc_{number}",
                "call_id": f"call_{number}",
                "name": "exec",
                "input": script_of(step),
            }
        if step.name == "tool_search":
            return {
                "type": "tool_search_call",
                "id": f"tsc_{number}",
                "call_id": f"call_{number}",
                "execution": "client",
                "arguments": step.arguments,
            }
        call = {
            "type": "function_call",
            "id": f"fc_{number}",
            "call_id": f"call_{number}",
            "name": step.name,
            "arguments": json.dumps(step.arguments, ensure_ascii=False),
        }
        return {**call, "namespace": f"mcp__{step.server}"} if step.server else call


def script_of(step):
    if step.name == "tool_search":
        return "text(ALL_TOOLS.filter(tool => tool.name.includes('handoff')));\n"
    function = f"mcp__{step.server}__{step.name}" if step.server else step.name
    return f"const answer = await tools.{function}({json.dumps(step.arguments, ensure_ascii=False)});\ntext(answer);\n"


def listed(body):
    """Every tool that a request to the Responses API shows to the model, members of a namespace too."""
    lists = [body.get("tools") or []]
    lists += [entry["tools"] for entry in body.get("input") or [] if entry.get("type") == "additional_tools"]
    for tool in (tool for tools in lists for tool in tools):
        yield tool
        yield from tool.get("tools") or []


class Messages(Model):
    """The Messages API, as Claude Code speaks it. Only requests that offer tools take a step; titles do not."""

    def listing(self):
        return json.dumps({"data": [], "has_more": False, "first_id": None, "last_id": None})

    def answer(self, path, body):
        if "count_tokens" in path:
            return "application/json", json.dumps({"input_tokens": 1000})
        step = self.next_step(body) if body.get("tools") else '{"title": "Scripted"}'
        number = self.number()
        if isinstance(step, str):
            block, reason = {"type": "text", "text": step}, "end_turn"
        else:
            name = f"mcp__{step.server}__{step.name}" if step.server else step.name
            block, reason = (
                {"type": "tool_use", "id": f"toolu_{number:04d}", "name": name, "input": step.arguments},
                "tool_use",
            )
        message = {
            "id": f"msg_{number:04d}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model", "scripted"),
            "content": [block],
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": {"input_tokens": 1000, "output_tokens": 20},
        }
        return events(streamed(message)) if body.get("stream") else ("application/json", json.dumps(message))


def streamed(message):
    (block,) = message["content"]
    if block["type"] == "tool_use":
        empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    else:
        empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    yield {"type": "content_block_start", "index": 0, "content_block": empty}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
        "usage": message["usage"],
    }
    yield {"type": "message_stop"}
