"""An agent of ADK for Python, served by its own `to_a2a`. It needs no model."""

import sys

import uvicorn
from google.adk.a2a.utils.agent_to_a2a import to_a2a
from google.adk.agents import BaseAgent
from google.adk.events import Event
from google.genai import types


class Shouter(BaseAgent):
    """Says in capital letters what it is told, and how many messages of the user the conversation has."""

    async def _run_async_impl(self, ctx):
        said = [event for event in ctx.session.events if event.author == "user"]
        text = "".join(part.text or "" for part in ctx.user_content.parts)
        if text == "fail":
            raise ValueError("the agent failed")
        parts = [types.Part(text=f"{text.upper()} {len(said)}")]
        yield Event(author=self.name, invocation_id=ctx.invocation_id, content=types.Content(role="model", parts=parts))


port = int(sys.argv[1])
app = to_a2a(Shouter(name="shouter", description="Shouts."), host="127.0.0.1", port=port)
uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")
