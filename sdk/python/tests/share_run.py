"""Tasks and threads that share a run, and a start that was cancelled: python share_run.py <url> <token>"""

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor

import httpx
from agentmesh import AgentMesh, AsyncAgentMesh

url, token = sys.argv[1:]
SAID = ["one ", "two ", "three"]


async def tasks() -> None:
    async with AsyncAgentMesh(url, token) as mesh:
        run = mesh.runs.stream(app="echo", user="tasks", text="one two [[wait:300]] three")
        begun, events, words, end = await asyncio.gather(run.begin(), events_of(run), words_of(run), run.final())
        assert (begun, words, end.text) == (end.record["invocationId"], SAID, "one two three")
        assert len(events) > len(end.events)
        cancelled = mesh.runs.stream(app="echo", user="tasks", text="[[wait:60000]]")
        _, record, end = await asyncio.gather(cancelled.begin(), cancelled.cancel(), cancelled.final())
        assert record["invocationId"] == end.record["invocationId"]
        assert len([it async for it in mesh.runs.list(user="tasks")]) == 2


async def events_of(run) -> list:
    return [event async for event in run]


async def words_of(run) -> list[str]:
    return [piece async for piece in run.text]


class Late(httpx.AsyncHTTPTransport):
    """Keeps back the first answer to the start of a run."""

    def __init__(self) -> None:
        super().__init__()
        self.started = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await super().handle_async_request(request)
        if request.url.path == "/runs" and request.method == "POST":
            self.started += 1
            if self.started == 1:
                await asyncio.Event().wait()
        return response


async def cancelled_start() -> None:
    late = Late()
    async with AsyncAgentMesh(url, token, http=httpx.AsyncClient(transport=late)) as mesh:
        run = mesh.runs.stream(app="echo", user="late", text="once")
        beginning = asyncio.create_task(run.begin())
        while late.started == 0:
            await asyncio.sleep(0.01)
        beginning.cancel()
        assert (await run.final()).text == "once"
        assert [it["invocationId"] async for it in mesh.runs.list(user="late")] == [run.id]


def threads() -> None:
    with AgentMesh(url, token) as mesh, ThreadPoolExecutor() as pool:
        run = mesh.runs.stream(app="echo", user="threads", text="one two [[wait:300]] three")
        words, end = pool.submit(lambda: list(run.text)), pool.submit(run.final)
        assert (words.result(), end.result().text) == (SAID, "one two three")


asyncio.run(tasks())
asyncio.run(cancelled_start())
threads()
