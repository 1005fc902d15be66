"""Streams of server-sent events that go on after a broken connection."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace

import httpx
from httpx_sse import EventSource, ServerSentEvent, SSEError

from .._calls import Call, Patience, backoff, lost
from .._errors import AgentMeshError, ConnectionError
from .._runs import RunLike, RunLog, run_call
from .pause import sleep
from .transport import AsyncTransport

OPEN = "open"
"""Event of the frame, made here, that says that a stream was opened."""


async def follow(transport: AsyncTransport, run: RunLike, log: RunLog) -> AsyncGenerator[None, None]:
    """Reads frames into the log, up to the end of the run, and behind the last frame again when a connection breaks."""
    vain, patience = 0, Patience()
    while log.record is None:
        try:
            call = run_call("GET", run, "/events")
            async with aclosing(connect(transport, call, log.last_id, patience)) as frames:
                async for frame in frames:
                    if frame is None:
                        log.record = await transport.any(run_call("GET", run))
                        return
                    if frame.event != OPEN:
                        vain = 0
                    log.keep(frame.event, frame.id, frame.data)
                    yield
                    if log.record is not None:
                        return
        except AgentMeshError as error:
            patience.bear(error)
        vain += 1
        await sleep(backoff(vain, transport.options))


async def endless(transport: AsyncTransport, path: str) -> AsyncIterator[ServerSentEvent]:
    """Frames of a stream without an end. There is a frame `OPEN` each time when the stream was opened."""
    last_id: str | None = None
    vain, patience = 0, Patience()
    while True:
        try:
            async for frame in connect(transport, Call("GET", path), last_id, patience):
                if frame is None or (frame.data == "" and frame.event != OPEN):
                    continue
                if frame.event != OPEN:
                    vain = 0
                    last_id = frame.id or last_id
                yield frame
        except AgentMeshError as error:
            patience.bear(error)
        vain += 1
        await sleep(backoff(vain, transport.options))


async def connect(
    transport: AsyncTransport, call: Call, last_id: str | None, patience: Patience
) -> AsyncGenerator[ServerSentEvent | None, None]:
    """Frames of one connection; None for a stream that was read to its end before. Raises ConnectionError where it ends."""
    headers = {"accept": "text/event-stream", "last-event-id": last_id}
    response = await transport.open(replace(call, headers=headers))
    try:
        yield ServerSentEvent(event=OPEN)
        if response.status_code == 204:
            yield None
            return
        async for frame in EventSource(response).aiter_sse():
            yield frame
    except (httpx.HTTPError, SSEError) as error:
        raise lost(error) from error
    finally:
        # Comments too, which are no frames.
        if response.num_bytes_downloaded > 0:
            patience.hear()
        await response.aclose()
    raise ConnectionError("The stream ended early.")
