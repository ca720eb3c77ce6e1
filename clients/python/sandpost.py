"""Reads the mail of a Sandpost in tests. One file, for Python 3.9 or newer, without dependencies.

    inbox = Sandpost().inbox("signup")      # an address of its own: signup-3f9a2c71d0@sandpost.test
    ...                                     # the application writes to inbox.address
    mail = inbox.wait(subject="Welcome")    # exactly one mail, or an error that lists those that came instead
    mail.code()                             # "493817"
    mail.link("verify")                     # "https://shop.example/verify?t=1"

The server is at SANDPOST_URL, or http://localhost:8080. SANDPOST_API_KEY is a key of it. Addresses are of the domain
SANDPOST_DOMAIN, or of an account of the key that receives mail for any address. All three can be given to `Sandpost` too.
"""

from __future__ import annotations

import http.client
import json
import math
import os
import re
import secrets
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Callable, Union

VERSION = "@VERSION@"
# Mails that a call looks at, and those that an error lists.
MOST_MAILS = 200
MOST_LISTED = 20
# Seconds of one request that waits. Proxies commonly end a request after 60 s.
LONGEST_WAIT = 50
# Seconds for which a request is repeated that the server refuses for being one of many: twice the minute of its limit. A server that
# has not answered yet has less, since its address may be wrong.
PATIENCE = 120
FIRST_PATIENCE = 2

# Part of a text, without regard to case; or a pattern that is found in the text.
Text = Union[str, "re.Pattern[str]", None]


class SandpostError(AssertionError):
    """A mail that is missing or not as it was wanted, or a server that does not answer. Says so in one sentence."""


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: another host must not get the key."""

    def redirect_request(self, *_: Any) -> None:
        return None


class _Shared:
    """What all clients of a server know of it: the domain of addresses, and whether it has answered."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.domain: str | None = None
        self.is_known = False


_servers: dict[tuple[str, str | None, str | None], _Shared] = {}


