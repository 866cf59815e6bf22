"""The story that every client tells the server: an agent plans, works, saves; the next one resumes.

story.py NAME --binary FILE --installed DIRECTORY        NAME is one of CLIENTS
"""

import fcntl
import json
import os

from jsonschema import Draft202012Validator
from kit import CORE, HERE, Answer, Client, Refused, Suite, arguments, contains, node, sandbox

MODERN, HANDSHAKE = "2026-07-28", "2025-11-25"
# name: (program of the installed client, its speaker, mode, the version that must be agreed on)
CLIENTS = {
    "python-1": ("python-1/bin/python", "python_1.py", "legacy", HANDSHAKE),
    "python-2-auto": ("python-2/bin/python", "python_2.py", "auto", MODERN),
    "python-2-legacy": ("python-2/bin/python", "python_2.py", "legacy", HANDSHAKE),
    "python-2-pinned": ("python-2/bin/python", "python_2.py", MODERN, MODERN),
    "fastmcp-auto": ("fastmcp/bin/python", "fastmcp_client.py", "auto", MODERN),
    "fastmcp-legacy": ("fastmcp/bin/python", "fastmcp_client.py", "legacy", HANDSHAKE),
    "typescript-1": ("node", "typescript_1.mjs", "legacy", HANDSHAKE),
    "typescript-2": ("node", "typescript_2.mjs", "legacy", HANDSHAKE),
    "typescript-2-auto": ("node", "typescript_2.mjs", "auto", MODERN),
    "typescript-2-pinned": ("node", "typescript_2.mjs", MODERN, MODERN),
}
PROMPTS = {"continue-session", "close-session", "save-handoff", "project-status"}
CRITERION = "refresh flow has a test"
NEXT = "Fix the refresh test matrix"
DECISION = "JWT over server sessions"
BLOCKER = "waiting for the staging key"
FOREIGN = "認証トークンの更新 — naïve 🙂 «ключ»"
CHECKS = []


def check(function):
    """The next step of the story."""
    CHECKS.append(function)
    return function


class Story:
    """What the checks hand on to one another."""

    def __init__(self, place, command, version):
        self.place, self.command, self.version = place, command, version
        self.client = Client(command, place)
        self.tools = {}
        self.ids = {}

    def again(self):
        """Another connection: a fresh client with a fresh server."""
        return Client(self.command, self.place)

    def change(self, **given):
        """Calls handoff_update_task; the facts of its answer, held against the output schema."""
        answer = self.client.tool("handoff_update_task", **given)
        self.hold_to_schema("handoff_update_task", answer)
        return answer.facts

    def hold_to_schema(self, name, answer):
        schema = self.tools[name].get("outputSchema")
        assert schema, f"{name} has no output schema"
        assert answer.facts is not None, f"{name} answered without structured content"
        Draft202012Validator(schema).validate(answer.facts)


@check
def the_connection_is_made(story):
    hello = story.client.hello
    assert hello["version"] == story.version, f"agreed on {hello['version']}"
    assert hello["server"] == "handoff" or hello["server"] is None, f"the server is called {hello['server']}"


@check
def the_instructions_name_the_calls_that_matter(story):
    # A client that insists on a version asks for no introduction, and gets none.
    said = story.client.hello["instructions"]
    if said is None:
        assert story.version == MODERN
        return
    contains(said, "handoff_load_context", "handoff_save_context")
    assert len(said) <= 800, f"{len(said)} characters, in every session"


@check
def the_core_tools_are_listed_and_described(story):
    story.tools = {tool["name"]: tool for tool in story.client.do("tools")}
    missing = CORE - story.tools.keys()
    assert not missing, f"missing: {sorted(missing)}"
    for name, tool in story.tools.items():
        assert tool.get("description", "").strip(), f"{name} has no description"
        hints = tool.get("annotations") or {}
        assert tool.get("title") or hints.get("title"), f"{name} has no title"
        assert hints.get("openWorldHint") is False, f"{name} may be refused in a sandbox: {hints}"
        assert hints.get("readOnlyHint") or hints.get("destructiveHint") is False, (
            f"{name} may be refused in a sandbox: {hints}"
        )


@check
def the_schemas_are_portable(story):
    for name, tool in story.tools.items():
        for schema in filter(None, [tool["inputSchema"], tool.get("outputSchema")]):
            Draft202012Validator.check_schema(schema)
            assert schema.get("type") == "object", f"{name}: {schema.get('type')}"
            hold_portable(name, schema)
    if story.client.offers("strict"):
        story.client.do("strict")


