"""Parses messages with Python's own email package under its default policy, and prints the result as JSON.

Standard input: one path per line. Standard output: one JSON object per line: defects, headers, parts with type, name,
Content-ID, disposition and SHA-256 of the decoded bytes (text parts as UTF-8 with LF)."""
import email, email.policy, hashlib, json, sys

policy = email.policy.default.clone(raise_on_defect=False)


def defects_of(message):
    found = [type(d).__name__ for d in message.defects]
    for name, value in message.items():
        found += [f"{name}: {type(d).__name__}" for d in getattr(value, "defects", [])]
    for part in message.walk():
        if part is not message:
            found += [type(d).__name__ for d in part.defects]
    return found


def part_of(part):
    payload = part.get_payload(decode=True) or b""
    if part.get_content_maintype() == "text":
        payload = part.get_content().replace("\r\n", "\n").encode()
    return {
        "type": part.get_content_type(),
        "name": part.get_filename(),
        "cid": part.get("content-id"),
        "disposition": part.get_content_disposition(),
        "sha256": hashlib.sha256(payload).hexdigest(),
    }


for line in sys.stdin:
    raw = open(line.strip(), "rb").read()
    message = email.message_from_bytes(raw, policy=policy)
    parts = [part_of(p) for p in message.walk() if not p.is_multipart()]
    headers = [[k, str(v)] for k, v in message.items()]
    print(json.dumps({"path": line.strip(), "defects": defects_of(message), "headers": headers, "parts": parts}))
