"""A stream that breaks after a long quiet goes on, and one that cannot be opened again, or brings nothing, fails after five minutes: python quiet_streams.py"""

from collections.abc import Iterator

import httpx
from agentmesh import AgentMesh, ConnectionError, _calls

END = b'event: end\nid: 1-end1\ndata: {"invocationId":"e-1","status":"completed"}\n\n'
now = 0.0
_calls.monotonic = lambda: now


def after(minutes: float) -> None:
    global now
    now += minutes * 60


class Broken(httpx.SyncByteStream):
    """A stream that breaks after some quiet minutes, with or without a comment."""

    def __init__(self, text: bytes) -> None:
        self._text = text

    def __iter__(self) -> Iterator[bytes]:
        yield self._text
        after(6)
        raise httpx.ReadError("cut")


def network(*answers: httpx.SyncByteStream | bytes) -> httpx.Client:
    left = list(answers)

    def answer(_: httpx.Request) -> httpx.Response:
        if not left:
            after(1)
            raise httpx.ConnectError("away")
        answered = left.pop(0)
        headers = {"content-type": "text/event-stream"}
        if isinstance(answered, bytes):
            return httpx.Response(200, content=answered, headers=headers)
        return httpx.Response(200, stream=answered, headers=headers)

    return httpx.Client(transport=httpx.MockTransport(answer))


def mesh_of(http: httpx.Client) -> AgentMesh:
    return AgentMesh("http://mesh", "t", http=http, backoff=0.001, tries=1)


run = mesh_of(network(Broken(b""), Broken(b": ping\n\n"), END)).runs.watch("e-1").final()
if run.record["status"] != "completed":
    raise SystemExit(f"{run.record}")

try:
    mesh_of(network(Broken(b""))).runs.watch("e-1").final()
except ConnectionError:
    minutes = now / 60 - 12
    if minutes != 6 + 5:
        raise SystemExit(f"given up after {minutes} minutes") from None
else:
    raise SystemExit("was not given up")


class Empty(httpx.SyncByteStream):
    """A stream that ends at once, as a proxy in front of a server that is away may answer."""

    def __iter__(self) -> Iterator[bytes]:
        after(1)
        return iter(())


started = now
try:
    mesh_of(network(*[Empty() for _ in range(20)])).runs.watch("e-1").final()
except ConnectionError:
    if (now - started) / 60 != 1 + 5:
        raise SystemExit(f"an empty stream was given up after {(now - started) / 60} minutes") from None
else:
    raise SystemExit("an empty stream was not given up")
