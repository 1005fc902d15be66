import { type BaseTool, FunctionTool, LlmAgent, SequentialAgent } from '@google/adk/core';
import { MeshError } from '@agentmesh/lib/rpc';
import { startSpanWatching, watchSpan } from '@agentmesh/lib/spans';
import { completeActions, type EventJson, toWireEvent } from '@agentmesh/proto/event';
import { AttemptEnd_Outcome, TurnSchema } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import { beforeEach, describe, expect, test } from 'vitest';
import { decode, encode } from './stored-session.ts';
import { type AgentBench, createAgentBench } from './run-agents.ts';
import { calls, says, ScriptLlm } from './script-llm.ts';
import { SeenRun } from './seen-run.ts';

/** Calls of tools, with their keys. */
const done: string[] = [];
beforeEach(() => void done.splice(0));

function toolOf(name: string, idempotent: boolean): BaseTool {
  const execute = (_: unknown, context?: { readonly functionCallId?: string }) => {
    done.push(`${name} ${context?.functionCallId}`);
    return { answer: name };
  };
  return Object.assign(new FunctionTool({ name, description: name, execute }), { idempotent });
}

function helper(model: ScriptLlm): LlmAgent {
  return new LlmAgent({ name: 'helper', model, tools: [toolOf('pay', false), toolOf('look', true)] });
}

type Part = Record<string, unknown>;

const call = (name: string, id = name): Part => ({ functionCall: { id, name, args: {} } });
const response = (name: string, id = name): Part => ({
  functionResponse: { id, name, response: { answer: 'stored' } },
});

function eventOf(parts: Part[], over: object = {}): Partial<EventJson> {
  const role = parts.some((part) => 'functionResponse' in part) ? 'user' : 'model';
  return { author: 'helper', content: { role, parts }, ...over } as Partial<EventJson>;
}

/** A message that was added to the run. */
const message = {
  author: 'user',
  content: { role: 'user', parts: [{ text: 'a message' }] },
  customMetadata: { addedToRun: true },
} as Partial<EventJson>;

/** A run whose executor died when it had stored these events; goes on with it. */
async function takeOver(bench: AgentBench, ...events: Partial<EventJson>[]): Promise<void> {
  const { client, key, sessions, executor } = bench;
  const messageJson = encode({ role: 'user', parts: [{ text: 'hello' }] });
  const { turn } = await client.beginTurn({ session: key, messageJson, owner: 'dead', window: 64 });
  if (turn === undefined) throw new Error('the turn is taken');
  const { invocationId, sessionPk, fence } = turn;
  const wires = events.map((event, index) =>
    toWireEvent({
      id: `${index}`,
      author: 'helper',
      timestamp: 1,
      actions: completeActions({}),
      ...event,
      invocationId,
    }),
  );
  const name = { accountId: 'a', sessionPk, invocationId, fence, lastSeq: 1 };
  if (wires.length > 0) await client.appendEvents({ ...name, events: wires });
  const stored = sessions.events(key).map(encode);
  const taken = { events: stored, lastSeq: stored.length, turnStarts: [1], messageJson: new Uint8Array(0) };
  executor.start(create(TurnSchema, { ...turn, ...taken, isTakeover: true }));
  await executor.idle();
}

/** The event behind those that were stored before. */
function nextEvent({ sessions, key }: AgentBench, before: number): EventJson {
  return sessions.events(key)[before + 1] as unknown as EventJson;
}

const usageOf = ({ sessions, key }: AgentBench) => decode(sessions.run(key).end?.usageJson ?? new Uint8Array(0));

const endOf = ({ sessions, key }: AgentBench) => sessions.run(key).end?.outcome;

