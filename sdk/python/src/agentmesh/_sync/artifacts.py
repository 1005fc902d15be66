"""Named, versioned files of sessions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType

import httpx

from .. import models
from .._calls import Call, Upload, lost, new_key, route
from .sessions import path_of
from .transport import Transport


class Download:
    """An artifact that is being read: in pieces as they come, or whole with `read()`. Leaving its `with` block closes it."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self.mime_type: str = response.headers.get("content-type", "application/octet-stream")
        length = response.headers.get("content-length")
        #: Length in bytes, where the server tells it.
        self.bytes: int | None = None if length is None else int(length)

    def __iter__(self) -> Iterator[bytes]:
        try:
            for piece in self._response.iter_raw():
                yield piece
        except httpx.HTTPError as error:
            raise lost(error) from error

    def read(self) -> bytes:
        """All bytes. Closes the download."""
        with self:
            return b"".join([piece for piece in self])

    def close(self) -> None:
        """Leaves what has not been read."""
        self._response.close()

    def __enter__(self) -> Download:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Artifacts:
    """Named, versioned files of a session; those with `user:` before their name belong to all sessions of the user."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, *, app: str, user: str, session: str) -> Sequence[str]:
        """Names of the artifacts."""
        return self._transport.json(Call("GET", f"{path_of(app, user, session)}/artifacts"), list[str])

    def versions(self, *, app: str, user: str, session: str, name: str) -> Sequence[models.ArtifactVersion]:
        """All versions of an artifact."""
        path = f"{_file_of(app, user, session, name)}/versions/metadata"
        return self._transport.json(Call("GET", path), list[models.ArtifactVersion])

    def download(
        self, *, app: str, user: str, session: str, name: str, version: int | str | None = None
    ) -> Download:
        """Opens the latest version, or the given one."""
        query = {"alt": "media", "version": version}
        return Download(self._transport.open(Call("GET", _file_of(app, user, session, name), query=query)))

    def upload(
        self,
        data: Upload,
        *,
        app: str,
        user: str,
        session: str,
        name: str,
        mime_type: str = "application/octet-stream",
        idempotency_key: str | None = None,
    ) -> models.ArtifactVersion:
        """Stores bytes as the next version. An iterator of pieces is sent once; a function that makes one is called for each try.

        All tries have one `Idempotency-Key`, so that they make one version: this one, or a new one.

        >>> made = mesh.sessions.create(app="echo", user="u1")
        >>> name = {"app": "echo", "user": "u1", "session": made["id"], "name": "a.txt"}
        >>> mesh.artifacts.upload(b"Hello", **name, mime_type="text/plain")["version"]
        0
        >>> mesh.artifacts.download(**name).read()
        b'Hello'
        """
        headers = {"content-type": mime_type}
        call = Call("PUT", _file_of(app, user, session, name), upload=data, headers=headers)
        return self._transport.json(call.keyed(idempotency_key or new_key()), models.ArtifactVersion)

    def delete(self, *, app: str, user: str, session: str, name: str) -> None:
        """Deletes all versions of an artifact."""
        self._transport.any(Call("DELETE", _file_of(app, user, session, name)))


def _file_of(app: str, user: str, session: str, name: str) -> str:
    return f"{path_of(app, user, session)}{route('/artifacts/{}', name)}"
