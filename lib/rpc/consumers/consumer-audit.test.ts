import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { ConsumerAudit, type ConsumerCalls } from './consumer-audit.ts';

const log = pino({ level: 'silent' });
const call = { consumer: 'orders', service: 'sessions', method: 'GetSession', isRefused: false };

function open(times = { lookMs: 1, betweenMs: 3_600_000 }) {
  const recorded: ConsumerCalls[] = [];
  let isAway = false;
  const record = (_: string, calls: readonly ConsumerCalls[]) => {
    if (isAway) return Promise.reject(new Error('away'));
    recorded.push(...calls);
    return Promise.resolve();
  };
  const audit = new ConsumerAudit({ record, log, times });
  return { audit, recorded, away: (is: boolean) => void (isAway = is) };
}

test('the first call of a kind is recorded at once, and the others with their number when the process stops', async () => {
  const { audit, recorded } = open();
  audit.add(call, new Set(['a']));
  await vi.waitFor(() => expect(recorded).toEqual([{ ...call, accountId: 'a', number: 1 }]));
  for (let number = 0; number < 5; number += 1) audit.add(call, new Set(['a']));
  audit.add(call, new Set(['a', 'b']));
  await vi.waitFor(() => expect(recorded).toContainEqual({ ...call, accountId: 'b', number: 1 }));
  expect(recorded).toHaveLength(2);
  await audit[Symbol.asyncDispose]();
  expect(recorded.slice(2)).toEqual([{ ...call, accountId: 'a', number: 6 }]);
});

test('calls that follow are recorded together after an hour', async () => {
  const { audit, recorded } = open({ lookMs: 1, betweenMs: 50 });
  audit.add(call, new Set());
  await vi.waitFor(() => expect(recorded).toHaveLength(1));
  for (let number = 0; number < 9; number += 1) audit.add(call, new Set());
  await vi.waitFor(() => expect(recorded.slice(1)).toEqual([{ ...call, accountId: '', number: 9 }]));
  await audit[Symbol.asyncDispose]();
  expect(recorded).toHaveLength(2);
});

test('calls are kept while they cannot be recorded', async () => {
  const { audit, recorded, away } = open();
  away(true);
  audit.add(call, new Set(['a']));
  await audit[Symbol.asyncDispose]();
  audit.add(call, new Set(['a']));
  away(false);
  await vi.waitFor(() => expect(recorded).toEqual([{ ...call, accountId: 'a', number: 2 }]));
});

test('refused calls name no account, and a consumer of many accounts fills no memory', async () => {
  const { audit, recorded } = open();
  audit.add({ ...call, isRefused: true }, new Set(['not granted']));
  for (let number = 0; number < 10_050; number += 1) audit.add(call, new Set([`account ${number}`]));
  await audit[Symbol.asyncDispose]();
  expect(recorded).toHaveLength(10_001);
  expect(recorded).toContainEqual({ ...call, isRefused: true, accountId: '', number: 1 });
  expect(recorded).toContainEqual({ ...call, accountId: '', number: 51 });
});
