"""Streams of changes and notifications of the account."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from .. import models
from .._calls import Call, query_of, route
from .._runs import Gap
from .streams import OPEN, endless
from .transport import AsyncTransport


class AsyncChanges:
    """Changes in the account, for programs that show it."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def stream(self) -> AsyncIterator[models.Change | Gap]:
        """Begins with a gap; afterwards a gap comes only where changes are unknown. Read again what you show then.

        >>> changes = mesh.changes.stream()
        >>> next(changes)
        Gap(up_to='')
        """
        async for frame in endless(self._transport, "/api/changes"):
            if frame.event == "gap":
                yield Gap(up_to="")
            if frame.event == "message":
                change: models.Change = json.loads(frame.data)
                yield change


class AsyncNotifications:
    """Runs in the background that have ended, and what else the account should know."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, **query: Any) -> AsyncIterator[models.Notification]:
        """Newest first. Filters: unread_only, limit."""
        asked = query_of({"limit": 100, **query}, "limit", "cursor", "before_id", "unread_only")
        return self._transport.pages("/api/notifications", asked, models.Notification, "notifications")

    async def unread_count(self) -> int:
        """The number of unread ones."""
        call = Call("GET", "/api/notifications/unread-count")
        return (await self._transport.json(call, models.UnreadCount))["unread_count"]

    async def read(self, id: int) -> models.Notification:
        """Marks one as read."""
        call = Call("PATCH", route("/api/notifications/{}/read", id))
        return await self._transport.json(call, models.Notification)

    async def read_all(self) -> None:
        """Marks all as read."""
        await self._transport.any(Call("POST", "/api/notifications/read-all"))

    async def stream(self) -> AsyncIterator[models.Notification]:
        """New ones as they are made, also those that are made while the connection is broken."""
        last = 0
        async for newest in self.list(limit=1):
            last = newest["id"]
            break
        async for frame in endless(self._transport, "/api/notifications/stream"):
            news = await self._since(last) if frame.event == OPEN else [json.loads(frame.data)]
            for notification in news:
                if notification["id"] > last:
                    last = notification["id"]
                    yield notification

    async def _since(self, last: int) -> Sequence[models.Notification]:
        """Those behind the one with this id, oldest first."""
        missed: Sequence[models.Notification] = []
        async for notification in self.list():
            if notification["id"] <= last:
                break
            missed = [notification, *missed]
        return missed
