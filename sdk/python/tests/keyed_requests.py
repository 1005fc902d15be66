"""Requests have one Idempotency-Key for all tries, uploads too, and one's own where it is given: python keyed_requests.py"""

import httpx
from agentmesh import AgentMesh

asked: list[httpx.Request] = []


def answer(request: httpx.Request) -> httpx.Response:
    asked.append(request)
    if len(asked) % 2 == 1:
        raise httpx.ReadError("the answer is lost")
    return httpx.Response(200, json={"version": 0}, headers={"etag": '"7"'})


def keys_of(count: int) -> list[str | None]:
    return [it.headers.get("idempotency-key") for it in asked[-count:]]


mesh = AgentMesh("http://mesh", "t", http=httpx.Client(transport=httpx.MockTransport(answer)), backoff=0.001)
name = {"app": "echo", "user": "u1", "session": "s1"}

mesh.artifacts.upload(b"Hello", **name, name="a.txt")
one, other = keys_of(2)
if one is None or one != other:
    raise SystemExit(f"an upload that was sent again has the keys {one} and {other}")

for verb in (
    lambda key: mesh.artifacts.upload(b"Hello", **name, name="a.txt", idempotency_key=key),
    lambda key: mesh.request("POST", "/api/agents/1/run", body={}, idempotency_key=key),
    lambda key: mesh.request("POST", "/api/agents/1/run", body={}, headers={"Idempotency-Key": key}),
    lambda key: mesh.account.update(1, {}, idempotency_key=key),
    lambda key: mesh.agents.create({}, idempotency_key=key),
    lambda key: mesh.agents.create_from_yaml("", idempotency_key=key),
    lambda key: mesh.agents.restore(1, 1, idempotency_key=key),
    lambda key: mesh.keys.create({}, idempotency_key=key),
    lambda key: mesh.keys.update("1", {}, idempotency_key=key),
    lambda key: mesh.runs.answer("e-1", {"id": "1", "response": {}}, {}, idempotency_key=key),
    lambda key: mesh.runs.cancel("e-1", idempotency_key=key),
    lambda key: mesh.runs.steer("e-1", "Stop", idempotency_key=key),
    lambda key: mesh.schedules.create({}, idempotency_key=key),
    lambda key: mesh.schedules.pause("1", idempotency_key=key),
    lambda key: mesh.schedules.resume("1", idempotency_key=key),
    lambda key: mesh.schedules.update("1", {}, idempotency_key=key),
    lambda key: mesh.sessions.create(app="echo", user="u1", idempotency_key=key),
    lambda key: mesh.sessions.fork(**name, idempotency_key=key),
    lambda key: mesh.sessions.rewind(**name, before="e-1", idempotency_key=key),
    lambda key: mesh.sessions.update(**name, idempotency_key=key),
    lambda key: mesh.tokens.create({}, idempotency_key=key),
    lambda key: mesh.webhooks.create({}, idempotency_key=key),
    lambda key: mesh.webhooks.retrigger(1, idempotency_key=key),
    lambda key: mesh.webhooks.update(1, {}, idempotency_key=key),
):
    verb("own")
    if keys_of(2) != ["own", "own"] or b"idempotency" in asked[-1].read():
        raise SystemExit(f"the given key was sent to {asked[-1].url} as {keys_of(2)}")

record, tag = mesh.request_tagged("GET", "/api/agents/1")
if (record, tag) != ({"version": 0}, '"7"'):
    raise SystemExit(f"the record is {record}, its tag {tag}")
