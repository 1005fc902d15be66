"""Client of Agent Mesh. `AgentMesh` waits for answers, `AsyncAgentMesh` is for asyncio; both have the same verbs."""

from . import models
from ._async.artifacts import AsyncDownload
from ._async.client import AsyncAgentMesh
from ._async.run_stream import AsyncRunStream
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
from ._sync.artifacts import Download
from ._sync.client import AgentMesh
from ._sync.run_stream import RunStream
from ._webhook import RunWebhookMessage, WebhookVerificationError, verify_webhook

__all__ = [
    "AgentMesh",
    "AgentMeshError",
    "AsyncAgentMesh",
    "AsyncDownload",
    "AsyncRunStream",
    "ChangedError",
    "ConflictError",
    "ConnectionError",
    "Download",
    "FinalRun",
    "ForbiddenError",
    "Gap",
    "InvalidRequestError",
    "LimitError",
    "NotFoundError",
    "PasswordRequiredError",
    "RunNotWaitingError",
    "RunStream",
    "RunWebhookMessage",
    "ServerError",
    "SessionBusyError",
    "TooLargeError",
    "UnauthenticatedError",
    "WebhookVerificationError",
    "models",
    "text_of",
    "verify_webhook",
]
