import { AuthService } from '@agentmesh/proto/auth/v1';
import { describe, expect, test, vi } from 'vitest';
import { Stopping } from '../../wait/index.ts';
import { CallUntil } from '../index.ts';
import { failureOf } from '../testing/test-calls.ts';
import { testMesh } from '../testing/test-mesh.ts';

describe.each([
  ['in one process', true],
  ['between processes', false],
])('%s', (_, local) => {
  test('a call is canceled when what it belongs to ends, and is not begun after that', async () => {
    const begun = vi.fn<() => void>();
    await using mesh = await testMesh({
      local,
      auth: {
        getAccount: async ({ id }, { signal }) => {
          begun();
          if (id === 'long') await new Promise((resolve) => signal.addEventListener('abort', resolve));
          return { account: { id } };
        },
      },
    });
    const auth = mesh.client.client(AuthService);
    const stopping = new Stopping();
    expect((await auth.getAccount({ id: 'short' }, new CallUntil(stopping))).account?.id).toBe('short');
    const failure = failureOf(auth.getAccount({ id: 'long' }, new CallUntil(stopping, { timeoutMs: 60_000 })));
    await vi.waitFor(() => expect(begun).toHaveBeenCalledTimes(2));
    stopping.abort(new Error('over'));
    expect(await failure).toMatchObject({ code: 'canceled' });
    expect(await failureOf(auth.getAccount({ id: 'late' }, new CallUntil(stopping)))).toMatchObject({
      code: 'canceled',
    });
    expect(begun).toHaveBeenCalledTimes(2);
  });

  test('a call has the deadline and the headers that are given besides', async () => {
    await using mesh = await testMesh({
      local,
      auth: { getAccount: (_request, { requestHeader }) => ({ account: { id: requestHeader.get('x-key') ?? '' } }) },
    });
    const auth = mesh.client.client(AuthService);
    const call = new CallUntil(new Stopping(), { headers: { 'x-key': 'k' } });
    expect((await auth.getAccount({ id: 'a' }, call)).account?.id).toBe('k');
  });

  test('a call makes no signal of what ends it', async () => {
    await using mesh = await testMesh({ local, auth: { getAccount: ({ id }) => ({ account: { id } }) } });
    const stopping = new Stopping();
    const signal = vi.spyOn(stopping, 'signal', 'get');
    await mesh.client.client(AuthService).getAccount({ id: 'a' }, new CallUntil(stopping));
    expect(signal).not.toHaveBeenCalled();
  });
});
