"""A suspended player reads why, on each page that needs their account; the session works again after the end."""

from __future__ import annotations

import subprocess

import pytest

REASON = "Insults in three games."


def accounts(service, *arguments):
    command = [*service.program, "accounts", *arguments, "--reason", REASON]
    subprocess.run(command, cwd=service.folder, env=service.environ, check=True, capture_output=True, timeout=60)


@pytest.mark.parametrize("path", ["/", "/me"])
def test_suspended_player_reads_the_reason(service, visiting, ada, path):
    visiting.sign_in(ada)
    accounts(service, "suspend", ada.id)
    visiting.expected |= {403, 409}  # no email is sent here

    page = visiting.page
    page.goto(visiting.url + path)

    page.get_by_role("alert").get_by_text(REASON).first.wait_for()
    accounts(service, "restore", ada.id)
    page.reload()
    page.locator("#who", has_text="Ada").wait_for()


def test_player_who_is_suspended_while_signed_in_reads_the_reason(service, visiting, ada):
    visiting.sign_in(ada)
    page = visiting.open("/")
    page.locator("#who", has_text="Ada").wait_for()
    accounts(service, "suspend", ada.id)
    visiting.expected |= {403, 409}  # no email is sent here

    page.reload()

    page.get_by_role("alert").get_by_text(REASON).first.wait_for()
