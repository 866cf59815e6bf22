"""The loop of every client in Python: requests come as lines of JSON on stdin, answers go as lines of JSON to stdout.

    {"do": "call", "name": "handoff_list_tasks", "arguments": {}}
    {"ok": <the result, as it stands on the wire>}  or  {"error": {"code": -32602, "message": "…"}}

The first line out is `{"ok": {…}}` about the connection; `offers` in it names what the client can do beyond the rest.
So the story that is told to all clients is written once, whatever language a client speaks.
"""

import asyncio
import json
import sys


def say(line):
    sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def plain(value):
    """A result of any of the libraries as JSON, in the names of the wire."""
    if isinstance(value, list):
        return [plain(one) for one in value]
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True, exclude_none=True)
    return value


def failure(error):
    """What went wrong, with the code if the server sent one. A group is told by its first member."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    told = getattr(error, "error", None)
    code = getattr(told, "code", getattr(error, "code", None))
    return {"code": code, "message": getattr(told, "message", None) or str(error), "kind": type(error).__name__}


async def serve(hello, deeds):
    """Answers requests with the methods of `deeds` until stdin ends."""
    say({"ok": plain(hello)})
    while line := await asyncio.to_thread(sys.stdin.readline):
        request = json.loads(line)
        try:
            say({"ok": plain(await getattr(deeds, request.pop("do"))(**request))})
        except Exception as error:  # every failure is an answer; what it means is for the story to judge
            say({"error": failure(error)})


async def abandon(call, seconds):
    """Starts a call and gives it up after a while; says whether it was given up before it was answered."""
    task = asyncio.ensure_future(call)
    done, _ = await asyncio.wait([task], timeout=seconds)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return {"abandoned": not done}
