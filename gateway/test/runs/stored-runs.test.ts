import { MeshError } from '@agentmesh/lib/rpc';
import { expect, it } from 'vitest';
import { startEdge } from '../edge.ts';

const body = { appName: 'a', userId: 'u', sessionId: 's', newMessage: { parts: [{ text: 'hi' }] } };
const answer = { functionResponse: { id: 'call', name: 'approve', response: { yes: true } } };

it.each([
  ['started', '/runs', body, 'e-1'],
  ['answered', '/runs/e-1/answer', answer, null],
])('a run that was %s is told as stored when its record cannot be read', async (_, path, json, id) => {
  await using edge = await startEdge({
    runs: { startRun: () => ({ invocationId: 'e-1' }), answerRun: () => ({}) },
    sessions: {
      getRun() {
        throw new MeshError('unavailable', 'database_unavailable', 'The database cannot be reached.');
      },
    },
  });
  const told = await edge.send(path, { json });
  expect(told).toMatchObject({ status: 503, body: { code: 'change_stored' } });
  expect(told.headers.get('x-invocation-id')).toBe(id);
});
