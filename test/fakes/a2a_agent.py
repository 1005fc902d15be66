"""An agent by the Python SDK of the Agent2Agent protocol: it fails, asks, or answers, by the words that it is sent. Prints its port."""

import sys

import uvicorn
from a2a.helpers import proto_helpers
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from starlette.applications import Starlette

_, version, port = sys.argv


class Clerk(AgentExecutor):
    async def execute(self, context, event_queue):
        said = context.get_user_input()
        is_answer = context.current_task is not None
        if not is_answer:
            await event_queue.enqueue_event(proto_helpers.new_task_from_user_message(context.message))
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        reply = lambda text: updater.new_agent_message([proto_helpers.new_text_part(text)])
        await updater.start_work()
        if "fail" in said:
            await updater.failed(reply("out of paper"))
        elif "ask" in said:
            await updater.requires_input(reply("Which colour?"))
        else:
            await updater.add_artifact([proto_helpers.new_text_part(("answer: " if is_answer else "new: ") + said)])
            await updater.complete()

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


card = AgentCard(
    name="clerk",
    description="Does as it is told.",
    version="1",
    supported_interfaces=[
        AgentInterface(url=f"http://127.0.0.1:{port}/rpc", protocol_binding="JSONRPC", protocol_version=version)
    ],
    capabilities=AgentCapabilities(streaming=True),
    default_input_modes=["text/plain"],
    default_output_modes=["text/plain"],
    skills=[AgentSkill(id="s", name="s", description="s", tags=["s"])],
)
handler = DefaultRequestHandler(agent_executor=Clerk(), task_store=InMemoryTaskStore(), agent_card=card)
routes = [
    *create_agent_card_routes(card),
    *create_jsonrpc_routes(handler, "/rpc", enable_v0_3_compat=version == "0.3"),
]
uvicorn.run(Starlette(routes=routes), host="127.0.0.1", port=int(port), log_level="warning")
