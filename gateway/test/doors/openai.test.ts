import { MeshError } from '@agentmesh/lib/rpc';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Edge, startEdge } from '../edge.ts';

let edge: Edge;
/** Sessions in which runs were started. */
const sessions: (string | undefined)[] = [];
beforeAll(async () => {
  edge = await startEdge({
    runs: {
      startRun: ({ session }) => {
        if (session?.appName === 'away') throw new MeshError('unavailable', 'unavailable', 'Not now.');
        sessions.push(session?.sessionId);
        return { invocationId: 'r' };
      },
      answerRun: () => ({}),
      watchRun: () => {
        throw new MeshError('internal', 'internal', 'The watching broke.');
      },
    },
  });
});
afterAll(() => edge[Symbol.asyncDispose]());

const call = `call_${Buffer.from(JSON.stringify(['s', 'r', 'f', 'n'])).toString('base64url')}`;
const asked = { role: 'user', content: 'hi' };
const requests: readonly (readonly [what: string, path: string, body: object])[] = [
  ['a message', '/v1/chat/completions', { messages: [asked] }],
  ['an answer', '/v1/chat/completions', { messages: [asked, { role: 'tool', tool_call_id: call, content: 'x' }] }],
  ['a message', '/v1/responses', { input: 'hi' }],
  ['an answer', '/v1/responses', { input: [{ type: 'function_call_output', call_id: call, output: 'x' }] }],
];

it.each(requests)(
  'whose watching broke, the run of %s at %s is not repeated by clients that set no key',
  async (_, path, body) => {
    const ask = async (model: string, headers = {}) => {
      const answer = await edge.send(path, { json: { model, ...body }, headers });
      return [answer.status, answer.headers.get('x-should-retry')];
    };
    expect(await ask('a')).toEqual([500, 'false']);
    expect(await ask('a', { 'idempotency-key': 'k' })).toEqual([500, null]);
  },
);

it('a request that started nothing may be repeated', async () => {
  const answer = await edge.send('/v1/responses', { json: { model: 'away', input: 'hi' } });
  expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([503, null]);
});

it.each(['trip', 'café 旅', '旅'.repeat(170), '50%'])(
  'the X-Session-Id of an answer names the same session in the next request: %#',
  async (id) => {
    const json = { model: 'a', messages: [asked] };
    const named = { ...json, metadata: { session_id: id } };
    const first = await edge.send('/v1/chat/completions', { json: named });
    const headers = { 'x-session-id': first.headers.get('x-session-id') };
    await edge.send('/v1/chat/completions', { json, headers });
    expect(sessions.slice(-2)).toEqual([id, id]);
  },
);

it.each(['\u0000', '旅'.repeat(171)])('an X-Session-Id that no session can have is refused: %j', async (id) => {
  const headers = { 'x-session-id': encodeURIComponent(id) };
  const answer = await edge.send('/v1/chat/completions', { json: { model: 'a', messages: [asked] }, headers });
  expect(answer.status).toBe(400);
});
