import { type Logger } from '@agentmesh/lib/telemetry';
import { TurnSchema } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { RunWaits } from '../models/use/run-waits.ts';
import type { WaitingAttempt } from './attempt/executor.ts';
import { responsesOf } from '../../test/responses-of.ts';
import { createViewer } from './viewer.ts';
import { createWaitWatch } from './watch-waits.ts';

function openWatch() {
  const warnings: object[] = [];
  const lines: object[] = [];
  const look = createWaitWatch({ warn: (fields: object) => warnings.push(fields) } as unknown as Logger, {
    add: ({ invocationId }, line) => void lines.push({ invocationId, ...line }),
  });
  const viewer = createViewer(false);
  const waits = new RunWaits();
  const names = { accountId: 'a', sessionPk: 1n, invocationId: 'i', fence: 1n };
  const turn = create(TurnSchema, { invocationId: 'i' });
  const attempt: WaitingAttempt = {
    turn,
    lease: { ...names, waitingOn: '', waitingSince: 0 },
    appName: 'echo',
    waits,
    viewer,
  };
  const after = (seconds: number) => look({ attempts: () => [attempt] }, performance.now() + seconds * 1_000);
  const told = async () => {
    viewer.end();
    const answers = [];
    for await (const { kind } of responsesOf(viewer)) answers.push(kind);
    return answers;
  };
  return { warnings, lines, waits, lease: attempt.lease, after, told };
}

test('a wait is told after two seconds and logged after ten, for the mesh and for the run, each once', async () => {
  const { warnings, lines, waits, lease, after, told } = openWatch();
  using wait = waits.begin('keys');
  after(1);
  expect(lease).toMatchObject({ waitingOn: '', waitingSince: 0 });
  for (const seconds of [3, 4, 9]) after(seconds);
  expect(lease).toMatchObject({ waitingOn: 'keys', waitingSince: (performance.timeOrigin + wait.sinceMs) / 1_000 });
  expect(warnings).toEqual([]);
  for (const seconds of [11, 12, 60]) after(seconds);
  expect(warnings).toEqual([{ accountId: 'a', invocationId: 'i', app: 'echo', waitingOn: 'keys', seconds: 11 }]);
  expect(lines).toEqual([{ invocationId: 'i', level: 'warn', message: 'The run has waited for 11 s: keys' }]);
  expect(await told()).toEqual([{ case: 'waiting', value: { on: 'keys' } }]);
});

test('a wait that has ended is told no more, and the longest of several is told', () => {
  const { waits, lease, after } = openWatch();
  const first = waits.begin('artifact');
  using _ = waits.begin('model');
  after(3);
  expect(lease.waitingOn).toBe('artifact');
  first[Symbol.dispose]();
  after(4);
  expect(lease.waitingOn).toBe('model');
});
