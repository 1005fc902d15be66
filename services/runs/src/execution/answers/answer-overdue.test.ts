import { LedgerRunSchema } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { checkMessage } from '../check-message.ts';
import { defaultAnswers } from './answer-overdue.ts';

/** The most that a model may make in one answer. */
const calls = Array.from({ length: 128 }, (_, n) => ({ functionCallId: `c${n}`, name: 'ask', eventId: 'e' }));

test('a run that waits for more calls than a message may answer gets default answers that are accepted', () => {
  const run = create(LedgerRunSchema, { waitingForJson: Buffer.from(JSON.stringify(calls)) });
  const answers = defaultAnswers(run, { error: 'late' });
  const parts = answers.map((functionResponse) => ({ functionResponse }));
  const message = Buffer.from(JSON.stringify({ role: 'user', parts }));
  expect(checkMessage(message)).toEqual(calls.slice(0, 100).map(({ functionCallId }) => functionCallId));
});
