"""Runs the examples of the doc comments against a mesh: python run_examples.py <url> <token>. Prints those that are wrong; exit code 1 then."""

import doctest
import importlib
import pkgutil
import sys

import agentmesh
from agentmesh import AgentMesh


def main(url: str, token: str) -> int:
    ran = wrong = 0
    with AgentMesh(url, token) as mesh:
        for found in pkgutil.walk_packages(agentmesh.__path__, "agentmesh."):
            # The same examples stand in the client for asyncio, without its words.
            if "._async" in found.name:
                continue
            result = doctest.testmod(importlib.import_module(found.name), extraglobs={"mesh": mesh})
            ran, wrong = ran + result.attempted, wrong + result.failed
    print(f"{ran} examples ran, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
