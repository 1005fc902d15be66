import { setTimeout as delay } from 'node:timers/promises';
import { AuthService } from '@agentmesh/proto/auth/v1';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { describe, expect, it } from 'vitest';
import { requestContext } from '../telemetry/index.ts';
import { MeshError } from './index.ts';
import { chunk, collect, failureOf, textOf, transports } from './testing/test-calls.ts';
import { type TestMeshOptions, testMesh } from './testing/test-mesh.ts';

describe.each(transports)('over %s', (_, transport) => {
  const start = (handlers: Pick<TestMeshOptions, 'auth' | 'runs'>) => testMesh({ ...transport, ...handlers });

  it('a unary call is answered', async () => {
    await using mesh = await start({ auth: { getAccount: ({ id }) => ({ account: { id, userId: 7n } }) } });
    const { account } = await mesh.client.client(AuthService).getAccount({ id: 'a1' });
    expect(account).toMatchObject({ $typeName: 'agentmesh.auth.v1.Account', id: 'a1', userId: 7n, email: '' });
    expect(account?.username).toBeUndefined();
  });

  it('a stream arrives whole and in order', async () => {
    const texts = Array.from({ length: 500 }, (_, index) => `message ${index}`);
    await using mesh = await start({
      runs: {
        run: async function* () {
          for (const text of texts) yield chunk(text);
        },
      },
    });
    expect(await collect(mesh.client.client(RunsService).run({}))).toEqual(texts);
  });

  it('a MeshError arrives with its code, reason and message, without its cause', async () => {
    const thrown = new MeshError('failed_precondition', 'not_ready', 'Pas prêt: 100 % für 雪 🎿\nline two', {
      cause: new Error('ours'),
    });
    await using mesh = await start({
      auth: { getAccount: () => Promise.reject(thrown) },
      runs: {
        run: async function* () {
          yield chunk('first');
          throw thrown;
        },
      },
    });
    const { code, reason, message } = thrown;
    const unary = await failureOf(mesh.client.client(AuthService).getAccount({ id: 'a1' }));
    expect({ code: unary.code, reason: unary.reason, message: unary.message }).toEqual({ code, reason, message });
    expect(unary.cause).toBeUndefined();
    const seen: string[] = [];
    const streamed = await failureOf(
      (async () => {
        for await (const response of mesh.client.client(RunsService).run({})) seen.push(textOf(response));
      })(),
    );
    expect({ code: streamed.code, reason: streamed.reason, message: streamed.message }).toEqual({
      code,
      reason,
      message,
    });
    expect(seen).toEqual(['first']);
  });

  it('the text of any other error is withheld, and logged once with the request id', async () => {
    await using mesh = await start({
      auth: {
        getAccount: () => {
          throw new TypeError('select * from secrets');
        },
      },
      runs: {
        run: async function* () {
          yield chunk('first');
          throw new TypeError('select * from secrets');
        },
      },
    });
    const expected = { code: 'internal', reason: 'internal' };
    const auth = mesh.client.client(AuthService);
    const unary = await requestContext.run({ requestId: 'r-9' }, () => failureOf(auth.getAccount({})));
    expect(unary).toMatchObject(expected);
    expect(unary.message).toBe('Internal error');
    const streamed = await failureOf(collect(mesh.client.client(RunsService).run({})));
    expect(streamed).toMatchObject(expected);
    expect(mesh.logged).toHaveLength(2);
    expect(mesh.logged[0]).toMatchObject({ requestId: 'r-9', err: { message: 'select * from secrets' } });
  });

  it('an internal error of a nested call is logged only where it was thrown', async () => {
    await using mesh = await start({
      auth: {
        getAccount: () => {
          throw new Error('deep');
        },
      },
      runs: {
        listApps: async () => {
          await mesh.client.client(AuthService).getAccount({});
          return {};
        },
      },
    });
    expect(await failureOf(mesh.client.client(RunsService).listApps({}))).toMatchObject({ code: 'internal' });
    expect(mesh.logged).toHaveLength(1);
  });

  it('the request id and the trace travel, and hold in every step of a generator', async () => {
    const seen: unknown[] = [];
    const note = (): void => {
      const { requestId, traceparent } = requestContext.getStore() ?? {};
      seen.push({ requestId, traceparent });
    };
    await using mesh = await start({
      auth: {
        getAccount: async (_, { requestHeader }) => {
          await delay(1);
          note();
          seen.push(requestHeader.get('x-request-id'), requestHeader.get('x-extra'), requestHeader.get('mesh-key'));
          return {};
        },
      },
      runs: {
        run: async function* () {
          note();
          yield chunk('first');
          note();
          await delay(1);
          note();
        },
      },
    });
    const context = { requestId: 'r-1', traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    await requestContext.run(context, async () => {
      await mesh.client.client(AuthService).getAccount({}, { headers: { 'x-extra': 'yes' } });
    });
    expect(seen.splice(0)).toEqual([context, 'r-1', 'yes', null]);
    const stream = requestContext.run(context, () => mesh.client.client(RunsService).run({}));
    await requestContext.run({ requestId: 'another' }, () => collect(stream));
    expect(seen).toEqual([context, context, context]);
  });

  it('a call outside any request gets an id of its own', async () => {
    let requestId: string | undefined;
    await using mesh = await start({
      auth: {
        getAccount: () => {
          requestId = requestContext.getStore()?.requestId;
          return {};
        },
      },
    });
    await mesh.client.client(AuthService).getAccount({});
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
    await requestContext.run({ requestId: 'ünprintable' }, () => mesh.client.client(AuthService).getAccount({}));
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('a message of 10 MB passes both ways', async () => {
    await using mesh = await start({
      runs: {
        run: async function* ({ messageJson }) {
          yield { kind: { case: 'event' as const, value: { json: messageJson } } };
        },
      },
    });
    const messageJson = new Uint8Array(10_000_000).fill(120);
    for await (const { kind } of mesh.client.client(RunsService).run({ messageJson })) {
      if (kind.case !== 'event') throw new Error('expected an event');
      expect(kind.value.json.byteLength).toBe(messageJson.byteLength);
      expect(Buffer.isBuffer(kind.value.json)).toBe(false);
    }
  });

  it('neither side can write into a message that it has handed over or was given', async () => {
    const account = { id: 'a1', createdAt: { seconds: 1n } };
    const sent = { messageJson: new Uint8Array([1, 2, 3]), session: { sessionId: 'kept' } };
    await using mesh = await start({
      auth: { getAccount: () => ({ account }) },
      runs: {
        run: async function* () {
          yield chunk('done');
        },
      },
    });
    const answer = await mesh.client.client(AuthService).getAccount({});
    expect(() => Object.assign(answer, { account: undefined })).toThrow(TypeError);
    expect(() => Object.assign(answer.account?.createdAt ?? {}, { seconds: 2n })).toThrow(TypeError);
    await collect(mesh.client.client(RunsService).run(sent));
    expect(() => Object.assign(sent.session, { sessionId: 'changed' })).toThrow(TypeError);
  });

  it('calls are measured by service, method and code', async () => {
    await using mesh = await start({ auth: { getAccount: () => ({}) } });
    await mesh.client.client(AuthService).getAccount({});
    await failureOf(mesh.client.client(AuthService).deleteAccount({}));
    const text = await mesh.metrics.registry.metrics();
    expect(text).toContain(
      'agentmesh_rpc_server_duration_seconds_count{service="auth",method="GetAccount",code="ok"} 1',
    );
    expect(text).toContain(
      'agentmesh_rpc_server_duration_seconds_count{service="auth",method="DeleteAccount",code="not_found"} 1',
    );
  });
});
