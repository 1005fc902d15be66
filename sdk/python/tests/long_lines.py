"""A line of an export of many bytes is read in a time that grows with their number alone: python long_lines.py"""

import time
from collections.abc import Iterator

import httpx
from agentmesh import AgentMesh

MEBIBYTES = 16
PIECE = b"a" * 4096
MOST_SECONDS = 5.0
"""Of the processor. A reader that looks again at all that has come with each piece needs ten or more."""


def export() -> Iterator[bytes]:
    yield b'{"kind":"event","data":"'
    for _ in range(MEBIBYTES * 1024 * 1024 // len(PIECE)):
        yield PIECE
    yield b'"}\n{"kind":"end",'
    yield b'"data":{}}\n'


network = httpx.MockTransport(lambda _: httpx.Response(200, content=export()))
before = time.process_time()
with AgentMesh("http://mesh", "t", http=httpx.Client(transport=network)) as mesh:
    lengths = [len(line) for line in mesh.account.export()]
seconds = time.process_time() - before
if lengths != [MEBIBYTES * 1024 * 1024 + 26, 24] or seconds > MOST_SECONDS:
    raise SystemExit(f"{lengths} in {seconds:.1f} s")
