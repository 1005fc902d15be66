import {
  type BaseAgent,
  type BaseTool,
  createEvent,
  type Event,
  handleFunctionCallList,
  type InvocationContext,
  isLlmAgent,
  type LlmAgent,
  ReadonlyContext,
} from '@google/adk/core';
import type { FunctionCall, Part } from '@google/genai';
import type { OpenCallsOfEvent } from './open-calls-of.ts';

const unknown = 'outcome unknown: the server was interrupted while the tool ran, so it may have done its work or not';

/**
 * The event that answers open calls. Calls of tools that say that they are idempotent are made again, with the same `idempotencyKey`; the others are
 * answered with an error, because nobody knows how far they came.
 */
export async function answerOpenCalls(
  root: BaseAgent,
  context: InvocationContext,
  { event, calls }: OpenCallsOfEvent,
): Promise<Event> {
  const agent = root.findAgent(event.author ?? '');
  const tools = agent !== undefined && isLlmAgent(agent) ? await toolsOf(agent, context) : {};
  const again = calls.filter(({ name = '' }) => isIdempotent(tools[name]));
  const lost = calls.filter((call) => !again.includes(call));
  const { author = '', branch } = event;
  const answer = agent && isLlmAgent(agent) ? await callAgain(agent, context, { calls: again, tools }) : undefined;
  const parts = [...(answer?.content?.parts ?? []), ...lost.map(lostPart)];
  const content = { role: 'user', parts };
  return answer === undefined
    ? createEvent({ author, content, ...(branch !== undefined && { branch }) })
    : Object.assign(answer, { content });
}

function lostPart({ id, name }: FunctionCall): Part {
  return { functionResponse: { ...(id && { id }), ...(name && { name }), response: { error: unknown } } };
}

async function toolsOf(agent: LlmAgent, context: InvocationContext): Promise<Record<string, BaseTool>> {
  const tools = await agent.canonicalTools(new ReadonlyContext(context));
  return Object.fromEntries(tools.map((tool) => [tool.name, tool]));
}

/** A tool says so by a property `idempotent`. */
function isIdempotent(tool: BaseTool | undefined): boolean {
  return tool !== undefined && Reflect.get(tool, 'idempotent') === true;
}

async function callAgain(
  agent: LlmAgent,
  context: InvocationContext,
  { calls, tools }: { readonly calls: FunctionCall[]; readonly tools: Record<string, BaseTool> },
): Promise<Event | undefined> {
  if (calls.length === 0) return undefined;
  context.agent = agent;
  const made = await handleFunctionCallList({
    invocationContext: context,
    functionCalls: calls,
    toolsDict: tools,
    beforeToolCallbacks: agent.canonicalBeforeToolCallbacks,
    afterToolCallbacks: agent.canonicalAfterToolCallbacks,
  });
  return made ?? undefined;
}
