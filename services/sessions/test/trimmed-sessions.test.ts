import type { Database } from '@agentmesh/lib/pg';
import { databaseWith } from '@agentmesh/lib/pg/testing';
import { Usage } from '@agentmesh/lib/usage';
import {
  AttemptEnd_Outcome,
  ForkSessionRequestSchema,
  Multitask,
  RunStatus,
  type Turn,
} from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccountState, heldBy, type SessionUsage } from '../src/account-usage.ts';
import { artifactsAt, beginFolding, foldDeltas } from '../src/history/fold-deltas.ts';
import type { Context } from '../src/context.ts';
import { planRewind } from '../src/history/plan-rewind.ts';
import { planRollback } from '../src/history/plan-rollback.ts';
import { forkSession } from '../src/rpc/history/fork-session.ts';
import { deleteOld } from '../src/retention/delete-old.ts';
import { deletePrefix } from '../src/retention/delete-prefix.ts';
import { appendAndEndAttempt } from '../src/store/appends.ts';
import { insertRewind, selectHistory } from '../src/store/histories.ts';
import { deleteOldestRuns } from '../src/store/retention/grown-accounts.ts';
import { agentEvent, beginWith, json, newKey, readSession, startSessionsForFile } from './sessions.ts';
import { appendTo, completed, isBlocked, openTestDatabase } from './turns/drive-turns.ts';

const service = startSessionsForFile();
let db: Database;

beforeAll(async () => {
  db = await openTestDatabase(service.databaseUrl);
});
afterAll(() => db[Symbol.asyncDispose]());

function usageOf(): SessionUsage {
  return new Usage({ db, heldBy });
}

const collect = () => deleteOld({ db, usage: usageOf(), defaultDays: 0, draining: new AbortController().signal });
const setRules = (accountId: string, rules: readonly { days: number }[]) =>
  service.client.setRetention({ accountId, rules: [...rules] });

const removals = {
  'for its age': collect,
  'as one of the oldest': (accountId: string) => deleteOldestRuns(db, { accountId, limit: 1 }),
};

test.each(Object.entries(removals))(
  'a run that goes on while its row is about to be deleted %s stays',
  async (_, remove) => {
    const key = newKey();
    await service.client.createSession({ session: key });
    const { turn } = await service.client.beginTurn(beginWith(key, 'question'));
    await service.client.appendEvents(appendTo(turn as Turn, [], completed));
    const past = `update runs set created_at = now() - interval '40 days', ended_at = now() - interval '40 days' where account_id = $1`;
    await db.query({ text: past }, [key.accountId]);
    await setRules(key.accountId, [{ days: 30 }]);
    await using other = await openTestDatabase(service.databaseUrl);
    let collected: Promise<unknown> | undefined;
    let isOver = false;
    await other.transaction(async (tx) => {
      const text = `update runs set status = 'running', ended_at = null where account_id = $1`;
      await tx.query({ text }, [key.accountId]);
      collected = remove(key.accountId).finally(() => (isOver = true));
      await isBlocked(other, () => isOver);
    });
    await collected;
    expect((await service.client.listRuns(key)).runs).toMatchObject([{ status: RunStatus.RUNNING }]);
  },
);

test('a rewind, and a copy, of a session that has lost its first events know what these had changed', async () => {
  const key = newKey();
  const actions = (stateDelta: object, artifactDelta: object) => ({ stateDelta, artifactDelta });
  const old = [
    actions({ a: 1, b: 1, gone: null, 'user:u': 1 }, { 'a.txt': 3, 'b.txt': 0, 'user:c.txt': 1 }),
    actions({ b: 2 }, { 'a.txt': 4 }),
  ].map((changed, index) => ({
    ...agentEvent(`i-${index}`, 'old'),
    json: json({ author: 'agent', invocationId: `i-${index}`, timestamp: 1, actions: changed }),
  }));
  await service.client.createSession({ session: key, stateJson: json({ a: 0, gone: 1, kept: 1 }), events: old });
  await setRules(key.accountId, [{ days: 30 }]);
  expect(await collect()).toMatchObject({ events: 2 });
  const { turn } = await service.client.beginTurn(beginWith(key, 'now'));
  const { sessionPk = 0n, invocationId = '' } = turn ?? {};
  const delta = { a: 9, b: null, gone: 9, new: 9, 'user:u': 9 };
  await service.client.appendEvents(appendTo(turn as Turn, [agentEvent(invocationId, 'said', delta)], completed));
  const history = await selectHistory(db, key);
  const range = { accountId: key.accountId, sessionPk, after: 0, at: 2, upTo: 4 };
  const folded = await foldDeltas(db, range, beginFolding({ initialArtifacts: history?.initialArtifacts ?? null }));
  expect(artifactsAt(folded)).toEqual([
    { name: 'a.txt', version: 4 },
    { name: 'b.txt', version: 0 },
  ]);
  await service.client.rewindSession({ session: key, beforeInvocationId: invocationId });
  expect((await readSession(service.client, key)).state).toEqual({ a: 1, b: 2, kept: 1, 'user:u': 9 });
});