class _Clock:
    """Time of a call, which ends at `end` by time.monotonic()."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds

    def left(self) -> float:
        return self.end - time.monotonic()


class _Refused(Exception):
    """An answer that is no success."""

    def __init__(self, status: int, headers: Any, body: bytes) -> None:
        try:
            problem = json.loads(body)
        except ValueError:
            problem = None
        self.problem = problem if isinstance(problem, dict) else {}
        self.status = status
        self.version = headers.get("Sandpost-Version", "an older version")
        after = headers.get("Retry-After", "")
        # An answer that asks for no pause would make a storm of requests.
        self.pause = max(0.1, float(after)) if after.isdecimal() else 1.0


class Sandpost:
    """A server, as the owner of a key sees it."""

    def __init__(self, url: str | None = None, key: str | None = None, domain: str | None = None) -> None:
        self.url = (url or os.environ.get("SANDPOST_URL") or "http://localhost:8080").rstrip("/")
        self._key = key or os.environ.get("SANDPOST_API_KEY")
        self._opener = urllib.request.build_opener(_Stay)
        self._domain = domain or os.environ.get("SANDPOST_DOMAIN")
        self._shared = _servers.setdefault((self.url, self._key, self._domain), _Shared())

    def inbox(self, name: str = "test") -> Inbox:
        """Makes an address that nobody can guess, which begins with the name. Changes nothing on the server."""
        readable = re.sub("[^a-z0-9]+", "-", name.lower())[:40].strip("-") or "test"
        cursor = self._json("/api/messages", {"limit": 1})["cursor"]
        with self._shared.lock:
            self._shared.domain = self._shared.domain or self._find_domain()
        return Inbox(self, f"{readable}-{secrets.token_hex(5)}@{self._shared.domain}", cursor)

    def _mail(self, fields: dict[str, Any]) -> Mail:
        """Returns a mail of a list, which it reads unless it is whole."""
        return Mail(self, fields if "codes" in fields else self._json(f"/api/messages/{fields['id']}"))

    def _find_domain(self) -> str:
        """
        Returns the domain of a catch-all account, else of the capture account, or the domain that is set, if one of these accounts
        takes its mail. Looks at the oldest 200 accounts.
        """
        answer = self._json("/api/accounts", {"limit": 200, "is_active": "true"})
        accounts = [(account["address"].rpartition("@")[2], account) for account in answer["items"]]
        catch_alls = [domain for domain, account in accounts if account["is_catch_all"]]
        captures = [domain for domain, account in accounts if account["is_capture"]]
        given = self._domain
        if given is None and catch_alls + captures:
            return (catch_alls + captures)[0]
        # Accounts have the ASCII form of a domain.
        is_unknown = answer["pagination"]["total"] > len(accounts) or not (given or "").isascii()
        if given is not None and (captures or given.lower() in catch_alls or is_unknown):
            return given
        domains = [domain for domain, _ in accounts]
        domain = given or (domains + ["app.test"])[0]
        make_domain = "" if domain in domains else f'POST /api/domains {{"domain": "{domain}"}} and '
        place, way = (f" of {given}", "") if given else ("", ", or set SANDPOST_DOMAIN")
        raise SandpostError(
            f"No account at {self.url} receives mail for any address{place}: "
            f'make one by {make_domain}POST /api/accounts {{"address": "*@{domain}"}}{way}.'
        )

    def _json(self, path: str, query: dict[str, Any] | None = None) -> Any:
        return self._parsed(self._bytes(path, query))

    def _parsed(self, answer: bytes) -> Any:
        try:
            return json.loads(answer)
        except ValueError:
            raise SandpostError(f"{self.url} is not a Sandpost server: it does not answer with JSON.") from None

    def _bytes(self, path: str, query: dict[str, Any] | None = None) -> bytes:
        return self._repeat(lambda _: self._get(path, query or {}), _Clock(PATIENCE), is_wait=False)

    def _list(self, query: dict[str, Any], clock: _Clock) -> Any:
        """Reads a list of mails as soon as it has `count`, at the latest when the time is over."""

        def get(left: float | None) -> bytes:
            if left is None:
                # A last look waits for nothing: the server always has time for it.
                return self._get("/api/messages", {name: query[name] for name in query if name not in ("count", "explain")})
            return self._get("/api/messages", {**query, "wait": min(LONGEST_WAIT, max(0, math.ceil(left)))})

        return self._parsed(self._repeat(get, clock, is_wait=True))

    def _repeat(self, get: Callable[[float | None], bytes], clock: _Clock, is_wait: bool) -> bytes:
        """
        Sends a request until it is answered. Repeats it where the server refuses it for being one of many (429, 503), and where
        the connection was lost, until the time of the clock is over. `get` sends it with the seconds that are left. A wait then
        looks once more, with None for them, and says that it was refused if that is too.
        """
        begun = time.monotonic()
        is_last = False
        while True:
            try:
                answer = get(None if is_last else clock.left())
                self._shared.is_known = True
                return answer
            except _Refused as refused:
                self._shared.is_known = True
                if refused.status not in (429, 503):
                    raise SandpostError(self._sentence(refused)) from None
                pause = refused.pause
                if refused.problem.get("code") == "rate_limited":
                    # A minute without requests takes no time of a wait.
                    clock.end = max(clock.end, min(clock.end + pause, begun + PATIENCE))
                is_over = pause > clock.left()
                if is_last or (is_over and not is_wait):
                    raise SandpostError(self._sentence(refused, time.monotonic() - begun)) from None
                is_last = is_over
            except (OSError, ValueError, http.client.HTTPException) as cause:
                pause = 0.5
                if not self._shared.is_known:
                    clock.end = min(clock.end, begun + FIRST_PATIENCE)
                if is_last or pause > clock.left():
                    raise SandpostError(self._lost(time.monotonic() - begun)) from cause
            time.sleep(max(0, min(pause, clock.left())))

    def _get(self, path: str, query: dict[str, Any]) -> bytes:
        url = f"{self.url}{path}?{urllib.parse.urlencode(query)}"
        request = urllib.request.Request(url, headers={"X-API-KEY": self._key} if self._key else {})
        try:
            with self._opener.open(request, timeout=30 + query.get("wait", 0)) as answer:
                return answer.read()
        except urllib.error.HTTPError as refusal:
            with refusal:
                raise _Refused(refusal.code, refusal.headers, refusal.read()) from None

    def _lost(self, seconds: float) -> str:
        if self._shared.is_known:
            return f"{self.url} has not answered for {seconds:.0f} s."
        is_address = re.match("https?://", self.url, re.IGNORECASE)
        advice = "set SANDPOST_URL to its address" if is_address else "its address begins with http:// or https://"
        return f"No Sandpost server answers at {self.url}: {advice}."

    def _sentence(self, refused: _Refused, seconds: float | None = None) -> str:
        """Returns the sentence on an answer that is no success, the last one after some seconds."""
        if refused.status == 401:
            wrong = f"SANDPOST_API_KEY is not a valid key for {self.url}."
            return wrong if self._key else f"{self.url} needs an API key: set SANDPOST_API_KEY."
        if 300 <= refused.status < 400:
            return f"{self.url} redirects to another address: set SANDPOST_URL to that one."
        if "detail" not in refused.problem:
            return f"{self.url} is not a Sandpost server: it does not answer with JSON."
        ages = "" if refused.version == VERSION else f" The server is {refused.version}, this client {VERSION}."
        said = "answered" if seconds is None else "has answered"
        time_said = "" if seconds is None else f" for {seconds:.0f} s"
        return f"{self.url} {said} {refused.status}{time_said}: {refused.problem['detail']}.{ages}"


class Inbox:
    """An address of one test. Sees the mail that came to it since it was made."""

    def __init__(self, server: Sandpost, address: str, since: int) -> None:
        self.address = address
        self._server = server
        self._since = since

    def wait(
        self,
        subject: Text = None,
        from_: Text = None,
        text: Text = None,
        q: str | None = None,
        trace: str | None = None,
        after: Mail | None = None,
        within: float = 30,
        settle: float = 0,
    ) -> Mail:
        """
        Waits up to `within` seconds for the one mail for which all conditions hold. SandpostError tells of none or several. A
        second one that comes later is noticed within `settle` seconds more.
        """
        wanted = _Conditions(subject, from_, text, q, trace, after)
        return self._server._mail(self._wait_for(1, wanted, within, settle)[0])

    def mails(
        self,
        subject: Text = None,
        from_: Text = None,
        text: Text = None,
        q: str | None = None,
        trace: str | None = None,
        after: Mail | None = None,
        count: int | None = None,
        within: float | None = None,
        settle: float | None = None,
    ) -> list[Mail]:
        """
        Returns the mails for which all conditions hold, the newest first: those that are there, or with `count` exactly as many,
        for which it waits up to `within` seconds, 30 without it. SandpostError tells of another number, and of more than 200.
        """
        wanted = _Conditions(subject, from_, text, q, trace, after)
        if count is not None:
            if not 1 <= count <= MOST_MAILS:
                raise SandpostError(f"The option count is a number from 1 to {MOST_MAILS}, not {count}.")
            found = self._wait_for(count, wanted, 30 if within is None else within, settle or 0)
        elif within is None and settle is None:
            found, total, _, _ = self._look(1, wanted, self._since, 0)
            self._require_all(found, total, wanted)
        else:
            raise SandpostError("The options within and settle of mails need count.")
        return [self._server._mail(fields) for fields in found]

    def none(
        self,
        subject: Text = None,
        from_: Text = None,
        text: Text = None,
        q: str | None = None,
        trace: str | None = None,
        after: Mail | None = None,
        within: float = 3,
    ) -> None:
        """Waits `within` seconds. Raises SandpostError as soon as there is a mail for which all conditions hold."""
        wanted = _Conditions(subject, from_, text, q, trace, after)
        found, total, _, _ = self._look(1, wanted, self._since, within)
        if total:
            raise SandpostError(f"Mail to {self.address}{wanted} arrived, but none was expected:{_lines(found, total)}")

    def _wait_for(self, count: int, wanted: _Conditions, within: float, settle: float) -> list[dict[str, Any]]:
        found, total, others, cursor = self._look(count, wanted, self._since, within, explain=1)
        if total == count and settle > 0:
            later, more, _, _ = self._look(1, wanted, cursor, settle)
            found, total = later + found, total + more
        if total == count:
            return found
        what, were = f"to {self.address}{wanted}", "one was" if count == 1 else f"{count} were"
        if total > count:
            raise SandpostError(f"{total} mails {what} arrived, but {were} expected:{_lines(found, total)}")
        if total:
            mails = "1 mail" if total == 1 else f"{total} mails"
            raise SandpostError(f"{mails} {what} arrived within {within:g} s, but {were} expected:{_lines(found, total)}")
        raise SandpostError(f"No mail {what} arrived within {within:g} s.{others}")

    def _look(
        self, count: int, wanted: _Conditions, since: int, within: float, explain: int = 0
    ) -> tuple[list[dict[str, Any]], int, str, int]:
        """
        Looks for mails that match, until there are `count` or the time is over. Returns them, the newest first, their number,
        a sentence on what came instead, and the cursor behind them.
        """
        query = {"address": self.address, "limit": MOST_MAILS, "include": "message", "explain": explain, **wanted.query()}
        clock = _Clock(within)
        found: list[dict[str, Any]] = []
        unlike: list[dict[str, Any]] = []
        total, cursor, rounds = 0, since, 0
        while rounds == 0 or (total < count and clock.left() > 0):
            answer = self._server._list({**query, "since": cursor, "count": count - total}, clock)
            items = [answer["message"]] if "message" in answer else answer["items"]
            matching = items
            if wanted.patterns:
                self._require_all(items, answer["pagination"]["total"], wanted)
                mails = [self._server._mail(item) for item in items]
                failed = [(mail, wanted.failed(mail)) for mail in mails]
                matching = [mail.fields for mail, names in failed if not names]
                unlike = [{**mail.fields, "to": self.address, "failed": names} for mail, names in failed if names] + unlike
            found = matching + found
            total += len(matching) if wanted.patterns else answer["pagination"]["total"]
            cursor, rounds = answer["cursor"], rounds + 1
        if explain and not total:
            if rounds > 1:
                # Near misses are of the last request, which began behind the mails before it.
                answer = self._server._list({**query, "since": since, "count": MOST_MAILS}, _Clock(0))
            unlike += answer.get("near_misses", [])
        # A server that is too busy to look for near misses does not say that there are none.
        others = " No similar mail arrived." if "near_misses" in answer else ""
        if unlike:
            others = " Arrived instead:" + "".join(map(_miss, unlike[:MOST_LISTED]))
        return found, total, others, cursor

    def _require_all(self, found: list[dict[str, Any]], total: int, wanted: _Conditions) -> None:
        """Fails where there are more mails than are looked at, since those that are not might be others."""
        if total > len(found):
            raise SandpostError(
                f"{total} mails to {self.address}{wanted} arrived, more than the {MOST_MAILS} that are checked: "
                "add a text as a condition."
            )


class _Conditions:
    """Conditions on a mail: texts, which the server looks for, and patterns, which are looked for here."""

    def __init__(
        self, subject: Text, from_: Text, text: Text, q: str | None, trace: str | None, after: Mail | None
    ) -> None:
        self._given = {"subject": subject, "from": from_, "text": text, "q": q, "trace": trace}
        self._after = after
        self.patterns = {name: value for name, value in self._given.items() if isinstance(value, re.Pattern)}
        for name, value in self._given.items():
            if isinstance(value, str) and not value.strip():
                raise SandpostError(f"The condition {name} is empty.")

    def query(self) -> dict[str, Any]:
        """Returns the parameters of the server."""
        texts = {name: value for name, value in self._given.items() if isinstance(value, str)}
        return texts if self._after is None else {**texts, "after": self._after.id}

    def failed(self, mail: Mail) -> list[str]:
        """Returns the names of the patterns that are not found in a mail."""
        return [name for name, pattern in self.patterns.items() if not pattern.search(mail._searched(name))]

    def __str__(self) -> str:
        said = [
            f"{name} /{value.pattern}/" if isinstance(value, re.Pattern) else f'{name} "{value}"'
            for name, value in self._given.items()
            if value is not None
        ]
        if self._after is not None:
            said.append(f"after mail {self._after.id}")
        return f" with {', '.join(said)}" if said else ""


class Mail:
    """A mail, with the fields that GET /api/messages/{id} answers with."""

    def __init__(self, server: Sandpost, fields: dict[str, Any]) -> None:
        self._server = server
        self.fields = fields
        self.id: int = fields["id"]
        self.subject: str = fields["subject"]

    def code(self) -> str:
        """Returns the one-time code. Raises SandpostError if there is none, or several."""
        return self._one("code", [code["value"] for code in self.fields["codes"]])

    def link(self, kind: str | None = None) -> str:
        """
        Returns the link of a kind: verify, reset, login, invite, unsubscribe or other. Without a kind, the link that the mail is
        about. Of several of the kind, it is the main link of the mail, or the only one with a text of its own. Raises SandpostError if
        there is none, or no single one.
        """
        links = self.fields["links"]
        there = [f"{link['kind']} {link['url']}" for link in links]
        if kind is None:
            return self._one("main link", [self.fields["main_link"]] if self.fields["main_link"] else [], there)
        of_kind = [link for link in links if link["kind"] == kind]
        labelled = [link["url"] for link in of_kind if link["text"]]
        urls = labelled or [link["url"] for link in of_kind]
        main = self.fields["main_link"]
        return self._one(f"link of the kind {kind}", [main] if main in labelled else urls, there)

    def attachment(self, pattern: str = "*") -> bytes:
        """
        Returns the content of the attachment with a name like "*.pdf", in any case: * is any characters, ? is one. Raises SandpostError
        if there is none, or several.
        """
        like_name = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
        names = {file["id"]: file["filename"] or "" for file in self.fields["attachments"]}
        like = {id: name for id, name in names.items() if re.fullmatch(like_name, name, re.DOTALL | re.IGNORECASE)}
        self._one(f"attachment {pattern}", list(like.values()), list(names.values()))
        return self._server._bytes(f"/api/messages/{self.id}/attachments/{next(iter(like))}")

    def html(self) -> str:
        """Returns the source of the HTML. Raises SandpostError if there is none, or more than the 1 MiB that an answer has."""
        return self._whole("HTML", self.fields["html"], self.fields["html_truncated"])

    def text(self) -> str:
        """
        Returns what a reader sees: the text, then the lines that the HTML adds to it. Raises SandpostError if there is none, or more
        than the 1 MiB that an answer has.
        """
        truncated = "html_text_truncated" if self.fields["text"] is None else "text_truncated"
        return self._whole("text", self._readable(), self.fields.get(truncated, False))

    def raw(self) -> bytes:
        """Returns the bytes of the mail, as they were received."""
        return self._server._bytes(f"/api/messages/{self.id}/raw")

    def _whole(self, title: str, text: str | None, truncated: bool) -> str:
        if text is None:
            raise SandpostError(f"{self._name()} has no {title}.")
        if truncated:
            raise SandpostError(f"{self._name()} has more {title} than a response can contain: read the raw mail instead.")
        return text

    def _readable(self) -> str | None:
        """Returns the text, then the lines that the HTML adds to it, or None where there is neither."""
        text, added = self.fields["text"], self.fields.get("html_text")
        if added is None:
            return text
        return f"{text.rstrip()}\n\n{added}" if text and text.strip() else added

    def _one(self, what: str, values: list[str], there: list[str] | None = None) -> str:
        """Returns the only value. Raises SandpostError on another number of them, with what is there instead."""
        if len(values) == 1:
            return values[0]
        if values:
            raise SandpostError(f"{self._name()} has more than one {what}: {', '.join(values)}")
        raise SandpostError(f"{self._name()} has no {what}." + (f" It has: {', '.join(there)}" if there else ""))

    def _name(self) -> str:
        return f'Mail {self.id} "{self.subject}"'

    def _searched(self, name: str) -> str:
        """Returns the text in which a pattern for a condition is looked for."""
        if name == "from":
            return f"{self.fields['from_name'] or ''} {self.fields['from_address']}"
        return self.subject if name == "subject" else self._readable() or ""


def _lines(mails: list[dict[str, Any]], total: int) -> str:
    listed = mails[:MOST_LISTED]
    rest = f"\n  and {total - len(listed)} more" if total > len(listed) else ""
    return "".join(f'\n  mail {mail["id"]} "{mail["subject"]}"' for mail in listed) + rest


def _miss(mail: dict[str, Any]) -> str:
    """Returns a line on a mail that came instead of another, with the names of the conditions that it failed, or on a refusal."""
    if "reply" in mail:
        return f'\n  refused{" for " if mail["to"] else ""}{mail["to"]}: {mail["reply"]}'
    return f'\n  mail {mail["id"]} "{mail["subject"]}" to {mail["to"]} (differs in {", ".join(mail["failed"])})'
