import { RunCancelRequestedSchema, type SessionKey, SessionKeySchema } from '@agentmesh/proto/sessions/v1';
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

/** The message of a run that executes until the test stops it. */
const endless = waits(60_000);

/** Stops the run that executes in a session. */
async function stop({ sessions, bus }: ServiceBench, session: SessionKey): Promise<void> {
  const lease = sessions.lease(session);
  sessions.cancel(lease.invocationId);
  await bus.publish(RunCancelRequestedSchema, { lease });
}

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
  const [first, second, third] = [newSession(bench, '1'), newSession(bench, '2'), newSession(bench, '3')];
  const running = run(bench, first, endless);
  await running.accepted;
  const waiting = run(bench, second);
  await waiting.accepted;
  const refused = { code: 'resource_exhausted', reason: 'queued_runs' };
  await expect(run(bench, third).ended).rejects.toMatchObject(refused);
  expect(bench.sessions.runs(third)).toEqual([]);
  await stop(bench, first);
  await Promise.all([running.ended, waiting.ended]);
  expect(await run(bench, third).ended).toEqual(['accepted', 'event']);
});

test('an account with many waiting runs delays another by one run, not by all of them', async () => {
  await using bench = await startService({ env: { RUNS_MAX_CONCURRENT: '1' } });
  const order: string[] = [];
  const start = async (session: SessionKey, message = waits(30)) => {
    const { accepted, ended } = run(bench, session, message);
    const noted = ended.then(() => order.push(session.accountId));
    await accepted;
    return { noted };
  };
  const first = newSession(bench, 'first');
  const all = [await start(first, endless)];
  for (let index = 1; index < 6; index += 1) all.push(await start(newSession(bench, `a${index}`)));
  all.push(await start(newSession(bench, 'b', 'b')));
  await stop(bench, first);
  await Promise.all(all.map(({ noted }) => noted));
  expect(order.indexOf('b')).toBeLessThanOrEqual(2);
});

test('a waiting run whose session is deleted ends for its viewer when its turn comes', async () => {
  await using bench = await startService({ env: { RUNS_MAX_CONCURRENT: '1' } });
  const [first, gone] = [newSession(bench, '1'), newSession(bench, '2')];
  const running = run(bench, first, endless);
  await running.accepted;
  const waiting = run(bench, gone);
  await waiting.accepted;
  bench.sessions.delete(gone);
  await stop(bench, first);
  expect(await waiting.ended).toEqual(['accepted', 'failure']);
  await running.ended;
  await vi.waitFor(async () => expect(await run(bench, first).ended).toEqual(['accepted', 'event']));
});