const sizes = { stateValueBytes: 1e6, stateScopeBytes: 1e6, sessionBytes: 1e6 };
const accountLimits = { sessions: 10, bytes: 1e6, runs: 10, state: 1e6 };
const limits = { ...sizes, accountState: createAccountState({ usage: usageOf(), accountLimits }) };

/** A session with a turn whose events go, one that changes nothing, and a running one. */
async function withOldTurn() {
  const key = newKey();
  await service.client.createSession({ session: key });
  const old = await service.client.beginTurn(beginWith(key, 'old', { stateDeltaJson: json({ color: 'red' }) }));
  await service.client.appendEvents(appendTo(old.turn as Turn, [], completed));
  const { turn: plain } = await service.client.beginTurn(beginWith(key, 'plain'));
  await service.client.appendEvents(appendTo(plain as Turn, [], completed));
  const now = await service.client.beginTurn(beginWith(key, 'now', { stateDeltaJson: json({ color: 'blue' }) }));
  const turn = now.turn as Turn;
  /** Retention deletes the old turn just before a plan looks at the changes of events. */
  const trims: Database = databaseWith(db, {
    query: async (statement, values) => {
      const prefix = { accountId: key.accountId, sessionPk: turn.sessionPk, first: 1, upTo: 1 };
      if (statement.name === 'list-deltas') await deletePrefix(db, prefix);
      return db.query(statement, values);
    },
    forLongWork: () => trims,
  });
  const trimming = { db: trims, usage: usageOf(), accountLimits, limits } as unknown as Context;
  return { key, plain: plain as Turn, turn, trimming };
}

test('a rewind that has not seen events which retention deletes meanwhile is not stored', async () => {
  const { key, turn, trimming } = await withOldTurn();
  await service.client.appendEvents(appendTo(turn, [], completed));
  const history = (await selectHistory(db, key)) ?? expect.fail('the session is gone');
  const planned = await planRewind(trimming, { key, history, beforeInvocationId: turn.invocationId });
  const { event, changes = [], viewAfter } = planned ?? {};
  expect(changes).toMatchObject([{ key: 'color', value: null }]);
  const write = { events: event === undefined ? [] : [event], changes, limits };
  expect(await insertRewind(db, key, { history, view: viewAfter?.(0) ?? null, ...write })).toBeUndefined();
  await service.client.rewindSession({ session: key, beforeInvocationId: turn.invocationId });
  expect((await readSession(service.client, key)).state).toEqual({ color: 'red' });
});

test('nor is such a rollback, which the end of its run then tries again', async () => {
  const { key, turn, trimming } = await withOldTurn();
  await service.client.beginTurn(beginWith(key, 'next', { multitask: Multitask.ROLLBACK }));
  const { sessionPk, invocationId, lastSeq } = turn;
  const run = { accountId: key.accountId, sessionPk, invocationId };
  const append = { ...run, fence: turn.fence + 1n, lastSeq, events: [], changes: [], limits };
  const planned = await planRollback(trimming, append);
  expect(planned.changes).toMatchObject([{ key: 'color', value: null }]);
  const outcome = { status: 'interrupted', errorCode: null, errorMessage: null, model: null, usage: null } as const;
  const wait = { waitingFor: null, agent: null, answerSeconds: null, asksByMail: false, isPlain: false };
  const fact = { fact: new Uint8Array(0), trace: null };
  expect(await appendAndEndAttempt(db, planned, { ...outcome, ...wait, ...fact })).toBe('refused');
  await service.client.appendEvents(appendTo(turn, [], { outcome: AttemptEnd_Outcome.INTERRUPTED }));
  expect((await readSession(service.client, key)).state).toEqual({ color: 'red' });
});

test('a copy that was read while retention deleted events of the session has what these had changed', async () => {
  const { key, plain, trimming } = await withOldTurn();
  const copyOf = forkSession(trimming);
  const request = create(ForkSessionRequestSchema, { session: key, invocationId: plain.invocationId });
  const { sessionId = '' } = await copyOf(request, {} as HandlerContext);
  const copied = await readSession(service.client, { ...key, sessionId });
  expect(copied.state).toEqual({ color: 'red' });
  expect(copied.events.map(({ invocationId }) => invocationId)).toEqual([plain.invocationId]);
});

test('a copy whose last event retention deletes meanwhile is refused as one of an unknown event', async () => {
  const { key, turn, trimming } = await withOldTurn();
  const { events } = await readSession(service.client, key);
  const copyOf = forkSession(trimming);
  const request = create(ForkSessionRequestSchema, { session: key, eventId: events[0]?.id ?? '' });
  expect(events.at(-1)?.invocationId).toBe(turn.invocationId);
  await expect(copyOf(request, {} as HandlerContext)).rejects.toMatchObject({ reason: 'event_not_found' });
});
