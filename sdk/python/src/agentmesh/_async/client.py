"""The client of one server, for asyncio."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import TracebackType
from typing import Any

import httpx

from .._calls import Call, options_of
from .account import AsyncAccount
from .agents import AsyncAgents, AsyncApps
from .artifacts import AsyncArtifacts
from .automation import AsyncIntegrations, AsyncSchedules, AsyncWebhooks
from .keys import AsyncKeys, AsyncTokens, AsyncUsage
from .memory import AsyncMemory
from .news import AsyncChanges, AsyncNotifications
from .runs import AsyncRuns
from .sessions import AsyncSessions
from .transport import AsyncTransport, Token


class AsyncAgentMesh:
    """Client of one Agent Mesh server, for asyncio. `url` and `token` are by default `AGENTMESH_URL` and `AGENTMESH_TOKEN`.

    `token` may be a function, which is called again when the server refuses the token. Without one, `account.sign_in` signs in.
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
        source = token if token is not None else os.environ.get("AGENTMESH_TOKEN")
        transport = AsyncTransport(options_of(url, timeout, tries, backoff), source, self._http)
        self._transport = transport
        self.account = AsyncAccount(transport)
        self.agents = AsyncAgents(transport)
        self.apps = AsyncApps(transport)
        self.artifacts = AsyncArtifacts(transport)
        self.changes = AsyncChanges(transport)
        self.integrations = AsyncIntegrations(transport)
        self.keys = AsyncKeys(transport)
        self.memory = AsyncMemory(transport)
        self.notifications = AsyncNotifications(transport)
        self.runs = AsyncRuns(transport)
        self.schedules = AsyncSchedules(transport)
        self.sessions = AsyncSessions(transport)
        self.tokens = AsyncTokens(transport)
        self.usage = AsyncUsage(transport)
        self.webhooks = AsyncWebhooks(transport)

    async def request(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None, body: Any = None
    ) -> Any:
        """Sends any request, as the verbs of this client do: for routes that have none.

        >>> mesh.request("GET", "/health")["status"]
        'ok'
        """
        return await self._transport.any(Call(method, path, query=query or {}, body=body))

    async def aclose(self) -> None:
        """Closes all connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncAgentMesh:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
