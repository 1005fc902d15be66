import { expect, inject, test } from 'vitest';
import { Caller, newAccount } from '../../caller.ts';

const url = inject('meshUrl');

interface Receipt {
  status: string;
  final: boolean;
  completed_at: string | null;
  services: { service: string; erased_at: string | null; counts: Record<string, number> }[];
}

/** A caller with two sessions: one with two runs, one without runs. */
async function resident() {
  const caller = await newAccount(url);
  const session = await caller.createSession('echo', { state: { own: 1, 'app:shared': 2, 'user:mine': 3 } });
  await caller.createSession();
  await caller.run(session, 'one');
  const { headers } = await caller.run(session, '[[tool:get_current_time {}]]');
  const trace = `/runs/${headers.get('x-invocation-id')}/trace`;
  const spans = async () => (await caller.request<{ spans: object[] }>('GET', trace)).body.spans.length;
  await expect.poll(spans, { timeout: 20_000 }).toBeGreaterThan(0);
  const { user_id: id } = (await caller.request<{ user_id: number }>('GET', '/api/users/me')).body;
  return { caller, session, id };
}

async function remove(caller: Caller, id: number): Promise<string> {
  const answer = await caller.fetch('DELETE', `/api/users/${id}`);
  expect([answer.status, await answer.text()]).toEqual([204, '']);
  return answer.headers.get('location') ?? '';
}

const read = async (path: string) => (await new Caller(url).request<Receipt>('GET', path)).body;

test('a deleted account is erased in every service, and its receipt says how many rows', {
  timeout: 60_000,
}, async () => {
  const { caller, id } = await resident();
  const path = await remove(caller, id);
  await expect.poll(async () => (await read(path)).status, { timeout: 30_000 }).toBe('complete');
  const receipt = await read(path);
  const counts = Object.fromEntries(receipt.services.map(({ service, counts }) => [service, counts]));
  expect(counts).toEqual({
    auth: { accounts: 1, sign_ins: 1, personal_tokens: 0, mails: 0 },
    sessions: { sessions: 2, events: 6, runs: 2, state: 3 },
    artifacts: { versions: 0, payloads: 0, bytes: 0 },
    keys: {
      saved_keys: 0,
      limits: 0,
      model_calls: 0,
      usage_days: 0,
      usage_runs: 0,
      integrations: 0,
      connect_states: 0,
    },
    memory: { entries: 0 },
    runs: { agents: 0, agent_versions: 0, notices: 0, traces: 1, log_lines: 0 },
    webhooks: { subscriptions: 0, watches: 0, logs: 0, mailboxes: 0, run_webhooks: 0, deliveries: 0, schedules: 0 },
  });
  expect(receipt.services.every(({ erased_at }) => erased_at !== null)).toBe(true);
  expect([receipt.final, receipt.completed_at]).toEqual([false, expect.any(String)]);
  expect(JSON.stringify(receipt)).not.toContain('@');
});

test('an erasure leaves other accounts as they were', { timeout: 60_000 }, async () => {
  const [one, other] = await Promise.all([resident(), resident()]);
  const before = await other.caller.readSession(other.session);
  const path = await remove(one.caller, one.id);
  await expect.poll(async () => (await read(path)).status, { timeout: 30_000 }).toBe('complete');
  expect(await other.caller.readSession(other.session)).toEqual(before);
});

test('a run in progress ends with its account', { timeout: 60_000 }, async () => {
  const { caller, session, id } = await resident();
  const running = caller.runSse(session, 'wait [[wait:30000]]').catch((error: unknown) => error);
  await expect.poll(async () => (await caller.readSession(session)).events.length).toBe(7);
  await remove(caller, id);
  const frames = await running;
  expect(JSON.stringify(frames)).not.toContain('"text":"wait"');
});

test.each(['x', 'x'.repeat(43), '%00'])('an invalid receipt id, %s, is 404', async (id) => {
  const answer = await new Caller(url).request('GET', `/api/users/me/erasures/${id}`);
  expect(answer).toMatchObject({ status: 404, body: { detail: 'Erasure not found' } });
});
