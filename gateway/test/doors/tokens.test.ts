import { expect, it } from 'vitest';
import { startEdge } from '../edge.ts';

const routes: readonly (readonly ['GET' | 'POST', string])[] = [
  ['GET', '/v1/models'],
  ['POST', '/v1/chat/completions'],
  ['POST', '/v1/responses'],
  ['GET', '/a2a/a/.well-known/agent-card.json'],
  ['POST', '/a2a/a'],
  ['POST', '/mcp'],
  ['POST', '/mcp/a'],
  ['POST', '/agui/a'],
  ['POST', '/api/chat/a'],
  ['GET', '/api/chat/a/s/stream'],
];

it('every door needs a token, also where RUNTIME_AUTH opens the routes of ADK', async () => {
  await using edge = await startEdge({ env: { RUNTIME_AUTH: 'open' } });
  const headers = { authorization: null };
  for (const [method, path] of routes) {
    const json = method === 'POST' ? {} : undefined;
    expect([path, (await edge.send(path, { method, json, headers })).status]).toEqual([path, 401]);
  }
});
