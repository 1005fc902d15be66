import { randomUUID } from 'node:crypto';
import { createLogger, createMetrics } from '@agentmesh/lib/telemetry';
import { SessionKeySchema, TurnSchema } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type RunsDatabase } from '../../../test/open-test-database.ts';
import type { Context } from '../../context.ts';
import { createForgetTraces } from '../../jobs/forget-traces.ts';
import { hashOfNames } from '../../hash-of-names.ts';
import { selectTraces } from '../../store/traces.ts';
import type { TracedSpan } from './attempt-trace.ts';
import type { SpanRecord } from './gen-ai-span.ts';
import { TraceWriter } from './trace-writer.ts';

let database: RunsDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

const accountId = randomUUID();
const log = createLogger({ level: 'silent', name: 'test' });
const turn = (invocationId: string, attempt = 1, userId = 'u') =>
  create(TurnSchema, { session: create(SessionKeySchema, { accountId, userId }), invocationId, attempt });
const span = (spanId: string, said = 'x'): TracedSpan => ({
  name: 'execute_tool say',
  traceId: '1',
  spanId,
  startTime: 1e18,
  endTime: 2e18,
  hasFailed: false,
  attributes: { 'gen_ai.tool.name': 'say', 'gcp.vertex.agent.tool_call_args': said, 'gen_ai.tool.description': said },
  eventId: 'e',
});
const seen = (...spans: TracedSpan[]) => ({
  seen: spans.map((one) => ({ ...one, ended: () => one })),
  spans: () => spans,
});
const read = async (invocationId: string, { userId = 'u', isBound = false } = {}) => {
  const sessionSha256 = hashOfNames('', userId, '');
  const [row] = await selectTraces(database.db, { accountId, invocationId, userId, sessionSha256, isBound });
  return JSON.parse(row?.spans ?? '') as SpanRecord[];
};

test('spans are stored within 32 KiB an attempt, in the terms of the conventions alone, and deleted after their days', async () => {
  const { db } = database;
  const writer = new TraceWriter({ db, log, metrics: createMetrics({ processMetrics: false }), sample: 0.5 });
  writer.add(turn('e-small-00000001'), seen(span('1', 'secret'), span('2')));
  writer.add(turn('e-small-00000001', 33), seen(span('3')));
  writer.add(turn('e-large-00000000'), seen(...Array.from({ length: 1_000 }, (_, number) => span(String(number)))));
  writer.add(turn('e-not-sampled-ffffffff'), seen(span('1')));
  await writer[Symbol.asyncDispose]();

  expect((await read('e-small-00000001')).map(({ id }) => id)).toEqual(['1', '2']);
  expect(JSON.stringify(await read('e-small-00000001'))).not.toContain('secret');
  expect(await read('e-not-sampled-ffffffff')).toEqual([]);
  const large = await read('e-large-00000000');
  expect(large.at(-1)).toEqual({
    id: '999',
    name: 'execute_tool say',
    start: 1e9,
    end: 2e9,
    status: 'ok',
    attributes: { 'gen_ai.tool.name': 'say', 'agentmesh.event.id': 'e' },
  });
  expect(JSON.stringify(large).length).toBeLessThan(32_768);
  expect(large.length).toBeGreaterThan(100);

  const job = createForgetTraces({ db, config: { traces: { keepDays: 7 } } } as unknown as Context);
  await job.run();
  expect(await read('e-large-00000000')).toHaveLength(large.length);
  await db.query({ text: `update traces set created_at = now() - interval '8 days'` });
  await job.run();
  expect(await read('e-large-00000000')).toEqual([]);
});

test('the span of a tool that throws, which ADK does not describe, names the tool', async () => {
  const writer = new TraceWriter({
    db: database.db,
    log,
    metrics: createMetrics({ processMetrics: false }),
    sample: 1,
  });
  const attributes = { 'error.type': 'TypeError' };
  writer.add(turn('e-thrown-00000001'), seen({ ...span('1'), hasFailed: true, attributes }));
  await writer[Symbol.asyncDispose]();
  const named = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'say' };
  const [stored] = await read('e-thrown-00000001');
  expect(stored?.attributes).toEqual({ ...named, ...attributes, 'agentmesh.event.id': 'e' });
});

test('a caller who acts for one user gets no spans of a run with the same id of another user', async () => {
  const { db } = database;
  const writer = new TraceWriter({ db, log, metrics: createMetrics({ processMetrics: false }), sample: 1 });
  writer.add(turn('named', 1, 'other'), seen(span('1')));
  writer.add(turn('named', 2, 'own'), seen(span('2')));
  await writer[Symbol.asyncDispose]();
  const ids = async (user: object) => (await read('named', user)).map(({ id }) => id);
  expect(await ids({ userId: 'own', isBound: true })).toEqual(['2']);
  expect(await ids({ userId: 'other', isBound: true })).toEqual(['1']);
  await db.query({ text: `update traces set user_id = null, session_sha256 = '' where invocation_id = 'named'` });
  expect(await ids({ userId: 'own', isBound: true })).toEqual([]);
  expect(await ids({ userId: 'own' })).toEqual(['1', '2']);
});
