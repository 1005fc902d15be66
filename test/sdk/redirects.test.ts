import { AgentMesh, AgentMeshError } from '@agentmesh/client';
import { expect, test } from 'vitest';

/** The answer that `fetch` of a browser gives for a redirect that it is told not to follow. */
const opaque = (): Response => {
  const response = new Response(null);
  return Object.defineProperties(response, {
    type: { value: 'opaqueredirect' },
    status: { value: 0 },
    ok: { value: false },
  });
};

test('in a browser too, a redirect is told as one and is not followed, nor is the request sent again', async () => {
  const asked: (RequestInit | undefined)[] = [];
  const send: typeof fetch = async (_, init) => {
    asked.push(init);
    return opaque();
  };
  const mesh = new AgentMesh({ url: 'http://mesh.example', token: 't', fetch: send });
  const error = await mesh.runs.get('e-1').catch((it: unknown) => it);
  expect(error).toBeInstanceOf(AgentMeshError);
  expect(error).toMatchObject({ status: 0, message: expect.stringContaining('redirect') });
  expect(asked.map((it) => it?.redirect)).toEqual(['manual']);
});
