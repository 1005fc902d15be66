"""Client of Agent Mesh. `AgentMesh` waits for answers, `AsyncAgentMesh` is for asyncio; both have the same verbs."""

from ._async import AsyncAgentMesh, AsyncRunStream
from ._errors import (
    AgentMeshError,
    ChangedError,
    ConflictError,
    ConnectionError,
    ForbiddenError,
    InvalidRequestError,
    LimitError,
    NotFoundError,
    PasswordRequiredError,
    RunNotWaitingError,
    ServerError,
    SessionBusyError,
    TooLargeError,
    UnauthenticatedError,
)
from ._runs import FinalRun, Gap, text_of
from ._sync import AgentMesh, RunStream

__all__ = [
    "AgentMesh",
    "AgentMeshError",
    "AsyncAgentMesh",
    "AsyncRunStream",
    "ChangedError",
    "ConflictError",
    "ConnectionError",
    "FinalRun",
    "ForbiddenError",
    "Gap",
    "InvalidRequestError",
    "LimitError",
    "NotFoundError",
    "PasswordRequiredError",
    "RunNotWaitingError",
    "RunStream",
    "ServerError",
    "SessionBusyError",
    "TooLargeError",
    "UnauthenticatedError",
    "text_of",
]
