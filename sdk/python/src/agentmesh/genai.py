"""Contents and events as objects of google-genai: `pip install 'agentmesh[genai]'`.

Messages may be such objects everywhere: `mesh.runs.stream(app=…, user=…, message=types.Content(…))`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.genai import types

__all__ = ["content_of", "parts_of"]


def content_of(event: Mapping[str, Any]) -> types.Content | None:
    """The content of an event; None where it has none.

    >>> content_of({"content": {"role": "model", "parts": [{"text": "Hello"}]}}).parts[0].text
    'Hello'
    """
    content = event.get("content")
    return None if content is None else types.Content.model_validate(_known(content))


def parts_of(event: Mapping[str, Any]) -> list[types.Part]:
    """The parts of an event: texts, files, calls of tools and their responses.

    >>> parts_of({"content": {"parts": [{"functionCall": {"name": "find_order", "args": {"number": "A-1"}}}]}})[0].function_call.args
    {'number': 'A-1'}
    """
    content = content_of(event)
    return [] if content is None else content.parts or []


def _known(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content without fields of parts that this version of google-genai does not know: its types refuse them."""
    names = {field.alias or name for name, field in types.Part.model_fields.items()} | set(types.Part.model_fields)
    parts = [{name: value for name, value in part.items() if name in names} for part in content.get("parts") or []]
    return {"role": content.get("role"), "parts": parts}
