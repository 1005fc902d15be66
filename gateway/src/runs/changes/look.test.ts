import { type LedgerRun, RunStatus } from '@agentmesh/proto/sessions/v1';
import { expect, test } from 'vitest';
import { changesSince, look, type Looking } from './look.ts';

const nothing = new Uint8Array(0);
const runIn = (sessionId: string, status: RunStatus) =>
  ({ appName: 'echo', userId: 'u1', sessionId, invocationId: 'e-1', status, waitingForJson: nothing }) as LedgerRun;

function sightOf(runs: LedgerRun[]) {
  const services = {
    sessions: { listRuns: async () => ({ runs }) },
    notices: { listNotices: async () => ({ notices: [] }) },
    schedules: { listSchedules: async () => ({ schedules: [] }) },
    agents: { listAgents: async () => ({ agents: [] }) },
  };
  return look(services as unknown as Looking, 'a');
}

const inCopy = { id: 'e-1', app_name: 'echo', user_id: 'u1', session_id: 'copy' };
const waiting = runIn('source', RunStatus.WAITING);

test('the end of a run is told also when another session has a run with its id that waits', async () => {
  const before = await sightOf([runIn('copy', RunStatus.RUNNING), waiting]);
  const after = await sightOf([runIn('copy', RunStatus.COMPLETED), waiting]);
  expect(changesSince(before, after)).toEqual([{ kind: 'run', op: 'changed', ...inCopy }]);
});

test('the end of a wait names its session: a run of another one with its id may wait still', async () => {
  const before = await sightOf([runIn('copy', RunStatus.WAITING), waiting]);
  const after = await sightOf([runIn('copy', RunStatus.RUNNING), waiting]);
  const told = [
    { kind: 'run', op: 'changed', ...inCopy },
    { kind: 'wait', op: 'removed', ...inCopy },
  ];
  expect(changesSince(before, after)).toEqual(told);
});
