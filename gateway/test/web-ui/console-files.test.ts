import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, type Edge, type SendOptions, startEdge } from '../edge.ts';

let edge: Edge;
/** Path of the script that the page of the console loads. `npm test` has built the console. */
let script: string;

function get(path: string, { headers, ...options }: SendOptions = {}): Promise<Answer> {
  return edge.send(path, { ...options, headers: { authorization: null, ...headers } });
}

beforeAll(async () => {
  edge = await startEdge({});
  const { text } = await get('/console/');
  script = /src="([^"]+\.js)"/.exec(text)?.[1] ?? expect.fail(text);
});
afterAll(() => edge[Symbol.asyncDispose]());

it('sends the files of the console compressed, and lets browsers keep those that never change', async () => {
  const { status, headers, text } = await get(script, { headers: { 'accept-encoding': 'br' } });
  expect([status, headers.get('content-encoding')]).toEqual([200, 'br']);
  expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(headers.get('content-security-policy')).toContain("script-src 'self'");
  expect(text).toBe((await get(script, { headers: { 'accept-encoding': 'identity' } })).text);
  const icon = await get('/console/favicon.svg');
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  expect(icon.headers.get('cache-control')).toBe('no-cache');
});

it.each(['none.js', '.hidden', '..%2findex.html', '%2e%2e/%2e%2e/package.json', ''])(
  'has no file of the name %j among those of the console',
  async (name) => {
    expect((await get(`/console/assets/${name}`)).status).toBeOneOf([403, 404]);
  },
);

it('sends no compressed file by its own name, and refuses other methods', async () => {
  expect((await get(`${script}.br`)).status).toBe(404);
  const { status, headers } = await get(script, { method: 'POST' });
  expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});
