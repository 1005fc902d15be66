"""Calls every verb with path values that no path can have: python refuse_values.py. Prints what was sent all the same; exit code 1 then."""

import inspect
import sys
from collections.abc import Callable, Iterator
from typing import Any

import httpx
from agentmesh import AgentMesh, AgentMeshError

NONE = (None, "", ".", "..")
sent: list[httpx.Request] = []
used: set[str] = set()


def answer(request: httpx.Request) -> httpx.Response:
    sent.append(request)
    return httpx.Response(404)


def verbs_of(mesh: AgentMesh) -> Iterator[tuple[str, Callable[..., Any]]]:
    for group, it in vars(mesh).items():
        if not group.startswith("_"):
            for name, verb in inspect.getmembers(it, inspect.ismethod):
                if not name.startswith("_"):
                    yield f"{group}.{name}", verb


def use(verb: Callable[..., Any], values: dict[str, Any]) -> Exception | None:
    """Calls a verb and reads what it answers to the end. Returns its error."""
    sent.clear()
    try:
        made = verb(**values)
        if hasattr(made, "final"):
            made.final()
        elif inspect.isgenerator(made):
            next(made, None)
    except Exception as error:
        return error
    return None


def values_for(verb: Callable[..., Any]) -> dict[str, Any]:
    """A value for each parameter that must be given, which tells the parameter in a path."""
    needed = [it for it in inspect.signature(verb).parameters.values() if it.default is it.empty]
    named = [it.name for it in needed if it.kind not in (it.VAR_KEYWORD, it.VAR_POSITIONAL)]
    return {name: f"={name}=" for name in named}


def faults_of(name: str, verb: Callable[..., Any]) -> Iterator[str]:
    values = values_for(verb)
    use(verb, values)
    paths = [request.url.path for request in sent]
    for parameter, value in values.items():
        if not any(value in path.split("/") for path in paths):
            continue
        used.add(f"{name}({parameter})")
        for none in NONE:
            error = use(verb, {**values, parameter: none})
            if not isinstance(error, ValueError) or sent:
                yield f"{name}({parameter}={none!r}): {error!r}, {[str(it.url) for it in sent]}"


def redirected() -> Iterator[str]:
    moved = httpx.MockTransport(lambda request: httpx.Response(307, headers={"location": "/elsewhere"}))
    with AgentMesh("http://mesh.example", "t", http=httpx.Client(transport=moved)) as mesh:
        session = {"app": "echo", "user": "u", "session": "s"}
        for verb in (lambda: mesh.tokens.revoke("t"), lambda: mesh.artifacts.download(**session, name="a")):
            error = use(verb, {})
            if not isinstance(error, AgentMeshError) or error.status != 307:
                yield f"a redirect is a success: {error!r}"


def tokens() -> Iterator[str]:
    network = httpx.MockTransport(answer)
    for token in ("se\ncret", "s\u00e9cret"):
        with AgentMesh("http://mesh.example", token, http=httpx.Client(transport=network)) as mesh:
            error = use(mesh.account.me, {})
            if not isinstance(error, ValueError) or "cret" in str(error) or sent:
                yield f"a token that no header can hold: {error!r}, {len(sent)} sent"
    for token, wanted in (("t\n", "Bearer t"), ("", None)):
        with AgentMesh("http://mesh.example", token, http=httpx.Client(transport=network)) as mesh:
            use(mesh.account.me, {})
            if [it.headers.get("authorization") for it in sent] != [wanted]:
                yield f"{token!r} is sent as {[it.headers.get('authorization') for it in sent]}"


def main() -> int:
    with AgentMesh("http://mesh.example", "t", http=httpx.Client(transport=httpx.MockTransport(answer)), tries=1) as mesh:
        faults = [fault for name, verb in verbs_of(mesh) for fault in faults_of(name, verb)]
    faults += [*redirected(), *tokens()]
    print("\n".join([*faults, f"{len(used)} values of paths, {len(faults)} wrong"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
