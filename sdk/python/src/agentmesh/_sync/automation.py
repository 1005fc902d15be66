"""Schedules and mail of connected accounts, which start runs by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from .. import models
from .._calls import Call, query_of, route
from .transport import Transport


class Schedules:
    """Messages that are sent to agents at the times of cron expressions."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> Iterator[models.Schedule]:
        """Schedules of the account."""
        return self._transport.pages("/api/schedules", {}, models.Schedule)

    def get(self, id: str) -> models.Schedule:
        """One schedule."""
        return self._transport.json(Call("GET", _schedule(id)), models.Schedule)

    def create(
        self, body: models.CreateScheduleRequest, *, idempotency_key: str | None = None
    ) -> models.Schedule:
        """Makes a schedule.

        >>> message = {"role": "user", "parts": [{"text": "Good morning"}]}
        >>> daily = {"cron": "0 9 * * *", "app_name": "echo", "user_id": "u1", "new_message": message}
        >>> made = mesh.schedules.create(daily)
        >>> mesh.schedules.pause(made["id"])["enabled"]
        False
        """
        call = Call("POST", "/api/schedules", body=body).keyed(idempotency_key)
        return self._transport.json(call, models.Schedule)

    def update(
        self, id: str, body: models.UpdateScheduleRequest, *, idempotency_key: str | None = None
    ) -> models.Schedule:
        """Changes the given fields of a schedule."""
        call = Call("PATCH", _schedule(id), body=body).keyed(idempotency_key)
        return self._transport.json(call, models.Schedule)

    def pause(self, id: str, *, idempotency_key: str | None = None) -> models.Schedule:
        """Lets a schedule start nothing until it is resumed."""
        call = Call("POST", f"{_schedule(id)}/pause").keyed(idempotency_key)
        return self._transport.json(call, models.Schedule)

    def resume(self, id: str, *, idempotency_key: str | None = None) -> models.Schedule:
        """Ends the pause of a schedule."""
        call = Call("POST", f"{_schedule(id)}/resume").keyed(idempotency_key)
        return self._transport.json(call, models.Schedule)

    def delete(self, id: str) -> None:
        """Deletes a schedule. Runs that it has started go on."""
        self._transport.any(Call("DELETE", _schedule(id)))


class Webhooks:
    """Subscriptions to mailboxes, and what their mail has started."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> Iterator[models.WebhookSubscription]:
        """Subscriptions of the account."""
        path = "/api/webhooks/subscriptions"
        return self._transport.pages(path, {}, models.WebhookSubscription, "subscriptions")

    def get(self, id: str | int) -> models.WebhookSubscription:
        """One subscription."""
        return self._transport.json(Call("GET", _subscription(id)), models.WebhookSubscription)

    def create(
        self, body: models.CreateWebhookSubscriptionRequest, *, idempotency_key: str | None = None
    ) -> models.WebhookSubscription:
        """Subscribes to a mailbox."""
        call = Call("POST", "/api/webhooks/subscriptions", body=body)
        return self._transport.json(call.keyed(idempotency_key), models.WebhookSubscription)

    def update(
        self, id: str | int, body: models.UpdateWebhookSubscriptionRequest, *, idempotency_key: str | None = None
    ) -> models.WebhookSubscription:
        """Changes the given fields of a subscription."""
        call = Call("PATCH", _subscription(id), body=body).keyed(idempotency_key)
        return self._transport.json(call, models.WebhookSubscription)

    def renew(self, id: str | int) -> models.WebhookSubscription:
        """Renews a subscription at its provider now."""
        return self._transport.json(Call("POST", f"{_subscription(id)}/renew"), models.WebhookSubscription)

    def delete(self, id: str | int) -> None:
        """Ends a subscription."""
        self._transport.any(Call("DELETE", _subscription(id)))

    def logs(self, **query: Any) -> Iterator[models.WebhookLog]:
        """Messages that arrived, newest first, each with its outcome. Filters: subscription_id, agent_id, status, since, until, q, limit."""
        names = ("subscription_id", "agent_id", "status", "since", "until", "q", "limit", "cursor", "offset")
        asked = query_of({"limit": 50, **query}, *names)
        return self._transport.pages("/api/webhooks/logs", asked, models.WebhookLog, "logs")

    def log(self, id: str | int) -> models.WebhookLogAnswer:
        """One message that arrived."""
        return self._transport.json(Call("GET", route("/api/webhooks/logs/{}", id)), models.WebhookLogAnswer)

    def retrigger(self, id: str | int, *, idempotency_key: str | None = None) -> models.Retriggered:
        """Runs the agent again for a mail that arrived."""
        call = Call("POST", route("/api/webhooks/logs/{}/retrigger", id)).keyed(idempotency_key)
        return self._transport.json(call, models.Retriggered)


class Integrations:
    """Mail accounts at Microsoft and Google that the account has connected."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> Iterator[models.Integration]:
        """Mail accounts that are connected."""
        return self._transport.pages("/api/integrations/", {}, models.Integration)

    def connect(self, provider: Literal["microsoft", "google"], **query: Any) -> models.ConnectPage:
        """Answers the address at which a person gives consent. Options: redirect_uri, service."""
        path = {"microsoft": "microsoft/outlook", "google": "google"}[provider]
        call = Call("GET", f"/api/integrations/{path}/connect", query=query_of(query, "redirect_uri", "service"))
        return self._transport.json(call, models.ConnectPage)

    def disconnect(self, provider: str) -> None:
        """Forgets a mail account and ends its subscriptions."""
        self._transport.any(Call("DELETE", route("/api/integrations/{}", provider)))


def _schedule(id: str) -> str:
    return route("/api/schedules/{}", id)


def _subscription(id: str | int) -> str:
    return route("/api/webhooks/subscriptions/{}", id)
