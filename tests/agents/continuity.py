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
from model import Call  # noqa: E402

# Codex treats models in one of three ways, by their names.
KINDS = {
    "codex": [
        ("classic", {"model": "gpt-5.5"}),
        ("code mode", {"model": "gpt-6.1-sol"}),
        ("fallback", {"model": "some-local-model"}),
    ]
}


class Story:
    """What happened so far with one agent at one place."""

    def __init__(self, host):
        self.host, self.place = host, host.place
        ground.prepare(self.place)
        self.before = self.files()

    def files(self):
        return ground.files(self.place.home, self.place.project)

    def setup(self, *words):
        return self.place.cli("setup", self.host.name, *words)

    def expected(self):
        """What a session that starts now is to be shown, line by line."""
        return self.place.said("resume").splitlines()


def setting_up_changes_files_and_doing_it_again_does_not(story):
    story.setup()
    story.installed = story.files()
    assert ground.changed(story.before, story.installed), "nothing was set up"
    story.setup()
    again = ground.changed(story.installed, story.files())
    assert not again, f"changed by a second setup: {sorted(again)}"
    story.setup("--check")


def the_first_request_has_the_start_context_once_and_whole(story):
    expected = story.expected()
    story.killed = ground.killed(story.host)
    shown_once_and_whole(story.killed.read(0), expected)


def what_is_no_conversation_gets_no_context(story):
    for aside in story.killed.asides:
        assert ground.DECISION not in str(aside), "a request beside the conversation has the context too"


def the_decision_that_governs_a_file_comes_with_its_edit_and_once(story):
    assert ground.GOVERNING not in story.killed.read(0), "it is in the start context already, so this shows nothing"
    assert story.killed.read(-1).count(ground.GOVERNING) == 1, f"{story.killed.read(-1).count(ground.GOVERNING)} times"


def a_killed_session_is_continued_by_the_next(story):
    load = Call("handoff_load_context", {})
    change = Call("handoff_update_task", {"task": {"id": "1", "status": "review"}})
    story.next = story.host.session("continue where I left off", [load, change, "I went on"])
    continues(story.next.read(0))
    assert story.next.read(0).count(ground.DECISION) == 1, "the context is not there, or more than once"


def what_is_read_comes_as_text_and_what_is_changed_as_facts(story):
    read, change = story.next.results
    contains(read.text, ground.DECISION, ground.TASK)
    assert read.text.count("\n") > 5 and '"content"' not in read.text, f"not plain text: {read.text[:300]}"
    assert "review" in change.text and not change.refused, change.text


def going_on_with_a_conversation_does_not_give_the_context_again(story):
    assert ground.WORDED not in story.next.read(-1), "it is in the context already, so the next check shows nothing"
    story.gone_on = story.host.session(
        "To which host are the session cookies scoped?", ["To the login host."], go_on=True
    )
    assert story.gone_on.read(-1).count(ground.DECISION) == story.next.read(-1).count(ground.DECISION)


def a_prompt_brings_what_it_is_about_and_once(story):
    assert story.gone_on.read(-1).count(ground.WORDED) == 1, f"{story.gone_on.read(-1).count(ground.WORDED)} times"
    again = story.host.session("And the session cookies, to which host?", ["To the login host."], go_on=True)
    assert again.read(-1).count(ground.WORDED) == 1, f"then {again.read(-1).count(ground.WORDED)} times"


def after_a_compaction_the_context_is_there_again_and_once(story):
    after = story.host.compacted()
    assert after.count("To the login host.") == 0, "nothing was compacted"
    assert after.count(ground.DECISION) == 1, f"the context is there {after.count(ground.DECISION)} times"
    continues(after)


def a_transcript_is_read_by_capture(story):
    said = story.place.said("capture", "--host", story.host.name, "--dry-run")
    contains(said, "session cookies")


def taking_it_out_leaves_every_file_as_it_was(story):
    left = story.files()
    own = ground.changed(story.installed, left)
    story.setup("--uninstall")
    after = story.files()
    ours = ground.changed(story.before, story.installed)
    wrong = [path for path in ours - own if story.before.get(path) != after.get(path)]
    assert not wrong, f"not as before: {wrong}"
    for path in ours & own:
        with open(path, encoding="utf-8") as file:
            assert "handoff" not in without_places(file.read()), f"something is left in {path}"
    assert not ground.changed(left, after) - ours, "files were changed that setup had not touched"


def then_the_model_is_shown_nothing_of_ours(story):
    seen = story.host.session("Say hello.", ["Hello."])
    found = re.search(".*handoff.*", without_places(seen.everything()))
    assert not found, f"it still sees: {found[0][:300]}"


def setting_up_and_taking_out_for_the_project_alone_leaves_no_trace(story):
    before = story.files()
    story.setup("--scope", "project")
    made = ground.changed(before, story.files())
    outside = [path for path in made if not path.startswith(story.place.project) and not story.host.may_note(path)]
    assert not outside, f"changed outside of the project: {outside}"
    expected = story.expected()
    story.host.ready_for_the_project()
    shown_once_and_whole(story.host.session("Say hello.", ["Hello."]).read(0), expected)
    left = story.files()
    story.setup("--scope", "project", "--uninstall")
    after = story.files()
    wrong = [path for path in made if before.get(path) != after.get(path) and left.get(path) != after.get(path)]
    assert not wrong, f"not as before: {wrong}"


def shown_once_and_whole(request, expected):
    assert request.count(ground.DECISION) == 1, f"the context is there {request.count(ground.DECISION)} times"
    missing = [line for line in expected if line.startswith("- ") and line[2:] not in request]
    assert not missing, f"not whole, missing: {missing}"


def continues(request):
    """The context tells of the session that was killed."""
    contains(request, ground.GOAL, ground.EDITED, ground.OPEN)


def without_places(text):
    """Directories are named after us too."""
    return re.sub(r"handoff-clients-\w+|\.handoff\b|/handoff\b", "", text)


CHECKS = [
    setting_up_changes_files_and_doing_it_again_does_not,
    the_first_request_has_the_start_context_once_and_whole,
    what_is_no_conversation_gets_no_context,
    the_decision_that_governs_a_file_comes_with_its_edit_and_once,
    a_killed_session_is_continued_by_the_next,
    what_is_read_comes_as_text_and_what_is_changed_as_facts,
    going_on_with_a_conversation_does_not_give_the_context_again,
    a_prompt_brings_what_it_is_about_and_once,
    after_a_compaction_the_context_is_there_again_and_once,
    a_transcript_is_read_by_capture,
    taking_it_out_leaves_every_file_as_it_was,
    then_the_model_is_shown_nothing_of_ours,
    setting_up_and_taking_out_for_the_project_alone_leaves_no_trace,
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
