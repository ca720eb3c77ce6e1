"""Reads the mail of a Sandpost in tests. One file, for Python 3.9 or newer, without dependencies.

    inbox = Sandpost().inbox("signup")      # an address of its own: signup-3f9a2c71d0@sandpost.test
    ...                                     # the application writes to inbox.address
    mail = inbox.wait(subject="Welcome")    # exactly one mail, or an error that lists those that came instead
    mail.code()                             # "493817"
    mail.link("verify")                     # "https://shop.example/verify?t=1"

The server is at SANDPOST_URL, or http://localhost:8080. SANDPOST_API_KEY is a key of it. Addresses are of the domain
SANDPOST_DOMAIN, or of an account of the key that takes mail for any address. All three can be given to `Sandpost` too.
"""

from __future__ import annotations

import fnmatch
import http.client
import json
import math
import os
import re
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Union

VERSION = "@VERSION@"
# Mails that a wait can be for.
MOST_MAILS = 200
# Seconds of one request that waits. Proxies commonly end a request after 60 s.
LONGEST_WAIT = 50

# Part of a text, without regard to case; or a pattern that is found in the text.
Text = Union[str, "re.Pattern[str]", None]


class SandpostError(AssertionError):
    """A mail that is missing or not as it was wanted, or a server that does not answer. Says so in one sentence."""


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: another host must not get the key."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Sandpost:
    """A server, as the owner of a key sees it."""

    def __init__(self, url: str | None = None, key: str | None = None, domain: str | None = None) -> None:
        self.url = (url or os.environ.get("SANDPOST_URL") or "http://localhost:8080").rstrip("/")
        self._key = key or os.environ.get("SANDPOST_API_KEY")
        self._opener = urllib.request.build_opener(_Stay)
        self._domain = domain or os.environ.get("SANDPOST_DOMAIN")

    def inbox(self, name: str = "test") -> Inbox:
        """Makes an address that nobody can guess, which begins with the name. Changes nothing on the server."""
        readable = re.sub("[^a-z0-9]+", "-", name.lower())[:40].strip("-") or "test"
        cursor = self._json("/api/messages", {"limit": 1})["cursor"]
        self._domain = self._domain or self._find_domain()
        return Inbox(self, f"{readable}-{secrets.token_hex(5)}@{self._domain}", cursor)

    def _mail(self, id: int) -> Mail:
        return Mail(self, self._json(f"/api/messages/{id}"))

    def _find_domain(self) -> str:
        """Returns the domain of a catch-all account, else of the capture account, among the oldest 200 accounts."""
        accounts = self._json("/api/accounts", {"limit": 200, "is_active": "true"})["items"]
        for kind in ("is_catch_all", "is_capture"):
            for account in accounts:
                if account[kind]:
                    return account["address"].rpartition("@")[2]
        raise SandpostError(f"No account at {self.url} takes mail for any address: make one, or set SANDPOST_DOMAIN.")

    def _json(self, path: str, query: dict[str, Any] | None = None) -> Any:
        try:
            return json.loads(self._bytes(path, query))
        except ValueError:
            raise SandpostError(f"{self.url} is no Sandpost: it does not answer with JSON.") from None

    def _bytes(self, path: str, query: dict[str, Any] | None = None) -> bytes:
        query = query or {}
        url = f"{self.url}{path}?{urllib.parse.urlencode(query)}"
        try:
            request = urllib.request.Request(url, headers={"X-API-KEY": self._key} if self._key else {})
            with self._opener.open(request, timeout=30 + query.get("wait", 0)) as answer:
                return answer.read()
        except urllib.error.HTTPError as refusal:
            raise SandpostError(self._refused(refusal)) from None
        except (OSError, ValueError, http.client.HTTPException) as cause:
            raise SandpostError(f"No Sandpost answers at {self.url}: set SANDPOST_URL to its address.") from cause

    def _refused(self, refusal: urllib.error.HTTPError) -> str:
        """Returns the sentence on an answer that is no success."""
        if refusal.code == 401:
            wrong = f"SANDPOST_API_KEY is no key of {self.url}."
            return wrong if self._key else f"{self.url} wants a key: set SANDPOST_API_KEY."
        if 300 <= refusal.code < 400:
            return f"{self.url} leads to another address: set SANDPOST_URL to that."
        try:
            detail = json.loads(refusal.read())["detail"]
        except (ValueError, KeyError, TypeError):
            return f"{self.url} is no Sandpost: it does not answer with JSON."
        version = refusal.headers.get("Sandpost-Version", "an older version")
        ages = "" if version == VERSION else f" The server is {version}, this client {VERSION}."
        return f"{self.url} answered {refusal.code}: {detail}.{ages}"


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
        within: float = 30,
    ) -> Mail:
        """Waits up to `within` seconds for the one mail for which all conditions hold. SandpostError tells of none or several."""
        wanted = _Conditions(subject, from_, text, q)
        mails, others = self._look(wanted, within)
        if len(mails) == 1:
            return mails[0]
        if mails:
            raise SandpostError(f"{len(mails)} mails to {self.address}{wanted} came, one was wanted:{_lines(mails)}")
        instead = f"Came instead:{others}" if others else "No other mail came near."
        raise SandpostError(f"No mail to {self.address}{wanted} came within {within:g} s. {instead}")

    def none(
        self,
        subject: Text = None,
        from_: Text = None,
        text: Text = None,
        q: str | None = None,
        within: float = 3,
    ) -> None:
        """Waits `within` seconds. Raises SandpostError as soon as there is a mail for which all conditions hold."""
        wanted = _Conditions(subject, from_, text, q)
        mails, _ = self._look(wanted, within)
        if mails:
            raise SandpostError(f"Mail to {self.address}{wanted} came, none was wanted:{_lines(mails)}")

    def _look(self, wanted: _Conditions, within: float) -> tuple[list[Mail], str]:
        """Returns the mails that match, as soon as there is one; else, when the time is over, lines on others."""
        query = {"address": self.address, "since": self._since, "limit": 20, "explain": 1, **wanted.query()}
        end = time.monotonic() + within
        count = 1
        while True:
            wait = min(LONGEST_WAIT, max(0, math.ceil(end - time.monotonic())))
            answer = self._server._json("/api/messages", {**query, "count": count, "wait": wait})
            mails = [self._server._mail(item["id"]) for item in answer["items"]]
            matching = [mail for mail in mails if not wanted.failed(mail)]
            count = answer["pagination"]["total"] + 1
            if matching or time.monotonic() >= end or count > MOST_MAILS:
                unlike = [{**mail.fields, "to": self.address, "failed": wanted.failed(mail)} for mail in mails]
                return matching, "".join(map(_miss, unlike + answer.get("near_misses", [])))


