"""Makes the sync client from the async one: python make_sync.py"""

import re
from pathlib import Path

folder = Path(__file__).parent / "src" / "agentmesh"
WORDS = [
    (r'"""The client for asyncio\..*?"""', '"""The client that waits. Made from `_async.py` by `make_sync.py`; do not edit."""'),
    (r", for asyncio\.", "."),
    (r"import asyncio\nimport inspect\nimport os\n", "import os\n"),
    (r"from time import monotonic\n", "from time import monotonic, sleep\n"),
    (r"await token if inspect\.isawaitable\(token\) else token", "token"),
    (r"Union\[str, Awaitable\[str\]\]", "str"),
    (r"AsyncIterator, Awaitable, ", "Iterator, "),
    (r"AsyncIterator", "Iterator"),
    (r"StopAsyncIteration", "StopIteration"),
    (r"asyncio\.sleep", "sleep"),
    (r"__aiter__", "__iter__"),
    (r"__anext__", "__next__"),
    (r"__aenter__", "__enter__"),
    (r"__aexit__", "__exit__"),
    (r"\baiter_sse", "iter_sse"),
    (r"\baread\b", "read"),
    (r"\baclose\b", "close"),
    (r"httpx\.AsyncClient", "httpx.Client"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\basync ", ""),
    (r"\bawait ", ""),
    (r"# sync: ", ""),
    (r" It begins when it is read first, or with `begin\(\)`\.", ""),
]


def sync_text() -> str:
    text = (folder / "_async.py").read_text()
    for pattern, word in WORDS:
        text = re.sub(pattern, word, text)
    return text


if __name__ == "__main__":
    (folder / "_sync.py").write_text(sync_text())
