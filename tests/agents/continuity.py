"""Continuity in the real agents: after `handoff setup`, a person who says nothing special goes on where they left off.

    continuity.py continuity-codex --binary FILE --installed DIRECTORY

One conversation is killed in the middle of its work, the next one takes over, is gone on with, is compacted. Then
everything is taken out again. What the model was sent is looked at all the way.
"""

import concurrent.futures
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "clients")]
import ground  # noqa: E402
from alone import go_alone  # noqa: E402
from hosts import HOSTS  # noqa: E402
from kit import Suite, arguments, contains, sandbox  # noqa: E402
from model import SUMMARY, Call  # noqa: E402

# How a start's context begins.
OPENING = "handoff: what earlier sessions left in this project."
# Codex treats models in one of three ways, by their names.
KINDS = {
    "codex": [
        ("classic", {"model": "gpt-5.5"}),
        ("code mode", {"model": "gpt-6.1-sol"}),
        ("fallback", {"model": "some-local-model"}),
    ]
}


class Story:
    """What happened so far with one agent at one place. It has been used there before, without us."""

    def __init__(self, host):
        self.host, self.place = host, host.place
        ground.prepare(self.place)
        self.without = host.session("Say hello.", ["Hello."]).everything()
        self.before = self.files()

    def files(self):
        return ground.files(self.place.home, self.place.project)

    def setup(self, *words):
        """The files that an answer of `handoff setup` names."""
        answer = self.place.cli("setup", self.host.name, *words)
        return {os.path.join(self.place.project, path.replace("~", self.place.home, 1)) for path in paths_in(answer)}

    def expected(self):
        """What a session is to be shown at its start, item by item.

        Without the many: how many of them there is room for depends on what git could say in time.
        """
        lines = [line[2:] for line in self.place.said("resume").splitlines() if line.startswith("- ")]
        return [line for line in lines if ground.MANY not in line]


def setting_up_changes_files_and_doing_it_again_does_not(story):
    story.ours = story.setup()
    story.installed = story.files()
    assert story.ours, "nothing was set up"
    for path in story.ours:
        assert story.before.get(path) != story.installed[path], f"{path} was not changed"
    story.setup()
    after = story.files()
    again = [path for path in story.ours if after.get(path) != story.installed[path]]
    assert not again, f"changed by a second setup: {again}"
    story.setup("--check")


def the_first_request_has_the_start_context_once_and_whole(story):
    expected = story.expected()
    story.killed = ground.killed(story.host)
    shown_once_and_whole(story.killed.read(0))
    plain = story.killed.read(0).replace("**", "").replace("`", "")
    missing = [item for item in expected if item not in plain]
    assert not missing, f"not whole, missing: {missing}"


def what_is_no_conversation_gets_no_context(story):
    for aside in story.killed.asides:
        assert ground.DECISION not in str(aside), "a request beside the conversation has the context too"


def the_decision_that_governs_a_file_comes_with_its_edit_and_once(story):
    if not story.host.tells_of_edits:
        return
    assert ground.GOVERNING not in story.killed.read(0), "it is in the start context already, so this shows nothing"
    assert story.killed.read(-1).count(ground.GOVERNING) == 1, f"{story.killed.read(-1).count(ground.GOVERNING)} times"


def what_the_killed_session_left_is_read_by_capture(story):
    said = story.place.said("capture", "--from", story.host.transcript(), "--dry-run")
    contains(said, ground.GOAL, ground.EDITED, ground.TEST, ground.OPEN)


def a_killed_session_is_continued_by_the_next(story):
    story.next = story.host.session("continue where I left off", ["I went on."])
    continues(story.next.read(0))
    assert story.next.read(0).count(ground.DECISION) == 1, "the context is not there, or more than once"


def what_is_read_comes_as_text_and_what_is_changed_as_facts(story):
    load = Call("handoff_load_context", {})
    change = Call("handoff_update_task", {"task": {"id": "1", "status": "review"}})
    read, change = story.host.session("Is it ready for review?", [load, change, "It is."]).results
    contains(read.text, ground.DECISION, ground.TASK)
    assert read.text.count("\n") > 5 and '"decisions"' not in read.text, f"not plain text: {read.text[:300]}"
    assert "review" in change.text and not change.refused, change.text


def going_on_with_a_conversation_does_not_give_the_context_again(story):
    assert ground.WORDED not in story.next.read(-1), "it is in the context already, so the next check shows nothing"
    story.gone_on = story.host.session(
        "To which host are the session cookies scoped?", ["To the login host."], go_on=True
    )
    assert story.gone_on.read(-1).count(ground.DECISION) == 1, f"{story.gone_on.read(-1).count(ground.DECISION)} times"


