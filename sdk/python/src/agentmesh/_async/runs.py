"""Runs of agents."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from .. import models
from .._calls import new_key, query_of
from .._runs import MessageLike, RunLike, answer_call, message_of, place_of, run_call, session_call, start_call
from .run_stream import AsyncRunStream
from .sessions import RUN_FILTERS
from .transport import AsyncTransport


class AsyncRuns:
    """Runs of agents: one message and everything that an agent does with it.

    Verbs for one run take its id, or its record: ids are unique in a session only, and an id alone means the newest run that has it.
    """

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def stream(
        self,
        *,
        app: str,
        user: str,
        text: str | None = None,
        message: MessageLike | None = None,
        session: str | None = None,
        idempotency_key: str | None = None,
        **options: Any,
    ) -> AsyncRunStream:
        """Makes a run and watches it. It begins when it is read first, or with `begin()`. Without `session` it gets a new one.

        `message` stands in place of `text`: a content as JSON, or one of google-genai. Options: see `start`.

        >>> run = mesh.runs.stream(app="echo", user="u1", text="Hello, docs")
        >>> "".join(run.text)
        'Hello, docs'
        >>> run.final().record["status"]
        'completed'
        """
        run = AsyncRunStream(self, self._transport, None, None)
        said = {"app": app, "user": user, "text": text, "message": message, "session": session}
        # A start that was cancelled is sent again with the same key, as the same run.
        run._request = {"streaming": True, "idempotency_key": idempotency_key or new_key(), **said, **options}
        # sync: run.begin()
        return run

    def watch(self, run_id: RunLike, *, after: str | None = None) -> AsyncRunStream:
        """Watches a run that exists, from its beginning or behind the event `after`."""
        # A stream without an id is one of a run that is still to be started.
        return AsyncRunStream(self, self._transport, run_id or "", after)

    async def start(
        self,
        *,
        app: str,
        user: str,
        text: str | None = None,
        message: MessageLike | None = None,
        session: str | None = None,
        idempotency_key: str | None = None,
        **options: Any,
    ) -> models.StartedRun:
        """Starts a run that nobody watches; once with the same `idempotency_key`. Options: streaming, multitask, state_delta, custom_metadata, webhook.

        >>> started = mesh.runs.start(app="echo", user="u1", text="Hello")
        >>> mesh.runs.wait(started["invocationId"])["status"]
        'completed'
        """
        key = idempotency_key or new_key()
        if session is None:
            made = await self._transport.any(session_call(app, user, key))
            session = made["id"]
        call = start_call(app, user, str(session), message_of(text if message is None else message), options)
        return await self._transport.json(call.keyed(key), models.StartedRun)

    async def get(self, run_id: RunLike) -> models.Run:
        """The record of a run."""
        return await self._transport.json(run_call("GET", run_id), models.Run)

    async def wait(self, run_id: RunLike, *, seconds: int | None = None) -> models.Run:
        """Answers the record when the run is over or waits for a person, else after some seconds as it is then."""
        call = run_call("GET", run_id, "/wait", seconds=seconds)
        return await self._transport.json(call, models.Run)

    async def trace(self, run_id: RunLike) -> models.RunTrace:
        """The times of its agents, models and tools; complete a second after an attempt has ended."""
        return await self._transport.json(run_call("GET", run_id, "/trace"), models.RunTrace)

    async def log(self, run_id: RunLike) -> models.RunLog:
        """The lines that code of its app has printed, and warnings of the server; a second after them, also while it goes on."""
        return await self._transport.json(run_call("GET", run_id, "/log"), models.RunLog)

    def list(self, **query: Any) -> AsyncIterator[models.Run]:
        """Runs of the account, newest first. Filters: status, app, user, session, since, agent_version, min_cost, limit.

        >>> [run["appName"] for run in mesh.runs.list(app="echo", status="failed")]
        []
        """
        return self._transport.pages("/runs", query_of(query, "app", "user", "session", *RUN_FILTERS), models.Run)

    def inbox(self, **query: Any) -> AsyncIterator[models.Run]:
        """Runs that wait for a person: for an approval, an input, or the result of a long-running tool."""
        return self.list(**{**query, "status": "waiting"})

    async def cancel(self, run_id: RunLike, *, idempotency_key: str | None = None) -> models.Run:
        """Stops a run and keeps its text so far. A run that is over stays as it is."""
        call = run_call("POST", run_id, "/cancel", body={}).keyed(idempotency_key)
        return await self._transport.json(call, models.Run)

    async def steer(
        self, run_id: RunLike, message: MessageLike, *, idempotency_key: str | None = None
    ) -> models.Run:
        """Adds a message to a run that is not over."""
        body = {"newMessage": message_of(message)}
        call = run_call("POST", run_id, "/messages", body=body).keyed(idempotency_key)
        return await self._transport.json(call, models.Run)

    async def answer(
        self,
        run_id: RunLike,
        answer: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        run: models.Run | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> models.Run:
        """Answers what a run waits for: the response to its only call, or answers with `id` and `response`."""
        known = run if run is not None else await self.get(run_id)
        call = answer_call(run_id, answer, known).keyed(idempotency_key)
        return await self._transport.json(call, models.Run)

    def webhook_deliveries(self, run_id: RunLike) -> AsyncIterator[models.WebhookDelivery]:
        """Messages to the webhook of a run, and what became of them."""
        path = run_call("GET", run_id, "/webhook/deliveries").path
        return self._transport.pages(path, place_of(run_id), models.WebhookDelivery)

    async def resend_webhook(self, run_id: RunLike, delivery: str | int) -> models.WebhookDelivery:
        """Sends a message to the webhook of a run again."""
        call = run_call("POST", run_id, "/webhook/deliveries/{}/resend", delivery)
        return await self._transport.json(call, models.WebhookDelivery)
