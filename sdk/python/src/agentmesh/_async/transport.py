"""Sends requests, again where that is safe and of use, and turns answers into values and errors."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, TypeVar, Union

import httpx

from .._calls import Call, Options, lost, pause_before, request_of, value_of
from .._errors import AgentMeshError, error_of, has_unknown_outcome
from .pause import Lock, sleep

T = TypeVar("T")

Token = Union[str, Callable[[], Union[str, Awaitable[str]]], None]
"""A token, or a function that gets one, which is called again when the server refuses the token."""


class AsyncTransport:
    """One server, and the token for it."""

    def __init__(self, options: Options, token: Token, http: httpx.AsyncClient) -> None:
        self.options = options
        self._http = http
        self._token: str | None = token if isinstance(token, str) else None
        self._source = token if callable(token) else None
        #: Sign-ins and sign-outs so far.
        self._changes = 0
        self._renewing: Callable[[], Awaitable[str | None]] | None = None
        #: Held by the one who gets a token for all. A refresh cookie that is used again later ends its sign-in.
        self._asking = Lock()

    def sign_in(self, token: str | None, renew: Callable[[], Awaitable[str | None]] | None) -> None:
        """Sends this token from now on, and asks `renew` for another one when it is refused."""
        self._token, self._source, self._renewing = token, None, renew
        self._changes += 1

    def anonymous(self) -> AsyncTransport:
        """The same server without a token: a refused token must not keep anybody from signing in."""
        return AsyncTransport(self.options, None, self._http)

    async def json(self, call: Call, kind: type[T]) -> T:
        """The body of an answer as JSON, which is of this type; None for an empty one."""
        value: T = await self.any(call)
        return value

    async def any(self, call: Call) -> Any:
        """The body of an answer as JSON; None for an empty one."""
        value, _ = await self._send(call.keyed(), stream=False)
        return value

    async def headers(self, call: Call) -> tuple[Any, Mapping[str, str]]:
        """The body of an answer as JSON, and its headers."""
        value, headers = await self._send(call.keyed(), stream=False)
        return value, headers

    async def text(self, call: Call) -> str:
        """The body of an answer as text."""
        response = await self.open(call)
        try:
            return (await response.aread()).decode()
        except httpx.HTTPError as error:
            raise lost(error) from error
        finally:
            await response.aclose()

    async def pages(
        self, path: str, query: Mapping[str, Any], kind: type[T], field: str | None = None
    ) -> AsyncIterator[T]:
        """The entries of a list, page by page: the array itself, or the `field` of an object."""
        cursor: str | None = query.get("cursor")
        while True:
            page, headers = await self._send(Call("GET", path, query={**query, "cursor": cursor}), stream=False)
            for item in page if field is None else page[field]:
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
        is_renewed = may_be_done = False
        attempt = 0
        while True:
            attempt += 1
            try:
                return await self._try(call, token, may_be_done, stream)
            except AgentMeshError as error:
                may_be_done = may_be_done or has_unknown_outcome(error)
                if error.status == 401 and not is_renewed and not call.is_once:
                    token, is_renewed = await self._replace(token, error), True
                    continue
                await sleep(pause_before(error, attempt, call, self.options))

    async def _try(self, call: Call, token: str | None, may_be_done: bool, stream: bool) -> Any:
        request = request_of(self._http, call, self.options, token)
        try:
            response = await self._http.send(request, stream=stream)
            if stream and response.is_success:
                return response
            if stream:
                await response.aread()
        except httpx.HTTPError as error:
            raise lost(error) from error
        if stream:
            raise error_of(response.status_code, response.headers, response.text)
        return value_of(call, response, may_be_done), response.headers

    async def _current(self) -> str | None:
        if self._token is None and self._source is not None:
            await self._ask(None)
        return self._token

    async def _replace(self, refused: str | None, refusal: AgentMeshError) -> str:
        """A token in place of the refused one. Raises the refusal when there is none."""
        await self._ask(refused)
        if self._token is None or self._token == refused:
            raise refusal
        return self._token

    async def _ask(self, refused: str | None) -> None:
        """Gets a token in place of this one, unless another request has done that meanwhile."""
        async with self._asking:
            if self._token != refused:
                return
            changes = self._changes
            token = await self._new()
            # A sign-in or sign-out that ended meanwhile is newer.
            if token is not None and changes == self._changes:
                self._token = token

    async def _new(self) -> str | None:
        if self._source is None:
            return None if self._renewing is None else await self._renewing()
        token = self._source()
        return await token if inspect.isawaitable(token) else token
