import { AttemptEnd_Outcome, RunEndedSchema } from '@agentmesh/proto/sessions/v1';
import { create, toBinary } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { runEndedFact } from './run-ended.ts';

test('the end of a run is encoded once for the outbox and for the hint', () => {
  const ended = { accountId: 'a', invocationId: 'e-1', sessionPk: 7n, outcome: AttemptEnd_Outcome.COMPLETED };
  const { fact } = runEndedFact({ ...ended, asksByMail: false });
  expect(new Uint8Array(fact)).toEqual(toBinary(RunEndedSchema, create(RunEndedSchema, ended)));
});
