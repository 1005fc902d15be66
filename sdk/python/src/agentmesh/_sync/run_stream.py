"""A run that is being watched."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import models
from .._runs import FinalRun, RunEvent, RunLike, RunLog, id_of
from .pause import Lock
from .streams import follow
from .transport import Transport

if TYPE_CHECKING:
    from .runs import Runs


class RunStream:
    """A run that is being watched. Iterate it for its events, or `text` for its words; `final()` waits for the end.

    The run goes on whatever its watchers do. Any number of readers may share it. A loop that comes after another one goes on where that one stopped, also after an `answer`.
    The last reader that leaves closes the connection.
    """

    def __init__(self, runs: Runs, transport: Transport, run: RunLike | None, after: str | None) -> None:
        self._run = run
        self._request: Mapping[str, Any] = {}
        self._runs = runs
        self._transport = transport
        self._log = RunLog(after)
        self._next = 0
        self._next_text = 0
        self._reading: Generator[None, None, None] | None = None
        #: A mark for each one who reads.
        self._readers: set[object] = set()
        #: Held by the one who starts the run, and by the one who reads on for all.
        self._starting, self._turn = Lock(), Lock()

    @property
    def id(self) -> str:
        """The run's `invocationId`, when it has begun."""
        if self._run is None:
            raise RuntimeError("The run has not begun: call begin() first.")
        return id_of(self._run)

    def begin(self) -> str:
        """Starts the run, unless it has been started, and answers its id. Everything that reads the run does it too."""
        return id_of(self._begun())

    def _begun(self) -> RunLike:
        with self._starting:
            if self._run is None:
                self._run = self._runs.start(**self._request)
            return self._run

    @property
    def last_event_id(self) -> str | None:
        """Id of the last event that was read, for `runs.watch(id, after=…)`."""
        return self._log.last_id

    @property
    def record(self) -> models.Run | None:
        """Record of the run, when the stream has ended."""
        return self._log.record

    def __iter__(self) -> Iterator[RunEvent]:
        reader = self._enter()
        try:
            while self._has(self._next):
                self._next += 1
                yield self._log.events[self._next - 1]
        finally:
            self._leave(reader)

    @property
    def text(self) -> Iterator[str]:
        """The words of the agents as they come."""
        return self._texts()

    def _texts(self) -> Iterator[str]:
        reader = self._enter()
        try:
            while self._has(self._next_text):
                self._next_text += 1
                piece = self._log.new_text(self._log.events[self._next_text - 1])
                if piece:
                    yield piece
        finally:
            self._leave(reader)

    def final(self) -> FinalRun:
        """Reads to the end, or to where the run waits for a person."""
        reader = self._enter()
        try:
            while self._has(len(self._log.events)):
                pass
        finally:
            self._leave(reader)
        return self._log.final()

    def cancel(self) -> models.Run:
        """Stops the run."""
        return self._runs.cancel(self._begun())

    def steer(self, text: str) -> models.Run:
        """Adds a message to the run; the agent sees it before its next call of the model."""
        return self._runs.steer(self._begun(), text)

    def answer(self, answer: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> models.Run:
        """Answers what the run waits for. Then the stream goes on."""
        run = self._runs.answer(self._begun(), answer, self._log.record)
        self._log.record = None
        return run

    def _enter(self) -> object:
        reader = object()
        self._readers.add(reader)
        return reader

    def _leave(self, reader: object) -> None:
        """The last reader closes the connection; the next one opens another, behind the last event."""
        self._readers.discard(reader)
        if self._readers:
            return
        with self._turn:
            if not self._readers and self._reading is not None:
                reading, self._reading = self._reading, None
                reading.close()

    def _has(self, index: int) -> bool:
        while index >= len(self._log.events) and self._log.record is None:
            with self._turn:
                # Another reader may have read on meanwhile.
                if index >= len(self._log.events) and self._log.record is None:
                    self._read()
        return index < len(self._log.events)

    def _read(self) -> None:
        """Reads the next frame, or the end, into the log."""
        if self._reading is None:
            self._reading = follow(self._transport, self._begun(), self._log)
        try:
            self._reading.__next__()
        except StopIteration:
            self._reading = None
        except BaseException:
            self._reading = None
            raise
        if self._log.record is not None:
            self._reading = None
