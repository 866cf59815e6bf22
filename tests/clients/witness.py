"""Stands between a fuzzer and the server, passes everything on, and writes down what a fuzzer would overlook.

    witness.py LOG USER COMMAND…

LOG gets lines of JSON: {"asked": id, "line": "what"}, {"answered": id}, {"complaint": "a line of stderr"}, and at the
end {"ended": code, "early": true if the server ended while its input was still open}. With a USER other than "" the
server runs as that user, so that a path the fuzzer makes up leads nowhere that matters.
"""

import json
import signal
import subprocess
import sys
import threading


def no_json(word):
    """Python reads and writes NaN and Infinity; JSON has neither, and a line with one is no request."""
    raise ValueError(word)


def main(path, user, *command):
    log, lock = open(path, "a", encoding="utf-8"), threading.Lock()

    def note(**entry):
        with lock:
            log.write(json.dumps(entry) + "\n")
            log.flush()

    def number(line):
        """The id of a line that is a request or an answer; None for anything else."""
        try:
            message = json.loads(line, parse_constant=no_json)
            return message.get("id") if isinstance(message, dict) else None
        except ValueError:
            return None

    server = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, user=user or None
    )
    over = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: (over.set(), server.terminate()))

    def complain():
        for line in server.stderr:
            note(complaint=line.decode("utf-8", "replace").rstrip())

    def ask():
        for line in sys.stdin.buffer:
            if b'"method"' in line and (asked := number(line)) is not None:
                note(asked=asked, line=line.decode("utf-8", "replace")[:2000])
            try:
                server.stdin.write(line)
                server.stdin.flush()
            except OSError:
                return
        over.set()
        server.stdin.close()

    for task in (complain, ask):
        threading.Thread(target=task, daemon=True).start()
    for line in server.stdout:
        if b'"method"' not in line and (answered := number(line)) is not None:
            note(answered=answered)
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
    early = not over.is_set()
    note(ended=server.wait(), early=early)


main(*sys.argv[1:])
