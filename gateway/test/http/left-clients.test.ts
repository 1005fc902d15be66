import { expect, it } from 'vitest';
import { startEdge, token } from '../edge.ts';

const run = { appName: 'a', userId: 'u', sessionId: 's', newMessage: { parts: [{ text: 'hi' }] } };
const answer = { functionResponse: { id: 'c', name: 'f', response: {} } };

it.each([
  ['PATCH', '/apps/a/users/u/sessions/s', { stateDelta: { a: 1 } }],
  ['POST', '/run', run],
  ['POST', '/run_sse', run],
  ['POST', '/runs', run],
  ['POST', '/runs/e-1/answer', answer],
])('%s %s is called off when its client leaves before it is accepted', async (method, path, body) => {
  const [asked, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const handle = async (_request: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> => {
    signal.addEventListener('abort', () => left.resolve());
    asked.resolve();
    await left.promise;
    throw signal.reason;
  };
  await using edge = await startEdge({
    sessions: { patchSession: handle },
    runs: {
      startRun: handle,
      answerRun: handle,
      run: async function* (request, call) {
        yield await handle(request, call);
      },
    },
  });
  const leaving = new AbortController();
  const sent = fetch(`${edge.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${await token({})}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: leaving.signal,
  });
  await asked.promise;
  leaving.abort();
  await expect(sent).rejects.toThrow();
  await left.promise;
});
