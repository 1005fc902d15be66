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

it('a session is cancelled with all its runs, however many pages list them', async () => {
  const pages = [['e-3', 'e-2'], ['e-1']];
  const cancelled: string[] = [];
  await using edge = await startEdge({
    sessions: {
      listRuns({ after }) {
        const ids = pages[after === undefined ? 0 : 1] ?? [];
        const last = after === undefined ? { last: { createdAt: 2n, position: 2n } } : {};
        return { runs: ids.map((invocationId) => ({ invocationId })), ...last };
      },
      cancelRun({ invocationId }) {
        cancelled.push(invocationId);
        return {};
      },
    },
  });
  expect((await edge.send('/apps/a/users/u/sessions/s:cancel', { method: 'POST' })).status).toBe(200);
  expect(cancelled).toEqual(['e-3', 'e-2', 'e-1']);
});
