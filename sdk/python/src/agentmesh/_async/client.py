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
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """Sends any request, as the verbs of this client do: for routes that have none.

        >>> mesh.request("GET", "/health")["status"]
        'ok'
        """
        return await self._transport.any(_call(method, path, query, body, headers).keyed(idempotency_key))

    async def request_tagged(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> tuple[Any, str | None]:
        r"""Like `request`, with the entity tag of the answer for `if_match`.

        >>> made = mesh.agents.create_from_yaml("name: tagged\nmodel: echo/default\ninstruction: Help.\n")
        >>> agent, tag = mesh.request_tagged("GET", f"/api/agents/{made['agent_id']}")
        >>> mesh.agents.delete(agent["agent_id"], if_match=tag)
        """
        call = _call(method, path, query, body, headers).keyed(idempotency_key)
        value, answered = await self._transport.headers(call)
        return value, answered.get("etag")

    async def aclose(self) -> None:
        """Closes all connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncAgentMesh:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _call(
    method: str, path: str, query: Mapping[str, Any] | None, body: Any, headers: Mapping[str, str] | None
) -> Call:
    given = {name.lower(): value for name, value in (headers or {}).items()}
    return Call(method, path, query=query or {}, body=body, headers=given)
