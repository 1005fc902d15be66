"""Messages to the webhooks of runs."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping
from time import time

from typing_extensions import Literal, TypedDict

from . import models


class RunWebhookMessage(TypedDict):
    """A message to the webhook of a run."""

    type: Literal["run.completed", "run.failed", "run.cancelled", "run.interrupted", "run.waiting"]
    timestamp: str
    data: models.Run


class WebhookVerificationError(Exception):
    """The message is not one of the server, was changed, or is too old. Answer 4xx."""


def verify_webhook(
    body: bytes | str, headers: Mapping[str, str], *, secret: str, tolerance_seconds: float = 300
) -> RunWebhookMessage:
    """Checks a message to the webhook of a run, as Standard Webhooks says, and answers it.

    `body` is what arrived, byte for byte. `webhook-id` stays the same when a message is sent again. Raises WebhookVerificationError.

    >>> verify_webhook(b"{}", {}, secret="whsec_c2VjcmV0")
    Traceback (most recent call last):
    agentmesh._webhook.WebhookVerificationError: A header of the webhook is missing.
    """
    given = {name.lower(): value for name, value in headers.items()}
    message_id, sent, signatures = (given.get(f"webhook-{it}") for it in ("id", "timestamp", "signature"))
    if not message_id or not sent or not signatures:
        raise WebhookVerificationError("A header of the webhook is missing.")
    if not sent.isdecimal() or abs(time() - int(sent)) > tolerance_seconds:
        raise WebhookVerificationError("The time of the message is too far from now.")
    content = body.encode() if isinstance(body, str) else body
    signed = hmac.new(_bytes_of(secret.removeprefix("whsec_")), f"{message_id}.{sent}.".encode() + content, hashlib.sha256)
    for signature in signatures.split(" "):
        version, _, value = signature.partition(",")
        if version == "v1" and hmac.compare_digest(_bytes_of(value), signed.digest()):
            message: RunWebhookMessage = json.loads(content)
            return message
    raise WebhookVerificationError("No signature of the message is one of this secret.")


def _bytes_of(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise WebhookVerificationError("A secret or signature is not base64.") from error