def hold_portable(name, schema):
    """No list of types, which some models' dialects drop, and no format that is unknown outside of Rust."""
    if isinstance(schema, list):
        for one in schema:
            hold_portable(name, one)
    elif isinstance(schema, dict):
        assert not isinstance(schema.get("type"), list), f"{name}: a list of types in {schema}"
        assert not str(schema.get("format", "")).startswith(("int", "uint", "double", "float")), f"{name}: {schema}"
        for one in schema.values():
            hold_portable(name, one)


@check
def a_ping_is_answered(story):
    if story.client.offers("ping"):
        story.client.do("ping")


@check
def an_empty_directory_says_how_to_start(story):
    contains(story.client.tool("handoff_load_context").text, "handoff_init")
    assert not os.path.exists(story.place.path(".handoff"))


@check
def a_project_is_made_once(story):
    answer = story.client.tool("handoff_init", project_name="auth-service", description="Tokens for everyone")
    story.hold_to_schema("handoff_init", answer)
    config = story.place.path(".handoff", "config.toml")
    with open(config, encoding="utf-8") as file:
        before = file.read()
    contains(before, "auth-service")
    contains(story.client.refusal("handoff_init", project_name="other"), ".handoff")
    with open(config, encoding="utf-8") as file:
        assert file.read() == before


@check
def tasks_are_made_with_a_child_and_a_dependency(story):
    auth = story.change(
        task={"title": "Implement auth", "priority": "high", "labels": ["api"], "done_criteria": [{"item": CRITERION}]}
    )
    child = story.change(task={"title": "Write handlers", "status": "in_progress"}, parent_id=auth["id"])
    deploy = story.change(task={"title": "Deploy staging", "dependencies": [auth["id"]]})
    story.ids = {"auth": auth["id"], "child": child["id"], "deploy": deploy["id"]}
    assert len(set(story.ids.values())) == 3, story.ids
    assert child["number"].startswith(auth["number"] + "."), (auth, child)


@check
def a_task_is_changed_and_the_rest_of_it_is_kept(story):
    facts = story.change(task={"id": story.ids["auth"], "status": "in_progress", "notes_append": "Handler drafted"})
    assert facts["status"] == "in_progress", facts
    text = story.client.tool("handoff_get_task", task_id=story.ids["auth"], include_dependents=True).text
    contains(text, "Implement auth", "high", "api", CRITERION, "Handler drafted", "Deploy staging")


@check
def done_is_refused_while_a_criterion_is_open(story):
    text = story.client.refusal("handoff_update_task", task={"id": story.ids["auth"], "status": "done"})
    contains(text, CRITERION, "handoff_")


@check
def a_met_criterion_and_finished_children_allow_done(story):
    story.client.tool("handoff_check_criterion", task_id=story.ids["auth"], criterion_index=0, checked=True)
    story.change(task={"id": story.ids["child"], "status": "done"})
    assert story.change(task={"id": story.ids["auth"], "status": "done"})["status"] == "done"


@check
def a_dependency_cycle_is_refused(story):
    text = story.client.refusal(
        "handoff_update_task", task={"id": story.ids["auth"], "dependencies": [story.ids["deploy"]]}
    )
    contains(text, story.ids["auth"], story.ids["deploy"])


@check
def tasks_are_listed_as_text(story):
    contains(story.client.tool("handoff_list_tasks").text, "Implement auth", "Write handlers", "Deploy staging")
    text = story.client.tool("handoff_list_tasks", status_filter="todo").text
    contains(text, "Deploy staging")
    assert "Write handlers" not in text, text


@check
def tasks_are_listed_as_json_in_both_forms(story):
    answer = story.client.tool("handoff_list_tasks", format="json")
    assert json.loads(answer.text) == answer.facts, answer.text[:500]
    contains(answer.text, *story.ids.values())


