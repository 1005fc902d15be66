import { SessionKeySchema } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AdmissionLimits, createAdmission } from './admission.ts';
import { WaitingRuns } from './waiting-runs.ts';

const roomy: AdmissionLimits = { maxConcurrent: 9, maxQueued: 9, accountMaxConcurrent: 9, accountMaxQueued: 9 };

function open(limits: Partial<AdmissionLimits>) {
  const waiting = new WaitingRuns();
  return { waiting, admission: createAdmission({ limits: { ...roomy, ...limits }, waiting }) };
}

function runOf(accountId: string, number: number) {
  const session = create(SessionKeySchema, { accountId, appName: 'app', userId: 'u', sessionId: `s${number}` });
  return { session, invocationId: `e-${number}`, sessionPk: BigInt(number) };
}

describe('a new run', () => {
  test('starts while there is room, waits while the queue has room, and is refused with the name of the limit', () => {
    const { admission } = open({ maxConcurrent: 1, maxQueued: 1 });
    const first = admission.admit('a');
    const second = admission.admit('b');
    expect([first.postpone, second.postpone]).toEqual([false, true]);
    expect(() => admission.admit('c')).toThrow(expect.objectContaining({ reason: 'queued_runs' }));
    first.release();
    expect(admission.admit('c').postpone).toBe(false);
  });

  test('waits where its account executes as many as it may, while others start', () => {
    const { admission } = open({ accountMaxConcurrent: 1, accountMaxQueued: 1 });
    expect(['a', 'a', 'b'].map((id) => admission.admit(id).postpone)).toEqual([false, true, false]);
    expect(() => admission.admit('a')).toThrow(expect.objectContaining({ reason: 'account_queued_runs' }));
  });

  test.each([
    [{ maxConcurrent: 1, maxQueued: 0 }, 'concurrent_runs'],
    [{ accountMaxConcurrent: 1, accountMaxQueued: 0 }, 'account_concurrent_runs'],
  ])('never waits with %j', (limits, reason) => {
    const { admission } = open(limits);
    admission.admit('a');
    expect(() => admission.admit('a')).toThrow(expect.objectContaining({ code: 'resource_exhausted', reason }));
  });

  test('counts the runs of other processes, and not its own twice', () => {
    const { admission } = open({ accountMaxConcurrent: 3, accountMaxQueued: 1 });
    admission.admit('a');
    admission.seen(new Map([['a', { queued: 0, running: 2 }]]));
    expect(admission.admit('a').postpone).toBe(false);
    expect(admission.admit('a').postpone).toBe(true);
    admission.seen(new Map([['b', { queued: 1, running: 0 }]]));
    expect(() => admission.admit('b')).toThrow(expect.objectContaining({ reason: 'account_queued_runs' }));
  });
});

describe('waiting runs', () => {
  test('start by turns of their accounts, the oldest of each first, and only those that have their turn', () => {
    const waiting = new WaitingRuns();
    const runs = [runOf('a', 1), runOf('a', 2), runOf('a', 3), runOf('b', 4), runOf('c', 5)];
    for (const run of runs) waiting.add(run);
    for (const run of runs.slice(0, 4)) waiting.grant(run);
    const order = [1, 2, 3, 4, 5].map(() => waiting.next(() => true)?.sessionPk);
    expect(order).toEqual([1n, 4n, 2n, 3n, undefined]);
  });

  test('never exceed a limit, and all start in the end, however they come and go', () => {
    const limits = { maxConcurrent: 3, maxQueued: 6, accountMaxConcurrent: 2, accountMaxQueued: 4 };
    const steps = fc.array(fc.record({ account: fc.constantFrom('a', 'b', 'c'), ends: fc.boolean() }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(steps, (all) => {
        const { admission, waiting } = open(limits);
        const running: string[] = [];
        const startWaiting = (): void => {
          for (;;) {
            const run = waiting.next((id) => admission.mayStart(id));
            if (run === undefined) return;
            admission.started(run.session.accountId);
            running.push(waiting.take(run)?.session.accountId ?? '');
          }
        };
        const end = (): void => {
          const ended = running.shift();
          if (ended !== undefined) admission.ended(ended);
          startWaiting();
        };
        for (const [number, { account, ends }] of all.entries()) {
          if (ends) end();
          try {
            const permit = admission.admit(account);
            if (permit.postpone) {
              waiting.add(runOf(account, number));
              waiting.grant(runOf(account, number));
              permit.release();
            } else running.push(account);
          } catch (error) {
            expect(error).toMatchObject({ code: 'resource_exhausted' });
          }
          expect(running.length).toBeLessThanOrEqual(limits.maxConcurrent);
          expect(waiting.size).toBeLessThanOrEqual(limits.maxQueued);
          for (const id of ['a', 'b', 'c']) {
            expect(running.filter((one) => one === id).length).toBeLessThanOrEqual(limits.accountMaxConcurrent);
          }
        }
        while (running.length > 0) end();
        expect(waiting.size).toBe(0);
      }),
    );
  });
});
