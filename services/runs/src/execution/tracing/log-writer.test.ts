import { randomUUID } from 'node:crypto';
import { createLogger } from '@agentmesh/lib/telemetry';
import { startSpanWatching } from '@agentmesh/lib/spans';
import { SessionKeySchema, TurnSchema } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openTestDatabase, type RunsDatabase } from '../../../test/open-test-database.ts';
import type { Context } from '../../context.ts';
import { createForgetTraces } from '../../jobs/forget-traces.ts';
import { getRunLog } from '../../rpc/get-run-log.ts';
import { deleteAccountRunLines } from '../../store/run-logs.ts';
import { leaveOutOfRun, type RunLine, tellRun } from '../../tell-run.ts';
import { LogWriter } from './log-writer.ts';
import { watchAttempts } from './watch-attempts.ts';

let database: RunsDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

const accountId = randomUUID();
const log = createLogger({ level: 'silent', name: 'test' });
const sessionOf = (userId: string, sessionId = 's') => ({ appName: 'app', userId, sessionId });
const turn = (invocationId: string, attempt = 1, session = sessionOf('u')) =>
  create(TurnSchema, { session: create(SessionKeySchema, { accountId, ...session }), invocationId, attempt });
const open = (sample = 1) => new LogWriter({ db: database.db, log, sample });
const line = (message: string): RunLine => ({ level: 'warn', message });

interface StoredLine {
  readonly message: string;
  readonly attempt: number;
}

/** The log of a run, as the RPC answers it. */
async function read(invocationId: string, { session = sessionOf('u'), account = accountId } = {}) {
  const sessions = { readRun: () => Promise.resolve({ run: session }) };
  const handler = getRunLog({ db: database.db, sessions } as unknown as Context);
  const answer = await handler({ accountId: account, invocationId, userId: '' } as never, undefined as never);
  const { linesJson, leftOut } = answer as { linesJson: Uint8Array; leftOut: bigint };
  const lines = JSON.parse(Buffer.from(linesJson).toString()) as StoredLine[];
  return { lines, messages: lines.map(({ message }) => message), leftOut: Number(leftOut) };
}

test('lines of a run are stored within a second while it goes on, in their order, for its account and session alone', async () => {
  await using writer = open();
  const one = turn('e-one');
  writer.add(one, { level: 'info', message: 'first\0 \ud83d', source: 'app' });
  writer.add(one, { level: 'error', message: 'second', attributes: { tool: 'say', many: ['a'] } });
  writer.add(turn('e-one', 1, sessionOf('other')), line('of another user'));
  writer.add(turn('e-one', 1, sessionOf('u', 'other')), line('of another session'));
  await vi.waitFor(async () => expect((await read('e-one')).messages).toHaveLength(2), { timeout: 5_000 });
  writer.add(one, line('third'));
  await vi.waitFor(async () => expect((await read('e-one')).messages).toHaveLength(3), { timeout: 5_000 });
  const { lines, leftOut } = await read('e-one');
  const [first, second] = lines;
  const time = expect.any(Number);
  expect(first).toEqual({ time, level: 'info', message: 'first\ufffd \ufffd', source: 'app', attempt: 1 });
  const attributes = { tool: 'say', many: ['a'] };
  expect(second).toEqual({ time, level: 'error', message: 'second', source: 'mesh', attempt: 1, attributes });
  expect(leftOut).toBe(0);
  expect((await read('e-one', { session: sessionOf('other') })).messages).toEqual(['of another user']);
  expect((await read('e-one', { session: sessionOf('u', 'other') })).messages).toEqual(['of another session']);
  expect((await read('e-one', { account: randomUUID() })).messages).toEqual([]);
});

test('a run keeps 1,000 lines and 256 KiB over all of its attempts, each line 4,096 characters, and tells how many were left out', async () => {
  const writer = open();
  const [many, later] = [turn('e-many'), turn('e-many', 2)];
  for (let number = 0; number < 700; number += 1) writer.add(many, line(String(number)));
  await writer[Symbol.asyncDispose]();
  const next = open();
  for (let number = 700; number < 1_100; number += 1) next.add(later, line(String(number)));
  await next[Symbol.asyncDispose]();
  const { messages, lines, leftOut } = await read('e-many');
  expect(messages).toEqual(Array.from({ length: 1_000 }, (_, number) => String(number)));
  expect([lines.at(-1)?.attempt, leftOut]).toEqual([2, 100]);

  const large = open();
  const [wide, cut] = [turn('e-wide'), 'é'.repeat(5_000)];
  for (let number = 0; number < 100; number += 1) large.add(wide, line(cut));
  large.leaveOut(wide, 5);
  await large[Symbol.asyncDispose]();
  const stored = await read('e-wide');
  expect(stored.messages[0]).toMatch(/^é{4089}… \(cut\)$/);
  expect(Buffer.byteLength(JSON.stringify(stored.lines))).toBeLessThan(256 * 1_024);
  expect(stored.lines.length).toBeGreaterThan(25);
  expect(stored.leftOut).toBe(105 - stored.lines.length);
});