@check
def a_session_is_saved_with_tasks_in_the_same_step(story):
    with open(story.place.path("middleware.rs"), "w", encoding="utf-8") as file:
        file.write("fn refresh() {}\n")
    answer = story.client.tool(
        "handoff_save_context",
        summary="Token parser extracted, refresh tests fail",
        title="Refactor auth middleware",
        decisions=[{"decision": DECISION, "reason": "stateless API", "confidence": "confirmed"}],
        next=[NEXT, FOREIGN],
        blockers=[BLOCKER],
        checklist=[{"item": "verify on staging", "owner": "user"}],
        handoff_notes=[{"note": "the test database runs on port 5433", "category": "caution"}],
        references=[{"label": "Refresh bug", "uri": "https://example.com/issues/31", "type": "issue"}],
        context_pointers=[{"path": "middleware.rs", "lines": "1-1", "reason": "resume here"}],
        tasks=[{"id": story.ids["deploy"], "status": "blocked"}, {"title": "Rotate keys"}],
    )
    story.hold_to_schema("handoff_save_context", answer)
    # Whichever of the two forms a host shows to its model, it must lead back to what was saved.
    story.ids["session"] = answer.facts["id"]
    contains(answer.text, story.ids["session"], "handoff_load_context")
    contains(story.client.tool("handoff_list_tasks").text, "Rotate keys")


@check
def nothing_is_saved_when_a_part_is_wrong(story):
    story.client.refusal(
        "handoff_save_context", summary="half", tasks=[{"title": "Half a step"}, {"id": "nosuchid", "status": "done"}]
    )
    assert "Half a step" not in story.client.tool("handoff_list_tasks").text


@check
def another_connection_resumes(story):
    other = story.again()
    text = other.tool("handoff_load_context").text
    contains(
        text, NEXT, DECISION, BLOCKER, "Deploy staging", "port 5433", "verify on staging", "middleware.rs", FOREIGN
    )
    assert len(text.encode()) <= 9500, f"{len(text.encode())} bytes"
    assert text == other.tool("handoff_load_context").text, "two loads differ"
    other.close()


@check
def what_is_for_reading_comes_as_text_alone(story):
    # Some hosts show a model the structured form in place of the text, others both: a page would be escaped, or twice.
    for tool, given in {
        "handoff_load_context": {},
        "handoff_list_tasks": {},
        "handoff_dashboard": {},
        "handoff_get_task": {"task_id": story.ids["auth"]},
        "handoff_get_config": {},
    }.items():
        assert story.client.tool(tool, **given).facts is None, f"{tool} has structured content too"


@check
def loading_as_json_says_it_in_both_forms(story):
    answer = story.client.tool("handoff_load_context", format="json")
    assert json.loads(answer.text) == answer.facts, answer.text[:500]
    contains(json.dumps(answer.facts, ensure_ascii=False), NEXT, DECISION, FOREIGN)


@check
def a_small_budget_is_held(story):
    text = story.client.tool("handoff_load_context", budget_tokens=200).text
    assert len(text) <= 1200, f"{len(text)} characters for 200 tokens"
    contains(text, NEXT)


@check
def text_of_any_script_comes_back_as_it_was(story):
    task = story.change(task={"title": FOREIGN, "notes": FOREIGN * 3})
    text = story.client.tool("handoff_get_task", task_id=task["id"]).text
    contains(text, FOREIGN)
    assert any(one["title"] == FOREIGN for one in tasks_of(story.place.cli("task", "list"))), (
        "the command line shows another title"
    )


def tasks_of(value):
    """Every object with a title in an answer, however deep the tree."""
    if isinstance(value, list):
        return [task for one in value for task in tasks_of(one)]
    if isinstance(value, dict):
        return ([value] if "title" in value else []) + [task for one in value.values() for task in tasks_of(one)]
    return []


@check
def an_update_of_the_session_is_seen(story):
    saved = story.client.tool("handoff_save_context", summary="Second stretch", session_status="active")
    story.hold_to_schema("handoff_save_context", saved)
    story.client.tool(
        "handoff_save_context", summary="Second stretch", session_status="active", add_next=["Run race tests"]
    )
    contains(story.client.tool("handoff_load_context").text, "Run race tests")


@check
def resources_are_listed_and_read(story):
    listed = {resource["uri"] for resource in story.client.do("resources")}
    assert {"handoff://sessions", "handoff://config"} <= listed, listed
    contains(read(story, "handoff://config"), "auth-service")
    assert json.loads(read(story, "handoff://sessions")), "no active session is listed"


def read(story, uri):
    return story.client.do("read", uri=uri)[0]["text"]


@check
def templates_lead_to_a_task_and_a_session(story):
    templates = {template["uriTemplate"] for template in story.client.do("templates")}
    assert {"handoff://task/{id}", "handoff://session/{id}"} <= templates, templates
    contains(read(story, f"handoff://task/{story.ids['deploy']}"), "Deploy staging")
    contains(read(story, f"handoff://session/{story.ids['session']}"), NEXT)
    try:
        read(story, "handoff://task/nosuchid")
    except Refused as refusal:
        assert refusal.code in (-32002, -32602), refusal
    else:
        raise AssertionError("a task that is not there was read")


