"""The client of one server."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import TracebackType
from typing import Any

import httpx

from .._calls import Call, options_of
from .account import Account
from .agents import Agents, Apps
from .artifacts import Artifacts
from .automation import Integrations, Schedules, Webhooks
from .keys import Keys, Tokens, Usage
from .memory import Memory
from .news import Changes, Notifications
from .runs import Runs
from .sessions import Sessions
from .transport import Transport, Token


class AgentMesh:
    """Client of one Agent Mesh server. `url` and `token` are by default `AGENTMESH_URL` and `AGENTMESH_TOKEN`.

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
        http: httpx.Client | None = None,
    ) -> None:
        self._http = http or httpx.Client(timeout=timeout)
        source = token if token is not None else os.environ.get("AGENTMESH_TOKEN")
        transport = Transport(options_of(url, timeout, tries, backoff), source, self._http)
        self._transport = transport
        self.account = Account(transport)
        self.agents = Agents(transport)
        self.apps = Apps(transport)
        self.artifacts = Artifacts(transport)
        self.changes = Changes(transport)
        self.integrations = Integrations(transport)
        self.keys = Keys(transport)
        self.memory = Memory(transport)
        self.notifications = Notifications(transport)
        self.runs = Runs(transport)
        self.schedules = Schedules(transport)
        self.sessions = Sessions(transport)
        self.tokens = Tokens(transport)
        self.usage = Usage(transport)
        self.webhooks = Webhooks(transport)

    def request(
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
        return self._transport.any(_call(method, path, query, body, headers).keyed(idempotency_key))

    def request_tagged(
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
        value, answered = self._transport.headers(call)
        return value, answered.get("etag")

    def close(self) -> None:
        """Closes all connections."""
        self._http.close()

    def __enter__(self) -> AgentMesh:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _call(
    method: str, path: str, query: Mapping[str, Any] | None, body: Any, headers: Mapping[str, str] | None
) -> Call:
    given = {name.lower(): value for name, value in (headers or {}).items()}
    return Call(method, path, query=query or {}, body=body, headers=given)
