"""Reads the mails that standard input names, one a line, by Python's email package. Prints a line of JSON for each."""

import email
import email.policy
import email.utils
import hashlib
import json
import sys


def text_of(part):
    try:
        return part.get_content()
    except Exception:
        payload = part.get_payload(decode=True)
        return payload.decode("utf-8", "replace") if payload else ""


def leaves(message):
    """Yields the parts that are no multipart. An embedded message is one part."""
    if message.get_content_maintype() == "multipart" and message.is_multipart():
        for part in message.iter_parts():
            yield from leaves(part)
    else:
        yield message


def read(path):
    with open(path, "rb") as file:
        message = email.message_from_binary_file(file, policy=email.policy.default)
    text, html, attachments = [], [], []
    for part in leaves(message):
        kind = part.get_content_type()
        if kind in ("text/plain", "text/html") and part.get_content_disposition() != "attachment":
            (text if kind == "text/plain" else html).append(text_of(part))
        elif not part.is_multipart() and not kind.startswith("message/"):
            body = part.get_payload(decode=True) or b""
            attachments.append([part.get_filename() or "", hashlib.sha256(body).hexdigest()])
        else:
            attachments.append([part.get_filename() or "", None])
    try:
        sender = message["from"].addresses[0].addr_spec if message["from"] else ""
    except Exception:
        sender = email.utils.parseaddr(str(message["from"] or ""))[1]
    try:
        date = message["date"].datetime.timestamp() if message["date"] else None
    except Exception:
        date = None
    return {
        "text": "\n".join(text),
        "html": "\n".join(html),
        "subject": str(message["subject"] or ""),
        "sender": sender,
        "date": date,
        "attachments": attachments,
    }


for line in sys.stdin:
    try:
        found = read(line.strip())
    except Exception as error:
        found = {"error": repr(error)}
    print(json.dumps(found))
