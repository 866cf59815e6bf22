"""Two servers and the command line on one project at once, then eight clients as fast as they can.

two_servers.py two-servers --binary FILE --installed DIRECTORY
"""

import glob
import os
import re
import threading
import time

from kit import HERE, Client, Suite, arguments, contains, sandbox
from story import tasks_of

CLIENTS = 8
SECONDS = 6


class Company:
    """Two clients with a server each, and a command line beside them."""

    def __init__(self, given, place):
        installed = os.path.abspath(given.installed)
        self.command = [
            os.path.join(installed, "python-1/bin/python"),
            "-B",
            os.path.join(HERE, "speakers", "python_1.py"),
            "legacy",
        ]
        self.place = place
        self.one, self.two = self.join(), self.join()
        self.one.tool("handoff_init", project_name="shared-desk")

    def join(self):
        return Client(self.command, self.place)

    def everyone_lists(self, title):
        contains(self.one.tool("handoff_list_tasks").text, title)
        contains(self.two.tool("handoff_list_tasks").text, title)
        assert title in titles(self.place), f"the command line does not show `{title}`"


def titles(place):
    return [task["title"] for task in tasks_of(place.cli("task", "list"))]


def what_a_server_makes_the_others_show_at_once(company):
    for number in range(20):
        who = (company.one, company.two)[number % 2]
        who.tool("handoff_update_task", task={"title": f"Made by server {number}"})
        company.everyone_lists(f"Made by server {number}")


def what_the_command_line_makes_the_servers_show_at_once(company):
    for number in range(10):
        company.place.cli("task", "create", f"Made by hand {number}")
        company.everyone_lists(f"Made by hand {number}")


def a_change_of_one_is_what_the_other_builds_on(company):
    facts = company.one.tool("handoff_update_task", task={"title": "Passed to and fro"}).facts
    for status in ("in_progress", "review", "blocked", "in_progress"):
        company.two.tool("handoff_update_task", task={"id": facts["id"], "status": status})
        contains(company.one.tool("handoff_get_task", task_id=facts["id"]).text, status)
        company.one.tool("handoff_update_task", task={"id": facts["id"], "notes_append": f"seen as {status}"})
    contains(company.two.tool("handoff_get_task", task_id=facts["id"]).text, "seen as review", "seen as blocked")


def an_edit_in_an_editor_is_seen_by_both(company):
    company.one.tool("handoff_update_task", task={"title": "Written by a program"})
    (path,) = glob.glob(company.place.path(".handoff", "tasks", "*written-by-a-program*", "task.toml"))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace("Written by a program", "Rewritten by a person"))
    company.everyone_lists("Rewritten by a person")


def a_handoff_saved_at_one_is_loaded_at_the_other(company):
    company.one.tool("handoff_save_context", summary="Saved at one", next=["Go on at two"])
    contains(company.two.tool("handoff_load_context").text, "Go on at two")


def nobody_writes_into_the_session_of_another(company):
    first = company.one.tool("handoff_save_context", summary="Mine", session_status="active", next=["only mine"]).facts
    second = company.two.tool(
        "handoff_save_context", summary="Yours", session_status="active", next=["only yours"]
    ).facts
    assert first["id"] != second["id"], (first, second)
    company.two.tool("handoff_save_context", summary="Yours, finished")
    contains(company.one.tool("handoff_load_context", session_id=first["id"]).text, "only mine")
    again = company.one.tool("handoff_save_context", summary="Mine, still", session_status="active").facts
    assert again["id"] == first["id"], (first, again)


def a_crowd_loses_nothing_and_meets_no_error(company):
    common = company.one.tool("handoff_update_task", task={"title": "Everyone's task"}).facts["id"]
    made, noted, errors = [], [], []

    def work(number):
        try:
            client, until, turn = company.join(), time.monotonic() + SECONDS, 0
            while time.monotonic() < until:
                title, note = f"Made in the crowd {number}.{turn}.", f"note {number}.{turn}."
                client.tool("handoff_update_task", task={"title": title})
                made.append(title)
                client.tool("handoff_update_task", task={"id": common, "notes_append": note})
                noted.append(note)
                contains(client.tool("handoff_list_tasks", query=title).text, title)
                turn += 1
            client.close()
        except Exception as error:
            errors.append(f"client {number}: {error}")

    threads = [threading.Thread(target=work, args=[number]) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors[0]
    there = titles(company.place)
    lost = [title for title in made if there.count(title) != 1]
    assert not lost, f"{len(lost)} of {len(made)} tasks are not there exactly once: {lost[:3]}"
    (path,) = glob.glob(company.place.path(".handoff", "tasks", "*everyone-s-task*", "task.toml"))
    with open(path, encoding="utf-8") as file:
        kept = re.findall(r"note \d+\.\d+\.", file.read())
    assert sorted(kept) == sorted(noted), f"{len(noted)} notes were acknowledged, {len(kept)} are there"
    numbers = [task["number"] for task in tasks_of(company.place.cli("task", "list"))]
    assert len(set(numbers)) == len(numbers), "two tasks have one number"
    company.note = f"{len(made) + len(noted)} writes and {len(made)} reads by {CLIENTS} clients in {SECONDS} s"


def both_servers_end_with_their_clients(company):
    company.one.close()
    company.two.close()


def main():
    given = arguments()
    suite = Suite(given.name)
    with sandbox(given.binary) as place:
        company = Company(given, place)
        for check in (
            what_a_server_makes_the_others_show_at_once,
            what_the_command_line_makes_the_servers_show_at_once,
            a_change_of_one_is_what_the_other_builds_on,
            an_edit_in_an_editor_is_seen_by_both,
            a_handoff_saved_at_one_is_loaded_at_the_other,
            nobody_writes_into_the_session_of_another,
            a_crowd_loses_nothing_and_meets_no_error,
            both_servers_end_with_their_clients,
        ):
            suite.check(check, company)
        suite.note(getattr(company, "note", "nothing measured"))
    suite.end()


if __name__ == "__main__":
    main()
