import { type Database, openDatabase } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import { ReadRunRequestSchema, RunStatus } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import type { Context } from '../../src/context.ts';
import { readRun } from '../../src/rpc/runs/read-run.ts';
import { appendTo, completed, driveTurns } from './drive-turns.ts';
import { agentEvent, json, newKey, parse, startSessionsForFile, textOf } from '../sessions.ts';

const service = startSessionsForFile();

const { newSession, begin } = driveTurns(service);

type Key = ReturnType<typeof newKey>;

async function read({ accountId }: Key, invocationId: string, range: object = {}) {
  const { run, events, more, lastSeq } = await service.client.readRun({ accountId, invocationId, ...range });
  return {
    status: run?.status,
    texts: events.map((event) => textOf(parse(event.json))),
    seqs: events.map(({ seq }) => seq),
    more,
    lastSeq,
  };
}

test('the events of a run are read by page, without those of other runs and of changes between them', async () => {
  const session = await newSession();
  const before = await begin(session, 'before');
  await service.client.appendEvents(appendTo(before, [], completed));
  const turn = await begin(session, 'hello');
  const { invocationId } = turn;
  expect(await read(session, invocationId)).toMatchObject({
    status: RunStatus.RUNNING,
    texts: ['hello'],
    seqs: [2],
    lastSeq: 2,
  });
  await service.client.patchSession({ session, stateDeltaJson: json({ a: 1 }) });
  const said = ['one', 'two'].map((text) => agentEvent(invocationId, text));
  await service.client.appendEvents(appendTo({ ...turn, lastSeq: 3 }, said, completed));
  const after = await begin(session, 'after');
  const whole = {
    status: RunStatus.COMPLETED,
    texts: ['hello', 'one', 'two'],
    seqs: [2, 4, 5],
    more: false,
    lastSeq: 6,
  };
  expect(await read(session, invocationId)).toEqual(whole);
  expect(await read(session, invocationId, { limit: 2 })).toMatchObject({ texts: ['hello', 'one'], more: true });
  expect(await read(session, invocationId, { afterSeq: 4 })).toMatchObject({ texts: ['two'], more: false });
  expect(await read(session, invocationId, { afterSeq: 5 })).toMatchObject({ texts: [], more: false });
  expect((await read(session, after.invocationId)).texts).toEqual(['after']);
});

/** A database; `between` happens behind the first read of it. */
function interrupted(db: Database, between: () => Promise<unknown>): Database {
  let reads = 0;
  const query = async (...read: Parameters<Database['query']>) => {
    const rows = await db.query(...read);
    reads += 1;
    if (reads === 1) await between();
    return rows;
  };
  return new Proxy(db, { get: (target, name) => (name === 'query' ? query : (Reflect.get(target, name) as unknown)) });
}

test('a page has no event behind the newest one that it tells, also when the run ends while it is being read', async () => {
  const log = createLogger({ level: 'silent', name: 'test' });
  const migrations = new URL('../../migrations/', import.meta.url);
  const options = { service: 'sessions', url: service.databaseUrl, poolSize: 2, migrations };
  await using database = await openDatabase(options, log);
  const turn = await begin(await newSession(), 'hello');
  const { session, invocationId } = turn;
  const accountId = session?.accountId ?? '';
  const end = () => service.client.appendEvents(appendTo(turn, [agentEvent(invocationId, 'bye')], completed));
  const db = interrupted(database, end);
  const request = create(ReadRunRequestSchema, { accountId, invocationId });
  const { run, events = [], lastSeq } = await readRun({ db } as Context)(request, {} as never);
  expect(run?.status).toBe(RunStatus.RUNNING);
  expect(events.map(({ seq }) => seq)).toEqual([lastSeq]);
});

test('the events of a run that went on after an answer are all read, although others ran meanwhile', async () => {
  const session = await newSession();
  const first = await begin(session, 'ask');
  await service.client.appendEvents(appendTo(first, [], { outcome: 4 }));
  const other = await begin(session, 'other');
  await service.client.appendEvents(appendTo(other, [agentEvent(other.invocationId, 'done')], completed));
  const second = await begin(session, 'answer', { invocationId: first.invocationId });
  await service.client.appendEvents(appendTo(second, [agentEvent(first.invocationId, 'thanks')], completed));
  expect((await read(session, first.invocationId)).texts).toEqual(['ask', 'answer', 'thanks']);
});

test('a run that waits in the queue has no events, and one of a deleted session has none any more', async () => {
  const session = await newSession();
  const first = await begin(session, 'one');
  const messageJson = json({ role: 'user', parts: [{ text: 'two' }] });
  const { invocationId } = await service.client.beginTurn({ session, messageJson, owner: 'o', window: 1 });
  expect(await read(session, invocationId)).toMatchObject({ status: RunStatus.QUEUED, texts: [] });
  await service.client.deleteSession({ session });
  expect(await read(session, first.invocationId)).toMatchObject({ status: RunStatus.CANCELLED, texts: [], lastSeq: 0 });
});

test('a run of another account or user is not found', async () => {
  const session = await newSession();
  const { invocationId } = await begin(session, 'one');
  await expect(read(newKey(), invocationId)).rejects.toMatchObject({ reason: 'run_not_found' });
  await expect(read(session, invocationId, { userId: 'u2' })).rejects.toMatchObject({ reason: 'run_not_found' });
  await expect(read(session, invocationId, { afterSeq: -1 })).rejects.toMatchObject({ reason: 'request_invalid' });
});
