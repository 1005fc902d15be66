import { comparePlans, statementsOf } from '@agentmesh/lib/pg/testing';
import { expect, test } from 'vitest';
import { openTestDatabase } from './open-test-database.ts';

/** An account has at most a thousand agents and a thousand notices, so any index that begins with the account will do. */
const ofAccount = /\(account_id = /;
const due = /_look_at: /;
/** Agents that were changed in the last minute. */
const untold = /^agents_untold: /;
/** Traces and lines of runs of all accounts that were kept long enough, which a sweep deletes. */
const old = /^(traces|run_logs)_created_at: /;
const byPlace = /^Tid Scan: /;

test('no statement reads rows of other accounts, on an empty database without statistics or on full, analyzed tables', async () => {
  const texts = await statementsOf(new URL('../src/store/', import.meta.url));
  expect(texts.size).toBeGreaterThan(20);
  await using fresh = await openTestDatabase();
  const { plans } = await comparePlans({ url: fresh.url, schema: 'runs' }, texts);
  const reads = plans.flatMap(({ name, empty, full }) => [...empty, ...full].map((line) => ({ name, line })));
  const isNarrow = ({ line }: { line: string }) =>
    [ofAccount, due, untold, old, byPlace].some((allowed) => allowed.test(line));
  expect(reads.filter((read) => !isNarrow(read))).toEqual([]);
}, 120_000);
