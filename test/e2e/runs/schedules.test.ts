import { beforeAll, describe, expect, inject, test } from 'vitest';
import { Caller, newAccount } from '../../caller.ts';
import { makeAgent } from '../agents/make-agent.ts';

const url = inject('meshUrl');
let caller: Caller;

beforeAll(async () => {
  caller = await newAccount(url);
});

interface ScheduleJson {
  readonly id: string;
  readonly enabled: boolean;
  readonly next_times: string[];
  readonly last_run: {
    readonly invocation_id: string | null;
    readonly app_name?: string;
    readonly user_id?: string;
    readonly session_id: string;
  } | null;
}

const newMessage = { role: 'user', parts: [{ text: 'hello' }] };
const body = {
  cron: '0 9 * * MON-FRI',
  timezone: 'Europe/Berlin',
  app_name: 'echo',
  user_id: 'u1',
  new_message: newMessage,
};

const create = (over: object = {}, by = caller) =>
  by.request<ScheduleJson>('POST', '/api/schedules', { ...body, ...over });
const read = async (id: string) => (await caller.request<ScheduleJson>('GET', `/api/schedules/${id}`)).body;

describe('a schedule', () => {
  test('runs the app at each tick, until it is paused', async () => {
    const { status, body: made } = await create({ cron: '* * * * * *', timezone: undefined });
    expect(status).toBe(201);
    expect(made).toMatchObject({
      timezone: 'UTC',
      session_id: null,
      new_message: newMessage,
      catch_up: false,
      enabled: true,
    });
    expect(made.next_times).toHaveLength(3);
    await expect
      .poll(async () => (await read(made.id)).last_run?.invocation_id, { timeout: 30_000 })
      .toEqual(expect.stringMatching(/^e-/));
    const paused = await caller.request('POST', `/api/schedules/${made.id}/pause`);
    expect(paused).toMatchObject({ status: 200, body: { enabled: false, next_times: [] } });
    await caller.request('PATCH', `/api/schedules/${made.id}`, { user_id: 'u2' });
    const { last_run: last } = await read(made.id);
    expect(last).toMatchObject({ app_name: 'echo', user_id: 'u1' });
    const run = () => caller.request<{ status: string }>('GET', `/runs/${last?.invocation_id}`);
    await expect.poll(async () => (await run()).body.status, { timeout: 30_000 }).toBe('completed');
    expect((await run()).body).toMatchObject({
      sessionId: last?.session_id,
      customMetadata: { trigger: 'schedule', schedule_id: made.id },
    });
    const resumed = await caller.request<ScheduleJson>('POST', `/api/schedules/${made.id}/resume`);
    expect(resumed.body.next_times).toHaveLength(3);
    expect((await caller.request('DELETE', `/api/schedules/${made.id}`)).status).toBe(204);
    expect((await caller.request('GET', `/api/schedules/${made.id}`)).status).toBe(404);
  });

  test('whose agent is gone pauses after ten refusals and tells its owner', async () => {
    const agent = await makeAgent(caller, { agent_name: 'short-lived' });
    const appName = `agent${agent}`;
    const { id } = (await create({ cron: '0 0 1 1 *', app_name: appName })).body;
    expect((await caller.request('DELETE', `/api/agents/${agent}`)).status).toBeLessThan(300);
    await caller.request('PATCH', `/api/schedules/${id}`, { cron: '* * * * * *' });
    await expect.poll(async () => (await read(id)).enabled, { timeout: 60_000 }).toBe(false);
    const told = async () => (await caller.request<{ notifications: object[] }>('GET', '/api/notifications')).body;
    await expect.poll(told).toMatchObject({
      notifications: [
        { type: 'schedule_paused', message: expect.stringContaining(`/api/schedules/${id}/resume`) as string },
      ],
    });
  });

  test('is listed and changed', async () => {
    const { id } = (await create({ session_id: 'mornings' })).body;
    const listed = await caller.request<ScheduleJson[]>('GET', '/api/schedules');
    expect(listed.body.map((one) => one.id)).toContain(id);
    const changed = await caller.request('PATCH', `/api/schedules/${id}`, {
      cron: '30 8 * * *',
      session_id: '',
      catch_up: true,
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { cron: '30 8 * * *', timezone: 'Europe/Berlin', session_id: null, catch_up: true, app_name: 'echo' },
    });
  });

  test('is made and answered under the names of before 0.2 too', async () => {
    const former = { appName: 'echo', userId: 'u2', sessionId: 's2', newMessage };
    const made = await caller.request('POST', '/api/schedules', { cron: '0 9 * * *', ...former });
    const names = { app_name: 'echo', user_id: 'u2', session_id: 's2', new_message: newMessage };
    expect(made).toMatchObject({ status: 201, body: { ...former, ...names } });
  });

  test.each([
    { field: 'cron', over: { cron: 'every day' } },
    { field: 'cron', over: { cron: '0 0 30 2 *' } },
    { field: 'timezone', over: { timezone: 'Nowhere/City' } },
    { field: 'app_name', over: { app_name: 'no_such_app' } },
    { field: 'app_name', over: { app_name: '__internal' } },
    { field: 'new_message', over: { new_message: undefined } },
    { field: 'new_message', over: { new_message: {} } },
    {
      field: 'new_message',
      over: { new_message: { parts: [{ functionResponse: { id: '1', name: 'f', response: {} } }] } },
    },
    { field: 'session_id', over: { session_id: 's1:cancel' } },
    { field: 'interval', over: { interval: 5 } },
  ])('with a bad $field is refused with 422', async ({ field, over }) => {
    const { status, body: refusal } = await create(over);
    expect({ status, refusal }).toMatchObject({ status: 422, refusal: { detail: [{ loc: ['body', field] }] } });
  });

  test('is hidden from other accounts, and closed to tokens of one end user', async () => {
    const { id } = (await create()).body;
    const other = await newAccount(url);
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/pause'],
    ] as const) {
      const answer = await other.request(method, `/api/schedules/${id}${path}`, method === 'PATCH' ? {} : undefined);
      expect({ method, status: answer.status }).toEqual({ method, status: 404 });
    }
    for (const change of [{ cron: 'bad' }, { timezone: 'Nowhere/City' }, { app_name: 'no_such_app' }])
      expect((await other.request('PATCH', `/api/schedules/${id}`, change)).status).toBe(404);
    const made = await caller.request<{ token: string }>('POST', '/api/auth/tokens', {
      name: 'bound',
      scopes: ['runs:read', 'runs:write'],
      user_id: 'u1',
    });
    const bound = new Caller(url, made.body.token);
    expect((await create({}, bound)).status).toBe(403);
    expect((await bound.request('GET', `/api/schedules/${id}`)).status).toBe(403);
  });
});
