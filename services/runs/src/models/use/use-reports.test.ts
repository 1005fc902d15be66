import { MeshError } from '@agentmesh/lib/rpc';
import { createLogger } from '@agentmesh/lib/telemetry';
import type { EndCallsRequest } from '@agentmesh/proto/keys/v1/model_use';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { EndCallsRequestSchema } from '@agentmesh/proto/keys/v1/model_use';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { UseReports } from './use-reports.ts';

const log = createLogger({ level: 'silent', name: 'test' });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A keys service that answers as told, and the ids of the calls of each report. */
function createKeys(...failures: Error[]) {
  const reports: string[][] = [];
  const gate = { opened: Promise.resolve() };
  return {
    reports,
    gate,
    async endCalls({ calls = [] }: MessageInitShape<typeof EndCallsRequestSchema> | EndCallsRequest) {
      reports.push(calls.map(({ callId }) => callId ?? ''));
      await gate.opened;
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return { $typeName: 'agentmesh.keys.v1.EndCallsResponse' as const };
    },
  };
}

test('reports that come while one is sent are sent together, in order', async () => {
  const keys = createKeys();
  const { promise, resolve } = Promise.withResolvers<void>();
  keys.gate.opened = promise;
  const reports = new UseReports(keys, log);
  for (const callId of ['a', 'b', 'c']) reports.add({ callId });
  resolve();
  await reports.settle();
  reports.add({ callId: 'd' });
  await reports.settle();
  expect(keys.reports).toEqual([['a'], ['b', 'c'], ['d']]);
});

test('a report that comes in the moment in which the queue was found empty is sent, and waited for at the end', async () => {
  const sent: unknown[] = [];
  const { promise, resolve } = Promise.withResolvers<{ $typeName: 'agentmesh.keys.v1.EndCallsResponse' }>();
  const endCalls = ({ calls }: MessageInitShape<typeof EndCallsRequestSchema>) => {
    sent.push(calls);
    return promise;
  };
  const reports = new UseReports({ endCalls }, log);
  reports.add({ callId: 'a' });
  void promise.then(() => reports.add({ callId: 'b' }));
  resolve({ $typeName: 'agentmesh.keys.v1.EndCallsResponse' });
  await reports.flush(1_500);
  expect(sent).toEqual([[{ callId: 'a' }], [{ callId: 'b' }]]);
});

test('a report that failed is sent again, after a second or when the process stops', async () => {
  const away = () => new MeshError('unavailable', 'service_unreachable', 'away');
  const keys = createKeys(away(), away());
  const reports = new UseReports(keys, log);
  reports.add({ callId: 'a' });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(keys.reports).toEqual([['a'], ['a']]);
  await reports.flush(1_500);
  expect(keys.reports).toEqual([['a'], ['a'], ['a']]);
});

test.each([
  ['refuses', new MeshError('invalid_argument', 'request_invalid', 'no')],
  ['fails on', new MeshError('internal', 'internal', 'no')],
])('one report that the service %s is dropped, and the others are sent', async (_what, error) => {
  const taken = new Set<string>();
  const reports = new UseReports(
    {
      async endCalls({ calls = [] }) {
        if (calls.some(({ callId }) => callId === '7')) throw error;
        for (const { callId = '' } of calls) taken.add(callId);
        return { $typeName: 'agentmesh.keys.v1.EndCallsResponse' as const };
      },
    },
    log,
  );
  for (let call = 0; call < 600; call += 1) reports.add({ callId: String(call) });
  await vi.advanceTimersByTimeAsync(60_000);
  await reports.settle();
  expect(taken.size).toBe(599);
});

test('reports are kept while the service fails on all of them for some seconds', async () => {
  const faults = Array.from({ length: 6 }, () => new MeshError('internal', 'internal', 'The disk is full.'));
  const keys = createKeys(...faults);
  const reports = new UseReports(keys, log);
  for (const callId of ['a', 'b', 'c']) reports.add({ callId });
  await vi.advanceTimersByTimeAsync(10_000);
  await reports.settle();
  expect(keys.reports.slice(faults.length).flat()).toEqual(['a', 'b', 'c']);
});

test('a stop waits no longer than its deadline, and the queue has a bound', async () => {
  const keys = createKeys();
  keys.gate.opened = new Promise(() => undefined);
  const reports = new UseReports(keys, log);
  for (let call = 0; call < 30_000; call += 1) reports.add({ callId: String(call) });
  const flushed = reports.flush(1_500);
  await vi.advanceTimersByTimeAsync(1_500);
  await flushed;
  expect(keys.reports).toHaveLength(1);
});
