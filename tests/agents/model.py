"""A model that does what a script says, behind a vendor's API on loopback; every request to it is kept.

A script is a list of steps, one for each time the model is asked; after the last the model says "done". A step is a
sentence to say (a string), something to do, or `HANG`. How each is spelled is the vendor's business: `apis/`.
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


@dataclasses.dataclass
class Shell:
    """A command, through the agent's own tool."""

    command: str


@dataclasses.dataclass
class Write:
    """A new file, through the agent's own tool."""

    path: str
    text: str


@dataclasses.dataclass
class Edit:
    """A line of a file replaced, through the agent's own tool."""

    path: str
    old: str
    new: str


@dataclasses.dataclass
class Todos:
    """The agent's own to-do list: what is to be done, and how far that is (`pending`, `in_progress`, `completed`)."""

    items: list


@dataclasses.dataclass
class Filling:
    """A step after which the model reports so many tokens of input that the agent has to compact."""

    step: object
    tokens: int


# What the model says when it is asked to sum up the conversation.
SUMMARY = "The conversation so far, in short."

# The model does not answer any more; the agent waits until it is killed.
HANG = object()


class Model:
    """The server. `base` is its address while the `with` block lasts, `requests` what it was asked.

    Requests that are no part of the conversation (titles, summaries, counting) take no step; they are in `asides`.
    """

    def __init__(self):
        self.script, self.requests, self.asides = [], [], []
        self.count, self.lock, self.hung = 0, threading.Lock(), threading.Event()

    def follow(self, script):
        """From here on the model does this."""
        with self.lock:
            self.script, self.requests, self.asides = list(script), [], []
            self.hung.clear()

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
                    answer = model.answer(self.path, body)
                if answer is None:
                    model.hung.set()
                    self.rfile.read(1)  # ends when the agent does
                    self.close_connection = True
                    return
                kind, text = answer
                self.send(text, kind)

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

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                """A connection that a killed agent left behind is no news."""

        self.http = Server(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()

    def next_step(self, body):
        """What to do now, and the tokens to report if the step names them."""
        self.requests.append(body)
        step = self.script.pop(0) if self.script else "done"
        return (step.step, step.tokens) if isinstance(step, Filling) else (step, None)

    def aside(self, body, text):
        self.asides.append(body)
        return text

    def number(self):
        self.count += 1
        return self.count


def events(told):
    """Server-sent events, each named by its type."""
    return "text/event-stream", "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in told)


def strings(value):
    """Every string in a JSON value, in order: what the model reads, without the escapes of the wire."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)
