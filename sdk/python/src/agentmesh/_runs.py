"""Events of a run as they have come so far: what both clients have in common."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Protocol, Union

from . import models
from ._calls import Call, route
from ._errors import RunNotWaitingError

Json = dict[str, Any]


@dataclass(frozen=True)
class Gap:
    """Stands for partial events that cannot be had any more. The next whole event has their content."""

    up_to: str


RunEvent = Union[models.Event, Gap]


@dataclass(frozen=True)
class FinalRun:
    """The end of a run, or its stop where it waits for a person."""

    #: Text of the agent's last message.
    text: str
    #: Whole events, in order.
    events: list[models.Event]
    #: `status` tells how the run ended; a failed run is no exception.
    record: models.Run


def text_of(event: Mapping[str, Any]) -> str:
    """Joined text of an event's parts, without thoughts."""
    parts = (event.get("content") or {}).get("parts") or []
    return "".join(part.get("text") or "" for part in parts if not part.get("thought"))


class RunLog:
    """Keeps each event once and in order."""

    def __init__(self, after: str | None) -> None:
        self.events: list[RunEvent] = []
        self.last_id = after
        self.record: models.Run | None = None
        self._said: dict[str, str] = {}
        # Agents that have said something whole since the newest gap; None before the first one.
        self._since_gap: set[str] | None = None

    def keep(self, event: str, frame_id: str, data: str) -> None:
        # A frame without data, such as `retry: 1000`, is no event; httpx-sse yields it as one.
        is_known = event in ("message", "gap", "end") and data != ""
        if not is_known or (event != "end" and frame_id and _is_no_newer(frame_id, self.last_id)):
            return
        self.last_id = frame_id or self.last_id
        if event == "message":
            self.events.append(json.loads(data))
        elif event == "gap":
            self.events.append(Gap(up_to=frame_id))
        else:
            self.record = json.loads(data)

    def new_text(self, event: RunEvent) -> str:
        """The new text of an event: all pieces together are what the agents have said, each word once."""
        if isinstance(event, Gap):
            self._since_gap = set()
            return ""
        if event.get("author") == "user":
            return ""
        speaker, text = f"{event.get('branch') or ''} {event.get('author')}", text_of(event)
        before = self._said.get(speaker, "")
        if event.get("partial"):
            # It is not known which words of an agent are missing before its next whole event, which has them.
            if self._since_gap is not None and speaker not in self._since_gap:
                return ""
            self._said[speaker] = before + text
            return text
        self._said.pop(speaker, None)
        if self._since_gap is not None:
            self._since_gap.add(speaker)
        # An executor that died has said something else than the one that went on.
        return text[len(before) :] if text.startswith(before) else text

    def final(self) -> FinalRun:
        whole = [it for it in self.events if not isinstance(it, Gap) and not it.get("partial")]
        said = [text_of(it) for it in whole if it.get("author") != "user"]
        text = next((it for it in reversed(said) if it), "")
        if self.record is None:
            raise RuntimeError("The run has not been read to its end.")
        return FinalRun(text=text, events=whole, record=self.record)


_PLACE = re.compile(r"^(\d+)(?:-(\d+))?(?:-end\d+)?$")


def _is_no_newer(frame_id: str, last: str | None) -> bool:
    one, other = _numbers_of(frame_id), _numbers_of(last or "")
    return one is not None and other is not None and one <= other


def _numbers_of(frame_id: str) -> tuple[int, int] | None:
    match = _PLACE.match(frame_id)
    return None if match is None else (int(match[1]), int(match[2] or 0))


class _GenaiContent(Protocol):
    """A `google.genai.types.Content`, without a need for the package."""

    def model_dump(self, *, mode: str, by_alias: bool, exclude_none: bool) -> Json: ...


MessageLike = Union[str, Mapping[str, Any], _GenaiContent]
"""A text, a content as JSON, or a `google.genai.types.Content`."""


def message_of(message: MessageLike | None) -> Mapping[str, Any]:
    """The content that a message stands for, as JSON. A content without a role is the user's."""
    if message is None or isinstance(message, str):
        return {"role": "user", "parts": [{"text": message or ""}]}
    if isinstance(message, Mapping):
        return message
    return {"role": "user", **message.model_dump(mode="json", by_alias=True, exclude_none=True)}


_LONGEST_KEY = 200
"""Characters of an `Idempotency-Key`."""
_OF_SESSION = "-session"


def session_call(app: str, user: str, key: str) -> Call:
    """The request for the session of a run with this key. A repetition of the run has the session of the first request."""
    if len(key) + len(_OF_SESSION) > _LONGEST_KEY:
        # Cut, it could be the key of another run.
        key = b64encode(sha256(key.encode()).digest()).decode()
    return Call("POST", route("/apps/{}/users/{}/sessions", app, user), body={}).keyed(f"{key}{_OF_SESSION}")


def start_call(app: str, user: str, session: str, message: Mapping[str, Any], options: Mapping[str, Any]) -> Call:
    names = {"streaming": "streaming", "custom_metadata": "customMetadata", "multitask": "multitask"}
    more = {**names, "state_delta": "stateDelta", "webhook": "webhook"}
    unknown = sorted(set(options) - set(more))
    if unknown:
        raise TypeError(f"A run has no option {unknown[0]}: there are {', '.join(sorted(more))}.")
    extra = {wire: options[name] for name, wire in more.items() if options.get(name) is not None}
    body = {"appName": app, "userId": user, "sessionId": session, "newMessage": message, **extra}
    return Call("POST", "/runs", body=body)


RunLike = Union[str, Mapping[str, Any]]
"""A run: its id, or a record that has its id and its session, as lists have them.

Ids are unique in a session only: an id alone means the newest run that has it.
"""


def id_of(run: RunLike) -> str:
    return str(run["invocationId"]) if isinstance(run, Mapping) else run


def run_call(method: str, run: RunLike, rest: str = "", *values: str | int, body: Any = None, **query: Any) -> Call:
    """A request about a run, such as `run_call("GET", run, "/log")`."""
    return Call(method, route("/runs/{}" + rest, id_of(run), *values), query={**query, **place_of(run)}, body=body)


def place_of(run: RunLike) -> Mapping[str, Any]:
    """The query that tells a run from those of other sessions."""
    if not isinstance(run, Mapping):
        return {}
    return {"app": run.get("appName"), "user": run.get("userId"), "session": run.get("sessionId")}


def answer_call(run: RunLike, answer: Mapping[str, Any] | Sequence[Mapping[str, Any]], record: models.Run) -> Call:
    """The request that answers what a run waits for: the response to its only call, or answers with `id` and `response`."""
    given = [answer] if isinstance(answer, Mapping) else list(answer)
    responses = [_named(it, record) for it in given]
    place = place_of(run) or place_of(record)
    return Call("POST", route("/runs/{}/answer", id_of(run)), query=place, body={"functionResponses": responses})


def _named(answer: Mapping[str, Any], run: models.Run) -> Json:
    waiting = run.get("waitingFor") or []
    if isinstance(answer.get("id"), str) and isinstance(answer.get("response"), Mapping):
        names = {it["functionCallId"]: it["name"] for it in waiting}
        return {"name": names.get(answer["id"], ""), **answer}
    if len(waiting) != 1:
        raise RunNotWaitingError(
            f"The run waits for {len(waiting)} answers: name the call by its id.", status=409, code="run_not_waiting"
        )
    return {"id": waiting[0]["functionCallId"], "name": waiting[0]["name"], "response": dict(answer)}
