import { comparePlans, statementsOf } from '@agentmesh/lib/pg/testing';
import { expect, test } from 'vitest';
import { openTestWebhooks } from './open-test-webhooks.ts';

/** Statements that list, count, postpone or delete the logs of an account, an agent or a mailbox. */
const many = new Set([
  'select-logs',
  'count-logs',
  'select-ended-logs',
  'select-mailbox-load',
  'postpone-logs-of-agent',
  'delete from logs where account_id = $1 returning 1 as one',
]);
/** An access of logs that finds all logs of an account, while an account has few subscriptions, watches and mailboxes. */
const allLogs = /^logs_\w+: (\(account_id = [^)]*\))?$/;

test('a statement for one log reads no other logs, on an empty database without statistics or on full, analyzed tables', async () => {
  const texts = await statementsOf(new URL('../src/store/', import.meta.url));
  expect(texts.size).toBeGreaterThan(60);
  await using fresh = await openTestWebhooks();
  const { plans } = await comparePlans({ url: fresh.databaseUrl, schema: 'webhooks' }, texts);
  const reads = plans.flatMap(({ name, empty, full }) => [...empty, ...full].map((line) => ({ name, line })));
  expect(reads.filter(({ name, line }) => allLogs.test(line) && !many.has(name))).toEqual([]);
}, 120_000);
