import { setTimeout } from 'node:timers/promises';
import { MeshError } from '@agentmesh/lib/rpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountId, type Edge, startEdge } from '../edge.ts';

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge({
    sessions: {
      createSession: async ({ session }) => {
        const { appName = '', userId = '', sessionId: id = '' } = session ?? {};
        if (id === 'slow') await setTimeout(1_020);
        if (id === 'taken') throw new MeshError('already_exists', 'session_exists', 'Session already exists: taken');
        if (id === 'broken') throw new Error('the disk is full of secrets');
        return { session: { appName, userId, id, lastUpdateTime: 1.5 } };
      },
    },
  });
});
afterAll(() => edge[Symbol.asyncDispose]());

describe('the log of requests', () => {
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const lineOf = async (path: string, json: object) => {
    const headers = { traceparent: `00-${trace}-b7ad6b7169203331-01` };
    await edge.send(path, { json, headers });
    await expect.poll(() => edge.logged.filter((one) => one.msg === 'request' && one.trace === trace)).not.toEqual([]);
    return edge.logged.splice(0).find(({ msg }) => msg === 'request');
  };

  it('tells at once which request was slow or failed, of which account and trace; the others only for debugging', async () => {
    edge.logged.splice(0);
    const route = '/apps/:app_name/users/:user_id/sessions';
    const slow = await lineOf('/apps/a/users/u/sessions', { sessionId: 'slow' });
    expect(slow).toMatchObject({ level: 'info', route, status: 200, accountId, trace });
    expect(await lineOf('/apps/a/users/u/sessions', { sessionId: 'taken' })).toMatchObject({
      level: 'info',
      status: 409,
      accountId,
    });
    expect(await lineOf('/apps/a/users/u/sessions', { sessionId: 'broken' })).toMatchObject({
      level: 'warn',
      status: 500,
    });
    expect(await lineOf('/apps/a/users/u/sessions', { sessionId: 'quick' })).toMatchObject({
      level: 'access',
      status: 200,
    });
  });
});
