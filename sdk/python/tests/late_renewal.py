"""A renewal that ends behind another sign-in changes neither its token nor its cookie: python late_renewal.py"""

import asyncio
import json

import httpx
from agentmesh import AsyncAgentMesh


async def main() -> None:
    asked: list[str] = []
    refused: set[str] = set()
    renewing, released = asyncio.Event(), asyncio.Event()

    async def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/auth/token":
            user = json.loads(request.content)["email"]
            return signed_in(user, user)
        if request.url.path == "/api/users/me":
            token = request.headers["authorization"].removeprefix("Bearer ")
            asked.append(token)
            return httpx.Response(401 if token in refused else 200, json={})
        user = request.headers["cookie"].partition("=")[2]
        asked.append(f"renewal of {user}")
        renewing.set()
        await released.wait()
        return signed_in(user, f"{user}-renewed")

    async with AsyncAgentMesh("http://mesh", http=httpx.AsyncClient(transport=httpx.MockTransport(answer))) as mesh:
        await mesh.account.sign_in(email="a", password="secret")
        refused.add("a")
        before = asyncio.create_task(mesh.account.me())
        await renewing.wait()
        await mesh.account.sign_in(email="b", password="secret")
        released.set()
        await before
        refused.add("b")
        await mesh.account.me()
    wanted = ["a", "renewal of a", "b", "b", "renewal of b", "b-renewed"]
    if asked != wanted:
        raise SystemExit(f"{asked} instead of {wanted}")


def signed_in(user: str, token: str) -> httpx.Response:
    return httpx.Response(200, json={"access_token": token}, headers={"set-cookie": f"refresh_token={user}; HttpOnly"})


asyncio.run(main())