class _Conditions:
    """Conditions on a mail: texts, which the server looks for, and patterns, which are looked for here."""

    def __init__(self, subject: Text, from_: Text, text: Text, q: str | None) -> None:
        self._given = {"subject": subject, "from": from_, "text": text, "q": q}
        self._patterns = {name: value for name, value in self._given.items() if isinstance(value, re.Pattern)}

    def query(self) -> dict[str, str]:
        """Returns the parameters that say the texts to the server."""
        texts = {name: value for name, value in self._given.items() if isinstance(value, str)}
        if "text" in texts:
            phrase = texts.pop("text").replace('"', '\\"')
            texts["q"] = f'{texts.get("q", "")} body:"{phrase}"'
        return texts

    def failed(self, mail: Mail) -> list[str]:
        """Returns the names of the patterns that are not found in a mail."""
        return [name for name, pattern in self._patterns.items() if not pattern.search(mail._searched(name))]

    def __str__(self) -> str:
        said = [
            f"{name} /{value.pattern}/" if isinstance(value, re.Pattern) else f'{name} "{value}"'
            for name, value in self._given.items()
            if value is not None
        ]
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
        about. Raises SandpostError if there is none, or several of the kind.
        """
        links = self.fields["links"]
        there = [f"{link['kind']} {link['url']}" for link in links]
        if kind is None:
            return self._one("main link", [self.fields["main_link"]] if self.fields["main_link"] else [], there)
        return self._one(f"link of the kind {kind}", [link["url"] for link in links if link["kind"] == kind], there)

    def attachment(self, pattern: str = "*") -> bytes:
        """Returns the content of the attachment with a name like "*.pdf". Raises SandpostError if there is none, or several."""
        names = {file["id"]: file["filename"] or "" for file in self.fields["attachments"]}
        like = {id: name for id, name in names.items() if fnmatch.fnmatchcase(name, pattern)}
        self._one(f"attachment {pattern}", list(like.values()), list(names.values()))
        return self._server._bytes(f"/api/messages/{self.id}/attachments/{next(iter(like))}")

    def html(self) -> str:
        """Returns the HTML. Raises SandpostError if there is none, or more than the 1 MiB that an answer has."""
        return self._whole("html", "HTML")

    def text(self) -> str:
        """Returns the plain text. Raises SandpostError if there is none, or more than the 1 MiB that an answer has."""
        return self._whole("text", "text")

    def raw(self) -> bytes:
        """Returns the bytes of the mail, as they were received."""
        return self._server._bytes(f"/api/messages/{self.id}/raw")

    def _whole(self, name: str, title: str) -> str:
        if self.fields[name] is None:
            raise SandpostError(f"{self._name()} has no {title}.")
        if self.fields.get(f"{name}_truncated"):
            raise SandpostError(f"{self._name()} has more than 1 MiB of {title}: take the raw mail instead.")
        return self.fields[name]

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
        return self.subject if name == "subject" else self.fields["text"] or self.fields["html"] or ""


def _lines(mails: list[Mail]) -> str:
    return "".join(f'\n  mail {mail.id} "{mail.subject}"' for mail in mails)


def _miss(mail: dict[str, Any]) -> str:
    """Returns a line on a mail that came instead of another, with the names of the conditions that it failed."""
    return f'\n  mail {mail["id"]} "{mail["subject"]}" to {mail["to"]} (differs in {", ".join(mail["failed"])})'
