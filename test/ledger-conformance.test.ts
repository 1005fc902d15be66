import { randomUUID } from 'node:crypto';
import { MeshError } from '@agentmesh/lib/rpc';
import { asDeclared, testNode } from '@agentmesh/lib/rpc/testing';
import { createLogger, createMetrics } from '@agentmesh/lib/telemetry';
import {
  AttemptEnd_Outcome,
  RunStatus,
  type SessionKey,
  SessionKeySchema,
  SessionsService,
  type Turn,
} from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InMemorySessions } from '../services/runs/test/in-memory-sessions.ts';
import {
  agentEvent,
  beginWith,
  json,
  newKey,
  parse,
  type SessionsClient,
  startSessions,
  textOf,
} from '../services/sessions/test/sessions.ts';
import { appendTo } from '../services/sessions/test/turns/drive-turns.ts';

type Key = ReturnType<typeof newKey>;

/** A ledger under test: the service, and what other callers than executors do to its sessions. */
interface Ledger extends AsyncDisposable {
  readonly client: SessionsClient;
  patch(key: Key, delta: Record<string, string>): Promise<unknown>;
  address(key: Key, invocationId: string, text: string): Promise<unknown>;
  delete(key: Key): Promise<unknown>;
}

/** The service itself, on a real PostgreSQL. */
async function realLedger(): Promise<Ledger> {
  const service = await startSessions();
  const { client } = service;
  return {
    client,
    patch: (session, delta) => client.patchSession({ session, stateDeltaJson: json(delta) }),
    address: ({ accountId }, invocationId, text) =>
      client.addRunMessage({ accountId, invocationId, messageJson: json({ role: 'user', parts: [{ text }] }) }),
    delete: (session) => client.deleteSession({ session }),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** The double with which the tests of runs drive executors. */
function ledgerOfTests(): Promise<Ledger> {
  const sessions = new InMemorySessions();
  const log = createLogger({ level: 'silent', name: 'test' });
  const mesh = testNode({ urls: {}, log, metrics: createMetrics({ processMetrics: false }) });
  mesh.serve(SessionsService, sessions.service);
  const named = (key: Key): SessionKey => create(SessionKeySchema, key);
  return Promise.resolve({
    client: asDeclared(mesh).client(SessionsService),
    patch: async (key, delta) => sessions.patch(named(key), delta),
    address: async (key, _, text) => sessions.address(named(key), text),
    delete: async (key) => sessions.delete(named(key)),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
}

const completed = { outcome: AttemptEnd_Outcome.COMPLETED };
const cancelled = { outcome: AttemptEnd_Outcome.CANCELLED };
const reasonOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'answered',
    (error: unknown) => (error instanceof MeshError ? error.reason : String(error)),
  );

describe.each([
  ['the sessions service', realLedger],
  ['the sessions of the tests of runs', ledgerOfTests],
])('%s', (_, open) => {
  let ledger: Ledger;
  beforeAll(async () => {
    ledger = await open();
  });
  afterAll(() => ledger?.[Symbol.asyncDispose]());

  const newSession = async (): Promise<Key> => {
    const session = newKey();
    await ledger.client.createSession({ session, stateJson: json({}) });
    return session;
  };
  const begin = async (session: Key, text: string, over: object = {}): Promise<Turn> => {
    const { turn } = await ledger.client.beginTurn(beginWith(session, text, over));
    return turn ?? expect.fail('the run waits');
  };
  const append = (turn: Turn, texts: readonly string[], end?: object) =>
    ledger.client.appendEvents(
      appendTo(
        turn,
        texts.map((text) => agentEvent(turn.invocationId, text)),
        end,
      ),
    );
  const statusOf = async ({ accountId }: Key, invocationId: string) =>
    (await ledger.client.getRun({ accountId, invocationId })).run?.status;
  const claim = async (session: Key, invocationId: string) =>
    await ledger.client.claimRuns({ owner: 'executor-1', window: 20, limit: 1, session, invocationId });
  const textsOf = (turn: Turn | undefined) => turn?.events.map((bytes) => textOf(parse(bytes)));

  test('a turn carries the message, the state without temporary keys, and a first attempt', async () => {
    const session = await newSession();
    const turn = await begin(session, 'one', { stateDeltaJson: json({ a: 1 }) });
    expect(textsOf(turn)).toEqual(['one']);
    expect(parse(turn.stateJson)).toEqual({ a: 1 });
    expect([turn.attempt, turn.lastSeq]).toEqual([1, 1]);
    expect(await statusOf(session, turn.invocationId)).toBe(RunStatus.RUNNING);
  });

  test('the window leaves out the events that the executor knows', async () => {
    const session = await newSession();
    const first = await begin(session, 'one');
    const reply = agentEvent(first.invocationId, 'reply');
    const { lastSeq } = await ledger.client.appendEvents(appendTo(first, [reply], completed));
    const second = await begin(session, 'two', {
      known: { sessionPk: first.sessionPk, lastSeq, eventId: reply.id, timeline: first.timeline },
    });
    expect([textsOf(second), second.knownSeq]).toEqual([['two'], lastSeq]);
  });

  test('the window is whole when the executor knows another event at the sequence that it names', async () => {
    const session = await newSession();
    const first = await begin(session, 'one');
    const { lastSeq } = await append(first, ['reply'], completed);
    const second = await begin(session, 'two', {
      known: { sessionPk: first.sessionPk, lastSeq, eventId: 'other', timeline: first.timeline },
    });
    expect([textsOf(second), second.knownSeq]).toEqual([['one', 'reply', 'two'], 0]);
  });

  test('runs of a session take turns in order, and each is given out once', async () => {
    const session = await newSession();
    const first = await begin(session, 'one');
    const waiting = [];
    for (const text of ['two', 'three']) waiting.push(await ledger.client.beginTurn(beginWith(session, text)));
    expect(waiting.map(({ turn }) => turn)).toEqual([undefined, undefined]);
    const [second = '', third = ''] = waiting.map(({ invocationId }) => invocationId);
    expect(await statusOf(session, second)).toBe(RunStatus.QUEUED);
    await append(first, ['reply'], completed);
    expect(await claim(session, third)).toMatchObject({ turns: [], status: RunStatus.QUEUED });
    expect((await claim(session, second)).turns.map(textsOf)).toEqual([['one', 'reply', 'two']]);
    expect(await claim(session, second)).toMatchObject({ turns: [], status: RunStatus.RUNNING });
  });

  test('an older fence, a turn that is over and a deleted session take nothing', async () => {
    const session = await newSession();
    const turn = await begin(session, 'one');
    expect(await reasonOf(append({ ...turn, fence: turn.fence - 1n }, ['late']))).toBe('fence_lost');
    await append(turn, [], completed);
    expect(await statusOf(session, turn.invocationId)).toBe(RunStatus.COMPLETED);
    expect(await reasonOf(append(turn, ['late']))).toBe('fence_lost');
    const next = await begin(session, 'two');
    await ledger.delete(session);
    expect(await reasonOf(append(next, ['late']))).toBe('fence_lost');
  });

  test('an append that is repeated is stored once and answered alike', async () => {
    const session = await newSession();
    const turn = await begin(session, 'one');
    const request = appendTo(turn, [agentEvent(turn.invocationId, 'reply')], completed);
    const { lastSeq } = await ledger.client.appendEvents(request);
    expect((await ledger.client.appendEvents(request)).lastSeq).toBe(lastSeq);
    expect(textsOf(await begin(session, 'two'))).toEqual(['one', 'reply', 'two']);
  });

  test('an append is told what others have changed in the state, and of messages to the run', async () => {
    const session = await newSession();
    const turn = await begin(session, 'one');
    await ledger.patch(session, { x: 'y' });
    const answer = await append(turn, ['reply']);
    expect(answer.stateDeltasJson.map((bytes) => parse(bytes))).toEqual([{ x: 'y' }]);
    await ledger.address(session, turn.invocationId, 'wait');
    const request = appendTo({ ...turn, lastSeq: answer.lastSeq }, [], completed);
    const end = await ledger.client.appendEvents({ ...request, takesMessages: true });
    expect([end.goesOn, end.messagesJson.map((bytes) => textOf(parse(bytes)))]).toEqual([true, ['wait']]);
    expect(await statusOf(session, turn.invocationId)).toBe(RunStatus.RUNNING);
    expect((await ledger.client.appendEvents(request)).goesOn).toBe(false);
    expect(await statusOf(session, turn.invocationId)).toBe(RunStatus.COMPLETED);
  });

  test('a running run that is cancelled takes only its end as cancelled', async () => {
    const session = await newSession();
    const { accountId } = session;
    const turn = await begin(session, 'one');
    const { invocationId } = turn;
    await ledger.client.cancelRun({ accountId, invocationId });
    expect(await reasonOf(append(turn, ['late'], completed))).toBe('run_cancelling');
    await append(turn, ['so far'], cancelled);
    expect(await statusOf(session, invocationId)).toBe(RunStatus.CANCELLED);
  });

  test('a waiting run that is cancelled is over, and its executor learns it', async () => {
    const session = await newSession();
    const { accountId } = session;
    await begin(session, 'one');
    const { invocationId, sessionPk } = await ledger.client.beginTurn(beginWith(session, 'two'));
    await ledger.client.cancelRun({ accountId, invocationId });
    expect(await statusOf(session, invocationId)).toBe(RunStatus.CANCELLED);
    const runs = [{ accountId, sessionPk, invocationId }];
    const { granted, left } = await ledger.client.checkQueuedRuns({ owner: 'executor-1', runs });
    expect([granted, left.map(({ status }) => status)]).toEqual([[], [RunStatus.CANCELLED]]);
  });

  test('a postponed run is granted the free turn, and begins when it is claimed', async () => {
    const session = await newSession();
    const { invocationId, granted, turn } = await ledger.client.beginTurn(
      beginWith(session, 'one', { postpone: true }),
    );
    expect([granted, turn]).toEqual([true, undefined]);
    expect((await claim(session, invocationId)).turns.map(textsOf)).toEqual([['one']]);
  });

  test('a run creates the session that it names, and without that asks for one', async () => {
    const session = newKey();
    expect(await reasonOf(begin(session, 'one'))).toBe('session_not_found');
    const { turn } = await ledger.client.beginTurn(beginWith(session, 'one', { createsSession: true }));
    expect(textsOf(turn)).toEqual(['one']);
  });

  test('a run that nobody has begun is not found', async () => {
    const { accountId } = newKey();
    expect(await reasonOf(ledger.client.getRun({ accountId, invocationId: `e-${randomUUID()}` }))).toBe(
      'run_not_found',
    );
  });
});
