import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type CreateScheduleRequest, SchedulesService } from '@agentmesh/proto/webhooks/v1/schedules';
import type { HandlerContext } from '@connectrpc/connect';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../pg/index.ts';
import { testDatabaseUrl } from '../pg/testing/index.ts';
import { createLogger } from '../telemetry/index.ts';
import { forgetKeys, keyedHeaders, once } from './index.ts';

const resources = new AsyncDisposableStack();
let db: Database;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'once-'));
  resources.defer(() => rm(folder, { recursive: true }));
  const table = `create table idempotency_keys (account_id uuid not null, key_sha256 bytea not null, request_sha256 bytea not null,
      answer bytea, created_at timestamptz not null default now(), primary key (account_id, key_sha256));
    create table notes (account_id uuid not null, text text not null unique);`;
  await writeFile(join(folder, '0001-create.sql'), table);
  const { url } = resources.use(await testDatabaseUrl());
  const log = createLogger({ level: 'silent', name: 'notes' });
  const migrations = pathToFileURL(`${folder}/`);
  db = resources.use(await openDatabase({ service: 'notes', url, poolSize: 8, migrations }, log));
});
afterAll(() => resources.disposeAsync());

const insert = { text: 'insert into notes (account_id, text) values ($1, $2)' };

/** Stores a note under a random text, and answers it. */
let afterEffect = async (): Promise<void> => undefined;
const create = ({ db }: { readonly db: Database }) => {
  return async ({ accountId, cron }: CreateScheduleRequest) => {
    const secret = `${cron} ${randomUUID()}`;
    await db.transaction((tx) => tx.query(insert, [accountId, secret]));
    await afterEffect();
    return { schedule: { id: secret } };
  };
};

async function send(accountId: string, key: string | undefined, cron = 'text') {
  const handler = once({ db }, SchedulesService.method.createSchedule, create);
  const headers = key === undefined ? {} : keyedHeaders({ key, route: 'POST /notes', content: [cron] });
  const call = {
    requestHeader: new Headers(headers),
    signal: new AbortController().signal,
    timeoutMs: () => undefined,
  };
  const request = { accountId, cron } as CreateScheduleRequest;
  return handler(request, call as unknown as HandlerContext);
}

const notesOf = async (accountId: string) =>
  (await db.query<{ text: string }>({ text: 'select text from notes where account_id = $1' }, [accountId])).map(
    ({ text }) => text,
  );

test('a repeated call gets the answer of the first one, and has no second effect', async () => {
  const accountId = randomUUID();
  const first = await send(accountId, 'k');
  const second = await send(accountId, 'k');
  expect(second).toMatchObject({ already: true, schedule: { id: first.schedule?.id } });
  expect(first.already).not.toBe(true);
  expect(await notesOf(accountId)).toEqual([first.schedule?.id]);
});

test('calls at the same time wait for the first one, and get its answer', async () => {
  const accountId = randomUUID();
  const answers = await Promise.all(Array.from({ length: 12 }, () => send(accountId, 'k')));
  expect(new Set(answers.map(({ schedule }) => schedule?.id)).size).toBe(1);
  expect(answers.filter(({ already }) => already !== true)).toHaveLength(1);
  expect(await notesOf(accountId)).toHaveLength(1);
});

test('another request with the key is refused, and another account may use it', async () => {
  const accountId = randomUUID();
  await send(accountId, 'k');
  const reused = { code: 'failed_precondition', reason: 'idempotency_key_reused' };
  await expect(send(accountId, 'k', 'other')).rejects.toMatchObject(reused);
  const other = randomUUID();
  await send(other, 'k', 'other');
  expect(await notesOf(other)).toHaveLength(1);
});

test('a call that fails after its effect leaves neither the effect nor the key', async () => {
  const accountId = randomUUID();
  afterEffect = () => Promise.reject(new Error('the process dies'));
  await expect(send(accountId, 'k')).rejects.toThrow('the process dies');
  afterEffect = async () => undefined;
  expect(await notesOf(accountId)).toEqual([]);
  expect(await send(accountId, 'k')).not.toMatchObject({ already: true });
  expect(await notesOf(accountId)).toHaveLength(1);
});

test('calls without a key are independent', async () => {
  const accountId = randomUUID();
  await send(accountId, undefined);
  await send(accountId, undefined);
  expect(await notesOf(accountId)).toHaveLength(2);
});

test('the answer rests encrypted, and the key does not rest at all', async () => {
  const accountId = randomUUID();
  const { schedule } = await send(accountId, 'a key of the client');
  const [row] = await db.query<{ answer: Buffer; all: string }>(
    { text: 'select answer, idempotency_keys::text as all from idempotency_keys where account_id = $1' },
    [accountId],
  );
  expect(row?.answer.includes(schedule?.id ?? 'none')).toBe(false);
  const { 'mesh-idempotency-key': sent = '' } = keyedHeaders({
    key: 'a key of the client',
    route: 'POST /notes',
    content: [],
  });
  expect(row?.all).not.toContain(Buffer.from(sent, 'base64url').toString('hex'));
});

test('a key is forgotten after 24 hours', async () => {
  const accountId = randomUUID();
  await send(accountId, 'k');
  await forgetKeys(db);
  expect(await send(accountId, 'k')).toMatchObject({ already: true });
  await db.query({ text: `update idempotency_keys set created_at = now() - interval '25 hours'` });
  await forgetKeys(db);
  expect(await send(accountId, 'k')).not.toMatchObject({ already: true });
  expect(await notesOf(accountId)).toHaveLength(2);
});
