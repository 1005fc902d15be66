import type { LedgerRun } from '@agentmesh/proto/sessions/v1';
import { expect, test } from 'vitest';
import { parseRequestState, printRequestState } from './request-state.ts';

test('the state of a form names the run with its session and its user', () => {
  const run = { userId: 'u"1', sessionId: 's', invocationId: 'e-1' } as LedgerRun;
  expect(parseRequestState(printRequestState(run))).toEqual({ user: 'u"1', session_id: 's', run_id: 'e-1' });
});

test.each(['e-1', '7', 'null', '{"run_id":"e-1"}', '{"user":1,"session_id":"s","run_id":"e-1"}'])(
  'another state, such as %s, is the id of a run, as earlier versions wrote it',
  (state) => expect(parseRequestState(state)).toEqual({ run_id: state }),
);
