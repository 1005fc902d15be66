"""Requests that are refused at the same time, by tasks or threads, get one new token: python one_renewal.py"""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
from agentmesh import AgentMesh, AsyncAgentMesh

COUNT = 5


class Server:
    """Refuses the token of the sign-in when all requests with it have come, and renews it."""

    def __init__(self) -> None:
        self.renewals = 0
        self.refused = threading.Barrier(COUNT)

    def answer(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/users/me":
            return httpx.Response(200 if request.headers["authorization"] == "Bearer new" else 401, json={})
        is_renewal = request.url.path == "/api/auth/refresh-token"
        self.renewals += is_renewal
        return httpx.Response(200, json={"access_token": "new" if is_renewal else "old"})

    def answer_thread(self, request: httpx.Request) -> httpx.Response:
        answer = self.answer(request)
        if answer.status_code == 401:
            self.refused.wait()
        return answer


async def tasks() -> int:
    server = Server()

    async def answer(request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(0)
        return server.answer(request)

    async with AsyncAgentMesh("http://mesh", http=httpx.AsyncClient(transport=httpx.MockTransport(answer))) as mesh:
        await mesh.account.sign_in(email="a", password="secret")
        await asyncio.gather(*(mesh.account.me() for _ in range(COUNT)))
    return server.renewals


def threads() -> int:
    server = Server()
    http = httpx.Client(transport=httpx.MockTransport(server.answer_thread))
    with AgentMesh("http://mesh", http=http) as mesh, ThreadPoolExecutor(COUNT) as pool:
        mesh.account.sign_in(email="a", password="secret")
        for done in [pool.submit(mesh.account.me) for _ in range(COUNT)]:
            done.result()
    return server.renewals


renewals = [asyncio.run(tasks()), threads()]
if renewals != [1, 1]:
    raise SystemExit(f"{renewals} renewals of tasks and of threads")
