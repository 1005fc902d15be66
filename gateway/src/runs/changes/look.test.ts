import { type LedgerRun, RunStatus } from '@agentmesh/proto/sessions/v1';
import { expect, test } from 'vitest';
import { changesSince, look, type Looking } from './look.ts';

test('the end of a run is told also when another session has a run with its id that waits', async () => {
  const nothing = new Uint8Array(0);
  const run = (sessionId: string, status: RunStatus) =>
    ({ appName: 'echo', userId: 'u1', sessionId, invocationId: 'e-1', status, waitingForJson: nothing }) as LedgerRun;
  const sightOf = (runs: LedgerRun[]) => {
    const services = {
      sessions: { listRuns: async () => ({ runs }) },
      notices: { listNotices: async () => ({ notices: [] }) },
      schedules: { listSchedules: async () => ({ schedules: [] }) },
      agents: { listAgents: async () => ({ agents: [] }) },
    };
    return look(services as unknown as Looking, 'a');
  };
  const waiting = run('source', RunStatus.WAITING);
  const before = await sightOf([run('copy', RunStatus.RUNNING), waiting]);
  const after = await sightOf([run('copy', RunStatus.COMPLETED), waiting]);
  expect(changesSince(before, after)).toEqual([{ kind: 'run', id: 'e-1', op: 'changed' }]);
});
