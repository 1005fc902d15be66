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
          keys: { ok: true, error: null },
          transcription: { ok: true, error: null },
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

  it.each(['keys', 'transcription'] as const)('names %s while it is away', async (name) => {
    const fail = () => {
      throw new MeshError('unavailable', 'service_unavailable', 'away');
    };
    const gone = name === 'keys' ? { savedKeys: { listKeys: fail } } : { transcription: { transcribe: fail } };
    await using broken = await startEdge(gone);
    const { status, body } = await broken.send('/readyz');
    expect([status, body]).toEqual([
      503,
      {
        detail: expect.objectContaining({
          checks: expect.objectContaining({ [name]: { ok: false, error: 'failed' } }),
        }),
      },
    ]);
  });

  it('is given while transcription has no server', async () => {
    const transcribe = () => {
      throw new MeshError('unavailable', 'transcription_not_configured', 'Transcription is not configured.');
    };
    await using off = await startEdge({ transcription: { transcribe } });
    expect((await off.send('/readyz')).status).toBe(200);
  });
});
