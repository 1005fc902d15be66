import { MeshError } from '@agentmesh/lib/rpc';
import { Stopping } from '@agentmesh/lib/wait';
import { TurnSchema } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { RunWaits } from '../../models/use/run-waits.ts';
import { Journal, type JournalOptions } from './journal.ts';

const unreachable = new MeshError('unavailable', 'outcome_unknown', 'The connection broke.');
const lostFence = new MeshError('aborted', 'fence_lost', 'Another attempt holds the turn.');
const reason = new Error('lost');

/** A journal whose calls are answered one after the other; the turn counts as lost when `lostAt` of them were made. */
function open(answers: readonly (number | Error)[], lostAt: number, waits?: RunWaits) {
  const lost = new Stopping();
  let calls = 0;
  const appendEvents = async () => {
    const answer = answers[calls];
    calls += 1;
    if (calls === lostAt) lost.abort(reason);
    if (answer instanceof Error) throw answer;
    return { lastSeq: answer };
  };
  if (lostAt === 0) lost.abort(reason);
  const sessions = { appendEvents } as unknown as JournalOptions['sessions'];
  return {
    journal: new Journal({ sessions, turn: create(TurnSchema), lost, waits }),
    calls: () => calls,
  };
}

test('an end whose first try was stored though its connection broke is known as stored, also when the turn counts as lost by then', async () => {
  const { journal } = open([unreachable, 7], 1);
  expect(await journal.append([])).toMatchObject({ lastSeq: 7 });
});

test('an attempt that has lost its turn is told so after one more try', async () => {
  const { journal, calls } = open([unreachable, unreachable, lostFence, 7], 2);
  await expect(journal.append([])).rejects.toBe(reason);
  expect(calls()).toBe(3);
});

test('an attempt that has lost its turn begins no append', async () => {
  const { journal, calls } = open([7], 0);
  await expect(journal.append([])).rejects.toBe(reason);
  expect(calls()).toBe(0);
});

test('a run goes on behind an append when its account has a step', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { journal } = open([7], -1, new RunWaits(undefined, undefined, () => promise));
  let isOver = false;
  const appended = journal.append([]).then(() => (isOver = true));
  await expect.poll(() => journal.lastSeq).toBe(7);
  expect(isOver).toBe(false);
  resolve();
  await appended;
});
