"""Lists take the filters that the API has, and refuse others, which the server would ignore: python known_filters.py <OpenAPI document>"""

import inspect
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
from agentmesh import AgentMesh

sent: list[httpx.Request] = []
DOCUMENT = json.loads(Path(sys.argv[1]).read_text())


def answer(request: httpx.Request) -> httpx.Response:
    sent.append(request)
    return httpx.Response(404)


def verbs_of(mesh: AgentMesh) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Verbs with free keywords, with values for the others."""
    for group, it in vars(mesh).items():
        for name, verb in inspect.getmembers(it, inspect.ismethod):
            parameters = inspect.signature(verb).parameters.values()
            if name.startswith("_") or all(it.kind is not it.VAR_KEYWORD for it in parameters):
                continue
            needed = [it.name for it in parameters if it.default is it.empty and it.kind is not it.VAR_KEYWORD]
            yield f"{group}.{name}", verb, {it: "google" if it == "provider" else "x" for it in needed}


def use(verb: Any, values: dict[str, Any]) -> Exception | None:
    sent.clear()
    try:
        made = verb(**values)
        if inspect.isgenerator(made):
            next(made, None)
    except Exception as error:
        return error
    return None


def documented(path: str) -> list[str]:
    for template, methods in DOCUMENT["paths"].items():
        if "get" in methods and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path):
            return [it["name"] for it in methods["get"].get("parameters", []) if it["in"] == "query"]
    raise SystemExit(f"{path} is not in the description")


def faults_of(name: str, verb: Any, values: dict[str, Any]) -> Iterator[str]:
    if not isinstance(error := use(verb, {**values, "not_there": 1}), TypeError) or sent:
        yield f"{name} takes a filter that is not there: {error!r}"
    for wire in documented(path):
        snake = re.sub("[A-Z]", lambda it: "_" + it[0].lower(), wire)
        for spelling in sorted({wire, snake, "from_" if wire == "from" else wire}):
            # The inbox is a list with this filter.
            if name == "runs.inbox" and wire == "status":
                continue
            error = use(verb, {**values, spelling: "7"})
            if [it.url.params.get(wire) for it in sent] != ["7"]:
                yield f"{name} does not send {spelling} as {wire}: {error!r}, {[str(it.url) for it in sent]}"


with AgentMesh("http://mesh.example", "t", http=httpx.Client(transport=httpx.MockTransport(answer)), tries=1) as mesh:
    faults: list[str] = []
    lists = 0
    for name, verb, values in verbs_of(mesh):
        use(verb, values)
        # Others have free keywords for a body, or for a run.
        if sent and sent[0].method == "GET":
            path = sent[0].url.path
            lists += 1
            faults += faults_of(name, verb, values)
print("\n".join([*faults, f"{lists} lists, {len(faults)} wrong"]))
sys.exit(1 if faults else 0)
