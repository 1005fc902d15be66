"""Runs the conformance cases: python run_cases.py <address of the case servers> <sync or async>. Prints what differs; exit code 1 then."""

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

import httpx
from agentmesh import AgentMesh, AgentMeshError, AsyncAgentMesh, Gap

CASES = Path(__file__).parents[2] / "cases"
STREAMS = ("runs.watch", "runs.stream")


def token_of(case: dict[str, Any]) -> Any:
    token = case.get("token", ["t"])
    if isinstance(token, str):
        return token
    tokens = list(token)
    return lambda: tokens.pop(0)


def arguments_of(case: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    args = list(case["call"]["args"])
    if args and isinstance(args[-1], dict) and case["call"]["verb"] != "schedules.create" and "invocationId" not in args[-1]:
        return args[:-1], args[-1]
    return args, {}


def made_of(mesh: Any, case: dict[str, Any]) -> Any:
    group, name = case["call"]["verb"].split(".")
    args, options = arguments_of(case)
    return getattr(getattr(mesh, group), name)(*args, **options)


def sight_of(events: list[Any], text: str, record: dict[str, Any]) -> dict[str, Any]:
    gaps = [it.up_to for it in events if isinstance(it, Gap)]
    ids = [it["id"] for it in events if not isinstance(it, Gap)]
    return {"ids": ids, "text": text, "status": record["status"], **({"gaps": gaps} if gaps else {})}


def error_of(error: AgentMeshError) -> dict[str, Any]:
    return {
        "error": {"class": type(error).__name__, "code": error.code, "status": error.status, "message": error.message}
    }


def see(url: str, case: dict[str, Any]) -> dict[str, Any]:
    verb = case["call"]["verb"]
    # Without the certificates that httpx would load for each client.
    with AgentMesh(url, token_of(case), backoff=0.001, http=httpx.Client(verify=False)) as mesh:
        try:
            made = made_of(mesh, case)
            if verb in STREAMS:
                events = list(made)
                return sight_of(events, "".join(made.text), made.final().record)
            value = list(made) if verb.endswith(".list") else made
        except AgentMeshError as error:
            return error_of(error)
    return {} if value is None else {"value": value}


async def see_async(url: str, case: dict[str, Any]) -> dict[str, Any]:
    verb = case["call"]["verb"]
    http = httpx.AsyncClient(verify=False)
    async with AsyncAgentMesh(url, token_of(case), backoff=0.001, http=http) as mesh:
        try:
            made = made_of(mesh, case)
            if verb in STREAMS:
                events = [event async for event in made]
                text = "".join([piece async for piece in made.text])
                return sight_of(events, text, (await made.final()).record)
            value = [item async for item in made] if verb.endswith(".list") else await made
        except AgentMeshError as error:
            return error_of(error)
    return {} if value is None else {"value": value}


def has(seen: Any, wanted: Any) -> bool:
    """Whether everything that is wanted was seen; more may have been."""
    if isinstance(wanted, dict):
        return isinstance(seen, dict) and all(has(seen.get(name), value) for name, value in wanted.items())
    return bool(seen == wanted)


def play(control: httpx.Client, name: dict[str, Any], case: dict[str, Any], mode: str) -> str | None:
    url = control.post("/start", json=name).json()["url"]
    started = time.monotonic()
    seen = see(url, case) if mode == "sync" else asyncio.run(see_async(url, case))
    spent_ms = (time.monotonic() - started) * 1000
    left = control.post("/end", json={}).json()
    wanted = dict(case["sees"])
    least_ms = wanted.pop("afterMs", 0)
    if left == {"faults": [], "left": 0} and has(seen, wanted) and spent_ms >= least_ms:
        return None
    return f"{case['name']} {name}: {seen} instead of {wanted}; {left}"


def main() -> int:
    control = httpx.Client(base_url=sys.argv[1], timeout=60)
    wrong: list[str] = []
    played = 0
    for file in ("requests.json", "streams.json"):
        for index, case in enumerate(json.loads((CASES / file).read_text())):
            name = {"file": file, "index": index}
            for cut_at in control.post("/cuts", json=name).json():
                fault = play(control, {**name, "cutAt": cut_at}, case, sys.argv[2])
                wrong += [] if fault is None else [fault]
                played += 1
    print("\n".join([*wrong, f"{played} played, {len(wrong)} wrong"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
