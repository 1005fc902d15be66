"""Agents that the account makes, and the applications that there are."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from .. import models as records
from .._calls import Call, query_of, route
from .transport import AsyncTransport

_YAML = {"content-type": "application/yaml"}


class AsyncApps:
    """The applications that there are: files of the server, and agents of the account."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self) -> Sequence[str]:
        """Names of all apps.

        >>> "echo" in mesh.apps.list()
        True
        """
        return await self._transport.json(Call("GET", "/list-apps"), list[str])

    async def details(self) -> Sequence[records.DetailedApp]:
        """All apps with what is known of them."""
        call = Call("GET", "/list-apps", query={"detailed": True})
        return (await self._transport.json(call, records.DetailedAppList))["apps"]

    async def info(self, app: str) -> records.AppInfo:
        """The agents of an app."""
        return await self._transport.json(Call("GET", route("/apps/{}/app-info", app)), records.AppInfo)


class AsyncAgents:
    """Agents that the account makes, each an app with the agent's id as its name. With `if_match`, an entity tag, a change is
    refused with a ChangedError when the agent is no more as it was then."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, **query: Any) -> AsyncIterator[records.Agent]:
        """Agents of the account, page by page."""
        asked = query_of({"limit": 100, **query}, "limit", "cursor")
        return self._transport.pages("/api/agents", asked, records.Agent)

    async def get(self, id: str | int) -> records.Agent:
        """One agent."""
        return await self._transport.json(Call("GET", _path_of(id)), records.Agent)

    async def create(self, body: records.AgentRequest, *, idempotency_key: str | None = None) -> records.NewAgent:
        """Makes an agent."""
        call = Call("POST", "/api/agents", body=body).keyed(idempotency_key)
        return await self._transport.json(call, records.NewAgent)

    async def update(self, id: str | int, body: records.AgentRequest, *, if_match: str | None = None) -> records.Agent:
        """Replaces the agent's record."""
        call = Call("PUT", _path_of(id), body=body, headers={"if-match": if_match})
        return await self._transport.json(call, records.Agent)

    async def delete(self, id: str | int, *, if_match: str | None = None) -> None:
        """Deletes an agent and its versions."""
        await self._transport.any(Call("DELETE", _path_of(id), headers={"if-match": if_match}))

    async def versions(self, id: str | int) -> Sequence[records.AgentVersion]:
        """All versions of an agent, with their records."""
        return await self._transport.json(Call("GET", f"{_path_of(id)}/versions"), list[records.AgentVersion])

    async def restore(
        self, id: str | int, version: int, *, if_match: str | None = None, idempotency_key: str | None = None
    ) -> records.Agent:
        """Makes the record of an earlier version the newest one."""
        path = f"{_path_of(id)}{route('/versions/{}/restore', version)}"
        call = Call("POST", path, headers={"if-match": if_match}).keyed(idempotency_key)
        return await self._transport.json(call, records.Agent)

    async def yaml(self, id: str | int) -> str:
        """The agent as YAML, in the form of `root_agent.yaml`."""
        return await self._transport.text(Call("GET", f"{_path_of(id)}/yaml"))

    async def create_from_yaml(self, text: str, *, idempotency_key: str | None = None) -> records.NewAgent:
        r"""Makes an agent from YAML.

        >>> text = "name: helper\nmodel: echo/default\ninstruction: Help.\n"
        >>> made = mesh.agents.create_from_yaml(text)
        >>> mesh.agents.get(made["agent_id"])["agent_instruction"]
        'Help.'
        """
        call = Call("POST", "/api/agents/yaml", upload=text.encode(), headers=_YAML)
        return await self._transport.json(call.keyed(idempotency_key), records.NewAgent)

    async def check_yaml(self, text: str, *, id: str | int | None = None) -> None:
        """Checks YAML as it would be for a new agent, or for the agent `id`. Raises an InvalidRequestError with all faults."""
        path, query = "/api/agents/yaml/check", {"agent_id": id}
        await self._transport.any(Call("POST", path, query=query, upload=text.encode(), headers=_YAML))

    async def replace_with_yaml(self, id: str | int, text: str, *, if_match: str | None = None) -> records.Agent:
        """Replaces the agent with one from YAML."""
        call = Call("PUT", f"{_path_of(id)}/yaml", upload=text.encode(), headers={**_YAML, "if-match": if_match})
        return await self._transport.json(call, records.Agent)

    async def status(self, id: str | int) -> records.AgentStatus:
        """The newest run of the agent that was started with `run`."""
        return await self._transport.json(Call("GET", f"{_path_of(id)}/status"), records.AgentStatus)

    async def models(self) -> records.ModelList:
        """Models that agents of the account can name."""
        return await self._transport.json(Call("GET", "/api/models"), records.ModelList)


def _path_of(id: str | int) -> str:
    return route("/api/agents/{}", id)
