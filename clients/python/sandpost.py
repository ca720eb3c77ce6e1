"""Reads Sandpost mail in tests. One file, for Python 3.9 or newer, without dependencies.

    inbox = Sandpost().inbox("signup")      # a unique address: signup-3f9a2c71d0@sandpost.test
    ...                                     # the application sends an email to inbox.address
    mail = inbox.wait(subject="Welcome")    # exactly one email, or an error that lists what arrived instead
    mail.code()                             # "493817"
    mail.link("verify")                     # "https://shop.example/verify?t=1"

Set SANDPOST_URL to the server's address (default: http://localhost:8080), and SANDPOST_API_KEY to an API key. Addresses belong
to SANDPOST_DOMAIN, or else to the domain of the key's catch-all or capture account. You can also pass all three to `Sandpost`.
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
# Maximum number of emails that a call checks, and that an error lists.
MOST_MAILS = 200
MOST_LISTED = 20
# Longest wait of one request, in seconds. Proxies commonly end a request after 60 s.
LONGEST_WAIT = 50
# Seconds for which the client repeats a request to a busy server: twice the minute of its limit. Less for a server that has not
# responded yet, since its address may be wrong.
PATIENCE = 120
FIRST_PATIENCE = 2

# Part of a text, ignoring case, or a pattern to find in the text.
Text = Union[str, "re.Pattern[str]", None]


class SandpostError(AssertionError):
    """Raised if an email is missing or not as expected, or if the server does not respond. The message gives the reason."""


class _Stay(urllib.request.HTTPRedirectHandler):
    """Does not follow redirects: another host must not receive the key."""

    def redirect_request(self, *_: Any) -> None:
        return None


class _Shared:
    """State that all clients of a server share: the domain of addresses, and whether the server has responded."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.domain: str | None = None
        self.is_known = False


_servers: dict[tuple[str, str | None, str | None], _Shared] = {}


