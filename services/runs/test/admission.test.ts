import { type SessionKey, SessionKeySchema } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import { expect, test, vi } from 'vitest';
import { type ServiceBench, startService } from './start-service.ts';
import { encode } from './stored-session.ts';

function newSession(bench: ServiceBench, sessionId: string, accountId = 'a'): SessionKey {
  const key = create(SessionKeySchema, { accountId, appName: 'echo', userId: 'u', sessionId });
  bench.sessions.create(key);
  return key;
}

const waits = (ms: number) => encode({ role: 'user', parts: [{ text: `[[wait:${ms}]] done` }] });

/** Runs a message; `accepted` resolves with the first answer, `ended` with the kinds of all. */
function run(bench: ServiceBench, session: SessionKey, messageJson = waits(100)) {
  const accepted = Promise.withResolvers<void>();
  const read = async (): Promise<string[]> => {
    const kinds: string[] = [];
    for await (const { kind } of bench.client.run({ session, messageJson })) {
      kinds.push(kind.case ?? '');
      accepted.resolve();
    }
    return kinds;
  };
  const ended = read();
  ended.catch(accepted.reject);
  accepted.promise.catch(() => undefined);
  return { accepted: accepted.promise, ended };
}

/** Counts the most runs that have been running at the same time. */
function watchRunning(bench: ServiceBench, sessions: readonly SessionKey[]) {
  const seen = { most: 0 };
  bench.sessions.after = () => {
    const running = sessions.filter((key) => bench.sessions.runs(key).some(({ status }) => status === 'running'));
    seen.most = Math.max(seen.most, running.length);
  };
  return seen;
}

test('direct runs above RUNS_MAX_CONCURRENT are accepted at once, wait for room, and are all answered', async () => {
  await using bench = await startService({ env: { RUNS_MAX_CONCURRENT: '2' } });
  const sessions = ['1', '2', '3', '4', '5'].map((id) => newSession(bench, id));
  const seen = watchRunning(bench, sessions);
  const runs = sessions.map((session) => run(bench, session));
  await Promise.all(runs.map(({ accepted }) => accepted));
  expect(await Promise.all(runs.map(({ ended }) => ended))).toEqual(runs.map(() => ['accepted', 'event']));
  expect(seen.most).toBe(2);
});

test('a run that is refused has changed nothing, and the next one is accepted when there is room', async () => {
  await using bench = await startService({ env: { RUNS_MAX_CONCURRENT: '1', RUNS_MAX_QUEUED: '1' } });
  const sessions = ['1', '2', '3'].map((id) => newSession(bench, id));
  const [first, second, third] = sessions.map((session) => run(bench, session));
  await expect(third?.ended).rejects.toMatchObject({ code: 'resource_exhausted', reason: 'queued_runs' });
  expect(bench.sessions.runs(sessions[2] as SessionKey)).toEqual([]);
  await Promise.all([first?.ended, second?.ended]);
  expect(await run(bench, sessions[2] as SessionKey).ended).toEqual(['accepted', 'event']);
});

test('an account with many waiting runs delays another by one run, not by all of them', async () => {
  await using bench = await startService({ env: { RUNS_MAX_CONCURRENT: '1' } });
  const order: string[] = [];
  const start = (sessionId: string, accountId: string) => {
    const { accepted, ended } = run(bench, newSession(bench, sessionId, accountId), waits(30));
    return { accepted, ended: ended.then(() => order.push(accountId)) };
  };
  const many = Array.from({ length: 6 }, (_, index) => start(`a${index}`, 'a'));
  await Promise.all(many.map(({ accepted }) => accepted));
  const other = start('b', 'b');
  await Promise.all([...many, other].map(({ ended }) => ended));
  expect(order.indexOf('b')).toBeLessThanOrEqual(2);
});

test('a waiting run whose session is deleted ends for its viewer when its turn comes', async () => {
  await using bench = await startService({ env: { RUNS_MAX_CONCURRENT: '1' } });
  const [first, gone] = ['1', '2'].map((id) => newSession(bench, id));
  const running = run(bench, first as SessionKey);
  await running.accepted;
  const waiting = run(bench, gone as SessionKey);
  await waiting.accepted;
  bench.sessions.delete(gone as SessionKey);
  expect(await waiting.ended).toEqual(['accepted', 'failure']);
  await running.ended;
  await vi.waitFor(async () => expect(await run(bench, first as SessionKey).ended).toEqual(['accepted', 'event']));
});
