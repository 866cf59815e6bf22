"""The Inspector's command line, which reads schemas as strictly as hosts do.

    inspector.py NAME --binary FILE --installed DIRECTORY

Every call starts a server of its own, so this is also what a session of single calls looks like. NAME says the era:
inspector-legacy, inspector-auto or inspector-modern.
"""

import json
import os
import subprocess

from kit import PATIENCE, Suite, arguments, contains, node, sandbox

PROGRAM = "node/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"


class Inspector:
    def __init__(self, given, place):
        self.place, self.era = place, given.name.removeprefix("inspector-")
        installed = os.path.abspath(given.installed)
        self.program = [node(installed), os.path.join(installed, PROGRAM), "--cli"]

    def ask(self, method, *options):
        """The JSON that one method prints; a refusal has an exit code of its own."""
        command = [*self.program, "--protocol-era", self.era, "--method", method, "--format", "json", *options]
        done = subprocess.run(
            [*command, "--", self.place.binary, "mcp"],
            cwd=self.place.project,
            env=self.place.environment,
            text=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, f"{method} ended with {done.returncode}: {done.stderr or done.stdout}"
        return json.loads(done.stdout)

    def call(self, tool, **given):
        answer = self.ask("tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(given))
        return answer["result"]["content"][0]["text"]


def every_schema_passes_without_a_warning(inspector):
    answer = inspector.ask("tools/list", "--strict")
    assert len(answer["result"]["tools"]) >= 11, "core is not listed"
    findings = [
        f"{tool['toolName']} {one['schema']}.{one['path']}: {one['severity']} {one['rule']}"
        for tool in answer.get("schemaFindings", [])
        for one in tool["findings"]
    ]
    assert not findings, "; ".join(findings)


def a_session_of_single_calls_is_saved_and_resumed(inspector):
    contains(inspector.call("handoff_load_context"), "handoff_init")
    inspector.call("handoff_init", project_name="inspected")
    inspector.call("handoff_update_task", task={"title": "Look closely"})
    inspector.call("handoff_save_context", summary="Looked at", next=["Look again"])
    contains(inspector.call("handoff_load_context"), "Look again", "Look closely")


def resources_are_listed_and_read(inspector):
    assert len(inspector.ask("resources/list")["result"]["resources"]) >= 2
    assert len(inspector.ask("resources/templates/list")["result"]["resourceTemplates"]) >= 2
    contains(json.dumps(inspector.ask("resources/read", "--uri", "handoff://config")), "inspected")


def prompts_are_listed_and_filled(inspector):
    assert len(inspector.ask("prompts/list")["result"]["prompts"]) >= 4
    contains(json.dumps(inspector.ask("prompts/get", "--prompt-name", "continue-session")), "Look again")


def many_calls_at_once_are_all_answered(inspector):
    load = ["--load", "--load-requests", "400", "--load-concurrency", "20"]
    answer = inspector.ask("tools/call", "--tool-name", "handoff_list_tasks", "--tool-args-json", "{}", *load)["result"]
    assert answer["ok"] == 400, answer


def main():
    given = arguments()
    suite = Suite(given.name)
    with sandbox(given.binary) as place:
        inspector = Inspector(given, place)
        for check in (
            every_schema_passes_without_a_warning,
            a_session_of_single_calls_is_saved_and_resumed,
            resources_are_listed_and_read,
            prompts_are_listed_and_filled,
            many_calls_at_once_are_all_answered,
        ):
            suite.check(check, inspector)
    suite.end()


if __name__ == "__main__":
    main()
