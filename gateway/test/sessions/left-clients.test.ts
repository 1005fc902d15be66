import { expect, it } from 'vitest';
import { startEdge, token } from '../edge.ts';

it('a change is called off when its client leaves before it is answered', async () => {
  const [asked, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using edge = await startEdge({
    sessions: {
      patchSession: async (_request, { signal }) => {
        signal.addEventListener('abort', () => left.resolve());
        asked.resolve();
        await left.promise;
        throw signal.reason;
      },
    },
  });
  const leaving = new AbortController();
  const sent = fetch(`${edge.url}/apps/a/users/u/sessions/s`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${await token({})}`, 'content-type': 'application/json' },
    body: JSON.stringify({ stateDelta: { a: 1 } }),
    signal: leaving.signal,
  });
  await asked.promise;
  leaving.abort();
  await expect(sent).rejects.toThrow();
  await left.promise;
});