class _Clock:
    """A call's deadline: `end`, by time.monotonic()."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds

    def left(self) -> float:
        return self.end - time.monotonic()


class _Refused(Exception):
    """An error response."""

    def __init__(self, status: int, headers: Any, body: bytes) -> None:
        try:
            problem = json.loads(body)
        except ValueError:
            problem = None
        self.problem = problem if isinstance(problem, dict) else {}
        self.status = status
        self.version = headers.get("Sandpost-Version", "older")
        after = headers.get("Retry-After", "")
        # A response without a pause would cause a storm of requests.
        self.pause = max(0.1, float(after)) if after.isdecimal() else 1.0


class Sandpost:
    """A server, accessed with one key."""

    def __init__(self, url: str | None = None, key: str | None = None, domain: str | None = None) -> None:
        self.url = (url or os.environ.get("SANDPOST_URL") or "http://localhost:8080").rstrip("/")
        self._key = key or os.environ.get("SANDPOST_API_KEY")
        self._opener = urllib.request.build_opener(_Stay)
        self._domain = domain or os.environ.get("SANDPOST_DOMAIN")
        self._shared = _servers.setdefault((self.url, self._key, self._domain), _Shared())

    def inbox(self, name: str = "test") -> Inbox:
        """Generates an unguessable address that begins with the name. Changes nothing on the server."""
        readable = re.sub("[^a-z0-9]+", "-", name.lower())[:40].strip("-") or "test"
        cursor = self._json("/api/messages", {"limit": 1})["cursor"]
        with self._shared.lock:
            self._shared.domain = self._shared.domain or self._find_domain()
        return Inbox(self, f"{readable}-{secrets.token_hex(5)}@{self._shared.domain}", cursor)

    def _mail(self, fields: dict[str, Any]) -> Mail:
        """Returns an email from a list. Reads the full email if the list item is incomplete."""
        return Mail(self, fields if "codes" in fields else self._json(f"/api/messages/{fields['id']}"))

    def _find_domain(self) -> str:
        """
        Returns the domain of a catch-all account, or else of the capture account. Returns the given domain if one of these accounts
        receives its mail. Checks the oldest 200 accounts.
        """
        answer = self._json("/api/accounts", {"limit": 200, "is_active": "true"})
        accounts = [(account["address"].rpartition("@")[2], account) for account in answer["items"]]
        catch_alls = [domain for domain, account in accounts if account["is_catch_all"]]
        captures = [domain for domain, account in accounts if account["is_capture"]]
        given = self._domain
        if given is None and catch_alls + captures:
            return (catch_alls + captures)[0]
        # Accounts use a domain's ASCII form.
        is_unknown = answer["pagination"]["total"] > len(accounts) or not (given or "").isascii()
        if given is not None and (captures or given.lower() in catch_alls or is_unknown):
            return given
        domains = [domain for domain, _ in accounts]
        domain = given or (domains + ["app.test"])[0]
        make_domain = "" if domain in domains else f'POST /api/domains {{"domain": "{domain}"}} and '
        place, way = (f" on {given}", "") if given else ("", ", or set SANDPOST_DOMAIN")
        raise SandpostError(
            f"No account at {self.url} receives mail for any address{place}: "
            f'create one with {make_domain}POST /api/accounts {{"address": "*@{domain}"}}{way}.'
        )

    def _json(self, path: str, query: dict[str, Any] | None = None) -> Any:
        return self._parsed(self._bytes(path, query))

    def _parsed(self, answer: bytes) -> Any:
        try:
            return json.loads(answer)
        except ValueError:
            raise SandpostError(f"{self.url} is not a Sandpost server: it did not return JSON.") from None

    def _bytes(self, path: str, query: dict[str, Any] | None = None) -> bytes:
        return self._repeat(lambda _: self._get(path, query or {}), _Clock(PATIENCE), is_wait=False)

    def _list(self, query: dict[str, Any], clock: _Clock) -> Any:
        """Reads a list of emails as soon as it has `count`, or when time runs out."""

        def get(left: float | None) -> bytes:
            if left is None:
                # The last check does not wait: the server always has time for it.
                return self._get("/api/messages", {name: query[name] for name in query if name not in ("count", "explain")})
            return self._get("/api/messages", {**query, "wait": min(LONGEST_WAIT, max(0, math.ceil(left)))})

        return self._parsed(self._repeat(get, clock, is_wait=True))

    def _repeat(self, get: Callable[[float | None], bytes], clock: _Clock, is_wait: bool) -> bytes:
        """
        Sends a request until the server responds. Repeats it if the server is busy (429, 503) or the connection is lost, until the
        deadline. `get` sends it with the remaining seconds. A wait then checks once more, with None for the seconds, and reports
        the refusal if the server refuses that check, too.
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
                    # A minute without requests does not count toward a wait.
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
            return f"{self.url} has not responded for {seconds:.0f} s."
        is_address = re.match("https?://", self.url, re.IGNORECASE)
        advice = "set SANDPOST_URL to its address" if is_address else "begin the address with http:// or https://"
        return f"No Sandpost server answers at {self.url}: {advice}."

    def _sentence(self, refused: _Refused, seconds: float | None = None) -> str:
        """Returns a sentence that describes an error response, and for how long the client has received it."""
        if refused.status == 401:
            wrong = f"SANDPOST_API_KEY is not a valid key for {self.url}."
            return wrong if self._key else f"{self.url} needs an API key: set SANDPOST_API_KEY."
        if 300 <= refused.status < 400:
            return f"{self.url} redirects to another address: set SANDPOST_URL to that address."
        if "detail" not in refused.problem:
            return f"{self.url} is not a Sandpost server: it did not return JSON."
        ages = "" if refused.version == VERSION else f" Server version: {refused.version}. Client version: {VERSION}."
        said = "returned" if seconds is None else "has returned"
        time_said = "" if seconds is None else f" for {seconds:.0f} s"
        return f"{self.url} {said} {refused.status}{time_said}: {refused.problem['detail']}.{ages}"


