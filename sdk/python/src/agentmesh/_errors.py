"""Errors by the code and the status of an answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from time import time
from typing import Any


class AgentMeshError(Exception):
    """A request that failed. Its class tells the kind, and `code` the reason."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        code: str = "",
        request_id: str | None = None,
        retry_after: float | None = None,
        faults: list[dict[str, Any]] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.request_id = request_id
        #: Seconds after which the server wants to be asked again.
        self.retry_after = retry_after
        #: Faults of a request that is not valid, each with `loc` and `msg`.
        self.faults = faults or []


class ConnectionError(AgentMeshError):
    """No whole answer came: the server cannot be reached, was too slow, or the connection broke."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="connection_failed")


class InvalidRequestError(AgentMeshError):
    """400 or 422: the request is not valid."""


class UnauthenticatedError(AgentMeshError):
    """401: no token, or one that is not valid."""


class ForbiddenError(AgentMeshError):
    """403: the token does not allow this."""


class PasswordRequiredError(ForbiddenError):
    """`password_required`: sign in with the password again."""


class NotFoundError(AgentMeshError):
    """404: there is no such thing in this account."""


class ConflictError(AgentMeshError):
    """409: what is there now does not allow this."""


class SessionBusyError(ConflictError):
    """`session_busy`: another run of the session is not over."""


class RunNotWaitingError(ConflictError):
    """`run_not_waiting`: the run does not wait for this answer, or no more."""


class ChangedError(AgentMeshError):
    """412: somebody else has changed it since it was read."""


class TooLargeError(AgentMeshError):
    """413: too many bytes."""


class LimitError(AgentMeshError):
    """429: too many requests, or a limit of the account is reached."""


class ServerError(AgentMeshError):
    """5xx: the server failed or is not available."""


_BY_CODE: Mapping[str, type[AgentMeshError]] = {
    "password_required": PasswordRequiredError,
    "run_not_waiting": RunNotWaitingError,
    "session_busy": SessionBusyError,
}
_BY_STATUS: Mapping[int, type[AgentMeshError]] = {
    400: InvalidRequestError,
    401: UnauthenticatedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    412: ChangedError,
    413: TooLargeError,
    422: InvalidRequestError,
    429: LimitError,
}
_MAY_PASS = {408, 425, 429, 502, 503, 504}
_REDIRECTS = {301, 302, 303, 307, 308}


def is_passing(error: AgentMeshError) -> bool:
    """Whether a failure may be gone at the next try."""
    return isinstance(error, ConnectionError) or error.status in _MAY_PASS


def has_unknown_outcome(error: AgentMeshError) -> bool:
    """Whether a request that failed so may have had its effect. A refusal such as 401 or 429 comes before it."""
    return isinstance(error, ConnectionError) or error.status >= 500


def error_of(status: int, headers: Mapping[str, str], text: str) -> AgentMeshError:
    """The error for an answer, in the class of its code, else of its status."""
    body = _object_of(text)
    # OAuth answers have `error` and `error_description`.
    detail, code = body.get("detail", body.get("error_description")), body.get("code", body.get("error"))
    faults: list[dict[str, Any]] = detail if isinstance(detail, list) else []
    told = "; ".join(f"{'.'.join(map(str, it.get('loc', [])))}: {it.get('msg')}" for it in faults)
    message = told or (detail if isinstance(detail, str) else _message_of(status))
    other = ServerError if status >= 500 else AgentMeshError
    kind = _BY_CODE.get(str(code)) or _BY_STATUS.get(status, other)
    return kind(
        message,
        status=status,
        code=code if isinstance(code, str) else "",
        request_id=headers.get("x-request-id"),
        retry_after=_retry_after_of(headers.get("retry-after")),
        faults=faults,
    )


def _message_of(status: int) -> str:
    if status in _REDIRECTS:
        return "The server answered with a redirect, and none is followed: its address may be another one."
    return f"The server answered {status}."


def _object_of(text: str) -> dict[str, Any]:
    try:
        body = json.loads(text)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _retry_after_of(text: str | None) -> float | None:
    if not text:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time())
    except ValueError:
        return None
