"""The client for asyncio. `_sync.py` is made from this file by `make_sync.py`."""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from time import monotonic
from types import TracebackType
from typing import Any, Union

import httpx
from httpx_sse import EventSource, ServerSentEvent, SSEError

from ._calls import MOST_VAIN_SECONDS, Call, Options, backoff, lost, options_of, pause_before, request_of, route, value_of
from ._errors import AgentMeshError, ConnectionError, error_of, is_passing
from ._runs import FinalRun, Json, RunEvent, RunLog, answer_call, start_call

Token = Union[str, Callable[[], Union[str, Awaitable[str]]], None]


class AsyncTransport:
    """Sends requests, again where that is safe and of use, and turns answers into values and errors."""

    def __init__(self, options: Options, token: Token, http: httpx.AsyncClient) -> None:
        self.options = options
        self._http = http
        self._source = token if token is not None else os.environ.get("AGENTMESH_TOKEN")
        self._token: str | None = self._source if isinstance(self._source, str) else None

    async def json(self, call: Call) -> Any:
        """The body of an answer as JSON; None for an empty one."""
        value, _ = await self._send(call.keyed(), stream=False)
        return value

    async def pages(self, path: str, query: Mapping[str, Any]) -> AsyncIterator[Json]:
        """The entries of a list, page by page."""
        cursor: str | None = query.get("cursor")
        while True:
            items, headers = await self._send(Call("GET", path, query={**query, "cursor": cursor}), stream=False)
            for item in items:
                yield item
            cursor = headers.get("x-next-cursor")
            if cursor is None:
                return

    async def open(self, call: Call) -> httpx.Response:
        """The answer with an open body, which the caller closes."""
        response: httpx.Response = await self._send(call, stream=True)
        return response

    async def _send(self, call: Call, stream: bool) -> Any:
        token = await self._current()
        is_renewed = False
        attempt = 0
        while True:
            attempt += 1
            try:
                return await self._try(call, token, attempt, stream)
            except AgentMeshError as error:
                if error.status == 401 and not is_renewed and callable(self._source):
                    token, is_renewed = await self._renew(token), True
                    continue
                await asyncio.sleep(pause_before(error, attempt, self.options))

    async def _try(self, call: Call, token: str | None, attempt: int, stream: bool) -> Any:
        request = request_of(self._http, call, self.options, token)
        try:
            response = await self._http.send(request, stream=stream)
            if stream and response.status_code < 400:
                return response
            if stream:
                await response.aread()
        except httpx.HTTPError as error:
            raise lost(error) from error
        if stream:
            raise error_of(response.status_code, response.headers, response.text)
        return value_of(call, response, attempt), response.headers

    async def _current(self) -> str | None:
        return await self._renew(None) if self._token is None and callable(self._source) else self._token

    async def _renew(self, refused: str | None) -> str | None:
        if callable(self._source) and self._token == refused:
            token = self._source()
            self._token = await token if inspect.isawaitable(token) else token
        return self._token


async def follow(transport: AsyncTransport, path: str, log: RunLog) -> AsyncIterator[None]:
    """Reads frames into the log, up to the end of the run, and behind the last frame again when a connection breaks."""
    vain, since = 0, monotonic()
    while log.record is None:
        try:
            response = await transport.open(
                Call("GET", path, headers={"accept": "text/event-stream", "last-event-id": log.last_id})
            )
            try:
                if response.status_code == 204:
                    log.record = await transport.json(Call("GET", path.removesuffix("/events")))
                    return
                async for frame in _frames(response):
                    vain, since = 0, monotonic()
                    log.keep(frame.event, frame.id, frame.data)
                    yield
                    if log.record is not None:
                        return
            finally:
                await response.aclose()
        except AgentMeshError as error:
            if not is_passing(error) or monotonic() - since > MOST_VAIN_SECONDS:
                raise
        vain += 1
        await asyncio.sleep(backoff(vain, transport.options))


async def _frames(response: httpx.Response) -> AsyncIterator[ServerSentEvent]:
    try:
        async for frame in EventSource(response).aiter_sse():
            yield frame
    except (httpx.HTTPError, SSEError) as error:
        raise lost(error) from error