class Inbox:
    """A test's address. Contains the mail that arrived after the inbox was created."""

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
        Waits up to `within` seconds for the one email that meets all conditions. Raises SandpostError if none or several do. To
        detect a second email that arrives later, set `settle` to the seconds to keep waiting.
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
        Returns the emails that meet all conditions, newest first. With `count`, waits up to `within` seconds (default: 30) for
        exactly that many. Raises SandpostError if fewer or more arrive, or if more than 200 match.
        """
        wanted = _Conditions(subject, from_, text, q, trace, after)
        if count is not None:
            if not 1 <= count <= MOST_MAILS:
                raise SandpostError(f"The option count must be a number from 1 to {MOST_MAILS}, not {count}.")
            found = self._wait_for(count, wanted, 30 if within is None else within, settle or 0)
        elif within is None and settle is None:
            found, total, _, _ = self._look(1, wanted, self._since, 0)
            self._require_all(found, total, wanted)
        else:
            raise SandpostError("mails accepts within and settle only with count.")
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
        """Waits `within` seconds. Raises SandpostError as soon as an email meets all conditions."""
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
            raise SandpostError(f"{total} emails {what} arrived, but {were} expected:{_lines(found, total)}")
        if total:
            mails = "1 email" if total == 1 else f"{total} emails"
            raise SandpostError(f"{mails} {what} arrived within {within:g} s, but {were} expected:{_lines(found, total)}")
        raise SandpostError(f"No mail {what} arrived within {within:g} s.{others}")

    def _look(
        self, count: int, wanted: _Conditions, since: int, within: float, explain: int = 0
    ) -> tuple[list[dict[str, Any]], int, str, int]:
        """
        Waits until `count` emails match or time runs out. Returns them, newest first, their number, a sentence about what
        arrived instead, and the cursor after them.
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
                # Near misses come from the last request, which began after the earlier emails.
                answer = self._server._list({**query, "since": since, "count": MOST_MAILS}, _Clock(0))
            unlike += answer.get("near_misses", [])
        # A server that is too busy to search for near misses does not say that there are none.
        others = " No similar mail arrived." if "near_misses" in answer else ""
        if unlike:
            others = " Arrived instead:" + "".join(map(_miss, unlike[:MOST_LISTED]))
        return found, total, others, cursor

    def _require_all(self, found: list[dict[str, Any]], total: int, wanted: _Conditions) -> None:
        """Fails if the server has more emails than it returned: the others might match, too."""
        if total > len(found):
            raise SandpostError(
                f"{total} emails to {self.address}{wanted} arrived, but a call checks at most {MOST_MAILS}: "
                "add a string condition."
            )


class _Conditions:
    """Conditions on an email: strings, which the server matches, and patterns, which the client matches."""

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
        """Returns the query parameters for the server."""
        texts = {name: value for name, value in self._given.items() if isinstance(value, str)}
        return texts if self._after is None else {**texts, "after": self._after.id}

    def failed(self, mail: Mail) -> list[str]:
        """Returns the names of the patterns that an email does not match."""
        return [name for name, pattern in self.patterns.items() if not pattern.search(mail._searched(name))]

    def __str__(self) -> str:
        said = [
            f"{name} /{value.pattern}/" if isinstance(value, re.Pattern) else f'{name} "{value}"'
            for name, value in self._given.items()
            if value is not None
        ]
        if self._after is not None:
            said.append(f"after email {self._after.id}")
        return f" with {', '.join(said)}" if said else ""


