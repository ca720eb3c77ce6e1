"""Calls the client as the lines of standard input say. See languages.ts beside this folder."""

import re
import sys

from sandpost import Sandpost, SandpostError

server = inbox = None


def call(word, *given):
    global server, inbox
    if word == "server":
        server = Sandpost(*given)
        return ""
    if word == "inbox":
        inbox = server.inbox(*given)
        return inbox.address
    names = {}
    for one in given:
        name, is_pattern, value = re.fullmatch("([a-z]+)(~?)=(.*)", one).groups()
        names["from_" if name == "from" else name] = re.compile(value) if is_pattern else value
    asked = [names.pop(name) for name in ("kind", "name") if name in names]
    for name in ("within", "settle"):
        if name in names:
            names[name] = float(names[name])
    if "count" in names:
        names["count"] = int(names["count"])
    if "after" in names:
        names["after"] = next(mail for mail in inbox.mails() if mail.id == int(names["after"]))
    if word == "none":
        return inbox.none(**names) or ""
    if word == "mails":
        return "\n".join(str(mail.id) for mail in inbox.mails(**names))
    mail = inbox.wait(**names)
    return str(mail.id) if word == "wait" else getattr(mail, word)(*asked)


for line in sys.stdin:
    try:
        value = call(*line.rstrip("\n").split("\t"))
        print("ok", (value if isinstance(value, bytes) else value.encode()).hex(), flush=True)
    except SandpostError as error:
        print("error", str(error).encode().hex(), flush=True)