class AsyncRunStream:
    """A run that is being watched. Iterate it for its events, or `text` for its words; `final()` waits for the end.

    The run goes on whatever its watchers do. A loop that comes after another one goes on where that one stopped, also after an `answer`.
    """

    def __init__(self, runs: AsyncRuns, transport: AsyncTransport, run_id: str | None, after: str | None) -> None:
        self._id = run_id
        self._request: Mapping[str, Any] = {}
        self._runs = runs
        self._transport = transport
        self._log = RunLog(after)
        self._next = 0
        self._next_text = 0
        self._reading: AsyncIterator[None] | None = None

    @property
    def id(self) -> str:
        """The run's `invocationId`, when it has begun."""
        if self._id is None:
            raise RuntimeError("The run has not begun: call begin() first.")
        return self._id

    async def begin(self) -> str:
        """Starts the run, unless it has been started, and answers its id. Everything that reads the run does it too."""
        if self._id is None:
            self._id = str((await self._runs.start(**self._request))["invocationId"])
        return self._id

    @property
    def last_event_id(self) -> str | None:
        """Id of the last event that was read, for `runs.watch(id, after=…)`."""
        return self._log.last_id

    @property
    def record(self) -> Json | None:
        """Record of the run, when the stream has ended."""
        return self._log.record

    async def __aiter__(self) -> AsyncIterator[RunEvent]:
        while await self._has(self._next):
            self._next += 1
            yield self._log.events[self._next - 1]

    @property
    def text(self) -> AsyncIterator[str]:
        """The words of the agents as they come."""
        return self._texts()

    async def _texts(self) -> AsyncIterator[str]:
        while await self._has(self._next_text):
            self._next_text += 1
            piece = self._log.new_text(self._log.events[self._next_text - 1])
            if piece:
                yield piece

    async def final(self) -> FinalRun:
        """Reads to the end, or to where the run waits for a person."""
        while await self._has(len(self._log.events)):
            pass
        return self._log.final()

    async def cancel(self) -> Json:
        """Stops the run."""
        return await self._runs.cancel(await self.begin())

    async def steer(self, text: str) -> Json:
        """Adds a message to the run; the agent sees it before its next call of the model."""
        return await self._runs.steer(await self.begin(), text)

    async def answer(self, answer: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> Json:
        """Answers what the run waits for. Then the stream goes on."""
        run = await self._runs.answer(await self.begin(), answer, self._log.record)
        self._log.record = None
        return run

    async def _has(self, index: int) -> bool:
        while index >= len(self._log.events) and self._log.record is None:
            if self._reading is None:
                path = route("/runs/{}/events", await self.begin())
                self._reading = follow(self._transport, path, self._log)
            try:
                await self._reading.__anext__()
            except StopAsyncIteration:
                self._reading = None
            except BaseException:
                self._reading = None
                raise
        if self._log.record is not None:
            self._reading = None
        return index < len(self._log.events)


class AsyncRuns:
    """Runs of agents."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def stream(
        self, *, app: str, user: str, text: str | None = None, session: str | None = None, **options: Any
    ) -> AsyncRunStream:
        """Makes a run and watches it. It begins when it is read first, or with `begin()`. Without `session` it gets a new one."""
        run = AsyncRunStream(self, self._transport, None, None)
        run._request = {"app": app, "user": user, "text": text, "session": session, "streaming": True, **options}
        # sync: run.begin()
        return run

    def watch(self, run_id: str, *, after: str | None = None) -> AsyncRunStream:
        """Watches a run that exists, from its beginning or behind the event `after`."""
        return AsyncRunStream(self, self._transport, run_id, after)

    async def start(
        self, *, app: str, user: str, text: str | None = None, session: str | None = None, **options: Any
    ) -> Json:
        """Starts a run that nobody watches. Options: message, streaming, multitask, state_delta, custom_metadata, webhook."""
        if session is None:
            made = await self._transport.json(Call("POST", route("/apps/{}/users/{}/sessions", app, user), body={}))
            session = made["id"]
        started: Json = await self._transport.json(start_call(app, user, str(session), text, options))
        return started

    async def get(self, run_id: str) -> Json:
        run: Json = await self._transport.json(Call("GET", route("/runs/{}", run_id)))
        return run

    async def trace(self, run_id: str) -> Json:
        """When its agents, models and tools were at work: within a second after an attempt has ended."""
        trace: Json = await self._transport.json(Call("GET", route("/runs/{}/trace", run_id)))
        return trace

    def list(self, **query: Any) -> AsyncIterator[Json]:
        """Runs of the account, newest first. Filters: status, app, user, session, since, limit."""
        return self._transport.pages("/runs", query)

    def inbox(self, **query: Any) -> AsyncIterator[Json]:
        """Runs that wait for a person."""
        return self.list(**{**query, "status": "waiting"})

    async def cancel(self, run_id: str) -> Json:
        run: Json = await self._transport.json(Call("POST", route("/runs/{}/cancel", run_id), body={}))
        return run

    async def steer(self, run_id: str, text: str) -> Json:
        body = {"newMessage": {"role": "user", "parts": [{"text": text}]}}
        run: Json = await self._transport.json(Call("POST", route("/runs/{}/messages", run_id), body=body))
        return run

    async def answer(
        self, run_id: str, answer: Mapping[str, Any] | Sequence[Mapping[str, Any]], run: Json | None = None
    ) -> Json:
        """Answers what a run waits for: the response to its only call, or answers with `id` and `response`."""
        known = run if run is not None else await self.get(run_id)
        answered: Json = await self._transport.json(answer_call(run_id, answer, known))
        return answered


class AsyncSessions:
    """Conversations of end users with apps."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, *, app: str, user: str, **body: Any) -> Json:
        made: Json = await self._transport.json(Call("POST", route("/apps/{}/users/{}/sessions", app, user), body=body))
        return made

    async def get(self, *, app: str, user: str, session: str) -> Json:
        path = route("/apps/{}/users/{}/sessions/{}", app, user, session)
        found: Json = await self._transport.json(Call("GET", path))
        return found

    def list(self, *, app: str, user: str, **query: Any) -> AsyncIterator[Json]:
        """Without events and states."""
        path = route("/apps/{}/users/{}/sessions", app, user)
        return self._transport.pages(path, {"limit": 100, **query})

    async def delete(self, *, app: str, user: str, session: str) -> None:
        await self._transport.json(Call("DELETE", route("/apps/{}/users/{}/sessions/{}", app, user, session)))


class AsyncSchedules:
    """Messages that are sent to agents at the times of cron expressions."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, body: Mapping[str, Any]) -> Json:
        made: Json = await self._transport.json(Call("POST", "/api/schedules", body=body))
        return made

    def list(self) -> AsyncIterator[Json]:
        return self._transport.pages("/api/schedules", {})

    async def delete(self, schedule_id: str) -> None:
        await self._transport.json(Call("DELETE", route("/api/schedules/{}", schedule_id)))


class AsyncAgentMesh:
    """Client of one Agent Mesh server, for asyncio. `url` and `token` are by default `AGENTMESH_URL` and `AGENTMESH_TOKEN`.

    `token` may be a function, which is called again when the server refuses the token.
    """

    def __init__(
        self,
        url: str | None = None,
        token: Token = None,
        *,
        timeout: float = 60.0,
        tries: int = 5,
        backoff: float = 0.2,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._http = http or httpx.AsyncClient(timeout=timeout)
        self._transport = AsyncTransport(options_of(url, timeout, tries, backoff), token, self._http)
        self.runs = AsyncRuns(self._transport)
        self.schedules = AsyncSchedules(self._transport)
        self.sessions = AsyncSessions(self._transport)

    async def apps(self) -> list[str]:
        """Names of all apps."""
        names: list[str] = await self._transport.json(Call("GET", "/list-apps"))
        return names

    async def request(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None, body: Any = None
    ) -> Any:
        """Sends any request, as the verbs of this client do: for routes that have none."""
        return await self._transport.json(Call(method, path, query=query or {}, body=body))

    async def aclose(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> AsyncAgentMesh:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
