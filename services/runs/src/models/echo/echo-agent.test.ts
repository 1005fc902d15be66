import { type BaseAgent, type Event, InMemoryRunner, LlmAgent, LoopAgent, StreamingMode } from '@google/adk/core';
import type { Content } from '@google/genai';
import { describe, expect, test } from 'vitest';
import { createGuardedFetch } from '@agentmesh/lib/outbound';
import { builtInTools } from '../../apps/tools/built-in-tools.ts';
import { EchoLlm } from './echo-llm.ts';

const model = new EchoLlm({ model: 'echo/echo' });
const deps = { fetch: createGuardedFetch({ allow: [] }) };

function createAgent(name: string, subAgents: BaseAgent[] = []): LlmAgent {
  const tools = Array.from(builtInTools.values(), (create) => create(deps));
  return new LlmAgent({ name, model, tools, subAgents });
}

interface Conversation {
  readonly say: (message: Content | string) => Promise<Event[]>;
  readonly state: () => Promise<Record<string, unknown>>;
}

async function converse(agent: BaseAgent): Promise<Conversation> {
  const runner = new InMemoryRunner({ agent, appName: 'app' });
  const { id: sessionId } = await runner.sessionService.createSession({ appName: 'app', userId: 'u' });
  const runConfig = { streamingMode: StreamingMode.SSE, maxLlmCalls: 10 };
  return {
    async say(message) {
      const newMessage = typeof message === 'string' ? { role: 'user', parts: [{ text: message }] } : message;
      const events = await Array.fromAsync(runner.runAsync({ userId: 'u', sessionId, newMessage, runConfig }));
      return events.filter((event) => event.partial !== true);
    },
    async state() {
      return (await runner.sessionService.getSession({ appName: 'app', userId: 'u', sessionId }))?.state ?? {};
    },
  };
}

function saidBy(events: readonly Event[]): string[] {
  return events.flatMap((event) =>
    (event.content?.parts ?? []).flatMap((part) => `${event.author}: ${part.text ?? ''}`),
  );
}

const lastText = (events: readonly Event[]): string | undefined => events.at(-1)?.content?.parts?.[0]?.text;

describe('the echo model in the agent loop', () => {
  test('sets state, calls tools in order and echoes the rest', async () => {
    const { say, state } = await converse(createAgent('a'));
    const events = await say('[[state:color=blue]][[tool:get_current_time {"timezone":"Mars"}]] and more');
    expect(lastText(events)).toMatch(/^and more\nget_current_time: \{"error":/);
    expect(await state()).toEqual({ color: 'blue' });
    expect(lastText(await say('again'))).toBe('again');
  });

  test('a question to the user waits, and its answer is repeated', async () => {
    const { say } = await converse(createAgent('a'));
    const asked = await say('[[tool:request_input {"message":"Which?"}]]');
    const call = asked.at(-1)?.content?.parts?.[0]?.functionCall;
    expect(asked).toHaveLength(1);
    expect(asked[0]?.longRunningToolIds).toEqual([call?.id]);
    const functionResponse = { id: call?.id ?? '', name: 'request_input', response: { result: 'this' } };
    expect(lastText(await say({ role: 'user', parts: [{ functionResponse }] }))).toBe(
      'request_input: {"result":"this"}',
    );
  });

  test('a transfer happens once', async () => {
    const { say } = await converse(createAgent('root', [createAgent('helper')]));
    const events = await say('[[tool:transfer_to_agent {"agentName":"helper"}]] hi');
    expect(saidBy(events).at(-1)).toBe('helper: hi');
    expect(events).toHaveLength(3);
  });

  test('exit_loop ends a loop in its first round', async () => {
    const loop = new LoopAgent({ name: 'loop', maxIterations: 5, subAgents: [createAgent('a')] });
    const { say } = await converse(loop);
    expect(await say('[[tool:exit_loop]]')).toHaveLength(2);
  });

  test('a failure and an unknown tool end the run with an error event', async () => {
    const { say } = await converse(createAgent('a'));
    expect((await say('[[fail:no luck]]')).at(-1)).toMatchObject({ errorCode: 'ECHO_FAIL', errorMessage: 'no luck' });
    expect((await say('[[tool:nothing]]')).at(-1)).toMatchObject({ errorCode: 'ECHO_TOOL_UNKNOWN' });
  });
});
