"""Conversations of end users with apps."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from .. import models
from .._calls import Call, query_of, route
from .transport import AsyncTransport

RUN_FILTERS = ("status", "since", "agentVersion", "minCost", "limit", "cursor")
"""Filters of lists of runs."""
_PAGES = ("limit", "cursor", "order")


class AsyncSessions:
    """Conversations of end users with apps."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, app: str, user: str, idempotency_key: str | None = None, **body: Any
    ) -> models.Session:
        """Creates a session, with an id of its own or a given one (`sessionId`), and with a `state`.

        >>> mesh.sessions.create(app="echo", user="u1", state={"city": "Kiel"})["state"]
        {'city': 'Kiel'}
        """
        call = Call("POST", route("/apps/{}/users/{}/sessions", app, user), body=body)
        return await self._transport.json(call.keyed(idempotency_key), models.Session)

    def list(self, *, app: str, user: str, **query: Any) -> AsyncIterator[models.Session]:
        """Without events and states. Newest first with `order="desc"`."""
        path = route("/apps/{}/users/{}/sessions", app, user)
        return self._transport.pages(path, query_of({"limit": 100, **query}, *_PAGES), models.Session)

    async def get(self, *, app: str, user: str, session: str) -> models.Session:
        """A session with its state and all its events."""
        return await self._transport.json(Call("GET", path_of(app, user, session)), models.Session)

    def events(self, *, app: str, user: str, session: str, **query: Any) -> AsyncIterator[models.Event]:
        """The events of a session, page by page, from the oldest on or from the newest (`order="desc"`)."""
        asked = query_of({"limit": 100, **query}, *_PAGES)
        return self._transport.pages(path_of(app, user, session), asked, models.Event, "events")

    async def update(
        self, *, app: str, user: str, session: str, idempotency_key: str | None = None, **body: Any
    ) -> models.Session:
        """Changes the state: `stateDelta`.

        >>> made = mesh.sessions.create(app="echo", user="u1")
        >>> name = {"app": "echo", "user": "u1", "session": made["id"]}
        >>> mesh.sessions.update(**name, stateDelta={"city": "Kiel"})["state"]
        {'city': 'Kiel'}
        """
        call = Call("PATCH", path_of(app, user, session), body=body)
        return await self._transport.json(call.keyed(idempotency_key), models.Session)

    async def delete(self, *, app: str, user: str, session: str) -> None:
        """Deletes a session with its artifacts."""
        await self._transport.any(Call("DELETE", path_of(app, user, session)))

    async def rewind(
        self, *, app: str, user: str, session: str, before: str, idempotency_key: str | None = None
    ) -> models.Session:
        """Takes the session back to before a run."""
        path = f"{path_of(app, user, session)}/rewind"
        body = {"rewindBeforeInvocationId": before}
        return await self._transport.json(Call("POST", path, body=body).keyed(idempotency_key), models.Session)

    async def fork(
        self, *, app: str, user: str, session: str, idempotency_key: str | None = None, **body: Any
    ) -> models.Session:
        """Copies the session up to an event or to the end of a run."""
        path = f"{path_of(app, user, session)}/fork"
        return await self._transport.json(Call("POST", path, body=body).keyed(idempotency_key), models.Session)

    def runs(self, *, app: str, user: str, session: str, **query: Any) -> AsyncIterator[models.Run]:
        """Runs of the session, newest first. Filters: status, since, agent_version, min_cost, limit."""
        path = f"{path_of(app, user, session)}/runs"
        return self._transport.pages(path, query_of(query, *RUN_FILTERS), models.Run)


def path_of(app: str, user: str, session: str) -> str:
    """Path of a session."""
    return route("/apps/{}/users/{}/sessions/{}", app, user, session)
