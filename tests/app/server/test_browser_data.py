"""Data that the server keeps for a browser: for whom, how much, how long."""

from __future__ import annotations

import asyncio
from http.cookies import SimpleCookie

import pytest

from pages.ui.server.browser_data import (
    ASKED_FIRST,
    COOKIE,
    SECURE_COOKIE,
    BrowserData,
    Browsers,
    browser_of,
)

MINUTES = 60.0


class Clock:
    """A clock that stands still."""

    now = 1000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def kept(clock) -> BrowserData:
    return BrowserData(100, 250, clock=clock)


def test_nobody_else_has_what_a_browser_left(kept):
    kept.put("me", "a", "mine", 10)
    kept.put("you", "a", "yours", 10)
    assert kept.get("me") == "mine" and kept.get("you", "a") == "yours"
    assert kept.get("") is None and kept.get("someone") is None and kept.get("someone", "a") is None


def test_the_last_two_are_kept_the_latest_first(kept):
    for name in "abc":
        kept.put("me", name, name.upper(), 10)
    assert kept.get("me") == "C" and kept.get("me", "b") == "B" and kept.get("me", "a") is None
    kept.put("me", "b", "again", 10)
    assert kept.get("me") == "again" and kept.get("me", "c") == "C"


def test_a_browser_keeps_no_more_than_its_share(kept):
    kept.put("me", "a", "A", 60)
    kept.put("me", "b", "B", 60)
    assert kept.get("me", "a") is None and kept.get("me", "b") == "B"
    kept.put("me", "b", "too large", 101)
    assert kept.get("me") is None, "neither the former under its name"


def test_all_together_keep_no_more_than_there_is_room_for_oldest_first_out(kept):
    kept.put("first", "a", 1, 100)
    kept.put("second", "a", 2, 100)
    assert kept.get("first") == 1, "looked at since"
    kept.put("third", "a", 3, 100)
    assert [kept.get(one) for one in ("first", "second", "third")] == [1, None, 3]


def test_half_an_hour_after_the_last_visit_it_is_gone(kept, clock):
    kept.enter("me")
    kept.put("me", "a", "A", 10)
    clock.now += 600 * MINUTES
    assert kept.get("me") == "A", "a visit has no end while a tab is open"
    kept.enter("me")
    kept.leave("me")
    clock.now += 31 * MINUTES
    assert kept.get("me") == "A", "the other tab"
    kept.leave("me")
    clock.now += 29 * MINUTES
    assert kept.get("me") == "A"
    clock.now += 1 * MINUTES
    kept.expire()
    assert kept.get("me") is None


def test_what_came_from_a_browser_without_a_connection_is_no_exception(kept, clock):
    kept.put("me", "a", "A", 10)
    clock.now += 30 * MINUTES
    assert kept.get("me") is None


def test_to_forget_is_at_once_and_of_one_browser(kept):
    kept.put("me", "a", "A", 10)
    kept.put("me", "b", "B", 10)
    kept.put("you", "a", "yours", 10)
    kept.forget("me")
    assert kept.get("me") is None and kept.get("me", "a") is None and kept.get("you") == "yours"
    kept.put("me", "a", "anew", 10)
    assert kept.get("me") == "anew"


# --- the cookie ---------------------------------------------------------------------------


def answer(path: str, cookie: str = "", scheme: str = "http", **headers: str) -> list[str]:
    """Return the cookies that an answer sets."""
    sent: list[dict] = []
    given = {"host": "here", "cookie": cookie, **headers}

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "path": path,
        "scheme": scheme,
        "headers": [(k.replace("_", "-").encode(), v.encode()) for k, v in given.items() if v],
    }
    asyncio.run(Browsers(app, BrowserData())(scope, None, send))
    return [value.decode() for name, value in sent[0]["headers"] if name == b"set-cookie"]


def test_a_browser_without_a_cookie_gets_a_random_one_that_no_script_reads():
    (first,), (second,) = answer(ASKED_FIRST), answer(f"/base{ASKED_FIRST}")
    assert first != second
    (morsel,) = SimpleCookie(first).values()
    assert morsel.key == COOKIE and len(morsel.value) == 43
    assert morsel["httponly"] and morsel["samesite"] == "Strict" and morsel["path"] == "/"
    assert not morsel["secure"] and not morsel["max-age"] and not morsel["expires"]
    assert not answer(ASKED_FIRST, f"other=1; {COOKIE}={morsel.value}")
    assert answer(ASKED_FIRST, f"{COOKIE}=short")


@pytest.mark.parametrize("reached", [{"scheme": "https"}, {"x_forwarded_proto": "https, http"}])
def test_behind_https_the_cookie_is_for_https_alone(reached):
    (cookie,) = answer(ASKED_FIRST, **reached)
    (morsel,) = SimpleCookie(cookie).values()
    assert morsel.key == SECURE_COOKIE and morsel["secure"]
    assert answer(ASKED_FIRST, f"{COOKIE}={morsel.value}", **reached), "one of plain http is none"
    assert not answer(ASKED_FIRST, f"{SECURE_COOKIE}={morsel.value}", **reached)


def test_a_page_that_a_link_elsewhere_may_open_sets_no_cookie():
    # Such a request comes without the cookie that is there: another would take its place.
    assert not answer("/") and not answer("/classify") and not answer("/_stcore/health")


def test_a_browser_is_known_by_a_digest_of_a_cookie_of_ours():
    token, other = "a" * 43, "b" * 43
    assert browser_of({}) == browser_of({COOKIE: "short"}) == ""
    assert browser_of({COOKIE: token}) == browser_of({COOKIE: token, "other": "1"})
    assert browser_of({COOKIE: token}) != browser_of({COOKIE: other})
    assert token not in str(browser_of({COOKIE: token}))
    assert browser_of({COOKIE: other, SECURE_COOKIE: token}) == browser_of({COOKIE: token})


def test_a_visit_lasts_as_long_as_its_connection(clock):
    kept = BrowserData(clock=clock)
    browser = browser_of({COOKIE: "a" * 43})
    assert browser is not None
    kept.put(browser, "a", "A", 10)

    async def app(scope, receive, send):
        clock.now += 90 * MINUTES
        assert kept.get(browser) == "A"

    scope = {
        "type": "websocket",
        "path": "/_stcore/stream",
        "headers": [(b"cookie", f"{COOKIE}={'a' * 43}".encode())],
    }
    asyncio.run(Browsers(app, kept)(scope, None, None))
    assert kept.get(browser) == "A"
    clock.now += 31 * MINUTES
    assert kept.get(browser) is None