describe('a run that is taken over', () => {
  test('asks the model again when nothing of the answer was stored', async () => {
    const model = new ScriptLlm(says('answer'));
    const bench = createAgentBench(helper(model));
    await takeOver(bench);
    expect(nextEvent(bench, 0)).toMatchObject({ content: { parts: [{ text: 'answer' }] } });
    expect(endOf(bench)).toBe(AttemptEnd_Outcome.COMPLETED);
  });

  test('never makes a call again whose response is stored', async () => {
    const model = new ScriptLlm(says('answer'));
    const bench = createAgentBench(helper(model));
    await takeOver(bench, eventOf([call('look')]), eventOf([response('look')]));
    expect(done).toEqual([]);
    expect(JSON.stringify(model.requests[0]?.contents)).toContain('stored');
    expect(endOf(bench)).toBe(AttemptEnd_Outcome.COMPLETED);
  });

  test('tells the model that the outcome of a call is unknown, unless the tool is idempotent', async () => {
    const model = new ScriptLlm(says('answer'));
    const bench = createAgentBench(helper(model));
    await takeOver(bench, eventOf([call('pay', '1'), call('look', '2')]));
    expect(done).toEqual(['look 2']);
    const unknown = { id: '1', name: 'pay', response: { error: expect.stringContaining('outcome unknown') } };
    const { content } = nextEvent(bench, 1);
    expect(content?.parts).toHaveLength(2);
    expect(content?.parts).toContainEqual({ functionResponse: unknown });
    expect(content?.parts).toContainEqual({
      functionResponse: { id: '2', name: 'look', response: { answer: 'look' } },
    });
    expect(JSON.stringify(model.requests[0]?.contents)).toContain('outcome unknown');
    expect(model.requests).toHaveLength(1);
  });

  test('ends without a model when its last answer was stored', async () => {
    const model = new ScriptLlm(says('again'));
    const bench = createAgentBench(helper(model));
    await takeOver(bench, eventOf([{ text: 'answer' }]));
    expect(model.requests).toEqual([]);
    expect(bench.sessions.events(bench.key)).toHaveLength(2);
    expect(endOf(bench)).toBe(AttemptEnd_Outcome.COMPLETED);
  });

  test('lets an agent answer a message that came while its last answer was made', async () => {
    const model = new ScriptLlm(says('to the message'));
    const bench = createAgentBench(helper(model));
    await takeOver(bench, message, eventOf([{ text: 'too early' }]));
    const texts = model.requests[0]?.contents.flatMap(({ parts }) => parts?.map(({ text }) => text));
    expect(texts).toEqual(['hello', 'too early', 'a message']);
    expect(nextEvent(bench, 2)).toMatchObject({ content: { parts: [{ text: 'to the message' }] } });
    expect(model.requests).toHaveLength(1);
    expect(endOf(bench)).toBe(AttemptEnd_Outcome.COMPLETED);
  });

  test('ends without a model when the answer to an added message was stored', async () => {
    const model = new ScriptLlm(says('again'));
    const bench = createAgentBench(helper(model));
    await takeOver(bench, message, eventOf([{ text: 'too early' }]), eventOf([{ text: 'to the message' }]));
    expect(model.requests).toEqual([]);
    expect(endOf(bench)).toBe(AttemptEnd_Outcome.COMPLETED);
  });

  test('has cost what was counted of its dead executor, and may not go on when that is too much, or not known', async () => {
    const counted = async () => ({ nanos: 300_000_001n, unpriced: 0 });
    const free = createAgentBench(helper(new ScriptLlm(says('done'))), { countCost: counted });
    await takeOver(free);
    expect(usageOf(free)).toMatchObject({ cost: 0.300_000_001 });
    for (const countCost of [counted, () => Promise.reject(new Error('no answer'))]) {
      const limited = createAgentBench(helper(new ScriptLlm(calls('look'))), { countCost, limits: { cost: 0.3 } });
      await takeOver(limited);
      expect(limited.sessions.run(limited.key).end).toMatchObject({ errorCode: 'MAX_RUN_COST' });
    }
  });

  test('waits through an outage until its cost is known, when that is limited', async () => {
    const away = () => new MeshError('unavailable', 'database_unavailable', 'The database cannot be reached.');
    const failures = [away(), away()];
    const countCost = async () => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return { nanos: 100_000_000n, unpriced: 0 };
    };
    const model = new ScriptLlm(calls('look'), says('done'));
    const bench = createAgentBench(helper(model), { countCost, limits: { cost: 0.3 } });
    await takeOver(bench);
    expect(endOf(bench)).toBe(AttemptEnd_Outcome.COMPLETED);
    expect(usageOf(bench)).toMatchObject({ cost: 0.1 });
  });

  test('waits when it had asked a person', async () => {
    const bench = createAgentBench(helper(new ScriptLlm(says('again'))));
    const id = 'adk_request_confirmation';
    await takeOver(
      bench,
      eventOf([call('pay')]),
      eventOf([response('pay')]),
      eventOf([call(id)], { longRunningToolIds: [id] }),
    );
    expect(endOf(bench)).toBe(AttemptEnd_Outcome.WAITING);
    const waiting = JSON.parse(
      Buffer.from(bench.sessions.run(bench.key).end?.waitingForJson ?? []).toString(),
    ) as object;
    expect(waiting).toMatchObject([{ functionCallId: id }]);
  });

  test('goes on with the agent that the run was handed over to', async () => {
    const model = new ScriptLlm(says('as sub'));
    const sub = new LlmAgent({ name: 'sub', model, description: 'Below.' });
    const bench = createAgentBench(
      new LlmAgent({ name: 'helper', model: new ScriptLlm(says('as root')), subAgents: [sub] }),
    );
    const actions = completeActions({ transferToAgent: 'sub' });
    await takeOver(bench, eventOf([call('transfer_to_agent')]), eventOf([response('transfer_to_agent')], { actions }));
    expect(nextEvent(bench, 2)).toMatchObject({ author: 'sub', content: { parts: [{ text: 'as sub' }] } });
  });

  test('fails with an event when it was in a workflow', async () => {
    const step = helper(new ScriptLlm(says('again')));
    const bench = createAgentBench(new SequentialAgent({ name: 'steps', subAgents: [step] }));
    await takeOver(bench, eventOf([{ text: 'one' }]));
    expect(nextEvent(bench, 1)).toMatchObject({ author: 'steps', errorCode: 'INTERRUPTED' });
    expect(endOf(bench)).toBe(AttemptEnd_Outcome.FAILED);
  });
});

test('the log of a run that is taken up says so, and why it could not go on', async () => {
  using _ = startSpanWatching();
  const seen = new SeenRun();
  const root = new SequentialAgent({ name: 'helper', subAgents: [helper(new ScriptLlm())] });
  const bench = createAgentBench(root);
  await watchSpan(seen, { name: 'invocation', attributes: {} }, () => takeOver(bench, eventOf([call('pay')])));
  expect(seen.lines).toMatchObject([
    { level: 'warn', message: expect.stringContaining('another one goes on from the last stored event') },
    {
      level: 'error',
      message: expect.stringMatching(/^The run has failed: ./),
      attributes: { errorCode: 'INTERRUPTED' },
    },
  ]);
});
