"""Prints the public verbs of the client that have no doc comment; exit code 1 when there are some."""

import inspect
import sys

import agentmesh


def main() -> int:
    with agentmesh.AgentMesh("http://127.0.0.1:9", "t") as mesh:
        groups = [mesh, *(it for name, it in vars(mesh).items() if not name.startswith("_"))]
    classes = {type(it) for it in groups} | {agentmesh.RunStream, agentmesh.Download}
    bare = [
        f"{kind.__name__}.{name}"
        for kind in classes
        for name, member in vars(kind).items()
        if not name.startswith("_") and callable(member) and not inspect.getdoc(member)
    ]
    print("".join(f"{it} has no doc comment\n" for it in sorted(bare)), end="")
    return 1 if bare else 0


if __name__ == "__main__":
    sys.exit(main())
