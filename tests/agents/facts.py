"""Facts about a text that a model or a person got: what is in it, what is not, and what comes first.

A table of facts has up to four lists: `has`, `lacks`, `once` (exactly one time) and `order` (one after the other). A
fact is a piece of text, or a regular expression between slashes. Markup and line breaks do not count, letter case does.
"""

import html
import re

KINDS = ("has", "lacks", "once", "order")
OURS = re.compile(
    r"(?:^|[>\n]|: )(?P<ours>handoff: [a-z].*?)(?=</hook_context>|</system-reminder>|\n# Environment\n|\Z)",
    re.DOTALL,
)


class FactTable:
    """The facts that one text must satisfy."""

    def __init__(self, lists):
        unknown = set(lists) - set(KINDS)
        if unknown:
            raise ValueError(f"no such kind of fact: {', '.join(sorted(unknown))}")
        self.lists = lists

    def __add__(self, other):
        return FactTable({kind: [*self.lists.get(kind, []), *other.lists.get(kind, [])] for kind in KINDS})

    def verdicts(self, text):
        """A sentence for each fact, and whether it holds."""
        plain = plain_text(text)
        for fact in self.lists.get("has", []):
            yield f"must have `{fact}`", bool(places(fact, plain))
        for fact in self.lists.get("lacks", []):
            yield f"must not have `{fact}`", not places(fact, plain)
        for fact in self.lists.get("once", []):
            count = len(places(fact, plain))
            yield f"must have `{fact}` once, has it {count} times", count == 1
        listed = self.lists.get("order", [])
        for earlier, later in zip(listed, listed[1:], strict=False):
            first, second = places(earlier, plain), places(later, plain)
            yield f"must have `{earlier}` before `{later}`", bool(first and second and first[0] < second[0])


def places(fact, text):
    """The places in a text where a fact begins."""
    if len(fact) > 2 and fact.startswith("/") and fact.endswith("/"):
        return [found.start() for found in re.finditer(fact[1:-1], text)]
    return [found.start() for found in re.finditer(re.escape(plain_text(fact)), text)]


def plain_text(text):
    """A text without emphasis, code marks and line breaks, and without the escapes that an agent adds."""
    return re.sub(r"\s+", " ", html.unescape(text).replace("**", "").replace("`", ""))


def texts_of_handoff(strings):
    """What handoff says in a request, as one text: all of ours open with the name and a colon.

    An agent may put other things behind it in the same string.
    """
    found = (OURS.search(text) for text in strings)
    return "\n\n".join(match["ours"].strip() for match in found if match)
