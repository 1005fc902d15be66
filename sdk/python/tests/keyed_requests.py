"""A request that is sent again has the Idempotency-Key of its first try, uploads too: python keyed_requests.py"""

import httpx
from agentmesh import AgentMesh

asked: list[httpx.Request] = []


def answer(request: httpx.Request) -> httpx.Response:
    asked.append(request)
    if len(asked) % 2 == 1:
        raise httpx.ReadError("the answer is lost")
    return httpx.Response(200, json={"version": 0})


def keys_of(count: int) -> list[str | None]:
    return [it.headers.get("idempotency-key") for it in asked[-count:]]


mesh = AgentMesh("http://mesh", "t", http=httpx.Client(transport=httpx.MockTransport(answer)), backoff=0.001)
name = {"app": "echo", "user": "u1", "session": "s1", "name": "a.txt"}

mesh.artifacts.upload(b"Hello", **name)
one, other = keys_of(2)
if one is None or one != other:
    raise SystemExit(f"an upload that was sent again has the keys {one} and {other}")

mesh.artifacts.upload(b"Hello", **name, idempotency_key="own")
if keys_of(2) != ["own"] * 2:
    raise SystemExit(f"the given key was sent as {keys_of(2)}")