class Mail:
    """An email. `fields` is the response of GET /api/messages/{id}."""

    def __init__(self, server: Sandpost, fields: dict[str, Any]) -> None:
        self._server = server
        self.fields = fields
        self.id: int = fields["id"]
        self.subject: str = fields["subject"]

    def code(self) -> str:
        """Returns the one-time code. Raises SandpostError if the email has none or several."""
        return self._one("code", [code["value"] for code in self.fields["codes"]])

    def link(self, kind: str | None = None) -> str:
        """
        Returns the link of a kind: verify, reset, login, invite, unsubscribe or other. Without a kind, returns the email's main
        link. If several links have this kind, returns the main link, or else the only link with its own text. Raises SandpostError
        if there is no such link, or if several remain.
        """
        links = self.fields["links"]
        there = [f"{link['kind']} {link['url']}" for link in links]
        if kind is None:
            return self._one("main link", [self.fields["main_link"]] if self.fields["main_link"] else [], there)
        of_kind = [link for link in links if link["kind"] == kind]
        labelled = [link["url"] for link in of_kind if link["text"]]
        urls = labelled or [link["url"] for link in of_kind]
        main = self.fields["main_link"]
        return self._one(f"link of kind {kind}", [main] if main in labelled else urls, there)

    def attachment(self, pattern: str = "*") -> bytes:
        """
        Returns the content of the attachment whose name matches a pattern such as "*.pdf", ignoring case. * matches any characters,
        and ? matches one. Raises SandpostError if no attachment matches, or several do.
        """
        like_name = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
        names = {file["id"]: file["filename"] or "" for file in self.fields["attachments"]}
        like = {id: name for id, name in names.items() if re.fullmatch(like_name, name, re.DOTALL | re.IGNORECASE)}
        self._one(f"attachment {pattern}", list(like.values()), list(names.values()))
        return self._server._bytes(f"/api/messages/{self.id}/attachments/{next(iter(like))}")

    def html(self) -> str:
        """Returns the HTML source. Raises SandpostError if there is none, or more than 1 MiB."""
        return self._whole("HTML", self.fields["html"], self.fields["html_truncated"])

    def text(self) -> str:
        """
        Returns what a reader sees: the text, then the lines that the HTML adds. Raises SandpostError if there is none, or more
        than 1 MiB.
        """
        truncated = "html_text_truncated" if self.fields["text"] is None else "text_truncated"
        return self._whole("text", self._readable(), self.fields.get(truncated, False))

    def raw(self) -> bytes:
        """Returns the email's bytes, as received."""
        return self._server._bytes(f"/api/messages/{self.id}/raw")

    def _whole(self, title: str, text: str | None, truncated: bool) -> str:
        if text is None:
            raise SandpostError(f"{self._name()} has no {title}.")
        if truncated:
            raise SandpostError(f"{self._name()} has more {title} than a response can contain: read the raw email instead.")
        return text

    def _readable(self) -> str | None:
        """Returns the text, then the lines that the HTML adds, or None if the email has neither."""
        text, added = self.fields["text"], self.fields.get("html_text")
        if added is None:
            return text
        return f"{text.rstrip()}\n\n{added}" if text and text.strip() else added

    def _one(self, what: str, values: list[str], there: list[str] | None = None) -> str:
        """Returns the only value. Raises SandpostError if there are none or several, and lists them."""
        if len(values) == 1:
            return values[0]
        if values:
            raise SandpostError(f"{self._name()} has more than one {what}: {', '.join(values)}")
        raise SandpostError(f"{self._name()} has no {what}." + (f" It has: {', '.join(there)}" if there else ""))

    def _name(self) -> str:
        return f'Email {self.id} "{self.subject}"'

    def _searched(self, name: str) -> str:
        """Returns the text that a condition's pattern searches."""
        if name == "from":
            return f"{self.fields['from_name'] or ''} {self.fields['from_address']}"
        return self.subject if name == "subject" else self._readable() or ""


def _lines(mails: list[dict[str, Any]], total: int) -> str:
    listed = mails[:MOST_LISTED]
    rest = f"\n  and {total - len(listed)} more" if total > len(listed) else ""
    return "".join(f'\n  email {mail["id"]} "{mail["subject"]}"' for mail in listed) + rest


def _miss(mail: dict[str, Any]) -> str:
    """Returns a line about a refusal, or about an email that arrived instead and the conditions that it failed."""
    if "reply" in mail:
        return f'\n  refused{" for " if mail["to"] else ""}{mail["to"]}: {mail["reply"]}'
    return f'\n  email {mail["id"]} "{mail["subject"]}" to {mail["to"]} (differs in {", ".join(mail["failed"])})'
