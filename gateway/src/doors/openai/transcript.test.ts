import { expect, it } from 'vitest';
import { type Said, transcriptOf } from './transcript.ts';

it('takes as many parts as a body may have, in front of the messages and in them', () => {
  const parts = Array.from({ length: 300_000 }, () => ({ text: 'a' }));
  const said: Said[] = [
    { kind: 'system', parts },
    { kind: 'user', parts },
    { kind: 'user', parts },
  ];
  expect(transcriptOf(said, ['messages'])).toMatchObject({
    instructions: { length: 300_000 },
    newest: { length: 600_000 },
  });
});
