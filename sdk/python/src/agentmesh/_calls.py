"""Requests, and when they are sent again: what the sync and the async client have in common."""

from __future__ import annotations

import json
import os
import random
import re
import uuid
from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, Union
from urllib.parse import quote

import httpx

from ._errors import AgentMeshError, ConnectionError, error_of, is_passing

MOST_RETRY_AFTER = 60.0
"""Longest `Retry-After` that is waited for, in seconds."""
LONGEST_PAUSE = 10.0
MOST_VAIN_SECONDS = 300.0
"""How long a stream is opened again and again without a single new frame or comment before it fails."""
_KEYED = {"POST", "PATCH"}


Sendable = Union[bytes, Iterable[bytes], AsyncIterable[bytes]]
Upload = Union[Sendable, Callable[[], Sendable]]
"""Bytes to send, or their pieces. A function is called for each try, so that a stream can be sent again."""


@dataclass(frozen=True)
class Options:
    url: str
    timeout: float
    tries: int
    backoff: float


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    #: Sent as JSON.
    body: Any = None
    headers: Mapping[str, str | None] = field(default_factory=dict)
    #: Sent as it is, in place of `body`.
    upload: Upload | None = None

    @property
    def is_once(self) -> bool:
        """True when a second try would do harm: a stream is read once, and a change of what must be unchanged would refuse itself."""
        is_stream = self.upload is not None and not isinstance(self.upload, bytes) and not callable(self.upload)
        return is_stream or (self.headers.get("if-match") is not None and self.method not in _KEYED)

    def keyed(self, key: str | None = None) -> Call:
        """The same request with an `Idempotency-Key` for all its tries: this one, or a new one for a POST or PATCH."""
        if self.headers.get("idempotency-key") or (key is None and self.method not in _KEYED):
            return self
        return replace(self, headers={**self.headers, "idempotency-key": key or new_key()})


def new_key() -> str:
    """A new `Idempotency-Key`."""
    return str(uuid.uuid4())


def route(template: str, *values: str | int) -> str:
    """A path with its values encoded: route("/runs/{}", id).

    Raises ValueError for a value that no path can have: None, "", "." and "..", which addresses leave out. The request would reach
    another route, such as the one that deletes everything.
    """
    texts = template.split("{}")
    path = texts[0]
    for index, (value, text) in enumerate(zip(values, texts[1:], strict=True)):
        segment = "" if value is None else str(value)
        if segment in ("", ".", ".."):
            place = "…".join([*texts[: index + 1], ""])
            raise ValueError(f"{value!r} cannot be the last part of {place}: it is no id or name.")
        path += quote(segment, safe="!'()*-._~") + text
    return path


def query_of(given: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The query of keywords in the API's spelling or in Python's: `agentVersion`, `agent_version`, and `from_` for `from`.

    Raises TypeError for names that the route does not have. The server ignores them, so that a mistyped filter would filter nothing.
    """
    known = {_snake(name): name for name in names}
    asked = {}
    for name, value in given.items():
        wire = known.get(_snake(name).removesuffix("_"))
        if wire is None:
            raise TypeError(f"There is no filter {name}: there are {', '.join(sorted(known))}.")
        asked[wire] = value
    return asked


def _snake(name: str) -> str:
    return re.sub("[A-Z]", lambda it: f"_{it[0].lower()}", name)


def options_of(url: str | None, timeout: float, tries: int, backoff: float) -> Options:
    address = url or os.environ.get("AGENTMESH_URL") or "http://127.0.0.1:8000"
    return Options(url=address.rstrip("/"), timeout=timeout, tries=tries, backoff=backoff)


def request_of(client: httpx.Client | httpx.AsyncClient, call: Call, options: Options, token: str | None) -> httpx.Request:
    headers = {name: value for name, value in call.headers.items() if value is not None}
    if token:
        headers["authorization"] = f"Bearer {_sendable(token)}"
    params = {name: _text_of(value) for name, value in call.query.items() if value is not None}
    content: Any = call.upload() if callable(call.upload) else call.upload
    if call.body is not None:
        content = json.dumps(call.body).encode()
        headers["content-type"] = "application/json"
    return client.build_request(
        call.method, options.url + call.path, params=params or None, content=content, headers=headers
    )


def _sendable(token: str) -> str:
    """The token without the spaces around it, as files have them. The error does not hold it: it is a secret."""
    text = token.strip()
    if not text.isascii() or not text.isprintable():
        raise ValueError("The token has characters that no token has: look at how it is read.")
    return text


def _text_of(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def value_of(call: Call, response: httpx.Response, may_be_done: bool) -> Any:
    """The JSON of an answer; None for an empty one. Raises its error."""
    if response.status_code == 404 and call.method == "DELETE" and may_be_done:
        # An earlier try has deleted it, and its answer was lost.
        return None
    # A redirect is not followed, so nothing was done.
    if not response.is_success:
        raise error_of(response.status_code, response.headers, response.text)
    if not response.content:
        return None
    try:
        return json.loads(response.content)
    except ValueError as error:
        raise ConnectionError("The answer is no whole JSON.") from error


def pause_before(error: AgentMeshError, attempt: int, call: Call, options: Options) -> float:
    """Seconds before the next try. Raises the error when there is none."""
    retry_after = error.retry_after or 0.0
    if not is_passing(error) or attempt >= options.tries or call.is_once or retry_after > MOST_RETRY_AFTER:
        raise error
    return retry_after + backoff(attempt, options)


def backoff(attempt: int, options: Options) -> float:
    """A random pause before the try with this number, counted from 1."""
    return random.random() * min(LONGEST_PAUSE, options.backoff * 2.0 ** min(attempt - 1, 20))


class Patience:
    """Tells when a stream that breaks again and again is given up."""

    def __init__(self) -> None:
        #: Monotonic time of its first failure since it was last heard.
        self._since: float | None = None

    def hear(self) -> None:
        """To be called when something has come: the next failure is the first one."""
        self._since = None

    def bear(self, error: AgentMeshError) -> None:
        """To be called with each failure. Raises the last one."""
        if self._since is None:
            self._since = monotonic()
        if not is_passing(error) or monotonic() - self._since >= MOST_VAIN_SECONDS:
            raise error


def lost(error: Exception) -> ConnectionError:
    return ConnectionError(f"The connection failed: {error or type(error).__name__}")
