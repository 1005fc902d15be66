"""Uses the verbs of the client for asyncio on a mesh: python use_verbs.py <url> <email> <password>. Fails with the first that is wrong."""

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
import sys
import time
from collections.abc import AsyncIterator

from agentmesh import AsyncAgentMesh, ChangedError, Gap, NotFoundError, UnauthenticatedError, verify_webhook
from agentmesh.genai import content_of
from google.genai import types

PLACE = {"app": "echo", "user": "python"}


async def sign_in(mesh: AsyncAgentMesh, email: str, password: str) -> None:
    try:
        await mesh.account.me()
        raise AssertionError("there is an account without a token")
    except UnauthenticatedError:
        pass
    await mesh.account.sign_in(email=email, password=password)
    assert (await mesh.account.me())["email"] == email
    token = await mesh.tokens.create({"name": "report", "scopes": ["runs:read"]})
    await mesh.tokens.revoke(token["id"])
    program = await mesh.tokens.create({"name": "program", "scopes": ["runs:read"]})
    async with AsyncAgentMesh(mesh._transport.options.url, program["token"]) as own:
        await own.tokens.revoke_current()
    assert [it["id"] async for it in mesh.tokens.list()] == []
    # A token that is refused is replaced with the refresh cookie.
    mesh._transport._token = "no token"
    assert (await mesh.account.me())["email"] == email
    assert [it["current"] async for it in mesh.account.sign_ins()] == [True]


async def artifacts(mesh: AsyncAgentMesh) -> None:
    session = {**PLACE, "session": (await mesh.sessions.create(**PLACE))["id"]}
    data = secrets.token_bytes(3_000_000)

    async def pieces() -> AsyncIterator[bytes]:
        for at in range(0, len(data), 100_000):
            yield data[at : at + 100_000]

    name = {**session, "name": "a b/ü.bin"}
    made = await mesh.artifacts.upload(pieces, **name, mime_type="image/png")
    assert made["version"] == 0
    async with await mesh.artifacts.download(**name) as file:
        assert (file.mime_type, file.bytes) == ("image/png", len(data))
        assert b"".join([piece async for piece in file]) == data
    assert await mesh.artifacts.list(**session) == ["a b/ü.bin"]
    assert [it["version"] for it in await mesh.artifacts.versions(**name)] == [0]
    await mesh.artifacts.delete(**name)
    assert await mesh.artifacts.list(**session) == []


async def sessions(mesh: AsyncAgentMesh) -> None:
    made = await mesh.sessions.create(**PLACE, sessionId="s1", state={"city": "Kiel"})
    name = {**PLACE, "session": made["id"]}
    for text in ("one", "two"):
        await mesh.runs.stream(**name, text=text).final()
    events = [it async for it in mesh.sessions.events(**name, limit=2)]
    assert [it["author"] for it in events] == ["user", "echo"] * 2
    runs = [it["invocationId"] async for it in mesh.sessions.runs(**name)]
    assert len(runs) == 2
    copy = await mesh.sessions.fork(**name, invocationId=runs[1])
    assert len((await mesh.sessions.get(**PLACE, session=copy["id"])).get("events") or []) == 2
    await mesh.sessions.rewind(**name, before=runs[0])
    assert "s1" in [it["id"] async for it in mesh.sessions.list(**PLACE)]
    await mesh.sessions.delete(**name)
    try:
        await mesh.sessions.get(**name)
        raise AssertionError("a deleted session is there")
    except NotFoundError:
        pass