@check
def ids_are_completed(story):
    wanted = story.ids["deploy"]
    reference = {"type": "ref/resource", "uri": "handoff://task/{id}"}
    values = story.client.do("complete", ref=reference, argument={"name": "id", "value": wanted[:3]})["values"]
    assert wanted in values, values


@check
def prompts_are_listed_and_filled(story):
    listed = {prompt["name"] for prompt in story.client.do("prompts")}
    assert PROMPTS <= listed, listed
    contains(
        json.dumps(story.client.do("prompt", name="continue-session", arguments={}), ensure_ascii=False),
        "Run race tests",
    )
    contains(json.dumps(story.client.do("prompt", name="close-session", arguments={})), "handoff_save_context")


@check
def an_unknown_tool_is_refused_with_the_nearest_name(story):
    try:
        answer = Answer(story.client.do("call", name="handoff_load_contxt", arguments={}))
        said = answer.text if answer.refused else ""
    except Refused as refusal:
        said = refusal.message
    contains(said, "handoff_load_context")


@check
def a_wrong_type_is_refused_by_the_name_of_its_field(story):
    contains(story.client.refusal("handoff_update_task", task={"title": ["a", "list"]}), "title")
    contains(story.client.refusal("handoff_save_context", summary="s", next="not a list"), "next")
    contains(story.client.refusal("handoff_update_task", task={"title": "t", "status": "finished"}), "status", "done")


@check
def an_unknown_field_is_refused_with_the_nearest_name(story):
    contains(story.client.refusal("handoff_save_context", summary="s", dicisions=[]), "decisions")


@check
def an_unknown_task_is_refused_with_close_matches(story):
    close = story.ids["deploy"][:-1] + ("a" if story.ids["deploy"][-1] != "a" else "b")
    contains(story.client.refusal("handoff_update_task", task={"id": close, "title": "New"}), story.ids["deploy"])


@check
def a_watcher_is_told_of_a_change(story):
    if story.client.offers("watch"):
        story.client.do("watch", uri="handoff://sessions")
        other = story.again()
        other.tool("handoff_save_context", summary="A third stretch", session_status="active")
        assert story.client.do("changed").startswith("handoff://sessions")
        other.close()


@check
def a_given_up_call_changes_nothing_and_reads_go_on_meanwhile(story):
    if not story.client.offers("cancel"):
        return
    with open(story.place.path(".handoff", "local", "state", "lock"), "a", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        task = {"task": {"title": "Given up"}}
        given_up = story.client.do("abandon", name="handoff_update_task", arguments=task, seconds=0.3)
        assert given_up["abandoned"], "a write went through while another process held the lock"
        contains(story.client.tool("handoff_list_tasks").text, "Deploy staging")
    story.change(task={"title": "After the wait"})
    text = story.client.tool("handoff_list_tasks").text
    contains(text, "After the wait")
    assert "Given up" not in text, text


@check
def the_configuration_is_read_and_changed(story):
    story.client.tool("handoff_update_config", updates={"settings.history_limit": 7})
    contains(story.client.tool("handoff_get_config").text, "history_limit", "7")
    contains(story.client.refusal("handoff_update_config", updates={"settings.history_limit": "many"}), "history_limit")


@check
def another_project_is_reached_by_its_directory(story):
    other = os.path.join(story.place.root, "other")
    os.mkdir(other)
    contains(story.client.tool("handoff_load_context", project_dir=other).text, "handoff_init")
    story.client.tool("handoff_init", project_name="billing", project_dir=other)
    story.client.tool("handoff_update_task", task={"title": "Send invoices"}, project_dir=other)
    assert "Send invoices" not in story.client.tool("handoff_list_tasks").text
    contains(story.client.tool("handoff_dashboard").text, "auth-service", "billing", "Send invoices")


@check
def the_server_ends_with_its_client(story):
    story.client.close()


def main():
    given = arguments()
    program, speaker, mode, version = CLIENTS[given.name]
    installed = os.path.abspath(given.installed)
    if program == "node":
        command = [node(installed), os.path.join(installed, "node", speaker), mode]
    else:
        command = [os.path.join(installed, program), "-B", os.path.join(HERE, "speakers", speaker), mode]
    suite = Suite(given.name)
    with sandbox(given.binary) as place:
        story = Story(place, command, version)
        for step in CHECKS:
            suite.check(step, story)
    suite.end()


if __name__ == "__main__":
    main()