def a_prompt_brings_what_it_is_about_and_once(story):
    assert story.gone_on.read(-1).count(ground.WORDED) == 1, f"{story.gone_on.read(-1).count(ground.WORDED)} times"
    again = story.host.session("And the session cookies, to which host?", ["To the login host."], go_on=True)
    assert again.read(-1).count(ground.WORDED) == 1, f"then {again.read(-1).count(ground.WORDED)} times"


def after_a_compaction_the_context_is_there_again_and_once(story):
    after = story.host.compacted()
    assert SUMMARY in after, "nothing was compacted"
    assert after.count(ground.DECISION) == 1, f"the context is there {after.count(ground.DECISION)} times"
    continues(after)


def taking_it_out_leaves_every_file_as_it_was(story):
    taken_out(story, story.before, story.installed, story.ours)


def then_the_model_is_shown_nothing_of_ours(story):
    seen = story.host.session("Say hello.", ["Hello."]).everything()
    known = set(story.without.splitlines())
    lines = (line.replace(story.place.root, "") for line in seen.splitlines() if line not in known)
    new = [line for line in lines if "handoff" in line.lower()]
    assert not new, f"it still sees: {new}"


def it_can_be_set_up_for_a_project_alone(story):
    before = story.files()
    ours = story.setup("--scope", "project")
    outside = [path for path in ours if not path.startswith(story.place.project) and not story.host.may_note(path)]
    assert not outside, f"changed outside of the project: {outside}"
    installed = story.files()
    story.host.ready_for_the_project()
    shown_once_and_whole(story.host.session("Say hello.", ["Hello."]).read(0))
    taken_out(story, before, installed, ours, "--scope", "project")


def taken_out(story, before, installed, ours, *words):
    """Takes out what setup put in; files that the agent has written since keep what is the agent's."""
    left = story.files()
    story.setup(*words, "--uninstall")
    after = story.files()
    wrong = [path for path in ours if left.get(path) == installed.get(path) and after.get(path) != before.get(path)]
    assert not wrong, f"not as before: {wrong}"
    for path in ours:
        if path in after and after[path] != before.get(path):
            with open(path, encoding="utf-8") as file:
                assert "handoff" not in file.read().replace("handoff-clients-", ""), f"something is left in {path}"
    assert not ground.changed(left, after) - ours, f"touched: {ground.changed(left, after) - ours}"


def shown_once_and_whole(request):
    """One context is there from its first line to its last, and each decision is in it or counted as left out."""
    assert request.count(ground.DECISION) == 1, f"the context is there {request.count(ground.DECISION)} times"
    assert request.count(OPENING) == 1, f"it begins {request.count(OPENING)} times"
    context = request.partition(OPENING)[2]
    left_out = re.search(r"left out:.*?(\d+) decisions", context)
    assert left_out, "it breaks off before it says what was left out"
    told = sum(decision["decision"] in context for decision in ground.SAVED["decisions"])
    total = len(ground.SAVED["decisions"])
    assert told + int(left_out[1]) == total, f"{told} decisions, {left_out[1]} left out, of {total}"


def continues(request):
    """The context tells of the session that was killed."""
    missing = [part for part in (ground.GOAL, ground.EDITED, ground.OPEN) if part not in request]
    assert not missing, f"not told of the killed session: {missing}"


def paths_in(answer):
    """Every file that an answer names."""
    if isinstance(answer, dict):
        own = {answer["path"]} if isinstance(answer.get("path"), str) else set()
        return own.union(*map(paths_in, answer.values()))
    return set().union(*map(paths_in, answer)) if isinstance(answer, list) else set()


CHECKS = [
    setting_up_changes_files_and_doing_it_again_does_not,
    the_first_request_has_the_start_context_once_and_whole,
    what_is_no_conversation_gets_no_context,
    the_decision_that_governs_a_file_comes_with_its_edit_and_once,
    what_the_killed_session_left_is_read_by_capture,
    a_killed_session_is_continued_by_the_next,
    going_on_with_a_conversation_does_not_give_the_context_again,
    a_prompt_brings_what_it_is_about_and_once,
    after_a_compaction_the_context_is_there_again_and_once,
    what_is_read_comes_as_text_and_what_is_changed_as_facts,
    taking_it_out_leaves_every_file_as_it_was,
    then_the_model_is_shown_nothing_of_ours,
    it_can_be_set_up_for_a_project_alone,
]


def main():
    alone = go_alone()
    given = arguments()
    host_of = HOSTS[given.name.removeprefix("continuity-")]

    def told(kind):
        name, options = kind
        suite = Suite(name or given.name)
        with sandbox(given.binary) as place, host_of(given.installed, place, **options) as host:
            story = Story(host)
            for check in CHECKS:
                suite.check(check, story)
        return suite

    total = Suite(given.name)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for suite in pool.map(told, KINDS.get(host_of.name, [(None, {})])):
            total.add(suite)
    if not alone:
        total.note("not cut off from the network, which this system does not allow")
    total.end()


if __name__ == "__main__":
    main()
