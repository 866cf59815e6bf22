"""mcp-fuzzer against the server, bounded in time: no crash, no hang, nothing broken afterwards.

fuzzer.py fuzzer --binary FILE --installed DIRECTORY
"""

import json
import os
import pwd
import shlex
import shutil
import subprocess
import sys

from kit import HERE, Suite, arguments, sandbox

# The fuzzer itself may take this long; the server answers in milliseconds, so most of it is spare.
SECONDS = 120


class Fuzzing:
    def __init__(self, given, place):
        self.place, self.log = place, os.path.join(place.root, "witness.jsonl")
        place.cli("init", "fuzzed")
        place.cli("task", "create", "Stay whole")
        binary, user = place.binary, ""
        if os.geteuid() == 0:
            # Paths are among the things a fuzzer makes up. Nobody can write only where everybody may.
            user = "nobody"
            binary = shutil.copy(place.binary, os.path.join(place.root, "handoff"))
            for directory in (place.root, place.project, place.home):
                os.chmod(directory, 0o755)
            subprocess.run(["chown", "-R", f"{pwd.getpwnam(user).pw_uid}", place.project, place.home], check=True)
        server = [sys.executable, os.path.join(HERE, "witness.py"), self.log, user, binary, "mcp", "--tools", "all"]
        command = [
            os.path.join(os.path.abspath(given.installed), "fuzzer/bin/mcp-fuzzer"),
            "--mode",
            "all",
            "--phase",
            "both",
            "--protocol",
            "stdio",
            "--endpoint",
            shlex.join(server),
            "--runs",
            "8",
            "--runs-per-type",
            "5",
            "--seed",
            "1",
            "--no-network",
            "--no-corpus",
            "--timeout",
            "10",
            "--fs-root",
            os.path.join(place.root, "fuzzed"),
            "--output-dir",
            os.path.join(place.root, "report"),
            "--log-level",
            "ERROR",
        ]
        self.done = subprocess.run(
            command,
            cwd=place.project,
            env=place.environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            check=False,
        )
        with open(self.log, encoding="utf-8") as file:
            self.seen = [json.loads(line) for line in file]

    def all(self, key):
        return [entry[key] for entry in self.seen if key in entry]


def the_fuzzer_came_to_its_end(fuzzing):
    assert fuzzing.done.returncode in (0, 1), fuzzing.done.stdout[-2000:]
    assert len(fuzzing.all("asked")) > 100, f"only {len(fuzzing.all('asked'))} requests were made"


def no_server_ended_before_its_client(fuzzing):
    early = [entry for entry in fuzzing.seen if entry.get("early")]
    assert not early, f"{early}; {fuzzing.all('complaint')[-5:]}"


def nothing_panicked(fuzzing):
    panics = [line for line in fuzzing.all("complaint") if "panicked" in line]
    assert not panics, panics[:3]


def every_request_was_answered(fuzzing):
    answered = {json.dumps(one) for one in fuzzing.all("answered")}
    waiting = [
        entry["line"] for entry in fuzzing.seen if "asked" in entry and json.dumps(entry["asked"]) not in answered
    ]
    # The fuzzer ends the server while its last request is under way.
    assert len(waiting) <= 1, (
        f"{len(waiting)} of {len(fuzzing.all('asked'))} requests got no answer, such as {waiting[0]}"
    )


def the_project_is_whole_afterwards(fuzzing):
    assert "Stay whole" in json.dumps(fuzzing.place.cli("task", "list"))
    problems = fuzzing.place.cli("task", "list").get("problems")
    assert not problems, problems


def main():
    given = arguments()
    suite = Suite(given.name)
    with sandbox(given.binary) as place:
        fuzzing = Fuzzing(given, place)
        for check in (
            the_fuzzer_came_to_its_end,
            no_server_ended_before_its_client,
            nothing_panicked,
            every_request_was_answered,
            the_project_is_whole_afterwards,
        ):
            suite.check(check, fuzzing)
        suite.note(f"{len(fuzzing.all('asked'))} requests, {len(fuzzing.all('answered'))} answers")
    suite.end()


if __name__ == "__main__":
    main()
