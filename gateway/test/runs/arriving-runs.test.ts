import { expect, test, vi } from 'vitest';
import { startEdge } from '../edge.ts';

const body = { appName: 'a', userId: 'u', sessionId: 's', newMessage: { parts: [{ text: 'hi' }] } };

test.each(['/run', '/run_sse'])(
  '%s is 429 while too many wait to be accepted, before anything is asked',
  async (path) => {
    const accepting = Promise.withResolvers<undefined>();
    let asked = 0;
    const run = async function* () {
      asked += 1;
      await accepting.promise;
      yield { kind: { case: 'accepted' as const, value: { invocationId: 'e-1' } } };
    };
    await using edge = await startEdge({ env: { GATEWAY_MAX_ARRIVING_RUNS: '1' }, runs: { run } });
    const first = edge.send(path, { json: body });
    await vi.waitFor(() => expect(asked).toBe(1));
    const refused = await edge.send(path, { json: body });
    expect([refused.status, refused.body]).toMatchObject([429, { code: 'arriving_runs' }]);
    expect([refused.headers.get('retry-after'), asked]).toEqual(['1', 1]);
    accepting.resolve(undefined);
    expect((await first).status).toBe(200);
    expect((await edge.send(path, { json: body })).status).toBe(200);
  },
);
