"""Memory of the past sessions of users."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from .. import models
from .._calls import Call, query_of, route
from .transport import AsyncTransport


class AsyncMemory:
    """Memory of the past sessions of a user."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def search(self, *, app: str, user: str, query: str, limit: int | None = None) -> Sequence[models.Memory]:
        """The entries that fit the words of a query best.

        >>> mesh.memory.search(app="echo", user="nobody", query="tea")
        []
        """
        call = Call("GET", _path_of(app, user), query={"query": query, "limit": limit})
        return (await self._transport.json(call, models.MemoryList))["memories"]

    def list(self, *, app: str, user: str, **query: Any) -> AsyncIterator[models.Memory]:
        """All entries, page by page. Filters: session_id, limit."""
        asked = query_of({"limit": 100, **query}, "query", "limit", "sessionId", "cursor")
        return self._transport.pages(_path_of(app, user), asked, models.Memory, "memories")

    async def add(self, body: models.UpdateMemoryRequest, *, app: str, user: str) -> None:
        """Adds what is new in a session: `{"sessionId": …}`."""
        await self._transport.any(Call("PATCH", _path_of(app, user), body=body))

    async def delete(self, *, app: str, user: str, id: str) -> None:
        """Deletes one entry."""
        await self._transport.any(Call("DELETE", route("/apps/{}/users/{}/memory/{}", app, user, id)))


def _path_of(app: str, user: str) -> str:
    return route("/apps/{}/users/{}/memory", app, user)
