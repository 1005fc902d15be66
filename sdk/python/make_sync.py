"""Makes the sync client from the async one: python make_sync.py"""

import re
import sys
from pathlib import Path

package = Path(__file__).parent / "src" / "agentmesh"
WORDS = [
    (r'"""The client for asyncio\. .*"""', '"""The client that waits. Made from `_async` by `make_sync.py`; do not edit."""'),
    (r", for asyncio\.", "."),
    (r"from asyncio import Lock, sleep", r"from threading import Lock\nfrom time import sleep"),
    (r"import inspect\n", ""),
    (r"await token if inspect\.isawaitable\(token\) else token", "token"),
    (r"Union\[str, Awaitable\[str\]\]", "str"),
    (r"Awaitable\[str \| None\]", "str | None"),
    (r"Awaitable, ", ""),
    (r"AsyncGenerator\[(.*), None\]", r"Generator[\1, None, None]"),
    (r"AsyncGenerator", "Generator"),
    (r"AsyncIterator", "Iterator"),
    (r"StopAsyncIteration", "StopIteration"),
    (r"__a(iter|next|enter|exit)__", r"__\1__"),
    (r"\ba(iter_sse|iter_raw|iter_bytes|read)\b", r"\1"),
    (r"\baclos(e|ing)\b", r"clos\1"),
    (r"httpx\.AsyncClient", "httpx.Client"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\basync ", ""),
    (r"\bawait ", ""),
    (r"# sync: ", ""),
    (r" It begins when it is read first, or with `begin\(\)`\.", ""),
]


def sync_texts() -> dict[Path, str]:
    """The text of each file of the sync client."""
    texts = {}
    for file in sorted((package / "_async").glob("*.py")):
        text = file.read_text()
        for pattern, word in WORDS:
            text = re.sub(pattern, word, text)
        texts[package / "_sync" / file.name] = text
    return texts


def is_current() -> bool:
    """Whether the files are those that would be made now."""
    found = {file: file.read_text() for file in (package / "_sync").glob("*.py")}
    return found == sync_texts()


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if is_current() else "_sync is not what _async makes: python make_sync.py")
    (package / "_sync").mkdir(exist_ok=True)
    for file, text in sync_texts().items():
        file.write_text(text)
