import { setTimeout as delay } from 'node:timers/promises';
import { MeshError } from '@agentmesh/lib/rpc';
import { RunStatus } from '@agentmesh/proto/sessions/v1';
import { describe, expect, test, vi } from 'vitest';
import { accountId, type Edge, type EdgeOptions, startEdge } from '../edge.ts';

const pusher = 'push@p.iam.gserviceaccount.com';
const base = 'https://mesh.example';
const env = {
  ADK_TRIGGER_SOURCES: 'pubsub,eventarc',
  ADK_TRIGGER_ACCOUNTS: `${pusher}=${accountId}`,
  PUBLIC_BASE_URL: base,
};
const { COMPLETED, CANCELLED, FAILED, RUNNING, WAITING } = RunStatus;

const noAccounts = 'ADK_TRIGGER_ACCOUNTS is empty: every push to a trigger is refused.';

interface Started {
  readonly invocationId: string;
  readonly sessionId: string | undefined;
  status: RunStatus;
}

/** Services that start runs. `begin` says how the run with a number ends; RUNNING: the test ends it. */
function services(begin: (number: number) => RunStatus = () => COMPLETED) {
  const runs = new Map<string, Started>();
  const asked: { readonly authorization: string; readonly audiences: readonly string[] }[] = [];
  const options: EdgeOptions = {
    env,
    notifications: {
      identifyPush: async ({ authorization, audiences }) => {
        asked.push({ authorization, audiences });
        return { serviceAccount: authorization.replace('Bearer ', '') };
      },
    },
    runs: {
      startRun: async ({ idempotencyKey, invocationId, session, createsSession }) => {
        if (session?.appName === 'none') throw new MeshError('not_found', 'app_not_found', 'No app none.');
        expect(createsSession).toBe(true);
        const already = runs.has(idempotencyKey);
        const status = begin(runs.size + 1);
        if (!already) runs.set(idempotencyKey, { invocationId, sessionId: session?.sessionId, status });
        return { invocationId, already };
      },
      watchRun: async function* ({ invocationId }, { signal }) {
        yield {};
        while (find(invocationId)?.status === RUNNING) await delay(5, undefined, { signal });
        yield { isOver: true };
      },
    },
    sessions: {
      getRun: async ({ invocationId }) => ({
        run: { invocationId, status: find(invocationId)?.status ?? COMPLETED, errorCode: 'X', errorMessage: 'no luck' },
      }),
    },
  };
  const find = (id: string) => [...runs.values()].find(({ invocationId }) => invocationId === id);
  return { options, runs, asked };
}

const message = (messageId?: string) => ({
  message: { data: 'aGk=', ...(messageId !== undefined && { messageId }) },
  subscription: 'projects/p/subscriptions/s',
});
const push = (edge: Edge, json: unknown, more: { app?: string; source?: string; bearer?: string | null } = {}) => {
  const { app = 'echo', source = 'pubsub', bearer = pusher } = more;
  const authorization = bearer === null ? null : `Bearer ${bearer}`;
  return edge.send(`/apps/${app}/trigger/${source}`, { json, headers: { authorization } });
};

describe('a push', () => {
  test('acts for the account that its service account has, with this address as audience', async () => {
    const { options, asked, runs } = services();
    await using edge = await startEdge(options);
    expect(await push(edge, message('1'))).toMatchObject({ status: 200, body: { status: 'success' } });
    expect(asked).toEqual([
      {
        authorization: `Bearer ${pusher}`,
        audiences: [base, `${base}/`, `${base}/apps/echo/trigger/pubsub`],
      },
    ]);
    const other = await push(edge, message('1'), { bearer: 'other@p.iam.gserviceaccount.com' });
    expect(other).toMatchObject({ status: 403, body: { code: 'push_refused' } });
    expect(runs.size).toBe(1);
  });

  test('is refused before its large body is read, and its fields are checked after its token', async () => {
    const { options } = services();
    await using edge = await startEdge(options);
    const large = { ...message(), padding: 'x'.repeat(100_000) };
    expect((await push(edge, large, { bearer: 'other@x.y' })).status).toBe(403);
    expect((await push(edge, { message: 7 }, { bearer: 'other@x.y' })).status).toBe(403);
    expect(await push(edge, { message: 7 })).toMatchObject({ status: 422, body: { code: 'request_invalid' } });
    expect(await push(edge, { message: { data: '!' } })).toMatchObject({ status: 400 });
  });

  test('opens nothing but triggers', async () => {
    const { options } = services();
    await using edge = await startEdge(options);
    for (const path of ['/list-apps', '/runs', '/api/users/me']) {
      expect((await edge.send(path, { headers: { authorization: `Bearer ${pusher}` } })).status).toBe(401);
    }
  });
});

