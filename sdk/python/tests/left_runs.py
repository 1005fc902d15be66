"""The connection of a run that nobody reads any more is closed, and the next reader goes on behind its last event: python left_runs.py"""

import asyncio
from collections.abc import AsyncIterator, Iterator

import httpx
from agentmesh import AgentMesh, AsyncAgentMesh

open_now = 0
asked_behind: list[str | None] = []


def frame(number: int) -> bytes:
    return b'id: %d\ndata: {"id":"%d","author":"echo","content":{"parts":[{"text":"a"}]}}\n\n' % (number, number)


class Endless(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A stream of a run that is not over."""

    def __init__(self, after: int) -> None:
        global open_now
        self._after = after
        open_now += 1

    def __iter__(self) -> Iterator[bytes]:
        for number in range(self._after + 1, 100):
            yield frame(number)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self:
            yield piece

    def close(self) -> None:
        global open_now
        open_now -= 1

    async def aclose(self) -> None:
        self.close()


def answer(request: httpx.Request) -> httpx.Response:
    after = request.headers.get("last-event-id")
    asked_behind.append(after)
    return httpx.Response(200, stream=Endless(int(after or 0)), headers={"content-type": "text/event-stream"})


def check(wanted: int, when: str) -> None:
    if open_now != wanted:
        raise SystemExit(f"{open_now} connections are open {when}")


def see() -> None:
    run = AgentMesh("http://mesh", "t", http=httpx.Client(transport=httpx.MockTransport(answer))).runs.watch("e-1")
    words = iter(run.text)
    next(words)
    for event in run:
        if event["id"] == "2":
            break
    check(1, "while another reader is there")
    words.close()
    check(0, "when the last reader has left")
    if next(iter(run))["id"] != "3" or asked_behind != [None, "2"]:
        raise SystemExit(f"it was read on behind {asked_behind}")
    check(0, "when the last reader has left again")


async def see_async() -> None:
    http = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    run = AsyncAgentMesh("http://mesh", "t", http=http).runs.watch("e-1")
    events = aiter(run)
    await anext(events)
    check(1, "while a task reads")
    await events.aclose()
    check(0, "when the last task has left")
    async for _ in run:
        break
    while open_now > 0:
        await asyncio.sleep(0)


see()
asyncio.run(asyncio.wait_for(see_async(), 10))
