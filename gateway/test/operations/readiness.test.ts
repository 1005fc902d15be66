import { MeshError } from '@agentmesh/lib/rpc';
import { describe, expect, it } from 'vitest';
import { startEdge } from '../edge.ts';

describe('readiness', () => {
  it('names the services that fail', async () => {
    const listApps = () => {
      throw new MeshError('unavailable', 'away', 'away');
    };
    await using broken = await startEdge({ runs: { listApps } });
    const answer = await broken.send('/readyz');
    expect(answer.status).toBe(503);
    expect(answer.body).toEqual({
      detail: {
        status: 'not_ready',
        checks: {
          auth: { ok: true, error: null },
          sessions: { ok: true, error: null },
          memory: { ok: true, error: null },
          artifacts: { ok: true, error: null },
          runs: { ok: false, error: 'failed' },
          webhooks: { ok: true, error: null },
        },
      },
    });
    expect((await broken.send('/health/ready')).body).toEqual(answer.body);
  });

  it('is given while the memory is switched off', async () => {
    const listEntries = () => {
      throw new MeshError('failed_precondition', 'memory_not_configured', 'Memory service is not configured.');
    };
    await using off = await startEdge({ memory: { listEntries } });
    expect((await off.send('/readyz')).status).toBe(200);
  });
});
