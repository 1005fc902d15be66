"""Sign-in with a password, and the account of the present token."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import httpx

from .. import models
from .._calls import Call, lost, query_of, route
from .._errors import ConnectionError, UnauthenticatedError
from .transport import Transport


class Account:
    """Sign-in with a password, and the account of the present token."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._anonymous = transport.anonymous()
        self._cookie: str | None = None

    def sign_in(self, *, email: str, password: str) -> None:
        """Signs in. The client sends the token from now on, and gets another one with the refresh cookie when it has run out."""
        call = Call("POST", "/api/auth/token", body={"email": email, "password": password})
        self._transport.sign_in(self._token_for(call), self._refresh)

    def sign_out(self) -> None:
        """Ends the sign-in."""
        self._token_for(Call("POST", "/api/auth/logout"))
        self._cookie = None
        self._transport.sign_in(None, None)

    def sign_up(self, body: models.SignUpRequest) -> models.User:
        """Creates an account. It does not sign in."""
        return self._anonymous.json(Call("POST", "/api/users/", body=body), models.User)

    def me(self) -> models.User:
        """The account of the token."""
        return self._transport.json(Call("GET", "/api/users/me"), models.User)

    def update(
        self, id: int, body: models.UpdateUserRequest, *, idempotency_key: str | None = None
    ) -> models.User:
        """Changes the name of an account, one's own or another one for admins."""
        call = Call("PATCH", route("/api/users/{}", id), body=body).keyed(idempotency_key)
        return self._transport.json(call, models.User)

    def delete(self, id: int) -> str:
        """Deletes an account with everything that it has. Cannot be undone. Answers the id of the receipt, for `erasure`."""
        _, headers = self._transport.headers(Call("DELETE", route("/api/users/{}", id)))
        return headers.get("location", "").rpartition("/")[2]

    def erasure(self, receipt: str) -> models.Erasure:
        """The receipt of a deletion: how much was erased where. Needs no token."""
        return self._anonymous.json(Call("GET", route("/api/users/me/erasures/{}", receipt)), models.Erasure)

    def sign_ins(self) -> Iterator[models.SignIn]:
        """Sign-ins of the account that have not ended."""
        return self._transport.pages("/api/auth/sessions", {}, models.SignIn)

    def end_sign_in(self, id: str) -> None:
        """Signs out somewhere else."""
        self._transport.any(Call("DELETE", route("/api/auth/sessions/{}", id)))

    def audit(self, **query: Any) -> Iterator[models.Action]:
        """Actions on the account, newest first. Filters: user_id, before, limit."""
        asked = query_of({"limit": 100, **query}, "limit", "cursor", "before", "user_id")
        return self._transport.pages("/api/audit", asked, models.Action)

    def export(self) -> Iterator[str]:
        """Everything that the account has, as lines of JSON, each with `kind`, `data`, and `of` where it belongs to something.

        The first has the kind `export` and names the others in `data`, the last has the kind `end`. Raises ConnectionError where that one is missing: then
        the export is not whole.

        >>> import json
        >>> [json.loads(line)["data"]["account"] for line in mesh.account.export() if line.startswith('{"kind":"end"')]
        [1]
        """
        response = self._transport.open(Call("GET", "/api/users/me/export"))
        pieces: list[bytes] = []
        last = b""
        try:
            # Lines end with a line feed alone: texts in them may hold other ends of lines.
            for piece in response.iter_bytes():
                pieces.append(piece)
                if b"\n" not in piece:
                    continue
                *lines, rest = b"".join(pieces).split(b"\n")
                pieces = [rest]
                for last in lines:
                    yield last.decode()
        except httpx.HTTPError as error:
            raise lost(error) from error
        finally:
            response.close()
        if not last.startswith(b'{"kind":"end"'):
            raise ConnectionError("The export ended before it was whole.")

    def server_config(self) -> models.PublicConfig:
        """The public configuration of the server."""
        return self._anonymous.json(Call("GET", "/api/config"), models.PublicConfig)

    def _refresh(self) -> str | None:
        try:
            return self._token_for(Call("POST", "/api/auth/refresh-token"))
        except UnauthenticatedError:
            return None

    def _token_for(self, call: Call) -> str | None:
        """Sends a request with the refresh cookie, and keeps the cookie and the token of the answer."""
        cookie = self._cookie
        sent = Call(call.method, call.path, body=call.body, headers={"cookie": cookie})
        body, headers = self._anonymous.headers(sent)
        # A renewal does not replace the cookie of a sign-in that ended meanwhile.
        if cookie == self._cookie or call.body is not None:
            self._cookie = _cookie_of(headers) or self._cookie
        token = body.get("access_token") if isinstance(body, dict) else None
        return token if isinstance(token, str) else None


def _cookie_of(headers: Mapping[str, str]) -> str | None:
    # httpx joins several headers by commas, and dates have commas of their own.
    _, found, rest = headers.get("set-cookie", "").partition("refresh_token=")
    return f"refresh_token={rest.split(';')[0]}" if found else None