describe('a message', () => {
  test('that is delivered again while its run goes on shares the run and its end', async () => {
    const { options, runs } = services(() => RUNNING);
    await using edge = await startEdge(options);
    const deliveries = Array.from({ length: 4 }, () => push(edge, message('1')));
    await vi.waitFor(() => expect(runs.size).toBe(1));
    for (const run of runs.values()) run.status = COMPLETED;
    expect((await Promise.all(deliveries)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(runs.size).toBe(1);
  });

  test('whose run has failed is answered 500, and the next delivery begins another run in another session', async () => {
    const { options, runs } = services((number) => (number < 3 ? FAILED : COMPLETED));
    await using edge = await startEdge(options);
    const failed = { status: 500, body: { detail: 'Agent processing failed: no luck', code: 'trigger_run_failed' } };
    expect(await push(edge, message('1'))).toMatchObject(failed);
    expect(await push(edge, message('1'))).toMatchObject(failed);
    expect(await push(edge, message('1'))).toMatchObject({ status: 200 });
    expect(await push(edge, message('1'))).toMatchObject({ status: 200 });
    expect(new Set([...runs.values()].map(({ sessionId }) => sessionId)).size).toBe(3);
  });

  test('that always fails has eight runs, however often it is delivered', async () => {
    const { options, runs } = services(() => FAILED);
    await using edge = await startEdge(options);
    for (let delivery = 0; delivery < 12; delivery += 1) expect((await push(edge, message('1'))).status).toBe(500);
    expect(runs.size).toBe(8);
  });

  test('of another app, source, subscription or id has a run of its own, and so has each without an id', async () => {
    const { options, runs } = services();
    await using edge = await startEdge(options);
    await push(edge, message('1'));
    await push(edge, message('1'), { app: 'other' });
    await push(edge, { ...message('1'), subscription: 'projects/p/subscriptions/t' });
    await push(edge, message('2'));
    await push(edge, message('1'), { source: 'eventarc' });
    await push(edge, message());
    await push(edge, message());
    expect(runs.size).toBe(7);
  });

  test('whose run waits for a person is done, and one whose run was cancelled is not delivered again', async () => {
    const ends = [WAITING, CANCELLED];
    const { options } = services((number) => ends[number - 1] ?? COMPLETED);
    await using edge = await startEdge(options);
    expect(await push(edge, message('1'))).toMatchObject({ status: 200, body: { status: 'success' } });
    expect(await push(edge, message('2'))).toMatchObject({ status: 200, body: { status: 'error' } });
  });

  test('whose run goes on while the process stops is answered 503', async () => {
    const { options, runs } = services(() => RUNNING);
    await using edge = await startEdge(options);
    const delivery = push(edge, message('1'));
    await vi.waitFor(() => expect(runs.size).toBe(1));
    edge.draining.abort();
    const answer = await delivery;
    expect(answer).toMatchObject({ status: 503, body: { code: 'trigger_not_over' } });
    expect(answer.headers.get('retry-after')).toBe('1');
  });
});

test('more messages than may run at once wait, and too many of them are answered 503', async () => {
  const { options, runs } = services(() => RUNNING);
  await using edge = await startEdge({ ...options, env: { ...env, ADK_TRIGGER_MAX_CONCURRENT: '2' } });
  const deliveries = Array.from({ length: 30 }, (_, id) => push(edge, message(String(id))));
  const refused: unknown[] = [];
  for (const delivery of deliveries) void delivery.then(({ status }) => status === 503 && refused.push(status));
  await vi.waitFor(() => expect(refused).toHaveLength(8));
  expect(runs.size).toBe(2);
  const ending = setInterval(() => {
    for (const run of runs.values()) run.status = COMPLETED;
  }, 5);
  const answers = await Promise.all(deliveries).finally(() => clearInterval(ending));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(22);
  expect(answers.filter(({ body }) => (body as { code?: string }).code === 'triggers_full')).toHaveLength(8);
});

test('a message whose sender has left gives back its turn, and its run goes on', async () => {
  const { options, runs } = services((number) => (number === 1 ? RUNNING : COMPLETED));
  await using edge = await startEdge({ ...options, env: { ...env, ADK_TRIGGER_MAX_CONCURRENT: '1' } });
  const leaving = new AbortController();
  const left = fetch(`${edge.url}/apps/echo/trigger/pubsub`, {
    method: 'POST',
    body: JSON.stringify(message('1')),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${pusher}` },
    signal: leaving.signal,
  }).catch(() => 'left');
  await vi.waitFor(() => expect(runs.size).toBe(1));
  leaving.abort();
  expect(await left).toBe('left');
  expect((await push(edge, message('2'))).status).toBe(200);
  expect([...runs.values()].map(({ status }) => status)).toEqual([RUNNING, COMPLETED]);
});

test('the watch of a run ends with the answer', async () => {
  const { options, runs } = services(() => RUNNING);
  const ended = Promise.withResolvers<void>();
  const watchRun = async function* () {
    try {
      yield {};
      for (const run of runs.values()) run.status = COMPLETED;
      yield { isOver: true };
      yield {};
    } finally {
      ended.resolve();
    }
  };
  await using edge = await startEdge({ ...options, runs: { ...options.runs, watchRun } });
  expect((await push(edge, message('1'))).status).toBe(200);
  await ended.promise;
});

test('triggers that no setting names do not exist', async () => {
  const { options } = services();
  await using none = await startEdge({ ...options, env: {} });
  expect((await push(none, message('1'))).status).toBe(404);
  expect(none.logged.filter(({ msg }) => msg === noAccounts)).toEqual([]);
  await using eventarc = await startEdge({ ...options, env: { ...env, ADK_TRIGGER_SOURCES: 'eventarc' } });
  expect((await push(eventarc, message('1'))).status).toBe(404);
  expect((await push(eventarc, { data: {} }, { source: 'eventarc' })).status).toBe(200);
  await using unbound = await startEdge({ ...options, env: { ADK_TRIGGER_SOURCES: 'pubsub' } });
  expect((await push(unbound, message('1'))).status).toBe(403);
  expect(unbound.logged).toContainEqual(expect.objectContaining({ msg: noAccounts }));
  await expect(startEdge({ env: { ADK_TRIGGER_SOURCES: 'kafka' } })).rejects.toThrow('there are pubsub and eventarc');
  for (const accounts of ['push@p.y', `push=${accountId}`, 'push@p.y=1']) {
    await expect(startEdge({ env: { ADK_TRIGGER_ACCOUNTS: accounts } })).rejects.toThrow('no service account');
  }
});
