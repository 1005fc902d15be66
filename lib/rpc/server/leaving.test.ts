import { AuthService } from '@agentmesh/proto/auth/v1';
import { describe, expect, test, vi } from 'vitest';
import type { Leaving } from '../../wait/index.ts';
import { leavingOf } from '../index.ts';
import { failureOf } from '../testing/test-calls.ts';
import { testMesh } from '../testing/test-mesh.ts';

describe.each([
  ['in one process', true],
  ['between processes', false],
])('%s', (_, local) => {
  test('a handler is told once that its call has ended, when it has answered and when its caller has left, unless it took that back', async () => {
    const [told, takenBack] = [vi.fn<() => void>(), vi.fn<() => void>()];
    const calls: Leaving[] = [];
    await using mesh = await testMesh({
      local,
      auth: {
        getAccount: async ({ id }, context) => {
          const left = leavingOf(context);
          calls.push(left);
          left.onceEnded(told);
          left.onceEnded(takenBack)();
          if (id === 'long') await new Promise<void>((resolve) => void left.onceEnded(resolve));
          return { account: { id } };
        },
      },
    });
    const auth = mesh.client.client(AuthService);
    await auth.getAccount({ id: 'short' });
    await vi.waitFor(() => expect(told).toHaveBeenCalledTimes(1));
    const leaving = new AbortController();
    const answer = failureOf(auth.getAccount({ id: 'long' }, { signal: leaving.signal }));
    await vi.waitFor(() => expect(calls).toHaveLength(2));
    expect(calls[1]?.ended).toBeUndefined();
    leaving.abort();
    expect(await answer).toMatchObject({ code: 'canceled' });
    await vi.waitFor(() => expect(told).toHaveBeenCalledTimes(2));
    expect(calls.map(({ ended, signal }) => [ended === undefined, signal.aborted])).toEqual([
      [false, true],
      [false, true],
    ]);
    expect(takenBack).not.toHaveBeenCalled();
  });
});
