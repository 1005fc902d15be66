import { beforeAll, expect, inject, test } from 'vitest';
import { type Caller, newAccount, runBody, textOf } from '../../caller.ts';
import { makeAgent, type Refusal } from './make-agent.ts';

const url = inject('meshUrl');

interface Status {
  readonly status: string;
  readonly active_runs: number;
  readonly last_run_at: string | null;
  readonly last_run_status: string | null;
  readonly last_error: string | null;
}

let ada: Caller;
beforeAll(async () => {
  ada = await newAccount(url);
});

const statusOf = async (id: number): Promise<Status> =>
  (await ada.request<Status>('GET', `/api/agents/agent${id}/status`)).body;

test('an agent is running while any of its runs waits or runs, and then tells of the last one', async () => {
  const id = await makeAgent(ada, { agent_name: 'busy' });
  const never = { last_run_at: null, last_run_status: null, last_error: null };
  expect(await statusOf(id)).toEqual({ status: 'stopped', agent_id: id, active_runs: 0, ...never });

  const session = await ada.createSession(`agent${id}`);
  const start = async (text: string) =>
    (await ada.request<{ invocationId: string }>('POST', '/runs', runBody(session, text))).body.invocationId;
  const running = await start('[[wait:60000]] one');
  await start('two');
  expect(await statusOf(id)).toMatchObject({ status: 'running', active_runs: 2 });
  await ada.request('POST', `/runs/${running}/cancel`, {});
  const last = { last_run_status: 'completed', last_error: null };
  await expect.poll(() => statusOf(id)).toMatchObject({ status: 'stopped', active_runs: 0, ...last });
  const { last_run_at: at } = await statusOf(id);
  expect(Math.abs(Date.parse(at ?? '') - Date.now())).toBeLessThan(60_000);
});

test('a run in the background is accepted with 202, goes on alone and leaves its answer in a session of its own', async () => {
  const id = await makeAgent(ada, { agent_name: 'background' });
  const started = await ada.request<{ invocation_id: string; session_id: string; user_id: string }>(
    'POST',
    `/api/agents/${id}/run`,
    { message: 'in the background' },
  );
  const { invocation_id: invocationId, session_id: sessionId, user_id: userId } = started.body;
  expect(started.status).toBe(202);
  expect(started.headers.get('x-invocation-id')).toBe(invocationId);
  await expect.poll(() => statusOf(id)).toMatchObject({ status: 'stopped', last_run_status: 'completed' });
  const { events } = await ada.readSession({
    id: sessionId,
    appName: `agent${id}`,
    userId,
    state: {},
    events: [],
    lastUpdateTime: 0,
  });
  expect(events.map(textOf)).toEqual(['in the background', 'in the background']);
  expect(events[0]?.invocationId).toBe(invocationId);

  expect((await ada.request('POST', `/api/agents/${id}/run`)).status).toBe(202);
  const failing = await ada.request('POST', `/api/agents/${id}/run`, { message: '[[fail:no luck]]' });
  expect(failing.status).toBe(202);
  await expect
    .poll(() => statusOf(id))
    .toMatchObject({ status: 'stopped', last_run_status: 'failed', last_error: 'no luck' });
});

test('an agent of another account has no status and does not run', async () => {
  const bob = await newAccount(url);
  let id = 0;
  // Numbers are those of the account, so the last one is larger than any of Ada's.
  for (const name of Array.from({ length: 20 }, (_, n) => `foreign${n}`))
    id = await makeAgent(bob, { agent_name: name });
  for (const agent of [id, `agent${id}`, 2_000_000_000]) {
    for (const [method, path] of [
      ['GET', 'status'],
      ['POST', 'run'],
    ] as const) {
      const answer = await ada.request<Refusal>(method, `/api/agents/${agent}/${path}`);
      expect(answer).toMatchObject({ status: 404, body: { detail: 'Agent not found' } });
    }
  }
  expect((await ada.request('GET', '/api/agents/nonsense/status')).status).toBe(404);
  expect((await ada.request('POST', `/api/agents/${id}/run`, { message: 7 })).status).toBe(422);
});