test('the lines of a run whose id and session a deleted one had take the place of those of that one, and of no other attempt', async () => {
  const former = open();
  const [first, second] = [turn('e-anew'), turn('e-anew', 2)];
  for (const one of [first, second]) former.add(one, line('of the former run'));
  former.leaveOut(first, 7);
  await former[Symbol.asyncDispose]();
  for (const attempt of [2, 1]) {
    const writer = open();
    writer.add(turn('e-anew', attempt), line(`attempt ${attempt}`));
    await writer[Symbol.asyncDispose]();
  }
  expect(await read('e-anew')).toMatchObject({ messages: ['attempt 1', 'attempt 2'], leftOut: 0 });
});

test('a line that is told of an attempt behind its end, such as a long wait, is stored behind the others', async () => {
  using _ = startSpanWatching();
  await using writer = open();
  const ended = turn('e-ended');
  await watchAttempts(1, { traces: [], lines: writer }, log).around(ended, async () => {
    tellRun(line('at work'));
    await vi.waitFor(async () => expect((await read('e-ended')).messages).toHaveLength(1), { timeout: 5_000 });
    return 'ended';
  });
  writer.add(ended, line('waited'));
  const messages = ['at work', 'waited'];
  await vi.waitFor(async () => expect((await read('e-ended')).messages).toEqual(messages), { timeout: 5_000 });
});

test('lines are deleted after the days of traces, and with their account, which is told how many there were', async () => {
  const { db } = database;
  const writer = open();
  const old = turn('e-old');
  for (const message of ['one', 'two']) writer.add(old, line(message));
  await writer[Symbol.asyncDispose]();
  const job = createForgetTraces({ db, config: { traces: { keepDays: 7 } } } as unknown as Context);
  await job.run();
  expect((await read('e-old')).messages).toEqual(['one', 'two']);
  const age = `update run_logs set created_at = now() - interval '8 days' where invocation_id = 'e-old'`;
  await db.query({ text: age });
  await job.run();
  expect((await read('e-old')).messages).toEqual([]);

  const writing = open();
  const gone = turn('e-gone');
  for (const message of ['one', 'two']) writing.add(gone, line(message));
  await writing[Symbol.asyncDispose]();
  const before = await db.query<{ lines: number }>({ text: 'select sum(line_count)::integer as lines from run_logs' });
  const counts = await db.transaction((tx) => deleteAccountRunLines(tx, accountId));
  expect(counts).toEqual({ log_lines: before[0]?.lines });
  expect((await read('e-gone')).messages).toEqual([]);
});

test('a database that takes no lines fails no attempt, and they count as left out with the next ones', async () => {
  const { db } = database;
  const warned: string[] = [];
  const told = createLogger({ level: 'warn', name: 'test', destination: { write: (text) => void warned.push(text) } });
  await using writer = new LogWriter({ db, log: told, sample: 1 });
  const lost = turn('e-lost');
  await db.query({ text: 'alter table run_logs rename to away' });
  for (const message of ['one', 'two']) writer.add(lost, line(message));
  await vi.waitFor(() => expect(warned).toHaveLength(1), { timeout: 5_000 });
  await db.query({ text: 'alter table away rename to run_logs' });
  writer.add(lost, line('three'));
  const later = { messages: ['three'], leftOut: 2 };
  await vi.waitFor(async () => expect(await read('e-lost')).toMatchObject(later), { timeout: 5_000 });
});

test('what is told in a run reaches its own log, also when many runs are at work, and nothing without a run or after its end', async () => {
  using _ = startSpanWatching();
  const writer = open();
  const watched = watchAttempts(1, { traces: [], lines: writer }, log);
  const late = Promise.withResolvers<void>();
  let after: Promise<void> = Promise.resolve();
  const run = (name: string) =>
    watched.around(turn(name), async () => {
      after = late.promise.then(() => tellRun(line('too late')));
      await Promise.resolve();
      tellRun(line(`of ${name}`));
      leaveOutOfRun(3);
      for (const _once of [1, 2]) tellRun({ ...line('once'), isOnce: true });
      return 'ended';
    });
  tellRun(line('of nobody'));
  const names = ['e-a', 'e-b', 'e-c'];
  await Promise.all(names.map(run));
  late.resolve();
  await after;
  await writer[Symbol.asyncDispose]();
  // Lines that others have left out before do not hide those that follow.
  for (const name of names) expect(await read(name)).toMatchObject({ messages: [`of ${name}`, 'once'], leftOut: 3 });
});

test('a run that is not in the sample has no lines', async () => {
  const writer = open(0.5);
  writer.add(turn('e-sampled-00000001'), line('kept'));
  writer.add(turn('e-not-sampled-ffffffff'), line('not kept'));
  await writer[Symbol.asyncDispose]();
  expect((await read('e-sampled-00000001')).messages).toEqual(['kept']);
  expect((await read('e-not-sampled-ffffffff')).messages).toEqual([]);
});
