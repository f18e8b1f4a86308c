"""Parses messages with Python's own email package, and prints their structure as JSON.

Standard input: one path per line. Standard output: one JSON object per line: defects, and for each part in order its
depth, type with parameters, other Content- fields, encoding, and SHA-256 of the decoded bytes, both as they are and with
LF for CRLF (a part that is not base64 has the line ends of the stored message)."""
import email, email.policy, hashlib, json, sys

OTHERS = ("content-disposition", "content-id", "content-description", "content-language", "content-location")


def walk(part, depth=0):
    yield part, depth
    if part.is_multipart():
        for child in part.get_payload():
            yield from walk(child, depth + 1)


def unfolded(value):
    return None if value is None else " ".join(str(value).split())


def encoding_of(part):
    return str(part.get("content-transfer-encoding", "7bit")).strip().lower()


def part_of(part, depth):
    payload = b"" if part.is_multipart() else part.get_payload(decode=True) or b""
    return {
        "depth": depth,
        "type": unfolded(part.get("content-type")),
        "others": [unfolded(part.get(name)) for name in OTHERS],
        "encoding": encoding_of(part),
        "preamble": part.preamble,
        "epilogue": (part.epilogue or "").strip(),
        "sha256": hashlib.sha256(payload).hexdigest(),
        "lf_sha256": hashlib.sha256(payload.replace(b"\r\n", b"\n")).hexdigest(),
    }


for line in sys.stdin:
    raw = open(line.strip(), "rb").read().replace(b"\r\n", b"\n")
    message = email.message_from_bytes(raw, policy=email.policy.compat32)
    parts = list(walk(message))
    defects = [type(d).__name__ for part, _ in parts for d in part.defects]
    body = raw.split(b"\n\n", 1)[-1]
    plain = [part for part, _ in parts if not part.is_multipart() and encoding_of(part) in ("7bit", "8bit", "binary")]
    eight = not all(str(part.get_payload()).isascii() for part in plain)
    print(
        json.dumps(
            {
                "defects": defects,
                "body": hashlib.sha256(body).hexdigest(),
                "eight": eight,
                "name": message.get("x-corpus"),
                "parts": [part_of(part, depth) for part, depth in parts],
            }
        )
    )
