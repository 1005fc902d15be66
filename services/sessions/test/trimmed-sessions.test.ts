import type { Database } from '@agentmesh/lib/pg';
import { Usage } from '@agentmesh/lib/usage';
import { RunStatus, type Turn } from '@agentmesh/proto/sessions/v1';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { artifactsAt, beginFolding, foldDeltas } from '../src/history/fold-deltas.ts';
import { deleteOld } from '../src/retention/delete-old.ts';
import { selectHistory } from '../src/store/histories.ts';
import { agentEvent, beginWith, json, newKey, readSession, startSessionsForFile } from './sessions.ts';
import { appendTo, completed, isBlocked, openTestDatabase } from './turns/drive-turns.ts';

const service = startSessionsForFile();
let db: Database;

beforeAll(async () => {
  db = await openTestDatabase(service.databaseUrl);
});
afterAll(() => db[Symbol.asyncDispose]());

const collect = () => {
  const usage = new Usage<'sessions' | 'bytes'>({ db, heldBy: 'sessions' });
  return deleteOld({ db, usage, defaultDays: 0, draining: new AbortController().signal });
};
const setRules = (accountId: string, rules: readonly { days: number }[]) =>
  service.client.setRetention({ accountId, rules: [...rules] });

test('a run that goes on while its row is about to be deleted stays', async () => {
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
    collected = collect().finally(() => (isOver = true));
    await isBlocked(other, () => isOver);
  });
  await collected;
  expect((await service.client.listRuns(key)).runs).toMatchObject([{ status: RunStatus.RUNNING }]);
});

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
  const range = { sessionPk, after: 0, at: 2, upTo: 4 };
  const folded = await foldDeltas(db, range, beginFolding({ initialArtifacts: history?.initialArtifacts ?? null }));
  expect(artifactsAt(folded)).toEqual([
    { name: 'a.txt', version: 4 },
    { name: 'b.txt', version: 0 },
  ]);
  await service.client.rewindSession({ session: key, beforeInvocationId: invocationId });
  expect((await readSession(service.client, key)).state).toEqual({ a: 1, b: 2, kept: 1, 'user:u': 9 });
});
