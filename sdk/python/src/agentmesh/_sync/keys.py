"""Keys, tokens, and what models have cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import models
from .._calls import Call, query_of, route
from .transport import Transport


class Keys:
    """Keys for model providers that the account has saved. Their values are never answered."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> Iterator[models.SavedKey]:
        """Saved keys of the account."""
        return self._transport.pages("/api/saved-api-keys", {}, models.SavedKey)

    def get(self, id: str) -> models.SavedKey:
        """One saved key."""
        return self._transport.json(Call("GET", _key(id)), models.SavedKey)

    def create(
        self, body: models.CreateSavedKeyRequest, *, idempotency_key: str | None = None
    ) -> models.SavedKeyAnswer:
        """Saves a key."""
        call = Call("POST", "/api/saved-api-keys", body=body).keyed(idempotency_key)
        return self._transport.json(call, models.SavedKeyAnswer)

    def update(
        self, id: str, body: models.UpdateSavedKeyRequest, *, idempotency_key: str | None = None
    ) -> models.SavedKeyAnswer:
        """Changes the given fields of a saved key."""
        call = Call("PATCH", _key(id), body=body).keyed(idempotency_key)
        return self._transport.json(call, models.SavedKeyAnswer)

    def test(self, id: str) -> models.SavedKeyTest:
        """Asks the provider whether the key is good."""
        return self._transport.json(Call("POST", f"{_key(id)}/test"), models.SavedKeyTest)

    def delete(self, id: str) -> None:
        """Forgets a saved key."""
        self._transport.any(Call("DELETE", _key(id)))


class Usage:
    """Use of models by the account, and its limits."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, **query: Any) -> models.UsageReport:
        """Sums between two days, grouped by day, model, agent and others.

        Filters: from_, to, group_by, agent, user_id, key, invocation_id, limit.

        >>> mesh.usage.get(group_by="model")["usage"]
        []
        """
        names = ("from", "to", "group_by", "agent", "user_id", "key", "invocation_id", "limit")
        call = Call("GET", "/api/usage", query=query_of(query, *names))
        return self._transport.json(call, models.UsageReport)

    def limits(self) -> Iterator[models.UsageLimit]:
        """Limits of the account."""
        return self._transport.pages("/api/usage/limits", {}, models.UsageLimit)

    def set_limit(self, scope: str, period: str, body: models.LimitAmounts) -> models.UsageLimit:
        """Limits what a `scope` may use in a `period`, such as `account` in a `day`."""
        return self._transport.json(Call("PUT", _limit(scope, period), body=body), models.UsageLimit)

    def remove_limit(self, scope: str, period: str) -> None:
        """Removes a limit."""
        self._transport.any(Call("DELETE", _limit(scope, period)))


class Tokens:
    """Personal tokens, for programs."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, **query: Any) -> Iterator[models.PersonalToken]:
        """Newest first. Filters: user_id, limit."""
        asked = query_of({"limit": 100, **query}, "user_id", "limit", "cursor", "after")
        return self._transport.pages("/api/auth/tokens", asked, models.PersonalToken)

    def create(
        self, body: models.CreatePersonalTokenRequest, *, idempotency_key: str | None = None
    ) -> models.NewPersonalToken:
        """Makes a token. `token` of the answer is shown this once. Needs a sign-in with the password."""
        call = Call("POST", "/api/auth/tokens", body=body).keyed(idempotency_key)
        return self._transport.json(call, models.NewPersonalToken)

    def revoke(self, id: str) -> None:
        """Ends a token."""
        self._transport.any(Call("DELETE", route("/api/auth/tokens/{}", id)))

    def revoke_current(self) -> None:
        """Ends the personal token that this client sends: for programs that sign out. NotFoundError for the token of a sign-in."""
        self._transport.any(Call("DELETE", "/api/auth/tokens/current"))

    def revoke_all(self) -> None:
        """Ends all personal tokens of the account."""
        self._transport.any(Call("DELETE", "/api/auth/tokens"))


def _key(id: str) -> str:
    return route("/api/saved-api-keys/{}", id)


def _limit(scope: str, period: str) -> str:
    return route("/api/usage/limits/{}/{}", scope, period)