async def records(mesh: AsyncAgentMesh) -> None:
    made = await mesh.agents.create_from_yaml("name: helper\nmodel: echo/default\ninstruction: Help.\n")
    id = made["agent_id"]
    text = await mesh.agents.yaml(id)
    await mesh.agents.replace_with_yaml(id, text.replace("Help.", "Help well."))
    try:
        await mesh.agents.replace_with_yaml(id, text, if_match='"1"')
        raise AssertionError("a change of a former version was taken")
    except ChangedError:
        pass
    assert len(await mesh.agents.versions(id)) == 2
    await mesh.agents.restore(id, 1)
    assert (await mesh.agents.get(id))["agent_instruction"] == "Help."
    assert [it["agent_name"] async for it in mesh.agents.list()] == ["helper"]
    await mesh.agents.delete(id)
    assert [it async for it in mesh.schedules.list()] == []
    assert [it async for it in mesh.keys.list()] == []
    assert [it async for it in mesh.webhooks.list()] == []
    assert [it async for it in mesh.webhooks.logs()] == []
    assert [it async for it in mesh.integrations.list()] == []
    assert [it async for it in mesh.memory.list(**PLACE)] == []
    assert [it["action"] async for it in mesh.account.audit()]
    assert (await mesh.agents.models())["providers"]
    assert (await mesh.apps.info("echo"))["name"] == "echo"


async def export(mesh: AsyncAgentMesh) -> None:
    lines = [json.loads(line) async for line in mesh.account.export()]
    assert [lines[0]["kind"], lines[-1]["kind"]] == ["export", "end"]
    assert lines[-1]["data"]["account"] == 1
    assert lines[-1]["data"]["event"] == len([it for it in lines if it["kind"] == "event"]) > 0


async def news(mesh: AsyncAgentMesh) -> None:
    changes = mesh.changes.stream()
    assert await changes.__anext__() == Gap(up_to="")
    notifications = mesh.notifications.stream()
    waiting = asyncio.ensure_future(notifications.__anext__())
    started = await mesh.runs.start(**PLACE, text="tell me")
    async for change in changes:
        if not isinstance(change, Gap) and change["id"] == started["invocationId"]:
            break
    assert (await mesh.runs.wait(started["invocationId"], seconds=30))["status"] == "completed"
    while not waiting.done():
        await mesh.runs.start(**PLACE, text="again")
        await asyncio.wait([waiting], timeout=0.5)
    assert (await waiting)["read"] is False
    assert await mesh.notifications.unread_count() > 0
    # The last runs may still add one each.
    while await mesh.notifications.unread_count() > 0:
        await mesh.notifications.read_all()


async def objects_of_genai(mesh: AsyncAgentMesh) -> None:
    picture = types.Part.from_bytes(data=b"\xfb\xff\xfe" * 5, mime_type="image/png")
    said = types.Content(parts=[types.Part.from_text(text="What is this?"), picture])
    run = mesh.runs.stream(**PLACE, message=said)
    events = (await run.final()).events
    mine = content_of(events[0])
    assert mine is not None and mine.role == "user" and mine.parts is not None
    assert mine.parts[1].inline_data == picture.inline_data
    answer = content_of(events[-1])
    assert answer is not None and answer.role == "model"


def webhooks() -> None:
    secret = secrets.token_bytes(24)
    body = json.dumps({"type": "run.completed", "timestamp": "", "data": {}}).encode()
    sent = str(int(time.time()))
    signature = base64.b64encode(hmac.new(secret, b"msg_1." + sent.encode() + b"." + body, hashlib.sha256).digest())
    headers = {"Webhook-Id": "msg_1", "Webhook-Timestamp": sent, "Webhook-Signature": f"v1,AAAA v1,{signature.decode()}"}
    text = f"whsec_{base64.b64encode(secret).decode()}"
    assert verify_webhook(body, headers, secret=text)["type"] == "run.completed"
    for changed in (
        (body + b" ", headers),
        (body, {**headers, "Webhook-Timestamp": str(int(sent) - 301)}),
        (body, {**headers, "Webhook-Id": "msg_2"}),
    ):
        try:
            verify_webhook(*changed, secret=text)
            raise AssertionError(f"{changed} was taken")
        except Exception as error:
            assert type(error).__name__ == "WebhookVerificationError", error


async def main(url: str, email: str, password: str) -> None:
    webhooks()
    async with AsyncAgentMesh(url) as mesh:
        await sign_in(mesh, email, password)
        for use in (artifacts, sessions, records, export, news, objects_of_genai):
            await use(mesh)
            print(use.__name__)
        await mesh.account.sign_out()
    print("all verbs did what they say")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
